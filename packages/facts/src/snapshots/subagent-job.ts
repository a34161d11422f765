import { z } from "zod"
import { type Job, JobCounts } from "../events/job.ts"
import type { Subagent } from "../events/subagent.ts"
import { Text } from "../known.ts"
import { Preview, Ref } from "../refs.ts"
import type { SessionState } from "../session-state.ts"
import { defineSnapshot, type Freshness, reflected, reflects } from "./define-snapshot.ts"

export const ChildView = z.object({
  subagent_id: z.string(),
  parent: z.object({
    session_id: z.string(),
    thread_id: z.string(),
    turn_id: z.string(),
    subagent_id: z.string().optional(),
  }),
  status: Text,
  agent: Text,
  objective: Text,
  child_session_id: Text,
  child_thread_id: Text,
  depth: z.union([z.int(), z.literal("unknown")]),
  isolation: z.union([z.object({ workspace: Text, sandbox_profile: Text }), z.literal("unknown")]),
  recoverable: z.union([z.boolean(), z.literal("unknown")]),
  recoverable_reason: z.string().optional(),
  waiting_action_id: z.string().optional(),
  /** How its last round of work ended, and what it gave. */
  outcome: z.enum(["completed", "failed", "cancelled", "timed_out"]).optional(),
  output_refs: z.array(Ref).optional(),
  preview: Preview.optional(),
  failure: z.object({ category: Text, reason: Text }).optional(),
})

export const JobView = z.object({
  job_id: z.string(),
  title: Text,
  status: Text,
  counts: JobCounts,
  reason: z.string().optional(),
  items: z.array(
    z.object({
      item_id: z.string(),
      status: Text,
      attempts: z.array(
        z.object({
          attempt: z.int(),
          status: Text,
          worker: Text,
          assigned_thread_id: z.string().optional(),
        }),
      ),
    }),
  ),
})

export const SubagentJobSummary = defineSnapshot("subagent_job_summary", {
  version: 1,
  doc: "The child graph, job progress, assigned threads and whether each child can be continued.",
  schema: z.object({
    ...reflected,
    children: z.array(ChildView),
    jobs: z.array(JobView),
    assigned_threads: z.array(z.object({ thread_id: z.string(), to: Text, id: z.string() })),
  }),
})
export type SubagentJobSummary = z.infer<typeof SubagentJobSummary.schema>

export function subagentJobSummary(state: SessionState, freshness?: Freshness): SubagentJobSummary {
  const children = Object.values(state.entities.subagents).map(childView)
  const jobs = Object.values(state.entities.jobs).map((job) => jobView(state, job))
  const assigned_threads = [
    ...children
      .filter((child) => child.child_thread_id !== "unknown")
      .map((child) => ({ thread_id: child.child_thread_id, to: "subagent", id: child.subagent_id })),
    ...jobs.flatMap((job) =>
      job.items.flatMap((item) =>
        item.attempts.flatMap(({ assigned_thread_id: thread_id }) =>
          thread_id === undefined ? [] : [{ thread_id, to: "job_item", id: `${job.job_id}|${item.item_id}` }],
        ),
      ),
    ),
  ]
  return { ...reflects(state, freshness), children, jobs, assigned_threads }
}

export function childView(child: Subagent): z.infer<typeof ChildView> {
  const { subagent_id, parent, status, spawned, recoverable, recoverable_reason, waiting_action_id } = child
  const { outcome, output_refs, preview, failure } = child
  return {
    subagent_id,
    parent,
    status,
    agent: spawned?.agent ?? "unknown",
    objective: spawned?.objective ?? "unknown",
    child_session_id: spawned?.child_session_id ?? "unknown",
    child_thread_id: spawned?.child_thread_id ?? "unknown",
    depth: spawned?.depth ?? "unknown",
    isolation: spawned
      ? { workspace: spawned.isolation.workspace, sandbox_profile: spawned.isolation.sandbox_profile }
      : "unknown",
    recoverable,
    recoverable_reason,
    waiting_action_id,
    ...(outcome !== undefined && { outcome, output_refs: [...output_refs], preview, failure }),
  }
}

export function jobView(state: SessionState, job: Job): z.infer<typeof JobView> {
  const { job_id, title, status, counts, reason } = job
  const items = job.items.map(({ item_id }) => {
    const item = state.entities.jobItems[`${job_id}|${item_id}`]
    const attempts = (item?.attempts ?? []).map(({ attempt, status, worker, assigned_thread_id }) => {
      return { attempt, status, worker, assigned_thread_id }
    })
    return { item_id, status: item?.status ?? "accepted", attempts }
  })
  return { job_id, title, status, counts, reason, items }
}
