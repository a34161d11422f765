import { type SessionState, type Subagent, type Turn, turnEnded } from "@factum/facts"
import { readOutput, workerOutcome } from "@factum/protocol"
import type { Draft } from "../decision.ts"
import { messageOf } from "../execution/spoken.ts"
import type { ToolOutcome } from "../ports/tool.ts"
import type { Child } from "./link.ts"

const longest = 2_000

export type Scope = {
  session_id: string
  thread_id: string
  turn_id: string
  step_id?: string
  tool_call_id?: string
}

/** What the call that asked is told, once the child's turn has ended. */
export function outcomeOf(state: SessionState, child: Child, agent: string): ToolOutcome {
  const turn = state.entities.turns[child.turn_id]
  const said = lastWords(state, child.turn_id)
  if (turn?.status === "completed") {
    if (said.failed === undefined) return { ok: true, output: said.text || "(It reported nothing.)" }
    return { ok: false, category: "tool_error", message: said.failed, output: said.text }
  }
  const { category = "lost", reason = "It is not known how it ended." } = turn?.failure ?? {}
  const lost = Object.values(state.entities.toolCalls).filter(
    ({ failure }) => failure?.category === "outcome_unknown",
  )
  const unknown = lost.map(
    ({ tool }) => ` Whether its call of ${tool} had its effect is not known (outcome_unknown).`,
  )
  const message = `${agent} did not finish (${category}): ${reason}${unknown.join("")}`
  const next = "Look at what it did before it is done again."
  const interrupted = turn?.status === "cancelled"
  return { ok: false, category: interrupted ? "interrupted" : "tool_error", message, next, output: said.text }
}

/** The facts that end a child in its parent's session, each once, by what is true of it. */
export function ending(
  scope: Scope,
  subagent: Subagent,
  turn: Turn | undefined,
  state: SessionState,
): Draft[] {
  const { subagent_id, settled, status } = subagent
  if (status === "closed") return []
  const on = { ...scope, subagent_id }
  const facts: Draft[] = []
  if (!settled.includes(1)) facts.push(roundOf(on, turn, state))
  const whole = turn !== undefined && turnEnded(turn) && turn.status === "completed"
  const reason = whole ? "Its work is done." : "It ended without success."
  const tool_calls = state.entities.sessionSpendings.session?.calls ?? 0
  return [...facts, { type: "subagent.closed", ...on, payload: { reason, by: "runtime", tool_calls } }]
}

function roundOf(on: Scope & { subagent_id: string }, turn: Turn | undefined, state: SessionState): Draft {
  if (turn?.status === "completed") {
    const { text } = lastWords(state, turn.turn_id)
    const [session_id = ""] = Object.keys(state.entities.sessions)
    const output_refs = [{ uri: `record:${session_id}/${turn.turn_id}`, kind: "record" as const }]
    const preview = { text: text.slice(0, longest), whole: text.length <= longest }
    return { type: "subagent.completed", ...on, payload: { round: 1, output_refs, preview } }
  }
  const { category = "interrupted", reason = "It was never begun." } = turn?.failure ?? {}
  const ended = turn?.status === "failed" || turn?.status === "timed_out" ? turn.status : "cancelled"
  const payload = { round: 1, status: ended, category, reason, recoverable: false } as const
  return { type: "subagent.failed", ...on, payload }
}

/** What the child said last: its answer, or what it declared as its outcome. */
function lastWords(state: SessionState, turn_id: string): { text: string; failed?: string } {
  const request = Object.values(state.entities.modelRequests)
    .filter((one) => one.turn_id === turn_id && one.status === "completed")
    .sort((a, b) => a.opened - b.opened)
    .at(-1)
  if (request === undefined) return { text: "" }
  const message = messageOf(request)
  const authority = { agent: "", enabled: true, depth: 1 }
  const read = readOutput(message, { authority, executors: [], assignment: { action_id: turn_id } })
  if (read.kind !== "declaration") return { text: message.text }
  const { declaration } = read
  if (declaration.intent === "outcome") {
    const outcome = workerOutcome(declaration.outcome)
    const text = outcome.output ?? ""
    return outcome.status === "completed" ? { text } : { text, failed: outcome.reason.message }
  }
  if (declaration.intent === "answer") return { text: declaration.message }
  return { text: declaration.intent === "done" ? (declaration.message ?? message.text) : message.text }
}
