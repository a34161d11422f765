import { ask } from "./model.ts"
import { record } from "./recording.ts"
import { member, rosterOf } from "./roster.ts"
import { beginTurn, endTurn, failTurn, openSession, status, type Turn, tell } from "./session.ts"
import {
  childClosed,
  childDone,
  childFailed,
  childStatus,
  createTask,
  finishTask,
  spawn,
  startTask,
} from "./team.ts"
import { call, fail, judge, open, run } from "./tool.ts"

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
