import type { ModelRequest, SessionState, Spending, ToolCall } from "@factum/facts"
import { toolCallEnded } from "@factum/facts"
import {
  type ActionGraph,
  type ActionOutcome,
  foldRun,
  nextSteps,
  type Reason,
  type RunEvent,
  type RunState,
  type Schedule,
} from "@factum/protocol"
import { childOf } from "../delegation/link.ts"
import { outputText } from "../outputs/told.ts"
import type { BlobStore } from "../ports/log.ts"

/** The calls that a request led to, in the order in which they were opened. */
export function callsOf(state: SessionState, { request_id }: Pick<ModelRequest, "request_id">): ToolCall[] {
  return Object.values(state.entities.toolCalls)
    .filter((call) => call.cause?.request_id === request_id)
    .sort((a, b) => a.opened - b.opened)
}

export type Timed = { at: number; event: RunEvent }

/** What the calls of a request did to its run: each call is one attempt at the action that it is named after. */
export function callEvents(
  calls: readonly ToolCall[],
  blobs: BlobStore,
  spendings: SessionState["entities"]["childSpendings"],
): Timed[] {
  const attempts = new Map<string, number>()
  return calls.flatMap((call): Timed[] => {
    const id = call.cause?.call_id ?? ""
    const attempt = (attempts.get(id) ?? 0) + 1
    attempts.set(id, attempt)
    const at = startOf(call)
    const started: Timed = { at: call.opened, event: { type: "action.started", id, attempt, at } }
    if (!toolCallEnded(call)) return [started]
    const outcome = outcomeOf(call, blobs)
    const ended: Timed = { at: call.opened, event: { type: "action.ended", id, attempt, at, outcome } }
    const child = spendings[childOf(call.tool_call_id).subagent_id]
    const spent: Timed[] = child === undefined ? [] : [{ at: call.opened, event: spentBy(child) }]
    return [started, ended, ...spent]
  })
}

/** What the requests of a child and of its own children came to, as far as that is known. */
function spentBy({ lines }: Spending): RunEvent {
  let [tokens, cost] = [0, 0]
  for (const line of Object.values(lines)) {
    tokens += line.tokens
    for (const { known } of Object.values(line.amounts)) cost += known
  }
  return { type: "run.spent", tokens, cost }
}

/** Time is counted from the first call, which is the first moment of the run that the log knows. */
export const accepted = (run_id: string, calls: readonly ToolCall[]): RunEvent => ({
  type: "run.accepted",
  run_id,
  at: calls[0] === undefined ? Number.POSITIVE_INFINITY : startOf(calls[0]),
})

const startOf = ({ started_at }: ToolCall): number => Date.parse(started_at ?? "") || 0

function outcomeOf(call: ToolCall, blobs: BlobStore): ActionOutcome {
  const output = outputText(call, blobs)
  const { data } = call
  if (call.status === "done") return { status: "completed", output, ...(data === undefined ? {} : { data }) }
  const { category = "tool_error", message = "It failed.", next } = call.failure ?? {}
  const told = next === undefined ? message : `${message} ${next}`
  return { status: "failed", reason: { code: codes[category] ?? "executor_failed", message: told }, output }
}

const codes: Readonly<Record<string, Reason["code"]>> = {
  permission_denied: "denied",
  hook_blocked: "not_permitted",
  sandbox_violation: "not_permitted",
  unknown_tool: "no_executor",
  time_limit: "timed_out",
  interrupted: "canceled",
  outcome_unknown: "outcome_unknown",
}

export type Situation = {
  now: number
  in_flight: readonly string[]
  max_parallel: number
  /** Why an action that could start lacks what it refers to. */
  lacks?: (id: string, run: RunState) => Reason | undefined
}

/** What can be done now, after everything that follows by itself has been taken in. */
export function scheduleOf(
  graph: ActionGraph,
  state: RunState,
  { now, in_flight, max_parallel, lacks }: Situation,
): { run: RunState; schedule: Schedule } {
  let run = state
  for (;;) {
    const schedule = nextSteps(graph, run, { now, in_flight, limits: { max_parallel } })
    const follows = schedule.steps.flatMap((step): RunEvent[] => {
      if (step.type === "settle")
        return [{ type: "action.settled", id: step.id, status: step.status, reason: step.reason }]
      if (step.type === "wait") return [{ type: "action.waiting", id: step.id, reason: step.reason }]
      const reason = step.type === "start" ? lacks?.(step.id, run) : undefined
      return reason === undefined ? [] : [{ type: "action.settled", id: step.id, status: "blocked", reason }]
    })
    if (follows.length === 0) return { run, schedule }
    run = foldRun(graph, follows, run)
  }
}
