import type { CallScope } from "../control/calls.ts"
import type { Draft } from "../decision.ts"
import type { HookOutcome } from "../hooks/index.ts"
import { type Explanation, type Voice, verdictOf, winnerOf } from "../policy/index.ts"
import type { Tool, ToolOutcome } from "../ports/tool.ts"
import { givenInput } from "./call-facts.ts"
import { type CallPorts, type Input, recordIn, refused } from "./call-ports.ts"
import { atPoint, hasHooks, hooksAt, type PointPorts } from "./hook-points.ts"

export type Deciding = {
  scope: CallScope
  tool: Tool
  input: Input
  opened: readonly Draft[]
  demanded: string | undefined
}

type Hooked = { input: Input; opened: readonly Draft[]; voices: readonly Voice[] }

/** What hooks say before the call is judged; nothing when the call ends here. */
export async function beforeTool(ports: CallPorts, deciding: Deciding): Promise<Hooked | undefined> {
  const { scope, tool, input, opened } = deciding
  if (!hasHooks(ports, "before_tool")) return { input, opened, voices: [] }
  // The call is in the log before anybody else is asked about it.
  if (!(await ports.write(() => opened))) return undefined
  const call = { point: "before_tool" as const, subject: tool.name, input }
  const outcome = await hooksAt(pointPorts(ports, scope), call)
  if (await endedBy(ports, scope, outcome)) return undefined
  const wrong = refused(tool, outcome.input, tool.name)
  if (wrong !== undefined) {
    await ports.write(() => [{ type: "tool.failed", ...scope, payload: wrong }])
    return undefined
  }
  const voices = voicesOf(outcome)
  if (outcome.rewritten_by.length === 0) return { input, opened: [], voices }
  const rewritten = await givenInput(scope, JSON.stringify(outcome.input), ports)
  return { input: outcome.input, opened: rewritten, voices }
}

/** Hooks on the judgement itself hear the verdict so far and can only make it stricter, or break a silence. */
export async function onPermission(
  ports: CallPorts,
  scope: CallScope,
  explained: Explanation,
  opened: readonly Draft[],
): Promise<{ explained: Explanation; opened: readonly Draft[] } | undefined> {
  if (explained.verdict === "deny" || !hasHooks(ports, "permission")) return { explained, opened }
  if (opened.length > 0 && !(await ports.write(() => opened))) return undefined
  const { operation, verdict, winner } = explained
  const call = {
    point: "permission" as const,
    subject: operation.name,
    input: { tool: operation.name, summary: operation.summary.text, verdict, winner },
  }
  const outcome = await hooksAt(pointPorts(ports, scope), call)
  if (await endedBy(ports, scope, outcome)) return undefined
  const sources = [...explained.sources, ...voicesOf(outcome)]
  const heard = { ...explained, sources, winner: winnerOf(sources), verdict: verdictOf(sources) }
  return { explained: heard, opened: [] }
}

/** A result that its hook could not look at is not given to the model. That it was done stays told. */
export async function afterTool(
  ports: CallPorts,
  scope: CallScope,
  { tool, input }: { tool: Tool; input: Input },
  outcome: ToolOutcome,
): Promise<ToolOutcome | undefined> {
  if (!hasHooks(ports, "after_tool")) return outcome
  const { output } = outcome
  const text = typeof output === "string" ? output : `[${output?.byteLength ?? 0} bytes]`
  const failure = outcome.ok ? {} : { category: outcome.category, message: outcome.message }
  const told = { tool: tool.name, input, ok: outcome.ok, output: text, ...failure }
  const passed = await atPoint(pointPorts(ports, scope), {
    point: "after_tool",
    subject: tool.name,
    input: told,
  })
  if (passed.kind === "stopped") return undefined
  if (passed.kind === "go") return outcome
  const message = `${passed.message} The call itself had ended; its result is withheld.`
  return { ok: false, category: "hook_blocked", message, next: passed.next }
}

/** A closed hook that failed ends the call. */
async function endedBy(ports: CallPorts, scope: CallScope, outcome: HookOutcome): Promise<boolean> {
  if (outcome.stopped) return true
  if (outcome.blocked === undefined) return false
  const { category, message, next } = outcome.blocked
  await ports.write(() => [{ type: "tool.failed", ...scope, payload: { category, message, next } }])
  return true
}

const voicesOf = ({ heard }: HookOutcome): Voice[] =>
  heard.map(({ hook, verdict, note }): Voice => {
    // A closed hook that failed has ended the call; one that is open has no opinion.
    const said = verdict === "error" ? "none" : verdict
    return { source: "hook", verdict: said, rule: hook, ...(note === undefined ? {} : { detail: note }) }
  })

function pointPorts(ports: CallPorts, scope: CallScope): PointPorts {
  return { ...ports, record: (facts) => recordIn(ports, scope, facts) }
}
