import {
  type AgentUiState,
  type AvailablePorts,
  controlPorts,
  createViews,
  emptyState,
  type PortName,
  reduce,
  type SurfaceName,
  type View,
  type ViewOf,
  type ViewScope,
} from "@factum/agent-ui"
import { fromRuntime } from "@factum/agent-ui/adapters/runtime"
import type { Envelope } from "@factum/facts"
import type { GalleryChoice, Staged } from "./choice.ts"
import { crowd } from "./crowd.ts"

/** A recorded trace, as the gallery's server has it. */
export type Trace = { name: string; facts: readonly Envelope[] }

export async function loadTrace(name: string): Promise<Trace> {
  if (name === crowd.name) return crowd
  const answer = await fetch(`/traces/${encodeURIComponent(name)}/events.jsonl`)
  if (!answer.ok) throw new Error(`There is no trace ${name}. Choose one of the list.`)
  const lines = (await answer.text()).split("\n").filter((line) => line !== "")
  // The traces are our own records, checked against their schema by the conformance tests.
  return { name, facts: lines.map((line) => JSON.parse(line) as Envelope) }
}

export async function loadNames(): Promise<string[]> {
  const answer = await fetch("/traces/")
  const names: unknown = await answer.json()
  return [...(Array.isArray(names) ? names.map(String) : []), crowd.name]
}

const allPorts: AvailablePorts = new Set<PortName>(Object.values(controlPorts).flat())
const noPorts: AvailablePorts = new Set()

export type Staging = {
  view: View
  /** The view of another surface in the same state. */
  beside: <S extends SurfaceName>(surface: S) => ViewOf<S>
  state: AgentUiState
  sessionId: string
  agents: readonly string[]
}

/** The view of a surface over a trace, brought into the state that is asked for. */
export function stage({ facts }: Trace, choice: GalleryChoice): Staging {
  const { surface, agent } = choice
  const sessionId = facts[0]?.session_id ?? "ses_gallery"
  const state = stateOf(facts.slice(0, choice.at), sessionId, choice.state)
  const agents = [...state.agents.values()]
  const agentId = agent ?? agents.find(({ childSessionId }) => childSessionId !== undefined)?.agentId
  const artifactId =
    choice.artifact ??
    [...state.artifacts.values()].toSorted((a, b) => b.versions.length - a.versions.length)[0]?.artifactId
  const now = facts.at(-1)?.timestamp
  const scope: ViewScope = {
    sessionId: choice.state === "unknown" ? "ses_nobody_told_of" : sessionId,
    ...(agentId !== undefined && { agentId }),
    ...(artifactId !== undefined && { artifactId }),
    ...(now !== undefined && { now }),
  }
  const views = createViews()
  const beside = <S extends SurfaceName>(name: S): ViewOf<S> => {
    const view = views.of(name, state, scope, choice.ports === "all" ? allPorts : noPorts)
    return choice.state === "unavailable" ? { ...view, ...unavailable } : view
  }
  return {
    view: beside(surface),
    beside,
    state,
    sessionId,
    agents: agents.map(({ agentId: id }) => id),
  }
}

const unavailable = { state: "unavailable", reason: "ref_unavailable" } as const

function stateOf(facts: readonly Envelope[], sessionId: string, staged: Staged): AgentUiState {
  const told = { sessionId, timestamp: facts[0]?.timestamp }
  const opened = { ...told, type: "session.opened", payload: { title: "Gallery" } }
  switch (staged) {
    case "empty":
    case "unavailable":
      return reduce(emptyState(), [opened])
    case "loading":
      return reduce(emptyState(), [{ ...opened, phase: "hydrating" }])
    case "unknown":
      return emptyState()
  }
  const state = reduce(emptyState(), facts.map(fromRuntime))
  const change = (payload: object) => reduce(state, [{ ...told, type: "session.updated", payload }])
  if (staged === "stale") return change({ stale: true })
  return staged === "blocked"
    ? change({ blockedReason: "The workspace is locked by an administrator" })
    : state
}
