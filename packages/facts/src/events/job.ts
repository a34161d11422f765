import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { Id } from "../ids.ts"
import { Count, Text } from "../known.ts"
import { late } from "../late.ts"
import { Preview, Ref } from "../refs.ts"
import { family } from "../state.ts"

const on = { version: 1, scope: "session" } as const
const job_id = Id
const item = { job_id, item_id: Id, attempt: z.int().min(1) }
const By = z.enum(["user", "policy", "runtime"])

/** The counts follow from the items alone. */
export const JobCounts = z.object({
  total: Count,
  running: Count,
  completed: Count,
  failed: Count,
  cancelled: Count,
})

export const JobCreated = defineEvent("job.created", {
  ...on,
  doc: "A batch with its items and the rule by which failures end it.",
  payload: z.object({
    job_id,
    title: Text,
    items: z.array(z.object({ item_id: Id, title: z.string().optional(), input_ref: Ref.optional() })),
    failure_rule: z.discriminatedUnion("kind", [
      z.object({ kind: z.enum(["any_failure_fails", "all_failures_fail", "never_fails"]) }),
      z.object({ kind: z.literal("more_failures_than"), count: z.int().min(0) }),
    ]),
  }),
})

export const JobStarted = defineEvent("job.started", {
  ...on,
  doc: "The first item may run.",
  payload: z.object({ job_id }),
})

export const JobProgress = defineEvent("job.progress", {
  ...on,
  doc: "The counts of the items changed.",
  payload: z.object({ job_id, counts: JobCounts }),
})

export const JobItemStarted = defineEvent("job.item.started", {
  ...on,
  doc: "A worker took an item; no item is ever held by two.",
  payload: z.object({ ...item, worker: Text, assigned_thread_id: Id.optional() }),
})

export const JobItemCompleted = defineEvent("job.item.completed", {
  ...on,
  doc: "An attempt at an item succeeded.",
  payload: z.object({ ...item, output_refs: z.array(Ref), preview: Preview.optional() }),
})

export const JobItemFailed = defineEvent("job.item.failed", {
  ...on,
  doc: "An attempt at an item ended without success; a cancelled one says so.",
  payload: z.object({
    ...item,
    status: z.enum(["failed", "cancelled", "timed_out"]),
    category: Text,
    reason: Text,
  }),
})

export const JobCompleted = defineEvent("job.completed", {
  ...on,
  doc: "All items ended and the failure rule is kept; a job without items completes at once.",
  payload: z.object({ job_id, counts: JobCounts }),
})

export const JobFailed = defineEvent("job.failed", {
  ...on,
  doc: "The failure rule ended the job.",
  payload: z.object({ job_id, counts: JobCounts, category: Text, reason: Text }),
})

export const JobCancelled = defineEvent("job.cancelled", {
  ...on,
  doc: "The job was stopped; finished outcomes stay.",
  payload: z.object({ job_id, counts: JobCounts, by: By, reason: Text }),
})

export const jobEvents = [
  JobCreated,
  JobStarted,
  JobProgress,
  JobItemStarted,
  JobItemCompleted,
  JobItemFailed,
  JobCompleted,
  JobFailed,
  JobCancelled,
] as const
export type JobEvent = EventOf<(typeof jobEvents)[number]>
type ItemType = "job.item.started" | "job.item.completed" | "job.item.failed"
type ItemEvent = Extract<JobEvent, { type: ItemType }>
type WholeEvent = Exclude<JobEvent, { type: ItemType }>

export type Job = {
  job_id: string
  status: "unknown" | "accepted" | "running" | "completed" | "failed" | "cancelled"
  title: string
  items: readonly { item_id: string; title?: string | undefined }[]
  failure_rule?: Extract<JobEvent, { type: "job.created" }>["payload"]["failure_rule"]
  counts: z.infer<typeof JobCounts>
  reason?: string
  thread_id?: string | undefined
  created_at?: string
  ended_at?: string
  late: number
}
const noCounts = {
  total: "unknown",
  running: "unknown",
  completed: "unknown",
  failed: "unknown",
  cancelled: "unknown",
} as const
export const jobEnded = (job: Job): boolean =>
  job.status === "completed" || job.status === "failed" || job.status === "cancelled"

