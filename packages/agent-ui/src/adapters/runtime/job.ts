import type { JobEvent } from "@factum/facts"
import type { AgentUiEvent } from "../../envelope.ts"
import type { TaskChangedPayload } from "../../events/index.ts"
import { given, known } from "./given.ts"
import { event, type Place, type Translations } from "./place.ts"
import { queueFacts } from "./queue-facts.ts"

type Counts = Extract<JobEvent, { type: "job.progress" }>["payload"]["counts"]

/** Jobs are tasks of their own kind; their items are tasks below them. */
export const jobFrames: Translations<JobEvent> = {
  "job.created": (fact) => {
    const { title, items } = fact.payload
    return [
      job(fact, "accepted", {
        title,
        status: "scheduled",
        runtimeStatus: "accepted",
        progress: { done: 0, total: items.length },
        ...queueFacts(fact.payload),
      }),
      ...items.map(({ item_id, title }) =>
        item(fact, item_id, "accepted", { status: "scheduled", title: title ?? item_id }),
      ),
    ]
  },
  "job.started": (fact) => [job(fact, "acting", { status: "running", runtimeStatus: "running" })],
  "job.progress": (fact) => [job(fact, "acting", { progress: progress(fact.payload.counts) })],
  "job.item.started": (fact) => {
    const { item_id, attempt, worker } = fact.payload
    return [
      item(fact, item_id, "acting", {
        status: "running",
        runtimeStatus: "running",
        attempts: attempt,
        assignee: { kind: "agent", id: worker },
      }),
    ]
  },
  "job.item.completed": (fact) => {
    const { item_id, attempt, output_refs } = fact.payload
    return [
      item(fact, item_id, "completed", {
        status: "completed",
        runtimeStatus: "completed",
        attempts: attempt,
        ...given({ lastRunRef: output_refs[0]?.uri }),
      }),
    ]
  },
  "job.item.failed": (fact) => {
    const { item_id, attempt, status, category, reason } = fact.payload
    return [
      item(fact, item_id, status === "cancelled" ? "cancelled" : "failed", {
        status,
        runtimeStatus: status,
        attempts: attempt,
        failure: { category, message: reason },
      }),
    ]
  },
  "job.completed": (fact) => [job(fact, "completed", ended("completed", fact.payload.counts))],
  "job.failed": (fact) => {
    const { counts, category, reason } = fact.payload
    return [job(fact, "failed", { ...ended("failed", counts), failure: { category, message: reason } })]
  },
  "job.cancelled": (fact) => {
    const { counts, reason } = fact.payload
    return [job(fact, "cancelled", { ...ended("cancelled", counts), blocker: reason })]
  },
}

const background = {
  owner: "task",
  scope: "task",
  surface: "task_capsule",
  persistence: "snapshot",
} as const
const runtimeEntity = "automation_job"

function job(fact: JobEvent, phase: Place["phase"], payload: TaskChangedPayload): AgentUiEvent {
  const place = { ...background, phase, taskId: fact.payload.job_id }
  return event("task.changed", fact, place, { runtimeEntity, ...payload })
}

function item(
  fact: JobEvent,
  item_id: string,
  phase: Place["phase"],
  payload: TaskChangedPayload,
): AgentUiEvent {
  const { job_id } = fact.payload
  const place = { ...background, phase, taskId: `${job_id}|${item_id}` }
  return event("task.changed", fact, place, { runtimeEntity, parentTaskId: job_id, ...payload })
}

const ended = (status: string, counts: Counts): TaskChangedPayload => ({
  status,
  runtimeStatus: status,
  progress: progress(counts),
})

/** How many items have ended, whichever way; unknown as soon as one of the counts is. */
function progress({ total, completed, failed, cancelled }: Counts) {
  const over = [completed, failed, cancelled]
  const done = over.includes("unknown") ? undefined : over.reduce<number>((sum, n) => sum + Number(n), 0)
  return given({ done, total: known(total) })
}
