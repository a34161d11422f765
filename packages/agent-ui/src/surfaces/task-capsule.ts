import type { AvailablePorts, Target } from "../ports.ts"
import type { AgentEntity, AgentUiState, RunEntity, TaskEntity, TeamEntity } from "../state.ts"
import { askedOf, titleOfRun, withText } from "./asked-of.ts"
import { kept } from "./memo.ts"
import { type Aims, aim, offer, surfaceControls } from "./offer.ts"
import { runState } from "./runtime-status.ts"
import { activeRun, assemble, inScope, ready } from "./standing.ts"
import { byAttention, countGroups, groupOf, type StatusGroup } from "./status-group.ts"
import { isBackground } from "./teammate-row.ts"
import {
  type ControlView,
  type Known,
  known,
  type Mark,
  type Surface,
  type View,
  type ViewScope,
} from "./view.ts"
import { type Doer, doerOf, given, isRemote, type Who, whoIs } from "./who.ts"
import { isWorkItem } from "./work-board.ts"

/** A piece of work at a glance. */
export type Capsule = Mark & {
  id: string
  kind: "queued_turn" | "run" | "task" | "background" | "remote" | "subagent" | "team"
  /** What its controls are about. */
  target: Target
  title: Known<string>
  status: Known<string>
  group: StatusGroup
  who?: Who
  progress?: NonNullable<TaskEntity["progress"]>
  position?: number
  queuedTurnCount?: number
  schedule?: string
  wakeReason?: string
  lastRunRef?: string
  failure?: { category?: string; message?: string; next?: string; retryable?: boolean }
  /** When its status was told: a reader works its age out of it. */
  at?: string
  controls: readonly ControlView[]
}
export type TaskCapsuleView = View & { capsules: readonly Capsule[]; counts: Record<StatusGroup, number> }

export const taskCapsule: Surface<TaskCapsuleView> = {
  reads: ["tasks", "agents", "teams", "queues", "runs"],
  // Of all that streams into messages, only what was asked for is a title here.
  inputs: (state, scope) => [
    askedOf(state, activeRun(state, scope)?.runId),
    ...inScope(state, state.queues, scope).flatMap(({ turns }) =>
      turns.map(({ turnId }) => askedOf(state, turnId)),
    ),
  ],
  select(state, scope, ports) {
    const run = activeRun(state, scope)
    const all = [
      ...queuedCapsules(state, scope, ports),
      ...(run ? [runCapsule(run, doerOf(state, run.origin), titleOfRun(state, run.runId), ports)] : []),
      ...inScope(state, state.tasks, scope)
        .filter((task) => !isWorkItem(task) && task.removed !== true)
        .map((task) => taskRow(task, doerOf(state, task.origin), ports)),
      ...inScope(state, state.agents, scope)
        .filter(({ human }) => human !== true)
        .map((agent) => agentCapsule(agent, ports)),
      ...inScope(state, state.teams, scope).map((team) => teamCapsule(team, ports)),
    ]
    const capsules = byAttention(all)
    const can = (control: string) =>
      capsules.some((row) => row.controls.some((c) => c.control === control && c.enabled))
    return assemble(
      "task_capsule",
      { state, scope, ports },
      {
        has: capsules.length > 0,
        marks: capsules,
        aims: {
          stop: aim(can("stop")),
          retry: aim(can("retry")),
          open_detail: aim(capsules.length > 0, "session.read"),
        },
      },
      { capsules, counts: countGroups(capsules) },
    )
  },
}

const controlsFor = (ports: AvailablePorts, aims: Aims) =>
  offer(surfaceControls.task_capsule, ports, { ...aims, open_detail: aim(true, "session.read") })

function queuedCapsules(state: AgentUiState, scope: ViewScope, ports: AvailablePorts): Capsule[] {
  return inScope(state, state.queues, scope).flatMap(({ turns, origin }) =>
    turns
      .map((turn) => withText(state, turn))
      .map(({ queuedTurnId, position, status, preview }) => ({
        id: queuedTurnId,
        kind: "queued_turn" as const,
        target: { kind: "queued_turn" as const, id: queuedTurnId, ...place(origin) },
        ...(status === undefined ? unknownStatus : ready),
        title: known(preview),
        status: known(status),
        group: groupOf(status ?? "unknown"),
        ...given({ position }),
        controls: controlsFor(ports, {
          stop: aim(status === "queued" || status === "promoted", "runtime.stop"),
        }),
      })),
  )
}

