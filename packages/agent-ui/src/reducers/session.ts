import { emptyChain, push } from "../chain.ts"
import { change, type Draft, open, supply } from "../draft.ts"
import { given } from "../given.ts"
import type { SessionEntity } from "../state.ts"
import { lookUp } from "../table.ts"
import type { Reducers } from "./index.ts"
import { leave } from "./leave.ts"

/** Where facts go whose session was not said. */
export const noSession = "unknown"

/** The session of the event: said, or that of its run, or its thread. */
export function sessionIdOf(draft: Draft): string {
  const { sessionId, runId, threadId } = draft.event
  if (sessionId !== undefined) return sessionId
  const run = lookUp(draft.state.runs, runId)
  return run?.origin.sessionId ?? threadId ?? noSession
}

/** The entry of a session that an event names, made when it is new. */
export function openSession(draft: Draft, sessionId: string): SessionEntity {
  const known = change(draft, "sessions", sessionId)
  const session = known ?? open(draft, "sessions", sessionId, (base) => firstSession(base, sessionId))
  const { threadId, parentSessionId, parentThreadId } = draft.event
  if (threadId !== undefined && !session.threadIds.includes(threadId)) {
    session.threadIds = [...session.threadIds, threadId]
  }
  // A session is not its own child: the coordinator's events may name it as the parent of others.
  if (parentSessionId !== undefined && parentSessionId !== sessionId) {
    session.parentSessionId = parentSessionId
    if (parentThreadId !== undefined) session.parentThreadId = parentThreadId
  }
  return session
}

function firstSession(base: Pick<SessionEntity, "origin" | "opened">, sessionId: string): SessionEntity {
  return {
    ...base,
    sessionId,
    unread: 0,
    pinned: false,
    closed: false,
    stale: false,
    hydrated: 0,
    hydrating: false,
    threadIds: [],
    runIds: emptyChain(),
    messageIds: emptyChain(),
  }
}

export function addRun(draft: Draft, runId: string): void {
  const session = openSession(draft, sessionIdOf(draft))
  session.runIds = push(session.runIds, runId, draft.edit)
}

const changed = (draft: Draft, payload: object): SessionEntity => {
  const { sessionId = draft.event.threadId ?? noSession } = draft.event
  openSession(draft, sessionId)
  const session = open(draft, "sessions", sessionId, (base) => firstSession(base, sessionId))
  supply(session, payload)
  return session
}

export const sessionReducers: Reducers<
  "session.opened" | "session.hydrated" | "session.updated" | "session.closed"
> = {
  "session.opened": (draft, payload) => {
    const session = changed(draft, payload)
    session.closed = false
    if (draft.event.phase === "hydrating") session.hydrating = true
  },
  "session.hydrated": (draft, payload) => {
    const session = changed(draft, {
      cursor: payload.cursor,
      earlier: payload.earlier,
      window: payload.window,
    })
    // Older history may come after the last step.
    if (payload.window !== undefined && payload.earlier === undefined) delete session.earlier
    const { step } = payload
    if (step !== undefined && step > session.hydrated) session.hydrated = step
    session.hydrating = step !== undefined && step < 4
  },
  "session.updated": (draft, payload) => {
    const { stale, left, ...rest } = payload
    const session = changed(draft, rest)
    if (left !== undefined) {
      const { threadId } = draft.event
      const told = { ...given({ threadId }), ...left }
      session.left = [...(session.left ?? []), told]
      leave(draft, session.sessionId, told)
    }
    if (stale !== undefined) session.stale = stale
    const { unread } = payload
    if (unread !== undefined) session.unread = unread
  },
  "session.closed": (draft, payload) => {
    changed(draft, payload).closed = true
  },
}
