import { filled } from "../given.ts"
import type { AvailablePorts } from "../ports.ts"
import { limitNames } from "../reducers/run.ts"
import type { AgentEntity, AgentUiState } from "../state.ts"
import { type SurfaceName, surfaceControls } from "../taxonomy.ts"
import { isAsking } from "../words.ts"
import { kept } from "./memo.ts"
import { aim, offer } from "./offer.ts"
import { statusMark } from "./standing.ts"
import { groupOf, type StatusGroup } from "./status-group.ts"
import { tally } from "./tally.ts"
import { type ControlView, type Known, known, type Mark } from "./view.ts"
import { given, isRemote, picked, type Who, whoIs } from "./who.ts"

/** One teammate, human or agent, with everything that its owner told of it. */
export type TeammateRow = Mark & {
  agentId: string
  who: Who
  role: Known<string>
  source: Known<string>
  model: Known<string>
  policy: Known<string>
  /** Its permission mode, only where it differs from the coordinator's. */
  mode?: string
  status: Known<string>
  group: StatusGroup
  human: boolean
  remote: boolean
  background: boolean
  /** It owns the conversation now. */
  active: boolean
  capabilities: Known<readonly string[]>
  isolation?: string
  runtimeStatus?: string
  latestTurnStatus?: string
  queueCounts?: { queued?: number; active?: number }
  /** Limits that it waits on: a queue is not a failure. */
  limits?: Limits
  lineage: {
    parentSessionId?: string
    parentThreadId?: string
    sessionId?: string
    threadId?: string
    taskId?: string
    spawnReason?: string
  }
  ended: boolean
  outcome?: string
  summary?: string
  resultRef?: string
  transcriptRef?: string
  failure?: NonNullable<AgentEntity["failure"]>
  recoverable?: boolean
  /** Requests of it that wait for a person. */
  needsYou: number
  at?: string
  controls: readonly ControlView[]
}
export type Limits = {
  queueReason?: string
  retryableOverload?: boolean
  teamParallelBudget?: number
  teamActiveCount?: number
  teamQueuedCount?: number
  providerConcurrencyGroup?: string
  providerParallelBudget?: number
}

export function teammateRowOf(
  state: AgentUiState,
  agent: AgentEntity,
  ports: AvailablePorts,
  surface: SurfaceName,
  more: { mode?: string; active: boolean },
): TeammateRow {
  return row(agent, needsYou(state.actions).get(agent.agentId) ?? 0, more.mode, more.active, surface, ports)
}

const row = kept(
  (
    agent: AgentEntity,
    asks: number,
    mode: string | undefined,
    active: boolean,
    surface: SurfaceName,
    ports: AvailablePorts,
  ): TeammateRow => {
    const { agentId, spawnReason, origin } = agent
    const status = known(agent.status ?? agent.remoteStatus)
    const limits = limitsOf(agent)
    return {
      agentId,
      who: whoIs(agent) ?? { key: `agent:${agentId}`, name: "unknown", agentId },
      ...statusMark(status, agent.blockedReason),
      role: known(agent.role),
      source: known(agent.source),
      model: known(agent.model),
      policy: known(agent.policy),
      status,
      group: rank(agent, status, limits),
      human: agent.human === true,
      remote: isRemote(agent),
      background: isBackground(agent),
      active,
      capabilities: known(agent.capabilities),
      lineage: given({
        parentSessionId: origin.parentSessionId,
        parentThreadId: origin.parentThreadId,
        sessionId: agent.childSessionId,
        threadId: agent.childThreadId,
        taskId: origin.taskId,
        spawnReason,
      }),
      needsYou: asks,
      ...picked(agent, "ended", "isolation", "runtimeStatus", "latestTurnStatus", "queueCounts", "outcome"),
      ...picked(agent, "summary", "resultRef", "transcriptRef", "failure", "recoverable"),
      ...given({ mode, limits, at: origin.timestamp }),
      controls: teammateControls(agent, surface, ports),
    }
  },
)

function rank(agent: AgentEntity, status: string, limits: Limits | undefined): StatusGroup {
  if (!agent.ended && (limits?.queueReason !== undefined || limits?.retryableOverload)) return "queued"
  return groupOf(status)
}

export function teammateControls(
  agent: AgentEntity,
  surface: SurfaceName,
  ports: AvailablePorts,
): ControlView[] {
  const live = !agent.ended && agent.human !== true
  const closed = agent.status === "closed"
  const failed = groupOf(agent.status ?? "unknown") === "failed"
  return offer(
    surfaceControls[surface].filter((control) => control !== "delegate"),
    ports,
    {
      continue_agent: aim(agent.human !== true && !closed && agent.status !== "killed"),
      wait: aim(live),
      stop: aim(live, "team.stop"),
      close: aim(agent.human !== true && !closed),
      retry: aim(failed, "team.retry"),
      open_detail: aim(true, "session.read"),
      answer: aim(agent.needs !== undefined),
    },
  )
}

/** Which teammates' requests wait for a person, and how many. */
const needsYou = kept((actions: AgentUiState["actions"]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { state, requestedBy, origin } of actions.values()) {
    const agentId = requestedBy?.agentId ?? origin.agentId
    if (!isAsking(state) || agentId === undefined) continue
    tally(counts, agentId)
  }
  return counts
})

/** Whether it works on its own, by a schedule or by what wakes it. */
export const isBackground = ({
  runtimeEntity,
  schedule,
  wakeReason,
}: Pick<AgentEntity, "runtimeEntity" | "schedule" | "wakeReason">) =>
  runtimeEntity === "automation_job" || schedule !== undefined || wakeReason !== undefined

export const limitsOf = (facts: Limits): Limits | undefined => filled(picked(facts, ...limitNames))
