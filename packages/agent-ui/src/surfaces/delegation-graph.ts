import type { AvailablePorts, Target } from "../ports.ts"
import type { AgentEntity, AgentUiState, HandoffEntity, TaskEntity } from "../state.ts"
import { surfaceControls } from "../taxonomy.ts"
import { aim, offer } from "./offer.ts"
import { assemble, inScope, ready } from "./standing.ts"
import { groupOf, type StatusGroup } from "./status-group.ts"
import { tally } from "./tally.ts"
import { type TeamRow, teamRow } from "./team-roster.ts"
import { teammateControls } from "./teammate-row.ts"
import type { ControlView, Mark, Surface, View } from "./view.ts"
import { given, picked, type Who, whoIs } from "./who.ts"

export type GraphNode = Mark & {
  id: string
  kind: "session" | "agent" | "task" | "placeholder"
  label: string
  status: string
  group: StatusGroup
  who?: Who
  /** How many it gave work to, and how many it waits for: where work fans out and in. */
  fanOut: number
  fanIn: number
  /** What its controls are about; a placeholder is about nothing that is known. */
  target?: Target
  controls: readonly ControlView[]
}
type Bare = Omit<GraphNode, "fanOut" | "fanIn">
export type GraphEdge = Mark & {
  id: string
  from: string
  to: string
  kind: "delegates" | "parent" | "works_on" | "depends" | "waits" | "handoff"
  status?: string
}
export type DelegationGraphView = View & {
  nodes: readonly GraphNode[]
  edges: readonly GraphEdge[]
  teams: readonly TeamRow[]
  /** Children that ended well, badly, or are still at it: a failed one says nothing about the others. */
  partial: { done: number; failed: number; open: number }
}

export const delegationGraph: Surface<DelegationGraphView> = {
  reads: ["agents", "tasks", "handoffs", "teams", "sessions"],
  select(state, scope, ports) {
    const agents = inScope(state, state.agents, scope)
    const tasks = inScope(state, state.tasks, scope)
    const handoffs = inScope(state, state.handoffs, scope)
    const edges = edgesOf(state, agents, tasks, handoffs)
    const nodes = nodesOf(state, ports, agents, tasks, edges)
    const live = agents.some(({ ended }) => !ended)
    const failed = agents.filter(({ status }) => groupOf(status ?? "unknown") === "failed").length
    const done = agents.filter(({ ended }) => ended).length - agents.filter(endedBadly).length
    return assemble(
      "delegation_graph",
      { state, scope, ports },
      {
        has: edges.length > 0 || agents.length > 0,
        marks: [...edges, ...nodes],
        aims: {
          wait: aim(live),
          retry: aim(failed > 0, "team.retry"),
          stop: aim(live, "team.stop"),
          open_detail: aim(nodes.length > 0, "session.read"),
        },
      },
      {
        nodes,
        edges,
        teams: inScope(state, state.teams, scope).map(teamRow),
        partial: { done, failed, open: agents.length - done - failed },
      },
    )
  },
}

const endedBadly = ({ ended, status }: AgentEntity) => ended && groupOf(status ?? "unknown") === "failed"
const agentNode = (id: string) => `agent:${id}`
const taskNode = (id: string) => `task:${id}`
const sessionNode = (id: string) => `session:${id}`

function edgesOf(
  state: AgentUiState,
  agents: readonly AgentEntity[],
  tasks: readonly TaskEntity[],
  handoffs: readonly HandoffEntity[],
): GraphEdge[] {
  const bySession = new Map(agents.map(({ childSessionId, agentId }) => [childSessionId, agentId]))
  return [
    ...agents.flatMap((agent) => agentEdges(state, bySession, agent)),
    ...tasks.flatMap((task) => taskEdges(state, task)),
    ...handoffs.flatMap(handoffEdge),
  ]
}

function agentEdges(
  state: AgentUiState,
  bySession: ReadonlyMap<string | undefined, string>,
  { agentId, origin }: AgentEntity,
): GraphEdge[] {
  const { taskId } = origin
  const parent = origin.parentSessionId ?? origin.sessionId
  const above = parent === undefined ? undefined : bySession.get(parent)
  const from = above === undefined ? parent && sessionNode(parent) : agentNode(above)
  return [
    ...(from === undefined || above === agentId ? [] : [edge("delegates", from, agentNode(agentId))]),
    ...(taskId !== undefined && state.tasks.has(taskId)
      ? [edge("works_on", agentNode(agentId), taskNode(taskId))]
      : []),
  ]
}

