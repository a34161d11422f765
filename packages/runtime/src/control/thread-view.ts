import { type ModelRequest, requestEnded, type SessionState, type Turn, turnEnded } from "@factum/facts"
import { type Given, type Refused, reject } from "../decision.ts"

/** The turn that holds the thread: submitted, not ended, and not waiting in the queue. */
export function activeTurn(state: SessionState, thread_id: string): Turn | undefined {
  const waiting = new Set(queueOf(state, thread_id).order.map((entry) => entry.turn_id))
  return Object.values(state.entities.turns).find(
    (turn) => turn.thread_id === thread_id && !turnEnded(turn) && !waiting.has(turn.turn_id),
  )
}

export function queueOf(state: SessionState, thread_id: string) {
  return state.entities.queues[thread_id] ?? { thread_id, order: [], policy: "fifo" as const, left: {} }
}

export function openRequests(state: SessionState, turn_id: string): ModelRequest[] {
  return Object.values(state.entities.modelRequests).filter(
    (request) => request.turn_id === turn_id && !requestEnded(request),
  )
}

const kindFields = {
  thread: "thread_id",
  turn: "turn_id",
  queued: "queued_turn_id",
  action: "action_id",
  process: "process_id",
  request: "request_id",
  channel: "channel_id",
} as const

/** Refuses an id that lives in another session or thread, or nowhere. */
export function misplaced(
  given: Given,
  id: string,
  field: (typeof kindFields)[keyof typeof kindFields],
  scope: { session_id: string; thread_id?: string | undefined },
): Refused | undefined {
  const place = given.place(id)
  if (place === undefined || kindFields[place.kind] !== field)
    return reject("not_found", `No ${field} ${id} is known.`, { field, id })
  const foreign =
    place.session_id !== scope.session_id ||
    (scope.thread_id !== undefined && place.thread_id !== scope.thread_id)
  if (!foreign) return undefined
  return reject("scope_mismatch", `${id} does not belong to the session and thread that were named.`, {
    field,
    id,
  })
}
