import type * as Conversation from "./conversation.ts"
import type * as Team from "./team.ts"
import type * as Work from "./work.ts"

export type * from "./conversation.ts"
export type * from "./team.ts"
export type * from "./work.ts"

/** The baseline classes with their payloads. */
export type Payloads = {
  "session.opened": Conversation.SessionPayload
  "session.hydrated": Conversation.SessionHydratedPayload
  "session.updated": Conversation.SessionPayload
  "session.closed": Conversation.SessionPayload
  "run.started": Conversation.RunPayload
  "run.status": Conversation.RunPayload
  "run.finished": Conversation.RunFinishedPayload
  "run.failed": Conversation.RunFailedPayload
  "plan.delta": Conversation.PlanPayload
  "plan.final": Conversation.PlanPayload
  "text.delta": Conversation.TextDeltaPayload
  "text.final": Conversation.TextFinalPayload
  "reasoning.delta": Conversation.ReasoningPayload
  "reasoning.summary": Conversation.ReasoningPayload
  "tool.started": Work.ToolStartedPayload
  "tool.args": Work.ToolArgsPayload
  "tool.progress": Work.ToolProgressPayload
  "tool.output.delta": Work.ToolOutputDeltaPayload
  "tool.result": Work.ToolResultPayload
  "tool.failed": Work.ToolFailedPayload
  "action.required": Work.ActionRequiredPayload
  "action.resolved": Work.ActionResolvedPayload
  "queue.changed": Work.QueueChangedPayload
  "task.changed": Team.TaskChangedPayload
  "agent.changed": Team.AgentPayload
  "agent.spawned": Team.AgentPayload
  "agent.completed": Team.AgentPayload
  "agent.handoff": Team.HandoffPayload
  "team.changed": Team.TeamChangedPayload
  "worker.notification": Team.NotificationPayload
  "review.requested": Team.ReviewPayload
  "review.completed": Team.ReviewPayload
  "context.changed": Work.ContextChangedPayload
  "context.compaction.started": Work.CompactionPayload
  "context.compaction.completed": Work.CompactionPayload
  "permission.changed": Work.PermissionChangedPayload
  "artifact.created": Work.ArtifactPayload
  "artifact.updated": Work.ArtifactPayload
  "artifact.preview.ready": Work.ArtifactPayload
  "artifact.version.created": Work.ArtifactPayload
  "artifact.diff.ready": Work.ArtifactPayload
  "artifact.export.started": Work.ArtifactPayload
  "artifact.export.completed": Work.ArtifactPayload
  "artifact.failed": Work.ArtifactPayload
  "artifact.deleted": Work.ArtifactPayload
  "artifact.changed": Work.ArtifactPayload
  "evidence.changed": Work.EvidencePayload
  "state.snapshot": Conversation.StateSnapshotPayload
  "state.delta": Conversation.StateDeltaPayload
  "messages.snapshot": Conversation.MessagesSnapshotPayload
  "diagnostic.changed": Conversation.DiagnosticPayload
  "metric.changed": Conversation.MetricPayload
}
export type EventClass = keyof Payloads
export type PayloadOf<T extends EventClass> = Payloads[T]
