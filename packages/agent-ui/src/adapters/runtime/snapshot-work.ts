import type { QueueSnapshot, TaskSnapshot, ThreadReadModel, WorkState } from "@factum/facts"
import type { AgentUiEvent } from "../../envelope.ts"
import { asked, request } from "./action.ts"
import { given, known } from "./given.ts"
import { boardStatus, phaseOf } from "./words.ts"

const light = { persistence: "snapshot" } as const
const isState = (status: string): status is WorkState => Object.hasOwn(phaseOf, status)

/** The active run with its phase, and how the last one ended. */
export function runEvents(sessionId: string, thread: ThreadReadModel): AgentUiEvent[] {
  const { active_turn, last_outcome, thread_id, queued_turns } = thread
  const at = {
    ...light,
    owner: "runtime",
    scope: "run",
    surface: "runtime_status",
    sessionId,
    threadId: thread_id,
  }
  const ended: AgentUiEvent[] = last_outcome === null ? [] : [{ ...at, ...endOf(last_outcome) }]
  if (active_turn === null) return ended
  const { turn_id, status, title, detail, since } = active_turn
  return [
    ...ended,
    {
      ...at,
      type: "run.status",
      turnId: turn_id,
      runId: turn_id,
      phase: isState(status) ? phaseOf[status] : status,
      payload: {
        status,
        runtimeStatus: status,
        runtimeEntity: "agent_turn",
        title,
        detail,
        queuedTurnCount: queued_turns.length,
      },
      ...given({ timestamp: since === "unknown" ? undefined : since }),
    },
  ]
}

function endOf(last: NonNullable<ThreadReadModel["last_outcome"]>): AgentUiEvent {
  const { turn_id, status, category, reason, ended_at } = last
  const ids = {
    turnId: turn_id,
    runId: turn_id,
    phase: isState(status) ? phaseOf[status] : status,
    ...given({ timestamp: ended_at === "unknown" ? undefined : ended_at }),
  }
  const told = { status, runtimeStatus: status, ...given({ reason }) }
  if (status === "completed") {
    return { ...ids, type: "run.finished", payload: { ...told, outcome: "success" } }
  }
  if (status === "cancelled") {
    return { ...ids, type: "run.finished", payload: { ...told, outcome: "cancelled" } }
  }
  return { ...ids, type: "run.failed", payload: { ...told, ...given({ category, message: reason }) } }
}

export function queueEvent(sessionId: string, queue: QueueSnapshot): AgentUiEvent {
  const turns = queue.queued.map(({ queued_turn_id, turn_id, source, state }, position) => ({
    queuedTurnId: queued_turn_id,
    turnId: turn_id,
    position,
    source,
    status: state === "waiting" ? "queued" : state,
  }))
  return {
    ...light,
    type: "queue.changed",
    owner: "runtime",
    scope: "thread",
    phase: "waiting",
    surface: "composer",
    sessionId,
    threadId: queue.thread_id,
    payload: { threadId: queue.thread_id, turns, policy: queue.policy },
  }
}

/** An open request is told with all that its card needs, as its own fact would; a permission that none stands for by its title. */
export function actionEvents(sessionId: string, thread: ThreadReadModel): AgentUiEvent[] {
  const { thread_id } = thread
  return thread.pending_requests
    .filter(({ kind, action_id }) => kind === "action" || action_id !== undefined)
    .map((pending): AgentUiEvent => {
      const { id, title, decided_by, turn_id, task_id, tool_call_id, subagent_id, deadline } = pending
      const at = {
        type: "action.required" as const,
        sessionId,
        threadId: thread_id,
        actionId: pending.action_id ?? id,
        ...given({ turnId: turn_id, runId: turn_id, taskId: task_id, toolCallId: tool_call_id }),
      }
      if (pending.request !== undefined) {
        const fact = { payload: pending.request, session_id: sessionId, thread_id, subagent_id, tool_call_id }
        return { ...asked(fact), ...at, payload: request(fact) }
      }
      return {
        ...light,
        owner: "action",
        scope: "action_request",
        phase: "waiting",
        surface: "hitl",
        ...at,
        payload: {
          title,
          respondTo: { sessionId, threadId: thread_id },
          ...given({
            toolCallId: tool_call_id,
            expiresAt: deadline,
            blockedReason:
              decided_by === "human" || decided_by === "unknown" ? undefined : `decided_by_${decided_by}`,
          }),
        },
      }
    })
}

export function taskEvents(sessionId: string, tasks: TaskSnapshot): AgentUiEvent[] {
  const all = [
    ...tasks.active,
    ...tasks.waiting,
    ...tasks.failed,
    ...tasks.lost,
    ...tasks.recent_terminal,
  ].filter(({ archived }) => !archived)
  return all.map((task): AgentUiEvent => {
    const { task_id, status, objective, assignee, parent_task_id, waits_for, missing, progress, failure } =
      task
    const dependencies = tasks.graph
      .filter(({ kind, from }) => kind === "dependency" && from === task_id)
      .map(({ to }) => to)
    const known_state = status === "unknown" ? undefined : status
    return {
      ...light,
      type: "task.changed",
      owner: "task",
      scope: "task",
      phase: known_state === undefined ? "hydrating" : phaseOf[known_state],
      surface: "work_board",
      sessionId,
      taskId: task_id,
      payload: {
        runtimeEntity: "work_item",
        workItemId: task_id,
        title: objective,
        objective,
        attempts: task.attempts.length,
        artifactRefs: task.artifact_ids,
        evidenceRefs: task.evidence_ids,
        delivery: task.delivery,
        dependencies,
        ...given({
          status: known_state && boardStatus[known_state],
          runtimeStatus: known_state,
          attemptId: task.current_attempt_id,
          assignee: assignee === undefined ? undefined : { id: assignee },
          parentTaskId: parent_task_id,
          waitingFor: waits_for,
          blocker: missing.length === 0 ? undefined : missing.map(({ detail }) => detail).join("; "),
          progress:
            progress &&
            given({
              percent: progress.percent,
              done: known(progress.done),
              total: known(progress.total),
              note: progress.note,
            }),
          failure: failure && { category: failure.category, ...given({ next: failure.next }) },
        }),
      },
    }
  })
}
