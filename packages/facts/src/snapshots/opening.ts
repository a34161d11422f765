import type { SessionState } from "../session-state.ts"
import { type ArtifactCheckpointSummary, artifactCheckpointSummary } from "./artifact.ts"
import { type ContextBoundarySnapshot, contextBoundarySnapshot } from "./context.ts"
import { type EvidenceSummary, evidenceSummary } from "./evidence.ts"
import { type PermissionSandboxSummary, permissionSandboxSummary } from "./permission.ts"
import { type QueueSnapshot, queueSnapshot } from "./queue.ts"
import { type SessionSnapshot, sessionSnapshot } from "./session.ts"
import { type SubagentJobSummary, subagentJobSummary } from "./subagent-job.ts"
import { type TaskSnapshot, taskSnapshot } from "./task.ts"
import { type ThreadReadModel, threadReadModel } from "./thread.ts"

/** What a client opens a session with. */
export type SessionReadModels = {
  session_snapshot: SessionSnapshot
  thread_read_models: readonly ThreadReadModel[]
  queue_snapshots: readonly QueueSnapshot[]
  context_boundary_snapshots: readonly ContextBoundarySnapshot[]
  task_snapshot: TaskSnapshot
  permission_sandbox_summary: PermissionSandboxSummary
  artifact_checkpoint_summary: ArtifactCheckpointSummary
  evidence_summary: EvidenceSummary
  subagent_job_summary: SubagentJobSummary
}

/** All of one state: read models of several moments would show a picture that never was. */
export function sessionReadModels(
  state: SessionState,
  options: Parameters<typeof sessionSnapshot>[1] = {},
): SessionReadModels {
  const session_snapshot = sessionSnapshot(state, options)
  const of = <R>(make: (state: SessionState, thread_id: string) => R): R[] =>
    session_snapshot.threads.map(({ thread_id }) => make(state, thread_id))
  return {
    session_snapshot,
    thread_read_models: of(threadReadModel),
    queue_snapshots: of(queueSnapshot),
    context_boundary_snapshots: of(contextBoundarySnapshot),
    task_snapshot: taskSnapshot(state),
    permission_sandbox_summary: permissionSandboxSummary(state),
    artifact_checkpoint_summary: artifactCheckpointSummary(state),
    evidence_summary: evidenceSummary(state),
    subagent_job_summary: subagentJobSummary(state),
  }
}
