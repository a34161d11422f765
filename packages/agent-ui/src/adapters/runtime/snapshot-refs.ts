import type {
  ArtifactCheckpointSummary,
  ContextBoundarySnapshot,
  EvidenceSummary,
  PermissionSandboxSummary,
  SubagentJobSummary,
  WorkState,
} from "@factum/facts"
import type { AgentUiEvent } from "../../envelope.ts"
import { given, known } from "./given.ts"
import { preview } from "./place.ts"
import { phaseOf, teammateStatus } from "./words.ts"

const light = { persistence: "snapshot" } as const
const unlessUnknown = <T>(value: T | "unknown"): T | undefined =>
  value === "unknown" ? undefined : (value as T)

export function permissionEvents(sessionId: string, summary: PermissionSandboxSummary): AgentUiEvent[] {
  const { permission, sandbox } = summary
  const enforced = sandbox.in_force === "unknown" ? undefined : sandbox.in_force
  const boundary = given({
    profile: unlessUnknown(sandbox.profile),
    network: unlessUnknown(sandbox.network),
    enforced,
  })
  return [
    {
      ...light,
      type: "permission.changed",
      owner: "policy",
      scope: "session",
      phase: "hydrating",
      surface: "team_policy",
      sessionId,
      payload: {
        subject: { kind: "session", id: sessionId },
        ...given({
          policyVersion: unlessUnknown(permission.policy_version),
          mode: unlessUnknown(permission.mode),
          sandbox: Object.keys(boundary).length === 0 ? undefined : boundary,
        }),
      },
    },
  ]
}

export function contextEvents(sessionId: string, context: ContextBoundarySnapshot): AgentUiEvent[] {
  const at = {
    ...light,
    owner: "context",
    scope: "thread",
    phase: "hydrating",
    surface: "inline_process",
    sessionId,
    threadId: context.thread_id,
  }
  return [
    {
      ...at,
      type: "context.changed",
      payload: {
        selection: context.selected.map(({ kind, ref }) => ({
          id: ref.uri,
          kind,
          ref: ref.uri,
          ...given({ label: ref.title }),
        })),
        missing: context.missing.map(({ name, reason }) => ({ id: name, reason })),
        warnings: context.warnings,
      },
    },
    ...context.compactions.map(
      ({ compaction_id, from, to, summary_ref }): AgentUiEvent => ({
        ...at,
        type: "context.compaction.completed",
        payload: {
          boundaryId: compaction_id,
          range: { from, to },
          summaryRef: summary_ref.uri,
          ...given({ summary: summary_ref.title }),
        },
      }),
    ),
  ]
}

/** Cards only: bodies stay behind their refs until someone opens them. */
export function artifactEvents(sessionId: string, summary: ArtifactCheckpointSummary): AgentUiEvent[] {
  return summary.artifacts.map((artifact): AgentUiEvent => {
    const { artifact_id, status, owner, title, kind, media_type, refs, diff_ref } = artifact
    const { version, versions, history, validation_issues } = artifact
    const at = {
      ...light,
      owner: "artifact",
      scope: "artifact",
      phase: "hydrating",
      surface: "artifact_workspace",
      sessionId,
      artifactId: artifact_id,
      ...given({ turnId: artifact.turn_id, runId: artifact.turn_id, taskId: artifact.task_id }),
    }
    if (status === "removed")
      return { ...at, type: "artifact.deleted", payload: { owner, ...given({ title }) } }
    return {
      ...at,
      type: "artifact.changed",
      payload: {
        owner,
        versionId: version,
        version,
        versions:
          history?.map(({ version: versionId, at, ref }) => {
            return { versionId, label: versionId, createdAt: at, ...given({ ref: ref?.uri }) }
          }) ?? versions.map((versionId) => ({ versionId })),
        validationIssues: validation_issues,
        ...given({
          title,
          kind,
          mediaType: media_type,
          bodyRef: refs[0]?.uri,
          diffRef: diff_ref?.uri,
          preview: preview(artifact.preview),
        }),
      },
    }
  })
}

export function evidenceEvents(sessionId: string, summary: EvidenceSummary): AgentUiEvent[] {
  const notes = Map.groupBy(summary.audit_notes, ({ evidence_id }) => evidence_id)
  const kinds = [
    ["evidence", summary.evidence_refs],
    ["verification", summary.verifications],
    ["replay", summary.replay_refs],
    ["review", summary.review_refs],
  ] as const
  return kinds.flatMap(([kind, refs]) =>
    refs.map((one): AgentUiEvent => {
      const { evidence_id, ref, about } = one
      return {
        ...light,
        type: "evidence.changed",
        owner: "evidence",
        scope: "evidence",
        phase: "hydrating",
        surface: "timeline_evidence",
        sessionId,
        evidenceId: evidence_id,
        payload: {
          kind,
          ...given({
            title: ref?.title,
            ref: ref?.uri,
            digest: ref?.digest,
            target: about,
            verdict: "verdict" in one ? one.verdict : undefined,
            notes: notes.get(evidence_id)?.map(({ note }) => note),
          }),
        },
      }
    }),
  )
}

export function teamEvents(summary: SubagentJobSummary): AgentUiEvent[] {
  return [
    ...summary.children.map((child): AgentUiEvent => {
      const { subagent_id, parent, status, agent, objective, isolation, recoverable } = child
      const { outcome, output_refs, preview, failure } = child
      const state = Object.hasOwn(phaseOf, status) ? (status as WorkState) : undefined
      return {
        ...light,
        type: "agent.changed",
        owner: "agent",
        scope: "agent",
        phase: state === undefined ? "hydrating" : phaseOf[state],
        surface: "team_roster",
        sessionId: parent.session_id,
        threadId: parent.thread_id,
        turnId: parent.turn_id,
        runId: parent.turn_id,
        agentId: subagent_id,
        parentSessionId: parent.session_id,
        parentThreadId: parent.thread_id,
        payload: {
          runtimeEntity: "subagent_turn",
          ...given({
            agentName: unlessUnknown(agent),
            role: unlessUnknown(agent),
            spawnReason: unlessUnknown(objective),
            childSessionId: unlessUnknown(child.child_session_id),
            childThreadId: unlessUnknown(child.child_thread_id),
            status: state === undefined ? unlessUnknown(status) : teammateStatus[state],
            runtimeStatus: unlessUnknown(status),
            latestTurnStatus: status === "closed" ? outcome : unlessUnknown(status),
            outcome,
            summary: preview?.text,
            resultRef: output_refs?.[0]?.uri,
            failure: failure && { category: failure.category, message: failure.reason },
            recoverable: recoverable === "unknown" ? undefined : recoverable,
            isolation:
              isolation === "unknown" ? undefined : `${isolation.workspace}, ${isolation.sandbox_profile}`,
          }),
        },
        ...given({
          refs: parent.subagent_id === undefined ? undefined : { parentAgentId: parent.subagent_id },
        }),
      }
    }),
    ...summary.jobs.map(
      ({ job_id, title, status, counts }): AgentUiEvent => ({
        ...light,
        type: "task.changed",
        owner: "task",
        scope: "task",
        phase: Object.hasOwn(phaseOf, status) ? phaseOf[status as WorkState] : "hydrating",
        surface: "task_capsule",
        taskId: job_id,
        payload: {
          runtimeEntity: "automation_job",
          title,
          status: status === "accepted" ? "scheduled" : status,
          runtimeStatus: status,
          progress: given({ done: known(counts.completed), total: known(counts.total) }),
        },
      }),
    ),
  ]
}
