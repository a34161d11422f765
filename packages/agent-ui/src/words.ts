import {
  actionTypes,
  controls,
  phases,
  runtimeEntities,
  statuses,
  surfaces,
  toolStates,
  topologies,
} from "./taxonomy.ts"

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
export const runOutcomes = ["success", "cancelled", "interrupted", "failed", "unknown"] as const
export const capsuleGroups = [
  "needs_input",
  "blocked",
  "running",
  "queued",
  "failed",
  "idle",
  "done",
  "unknown",
] as const
export const processKinds = [
  "status",
  "reasoning",
  "plan",
  "tool",
  "action",
  "text",
  "artifact",
  "evidence",
  "context",
  "compaction",
  "task",
  "agent",
  "handoff",
  "notification",
  "review",
  "steer",
  "error",
] as const

/** Every key that a view may carry: a catalog of words is whole when it has them all. */
export function wordKeys(): string[] {
  const groups: Readonly<Record<string, readonly string[]>> = {
    surface: surfaces,
    control: controls,
    state: surfaceStates,
    reason: reasons,
    run: runStates,
    phase: phases,
    outcome: runOutcomes,
    tool: [...toolStates, "unknown"],
    action: actionStates,
    actionType: [...actionTypes, "unknown"],
    group: capsuleGroups,
    process: processKinds,
    topology: topologies,
    entity: runtimeEntities,
    ...Object.fromEntries(Object.entries(statuses).map(([item, words]) => [`status.${item}`, words])),
  }
  const empties = surfaces.map((surface) => `empty.${surface}`)
  return [
    ...Object.entries(groups).flatMap(([group, words]) => words.map((word) => `${group}.${word}`)),
    ...empties,
  ]
}
