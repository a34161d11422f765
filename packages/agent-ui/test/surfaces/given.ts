import {
  type AgentUiState,
  type AvailablePorts,
  availablePorts,
  controlPorts,
  createViews,
  declareStream,
  emptyState,
  type PortName,
  reduce,
  type SurfaceName,
  type ViewOf,
  type ViewScope,
} from "../../src/index.ts"

/** Every port that a control may use. */
export const allPorts: AvailablePorts = new Set<PortName>(Object.values(controlPorts).flat())
export const noPorts = availablePorts({})

type Loose = { type: string; payload?: object } & Record<string, unknown>

/** Facts of session `s1`, thread `t1`, run `r1`, one after the other, a second apart. */
export function fact(type: string, payload: object = {}, more: Record<string, unknown> = {}): Loose {
  return { type, sessionId: "s1", threadId: "t1", runId: "r1", payload, ...more }
}
/** The same outside any run. */
export function told(type: string, payload: object = {}, more: Record<string, unknown> = {}): Loose {
  return { type, sessionId: "s1", threadId: "t1", payload, ...more }
}

export function given(...events: readonly Loose[]): AgentUiState {
  return after(emptyState(), ...events)
}
export function after(state: AgentUiState, ...events: readonly Loose[]): AgentUiState {
  const timed = events.map((event, index) => ({ timestamp: at(state.revision * 100 + index), ...event }))
  return reduce(state, timed)
}
export const at = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString()

export function see<S extends SurfaceName>(
  surface: S,
  state: AgentUiState,
  scope: ViewScope = { sessionId: "s1" },
  ports: AvailablePorts = allPorts,
): ViewOf<S> {
  return createViews().of(surface, state, scope, ports)
}

export const opened = told("session.opened", { title: "Fix login", status: "active" })
export const started = fact("run.started", {}, { phase: "accepted" })

/** The stream of `s1` misses its second event. */
export function withGap(state: AgentUiState): AgentUiState {
  const declared = declareStream(state, "s1", { kind: "contiguous", applied: 1 })
  return reduce(declared, [{ stream: "s1", sequence: 3, events: [] }])
}
