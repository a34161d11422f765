import { ask } from "./model.ts"
import { blob, record } from "./recording.ts"
import { beginTurn, endTurn, failTurn, inSession, openSession, status, type Turn, tell } from "./session.ts"
import {
  childClosed,
  childDone,
  childFailed,
  childStatus,
  createTask,
  finishTask,
  needs,
  spawn,
  startTask,
} from "./team.ts"
import { call, fail, judge, open, run } from "./tool.ts"

const coordinator = "coordinator_team"
const rosterOf = (topology: string) => ({
  owner: "agent",
  scope: "team",
  phase: "acting",
  surface: "team_roster",
  persistence: "snapshot",
  topology,
})
const member = (agent_id: string, topology: string) => ({ ...rosterOf(topology), scope: "agent", agent_id })

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
  endTurn(turn)
  return rec.facts
}

export function parallelWorkers() {
  const rec = record("2026-03-05T09:00:00.000Z")
  const topology = "parallel_workers"
  const session = openSession(rec, "migrate", "Migrate the four services")
  const turn = beginTurn(session, "1", "Move our four services to the new logger, in parallel.")
  ask(turn, [{ text: "Four services, four workers. At most three run at once." }])
  const names = ["billing", "search", "mail", "export"]
  const children = names.map((name) => {
    const task = createTask(session, name, `Move ${name} to the new logger`, {
      assignee: name,
      profile: { team_parallel_budget: 3, provider_concurrency_group: "northwind-eu" },
    })
    const child = spawn(turn, name, `Move ${name} to the new logger`, { task_id: task.task_id })
    tell(turn, "agent.changed", member(child.subagent_id, topology), {
      team_name: "migration",
      role: "worker",
      model: "northwind/haiku-small",
    })
    return { name, task, child }
  })
  const [billing, search, mail, exporter] = children
  if (!billing || !search || !mail || !exporter) throw new Error("four workers are needed")
  for (const { child } of [billing, search, mail]) childStatus(child, "running", "accepted", "started")
  childStatus(exporter.child, "queued", "accepted", "three workers run already")
  exporter.task.session.rec.add("task.queued", exporter.task.on, {
    cause: "parallel budget",
    previous: "accepted",
    behind: "worker",
  })
  tell(turn, "team.changed", rosterOf(topology), {
    team_id: "team_migration",
    team_name: "migration",
    status: "active",
    team_phase: "fanout",
    team_parallel_budget: 3,
    team_active_count: 3,
    team_queued_count: 1,
    queue_reason: "parallel_budget",
    provider_concurrency_group: "northwind-eu",
    provider_parallel_budget: 3,
    retryable_overload: false,
  })
  const runs = new Map([billing, search, mail].map((one) => [one.name, startTask(one.task, one.name)]))
  const workerTurn = (one: typeof billing) =>
    beginTurn(one.child.session, "1", `Move ${one.name} to the new logger`, { source: "parent" })
  const done = (one: typeof billing, turn: Turn, files: number) => {
    ask(turn, [{ text: `Moved ${files} files, tests pass.` }])
    endTurn(turn)
    childDone(one.child, `${files} files moved, tests pass.`)
    const attempt = runs.get(one.name)
    if (attempt) finishTask(one.task, attempt, `${files} files`)
    childClosed(one.child)
  }
  const turns = { billing: workerTurn(billing), search: workerTurn(search), mail: workerTurn(mail) }
  rec.add("task.progress", billing.task.on, {
    cause: "reported",
    previous: "running",
    done: 7,
    total: 12,
    note: "Rewriting call sites",
  })
  call(turns.billing, {
    tool: "search",
    input: { pattern: "oldLogger(" },
    output: "12 matches in 9 files",
    ms: 90,
  })
  const broken = {
    tool: "shell",
    input: { command: "npm test" },
    command: ["npm", "test"],
    output: "FAIL src/index.test.ts\n  Cannot find module '@acme/old-logger/transport'\n",
    exit: 1,
    ms: 3300,
  }
  const at = open(turns.search, broken)
  judge(turns.search, at, broken, "allow", "tests may run")
  run(turns.search, at, broken)
  fail(
    turns.search,
    at,
    {
      category: "tool_error",
      message: "npm test ended with exit code 1.",
      next: "Keep the transport until the plugins are moved.",
    },
    broken.output,
  )
  failTurn(turns.search, {
    status: "failed",
    category: "tool_error",
    reason: "Plugins still need the old transport.",
    next: "Move the plugins first, then retry.",
  })
  childFailed(search.child, "tool_error", "Plugins still need the old transport.")
  const failed = runs.get("search")
  if (failed)
    rec.add(
      "task.attempt.failed",
      { ...search.task.on, ...failed },
      { status: "failed", category: "tool_error", reason: "Plugins still need the old transport." },
    )
  rec.add("task.failed", search.task.on, {
    cause: "Plugins still need the old transport.",
    previous: "running",
    category: "tool_error",
    next: "Move the plugins first, then retry.",
  })
  childStatus(exporter.child, "running", "queued", "a worker is free")
  runs.set("export", startTask(exporter.task, "export"))
  done(billing, turns.billing, 12)
  done(mail, turns.mail, 5)
  const last = workerTurn(exporter)
  done(exporter, last, 3)
  tell(turn, "team.changed", rosterOf(topology), {
    team_id: "team_migration",
    status: "merging",
    team_phase: "fanin",
    team_active_count: 0,
    team_queued_count: 0,
  })
  ask(turn, [
    {
      text: "Three of four services are moved. **search** failed: its plugins still need the old transport. I can retry it once the plugins are moved.",
    },
  ])
  status(turn, "waiting_input", "Waiting for you", "Retry search or leave it?")
  rec.add(
    "action.required",
    { ...turn.on, action_id: "act_retry_search" },
    {
      action_type: "clarification",
      title: "Retry search, or leave it on the old logger?",
      parent: { kind: "turn", id: turn.turn_id },
      decided_by: "human",
      decisions: [
        { id: "retry", label: "Retry search" },
        { id: "leave", label: "Leave it" },
      ],
      requester: { kind: "agent", name: "lead" },
    },
  )
  return rec.facts
}

