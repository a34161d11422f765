import type { AvailablePorts } from "../ports.ts"
import type { AgentUiState } from "../state.ts"
import type { SurfaceName } from "../taxonomy.ts"
import { surfaceTable, type ViewOf } from "./index.ts"
import { kept, sameItems, share } from "./memo.ts"
import { portsNow, queuedTurns, staleness } from "./standing.ts"
import type { Read, Surface, View, ViewScope } from "./view.ts"

/** Views of one state over time: an event makes anew only those that read what it changed. */
export type Views = {
  of<S extends SurfaceName>(
    surface: S,
    state: AgentUiState,
    scope: ViewScope,
    ports: AvailablePorts,
  ): ViewOf<S>
}
type Made = { inputs: readonly unknown[]; view: View }

/** How many scopes of a surface are remembered: more than are ever on one screen. */
const scopesKept = 64

export function createViews(onMade?: (surface: SurfaceName) => void): Views {
  const made = new Map<string, Made>()

  function make(name: SurfaceName, state: AgentUiState, scope: ViewScope, ports: AvailablePorts): View {
    const surface: Surface<View> = surfaceTable[name]
    const key = JSON.stringify([
      name,
      scope.sessionId,
      scope.runId,
      scope.agentId,
      scope.artifactId,
      scope.window,
    ])
    const last = made.get(key)
    const inputs = inputsOf(surface, state, scope, ports)
    if (last && sameItems(last.inputs, inputs)) return last.view
    onMade?.(name)
    const view = share(last?.view, surface.select(state, scope, portsNow(state, scope, ports)))
    made.delete(key)
    made.set(key, { inputs, view })
    if (made.size > scopesKept * Object.keys(surfaceTable).length)
      made.delete(made.keys().next().value ?? key)
    return view
  }

  // The table pairs each name with its view, which the compiler cannot follow through a key.
  return { of: (name, state, scope, ports) => make(name, state, scope, ports) as ViewOf<typeof name> }
}

function inputsOf(
  surface: Surface<View>,
  state: AgentUiState,
  scope: ViewScope,
  ports: AvailablePorts,
): unknown[] {
  const session = scope.sessionId === undefined ? undefined : state.sessions.get(scope.sessionId)
  return [
    ports,
    surface.timed && scope.now,
    lineage(state.sessions),
    ...(session
      ? [
          session.hydrating,
          session.hydrated,
          session.blockedReason,
          session.closed,
          staleness(state, session),
        ]
      : []),
    // The newest run of a session, its threads and what lies before its window come with the session.
    session?.runIds,
    session?.threadIds,
    session && waiting(state.queues),
    ...surface.reads.map((read) => readOf(state, read)),
    ...(surface.inputs?.(state, scope) ?? []),
  ]
}

const readOf = (state: AgentUiState, read: Read): unknown =>
  read === "gaps" ? gaps(state.streams) : state[read]

const gaps = kept((streams: AgentUiState["streams"]): string => {
  const found: string[] = []
  for (const { stream, gap, waiting } of streams.values()) {
    if (gap) found.push(`${stream} ${gap.from} ${gap.to} ${waiting}`)
  }
  return found.join("\n")
})

/** Which turns wait in a queue: they decide which run is the active one. */
const waiting = kept((queues: AgentUiState["queues"]): string => [...queuedTurns(queues)].join("\n"))

/** Which session lies below which, as one comparable text. */
const lineage = kept((sessions: AgentUiState["sessions"]): string => {
  const links: string[] = []
  for (const { sessionId, parentSessionId } of sessions.values()) {
    if (parentSessionId !== undefined) links.push(`${sessionId} ${parentSessionId}`)
  }
  return links.join("\n")
})
