import { cut } from "./escape.ts"

/** What can be wrong with what a model said. The model repairs its output from these, so each says what to do. */
export const issueCodes = [
  "not_json",
  "duplicate_key",
  "forbidden_key",
  "too_large",
  "too_deep",
  "too_many_actions",
  "incomplete",
  "multiple_blocks",
  "not_a_declaration",
  "not_enabled",
  "unsupported_version",
  "missing_field",
  "invalid_field",
  "unknown_field",
  "intent_payload_mismatch",
  "unsupported_payload",
  "duplicate_id",
  "unknown_dependency",
  "cycle",
  "unknown_scheme",
  "unresolved_ref",
  "ambiguous_ref",
  "forbidden_ref",
  "unknown_executor",
  "executor_mismatch",
  "not_executable",
  "no_executor",
  "invalid_input",
  "unknown_operation",
  "unbounded_loop",
  "invalid_condition",
  "conflicting_writes",
  "unknown_run",
  "wrong_run_state",
  "not_permitted",
  "uncertain",
  "budget_exceeded",
] as const
export type IssueCode = (typeof issueCodes)[number]

export type ProtocolIssue = {
  code: IssueCode
  /** Where in the declaration, as a JSON path such as `payload.actions[2].depends_on[0]`; empty for the whole. */
  path: string
  /** What is wrong, with the offending value where it helps. */
  message: string
  /** What a correct value looks like. */
  fix: string
}

export type Checked<T> = { ok: true; value: T } | { ok: false; issues: readonly ProtocolIssue[] }

/** A message may quote what the model wrote, and is told to it again: however long that was, this is not. */
const longest = 1000

export const issue = (code: IssueCode, path: string, message: string, fix: string): ProtocolIssue => ({
  code,
  path,
  message: cut(message, longest),
  fix: cut(fix, longest),
})
export const refuse = (...issues: ProtocolIssue[]): { ok: false; issues: readonly ProtocolIssue[] } => ({
  ok: false,
  issues,
})
