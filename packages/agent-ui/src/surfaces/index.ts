import type { SurfaceName } from "../taxonomy.ts"
import { artifactWorkspace } from "./artifact-workspace.ts"
import { backgroundTeammate } from "./background-teammate.ts"
import { composer } from "./composer.ts"
import { conversation } from "./conversation.ts"
import { delegationGraph } from "./delegation-graph.ts"
import { diagnostics } from "./diagnostics.ts"
import { handoffLane } from "./handoff-lane.ts"
import { hitl } from "./hitl.ts"
import { inlineProcess } from "./inline-process.ts"
import { remoteTeammate } from "./remote-teammate.ts"
import { reviewLane } from "./review-lane.ts"
import { runtimeStatus } from "./runtime-status.ts"
import { sessionTabs } from "./session-tabs.ts"
import { taskCapsule } from "./task-capsule.ts"
import { teamPolicy } from "./team-policy.ts"
import { teamRoster } from "./team-roster.ts"
import { teammateTranscript } from "./teammate-transcript.ts"
import { timelineEvidence } from "./timeline-evidence.ts"
import { toolUi } from "./tool-ui.ts"
import type { Surface, View } from "./view.ts"
import { workBoard } from "./work-board.ts"
import { workerNotifications } from "./worker-notifications.ts"

/** Every surface once. */
export const surfaceTable = {
  composer,
  conversation,
  inline_process: inlineProcess,
  runtime_status: runtimeStatus,
  tool_ui: toolUi,
  hitl,
  task_capsule: taskCapsule,
  artifact_workspace: artifactWorkspace,
  timeline_evidence: timelineEvidence,
  session_tabs: sessionTabs,
  diagnostics,
  team_roster: teamRoster,
  work_board: workBoard,
  delegation_graph: delegationGraph,
  handoff_lane: handoffLane,
  worker_notifications: workerNotifications,
  review_lane: reviewLane,
  teammate_transcript: teammateTranscript,
  background_teammate: backgroundTeammate,
  remote_teammate: remoteTeammate,
  team_policy: teamPolicy,
} as const satisfies Record<SurfaceName, Surface<View>>

export type ViewOf<S extends SurfaceName> = ReturnType<(typeof surfaceTable)[S]["select"]>

export type { ArtifactRow, ArtifactWorkspaceView } from "./artifact-workspace.ts"
export type { BackgroundRow, BackgroundTeammateView } from "./background-teammate.ts"
export type { ComposerView, ContextChip } from "./composer.ts"
export type { Boundary, ConversationView } from "./conversation.ts"
export type { DelegationGraphView, GraphEdge, GraphNode } from "./delegation-graph.ts"
export type { DiagnosticRow, DiagnosticsView, MetricSeries } from "./diagnostics.ts"
export type { HandoffLaneView, HandoffRow } from "./handoff-lane.ts"
export type { ActionCard, HitlView, ReviewedArtifact } from "./hitl.ts"
export type { InlineProcessView, RunSummary } from "./inline-process.ts"
export type { ArtifactCard, Citation, MessageRow, TextView } from "./message-row.ts"
export type { Meter } from "./meter.ts"
export type { ContextNote, ProcessDetail, ProcessRow, ReasoningView } from "./process-row.ts"
export { processKinds } from "./process-row.ts"
export type { RemoteRequest, RemoteRow, RemoteTeammateView } from "./remote-teammate.ts"
export { isTime, momentsOf, standAt } from "./replay.ts"
export type { ReviewLaneView, ReviewRow } from "./review-lane.ts"
export type { RuntimeStatusView } from "./runtime-status.ts"
export type { SessionTab, SessionTabsView } from "./session-tabs.ts"
export { groupOf, type StatusGroup } from "./status-group.ts"
export type { Capsule, TaskCapsuleView } from "./task-capsule.ts"
export type { PolicyRow, TeamPolicyView } from "./team-policy.ts"
export type { TeamMemory, TeamRosterView, TeamRow } from "./team-roster.ts"
export type { Limits, TeammateRow } from "./teammate-row.ts"
export type { TeammateTranscriptView } from "./teammate-transcript.ts"
/** Whether what a surface shows depends on the reader's clock. */
export const isTimed = (name: SurfaceName): boolean => surfaceTable[name].timed === true

export type { EvidenceRow, Span, TimelineEvidenceView } from "./timeline-evidence.ts"
export type { ToolRow, ToolUiView } from "./tool-ui.ts"
export type * from "./view.ts"
export { createViews, type Views } from "./views.ts"
export type { Who } from "./who.ts"
export type { WorkBoardView, WorkItem } from "./work-board.ts"
export type { NotificationRow, WorkerNotificationsView } from "./worker-notifications.ts"
