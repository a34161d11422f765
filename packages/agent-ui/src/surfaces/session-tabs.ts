import type { AgentUiState, SessionEntity } from "../state.ts"
import type { RunState } from "../words.ts"
import { isAsking } from "../words.ts"
import { aim } from "./offer.ts"
import { runState } from "./runtime-status.ts"
import { assemble, lastRun, ready, said, staleness } from "./standing.ts"
import { tally } from "./tally.ts"
import { type Known, known, type Mark, type Surface, type View } from "./view.ts"
import { given, picked, type Who } from "./who.ts"

export type SessionTab = Mark & {
  sessionId: string
  title: Known<string>
  status: Known<string>
  active: boolean
  pinned: boolean
  /** How many are new; `true` when only that there are some is known. */
  unread: number | boolean
  stale: boolean
  hydrated: number
  hydrating: boolean
  closed: boolean
  running: boolean
  run: RunState
  needsYou: number
  /** The teammate whose session it is, with its status. */
  teammate?: Pick<Who, "name" | "agentId"> & { status: Known<string> }
  parentSessionId?: string
  parentThreadId?: string
  at?: string
}
export type SessionTabsView = View & {
  tabs: readonly SessionTab[]
  running: number
  unread: number
  stale: number
  needsYou: number
}

export const sessionTabs: Surface<SessionTabsView> = {
  reads: ["sessions", "runs", "actions", "agents", "gaps", "local"],
  select(state, _scope, ports) {
    const asked = pendingBySession(state)
    const owners = new Map([...state.agents.values()].map((agent) => [agent.childSessionId, agent]))
    const tabs = [...state.sessions.values()].map((session): SessionTab => {
      const agent = owners.get(session.sessionId)
      const { sessionId } = session
      const run = lastRun(state, session)
      const mark = markOf(state, session)
      const active = state.local.activeSessionId === sessionId
      const told = asked.get(sessionId) ?? 0
      return {
        ...picked(session, "sessionId", "pinned", "unread", "hydrated", "hydrating", "closed"),
        ...picked(session, "parentSessionId", "parentThreadId"),
        ...mark,
        title: known(session.title),
        status: known(session.status),
        active,
        stale: mark.state === "stale",
        running: run !== undefined && !run.ended,
        run: run ? runState(run) : "idle",
        // Only the session in front is followed; of the others the list knows better.
        needsYou: active ? told : (session.openActions ?? told),
        ...given({ at: session.origin.timestamp }),
        ...(agent && {
          teammate: { agentId: agent.agentId, name: known(agent.agentName), status: known(agent.status) },
        }),
      }
    })
    tabs.sort((a, b) => Number(b.pinned) - Number(a.pinned))
    const count = (is: (tab: SessionTab) => boolean) => tabs.filter(is).length
    return assemble(
      "session_tabs",
      { state, scope: {}, ports },
      {
        has: tabs.length > 0,
        marks: activeMark(tabs),
        aims: { open_detail: aim(tabs.length > 0, "session.read") },
      },
      {
        tabs,
        running: count((tab) => tab.running),
        unread: count((tab) => tab.unread !== false && tab.unread !== 0),
        stale: count((tab) => tab.stale),
        needsYou: tabs.reduce((sum, tab) => sum + (tab.parentSessionId === undefined ? tab.needsYou : 0), 0),
      },
    )
  },
}

/** The bar as a whole stands as the session in front does; the others carry their own marks. */
const activeMark = (tabs: readonly SessionTab[]) => tabs.filter(({ active }) => active)

function markOf(state: AgentUiState, session: SessionEntity): Mark {
  const stale = staleness(state, session)
  if (stale) return { state: "stale", reason: stale }
  if (session.blockedReason !== undefined) return said("blocked", session.blockedReason)
  return session.title === undefined && session.status === undefined
    ? { state: "unknown", reason: "not_reported" }
    : ready
}

/** Requests are counted where their answer goes up to: the session that a person opens, above all others. */
function pendingBySession(state: AgentUiState): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { state: at, origin } of state.actions.values()) {
    if (!isAsking(at)) continue
    const home = topOf(state, origin.parentSessionId ?? origin.sessionId)
    if (home !== undefined) tally(counts, home)
  }
  return counts
}

function topOf({ sessions }: AgentUiState, below: string | undefined): string | undefined {
  let top = below
  for (let depth = 0; top !== undefined && depth < 32; depth++) {
    const above = sessions.get(top)?.parentSessionId
    if (above === undefined) return top
    top = above
  }
  return top
}