function taskEdges(state: AgentUiState, task: TaskEntity): GraphEdge[] {
  const to = taskNode(task.taskId)
  return [
    ...(task.parentTaskId === undefined ? [] : [edge("parent", taskNode(task.parentTaskId), to)]),
    ...task.dependencies.map((id) => edge("depends", to, taskNode(id))),
    ...(task.waitsFor ?? []).map((id) => {
      const target = state.agents.has(id) ? agentNode(id) : taskNode(id)
      const blocked = task.status === "blocked" || task.blocker !== undefined
      return edge("waits", to, target, blocked ? waitMark(task) : ready)
    }),
  ]
}

const waitMark = ({ blocker }: TaskEntity): Mark => ({
  state: "blocked",
  reason: blocker === undefined ? "awaiting_dependency" : "owner_says",
  ...given({ said: blocker }),
})

function handoffEdge({ from, to, status }: HandoffEntity): GraphEdge[] {
  if (from === undefined || to === undefined) return []
  return [{ ...edge("handoff", agentNode(from), agentNode(to)), ...given({ status }) }]
}

const edge = (kind: GraphEdge["kind"], from: string, to: string, mark: Mark = ready): GraphEdge => ({
  id: `${kind}:${from}>${to}`,
  kind,
  from,
  to,
  ...mark,
})

/** Every end of every edge is a node; one that was not told of is a placeholder. */
function nodesOf(
  state: AgentUiState,
  ports: AvailablePorts,
  agents: readonly AgentEntity[],
  tasks: readonly TaskEntity[],
  edges: readonly GraphEdge[],
): GraphNode[] {
  const linked = new Set(edges.flatMap(({ from, to }) => [from, to]))
  const nodes = new Map<string, Bare>()
  for (const agent of agents) nodes.set(agentNode(agent.agentId), nodeOfAgent(agent, ports))
  for (const task of tasks)
    if (linked.has(taskNode(task.taskId))) nodes.set(taskNode(task.taskId), nodeOfTask(task, ports))
  for (const id of linked) if (!nodes.has(id)) nodes.set(id, nodeOfOther(state, id, ports))
  const fanOut = countFrom(edges, ["delegates", "parent"])
  const fanIn = countFrom(edges, ["waits", "depends"])
  return [...nodes.values()].map((node) => ({
    ...node,
    fanOut: fanOut.get(node.id) ?? 0,
    fanIn: fanIn.get(node.id) ?? 0,
  }))
}

function countFrom(edges: readonly GraphEdge[], kinds: readonly GraphEdge["kind"][]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { kind, from } of edges) if (kinds.includes(kind)) tally(counts, from)
  return counts
}

function nodeOfAgent(agent: AgentEntity, ports: AvailablePorts): Bare {
  const status = agent.status ?? agent.remoteStatus ?? "unknown"
  const id = agentNode(agent.agentId)
  const label = agent.agentName ?? agent.agentId
  return {
    id,
    kind: "agent",
    label,
    status,
    group: groupOf(status),
    ...ready,
    ...given({ who: whoIs(agent) }),
    target: { kind: "agent", id: agent.agentId, ...picked(agent.origin, "sessionId") },
    controls: teammateControls(agent, "delegation_graph", ports),
  }
}
function nodeOfTask(task: TaskEntity, ports: AvailablePorts): Bare {
  const status = task.status ?? "unknown"
  const label = task.title ?? task.objective ?? task.taskId
  return {
    id: taskNode(task.taskId),
    kind: "task",
    label,
    status,
    group: groupOf(status),
    ...ready,
    target: { kind: "task", id: task.taskId, ...picked(task.origin, "sessionId") },
    controls: looking(ports, true),
  }
}
const looking = (ports: AvailablePorts, found: boolean) =>
  offer(surfaceControls.delegation_graph, ports, { open_detail: aim(found, "session.read") })

function nodeOfOther(state: AgentUiState, id: string, ports: AvailablePorts): Bare {
  const session = id.startsWith("session:") ? state.sessions.get(id.slice(8)) : undefined
  if (session) {
    const status = session.status ?? "unknown"
    return {
      id,
      kind: "session",
      label: session.title ?? session.sessionId,
      status,
      group: groupOf(status),
      ...ready,
      target: { kind: "session", id: session.sessionId },
      controls: looking(ports, true),
    }
  }
  const label = id.slice(id.indexOf(":") + 1)
  return {
    id,
    kind: "placeholder",
    label,
    status: "unknown",
    group: "unknown",
    state: "unknown",
    reason: "parent_not_loaded",
    controls: looking(ports, false),
  }
}
