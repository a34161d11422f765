import type { TaskOrchestrationEvent } from "@factum/facts"
import type { AgentUiEvent } from "../../envelope.ts"
import { given } from "./given.ts"
import { event, type Translations } from "./place.ts"
import { diagnostic } from "./process.ts"
import { taskOf } from "./task.ts"

type Dependency = Extract<TaskOrchestrationEvent, { type: "task.dependency.updated" }>

export const orchestrationFrames: Translations<TaskOrchestrationEvent> = {
  "task.delegated": (fact) => {
    const { to, to_id, objective, native_task_id } = fact.payload
    if (to === "child") return [taskOf(fact, to_id, { parentTaskId: fact.task_id, objective })]
    const assignee = { kind: "agent", id: to_id }
    if (to === "subagent") return [taskOf(fact, fact.task_id, { assignee })]
    const remote = { runtimeEntity: "external_task", ...given({ remoteTaskId: native_task_id }) }
    return [
      taskOf(fact, fact.task_id, { ...remote, assignee }),
      event(
        "agent.changed",
        fact,
        {
          owner: "agent",
          scope: "agent",
          phase: "submitted",
          surface: "remote_teammate",
          persistence: "snapshot",
          agentId: to_id,
        },
        { ...remote, spawnReason: objective },
      ),
    ]
  },
  "task.dependency.updated": (fact) => edge(fact),
  "task.attempt.started": (fact) => {
    const { number, worker } = fact.payload
    return [
      taskOf(fact, fact.task_id, {
        attempts: number,
        attemptId: fact.attempt_id,
        ...given({ assignee: worker === undefined ? undefined : { kind: "agent", id: worker } }),
      }),
    ]
  },
  "task.attempt.completed": (fact) => {
    const lastRunRef = fact.payload.output_refs[0]?.uri
    return [taskOf(fact, fact.task_id, { attemptId: fact.attempt_id, ...given({ lastRunRef }) })]
  },
  "task.attempt.failed": (fact) => {
    const { status, category, reason, output_refs = [] } = fact.payload
    const lastRunRef = output_refs[0]?.uri
    return [
      taskOf(fact, fact.task_id, { attemptId: fact.attempt_id, ...given({ lastRunRef }) }),
      // Whether the task failed with its attempt is for the task to say.
      diagnostic(fact, {
        code: `task.attempt.${status}`,
        severity: "warning",
        message: `${category}: ${reason}`,
        affected: [{ kind: "task", id: fact.task_id }],
      }),
    ]
  },
}

function edge(fact: Dependency): AgentUiEvent[] {
  const { edge, change } = fact.payload
  const { kind, from, to } = edge
  // The outcome of a dependency shows in the task that it blocks or sets free.
  if (change === "outcome") return []
  if (kind === "dependency") return [taskOf(fact, from, { [change]: [to] })]
  if (kind === "artifact" || kind === "evidence")
    return [taskOf(fact, from, { [change]: [to], links: `${kind}Refs` })]
  if (change === "unlinked") return []
  switch (kind) {
    case "parent":
      return [taskOf(fact, from, { parentTaskId: to })]
    case "child":
      return [taskOf(fact, to, { parentTaskId: from })]
    case "subagent":
      return [taskOf(fact, from, { assignee: { kind: "agent", id: to } })]
    case "source":
      return [event("task.changed", fact, { ...sourced, taskId: from, refs: { source: to } }, {})]
  }
}

const sourced = {
  owner: "task",
  scope: "task",
  phase: "acting",
  surface: "work_board",
  persistence: "snapshot",
} as const
