import type { RefusalCode } from "@factum/facts"

/**
 * `internal_error` is no refusal of a command but a fault of the host, of which no more can be said;
 * `rate_limited` says nothing of the command, which was not looked at.
 */
export type AnswerCode = RefusalCode | "internal_error" | "rate_limited"

/** A code without a status does not compile. */
export const refusalStatus = {
  unknown_command: 404,
  invalid_input: 400,
  not_found: 404,
  scope_mismatch: 422,
  wrong_state: 409,
  already_resolved: 409,
  action_expired: 410,
  conflict: 409,
  not_permitted: 403,
  cycle: 422,
  bad_cursor: 400,
  too_large: 413,
  unauthorized: 401,
  write_failed: 507,
  unavailable: 503,
  rate_limited: 429,
  internal_error: 500,
} as const satisfies Record<AnswerCode, number>