/** The session and the thread that a target lives in. */
const place = ({ sessionId, threadId }: TaskEntity["origin"]) => given({ sessionId, threadId })

const unknownStatus: Mark = { state: "unknown", reason: "status_unknown" }

const runCapsule = kept(
  (run: RunEntity, doer: Doer, asked: string | undefined, ports: AvailablePorts): Capsule => {
    const state = runState(run)
    // What waits for a person is theirs to move; any other wait is not.
    const asks = groupOf(run.runtimeStatus ?? "") === "needs_input"
    return {
      id: run.runId,
      kind: "run",
      target: { kind: "run", id: run.runId, ...place(run.origin) },
      ...(state === "unknown" ? { state: "unknown", reason: "phase_unknown" } : ready),
      title: known(asked ?? run.title),
      status: run.runtimeStatus ?? state,
      group: state === "unknown" ? state : state !== "blocked" ? "running" : asks ? "needs_input" : state,
      ...given({ who: whoIs(doer), queuedTurnCount: run.queue.queuedTurnCount, at: run.origin.timestamp }),
      controls: controlsFor(ports, { stop: aim(true, "runtime.stop") }),
    }
  },
)

const taskRow = kept((task: TaskEntity, doer: Doer, ports: AvailablePorts): Capsule => {
  const { progress, schedule, wakeReason, lastRunRef, failure, origin } = task
  const status = known(task.remoteStatus ?? task.status)
  const group = groupOf(status)
  const over = group === "done" || group === "failed"
  const owned = kindOf(task) === "background" ? "job" : "task"
  return {
    id: task.taskId,
    kind: kindOf(task),
    target: { kind: owned, id: task.taskId, ...place(origin) },
    ...markOf(task, status),
    title: known(task.title ?? task.objective),
    status,
    group,
    ...given({ who: whoIs(doer), progress, schedule, wakeReason, lastRunRef, failure, at: origin.timestamp }),
    controls: controlsFor(ports, {
      stop: aim(!over, `${owned}.stop`),
      retry: aim(group === "failed" && failure?.retryable !== false, `${owned}.retry`),
    }),
  }
})

function kindOf({ runtimeEntity, schedule, wakeReason, remoteTaskId }: TaskEntity): Capsule["kind"] {
  if (runtimeEntity === "automation_job" || schedule !== undefined || wakeReason !== undefined)
    return "background"
  return runtimeEntity === "external_task" || remoteTaskId !== undefined ? "remote" : "task"
}

function markOf({ blocker, waitingFor }: TaskEntity, status: string): Mark {
  const words = blocker ?? (status === "blocked" ? waitingFor : undefined)
  if (words !== undefined) return { state: "blocked", reason: "owner_says", said: words }
  if (status === "blocked") return { state: "blocked", reason: "unknown" }
  return status === "unknown" ? unknownStatus : ready
}

const agentCapsule = kept((agent: AgentEntity, ports: AvailablePorts): Capsule => {
  const status = known(agent.status ?? agent.remoteStatus)
  const group = groupOf(status)
  return {
    id: agent.agentId,
    kind: isRemote(agent) ? "remote" : isBackground(agent) ? "background" : "subagent",
    target: { kind: "agent", id: agent.agentId, ...place(agent.origin) },
    ...(agent.blockedReason === undefined
      ? status === "unknown"
        ? unknownStatus
        : ready
      : ({ state: "blocked", reason: "owner_says", said: agent.blockedReason } as const)),
    title: known(agent.agentName),
    status,
    group,
    ...given({ who: whoIs(agent), failure: agent.failure, at: agent.origin.timestamp }),
    controls: controlsFor(ports, {
      stop: aim(!agent.ended, "team.stop"),
      retry: aim(group === "failed" && agent.failure?.retryable !== false, "team.retry"),
    }),
  }
})

const teamCapsule = kept((team: TeamEntity, ports: AvailablePorts): Capsule => {
  const status = known(team.status)
  return {
    id: team.teamId,
    kind: "team",
    target: { kind: "session", id: team.origin.sessionId ?? team.teamId },
    ...(status === "unknown" ? unknownStatus : ready),
    title: known(team.teamName),
    status,
    group: groupOf(status),
    ...given({ at: team.origin.timestamp }),
    controls: controlsFor(ports, {}),
  }
})
