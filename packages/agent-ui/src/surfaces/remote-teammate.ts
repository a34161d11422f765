import type { AvailablePorts } from "../ports.ts"
import type { ActionEntity, AgentEntity, AgentUiState, TaskEntity } from "../state.ts"
import { lookUp } from "../table.ts"
import { surfaceControls } from "../taxonomy.ts"
import { kept } from "./memo.ts"
import { artifactLink, type MessageRow, messageRowOf } from "./message-row.ts"
import { aim, aimIn, offer } from "./offer.ts"
import { assemble, inScope, statusMark } from "./standing.ts"
import { groupOf, type StatusGroup } from "./status-group.ts"
import { type ControlView, type Known, known, type Mark, type Surface, type View } from "./view.ts"
import { given, isRemote, picked, type Who, whoIs } from "./who.ts"

export type RemoteRow = Mark & {
  agentId: string
  who?: Who
  cardRef: Known<string>
  capabilities: Known<readonly string[]>
  remoteTaskId: Known<string>
  /** In the remote agent's own words. */
  status: Known<string>
  group: StatusGroup
  needs?: string
  connection: Known<string>
  /** Requests that it waits on. */
  actionIds: readonly string[]
  requests: readonly RemoteRequest[]
  messages: readonly MessageRow[]
  artifacts: readonly { artifactId: string; kind: string; title?: string; versionId?: string }[]
  ended: boolean
  outcome?: string
  failure?: { category?: string; message?: string; retryable?: boolean }
  resultRef?: string
  at?: string
  controls: readonly ControlView[]
}
/** What it asks, and how an answer must look. */
export type RemoteRequest = Pick<ActionEntity, "actionId"> &
  Partial<Pick<ActionEntity, "actionType" | "title" | "schema" | "options">>
export type RemoteTeammateView = View & { teammates: readonly RemoteRow[] }

const messagesShown = 20

export const remoteTeammate: Surface<RemoteTeammateView> = {
  reads: ["agents", "tasks", "actions", "messages", "artifacts", "evidence"],
  select(state, scope, ports) {
    const tasks = inScope(state, state.tasks, scope)
    const teammates = inScope(state, state.agents, scope)
      .filter(isRemote)
      .map((agent) =>
        remoteRow(
          state,
          agent,
          tasks.findLast((task) => isTaskOf(task, agent)),
          ports,
        ),
      )
    const aimAt = aimIn(teammates)
    return assemble(
      "remote_teammate",
      { state, scope, ports },
      {
        has: teammates.length > 0,
        marks: teammates,
        aims: {
          answer: aimAt("answer"),
          continue_agent: aimAt("continue_agent"),
          stop: aimAt("stop", "team.stop"),
          open_detail: aim(teammates.length > 0, "session.read"),
        },
      },
      { teammates },
    )
  },
}

const isTaskOf = (task: TaskEntity, agent: AgentEntity) =>
  task.origin.agentId === agent.agentId ||
  (task.remoteTaskId !== undefined && task.remoteTaskId === agent.remoteTaskId)

function remoteRow(
  state: AgentUiState,
  agent: AgentEntity,
  task: TaskEntity | undefined,
  ports: AvailablePorts,
): RemoteRow {
  const mine = ({ origin }: { origin: AgentEntity["origin"] }) => origin.agentId === agent.agentId
  const actions = [...state.actions.values()].filter(
    (action) => (mine(action) || action.requestedBy?.agentId === agent.agentId) && action.state === "pending",
  )
  const artifacts = [...state.artifacts.values()].filter((artifact) => mine(artifact) && !artifact.gone)
  return {
    ...row(agent, task, ports, actions.length > 0),
    actionIds: actions.map(({ actionId }: ActionEntity) => actionId),
    requests: actions.map(requestOf),
    messages: messagesOf(state, agent),
    artifacts: artifacts.map(artifactLink),
  }
}

/** What was said in its own session, where it has one. */
function messagesOf(state: AgentUiState, { childSessionId }: AgentEntity): MessageRow[] {
  const session = lookUp(state.sessions, childSessionId)
  const ids = session?.messageIds.slice(-messagesShown) ?? []
  return ids.flatMap((id) => messageRowOf(state, id) ?? [])
}

const requestOf = kept(
  (action: ActionEntity): RemoteRequest =>
    picked(action, "actionId", "actionType", "title", "schema", "options"),
)

type Own = Omit<RemoteRow, "actionIds" | "requests" | "messages" | "artifacts">

const row = kept(
  (agent: AgentEntity, task: TaskEntity | undefined, ports: AvailablePorts, asked: boolean): Own => {
    const status = known(task?.remoteStatus ?? agent.remoteStatus ?? task?.status ?? agent.status)
    const told = task?.needs ?? agent.needs
    const needs = told === "none" ? undefined : (told ?? needOf(status))
    const { ended, origin } = agent
    return {
      ...picked(agent, "agentId", "ended", "outcome", "failure", "resultRef"),
      ...markOf(agent, status, needs),
      cardRef: agent.cardRef ?? task?.cardRef ?? "unavailable",
      capabilities: known(agent.capabilities),
      remoteTaskId: known(task?.remoteTaskId ?? agent.remoteTaskId),
      status,
      group: groupOf(status),
      connection: known(agent.connection),
      ...given({ who: whoIs(agent), needs, at: origin.timestamp }),
      controls: offer(surfaceControls.remote_teammate, ports, {
        answer: aim(asked),
        continue_agent: aim(!ended),
        stop: aim(!ended, "team.stop"),
        open_detail: aim(true, "session.read"),
      }),
    }
  },
)

function needOf(status: string): string | undefined {
  if (status === "input_required") return "input"
  return status === "auth_required" ? "auth" : undefined
}

function markOf(agent: AgentEntity, status: string, needs: string | undefined): Mark {
  if (agent.connection === "disconnected") return { state: "stale", reason: "connection_lost" }
  if (needs !== undefined)
    return { state: "blocked", reason: needs === "auth" ? "awaiting_auth" : "awaiting_input" }
  return statusMark(status, agent.blockedReason)
}
