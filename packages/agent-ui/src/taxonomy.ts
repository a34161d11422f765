/** The portable classification of Agent UI. Every list is open: an unlisted value survives and is flagged. */
export const owners = [
  "runtime",
  "model",
  "tool",
  "action",
  "artifact",
  "evidence",
  "context",
  "policy",
  "task",
  "agent",
  "session",
  "diagnostics",
  "ui_projection",
] as const

export const scopes = [
  "application",
  "workspace",
  "team",
  "session",
  "thread",
  "run",
  "turn",
  "message",
  "part",
  "task",
  "agent",
  "tool_call",
  "action_request",
  "artifact",
  "evidence",
] as const

export const phases = [
  "draft",
  "submitted",
  "accepted",
  "routing",
  "preparing",
  "planning",
  "reasoning",
  "acting",
  "waiting",
  "reviewing",
  "producing",
  "reconciling",
  "completed",
  "failed",
  "cancelled",
  "interrupted",
  "archived",
  "hydrating",
] as const

export const surfaces = [
  "composer",
  "conversation",
  "inline_process",
  "runtime_status",
  "tool_ui",
  "hitl",
  "task_capsule",
  "artifact_workspace",
  "timeline_evidence",
  "session_tabs",
  "diagnostics",
  "team_roster",
  "work_board",
  "delegation_graph",
  "handoff_lane",
  "worker_notifications",
  "review_lane",
  "teammate_transcript",
  "background_teammate",
  "remote_teammate",
  "team_policy",
] as const

export const persistences = [
  "ephemeral_live",
  "transcript",
  "snapshot",
  "archive",
  "artifact_store",
  "evidence_pack",
  "diagnostics_log",
  "ui_local",
] as const

export const controls = [
  "send",
  "queue",
  "steer",
  "interrupt",
  "delegate",
  "assign",
  "continue_agent",
  "wait",
  "stop",
  "close",
  "request_review",
  "approve",
  "reject",
  "answer",
  "edit",
  "retry",
  "rollback",
  "export",
  "open_detail",
] as const

export const topologies = [
  "solo_run",
  "coordinator_team",
  "parallel_workers",
  "specialist_handoff",
  "review_team",
  "human_agent_board",
  "background_teammate",
  "remote_teammate",
] as const

export const runtimeEntities = [
  "agent_turn",
  "subagent_turn",
  "automation_job",
  "external_task",
  "work_item",
] as const

export const toolStates = [
  "input-streaming",
  "input-available",
  "running",
  "progress",
  "output-available",
  "output-error",
  "cancelled",
] as const

export const actionTypes = [
  "tool_approval",
  "plan_decision",
  "teammate_plan_decision",
  "structured_input",
  "clarification",
  "permission_grant",
  "delegated_permission",
  "credential_request",
  "artifact_review",
] as const

/** The status words of each kind of item. */
export const statuses = {
  queued_turn: ["queued", "promoted", "removed", "started"],
  work_item: ["open", "claimed", "running", "blocked", "reviewing", "done"],
  background_job: ["scheduled", "sleeping", "waking", "running", "blocked", "paused", "failed", "completed"],
  teammate: [
    "spawning",
    "running",
    "waiting",
    "needs_input",
    "plan_ready",
    "idle",
    "failed",
    "completed",
    "killed",
    "closed",
    "shutdown_requested",
  ],
  team: ["forming", "active", "waiting", "merging", "done"],
  handoff: ["handoff_requested", "accepted", "active", "returned", "resumed"],
  review: ["requested", "reviewing", "passed", "changes_requested", "failed"],
  board_item: ["assigned", "claimed", "blocked", "commented", "done"],
  remote_task: [
    "submitted",
    "working",
    "input_required",
    "auth_required",
    "completed",
    "failed",
    "canceled",
    "rejected",
  ],
} as const

/** A listed value, or any other one that a source uses. */
type Open<T extends string> = T | (string & {})

export type Owner = Open<(typeof owners)[number]>
export type Scope = Open<(typeof scopes)[number]>
export type Phase = Open<(typeof phases)[number]>
export type SurfaceName = (typeof surfaces)[number]
export type Persistence = Open<(typeof persistences)[number]>
export type Control = (typeof controls)[number]
export type Topology = Open<(typeof topologies)[number]>
export type RuntimeEntity = Open<(typeof runtimeEntities)[number]>
export type ToolState = (typeof toolStates)[number]
/** The seven states, and what is not known. */
export type ToolStatus = ToolState | "unknown"
export type ActionType = Open<(typeof actionTypes)[number]>

/** How a missing fact is told: never as a default that looks like a fact. */
export type Fallback = "unknown" | "unavailable" | "stale" | "blocked"
