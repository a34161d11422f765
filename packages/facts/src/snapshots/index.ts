import { ArtifactCheckpointSummary } from "./artifact.ts"
import { ChannelSummary } from "./channel.ts"
import { ContextBoundarySnapshot } from "./context.ts"
import type { SnapshotDefinition } from "./define-snapshot.ts"
import { ExecutionEnvironmentSnapshot } from "./environment.ts"
import { EvidenceSummary } from "./evidence.ts"
import type { SnapshotName } from "./names.ts"
import { PermissionSandboxSummary } from "./permission.ts"
import { QueueSnapshot } from "./queue.ts"
import { RoutingLimitSummary } from "./routing.ts"
import { SessionSnapshot } from "./session.ts"
import { SubagentJobSummary } from "./subagent-job.ts"
import { TaskSnapshot } from "./task.ts"
import { ThreadReadModel } from "./thread.ts"
import { ToolInventorySnapshot } from "./tools.ts"

/** The table of read models, keyed by name. */
export const snapshots = {
  session_snapshot: SessionSnapshot,
  thread_read_model: ThreadReadModel,
  tool_inventory_snapshot: ToolInventorySnapshot,
  queue_snapshot: QueueSnapshot,
  task_snapshot: TaskSnapshot,
  context_boundary_snapshot: ContextBoundarySnapshot,
  artifact_checkpoint_summary: ArtifactCheckpointSummary,
  evidence_summary: EvidenceSummary,
  permission_sandbox_summary: PermissionSandboxSummary,
  execution_environment_snapshot: ExecutionEnvironmentSnapshot,
  routing_limit_summary: RoutingLimitSummary,
  subagent_job_summary: SubagentJobSummary,
  channel_summary: ChannelSummary,
} as const satisfies { [N in SnapshotName]: SnapshotDefinition<N> }
