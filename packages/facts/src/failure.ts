import { z } from "zod"

export const failureCategories = [
  "invalid_args",
  "unknown_tool",
  "permission_denied",
  "sandbox_violation",
  "hook_blocked",
  "tool_error",
  "time_limit",
  "interrupted",
  "runtime_restart",
  "outcome_unknown",
] as const
export const FailureCategory = z.enum(failureCategories)
export type FailureCategory = z.infer<typeof FailureCategory>
