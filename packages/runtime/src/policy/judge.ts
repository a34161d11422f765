import type { Operation, Verdict } from "@factum/facts"
import { couldHide, ruleMatch, ruleName } from "./match.ts"
import { permits } from "./match-command.ts"
import { type ModeView, modeView, needsNothing } from "./modes.ts"
import type { Part, Where } from "./parts.ts"
import { commandsByVariable } from "./shell/names.ts"
import type { Policy, Rule } from "./types.ts"
import { type Explanation, type Voice, verdictOf, winnerOf } from "./verdict.ts"

export type Question = {
  operation: Operation
  /** From `partsOf`. */
  parts: readonly Part[]
  policy: Policy
  where: Where
  /** What hooks, classifier and host said about the whole operation. */
  sources?: readonly Voice[]
}

/** Everything that speaks about an operation, and what follows. Pure: the same question has the same answer. */
export function judge({ operation, parts, policy, where, sources = [] }: Question): Explanation {
  const views = parts.map((part) => modeView(policy.mode, part, where))
  const heard = policy.rules.map((rule) => hear(rule, operation.name, parts, policy.rules, where))
  const covered = coverage(parts, views, heard)
  const voices = [
    modeVoice(policy.mode, parts, views, covered),
    ...heard.flatMap((one) => ruleVoice(one, parts, covered)),
    ...sources,
  ]
  if (!voices.some((voice) => voice.source === "rule"))
    voices.push({ source: "rule", verdict: "none", rule: "no rule matches" })
  return {
    operation,
    sources: voices,
    winner: winnerOf(voices),
    verdict: verdictOf(voices),
    policy_version: policy.version,
  }
}

/** What a rule says about each part; `ask` of a deny rule means that the part may be what it forbids. */
type Heard = { rule: Rule; says: readonly (Verdict | undefined)[]; whole: boolean }

function hear(rule: Rule, tool: string, parts: readonly Part[], rules: readonly Rule[], where: Where): Heard {
  const says = parts.map((part): Verdict | undefined => {
    const match = ruleMatch(rule, tool, part, where)
    if (match === "yes") return rule.effect === "allow" && !mayPermit(rule, part) ? undefined : rule.effect
    if (match === "maybe") return "ask"
    const hides = part.kind === "command" && part.command.opaque !== undefined && couldHide(rule, tool)
    return hides && !namedExactly(part, tool, rules) ? "ask" : undefined
  })
  // A call that touches nothing can still be spoken about by its name.
  const nothing: Part = { kind: "other", text: "" }
  const whole = rule.match === undefined && ruleMatch(rule, tool, nothing, where) === "yes"
  return { rule, says, whole }
}

/** A variable before the command may make it another command, unless the rule names both. */
const mayPermit = ({ match }: Rule, part: Part): boolean =>
  part.kind !== "unreadable" &&
  (match !== undefined ||
    part.kind !== "command" ||
    !part.command.assigns.some(({ name }) => commandsByVariable(name)))

/** A person wrote down this very command, so what it hides is meant. */
function namedExactly(part: Part, tool: string, rules: readonly Rule[]): boolean {
  if (part.kind !== "command") return false
  const { command } = part
  return rules.some(
    ({ effect, match, tool: of }) =>
      effect === "allow" &&
      of === tool &&
      match !== undefined &&
      !match.includes("*") &&
      permits(match, command),
  )
}

/** Which parts have somebody who allows them. */
function coverage(
  parts: readonly Part[],
  views: readonly ModeView[],
  heard: readonly Heard[],
): readonly boolean[] {
  const byRule = parts.map((_, i) => heard.some(({ says }) => says[i] === "allow"))
  return parts.map((part, i) => {
    if (byRule[i] || views[i]?.verdict === "allow") return true
    // Who allows a command allows it to look at the files it names.
    const of = part.kind === "file" && part.use === "read" ? part.of : undefined
    return (
      of !== undefined &&
      parts.some((other, j) => other.kind === "command" && other.command === of && byRule[j])
    )
  })
}

function modeVoice(
  mode: Policy["mode"],
  parts: readonly Part[],
  views: readonly ModeView[],
  covered: readonly boolean[],
): Voice {
  const voice = (verdict: Voice["verdict"], detail: string): Voice => ({
    source: "mode",
    verdict,
    rule: `mode: ${mode}`,
    detail: clip(detail),
  })
  if (parts.length === 0) return voice("allow", "it touches nothing")
  for (const strict of ["deny", "ask"] as const) {
    const at = views.findIndex((view) => view.verdict === strict)
    if (at >= 0) return voice(strict, `${textOf(parts[at])}: ${views[at]?.why}`)
  }
  const open = covered.indexOf(false)
  if (open >= 0) return voice("none", `${textOf(parts[open])}: ${views[open]?.why}`)
  const needed = parts.findIndex((part, i) => views[i]?.verdict === "allow" && !needsNothing(part))
  if (needed >= 0) return voice("allow", views[needed]?.why ?? "")
  const silent = views.findIndex((view) => view.verdict === "none")
  return silent >= 0 ? voice("none", views[silent]?.why ?? "") : voice("allow", "it touches nothing")
}

function ruleVoice(
  { rule, says, whole }: Heard,
  parts: readonly Part[],
  covered: readonly boolean[],
): readonly Voice[] {
  const source = rule.layer === "host" ? "host" : "rule"
  const voice = (verdict: Voice["verdict"], detail?: string): readonly Voice[] => {
    const text = [rule.note, detail].filter((one) => one !== undefined).join(" — ")
    return [{ source, verdict, rule: ruleName(rule), ...(text === "" ? {} : { detail: clip(text) }) }]
  }
  if (parts.length === 0) return whole ? voice(rule.effect) : []
  for (const strict of ["deny", "ask"] as const) {
    const at = says.indexOf(strict)
    if (at < 0) continue
    return voice(strict, `${rule.effect === strict ? "" : "may be meant by "}${textOf(parts[at])}`)
  }
  const at = says.indexOf("allow")
  if (at < 0) return []
  const open = covered.indexOf(false)
  return open < 0
    ? voice("allow", textOf(parts[at]))
    : voice("none", `it does not speak about ${textOf(parts[open])}`)
}

function textOf(part: Part | undefined): string {
  if (part === undefined) return ""
  const text = part.kind === "command" ? part.command.text : part.text
  return `\`${text.length > 160 ? `${text.slice(0, 160)}…` : text}\``
}

const clip = (text: string): string => (text.length > 600 ? `${text.slice(0, 600)}…` : text)
