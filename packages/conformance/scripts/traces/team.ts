import { blob, shown } from "./recording.ts"
import { openSession, type Session, type Turn } from "./session.ts"

export type Child = { subagent_id: string; session: Session; parent: Turn; agent: string }

/** Starts a child agent with a session of its own. */
export function spawn(
  parent: Turn,
  agent: string,
  objective: string,
  more: {
    task_id?: string
    depth?: number
    parent_subagent_id?: string
    workspace?: "shared" | "worktree" | "copy"
  } = {},
): Child {
  const { rec } = parent.session
  const name = `${parent.session.name}_${agent}`
  const subagent_id = `sub_${name}`
  const at = { ...parent.on, subagent_id, ...(more.task_id && { task_id: more.task_id }) }
  rec.add("subagent.spawned", at, {
    child_session_id: `ses_${name}`,
    child_thread_id: `thr_${name}`,
    agent,
    objective,
    depth: more.depth ?? 1,
    ...(more.parent_subagent_id && { parent_subagent_id: more.parent_subagent_id }),
    isolation: { workspace: more.workspace ?? "worktree", sandbox_profile: "workspace-write" },
    policy_version: "v7",
    on_parent_interrupt: "end",
  })
  const session = openSession(rec, name, objective, { session: parent.session, subagent_id })
  return { subagent_id, session, parent, agent }
}

type Status =
  | "accepted"
  | "queued"
  | "running"
  | "waiting_input"
  | "waiting_permission"
  | "waiting_resource"
  | "lost"

export function childStatus(
  { parent, subagent_id }: Child,
  status: Status,
  previous: Status,
  reason: string,
  waiting_action_id?: string,
): void {
  parent.session.rec.add(
    "subagent.status",
    { ...parent.on, subagent_id },
    {
      status,
      previous,
      reason,
      recoverable: true,
      ...(waiting_action_id && { waiting_action_id }),
    },
  )
}

export function childDone({ parent, subagent_id }: Child, result: string, round = 1): void {
  const payload = { round, output_refs: [blob(result, { title: "Report" })], preview: shown(result) }
  parent.session.rec.add("subagent.completed", { ...parent.on, subagent_id }, payload)
}

export function childFailed(
  { parent, subagent_id }: Child,
  category: string,
  reason: string,
  status: "failed" | "cancelled" | "timed_out" = "failed",
): void {
  const payload = { round: 1, status, category, reason, recoverable: status === "failed" }
  parent.session.rec.add("subagent.failed", { ...parent.on, subagent_id }, payload)
}

export function childClosed({ parent, subagent_id }: Child, reason = "work is done"): void {
  parent.session.rec.add("subagent.closed", { ...parent.on, subagent_id }, { reason, by: "parent" })
}

type Task = {
  session: Session
  task_id: string
  on: { session_id: string; thread_id: string; task_id: string }
}

export function createTask(
  session: Session,
  id: string,
  title: string,
  more: {
    objective?: string
    owner?: string
    assignee?: string
    parent?: string
    profile?: Record<string, unknown>
  } = {},
): Task {
  const task_id = `tsk_${session.name}_${id}`
  const { subagent_id: _, ...scope } = session.on
  const on = { ...scope, task_id }
  session.rec.add("task.created", on, {
    cause: "planned",
    previous: "none",
    objective: more.objective ?? title,
    owner: more.owner ?? "lead",
    ...(more.assignee && { assignee: more.assignee }),
    ...(more.parent && { parent_task_id: more.parent }),
    profile: { title, ...more.profile },
  })
  return { session, task_id, on }
}

export function startTask(
  { session, on, task_id }: Task,
  worker: string,
  number = 1,
): { run_id: string; attempt_id: string } {
  const id = `run_${task_id.slice(4)}_${number}`
  const attempt = { run_id: id, attempt_id: id }
  session.rec.add(
    "task.attempt.started",
    { ...on, ...attempt },
    { number, cause: number === 1 ? "start" : "retry", worker },
  )
  session.rec.add("task.started", on, {
    cause: "a worker is free",
    previous: number === 1 ? "accepted" : "retrying",
    to: "running",
  })
  return attempt
}

export function finishTask(
  { session, on }: Task,
  attempt: { run_id: string; attempt_id: string },
  result: string,
  more: { artifacts?: string[]; evidence?: string[] } = {},
): void {
  const output_refs = [blob(result)]
  session.rec.add("task.attempt.completed", { ...on, ...attempt }, { output_refs, preview: shown(result) })
  session.rec.add("task.completed", on, {
    cause: "the owner declared it done",
    previous: "running",
    declared_by: "lead",
    output_refs,
    artifact_ids: more.artifacts ?? [],
    evidence_ids: more.evidence ?? [],
    delivery: "delivered",
  })
}

export function needs({ session, on }: Task, other: Task): void {
  session.rec.add("task.dependency.updated", on, {
    edge: { kind: "dependency", from: on.task_id, to: other.task_id },
    change: "linked",
    outcome: "pending",
  })
}
