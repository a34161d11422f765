import { ask } from "./model.ts"
import { blob, record } from "./recording.ts"
import { beginTurn, endTurn, inSession, openSession, tell } from "./session.ts"
import { createTask, finishTask, startTask } from "./team.ts"
import { call } from "./tool.ts"

const place = (topology: string, surface: string, scope = "task") => ({
  owner: "task",
  scope,
  phase: "acting",
  surface,
  persistence: "snapshot",
  topology,
})

export function backgroundTeammate() {
  const rec = record("2026-03-06T02:00:00.000Z")
  const topology = "background_teammate"
  const session = openSession(rec, "nightly", "Nightly dependency audit")
  const night = createTask(session, "audit", "Audit the dependencies", {
    owner: "ana",
    profile: { runtime_entity: "automation_job", schedule: "every night at 02:00", wake_reason: "schedule" },
  })
  const agent = {
    owner: "agent",
    scope: "agent",
    phase: "acting",
    surface: "background_teammate",
    persistence: "snapshot",
    topology,
    agent_id: "auditor",
    task_id: night.task_id,
  }
  const runtime_entity = "automation_job"
  tell(
    inSession(session),
    "agent.changed",
    { ...agent, phase: "waiting" },
    {
      agent_name: "auditor",
      role: "background",
      runtime_entity,
      status: "idle",
      runtime_status: "scheduled",
      schedule: "every night at 02:00",
      next_wake_at: "2026-03-06T02:00:00.000Z",
    },
  )
  tell(
    inSession(session),
    "task.changed",
    { ...place(topology, "background_teammate"), task_id: night.task_id },
    { runtime_entity, status: "waking", wake_reason: "schedule" },
  )
  tell(inSession(session), "agent.changed", agent, {
    status: "running",
    runtime_status: "running",
    wake_reason: "schedule",
    current_run_id: "trn_nightly_1",
  })
  const attempt = startTask(night, "auditor")
  const turn = beginTurn(session, "1", "Audit the dependencies", { source: "automation:auditor" })
  ask(turn, [{ call: "shell", arguments: { command: "npm audit --json" } }])
  call(turn, {
    tool: "shell",
    input: { command: "npm audit --json" },
    command: ["npm", "audit", "--json"],
    output: '{"vulnerabilities":{"moderate":1,"high":0,"critical":0},"affected":["markdown-reader@2.1.0"]}',
    ms: 4100,
    network: "limited",
    rule: "audits may run",
  })
  ask(turn, [{ text: "One moderate finding: markdown-reader 2.1.0. Version 2.1.3 mends it." }])
  rec.add("evidence.changed", turn.on, {
    evidence_id: "evd_audit_0306",
    kind: "verification",
    change: "observed",
    owner: "auditor",
    ref: blob("audit 2026-03-06", { title: "Audit of 6 March" }),
    about: { kind: "task", id: night.task_id },
    verdict: "failed",
    missing: [],
  })
  endTurn(turn)
  finishTask(night, attempt, "1 moderate", { evidence: ["evd_audit_0306"] })
  tell(
    inSession(session),
    "agent.changed",
    { ...agent, phase: "waiting" },
    {
      status: "idle",
      runtime_status: "sleeping",
      last_run_ref: "trn_nightly_1",
      next_wake_at: "2026-03-07T02:00:00.000Z",
    },
  )
  tell(
    inSession(session),
    "task.changed",
    { ...place(topology, "background_teammate"), task_id: night.task_id, phase: "waiting" },
    {
      runtime_entity,
      status: "sleeping",
      last_run_ref: "trn_nightly_1",
      next_wake_at: "2026-03-07T02:00:00.000Z",
    },
  )
  tell(
    inSession(session),
    "worker.notification",
    { ...agent, surface: "worker_notifications" },
    {
      notification_id: "ntf_audit",
      kind: "summary",
      status: "completed",
      summary: "One moderate finding in markdown-reader 2.1.0.",
      result_ref: "evd_audit_0306",
      duration_ms: 9400,
      tool_count: 1,
    },
  )
  tell(
    inSession(session),
    "agent.changed",
    { ...agent, phase: "waiting", agent_id: "janitor" },
    {
      agent_name: "janitor",
      role: "background",
      runtime_entity,
      status: "idle",
      runtime_status: "paused",
      paused: true,
      schedule: "Sundays at 04:00",
      last_run_ref: "trn_janitor_88",
    },
  )
  return rec.facts
}
