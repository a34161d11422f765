import { z } from "zod"
import type { EventType } from "../events/index.ts"
import { Id } from "../ids.ts"
import type { RefusalCode } from "./refusal.ts"

/** `unavailable`: a command whose capability this host does not have. */
const anyCommand = ["invalid_input", "unauthorized", "too_large", "unavailable"] as const
/** A repeat under one `command_id` with other input is a conflict; a full disk refuses. */
const anyMutation = ["conflict", "write_failed"] as const

export type CommandDefinition<I extends z.ZodType = z.ZodType, R extends z.ZodType = z.ZodType> = {
  doc: string
  mutates: boolean
  input: I
  result: R
  refusals: readonly RefusalCode[]
  emits: readonly EventType[]
}

/** Declares a command once: validation, routes, reference and schema all derive from it. */
export function defineCommand<I extends z.ZodType, R extends z.ZodType>(declared: {
  doc: string
  mutates: boolean
  input: I
  result: R
  /** The refusals of its own, beside those that any command may meet. */
  refusals?: readonly RefusalCode[]
  emits?: readonly EventType[]
}): CommandDefinition<I, R> {
  const common = declared.mutates ? [...anyCommand, ...anyMutation] : anyCommand
  return {
    ...declared,
    refusals: [...new Set([...common, ...(declared.refusals ?? [])])],
    emits: declared.emits ?? [],
  }
}

export const CommandEnvelope = z.strictObject({
  command_id: Id,
  name: z.string().min(1),
  input: z.record(z.string(), z.unknown()),
})
export type CommandEnvelope = z.infer<typeof CommandEnvelope>

export const inThread = { session_id: Id, thread_id: Id }
/** A child agent is always addressed through its parent. */
export const fromParent = { session_id: Id, thread_id: Id, turn_id: Id }
export const CommandScope = z.strictObject({
  session_id: Id,
  thread_id: Id.optional(),
  turn_id: Id.optional(),
  task_id: Id.optional(),
})
