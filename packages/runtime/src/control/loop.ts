import type { SessionState, WorkState } from "@factum/facts"
import { canMove } from "@factum/facts"
import type { Draft } from "../decision.ts"
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

/** A change of phase, or nothing when the work is in that phase already or may not enter it. */
export function moveTo(
  state: SessionState,
  turn_id: string,
  phase: WorkState,
  title: string,
  detail: string,
): Draft[] {
  const now = state.entities.runs[turn_id]?.phase ?? "accepted"
  if (now === phase || now === "unknown" || !canMove(now, phase, "turn")) return []
  const payload = { phase, title, detail, checkpoints: [], metadata: {} }
  return [{ type: "run.status", ...scopeOf(state, turn_id), payload }]
}

/** Everything that ends with the turn, in one batch: open streams, the turn, the thread, the next in the queue. */
export function endTurn(state: SessionState, turn_id: string, ending: Ending): Draft[] {
  const scope = scopeOf(state, turn_id)
  const facts: Draft[] = []
  for (const request of openRequests(state, turn_id)) {
    const { first_delta: from, last_delta: to } = request
    facts.push({
      type: "model.failed",
      ...scope,
      step_id: request.step_id,
      payload: {
        request_id: request.request_id,
        category: interruption(ending),
        reason: ending.status === "completed" ? "The turn ended." : ending.reason,
        retryable: false,
        parts: [...request.parts],
        ...(from === undefined || to === undefined ? {} : { supersedes: { from, to } }),
      },
    })
  }
  const streaming = state.entities.runs[turn_id]?.phase === "streaming"
  if (streaming && ending.status === "completed") facts.push(status(scope, "running", "Finishing", ""))
  facts.push(status(scope, ending.status, endTitles[ending.status], ending.status === "completed" ? "" : ending.reason))
  if (ending.status === "completed") {
    facts.push({ type: "turn.completed", ...scope, payload: { outcome: ending.outcome } })
  } else {
    facts.push({ type: "turn.failed", ...scope, payload: ending })
  }
  return [...facts, ...afterTurn(state, scope)]
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
  const payload = { change: "dequeued" as const, queued_turn_id: next.queued_turn_id, order: order.slice(1), policy }
  return [...facts, { type: "queue.changed", session_id, thread_id, payload }]
}

function interruption(ending: Ending): "interrupted" | "runtime_restart" | "cut_stream" | "time_limit" {
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
