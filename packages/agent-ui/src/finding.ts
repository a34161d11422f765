/** What the client found wrong or did to a fact: a stable code and a place, never a raw body. */
export type Finding = {
  code: FindingCode
  message: string
  stream?: string
  sequence?: number
  type?: string
  id?: string
}
export type FindingCode =
  | "rejected_event"
  | "missing_id"
  | "gap"
  | "conflict"
  | "unlisted_class"
  | "unlisted_value"
  | "leak_risk"
  | "oversize"
  | "owner_refused"
  | "late_delta"
  | "late_terminal"
  | "patch_failed"
  | "hostile_id"
  | "future_event"
  | "hydration_failed"
