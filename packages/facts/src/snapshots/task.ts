import { z } from "zod"
import { Delivery, type Task, TaskProgressFields, taskEnded } from "../events/task.ts"
import { attemptEnded, TaskEdge } from "../events/task-orchestration.ts"
import { KnownTime, Text } from "../known.ts"
import { Ref } from "../refs.ts"
import type { SessionState } from "../session-state.ts"
import { WorkState, waits } from "../status.ts"
import { defineSnapshot, type Freshness, reflected, reflects } from "./define-snapshot.ts"

const Known = z.union([WorkState, z.literal("unknown")])

export const AttemptView = z.object({
  attempt_id: z.string(),
  number: z.union([z.int(), z.literal("unknown")]),
  status: Text,
  worker: z.string().optional(),
  thread_id: z.string().optional(),
  output_refs: z.array(Ref),
  failure: z.object({ category: z.string(), reason: z.string() }).optional(),
  started_at: KnownTime,
  ended_at: z.string().optional(),
})

export const TaskView = z.object({
  task_id: z.string(),
  status: Known,
  held: Known.optional(),
  cause: z.string().optional(),
  objective: z.string(),
  owner: z.string(),
  assignee: z.string().optional(),
  parent_task_id: z.string().optional(),
  waits_for: z.string().optional(),
  missing: z.array(z.object({ kind: Text, id: z.string().optional(), detail: z.string() })),
  progress: TaskProgressFields.optional(),
  attempts: z.array(AttemptView),
  current_attempt_id: z.string().optional(),
  output_refs: z.array(Ref),
  artifact_ids: z.array(z.string()),
  evidence_ids: z.array(z.string()),
  delivery: Delivery,
  cancel_requested: z.boolean(),
  archived: z.boolean(),
  failure: z.object({ category: z.string(), next: z.string().optional() }).optional(),
})
export type TaskView = z.infer<typeof TaskView>

export const EdgeView = z.object({ ...TaskEdge.shape, outcome: Text })

export const TaskSnapshot = defineSnapshot("task_snapshot", {
  version: 1,
  doc: "Active, waiting, failed, lost and recent terminal tasks, the graph, current attempts and delivery.",
  schema: z.object({
    ...reflected,
    active: z.array(TaskView),
    waiting: z.array(TaskView),
    failed: z.array(TaskView),
    lost: z.array(TaskView),
    recent_terminal: z.array(TaskView),
    graph: z.array(EdgeView),
    current_attempts: z.array(z.object({ task_id: z.string(), attempt_id: z.string() })),
    delivery: z.array(z.object({ task_id: z.string(), delivery: Delivery })),
  }),
})
export type TaskSnapshot = z.infer<typeof TaskSnapshot.schema>

type Group = "active" | "waiting" | "failed" | "lost" | "recent_terminal"

export function taskSnapshot(state: SessionState, freshness?: Freshness): TaskSnapshot {
  const groups: Record<Group, TaskView[]> = {
    active: [],
    waiting: [],
    failed: [],
    lost: [],
    recent_terminal: [],
  }
  const current: TaskSnapshot["current_attempts"] = []
  const delivery: TaskSnapshot["delivery"] = []
  for (const task of Object.values(state.entities.tasks)) {
    const view = taskView(state, task)
    groups[groupOf(task)].push(view)
    delivery.push({ task_id: task.task_id, delivery: task.delivery })
    const attempt_id = view.current_attempt_id
    if (attempt_id !== undefined) current.push({ task_id: task.task_id, attempt_id })
  }
  return {
    ...reflects(state, freshness),
    ...groups,
    graph: graph(state),
    current_attempts: current,
    delivery,
  }
}

function groupOf(task: Task): Group {
  if (task.status === "failed" || task.status === "timed_out") return "failed"
  if (task.status === "lost") return "lost"
  if (taskEnded(task)) return "recent_terminal"
  return waiting.has(task.status) ? "waiting" : "active"
}
const waiting: ReadonlySet<string> = new Set([...waits, "blocked", "queued", "paused"])

export function taskView(state: SessionState, task: Task): TaskView {
  const attempts = Object.values(state.entities.attempts).filter((one) => one.task_id === task.task_id)
  const live = attempts.findLast((one) => !attemptEnded(one))
  const { task_id, status, held, cause, objective, owner, assignee, parent_task_id, waits_for, progress } =
    task
  const { delivery, cancel_requested, archived, failure } = task
  return {
    task_id,
    status,
    held,
    cause,
    objective,
    owner,
    assignee,
    parent_task_id,
    waits_for,
    missing: [...(task.missing ?? [])],
    progress,
    attempts: attempts.map(({ attempt_id, number, status, worker, thread_id, failure, ...rest }) => ({
      attempt_id,
      number,
      status,
      worker,
      thread_id,
      failure,
      output_refs: [...rest.output_refs],
      started_at: rest.started_at ?? "unknown",
      ended_at: rest.ended_at,
    })),
    current_attempt_id: live?.attempt_id,
    output_refs: [...task.output_refs],
    artifact_ids: [...task.artifact_ids],
    evidence_ids: [...task.evidence_ids],
    delivery,
    cancel_requested,
    archived,
    failure,
  }
}

export function graph(state: SessionState, task_id?: string): z.infer<typeof EdgeView>[] {
  return Object.values(state.entities.edges)
    .filter((edge) => edge.linked && (task_id === undefined || edge.from === task_id || edge.to === task_id))
    .map(({ kind, from, to, outcome }) => ({ kind, from, to, outcome }))
}
