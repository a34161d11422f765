import {
  type CommandInput,
  type CommandResult,
  type Envelope,
  type SessionReadModels,
  type SessionState,
  sessionReadModels,
  sessionSnapshot,
  threadReadModel,
} from "@factum/facts"
import { misplaced } from "./control/thread-view.ts"
import { accept, type Decision, type Given, reject } from "./decision.ts"
import type { FactLog } from "./ports/log.ts"

const usualWindow = 200

export type SessionOpening = {
  read_models: SessionReadModels
  history: readonly Envelope[]
  next_cursor?: string
}

/** The snapshot and the window end at the same sequence, so that a reader can follow the stream from there. */
export function getSession(
  input: CommandInput<"get_session">,
  state: SessionState,
  log: FactLog,
): Decision<CommandResult<"get_session">> {
  const read = windowOf(input, state, log)
  if (!read.ok) return read
  const { history, older } = read.result
  // A copy: what a reader does to it must not reach the state.
  const snapshot = structuredClone(sessionSnapshot(state, { history_cursor: older.next_cursor ?? null }))
  return accept({ snapshot, history, ...older })
}

/** Everything that a client opens a session with, of one moment. */
export function openingOf(
  input: { session_id: string; limit?: number },
  state: SessionState,
  log: FactLog,
): Decision<SessionOpening> {
  const read = windowOf(input, state, log)
  if (!read.ok) return read
  const { history, older } = read.result
  const read_models = structuredClone(sessionReadModels(state, { history_cursor: older.next_cursor ?? null }))
  return accept({ read_models, history, ...older })
}

function windowOf(
  { session_id, before, limit = usualWindow }: CommandInput<"get_session">,
  state: SessionState,
  log: FactLog,
) {
  if (state.entities.sessions[session_id] === undefined) return noSession(session_id)
  const end = before === undefined ? state.sequence + 1 : cursorIn(before, session_id, state.sequence)
  if (end === undefined) {
    const message = "The cursor is not one that this session gave."
    return reject("bad_cursor", message, {
      field: "before",
      fix: "Leave it out to read from the newest fact.",
    })
  }
  const facts = log.readBefore(session_id, end, limit)
  const first = facts[0]?.sequence ?? 1
  const older = first > 1 ? { next_cursor: cursor(session_id, first) } : {}
  const history = facts.map((fact) => JSON.parse(fact.text) as Envelope)
  return accept({ history, older })
}

export function getThreadRead(
  { session_id, thread_id }: CommandInput<"get_thread_read">,
  state: SessionState,
  given: Given,
): Decision<CommandResult<"get_thread_read">> {
  if (state.entities.sessions[session_id] === undefined) return noSession(session_id)
  const wrong = misplaced(given, thread_id, "thread_id", { session_id })
  if (wrong !== undefined) return wrong
  return accept({ read_model: structuredClone(threadReadModel(state, thread_id)), sequence: state.sequence })
}

export function noSession(session_id: string) {
  return reject("not_found", `No session ${session_id} is known.`, { field: "session_id", id: session_id })
}

const cursor = (session_id: string, sequence: number): string => `${session_id}~${sequence}`

function cursorIn(text: string, session_id: string, head: number): number | undefined {
  const [session, digits = "", ...rest] = text.split("~")
  if (session !== session_id || rest.length > 0 || !/^[1-9]\d{0,15}$/.test(digits)) return undefined
  return Number(digits) <= head ? Number(digits) : undefined
}
