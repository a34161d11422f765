import { z } from "zod"
import { Id } from "../ids.ts"
import { Text } from "../known.ts"
import { JobView } from "../snapshots/subagent-job.ts"
import { defineCommand } from "./define-command.ts"

const onJob = { job_id: Id, session_id: Id.optional() }

export const jobCommands = {
  list_jobs: defineCommand({
    doc: "Lists the jobs of a scope in a stable order.",
    mutates: false,
    input: z.strictObject({ session_id: Id, thread_id: Id.optional() }),
    result: z.object({ jobs: z.array(JobView), sequence: z.int().min(0) }),
    refusals: ["not_found", "scope_mismatch"],
  }),

  get_job: defineCommand({
    doc: "One job with the state, attempts and assignment of every item.",
    mutates: false,
    input: z.strictObject(onJob),
    result: z.object({ job: JobView, sequence: z.int().min(0) }),
    refusals: ["not_found", "scope_mismatch"],
  }),

  cancel_job: defineCommand({
    doc: "Starts no further item, stops running ones and keeps finished outcomes.",
    mutates: true,
    input: z.strictObject({ ...onJob, reason: Text }),
    result: z.object({ job_id: Id, outcome: z.enum(["cancelled", "no_op"]) }),
    refusals: ["not_found", "scope_mismatch", "wrong_state"],
    emits: ["job.item.failed", "job.cancelled"],
  }),
} as const
