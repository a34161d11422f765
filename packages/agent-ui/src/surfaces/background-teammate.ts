import type { AvailablePorts } from "../ports.ts"
import type { AgentEntity, TaskEntity } from "../state.ts"
import { kept } from "./memo.ts"
import { aim, offer, surfaceControls } from "./offer.ts"
import { assemble, inScope, ready } from "./standing.ts"
import { groupOf, type StatusGroup } from "./status-group.ts"
import { isBackground } from "./teammate-row.ts"
import { type ControlView, type Known, known, type Mark, type Surface, type View } from "./view.ts"
import { type Doer, doerOf, given, type Who, whoIs } from "./who.ts"

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
      (task) => isJob(task) && !(task.origin.agentId !== undefined && owned.has(task.origin.agentId)),
    )
    const missed = ({ nextWakeAt }: { nextWakeAt?: string }) =>
      scope.now !== undefined && nextWakeAt !== undefined && nextWakeAt < scope.now
    const teammates = [
      ...agents.map((agent) => row(agent, "agent", agent, missed(agent), ports)),
      ...jobs.map((task) => row(task, "job", doerOf(state, task.origin), missed(task), ports)),
    ]
    const can = (control: string) =>
      teammates.some((row) => row.controls.some((c) => c.control === control && c.enabled))
    return assemble(
      "background_teammate",
      { state, scope, ports },
      {
        has: teammates.length > 0,
        marks: teammates,
        aims: {
          stop: aim(can("stop")),
          retry: aim(can("retry")),
          close: aim(can("close")),
          open_detail: aim(teammates.length > 0, "session.read"),
        },
      },
      { teammates },
    )
  },
}

const isJob = ({ runtimeEntity, schedule, wakeReason }: TaskEntity) =>
  runtimeEntity === "automation_job" || schedule !== undefined || wakeReason !== undefined

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
    const { runtimeStatus, currentRunId, failure, origin } = entity
    const agent = "agentId" in entity
    const paused = status === "paused" || (agent && entity.paused === true)
    const over = group === "done" || group === "failed"
    return {
      id: agent ? entity.agentId : entity.taskId,
      kind,
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
      ...given({ who: whoIs(doer), runtimeStatus, currentRunId, failure, at: origin.timestamp }),
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
  if (words !== undefined) return { state: "blocked", reason: "owner_says", said: words }
  if (paused) return { state: "blocked", reason: "paused" }
  if (status === "blocked") return { state: "blocked", reason: "unknown" }
  if (missed) return { state: "stale", reason: "missed_wake" }
  return status === "unknown" ? { state: "unknown", reason: "status_unknown" } : ready
}
