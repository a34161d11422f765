import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { Count, Details, KnownTime, Names, Text } from "../known.ts"
import { late } from "../late.ts"
import { Ref } from "../refs.ts"
import { family } from "../state.ts"
import { terminalStates, WorkState, waits } from "../status.ts"

const on = { version: 1, scope: "session", ids: ["task_id"] } as const
/** Every change of a task says why it happened and what the task was before. */
const change = { cause: Text, previous: z.union([WorkState, z.literal("unknown")]) }
const By = z.enum(["user", "policy", "runtime", "agent", "worker"])
export const Delivery = z.enum(["not_due", "undelivered", "delivered", "unknown"])
export const Propagation = z.enum(["none", "children", "descendants"])

export const TaskProgressFields = z.object({
  percent: z.number().min(0).max(100).optional(),
  done: Count.optional(),
  total: Count.optional(),
  note: z.string().optional(),
  output_refs: z.array(Ref).optional(),
})

export const TaskCreated = defineEvent("task.created", {
  ...on,
  doc: "A unit of work with an objective was recorded; it is accepted and nothing has run.",
  payload: z.object({
    cause: Text,
    previous: z.literal("none"),
    objective: Text,
    owner: Text,
    parent_task_id: z.string().optional(),
    assignee: z.string().optional(),
    profile: Details.optional(),
    constraints: Details.optional(),
    /** Facts of other owners to which completion is bound. */
    requires: z.object({ artifacts: Names.optional(), evidence: Names.optional() }).optional(),
  }),
})

export const TaskAccepted = defineEvent("task.accepted", {
  ...on,
  doc: "The assignee took the task.",
  payload: z.object({ ...change, assignee: Text }),
})

export const TaskQueued = defineEvent("task.queued", {
  ...on,
  doc: "The task waits behind other work or a policy gate.",
  payload: z.object({
    ...change,
    behind: z.enum(["turn", "task", "policy", "worker"]),
    behind_id: z.string().optional(),
  }),
})

export const TaskStarted = defineEvent("task.started", {
  ...on,
  doc: "Execution of the task began or went on; `to` tells which active state it entered.",
  payload: z.object({ ...change, to: z.enum(["preparing", "running", "streaming"]) }),
})

export const TaskUpdated = defineEvent("task.updated", {
  ...on,
  doc: "Fields of the task changed; its status did not.",
  payload: z.object({
    ...change,
    changes: z.record(
      z
        .enum([
          "objective",
          "owner",
          "assignee",
          "parent_task_id",
          "profile",
          "constraints",
          "requires",
          "delivery",
        ])
        .or(z.string().regex(/^x-/)),
      z.object({ from: z.unknown(), to: z.unknown() }),
    ),
  }),
})

export const TaskProgress = defineEvent("task.progress", {
  ...on,
  doc: "Progress was reported; a hundred percent is not completion.",
  payload: z.object({ ...change, ...TaskProgressFields.shape }),
})

export const TaskWaiting = defineEvent("task.waiting", {
  ...on,
  doc: "The task waits for input, permission or a resource, which is named.",
  optional: ["action_id"],
  payload: z.object({ ...change, wait: z.enum(waits), waits_for: Text, next_try_at: KnownTime.optional() }),
})

export const TaskBlocked = defineEvent("task.blocked", {
  ...on,
  doc: "Something is missing that someone must supply.",
  payload: z.object({
    ...change,
    missing: z
      .array(
        z.object({
          kind: z.enum([
            "action",
            "credential",
            "policy",
            "context",
            "dependency",
            "tool",
            "quota",
            "artifact",
            "evidence",
          ]),
          id: z.string().optional(),
          detail: Text,
        }),
      )
      .min(1),
  }),
})

export const TaskPaused = defineEvent("task.paused", {
  ...on,
  doc: "The task is held; it remembers the state before.",
  payload: z.object({ ...change, by: By, propagation: Propagation.optional() }),
})