function end(s: Job, e: Extract<WholeEvent, { payload: { counts: unknown } }>, status: Job["status"]): Job {
  if (jobEnded(s)) return late(s)
  return { ...s, job_id: e.payload.job_id, status, counts: e.payload.counts, ended_at: e.timestamp }
}

export const job = fold<Job, WholeEvent>(
  { job_id: "", status: "unknown", title: "unknown", items: [], counts: noCounts, late: 0 },
  {
    "job.created": (s, e) => {
      if (s.status !== "unknown") return late(s)
      const { job_id, title, items, failure_rule } = e.payload
      const counts = { total: items.length, running: 0, completed: 0, failed: 0, cancelled: 0 }
      const { thread_id, timestamp } = e
      return {
        ...s,
        job_id,
        status: "accepted",
        title,
        items,
        failure_rule,
        counts,
        thread_id,
        created_at: timestamp,
      }
    },
    "job.started": (s, e) => (jobEnded(s) ? late(s) : { ...s, job_id: e.payload.job_id, status: "running" }),
    "job.progress": (s, e) =>
      jobEnded(s) ? late(s) : { ...s, job_id: e.payload.job_id, counts: e.payload.counts },
    "job.completed": (s, e) => end(s, e, "completed"),
    "job.failed": (s, e) => {
      const ended = end(s, e, "failed")
      return jobEnded(s) ? ended : { ...ended, reason: e.payload.reason }
    },
    "job.cancelled": (s, e) => {
      const ended = end(s, e, "cancelled")
      return jobEnded(s) ? ended : { ...ended, reason: e.payload.reason }
    },
  },
)

export type ItemAttempt = {
  attempt: number
  status: "running" | "completed" | "failed" | "cancelled" | "timed_out"
  worker: string
  assigned_thread_id?: string | undefined
  output_refs: readonly Ref[]
  failure?: { category: string; reason: string }
}
export type JobItem = {
  job_id: string
  item_id: string
  status: ItemAttempt["status"] | "unknown"
  attempts: readonly ItemAttempt[]
  late: number
}

/** Puts one attempt in its place and lets the latest attempt speak for the item. */
function withAttempt(s: JobItem, e: ItemEvent, made: ItemAttempt): JobItem {
  const { job_id, item_id } = e.payload
  const others = s.attempts.filter((known) => known.attempt !== made.attempt)
  const attempts = [...others, made].sort((a, b) => a.attempt - b.attempt)
  return { ...s, job_id, item_id, attempts, status: attempts.at(-1)?.status ?? "unknown" }
}

const attemptOf = (s: JobItem, e: ItemEvent): ItemAttempt | undefined =>
  s.attempts.find((known) => known.attempt === e.payload.attempt)

function settle(s: JobItem, e: ItemEvent, outcome: Omit<ItemAttempt, "attempt" | "worker">): JobItem {
  const known = attemptOf(s, e)
  if (known && known.status !== "running") return late(s)
  return withAttempt(s, e, { attempt: e.payload.attempt, worker: "unknown", ...known, ...outcome })
}

export const jobItem = fold<JobItem, ItemEvent>(
  { job_id: "", item_id: "", status: "unknown", attempts: [], late: 0 },
  {
    "job.item.started": (s, e) => {
      if (attemptOf(s, e)) return late(s)
      const { attempt, worker, assigned_thread_id } = e.payload
      return withAttempt(s, e, { attempt, status: "running", worker, assigned_thread_id, output_refs: [] })
    },
    "job.item.completed": (s, e) => settle(s, e, { status: "completed", output_refs: e.payload.output_refs }),
    "job.item.failed": (s, e) => {
      const { status, category, reason } = e.payload
      return settle(s, e, { status, failure: { category, reason }, output_refs: [] })
    },
  },
)

export const jobs = family(job, (e) => e.payload.job_id, { ended: jobEnded })
export const jobItems = family(jobItem, (e) => `${e.payload.job_id}|${e.payload.item_id}`)
