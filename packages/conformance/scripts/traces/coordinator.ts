import { ask } from "./model.ts"
import { blob, record } from "./recording.ts"
import { member, rosterOf } from "./roster.ts"
import { beginTurn, endTurn, openSession, tell } from "./session.ts"
import {
  childClosed,
  childDone,
  childStatus,
  createTask,
  finishTask,
  needs,
  spawn,
  startTask,
} from "./team.ts"
import { call } from "./tool.ts"

const coordinator = "coordinator_team"

export function coordinatorTeam() {
  const rec = record("2026-03-05T08:00:00.000Z")
  const session = openSession(rec, "delivery", "Choose a queue for the importer")
  const turn = beginTurn(session, "1", "Compare three message queues for our importer and recommend one.")
  tell(turn, "team.changed", rosterOf(coordinator), {
    team_id: "team_delivery",
    team_name: "delivery-team",
    status: "forming",
    selected: true,
    coordinator_id: "lead@delivery-team",
    roster: [{ agent_id: "lead@delivery-team", agent_name: "lead", role: "coordinator" }],
  })
  tell(turn, "agent.changed", member("lead@delivery-team", coordinator), {
    agent_name: "lead",
    team_name: "delivery-team",
    role: "coordinator",
    status: "running",
    model: "northwind/sonnet-large",
    policy: "ask",
    capabilities: ["plan", "delegate", "synthesise"],
    color: "violet",
  })
  ask(turn, [
    {
      reasoning:
        "Three candidates, three questions each. One researcher for facts, one engineer to measure, one for cost.",
      summary: "Split into research, measurement and cost.",
    },
    { text: "I'll have three teammates look at facts, speed and cost." },
  ])
  const tasks = {
    research: createTask(session, "research", "Collect facts on three queues", { assignee: "researcher" }),
    measure: createTask(session, "measure", "Measure throughput on our payloads", { assignee: "engineer" }),
    cost: createTask(session, "cost", "Estimate the cost for a year", { assignee: "analyst" }),
    recommend: createTask(session, "recommend", "Recommend one", { assignee: "lead" }),
  }
  for (const before of [tasks.research, tasks.measure, tasks.cost]) needs(tasks.recommend, before)
  const researcher = spawn(turn, "researcher", "Collect facts on three queues", {
    task_id: tasks.research.task_id,
  })
  const engineer = spawn(turn, "engineer", "Measure throughput on our payloads", {
    task_id: tasks.measure.task_id,
  })
  const analyst = spawn(turn, "analyst", "Estimate the cost for a year", { task_id: tasks.cost.task_id })
  const roster = [researcher, engineer, analyst].map(({ subagent_id, agent }) => ({
    agent_id: subagent_id,
    agent_name: agent,
    role: agent,
  }))
  tell(turn, "team.changed", rosterOf(coordinator), {
    team_id: "team_delivery",
    status: "active",
    team_phase: "fanout",
    team_parallel_budget: 3,
    team_active_count: 3,
    team_queued_count: 0,
    roster: [{ agent_id: "lead@delivery-team", agent_name: "lead", role: "coordinator" }, ...roster],
  })
  for (const child of [researcher, engineer, analyst]) {
    tell(
      turn,
      "agent.changed",
      { ...member(child.subagent_id, coordinator) },
      {
        team_name: "delivery-team",
        model: "northwind/haiku-small",
        policy: "read only",
        capabilities: ["search", "fetch", "shell"],
      },
    )
    childStatus(child, "running", "accepted", "started")
  }
  const attempts = {
    research: startTask(tasks.research, "researcher"),
    measure: startTask(tasks.measure, "engineer"),
    cost: startTask(tasks.cost, "analyst"),
  }
  const found = beginTurn(researcher.session, "1", "Collect facts on three queues", { source: "parent" })
  const measured = beginTurn(engineer.session, "1", "Measure throughput on our payloads", {
    source: "parent",
  })
  ask(found, [
    { text: "I'll read the documentation of each." },
    { call: "fetch", arguments: { url: "https://queues.example/compare" } },
  ])
  call(found, {
    tool: "fetch",
    input: { url: "https://queues.example/compare" },
    output:
      "Rill: log, at least once. Brook: broker, exactly once within a topic. Ford: table, at least once.",
    ms: 620,
  })
  ask(measured, [{ call: "shell", arguments: { command: "node bench/queues.mjs" } }])
  call(measured, {
    tool: "shell",
    input: { command: "node bench/queues.mjs" },
    command: ["node", "bench/queues.mjs"],
    output:
      "rill   48,200 msg/s  p99  9 ms\nbrook  31,900 msg/s  p99 14 ms\nford    6,100 msg/s  p99 41 ms\n",
    ms: 21_400,
    rule: "benchmarks may run",
  })
  ask(found, [
    {
      text: "Rill and Ford deliver at least once, Brook exactly once within a topic. All three keep order per key.",
    },
  ])
  endTurn(found)
  childDone(
    researcher,
    "Rill and Ford deliver at least once, Brook exactly once within a topic. All keep order per key.",
  )
  finishTask(tasks.research, attempts.research, "facts on three queues", { evidence: ["evd_sources"] })
  ask(measured, [{ text: "Rill is the fastest with our payloads: 48,200 messages a second." }])
  endTurn(measured)
  childDone(
    engineer,
    "Rill 48,200 msg/s (p99 9 ms), Brook 31,900 (14 ms), Ford 6,100 (41 ms), with our payloads.",
  )
  finishTask(tasks.measure, attempts.measure, "measurements")
  const priced = beginTurn(analyst.session, "1", "Estimate the cost for a year", { source: "parent" })
  ask(priced, [
    { text: "Rill costs about 2,100 euros a year for us, Brook 3,800, Ford nothing beyond the database." },
  ])
  endTurn(priced)
  childDone(analyst, "Rill about 2,100 EUR a year, Brook 3,800, Ford nothing beyond the database.")
  finishTask(tasks.cost, attempts.cost, "cost table")
  for (const child of [researcher, engineer, analyst]) {
    tell(
      turn,
      "worker.notification",
      { ...member(child.subagent_id, coordinator), surface: "worker_notifications" },
      {
        notification_id: `ntf_${child.agent}`,
        kind: "usage",
        status: "completed",
        usage: { input_tokens: 8400, output_tokens: 910, cost: 0.039, currency: "EUR" },
        duration_ms: 24_600,
        tool_count: 1,
      },
    )
    childClosed(child)
  }
  tell(turn, "team.changed", rosterOf(coordinator), {
    team_id: "team_delivery",
    status: "merging",
    team_phase: "synthesis",
    team_active_count: 0,
  })
  rec.add("evidence.changed", turn.on, {
    evidence_id: "evd_sources",
    kind: "evidence",
    change: "observed",
    owner: "researcher",
    ref: blob("sources", { title: "Documentation of three queues" }),
    about: { kind: "turn", id: turn.turn_id },
    verdict: "unknown",
    missing: [],
  })
  const attempt = startTask(tasks.recommend, "lead")
  ask(turn, [
    {
      text: "I recommend **Rill**. It is the fastest with our payloads, keeps order per key and costs about 2,100 euros a year. Brook's exactly-once delivery is not needed, since the importer is idempotent.",
    },
  ])
  finishTask(tasks.recommend, attempt, "recommendation", { evidence: ["evd_sources"] })
  tell(turn, "team.changed", rosterOf(coordinator), {
    team_id: "team_delivery",
    status: "done",
    synthesis: {
      message_id: `${turn.turn_id}:answer`,
      task_ids: [tasks.research.task_id, tasks.measure.task_id, tasks.cost.task_id],
    },
  })
  tell(turn, "agent.changed", member("lead@delivery-team", coordinator), { status: "idle" })
  endTurn(turn)
  return rec.facts
}
