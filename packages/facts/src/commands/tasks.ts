import { z } from "zod"
import { Propagation, TaskProgressFields } from "../events/task.ts"
import { TaskEdge } from "../events/task-orchestration.ts"
import { Id } from "../ids.ts"
import { Details, Names, Text } from "../known.ts"
import { Ref } from "../refs.ts"
import { EdgeView, TaskView } from "../snapshots/task.ts"
import { WorkState, workStates } from "../status.ts"
import { defineCommand } from "./define-command.ts"

const onTask = { task_id: Id, session_id: Id.optional() }
const withReason = { ...onTask, reason: Text, propagation: Propagation.optional() }
const found = ["not_found", "scope_mismatch"] as const
const Moved = z.object({
  task_id: Id,
  outcome: z.enum(["applied", "no_op"]),
  status: WorkState,
  /** Other tasks that the propagation reached. */
  also: z.array(Id),
})
const Started = Moved.extend({ attempt_id: Id.optional() })
const requires = z.strictObject({ artifacts: Names.optional(), evidence: Names.optional() })

export const taskCommands = {
  create_task: defineCommand({
    doc: "Records a unit of work with an objective in a session, a thread or under a parent task.",
    mutates: true,
    input: z.strictObject({
      objective: Text,
      session_id: Id,
      thread_id: Id.optional(),
      parent_task_id: Id.optional(),
      task_id: Id.optional(),
      owner: Text.optional(),
      assignee: Text.optional(),
      profile: Details.optional(),
      constraints: Details.optional(),
      requires: requires.optional(),
    }),
    result: z.object({ task_id: Id, status: WorkState }),
    refusals: found,
    emits: ["task.created", "task.accepted", "task.queued", "task.delegated"],
  }),

  update_task: defineCommand({
    doc: "Changes fields of a task, never its status; archives an ended one.",
    mutates: true,
    input: z.strictObject({
      ...onTask,
      changes: z
        .strictObject({
          objective: Text.optional(),
          owner: Text.optional(),
          assignee: Text.optional(),
          profile: Details.optional(),
          constraints: Details.optional(),
          requires: requires.optional(),
        })
        .optional(),
      archive: z.literal(true).optional(),
    }),
    result: z.object({ task_id: Id, outcome: z.enum(["applied", "archived", "no_op"]) }),
    refusals: [...found, "wrong_state"],
    emits: ["task.updated", "task.archived"],
  }),

  start_task: defineCommand({
    doc: "Starts an attempt, or names the unmet dependencies that block it.",
    mutates: true,
    input: z.strictObject(onTask),
    result: Started,
    refusals: [...found, "wrong_state"],
    emits: ["task.started", "task.attempt.started", "task.blocked"],
  }),

  append_task_progress: defineCommand({
    doc: "Adds progress or refs; a hundred percent does not complete a task.",
    mutates: true,
    input: z.strictObject({ ...onTask, progress: z.strictObject(TaskProgressFields.shape) }),
    result: z.object({ task_id: Id, status: WorkState }),
    refusals: [...found, "wrong_state"],
    emits: ["task.progress"],
  }),

  pause_task: defineCommand({
    doc: "Holds a task where it is.",
    mutates: true,
    input: z.strictObject(withReason),
    result: Moved,
    refusals: [...found, "wrong_state"],
    emits: ["task.paused"],
  }),

  resume_task: defineCommand({
    doc: "Ends a pause; the task is again what it was, and open actions stay open.",
    mutates: true,
    input: z.strictObject(withReason),
    result: Moved,
    refusals: [...found, "wrong_state"],
    emits: ["task.resumed"],
  }),

  cancel_task: defineCommand({
    doc: "Asks to cancel; the task is cancelled once the work is proven stopped, else lost.",
    mutates: true,
    input: z.strictObject(withReason),
    result: Moved,
    refusals: [...found, "wrong_state"],
    emits: ["task.cancel_requested", "task.cancelled", "task.lost", "task.attempt.failed", "action.resolved"],
  }),

  retry_task: defineCommand({
    doc: "Starts a new attempt at a task that failed, timed out, was lost or cancelled.",
    mutates: true,
    input: z.strictObject(withReason),
    result: Started,
    refusals: [...found, "wrong_state"],
    emits: ["task.retrying", "task.attempt.started"],
  }),

  complete_task: defineCommand({
    doc: "The owner declares completion; refused while anything that it depends on is open.",
    mutates: true,
    input: z.strictObject({
      ...onTask,
      declared_by: Text,
      output_refs: z.array(Ref).optional(),
      artifact_ids: Names.optional(),
      evidence_ids: Names.optional(),
    }),
    result: Moved,
    refusals: [...found, "wrong_state"],
    emits: ["task.attempt.completed", "task.completed"],
  }),

  fail_task: defineCommand({
    doc: "Ends a task as failed, with a category.",
    mutates: true,
    input: z.strictObject({ ...onTask, category: Text, reason: Text, next: z.string().optional() }),
    result: Moved,
    refusals: [...found, "wrong_state"],
    emits: ["task.attempt.failed", "task.failed"],
  }),

  list_tasks: defineCommand({
    doc: "Lists tasks of a scope in a stable order.",
    mutates: false,
    input: z.strictObject({
      session_id: Id,
      thread_id: Id.optional(),
      parent_task_id: Id.optional(),
      states: z.array(z.enum(workStates)).optional(),
      archived: z.boolean().optional(),
      cursor: Text.optional(),
      limit: z.int().min(1).max(500).optional(),
    }),
    result: z.object({ tasks: z.array(TaskView), sequence: z.int().min(0), next_cursor: Text.optional() }),
    refusals: [...found, "bad_cursor"],
  }),

  get_task: defineCommand({
    doc: "The whole task with all attempts and edges, also when archived.",
    mutates: false,
    input: z.strictObject(onTask),
    result: z.object({ task: TaskView, edges: z.array(EdgeView), sequence: z.int().min(0) }),
    refusals: found,
  }),

  link_tasks: defineCommand({
    doc: "Adds one edge to the task graph.",
    mutates: true,
    input: z.strictObject({ session_id: Id, edge: z.strictObject(TaskEdge.shape) }),
    result: z.object({ outcome: z.enum(["linked", "no_op"]), edge: TaskEdge }),
    refusals: [...found, "cycle"],
    emits: ["task.dependency.updated"],
  }),

  unlink_tasks: defineCommand({
    doc: "Removes one edge; a task blocked only by it can start again.",
    mutates: true,
    input: z.strictObject({ session_id: Id, edge: z.strictObject(TaskEdge.shape) }),
    result: z.object({ outcome: z.enum(["unlinked", "no_op"]), edge: TaskEdge }),
    refusals: found,
    emits: ["task.dependency.updated", "task.queued"],
  }),
} as const
