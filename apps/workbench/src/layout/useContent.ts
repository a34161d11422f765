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
  const has = (table: Iterable<{ origin: { sessionId?: string } }>) => {
    for (const { origin } of table) if (origin.sessionId === session) return true
    return false
  }
  if (has(state.artifacts.values())) return "artifact"
  if (has(boardOf(state))) return "board"
  if (has(state.handoffs.values())) return "handoffs"
  if (has(state.reviews.values())) return "reviews"
  return has(state.agents.values()) ? "graph" : undefined
}

const boardOf = (state: AgentUiState) =>
  [...state.tasks.values()].filter(({ workItemId }) => workItemId !== undefined)

/** What a session held when it was opened: what comes later moves nothing that a person is reading. */
export function useContentAtStart(): Pane | undefined {
  const { bound } = usePage()
  const { session } = useShell().place
  const now = useContent()
  const isRead = useAgentUi(
    bound.store,
    useCallback(
      (state) => {
        const known = session === undefined ? undefined : state.sessions.get(session)
        return known !== undefined && !known.hydrating
      },
      [session],
    ),
  )
  const start = useRef<{ session: string | undefined; content: Pane | undefined; isRead: boolean }>(undefined)
  if (start.current?.session !== session || !start.current?.isRead)
    start.current = { session, content: now, isRead }
  return start.current.content
}
