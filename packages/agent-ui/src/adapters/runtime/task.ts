import type { Envelope, TaskEvent, WorkState } from "@factum/facts"
import type { AgentUiEvent } from "../../envelope.ts"
import type { TaskChangedPayload } from "../../events/index.ts"
import { given, isFields, known, textIn } from "./given.ts"
import { event, type Place, type Translations } from "./place.ts"
import { queueFacts } from "./queue-facts.ts"
import { boardStatus, phaseOf } from "./words.ts"

export const taskFrames: Translations<TaskEvent> = {
  "task.created": (fact) => {
    const { objective, parent_task_id, assignee, profile } = fact.payload
    return [
      item(fact, "accepted", {
        runtimeEntity: textIn(profile, "runtime_entity") ?? "work_item",
        workItemId: fact.task_id,
        title: textIn(profile, "title") ?? objective,
        objective,
        delivery: "not_due",
        ...given({
          parentTaskId: parent_task_id,
          assignee: assignee === undefined ? undefined : { id: assignee },
          kind: textIn(profile, "kind"),
          priority: textIn(profile, "priority"),
          schedule: textIn(profile, "schedule"),
          wakeReason: textIn(profile, "wake_reason"),
        }),
        ...queueFacts(fact.payload),
      }),
    ]
  },
  "task.accepted": (fact) => [
    event("task.changed", fact, board("accepted"), {
      status: "claimed",
      assignee: { id: fact.payload.assignee },
    }),
  ],
  "task.queued": (fact) => {
    const { behind, behind_id } = fact.payload
    return [
      item(fact, "queued", {
        queueReason: behind,
        ...given({ waitsFor: behind_id === undefined ? undefined : [behind_id] }),
        ...queueFacts(fact.payload),
      }),
    ]
  },
  "task.started": (fact) => [item(fact, fact.payload.to)],
  "task.updated": (fact) => [event("task.changed", fact, board("acting"), fieldsOf(fact.payload.changes))],
  "task.progress": (fact) => {
    const { percent, done, total, note } = fact.payload
    const progress = given({ percent, done: known(done), total: known(total), note })
    return [event("task.changed", fact, board("acting"), { progress })]
  },
  "task.waiting": (fact) => {
    const { wait, waits_for, next_try_at } = fact.payload
    const needs = { waiting_input: "input", waiting_permission: "permission", waiting_resource: undefined }[
      wait
    ]
    return [item(fact, wait, { waitingFor: waits_for, ...given({ needs, nextWakeAt: next_try_at }) })]
  },
  "task.blocked": (fact) => {
    const blocker = fact.payload.missing.map(({ detail }) => detail).join("; ")
    return [item(fact, "blocked", { blocker })]
  },
  "task.paused": (fact) => [item(fact, "paused")],
  "task.resumed": (fact) => [item(fact, fact.payload.to)],
  "task.retrying": (fact) => [item(fact, "retrying", { attempts: fact.payload.number })],
  "task.cancel_requested": (fact) => [
    event("task.changed", fact, board("waiting"), { waitingFor: "cancellation" }),
  ],
  "task.cancelled": (fact) => [item(fact, "cancelled")],
  "task.timed_out": (fact) => [
    item(fact, "timed_out", { failure: { category: "time_limit", message: fact.payload.cause } }),
  ],
  "task.failed": (fact) => {
    const { category, cause, next } = fact.payload
    return [item(fact, "failed", { failure: { category, message: cause, ...given({ next }) } })]
  },
  "task.lost": (fact) => [item(fact, "lost", { waitingFor: fact.payload.worker ?? "unknown" })],
  "task.completed": (fact) => {
    const { artifact_ids, evidence_ids, delivery, output_refs } = fact.payload
    return [
      item(fact, "completed", {
        artifactRefs: artifact_ids,
        evidenceRefs: evidence_ids,
        delivery,
        ...given({ lastRunRef: output_refs[0]?.uri }),
      }),
    ]
  },
  "task.archived": (fact) => [event("task.changed", fact, board("archived"), { removed: true })],
}

/** A task that entered a state: the board's word, and the runtime's own beside it. */
function item(fact: TaskEvent, state: WorkState, payload: TaskChangedPayload = {}): AgentUiEvent {
  return event("task.changed", fact, board(phaseOf[state]), {
    status: boardStatus[state],
    runtimeStatus: state,
    ...payload,
  })
}

export function board(phase: Place["phase"]): Place {
  return { owner: "task", scope: "task", phase, surface: "work_board", persistence: "snapshot" }
}

/** Only what changed, and of it only what a person is shown. */
function fieldsOf(changes: Readonly<Record<string, { to?: unknown }>>): TaskChangedPayload {
  const to = (name: string) => changes[name]?.to
  const text = (name: string) => textIn({ value: to(name) }, "value")
  const profile = to("profile")
  const assignee = text("assignee")
  return given({
    objective: text("objective"),
    parentTaskId: text("parent_task_id"),
    delivery: text("delivery"),
    assignee: assignee === undefined ? undefined : { id: assignee },
    title: isFields(profile) ? textIn(profile, "title") : undefined,
    priority: isFields(profile) ? textIn(profile, "priority") : undefined,
  })
}

export const taskOf = (fact: Envelope, task_id: string, payload: TaskChangedPayload): AgentUiEvent =>
  event("task.changed", fact, { ...board("acting"), taskId: task_id }, payload)
