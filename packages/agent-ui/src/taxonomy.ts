import type { PortName } from "./ports.ts"

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

/** What each surface offers, in this order, and nothing else. */
export const surfaceControls = {
  composer: ["send", "queue", "steer", "interrupt"],
  conversation: ["retry", "rollback", "open_detail"],
  inline_process: ["interrupt", "open_detail"],
  runtime_status: ["interrupt", "retry"],
  tool_ui: ["retry", "stop", "open_detail"],
  hitl: ["approve", "reject", "answer", "edit"],
  task_capsule: ["stop", "retry", "open_detail"],
  artifact_workspace: ["edit", "rollback", "export", "retry", "open_detail"],
  timeline_evidence: ["export", "request_review", "open_detail"],
  session_tabs: ["open_detail"],
  diagnostics: ["open_detail"],
  team_roster: ["delegate", "continue_agent", "wait", "stop", "close"],
  work_board: ["assign", "request_review", "open_detail"],
  delegation_graph: ["wait", "retry", "stop", "open_detail"],
  handoff_lane: ["continue_agent", "open_detail"],
  worker_notifications: ["retry", "open_detail"],
  review_lane: ["request_review", "open_detail"],
  teammate_transcript: ["continue_agent", "stop", "open_detail"],
  background_teammate: ["stop", "retry", "close", "open_detail"],
  remote_teammate: ["answer", "continue_agent", "stop", "open_detail"],
  team_policy: ["approve", "reject", "stop", "close"],
} as const satisfies Record<string, readonly Control[]>

export const surfaces = Object.keys(surfaceControls) as readonly SurfaceName[]

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

/** Which owners' ports can carry out a control; what it is about may need one of them in particular. */
export const controlPorts = {
  send: ["runtime.submit"],
  queue: ["runtime.queue"],
  steer: ["runtime.steer"],
  interrupt: ["runtime.interrupt"],
  delegate: ["team.delegate"],
  assign: ["team.assign"],
  continue_agent: ["team.continue"],
  wait: ["team.wait"],
  stop: ["team.stop", "runtime.stop", "task.stop", "job.stop", "tool.stop"],
  close: ["team.close"],
  request_review: ["evidence.review"],
  approve: ["runtime.respond", "policy.respond"],
  reject: ["runtime.respond", "policy.respond"],
  answer: ["runtime.respond"],
  edit: ["artifact.edit", "runtime.respond"],
  retry: ["runtime.retry", "artifact.retry", "team.retry", "task.retry", "job.retry", "tool.retry"],
  rollback: ["artifact.rollback", "session.rollback"],
  export: ["artifact.export", "evidence.export"],
  open_detail: ["session.read", "artifact.read", "evidence.read"],
} as const satisfies Record<string, readonly PortName[]>
export const controls = Object.keys(controlPorts) as readonly Control[]

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

/** What each type of request offers. */
export const requestControls = {
  tool_approval: ["approve", "reject"],
  plan_decision: ["approve", "reject", "edit"],
  teammate_plan_decision: ["approve", "reject", "edit"],
  structured_input: ["answer", "reject"],
  clarification: ["answer"],
  permission_grant: ["approve", "reject"],
  delegated_permission: ["approve", "reject"],
  credential_request: ["answer", "reject"],
  artifact_review: ["approve", "reject", "edit"],
} as const satisfies Record<string, readonly Control[]>
export const actionTypes = Object.keys(requestControls) as readonly (keyof typeof requestControls)[]

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
export type SurfaceName = keyof typeof surfaceControls
export type Persistence = Open<(typeof persistences)[number]>
export type Control = keyof typeof controlPorts
export type Topology = Open<(typeof topologies)[number]>
export type RuntimeEntity = Open<(typeof runtimeEntities)[number]>
export type ToolState = (typeof toolStates)[number]
/** The seven states, and what is not known. */
export type ToolStatus = ToolState | "unknown"
export type ActionType = Open<(typeof actionTypes)[number]>

/** How a missing fact is told: never as a default that looks like a fact. */
export type Fallback = "unknown" | "unavailable" | "stale" | "blocked"