export function specialistHandoff() {
  const rec = record("2026-03-05T10:00:00.000Z")
  const topology = "specialist_handoff"
  const session = openSession(rec, "support", "A refund that did not arrive")
  const turn = beginTurn(session, "1", "My refund of 14 February has not arrived. What now?", {
    tools: ["search", "read_file"],
  })
  tell(turn, "agent.changed", member("front@support", topology), {
    agent_name: "front desk",
    team_name: "support",
    role: "generalist",
    status: "running",
  })
  ask(turn, [
    {
      text: "I see the refund. A specialist for payments can look at the transfer itself; I'll hand you over.",
    },
  ])
  const handoff = {
    handoff_id: "hof_payments",
    from: "front@support",
    to: "payments@support",
    reason: "The transfer left our account; tracing it needs bank access.",
    resume_target: "front@support",
    memory_boundary: "Order, refund and this conversation; no other tickets.",
  }
  const lane = {
    ...rosterOf(topology),
    scope: "agent",
    surface: "handoff_lane",
    agent_id: "payments@support",
  }
  tell(turn, "agent.handoff", { ...lane, phase: "waiting" }, { ...handoff, status: "handoff_requested" })
  rec.wait(1200)
  tell(turn, "agent.changed", member("payments@support", topology), {
    agent_name: "payments",
    team_name: "support",
    role: "specialist",
    status: "running",
    capabilities: ["bank trace"],
  })
  tell(turn, "agent.handoff", lane, { ...handoff, status: "accepted", accepted_at: rec.now() })
  tell(turn, "agent.handoff", lane, { handoff_id: "hof_payments", status: "active" })
  call(turn, {
    tool: "search",
    input: { query: "transfer 2026-02-14 refund 8841" },
    output: "Returned by the receiving bank on 2026-02-17: account closed.",
    ms: 730,
  })
  ask(turn, [
    {
      text: "The transfer came back on 17 February: the account is closed. Which account should we use instead?",
    },
  ])
  endTurn(turn)
  const second = beginTurn(session, "2", "Please use the card I paid with.", { tools: ["search"] })
  ask(second, [{ text: "Done. It takes two to three days." }])
  tell(
    second,
    "agent.handoff",
    { ...lane, agent_id: "front@support" },
    { handoff_id: "hof_payments", status: "returned", reason: "The refund is on its way to the card." },
  )
  tell(second, "agent.changed", member("payments@support", topology), { status: "idle" })
  tell(
    second,
    "agent.handoff",
    { ...lane, phase: "completed", agent_id: "front@support" },
    { handoff_id: "hof_payments", status: "resumed" },
  )
  endTurn(second)
  return rec.facts
}

