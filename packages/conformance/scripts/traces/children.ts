import { ask } from "./model.ts"
import { record } from "./recording.ts"
import { beginTurn, endTurn, openSession, status } from "./session.ts"
import { childClosed, childDone, childStatus, spawn } from "./team.ts"
import { answer, askFor, call, finish, run } from "./tool.ts"

export function delegatedApproval() {
  const rec = record("2026-03-07T08:00:00.000Z")
  const session = openSession(rec, "upgrade", "Upgrade the database driver")
  const turn = beginTurn(session, "1", "Upgrade the database driver. Let the tester check it.")
  ask(turn, [{ text: "I'll upgrade it, and the tester will check." }])
  const tester = spawn(turn, "tester", "Run the database tests against the new driver")
  childStatus(tester, "running", "accepted", "started")
  const inner = beginTurn(tester.session, "1", "Run the database tests against the new driver", {
    source: "parent",
  })
  ask(inner, [
    { text: "The tests need a fresh database." },
    { call: "shell", arguments: { command: "docker compose up -d db" } },
  ])
  const compose = {
    tool: "shell",
    input: { command: "docker compose up -d db" },
    command: ["docker", "compose", "up", "-d", "db"],
    output: " Container shop-db-1  Started\n",
    ms: 5200,
  }
  const requester = { kind: "subagent" as const, id: tester.subagent_id, name: "tester" }
  const asked = askFor(inner, compose, {
    title: "Start the database container",
    detail: "The tester wants to run docker compose up -d db.",
    risk: "high",
    requester,
    type: "delegated_permission",
  })
  childStatus(tester, "waiting_permission", "running", "waits for an approval", asked.action_id)
  status(
    turn,
    "waiting_permission",
    "Waiting for your approval",
    "The tester wants to start the database container",
  )
  answer(inner, asked, "approve", 31_000, "Only this container.")
  childStatus(tester, "running", "waiting_permission", "approved")
  status(turn, "running", "Working", "The tester goes on")
  run(inner, asked, compose)
  finish(inner, asked, compose)
  call(inner, {
    tool: "shell",
    input: { command: "npm run test:db" },
    command: ["npm", "run", "test:db"],
    output: "Tests  148 passed (148)\nDuration  31.90s\n",
    ms: 31_900,
    rule: "tests may run",
  })
  ask(inner, [{ text: "148 of 148 pass with the new driver." }])
  endTurn(inner)
  childDone(tester, "148 of 148 database tests pass with the new driver.")
  childClosed(tester)
  ask(turn, [{ text: "The driver is upgraded. The tester ran 148 database tests; all pass." }])
  endTurn(turn)
  return rec.facts
}

export function nestedChildren() {
  const rec = record("2026-03-07T09:00:00.000Z")
  const session = openSession(rec, "report", "Quarterly report")
  const turn = beginTurn(session, "1", "Prepare the quarterly report with figures and a chart.")
  ask(turn, [{ text: "I'll have the figures and the text prepared." }])
  const editor = spawn(turn, "editor", "Write the text of the report")
  childStatus(editor, "running", "accepted", "started")
  const editing = beginTurn(editor.session, "1", "Write the text of the report", { source: "parent" })
  ask(editing, [{ text: "I need the figures first." }])
  const analyst = spawn(editing, "analyst", "Collect the figures of the quarter", {
    depth: 2,
    parent_subagent_id: editor.subagent_id,
  })
  childStatus(analyst, "running", "accepted", "started")
  const counting = beginTurn(analyst.session, "1", "Collect the figures of the quarter", { source: "parent" })
  call(counting, {
    tool: "read_file",
    input: { path: "figures/q1.csv" },
    output: "month,revenue\nJan,81200\nFeb,79900\nMar,90400\n",
    ms: 22,
  })
  const painter = spawn(counting, "painter", "Draw the revenue chart", {
    depth: 3,
    parent_subagent_id: analyst.subagent_id,
  })
  childStatus(painter, "running", "accepted", "started")
  const drawing = beginTurn(painter.session, "1", "Draw the revenue chart", { source: "parent" })
  ask(drawing, [{ text: "The chart is drawn: three bars, March highest." }])
  endTurn(drawing)
  childDone(painter, "revenue.svg: three bars, March highest.")
  childClosed(painter)
  ask(counting, [{ text: "251,500 in the quarter, March 13 % above February." }])
  endTurn(counting)
  childDone(analyst, "251,500 in the quarter; March 13 % above February; chart in revenue.svg.")
  childClosed(analyst)
  ask(editing, [{ text: "The text is written." }])
  endTurn(editing)
  childDone(editor, "Report of two pages with one chart.")
  childStatus(editor, "waiting_input", "running", "asks whether to add an outlook")
  ask(turn, [
    {
      text: "The report is ready: 251,500 in the quarter, March 13 % above February. The editor asks whether you want an outlook.",
    },
  ])
  endTurn(turn)
  return rec.facts
}
