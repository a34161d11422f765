import { canMove, type ModelRequest, type SessionState, type WorkState } from "@factum/facts"

import type { Draft } from "../decision.ts"
import { cancelWaits, failCall, hasBegun, openCalls } from "./calls.ts"
import { openSummaries, summaryCutOff } from "./compaction.ts"
import { costUnknown } from "./spent.ts"
import { openRequests, queueOf } from "./thread-view.ts"

export type Ending =
  | { status: "completed"; outcome: "answered" | "stopped" }
  | {
      status: "failed" | "cancelled" | "timed_out"
      category: string
      reason: string
      by?: "user" | "policy" | "runtime"
      next?: string
    }

const endTitles = {
  completed: "Done",
  failed: "Failed",
  cancelled: "Interrupted",
  timed_out: "Out of time",
} as const

export function startTurn(state: SessionState, turn_id: string): Draft[] {
  const turn = state.entities.turns[turn_id]
  if (turn?.status !== "accepted") return []
  const scope = scopeOf(state, turn_id)
  const previous = state.entities.threads[scope.thread_id]?.status
  return [
    { type: "turn.started", ...scope, payload: {} },
    {
      type: "thread.updated",
      session_id: scope.session_id,
      thread_id: scope.thread_id,
      payload: {
        status: "active",
        previous: previous === undefined || previous === "unknown" ? "idle" : previous,
        active_turn_id: turn_id,
        reason: "turn started",
      },
    },
    ...moveTo(state, turn_id, "preparing", "Preparing", "Gathering context"),
  ]
}

/**
 * A change of phase, or nothing when the work is in that phase already or may not enter it. With metadata, a phase is
 * told again when its detail is another one.
 */
export function moveTo(
  state: SessionState,
  turn_id: string,
  phase: WorkState,
  title: string,
  detail: string,
  metadata?: Record<string, unknown>,
): Draft[] {
  const run = state.entities.runs[turn_id]
  const now = run?.phase ?? "accepted"
  const again = now === phase && metadata !== undefined && run?.detail !== detail
  if (!again && (now === phase || now === "unknown" || !canMove(now, phase, "turn"))) return []
  const payload = { phase, title, detail, checkpoints: [], metadata: metadata ?? {} }
  return [{ type: "run.status", ...scopeOf(state, turn_id), payload }]
}

/** Everything that ends with the turn, in one batch: open streams, the turn, the thread, the next in the queue. */
export function endTurn(
  state: SessionState,
  turn_id: string,
  ending: Ending,
  /** What the provider said at the end; a stream that it did not close is closed as interrupted. */
  closing: readonly Draft[] = openRequests(state, turn_id).flatMap((request) =>
    cutOff(state, request, ending),
  ),
): Draft[] {
  const scope = scopeOf(state, turn_id)
  const reason = ending.status === "completed" ? "The turn ended." : ending.reason
  const summaries = openSummaries(state, (one) => one.turn_id === turn_id).flatMap((one) =>
    summaryCutOff(state, one, interruption(ending), reason),
  )
  const facts = [...closing, ...summaries, ...closeWork(state, turn_id, ending)]
  const phase = state.entities.runs[turn_id]?.phase
  if ((phase === "streaming" || phase === "blocked") && ending.status === "completed")
    facts.push(status(scope, "running", "Finishing", ""))
  const detail = ending.status === "completed" ? "" : ending.reason
  facts.push(status(scope, ending.status, endTitles[ending.status], detail))
  facts.push(
    ending.status === "completed"
      ? { type: "turn.completed", ...scope, payload: { outcome: ending.outcome } }
      : { type: "turn.failed", ...scope, payload: ending },
  )
  return [...facts, ...afterTurn(state, scope)]
}

/** Calls and questions of the turn end with it. */
function closeWork(state: SessionState, turn_id: string, ending: Ending): Draft[] {
  const reason = ending.status === "completed" ? "The turn ended." : ending.reason
  const calls = openCalls(state, turn_id).map((call) => {
    if (ending.status === "failed" && hasBegun(call))
      return failCall(state, call, "outcome_unknown", "The runtime stopped during this call.", lookFirst)
    if (interruption(ending) === "runtime_restart")
      return failCall(state, call, "runtime_restart", "The runtime stopped before this call began.")
    return failCall(state, call, ending.status === "timed_out" ? "time_limit" : "interrupted", reason)
  })
  return [...cancelWaits(state, turn_id, reason), ...calls]
}

export const lookFirst = "Look whether its effect is there before it is done again."

function cutOff(state: SessionState, request: ModelRequest, ending: Ending): Draft[] {
  const reason = ending.status === "completed" ? "The turn ended." : ending.reason
  return failedRequest(state, request, { category: interruption(ending), reason, retryable: false })
}

type RequestFailure = {
  category: "provider_error" | "rate_limited" | "malformed" | Interruption
  reason: string
  retryable: boolean
}

/** What was streamed stays, as partial output; what was spent is counted, though nobody said how much. */
export function failedRequest(
  state: SessionState,
  request: ModelRequest,
  { category, reason, retryable }: RequestFailure,
): Draft[] {
  const { request_id, step_id, turn_id, parts } = request
  const payload = { request_id, category, reason, retryable, parts: [...parts], ...superseded(request) }
  const scope = { ...scopeOf(state, turn_id), step_id }
  const spent = costUnknown(state, request, outcomes[category] ?? "failed")
  return [
    { type: "model.failed", ...scope, payload },
    { ...spent, ...scope },
  ]
}

const outcomes: Readonly<Record<string, "cancelled" | "unknown">> = {
  interrupted: "cancelled",
  runtime_restart: "unknown",
}

export function superseded({ first_delta: from, last_delta: to }: ModelRequest) {
  return from === undefined || to === undefined ? {} : { supersedes: { from, to } }
}

/** The thread goes idle, and the first queued turn leaves the queue to be started. */
function afterTurn(state: SessionState, scope: { session_id: string; thread_id: string }): Draft[] {
  const { session_id, thread_id } = scope
  const thread = state.entities.threads[thread_id]
  const facts: Draft[] = []
  if (thread?.status === "active" || thread?.status === "waiting" || thread?.status === "blocked") {
    facts.push({
      type: "thread.updated",
      session_id,
      thread_id,
      payload: { status: "idle", previous: thread.status, reason: "turn ended" },
    })
  }
  const { order, policy } = queueOf(state, thread_id)
  const next = order[0]
  if (next === undefined || policy === "paused") return facts
  const payload = {
    change: "dequeued" as const,
    queued_turn_id: next.queued_turn_id,
    order: order.slice(1),
    policy,
  }
  return [...facts, { type: "queue.changed", session_id, thread_id, payload }]
}

type Interruption = "interrupted" | "runtime_restart" | "cut_stream" | "time_limit"

function interruption(ending: Ending): Interruption {
  if (ending.status === "cancelled") return "interrupted"
  if (ending.status === "timed_out") return "time_limit"
  if (ending.status === "failed" && ending.category === "runtime_restart") return "runtime_restart"
  return "cut_stream"
}

type TurnScope = { session_id: string; thread_id: string; turn_id: string }

function status(scope: TurnScope, phase: WorkState, title: string, detail: string): Draft {
  return { type: "run.status", ...scope, payload: { phase, title, detail, checkpoints: [], metadata: {} } }
}

export function scopeOf(state: SessionState, turn_id: string): TurnScope {
  const session_id = Object.keys(state.entities.sessions)[0] ?? ""
  return { session_id, thread_id: state.entities.turns[turn_id]?.thread_id ?? "", turn_id }
}
