/** Why something is as it is, as keys; what an owner said in its own words goes beside, as `said`. */
export const reasons = [
  "no_port",
  "no_target",
  "not_reported",
  "not_loaded",
  "unknown",
  "owner_says",
  "stream_gap",
  "session_stale",
  "connection_lost",
  "missed_wake",
  "newer_version",
  "target_changed",
  "older_than_target",
  "archived_copy",
  "held_while_stale",
  "awaiting_confirmation",
  "awaiting_approval",
  "awaiting_user",
  "awaiting_permission",
  "awaiting_dependency",
  "awaiting_teammate",
  "awaiting_queue",
  "awaiting_acceptance",
  "awaiting_auth",
  "awaiting_input",
  "missing_context",
  "paused",
  "closed",
  "locked",
  "deleted",
  "failed",
  "run_ended",
  "expired",
  "outcome_unknown",
  "status_unknown",
  "phase_unknown",
  "kind_unknown",
  "verdict_unknown",
  "risk_unknown",
  "reason_unknown",
  "card_unavailable",
  "output_unavailable",
  "preview_unavailable",
  "transcript_unavailable",
  "ref_unavailable",
  "parent_not_loaded",
  "history_not_loaded",
] as const
export type Reason = (typeof reasons)[number]

/** What `runtime_status` says. */
export const runStates = [
  "idle",
  "submitted",
  "accepted",
  "routing",
  "preparing",
  "streaming",
  "blocked",
  "retrying",
  "failed",
  "done",
  "cancelled",
  "interrupted",
  "unknown",
] as const
export type RunState = (typeof runStates)[number]

export const surfaceStates = [
  "ready",
  "empty",
  "loading",
  "unknown",
  "unavailable",
  "stale",
  "blocked",
] as const
export const actionStates = ["pending", "answering", "resolved", "ended"] as const
/** A request without an owner's word on it, answered here or not. */
export const isAsking = (state: string): boolean => state === "pending" || state === "answering"
export const runOutcomes = ["success", "cancelled", "interrupted", "failed", "unknown"] as const
/** How the words for a status weigh for a person, whatever kind of item it is of: what needs one comes first. */
export const statusGroups = {
  needs_input: "needs_input plan_ready input_required auth_required waiting_input waiting_permission",
  blocked: "blocked paused",
  running: `running working active waking spawning claimed reviewing merging forming retrying accepted resumed
    commented`,
  queued: "queued promoted scheduled submitted waiting open assigned requested handoff_requested",
  failed: "failed rejected lost timed_out changes_requested",
  idle: "idle sleeping shutdown_requested",
  done: "completed done passed returned closed killed canceled cancelled removed started archived",
  unknown: "unknown",
}
export const capsuleGroups = Object.keys(statusGroups) as readonly (keyof typeof statusGroups)[]
