import { setImmediate as nextTurn } from "node:timers/promises"
import { type Envelope, forgetsAfter, Recollection, type SessionState } from "@factum/facts"
import type { FactLog } from "./ports/log.ts"

/** What a session's state has let go of, read from the log. */
export type Recall = {
  /** Reads ahead page by page, so that other sessions go on meanwhile. */
  prepare(state: SessionState, after: number): Promise<void>
  /** The state with all turns, requests and calls after this sequence, and what they led to. */
  since(state: SessionState, after: number): SessionState
}

const pageSize = 256
/** How many sessions are kept in mind; those not asked for longest go first. */
const mostKept = 8

export function createRecall(log: Pick<FactLog, "read">): Recall {
  const kept = new Map<string, Recollection>()

  function of(state: SessionState): { session_id: string; recollection: Recollection } {
    const [session_id = ""] = Object.keys(state.entities.sessions)
    const recollection = kept.get(session_id) ?? new Recollection()
    kept.delete(session_id)
    kept.set(session_id, recollection)
    for (const oldest of kept.keys()) if (kept.size > mostKept) kept.delete(oldest)
    return { session_id, recollection }
  }

  /** Whether there may be more. */
  function read(session_id: string, recollection: Recollection): boolean {
    const page = log.read(session_id, recollection.sequence, pageSize)
    for (const { text } of page) recollection.add(JSON.parse(text) as Envelope)
    return page.length > 0
  }

  return {
    async prepare(state, after) {
      if (!forgetsAfter(state, after)) return
      const { session_id, recollection } = of(state)
      while (recollection.sequence < state.sequence && read(session_id, recollection)) await nextTurn()
    },
    since(state, after) {
      if (!forgetsAfter(state, after)) return state
      const { session_id, recollection } = of(state)
      while (recollection.sequence < state.sequence && read(session_id, recollection));
      return recollection.within(state)
    },
  }
}
