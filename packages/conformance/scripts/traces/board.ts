import { ask } from "./model.ts"
import { blob, record } from "./recording.ts"
import { beginTurn, endTurn, inSession, openSession, tell } from "./session.ts"
import { createTask, finishTask, needs, startTask } from "./team.ts"

const place = (topology: string, surface: string, scope = "task") => ({
  owner: "task",
  scope,
  phase: "acting",
  surface,
  persistence: "snapshot",
  topology,
})

export function humanAgentBoard() {
  const rec = record("2026-03-06T08:00:00.000Z")
  const topology = "human_agent_board"
  const session = openSession(rec, "board", "Launch of the shop")
  const human = (id: string, name: string) => ({ kind: "human", id, name })
  const bot = (id: string) => ({ kind: "agent", id, name: id })
  const items = {
    copy: createTask(session, "copy", "Write the product texts", {
      owner: "ana",
      profile: { priority: "high" },
    }),
    photos: createTask(session, "photos", "Choose the photos", { owner: "ana", assignee: "ines" }),
    checkout: createTask(session, "checkout", "Test the checkout", {
      owner: "ana",
      profile: { priority: "high" },
    }),
    legal: createTask(session, "legal", "Check the terms", { owner: "ana", assignee: "bao" }),
    launch: createTask(session, "launch", "Open the shop", {
      owner: "ana",
      assignee: "ana",
      profile: { priority: "urgent" },
    }),
  }
  for (const before of [items.copy, items.photos, items.checkout, items.legal]) needs(items.launch, before)
  tell(inSession(session), "team.changed", place(topology, "work_board", "team"), {
    team_id: "team_shop",
    team_name: "shop",
    status: "active",
    roster: [
      { agent_id: "ana", agent_name: "Ana", role: "owner", human: true },
      { agent_id: "ines", agent_name: "Ines", role: "design", human: true },
      { agent_id: "bao", agent_name: "Bao", role: "legal", human: true },
      { agent_id: "writer", agent_name: "writer", role: "copy" },
      { agent_id: "tester", agent_name: "tester", role: "qa" },
    ],
  })
  const set = (item: (typeof items)["copy"], payload: Record<string, unknown>) =>
    tell(
      { session, on: item.on },
      "task.changed",
      { ...place(topology, "work_board"), task_id: item.task_id },
      { work_item_id: item.task_id, runtime_entity: "work_item", ...payload },
    )
  set(items.copy, { assignee: bot("writer"), status: "assigned" })
  set(items.photos, { assignee: human("ines", "Ines"), status: "claimed" })
  set(items.checkout, { assignee: bot("tester"), status: "assigned" })
  set(items.legal, { assignee: human("bao", "Bao"), status: "assigned" })
  const copying = startTask(items.copy, "writer")
  rec.add("task.progress", items.copy.on, {
    cause: "reported",
    previous: "running",
    done: 9,
    total: 24,
    note: "Kitchen",
  })
  const testing = startTask(items.checkout, "tester")
  set(items.photos, {
    status: "commented",
    comments: [
      {
        author: "Ines",
        text: "The lamp needs a new photo, the old one shows last year's cable.",
        at: rec.now(),
      },
    ],
  })
  rec.add("task.blocked", items.checkout.on, {
    cause: "the payment sandbox is missing",
    previous: "running",
    missing: [{ kind: "credential", id: "pay-sandbox", detail: "Key of the payment sandbox" }],
  })
  set(items.checkout, { status: "blocked", blocker: "Key of the payment sandbox" })
  const turn = beginTurn(session, "1", "How far are we?", { tools: [] })
  ask(turn, [
    {
      text: "Texts: 9 of 24. Photos: Ines waits for one picture. The checkout test is blocked: it needs the key of the payment sandbox. The terms are not begun.",
    },
  ])
  endTurn(turn)
  rec.add("task.progress", items.copy.on, {
    cause: "reported",
    previous: "running",
    done: 24,
    total: 24,
    note: "All texts are written",
  })
  finishTask(items.copy, copying, "24 texts", { artifacts: ["art_texts"] })
  set(items.copy, { status: "done", artifact_refs: ["art_texts"] })
  rec.add(
    "artifact.changed",
    { ...session.on },
    {
      artifact_id: "art_texts",
      change: "produced",
      owner: "writer",
      version: "1",
      title: "product-texts.md",
      media_type: "text/markdown",
      refs: [blob("texts")],
      validation_issues: 2,
    },
  )
  set(items.legal, {
    status: "claimed",
    comments: [{ author: "Bao", text: "On it this afternoon.", at: rec.now() }],
  })
  rec.add("task.started", items.checkout.on, {
    cause: "the key was given",
    previous: "blocked",
    to: "running",
  })
  set(items.checkout, { status: "claimed" })
  finishTask(items.checkout, testing, "checkout works with four cards")
  set(items.checkout, { status: "done" })
  return rec.facts
}
