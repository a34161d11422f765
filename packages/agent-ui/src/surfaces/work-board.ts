import type { Assignee } from "../events/index.ts"
import type { AvailablePorts } from "../ports.ts"
import type { AgentUiState, TaskEntity } from "../state.ts"
import { statuses } from "../taxonomy.ts"
import { kept } from "./memo.ts"
import { aim, offer, surfaceControls } from "./offer.ts"
import { assemble, inScope, ready } from "./standing.ts"
import { groupOf, type StatusGroup } from "./status-group.ts"
import {
  type ControlView,
  type Known,
  known,
  type Mark,
  type Surface,
  type View,
  type ViewScope,
} from "./view.ts"
import { agentWho, given, type Who } from "./who.ts"

export type WorkItem = Mark & {
  workItemId: string
  taskId: string
  title: Known<string>
  status: Known<string>
  group: StatusGroup
  column: string
  assignee: Known<Assignee & { who?: Who }>
  priority: Known<string | number>
  blocker?: string
  progress?: NonNullable<TaskEntity["progress"]>
  dependencies: readonly string[]
  artifactRefs: readonly string[]
  evidenceRefs: readonly string[]
  comments: readonly { author?: string; text: string; at?: string }[]
  runtimeStatus?: string
  at?: string
  controls: readonly ControlView[]
}
export type WorkBoardView = View & {
  items: readonly WorkItem[]
  /** Listed columns in their order, then those that only this owner uses; empty ones are left out but for the usual. */
  columns: readonly { column: string; itemIds: readonly string[] }[]
  /** Everyone whom a work item can be given to. */
  people: readonly Assignee[]
}

/** As work moves; a column of the second list shows only when it is used. */
const columnOrder = ["open", "assigned", "claimed", "running", "blocked", "reviewing", "done"]
const usualColumns: readonly string[] = statuses.work_item

export const workBoard: Surface<WorkBoardView> = {
  reads: ["tasks", "teams", "agents"],
  select(state, scope, ports) {
    const items = boardTasks(state, scope).map((task) =>
      item(
        task,
        task.assignee?.id === undefined
          ? undefined
          : state.agents.get(task.assignee.id) && agentWho(state, task.assignee.id),
        ports,
      ),
    )
    return assemble(
      "work_board",
      { state, scope, ports },
      {
        has: items.length > 0,
        marks: items,
        aims: {
          assign: aim(items.length > 0),
          request_review: aim(items.length > 0),
          open_detail: aim(items.length > 0, "session.read"),
        },
      },
      { items, columns: columnsOf(items), people: peopleOf(state, scope, items) },
    )
  },
}

/** Work items of the task's owner, and those that a team lists and nobody else told of. */
function boardTasks(state: AgentUiState, scope: ViewScope): TaskEntity[] {
  const own = inScope(state, state.tasks, scope).filter(isWorkItem)
  const ids = new Set(own.map(({ taskId, workItemId }) => workItemId ?? taskId))
  const listed = inScope(state, state.teams, scope).flatMap((team) =>
    (team.board ?? [])
      .filter(({ workItemId }) => !ids.has(workItemId))
      .map((entry) => listedTask(entry, team)),
  )
  return [...own, ...listed].filter(({ removed }) => removed !== true)
}

const listedTask = kept(
  (
    entry: Partial<TaskEntity> & { workItemId: string },
    { origin, opened }: Pick<TaskEntity, "origin" | "opened">,
  ): TaskEntity => ({
    ...entry,
    origin,
    opened,
    taskId: entry.workItemId,
    dependencies: entry.dependencies ?? [],
  }),
)

export const isWorkItem = ({ runtimeEntity, workItemId, origin }: TaskEntity) =>
  runtimeEntity === "work_item" || workItemId !== undefined || origin.surface === "work_board"

const item = kept((task: TaskEntity, who: Who | undefined, ports: AvailablePorts): WorkItem => {
  const status = known(task.status)
  const { taskId, blocker, progress, runtimeStatus, dependencies, origin } = task
  return {
    workItemId: task.workItemId ?? taskId,
    taskId,
    ...itemMark(task, status),
    title: known(task.title ?? task.objective),
    status,
    group: groupOf(status),
    column: task.column ?? (status === "commented" ? "unknown" : status),
    assignee: task.assignee ? { ...task.assignee, ...given({ who }) } : "unknown",
    priority: known(task.priority),
    dependencies,
    artifactRefs: task.artifactRefs ?? [],
    evidenceRefs: task.evidenceRefs ?? [],
    comments: task.comments ?? [],
    ...given({ blocker, progress, runtimeStatus, at: origin.timestamp }),
    controls: offer(surfaceControls.work_board, ports, {
      assign: aim(true),
      request_review: aim(true),
      open_detail: aim(true, "session.read"),
    }),
  }
})

/** What stood in the way of work that is finished no longer does. */
function itemMark({ blocker }: TaskEntity, status: string): Mark {
  if (groupOf(status) === "done") return ready
  if (blocker !== undefined) return { state: "blocked", reason: "owner_says", said: blocker }
  if (status === "blocked") return { state: "blocked", reason: "unknown" }
  return status === "unknown" ? { state: "unknown", reason: "status_unknown" } : ready
}

function columnsOf(items: readonly WorkItem[]): WorkBoardView["columns"] {
  const used = items.map(({ column }) => column)
  const known = columnOrder.filter((column) => usualColumns.includes(column) || used.includes(column))
  const others = used.filter((column) => !columnOrder.includes(column))
  return [...new Set([...known, ...others])].map((column) => ({
    column,
    itemIds: items.filter((item) => item.column === column).map(({ workItemId }) => workItemId),
  }))
}

/** Those who have work already, then the teammates that were told of, then those whom a team lists. */
function peopleOf(state: AgentUiState, scope: ViewScope, items: readonly WorkItem[]): Assignee[] {
  const agents = inScope(state, state.agents, scope).filter(({ status }) => status !== "closed")
  const listed = inScope(state, state.teams, scope).flatMap(({ roster }) => roster ?? [])
  const people = [
    ...items.flatMap(({ assignee }) => (typeof assignee === "object" ? [assignee] : [])),
    ...[...agents, ...listed].map(({ agentId, agentName, human }) => ({
      id: agentId,
      kind: human ? "human" : "agent",
      name: agentName,
    })),
  ]
  const seen = new Map<string, Assignee>()
  for (const { kind, id, name } of people)
    if (seen.get(id)?.name === undefined) seen.set(id, { id, ...given({ kind, name }) })
  return [...seen.values()]
}
