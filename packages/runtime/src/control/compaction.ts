import { type SessionState, turnEnded } from "@factum/facts"
import type { Boundary } from "../context/boundary.ts"
import { type Passage, type Range, rangeOf } from "../context/passages.ts"
import type { Draft } from "../decision.ts"
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
  return [{ type: "context.compaction.failed", session_id, thread_id, payload }]
}
