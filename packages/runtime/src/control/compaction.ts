import { type SessionState, type SummaryRequest, turnEnded } from "@factum/facts"
import type { Boundary } from "../context/boundary.ts"
import { type Passage, type Range, rangeOf } from "../context/passages.ts"
import type { Draft } from "../decision.ts"
import { costUnknown } from "./spent.ts"
import { activeTurn } from "./thread-view.ts"

export type Wanted = {
  cause: string
  /** What stays word for word, in tokens. */
  keep: number
  /** Whether the calls that the active turn's last answer asked for have all ended. */
  settled: boolean
}

export type Compacting = { compaction_id: string; thread_id: string; range: Range; before?: Boundary }

export const compactingIn = (state: SessionState, thread_id: string): string | undefined =>
  state.entities.contexts[thread_id]?.compacting

/** What of the thread is to be summed up; nothing when there is nothing that may be. */
export function compactionRange(
  state: SessionState,
  thread_id: string,
  passages: readonly Passage[],
  after: number,
  { keep, settled }: Wanted,
): Range | undefined {
  return rangeOf(passages, { after, keep, end: settled ? state.sequence : lastSettled(state, thread_id) })
}

/** What a turn is still working on is not summed up. */
function lastSettled(state: SessionState, thread_id: string): number {
  const turn = activeTurn(state, thread_id)
  if (turn === undefined || turnEnded(turn)) return state.sequence
  const asked = Object.values(state.entities.modelRequests).filter(({ turn_id }) => turn_id === turn.turn_id)
  return Math.min(
    state.sequence,
    ...asked
      .map(({ opened }) => opened)
      .slice(-1)
      .map((opened) => opened - 1),
  )
}

export function compactionStarted(
  session_id: string,
  { compaction_id, thread_id, range }: Compacting,
  cause: string,
): Draft {
  const { from, to } = range
  const payload = { compaction_id, cause, from, to }
  return { type: "context.compaction.started", session_id, thread_id, payload }
}

/** The old context stays in force. */
export function compactionFailed(
  state: SessionState,
  thread_id: string,
  compaction_id: string,
  cause: string,
): Draft[] {
  if (compactingIn(state, thread_id) !== compaction_id) return []
  const [session_id = ""] = Object.keys(state.entities.sessions)
  const payload = { compaction_id, cause }
  const cut = openSummaries(state, (one) => one.compaction_id === compaction_id)
  return [
    ...cut.flatMap((one) => summaryCutOff(state, one, "runtime_restart", cause)),
    { type: "context.compaction.failed", session_id, thread_id, payload },
  ]
}

export const openSummaries = (
  state: SessionState,
  which: (request: SummaryRequest) => boolean,
): SummaryRequest[] =>
  Object.values(state.entities.summaryRequests).filter((request) => !request.ended && which(request))

type Category = "provider_error" | "interrupted" | "runtime_restart" | "cut_stream" | "time_limit"

/** Its end, with a cost that nobody said. */
export function summaryCutOff(
  state: SessionState,
  request: SummaryRequest,
  category: Category,
  reason: string,
): Draft[] {
  const outcome = category === "interrupted" ? "cancelled" : "unknown"
  const failed = summaryFailed(state, request, category, reason)
  return [failed, { ...costUnknown(state, request, outcome), ...placeOf(state, request) }]
}

export function summaryFailed(
  state: SessionState,
  request: SummaryRequest,
  category: Category,
  reason: string,
): Draft {
  const { request_id, compaction_id } = request
  const payload = { request_id, category, reason, retryable: false, parts: [], compaction_id }
  return { type: "model.failed", ...placeOf(state, request), payload }
}

function placeOf(state: SessionState, { thread_id, turn_id, step_id }: SummaryRequest) {
  const [session_id = ""] = Object.keys(state.entities.sessions)
  return { session_id, thread_id, turn_id, step_id }
}
