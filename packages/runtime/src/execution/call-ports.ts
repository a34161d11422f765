import type { SessionState } from "@factum/facts"
import type { Agent } from "../agent.ts"
import type { CallScope } from "../control/calls.ts"
import type { Draft } from "../decision.ts"
import type { Ids } from "../ports/clock.ts"
import type { Claim } from "../ports/log.ts"
import type { Tool, ToolFact } from "../ports/tool.ts"
import { inCall, type Kept, placesOf } from "./call-facts.ts"

export type CallPorts = Kept & {
  /** The turn that the calls are made in, which may be a later one than that of the request. */
  turn_id: string
  ids: Ids
  now: () => number
  agent: Agent
  state: () => SessionState
  /** False when the turn is over or cannot be written on. */
  write: (drafts: (state: SessionState) => readonly Draft[], claims?: readonly Claim[]) => Promise<boolean>
  signal: AbortSignal
  /** Settles when somebody else has written to the session: an answer must not wait for the calls beside it. */
  changed: () => Promise<void>
  /** Writes although the turn is over. */
  later: (scope: CallScope, facts: readonly ToolFact[]) => Promise<boolean>
  /** How many more calls may be carried out. */
  spare: () => number
  /** The credentials that people gave to the session. */
  credentials: () => Readonly<Record<string, string>>
}

export type Input = Readonly<Record<string, unknown>>

export const mask =
  ({ redactor }: CallPorts) =>
  (text: string): string =>
    redactor.text(text).value

/** How a process of the call ended is told even when the turn is over. */
export async function recordIn(
  ports: CallPorts,
  scope: CallScope,
  facts: readonly ToolFact[],
): Promise<boolean> {
  const drafts = facts.map((fact) => inCall(fact, scope))
  if (await ports.write(() => drafts, placesOf(facts, scope))) return true
  const ends = facts.filter(({ type }) => /^process\.(completed|failed|terminated)$/.test(type))
  if (ends.length > 0) await ports.later(scope, ends)
  return false
}

/** Why a call cannot be made with this input, or nothing. */
export function refused(tool: Tool | undefined, input: Input | undefined, name: string) {
  if (tool === undefined) {
    const next = "Use a tool of the list that came with the request."
    return { category: "unknown_tool" as const, message: `This turn has no tool ${name}.`, next }
  }
  if (input === undefined) {
    const message = "The arguments are not a JSON object."
    return { category: "invalid_args" as const, message, next: "Give one JSON object that fits the schema." }
  }
  const problems = tool.check(input)
  if (problems.length === 0) return undefined
  const message = problems
    .map(({ path, message }) => (path === "" ? message : `${path}: ${message}`))
    .join("; ")
  return { category: "invalid_args" as const, message, next: `Give what ${name} takes.` }
}