export const TaskResumed = defineEvent("task.resumed", {
  ...on,
  doc: "The hold ended; the task is again what it was before the pause.",
  payload: z.object({ ...change, by: By, to: WorkState.exclude(["paused"]) }),
})

export const TaskRetrying = defineEvent("task.retrying", {
  ...on,
  doc: "A retry or fallback is active; prior attempts stay as they are.",
  payload: z.object({ ...change, number: z.int().min(1) }),
})

export const TaskCancelRequested = defineEvent("task.cancel_requested", {
  ...on,
  doc: "Someone asked to cancel; the work may still run.",
  payload: z.object({ ...change, by: By, propagation: Propagation.optional() }),
})

export const TaskCancelled = defineEvent("task.cancelled", {
  ...on,
  doc: "The work is proven stopped after an interruption.",
  payload: z.object({ ...change, by: By }),
})

export const TaskTimedOut = defineEvent("task.timed_out", {
  ...on,
  doc: "A time or inactivity budget ended the work.",
  payload: z.object({ ...change, budget: z.enum(["time", "inactivity"]), limit_ms: Count }),
})

export const TaskFailed = defineEvent("task.failed", {
  ...on,
  doc: "The task cannot go on without a new request or a repair.",
  payload: z.object({ ...change, category: Text, next: z.string().optional() }),
})

export const TaskLost = defineEvent("task.lost", {
  ...on,
  doc: "It cannot be proven whether the worker is alive: neither failed nor running.",
  payload: z.object({ ...change, worker: z.string().optional(), last_seen_at: KnownTime }),
})

export const TaskCompleted = defineEvent("task.completed", {
  ...on,
  doc: "The owner declared completion and the durable facts agree.",
  payload: z.object({
    ...change,
    declared_by: Text,
    output_refs: z.array(Ref),
    artifact_ids: Names,
    evidence_ids: Names,
    delivery: Delivery,
  }),
})

export const TaskArchived = defineEvent("task.archived", {
  ...on,
  doc: "An ended task was put away; archiving is a mark, not a state.",
  payload: z.object(change),
})

export const taskEvents = [
  TaskCreated,
  TaskAccepted,
  TaskQueued,
  TaskStarted,
  TaskUpdated,
  TaskProgress,
  TaskWaiting,
  TaskBlocked,
  TaskPaused,
  TaskResumed,
  TaskRetrying,
  TaskCancelRequested,
  TaskCancelled,
  TaskTimedOut,
  TaskFailed,
  TaskLost,
  TaskCompleted,
  TaskArchived,
] as const
export type TaskEvent = EventOf<(typeof taskEvents)[number]>

type Of<T extends TaskEvent["type"]> = Extract<TaskEvent, { type: T }>["payload"]
export type Task = {
  task_id: string
  thread_id?: string | undefined
  status: WorkState | "unknown"
  /** The state before a pause. */
  held?: WorkState | "unknown" | undefined
  cause?: string
  objective: string
  owner: string
  assignee?: string | undefined
  assignee_accepted: boolean
  parent_task_id?: string | undefined
  profile?: Record<string, unknown> | undefined
  constraints?: Record<string, unknown> | undefined
  requires?: Of<"task.created">["requires"]
  progress?: z.infer<typeof TaskProgressFields>
  waits_for?: string | undefined
  next_try_at?: string | undefined
  missing?: Of<"task.blocked">["missing"]
  cancel_requested: boolean
  failure?: { category: string; next?: string | undefined } | undefined
  output_refs: readonly Ref[]
  artifact_ids: readonly string[]
  evidence_ids: readonly string[]
  delivery: z.infer<typeof Delivery>
  archived: boolean
  created_at?: string
  updated_at?: string
  ended_at?: string | undefined
  late: number
}

const blank: Task = {
  task_id: "",
  status: "unknown",
  objective: "unknown",
  owner: "unknown",
  assignee_accepted: false,
  cancel_requested: false,
  output_refs: [],
  artifact_ids: [],
  evidence_ids: [],
  delivery: "not_due",
  archived: false,
  late: 0,
}
export const taskEnded = (task: Task): boolean => terminalStates.has(task.status)

