import type { AgentUiState } from "@factum/agent-ui"
import { useAgentUi } from "@factum/agent-ui/react"
import { useCallback } from "react"
import { usePage, useShell } from "../client/page.ts"
import { useWords } from "../i18n/words.ts"
import { Button } from "../ui/Button.tsx"

/** An address may name what is not here: the page says so, and shows what it has. */
export function Missing() {
  const words = useWords()
  const page = usePage()
  const { place, connection } = useShell()
  const { session, pane, item, at, lost } = place
  const isRead = connection.state === "live"
  const named = item ?? at
  const has = useAgentUi(
    page.bound.store,
    useCallback(
      (state: AgentUiState) => session === undefined || named === undefined || isHere(state, session, named),
      [session, named],
    ),
  )
  const text =
    lost !== undefined
      ? words.noSuchPane(lost)
      : isRead && !has && named !== undefined
        ? words.noSuchFact(named)
        : undefined
  if (text === undefined || session === undefined) return null
  return (
    <div
      role="status"
      data-missing
      className="bg-warn border-line flex items-center gap-2 border-b px-4 py-1"
    >
      <p className="min-w-0 flex-1 [overflow-wrap:anywhere]">{text}</p>
      <Button
        look="plain"
        className="bg-transparent"
        onClick={() => page.go({ session, ...(pane !== undefined && { pane }) }, true)}
      >
        {words.dismiss}
      </Button>
    </div>
  )
}

const tables = [
  "artifacts",
  "evidence",
  "tools",
  "runs",
  "messages",
  "actions",
  "tasks",
  "agents",
  "sessions",
  "plans",
  "handoffs",
  "reviews",
] as const satisfies readonly (keyof AgentUiState)[]

type Table = { get(id: string): { origin?: { sessionId?: string } } | undefined }

/** A line of a run is named by its kind or its run, and the id of what it is about. */
export function isHere(state: AgentUiState, session: string, named: string): boolean {
  const ids = [named, ...named.split(/[:/]/)].filter((id) => id !== "")
  const table = (name: (typeof tables)[number]): Table => state[name]
  if ([...state.diagnostics].some(({ diagnosticId }) => diagnosticId === named)) return true
  return tables.some((name) =>
    ids.some((id) => {
      const found = table(name).get(id)
      return found !== undefined && belongs(state, found.origin?.sessionId ?? session, session)
    }),
  )
}

function belongs(state: AgentUiState, of: string, session: string): boolean {
  for (let id: string | undefined = of, depth = 0; id !== undefined && depth < 32; depth++) {
    if (id === session) return true
    id = state.sessions.get(id)?.parentSessionId
  }
  return false
}
