import type { AvailablePorts } from "../ports.ts"
import type { AgentEntity, TaskEntity } from "../state.ts"
import { surfaceControls } from "../taxonomy.ts"
import { kept } from "./memo.ts"
import { aim, aimIn, offer } from "./offer.ts"
import { assemble, inScope, statusMark } from "./standing.ts"
import { groupOf, type StatusGroup } from "./status-group.ts"
import { isBackground } from "./teammate-row.ts"
import { type ControlView, type Known, known, type Mark, type Surface, type View } from "./view.ts"
import { type Doer, doerOf, given, picked, type Who, whoIs } from "./who.ts"

export type BackgroundRow = Mark & {
  id: string
  kind: "agent" | "job"
  who?: Who
  title: Known<string>
  status: Known<string>
  group: StatusGroup
  runtimeStatus?: string
  schedule: Known<string>
  wakeReason: Known<string>
  nextWakeAt: Known<string>
  currentRunId?: string
  lastRunRef: Known<string>
  paused: boolean
  sleeping: boolean
  failure?: { category?: string; message?: string; retryable?: boolean }
  at?: string
  controls: readonly ControlView[]
}
export type BackgroundTeammateView = View & { teammates: readonly BackgroundRow[] }

export const backgroundTeammate: Surface<BackgroundTeammateView> = {
  reads: ["agents", "tasks"],
  timed: true,
  select(state, scope, ports) {
    const agents = inScope(state, state.agents, scope).filter(isBackground)
    const owned = new Set(agents.map(({ agentId }) => agentId))
    const jobs = inScope(state, state.tasks, scope).filter(
      (task) => isBackground(task) && !(task.origin.agentId !== undefined && owned.has(task.origin.agentId)),
    )
    const missed = ({ nextWakeAt }: { nextWakeAt?: string }) =>
      scope.now !== undefined && nextWakeAt !== undefined && nextWakeAt < scope.now
    const teammates = [
      ...agents.map((agent) => row(agent, "agent", agent, missed(agent), ports)),
      ...jobs.map((task) => row(task, "job", doerOf(state, task.origin), missed(task), ports)),
    ]
    const aimAt = aimIn(teammates)
    return assemble(
      "background_teammate",
      { state, scope, ports },
      {
        has: teammates.length > 0,
        marks: teammates,
        aims: {
          stop: aimAt("stop"),
          retry: aimAt("retry"),
          close: aimAt("close"),
          open_detail: aim(teammates.length > 0, "session.read"),
        },
      },
      { teammates },
    )
  },
}

const row = kept(
  (
    entity: AgentEntity | TaskEntity,
    kind: "agent" | "job",
    doer: Doer,
    missed: boolean,
    ports: AvailablePorts,
  ): BackgroundRow => {
    const status = known(entity.status)
    const group = groupOf(status)
    const agent = "agentId" in entity
    const paused = status === "paused" || (agent && entity.paused === true)
    const over = group === "done" || group === "failed"
    return {
      id: agent ? entity.agentId : entity.taskId,
      kind,
      ...picked(entity, "runtimeStatus", "currentRunId", "failure"),
      ...markOf(entity, status, paused, missed && !over),
      title: known(agent ? entity.agentName : (entity.title ?? entity.objective)),
      status,
      group,
      schedule: known(entity.schedule),
      wakeReason: known(entity.wakeReason),
      nextWakeAt: known(entity.nextWakeAt),
      lastRunRef: known(entity.lastRunRef),
      paused,
      sleeping: status === "sleeping" || status === "scheduled",
      ...given({ who: whoIs(doer), at: entity.origin.timestamp }),
      controls: offer(surfaceControls.background_teammate, ports, {
        stop: aim(!over, agent ? "team.stop" : "job.stop"),
        retry: aim(group === "failed", agent ? "team.retry" : "job.retry"),
        close: aim(agent && status !== "closed"),
        open_detail: aim(true, "session.read"),
      }),
    }
  },
)

function markOf(entity: AgentEntity | TaskEntity, status: string, paused: boolean, missed: boolean): Mark {
  const words = "agentId" in entity ? entity.blockedReason : entity.blocker
  if (words !== undefined) return statusMark(status, words)
  if (paused) return { state: "blocked", reason: "paused" }
  return missed && status !== "blocked" ? { state: "stale", reason: "missed_wake" } : statusMark(status)
}