function touched(s: Task, e: TaskEvent): Task {
  return { ...s, task_id: e.task_id, updated_at: e.timestamp }
}

/** Enters a state and drops what only explained the state before. */
function enter(s: Task, e: TaskEvent, status: Task["status"], more: Partial<Task> = {}): Task {
  if (taskEnded(s)) return late(s)
  return {
    ...touched(s, e),
    held: undefined,
    waits_for: undefined,
    next_try_at: undefined,
    ...more,
    status,
    cause: e.payload.cause,
    ...(status === "blocked" || status === "paused" ? {} : { missing: [] }),
    ...(terminalStates.has(status) ? { ended_at: e.timestamp } : {}),
  }
}

/** What a waiting task names, which a pause keeps. */
const awaited = ({ waits_for, next_try_at }: Task) => ({ waits_for, next_try_at })

export const task = fold<Task, TaskEvent>(blank, {
  "task.created": (s, e) => {
    if (s.status !== "unknown") return late(s)
    const { cause, previous, ...declared } = e.payload
    const { thread_id, timestamp } = e
    return { ...touched(s, e), ...declared, thread_id, status: "accepted", cause, created_at: timestamp }
  },
  "task.accepted": (s, e) =>
    taskEnded(s) ? late(s) : { ...touched(s, e), assignee: e.payload.assignee, assignee_accepted: true },
  "task.queued": (s, e) => enter(s, e, "queued"),
  "task.started": (s, e) => enter(s, e, e.payload.to),
  // Delivery may change after the end, so an ended task still takes field changes.
  "task.updated": (s, e) => {
    const changed = Object.entries(e.payload.changes).map(([field, { to }]) => [field, to])
    return { ...touched(s, e), ...Object.fromEntries(changed) }
  },
  "task.progress": (s, e) => {
    if (taskEnded(s)) return late(s)
    const { cause, previous, ...progress } = e.payload
    const output_refs = [...s.output_refs, ...(progress.output_refs ?? [])]
    return { ...touched(s, e), progress: { ...s.progress, ...progress }, output_refs }
  },
  "task.waiting": (s, e) =>
    enter(s, e, e.payload.wait, { waits_for: e.payload.waits_for, next_try_at: e.payload.next_try_at }),
  "task.blocked": (s, e) => enter(s, e, "blocked", { missing: e.payload.missing }),
  "task.paused": (s, e) =>
    s.status === "paused" ? late(s) : enter(s, e, "paused", { held: s.status, ...awaited(s) }),
  "task.resumed": (s, e) => {
    if (s.status !== "paused" && s.status !== "unknown") return late(s)
    return enter(s, e, e.payload.to, e.payload.to === s.held ? awaited(s) : {})
  },
  "task.retrying": (s, e) =>
    s.status === "completed"
      ? late(s)
      : {
          ...enter({ ...s, status: "retrying", ended_at: undefined }, e, "retrying"),
          cancel_requested: false,
          failure: undefined,
        },
  "task.cancel_requested": (s, e) => (taskEnded(s) ? late(s) : { ...touched(s, e), cancel_requested: true }),
  "task.cancelled": (s, e) => enter(s, e, "cancelled"),
  "task.timed_out": (s, e) => enter(s, e, "timed_out"),
  "task.failed": (s, e) =>
    enter(s, e, "failed", { failure: { category: e.payload.category, next: e.payload.next } }),
  "task.lost": (s, e) => enter(s, e, "lost"),
  "task.completed": (s, e) => {
    const { output_refs, artifact_ids, evidence_ids, delivery } = e.payload
    return enter(s, e, "completed", { output_refs, artifact_ids, evidence_ids, delivery })
  },
  "task.archived": (s, e) => ({ ...touched(s, e), archived: true }),
})

export const tasks = family(task, (e) => e.task_id, { ended: taskEnded, keep: 256 })
