import type { AgentUiState } from "@factum/agent-ui"
import { useAgentUi } from "@factum/agent-ui/react"
import { useCallback, useRef } from "react"
import { usePage, useShell } from "../client/page.ts"
import type { Pane } from "./address.ts"

/** The pane in which the most telling of a session's facts lie; none while there is nothing but talk. */
export function useContent(): Pane | undefined {
  const { bound } = usePage()
  const { session } = useShell().place
  const select = useCallback((state: AgentUiState) => contentOf(state, session), [session])
  return useAgentUi(bound.store, select)
}

export function contentOf(state: AgentUiState, session: string | undefined): Pane | undefined {
  if (session === undefined) return undefined
  type Told = { origin: { sessionId?: string }; workItemId?: string }
  const has = (table: Iterable<Told>, fits: (one: Told) => boolean = () => true) => {
    for (const one of table) if (one.origin.sessionId === session && fits(one)) return true
    return false
  }
  if (has(state.artifacts.values())) return "artifact"
  if (has(state.tasks.values(), ({ workItemId }) => workItemId !== undefined)) return "board"
  if (has(state.handoffs.values())) return "handoffs"
  if (has(state.reviews.values())) return "reviews"
  return has(state.agents.values()) ? "graph" : undefined
}

/** What a session held when it was opened: what comes later moves nothing that a person is reading. */
export function useContentAtStart(): Pane | undefined {
  const { place, connection } = useShell()
  const { session } = place
  const now = useContent()
  // Before the page follows the session it has not read all of it.
  const isRead = connection.state === "live"
  const start = useRef<{ session: string | undefined; content: Pane | undefined; isRead: boolean }>(undefined)
  if (start.current?.session !== session || !start.current?.isRead)
    start.current = { session, content: now, isRead }
  return start.current.content
}
