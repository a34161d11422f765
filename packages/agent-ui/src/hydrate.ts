import { addFinding, change } from "./draft.ts"
import { normalize } from "./normalize.ts"
import { isRecord } from "./record.ts"
import { applyOne, declareStream, draftOf } from "./reduce.ts"
import { openSession } from "./reducers/session.ts"
import type { AgentUiState } from "./state.ts"
import type { AgentUiStore } from "./store.ts"

/** 1 shell, 2 recent messages, 3 what is current, 4 compact references, 5 details on demand. */
export type HydrationStep = 1 | 2 | 3 | 4 | 5
export type HydrationPage = {
  /** What the step knows, as events; their order is the order of the page. */
  events: readonly unknown[]
  /** The position in the log at which the page was read. */
  position?: { stream: string; sequence: number }
  cursor?: string
  /** The cursor to what is older, when there is more. */
  earlier?: string
}
/** Which visit to a session a result belongs to. */
export type Activation = { sessionId: string; activation: number }

/** The person goes to a session: results that were asked for before no longer count. */
export function activate(state: AgentUiState, sessionId: string): AgentUiState {
  return draftOf(state, (draft) => {
    const { local } = state
    draft.state.local = { ...local, activeSessionId: sessionId, activation: local.activation + 1 }
    draft.event = { type: "session.opened", sessionId }
    const session = openSession(draft, sessionId)
    if (session.hydrated < 4) session.hydrating = true
  })
}

export function activationOf({ local }: AgentUiState): Activation | undefined {
  const { activeSessionId, activation } = local
  return activeSessionId === undefined ? undefined : { sessionId: activeSessionId, activation }
}

const isCurrent = ({ local }: AgentUiState, visit: Activation) =>
  local.activation === visit.activation && local.activeSessionId === visit.sessionId

/** Applies one step of one visit. A late one, and one that comes before its turn, changes nothing at all. */
export function applyStep(
  state: AgentUiState,
  visit: Activation,
  step: HydrationStep,
  page: HydrationPage,
): AgentUiState {
  if (!isCurrent(state, visit)) return state
  const reached = state.sessions.get(visit.sessionId)?.hydrated ?? 0
  if (step > reached + 1) return state
  const { position } = page
  const applied = draftOf(state, (draft) => {
    if (position) draft.asOf = position.sequence
    for (const event of page.events) {
      const placed = isRecord(event) ? { sessionId: visit.sessionId, ...event } : event
      const normal = normalize(placed)
      applyOne(draft, normal, undefined, normal.event?.sequence ?? position?.sequence)
    }
    const session = change({ ...draft, asOf: Number.POSITIVE_INFINITY }, "sessions", visit.sessionId)
    if (!session) return
    if (step > session.hydrated) session.hydrated = step
    session.hydrating = session.hydrated < 4
    if (page.cursor !== undefined) session.cursor = page.cursor
    if (page.earlier !== undefined) session.earlier = page.earlier
    else if (step === 5) delete session.earlier
  })
  // Live frames wait until the whole picture of that position is there, then those after it follow.
  return position && step >= 4
    ? declareStream(applied, position.stream, { applied: position.sequence })
    : applied
}

export type HydrationPort = {
  step(sessionId: string, step: 1 | 2 | 3 | 4, signal: AbortSignal): Promise<HydrationPage>
}
export type Hydrator = {
  /** Goes to a session and fills it in, step by step; resolves when it is filled or was left. */
  open(sessionId: string): Promise<void>
}

/** Fetches and applies the steps in order; leaving a session ends its requests. */
export function createHydrator(store: AgentUiStore, port: HydrationPort): Hydrator {
  let going: AbortController | undefined
  const fetchStep = async (visit: Activation, step: 1 | 2 | 3 | 4, signal: AbortSignal) => {
    try {
      const got = await port.step(visit.sessionId, step, signal)
      store.update((state) => applyStep(state, visit, step, got))
    } catch (error) {
      store.update((state) => failStep(state, visit, step, error))
    }
    return isCurrent(store.getSnapshot(), visit)
  }
  return {
    open: async (sessionId) => {
      going?.abort()
      going = new AbortController()
      const { signal } = going
      store.update((state) => activate(state, sessionId))
      const visit = activationOf(store.getSnapshot())
      if (!visit) return
      for (const step of [1, 2, 3, 4] as const) {
        const session = store.getSnapshot().sessions.get(sessionId)
        if (session && session.hydrated >= step) continue
        if (!(await fetchStep(visit, step, signal))) return
        if (store.getSnapshot().sessions.get(sessionId)?.stale) return
      }
    },
  }
}

/** What was filled in so far stays, marked as stale. */
function failStep(state: AgentUiState, visit: Activation, step: number, error: unknown): AgentUiState {
  if (!isCurrent(state, visit)) return state
  return draftOf(state, (draft) => {
    const why = error instanceof Error ? error.message : String(error)
    const message = `Step ${step} of opening the session failed: ${why.slice(0, 200)}`
    addFinding(draft, { code: "hydration_failed", message, id: visit.sessionId })
    const session = change(draft, "sessions", visit.sessionId)
    if (session) Object.assign(session, { stale: true, hydrating: false })
  })
}
