export const snapshotNames = [
  "session_snapshot",
  "thread_read_model",
  "tool_inventory_snapshot",
  "queue_snapshot",
  "task_snapshot",
  "context_boundary_snapshot",
  "artifact_checkpoint_summary",
  "evidence_summary",
  "permission_sandbox_summary",
  "execution_environment_snapshot",
  "routing_limit_summary",
  "subagent_job_summary",
  "channel_summary",
] as const
export type SnapshotName = (typeof snapshotNames)[number]
