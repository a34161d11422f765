import { z } from "zod"
import { Id } from "./ids.ts"
import { Ref } from "./refs.ts"

/** The fields that every fact may carry. Which of them a class needs is declared with the class. */
export const Envelope = z.strictObject({
  type: z.string().min(1).max(120),
  event_id: Id,
  timestamp: z.iso.datetime(),
  sequence: z.int().min(1),
  schema_version: z.int().min(1),
  runtime_id: Id.optional(),
  session_id: Id.optional(),
  thread_id: Id.optional(),
  turn_id: Id.optional(),
  task_id: Id.optional(),
  run_id: Id.optional(),
  attempt_id: Id.optional(),
  step_id: Id.optional(),
  tool_call_id: Id.optional(),
  action_id: Id.optional(),
  subagent_id: Id.optional(),
  trace_id: z.string().min(1).max(64).optional(),
  span_id: z.string().min(1).max(64).optional(),
  payload: z.record(z.string(), z.unknown()),
  refs: z.array(Ref).optional(),
})
export type Envelope = z.infer<typeof Envelope>

export const scopeIds = ["session_id", "thread_id", "turn_id"] as const
export const workIds = [
  "task_id",
  "run_id",
  "attempt_id",
  "step_id",
  "tool_call_id",
  "action_id",
  "subagent_id",
] as const
export type ScopeId = (typeof scopeIds)[number]
export type WorkId = (typeof workIds)[number]

/** Any turn may run as an attempt of a task or inside a child agent, so these apply everywhere. */
export const ambientIds: readonly WorkId[] = ["task_id", "run_id", "attempt_id", "subagent_id"]
