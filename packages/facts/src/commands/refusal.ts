import { z } from "zod"

export const refusalCodes = [
  "unknown_command",
  "invalid_input",
  "not_found",
  "scope_mismatch",
  "wrong_state",
  "already_resolved",
  "action_expired",
  "conflict",
  "not_permitted",
  "cycle",
  "bad_cursor",
  "too_large",
  "unauthorized",
  "write_failed",
  "unavailable",
] as const
export type RefusalCode = (typeof refusalCodes)[number]

/** The structured answer to a command that was not carried out and left no trace in the log. */
export const Refusal = z.object({
  code: z.enum(refusalCodes),
  message: z.string().min(1),
  field: z.string().exactOptional(),
  id: z.string().exactOptional(),
  /** The current state, where it is what forbids the command. */
  state: z.string().exactOptional(),
  fix: z.string().exactOptional(),
})
export type Refusal = z.infer<typeof Refusal>
