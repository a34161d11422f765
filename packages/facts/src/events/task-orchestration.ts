import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { Text } from "../known.ts"
import { late } from "../late.ts"
import { Preview, Ref } from "../refs.ts"
import { family } from "../state.ts"

const onTask = { version: 1, scope: "session", ids: ["task_id"] } as const
const onAttempt = { version: 1, scope: "session", ids: ["task_id", "run_id", "attempt_id"] } as const

export const edgeKinds = [
  "parent",
  "child",
  "dependency",
  "source",
  "artifact",
  "evidence",
  "subagent",
] as const
export const TaskEdge = z.object({ kind: z.enum(edgeKinds), from: Text, to: Text })
export type TaskEdge = z.infer<typeof TaskEdge>

export const TaskDelegated = defineEvent("task.delegated", {
  ...onTask,
  doc: "Work was handed to a child task, a subagent or a remote peer.",
  payload: z.object({
    to: z.enum(["child", "subagent", "peer"]),
    to_id: Text,
    objective: Text,
    channel_id: z.string().optional(),
    native_task_id: z.string().optional(),
  }),
})

export const TaskDependencyUpdated = defineEvent("task.dependency.updated", {
  ...onTask,
  doc: "An edge of the task graph was added or removed, or the outcome of a dependency became known.",
  payload: z.object({
    edge: TaskEdge,
    change: z.enum(["linked", "unlinked", "outcome"]),
    /** Only a completed dependency satisfies. */
    outcome: z.enum(["pending", "completed", "failed", "cancelled", "timed_out", "lost", "unknown"]),
  }),
})

export const TaskAttemptStarted = defineEvent("task.attempt.started", {
  ...onAttempt,
  doc: "One execution of the task began; a task has at most one live attempt.",
  payload: z.object({
    number: z.int().min(1),
    cause: Text,
    worker: z.string().optional(),
    job_id: z.string().optional(),
    item_id: z.string().optional(),
  }),
})

export const TaskAttemptCompleted = defineEvent("task.attempt.completed", {
  ...onAttempt,
  doc: "The attempt succeeded; the task above it is decided by its owner.",
  payload: z.object({ output_refs: z.array(Ref), preview: Preview.optional() }),
})

export const TaskAttemptFailed = defineEvent("task.attempt.failed", {
  ...onAttempt,
  doc: "The attempt ended without success; status tells a failure from a cancellation or a time-out.",
  payload: z.object({
    status: z.enum(["failed", "cancelled", "timed_out"]),
    category: Text,
    reason: Text,
    output_refs: z.array(Ref).optional(),
  }),
})

export const taskOrchestrationEvents = [
  TaskDelegated,
  TaskDependencyUpdated,
  TaskAttemptStarted,
  TaskAttemptCompleted,
  TaskAttemptFailed,
] as const
export type TaskOrchestrationEvent = EventOf<(typeof taskOrchestrationEvents)[number]>
type Pick<T extends TaskOrchestrationEvent["type"]> = Extract<TaskOrchestrationEvent, { type: T }>

export type Attempt = {
  attempt_id: string
  task_id: string
  status: "unknown" | "running" | "completed" | "failed" | "cancelled" | "timed_out"
  number: number | "unknown"
  thread_id?: string | undefined
  worker?: string | undefined
  job_id?: string | undefined
  item_id?: string | undefined
  output_refs: readonly Ref[]
  failure?: { category: string; reason: string }
  started_at?: string
  ended_at?: string
  late: number
}
const blankAttempt: Attempt = {
  attempt_id: "",
  task_id: "",
  status: "unknown",
  number: "unknown",
  output_refs: [],
  late: 0,
}
export const attemptEnded = (attempt: Attempt): boolean =>
  attempt.status !== "unknown" && attempt.status !== "running"

export const attempt = fold<
  Attempt,
  Pick<"task.attempt.started" | "task.attempt.completed" | "task.attempt.failed">
>(blankAttempt, {
  "task.attempt.started": (s, e) => {
    if (s.status !== "unknown") return late(s)
    const { number, worker, job_id, item_id } = e.payload
    const { attempt_id, task_id, thread_id, timestamp } = e
    return {
      ...s,
      attempt_id,
      task_id,
      thread_id,
      status: "running",
      number,
      worker,
      job_id,
      item_id,
      started_at: timestamp,
    }
  },
  "task.attempt.completed": (s, e) =>
    attemptEnded(s)
      ? late(s)
      : {
          ...s,
          attempt_id: e.attempt_id,
          task_id: e.task_id,
          status: "completed",
          output_refs: e.payload.output_refs,
          ended_at: e.timestamp,
        },
  "task.attempt.failed": (s, e) => {
    if (attemptEnded(s)) return late(s)
    const { status, category, reason, output_refs = [] } = e.payload
    const { attempt_id, task_id, timestamp } = e
    return {
      ...s,
      attempt_id,
      task_id,
      status,
      failure: { category, reason },
      output_refs,
      ended_at: timestamp,
    }
  },
})

export type Edge = TaskEdge & {
  linked: boolean
  outcome: Pick<"task.dependency.updated">["payload"]["outcome"]
}

export const edge = fold<Edge, Pick<"task.dependency.updated">>(
  { kind: "dependency", from: "", to: "", linked: false, outcome: "unknown" },
  {
    "task.dependency.updated": (s, e) => ({
      ...e.payload.edge,
      linked: e.payload.change === "outcome" ? s.linked : e.payload.change === "linked",
      outcome: e.payload.outcome,
    }),
  },
)

export type Delegation = Pick<"task.delegated">["payload"] & { task_id: string; delegated_at?: string }

export const delegation = fold<Delegation, Pick<"task.delegated">>(
  { task_id: "", to: "child", to_id: "", objective: "unknown" },
  { "task.delegated": (_, e) => ({ ...e.payload, task_id: e.task_id, delegated_at: e.timestamp }) },
)

export const edgeKey = (of: TaskEdge): string => `${of.kind}|${of.from}|${of.to}`
export const attempts = family(attempt, (e) => e.attempt_id, { ended: attemptEnded, keep: 1024 })
export const edges = family(edge, (e) => edgeKey(e.payload.edge), { ended: (s) => !s.linked, keep: 0 })
export const delegations = family(delegation, (e) => `${e.task_id}|${e.payload.to_id}`)