export function reviewTeam() {
  const rec = record("2026-03-05T11:00:00.000Z")
  const topology = "review_team"
  const session = openSession(rec, "csv", "Import CSV files safely")
  const turn = beginTurn(session, "1", "Add a CSV import. Have it reviewed before you call it done.")
  ask(turn, [{ text: "I'll write it, then ask for a review." }])
  const art = {
    artifact_id: "art_csv_import",
    owner: "workspace",
    title: "src/import/csv.ts",
    media_type: "text/x-typescript",
    validation_issues: 0,
  }
  rec.add("artifact.changed", turn.on, {
    ...art,
    change: "produced",
    version: "1",
    refs: [blob("export function readCsv(text) { return text.split('\\n').map(l => l.split(',')) }")],
  })
  const reviewer = spawn(turn, "reviewer", "Review src/import/csv.ts", { workspace: "copy" })
  childStatus(reviewer, "running", "accepted", "started")
  const lane = {
    owner: "evidence",
    scope: "evidence",
    phase: "reviewing",
    surface: "review_lane",
    persistence: "evidence_pack",
    topology,
    agent_id: reviewer.subagent_id,
  }
  const target = { kind: "artifact", id: "art_csv_import" }
  tell(turn, "review.requested", lane, {
    review_id: "rev_1",
    reviewer: "reviewer",
    target: { ...target, version: "1" },
    status: "requested",
  })
  const reading = beginTurn(reviewer.session, "1", "Review src/import/csv.ts", { source: "parent" })
  ask(reading, [
    { text: "Splitting at commas breaks quoted fields, and a formula in a cell would run in a spreadsheet." },
  ])
  endTurn(reading)
  rec.add("evidence.changed", turn.on, {
    evidence_id: "evd_review_1",
    kind: "review",
    change: "observed",
    owner: "reviewer",
    ref: blob("review 1", { title: "Review of version 1" }),
    about: { kind: "turn", id: turn.turn_id },
    verdict: "failed",
    missing: [],
  })
  tell(
    turn,
    "review.completed",
    { ...lane, phase: "completed" },
    {
      review_id: "rev_1",
      reviewer: "reviewer",
      target: { ...target, version: "1" },
      status: "changes_requested",
      verdict: "changes_requested",
      evidence_refs: ["evd_review_1"],
      requested_fixes: ["Parse quoted fields.", "Escape cells that begin with =, +, - or @."],
    },
  )
  childDone(reviewer, "Two fixes requested: quoted fields, formula cells.")
  rec.add("artifact.changed", turn.on, {
    ...art,
    change: "updated",
    version: "2",
    refs: [blob("csv v2")],
    diff_ref: blob("-text.split('\\n').map(l => l.split(','))\n+parseRows(text).map(escapeFormulas)\n", {
      media_type: "text/x-diff",
    }),
  })
  tell(turn, "review.requested", lane, {
    review_id: "rev_2",
    reviewer: "reviewer",
    target: { ...target, version: "2" },
    status: "reviewing",
  })
  rec.add("evidence.changed", turn.on, {
    evidence_id: "evd_tests",
    kind: "verification",
    change: "observed",
    owner: "test-runner",
    ref: blob("31 tests", { title: "31 of 31 tests" }),
    about: { kind: "turn", id: turn.turn_id },
    verdict: "passed",
    missing: [],
  })
  rec.add("evidence.changed", turn.on, {
    evidence_id: "evd_review_2",
    kind: "review",
    change: "observed",
    owner: "reviewer",
    ref: blob("review 2", { title: "Review of version 2" }),
    about: { kind: "turn", id: turn.turn_id },
    verdict: "passed",
    missing: [],
  })
  tell(
    turn,
    "review.completed",
    { ...lane, phase: "completed" },
    {
      review_id: "rev_2",
      reviewer: "reviewer",
      target: { ...target, version: "2" },
      status: "passed",
      verdict: "passed",
      evidence_refs: ["evd_review_2", "evd_tests"],
      requested_fixes: [],
    },
  )
  childDone(reviewer, "Version 2 passes.", 2)
  childClosed(reviewer)
  ask(turn, [
    { text: "The CSV import is in. The reviewer asked for two fixes; version 2 has both and passed." },
  ])
  endTurn(turn)
  tell(
    inSession(session),
    "review.requested",
    { ...lane, phase: "waiting" },
    {
      review_id: "rev_security",
      reviewer: "security@acme",
      target: { ...target, version: "2" },
      status: "requested",
      blocked_reason: "The security reviewer is away until Monday.",
    },
  )
  return rec.facts
}
