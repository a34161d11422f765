import { type AgentUiState, type MessagePart, readText } from "@factum/agent-ui"

/** What a projection comes to, short enough to be read and kept beside a trace. */
export function summarise(state: AgentUiState) {
  const each = <V, T>(table: { values(): Iterable<V> }, read: (entity: V) => T): T[] =>
    [...table.values()].map(read)
  return {
    streams: each(state.streams, ({ stream, applied, gap }) => ({ stream, applied, gap })),
    sessions: each(
      state.sessions,
      ({ sessionId, title, status, closed, stale, parentSessionId, messageIds }) => {
        return { sessionId, title, status, closed, stale, parentSessionId, messages: messageIds.length }
      },
    ),
    runs: each(state.runs, ({ runId, phase, status, ended, outcome, failure, process, steered }) => ({
      runId,
      phase,
      status,
      ended,
      outcome,
      failure: failure?.message,
      process: [...process].map(({ kind }) => kind).join(" "),
      steered: steered.length === 0 ? undefined : steered.map(({ text }) => text),
    })),
    messages: each(state.messages, ({ messageId, role, parts, inputs }) => ({
      messageId,
      role,
      parts: parts.map(partOf),
      inputs: inputs.length === 0 ? undefined : inputs.length,
    })),
    tools: each(state.tools, ({ toolCallId, toolName, status, durationMs, failure, channels }) => ({
      toolCallId,
      toolName,
      status,
      durationMs,
      failure: failure?.category,
      channels: Object.keys(channels).join(" ") || undefined,
    })),
    actions: each(state.actions, ({ actionId, actionType, state, title, requestedBy, resolution }) => ({
      actionId,
      actionType,
      state,
      title,
      requestedBy: requestedBy?.agentName,
      decision: resolution?.decision,
    })),
    queues: each(state.queues, ({ threadKey, turns, policy, steer }) => {
      return {
        threadKey,
        turns: turns.map(({ turnId, status }) => `${turnId} ${status}`),
        policy,
        steer: steer?.text,
      }
    }),
    tasks: each(state.tasks, (task) => {
      const {
        taskId,
        title,
        status,
        runtimeStatus,
        runtimeEntity,
        column,
        assignee,
        dependencies,
        parentTaskId,
      } = task
      return {
        taskId,
        title,
        status,
        runtimeStatus,
        runtimeEntity,
        column,
        assignee: assignee?.id,
        dependencies: dependencies.length === 0 ? undefined : dependencies,
        parentTaskId,
        remoteStatus: task.remoteStatus,
        blocker: task.blocker,
        progress: task.progress,
      }
    }),
    agents: each(
      state.agents,
      ({ agentId, agentName, teamName, role, status, ended, outcome, origin, ...agent }) => ({
        agentId,
        agentName,
        teamName,
        role,
        status,
        ended,
        outcome,
        topology: origin.topology,
        parentSessionId: origin.parentSessionId,
        childSessionId: agent.childSessionId,
        remoteStatus: agent.remoteStatus,
        schedule: agent.schedule,
      }),
    ),
    teams: each(state.teams, ({ teamId, status, teamPhase, roster }) => {
      return { teamId, status, teamPhase, roster: roster?.map(({ agentId }) => agentId) }
    }),
    handoffs: each(state.handoffs, ({ handoffId, from, to, status }) => ({ handoffId, from, to, status })),
    reviews: each(state.reviews, ({ reviewId, status, verdict, completed, requestedFixes }) => {
      return { reviewId, status, verdict, completed, requestedFixes }
    }),
    notifications: each(state.notifications, ({ notificationId, kind, status, summary }) => {
      return { notificationId, kind, status, summary }
    }),
    contexts: each(state.contexts, ({ contextKey, budget, missing }) => ({ contextKey, budget, missing })),
    compactions: each(state.compactions, ({ boundaryId, state, range }) => ({ boundaryId, state, range })),
    permissions: each(state.permissions, ({ subjectKey, verdict, approval, mode, budget, sandbox }) => {
      return { subjectKey, verdict, approval, mode, budget, enforced: sandbox?.enforced }
    }),
    artifacts: each(
      state.artifacts,
      ({ artifactId, title, kind, versions, diffs, exports, failure, gone }) => ({
        artifactId,
        title,
        kind,
        versions: versions.map(({ versionId }) => versionId),
        diffs: diffs.length,
        exports: exports.map(({ exportId, state }) => `${exportId} ${state}`),
        failure: failure?.message,
        gone,
      }),
    ),
    evidence: each(state.evidence, ({ evidenceId, kind, verdict }) => ({ evidenceId, kind, verdict })),
    metrics: each(state.metrics, ({ name, value, unit }) => `${name} ${value} ${unit ?? ""}`.trim()),
    diagnostics: [...state.diagnostics].map(({ code, severity }) => `${severity} ${code}`),
    unlisted: [...state.unlisted].map(({ type }) => type),
    findings: [...state.findings].map(({ code, type }) => `${code} ${type ?? ""}`.trim()),
  }
}

function partOf(part: MessagePart): string {
  switch (part.kind) {
    case "text":
      return `text ${part.state}${part.marker ? ` ${part.marker}` : ""}: ${readText(part.text)}`
    case "reasoning":
      return `reasoning ${part.state}: ${part.summary ?? readText(part.detail)}`
    default:
      return `${part.kind} ${part.ref}`
  }
}
