import type { Level } from "../rules.ts"
import { type Dialect, dialectNames, type Foreign } from "./dialects.ts"

/** What was found wrong: by which rule, in which line of the trace, and why. */
export type Finding = {
  rule: string
  level: Level
  line: number
  event?: string
  reason: string
}
export type Outcome = "pass" | "fail" | "warning" | "not_exercised" | "not_applicable"
export type RuleResult = {
  rule: string
  level: Level
  title: string
  outcome: Outcome
  findings: readonly Finding[]
  /** Why the rule does not apply. */
  why?: string
}

export type Report = {
  /** What the lines hold. */
  kind: Dialect | "mixed" | "nothing"
  lines: number
  events: number
  /** How many events had to be respelled to be read. */
  respelled: number
  /** What was read out of other protocols, and what their events could not be read into or had to be given. */
  foreign: readonly { dialect: Foreign; lines: number; lost: readonly string[]; guessed: readonly string[] }[]
  results: readonly RuleResult[]
  /** Broken MUST and EDGE rules, and broken SHOULD rules, counted apart. */
  failures: number
  warnings: number
  ok: boolean
}

/** What a check saw: nothing to judge, or what is wrong, which may be nothing. */
export type Seen = "not_exercised" | NotApplicable | readonly Fault[]
export type NotApplicable = { why: string }
export type Fault = { line: number; event?: string; reason: string; mild?: true }

export function resultOf(rule: string, level: Level, title: string, seen: Seen): RuleResult {
  if (seen === "not_exercised") return { rule, level, title, outcome: seen, findings: [] }
  if ("why" in seen) return { rule, level, title, outcome: "not_applicable", findings: [], why: seen.why }
  const findings = seen.map(
    ({ mild, ...fault }): Finding => ({ rule, level: mild ? "SHOULD" : level, ...fault }),
  )
  const broken = findings.some((finding) => finding.level !== "SHOULD")
  const outcome = broken ? "fail" : findings.length > 0 ? "warning" : "pass"
  return { rule, level, title, outcome, findings }
}

const marks: Readonly<Record<Outcome, string>> = {
  pass: "ok  ",
  fail: "FAIL",
  warning: "warn",
  not_exercised: " -  ",
  not_applicable: " n/a",
}

/** The report as lines for a person: what is wrong first, each with its place. */
export function readable(report: Report): string[] {
  const { kind, events, lines, respelled, foreign, failures, warnings, results } = report
  const shown = results.flatMap(({ rule, title, outcome, findings, why }) => [
    `${marks[outcome]} ${rule.padEnd(12)} ${title}${why === undefined ? "" : `: ${why}`}`,
    ...findings
      .slice(0, 5)
      .map(({ line, event, reason }) => `       line ${line}${event ? ` ${event}` : ""}: ${reason}`),
    ...(findings.length > 5 ? [`       and ${findings.length - 5} more`] : []),
  ])
  const note =
    respelled > 0 ? [`${respelled} events came in another spelling and were read through the adapter.`] : []
  return [
    `${events} events in ${lines} lines (${kind})`,
    ...note,
    ...foreign.map(
      ({ dialect, lines, lost, guessed }) =>
        `${count(lines, "line")} of ${dialectNames[dialect]}. Not read: ${listed(lost)}. Filled in: ${listed(guessed)}.`,
    ),
    "",
    ...shown,
    "",
    `${count(failures, "failure")}, ${count(warnings, "warning")}. A rule marked - was never exercised: it is neither kept nor broken.`,
  ]
}

const listed = (names: readonly string[]): string => (names.length === 0 ? "nothing" : names.join(", "))
const count = (number: number, what: string) => `${number} ${what}${number === 1 ? "" : "s"}`
