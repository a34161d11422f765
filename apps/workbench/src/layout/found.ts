import type { AgentUiState } from "@factum/agent-ui"

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

type Found = { origin?: { sessionId?: string; runId?: string } }
type Table = { get(id: string): Found | undefined }

/** A line of a run is named by its kind or its run, and the id of what it is about. */
function named(state: AgentUiState, name: string): Found[] {
  const ids = [name, ...name.split(/[:/]/)].filter((id) => id !== "")
  const table = (one: (typeof tables)[number]): Table => state[one]
  return tables.flatMap((one) => ids.flatMap((id) => table(one).get(id) ?? []))
}

type Named = { item?: string | undefined; at?: string | undefined }

export function isHere(state: AgentUiState, session: string, { item, at }: Named): boolean {
  const name = item ?? at
  if (name === undefined) return true
  if ([...state.diagnostics].some(({ diagnosticId }) => diagnosticId === name)) return true
  // Of a turn that is older than what was read, there may be its cost or its end, and nothing to show.
  if (at !== undefined && state.runs.get(at)?.messageIds.length === 0) return false
  return named(state, name).some(({ origin }) => belongs(state, origin?.sessionId ?? session, session))
}

/** The run that something is a part of, as far as it is known. */
export const runNamed = (state: AgentUiState, name: string): string | undefined =>
  named(state, name).find(({ origin }) => origin?.runId !== undefined)?.origin?.runId

function belongs(state: AgentUiState, of: string, session: string): boolean {
  for (let id: string | undefined = of, depth = 0; id !== undefined && depth < 32; depth++) {
    if (id === session) return true
    id = state.sessions.get(id)?.parentSessionId
  }
  return false
}
