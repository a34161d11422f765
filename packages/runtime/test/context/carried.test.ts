import { describe, expect, test } from "vitest"
import { Carried, carriedAt, carriedText, keptRefs } from "../../src/context/carried.ts"
import { extract } from "../../src/context/summary.ts"
import { roomOf, tokensOf } from "../../src/context/window.ts"
import { World, words } from "../control/world.ts"

const place = { session_id: "s", thread_id: "t", turn_id: "trn_a" }
const call = (tool_call_id: string) => ({ ...place, step_id: "stp", tool_call_id })
const ref = (name: string) => ({ uri: `blob:${name}`, kind: "output" as const })

/** A turn with a finished and a failed call, an open action and two tasks; a second turn waits. */
function busy(): World {
  const world = new World()
  world.command("submit_turn", {
    create: "session",
    session_id: "s",
    thread_id: "t",
    turn_id: "trn_a",
    input: [
      ...words("Write\nto Ann"),
      { kind: "document", ref: { uri: "artifact:letter", kind: "artifact" } },
    ],
  })
  world.command("submit_turn", { session_id: "s", thread_id: "t", turn_id: "trn_b", input: words("Later") })
  world.start("s", "trn_a")
  const started = { owner: "builtin", effect: "once" as const }
  world.happen("s", [
    {
      type: "tool.started",
      ...call("one"),
      payload: { tool: "send", ...started, input: { text: "{1}", whole: true } },
    },
    {
      type: "tool.result",
      ...call("one"),
      payload: { output_refs: [ref("out")], preview: { text: "sent\nwell", whole: true }, duration_ms: 1 },
    },
    { type: "tool.started", ...call("two"), payload: { tool: "look", ...started } },
    { type: "tool.failed", ...call("two"), payload: { category: "tool_error", message: "no eyes" } },
    { type: "tool.started", ...call("open"), payload: { tool: "slow", ...started } },
    {
      type: "action.required",
      ...place,
      action_id: "act",
      payload: {
        action_type: "structured_input",
        title: "Which Ann?",
        detail: "",
        parent: { kind: "turn", id: "trn_a" },
        decided_by: "human",
        decisions: [{ id: "ok", label: "OK", effect: "allow" }],
        requester: { kind: "agent", name: "main" },
      },
    },
    ...["open_task", "done_task"].map((task_id) => ({
      type: "task.created" as const,
      session_id: "s",
      thread_id: "t",
      task_id,
      payload: { cause: "asked", previous: "none" as const, objective: `Do ${task_id}`, owner: "user" },
    })),
    {
      type: "task.cancelled",
      session_id: "s",
      thread_id: "t",
      task_id: "done_task",
      payload: { cause: "enough", previous: "accepted", by: "user" },
    },
  ])
  return world
}

describe("the record of a boundary", () => {
  test("[RT-CTX-1] keeps goals, ended calls, open actions, queued turns and active tasks with objectives", () => {
    const state = busy().state("s")
    const carried = carriedAt(state, "t", state.sequence, undefined)
    expect(carried).toEqual({
      version: 1,
      goals: [{ turn_id: "trn_a", text: "Write\nto Ann\n[document: artifact:letter]" }],
      receipts: [
        {
          tool_call_id: "one",
          tool: "send",
          status: "done",
          input: "{1}",
          output: "sent\nwell",
          uri: "blob:out",
        },
        {
          tool_call_id: "two",
          tool: "look",
          status: "failed",
          category: "tool_error",
          input: "",
          output: "no eyes",
        },
      ],
      open_actions: [{ action_id: "act", title: "Which Ann?" }],
      queued_turns: [{ queued_turn_id: expect.any(String), turn_id: "trn_b" }],
      active_tasks: [{ task_id: "open_task", objective: "Do open_task", status: "accepted" }],
    })
    expect(Carried.parse(JSON.parse(JSON.stringify(carried)))).toEqual(carried)
    expect(keptRefs(state, "t", state.sequence).map(({ uri }) => uri)).toEqual([
      "artifact:letter",
      "blob:out",
    ])
  })

  test("another thread has none of it, and calls after the boundary are not its own", () => {
    const state = busy().state("s")
    const other = carriedAt(state, "u", state.sequence, undefined)
    expect([other.goals, other.receipts, other.open_actions, other.queued_turns]).toEqual([[], [], [], []])
    expect(carriedAt(state, "t", 1, undefined).receipts).toEqual([])
    expect(keptRefs(state, "t", 1).map(({ uri }) => uri)).toEqual(["artifact:letter"])
  })

  test("what an earlier one carried stays, each once, and a goal whose turn has failed since says so", () => {
    const world = busy()
    const first = carriedAt(world.state("s"), "t", 99, undefined)
    world.end("s", "trn_a", { status: "failed", category: "runtime_restart", reason: "cut" })
    const older = { ...first, goals: [{ turn_id: "trn_0", text: "Long ago" }, ...first.goals] }
    const second = carriedAt(world.state("s"), "t", 99, older)
    expect(second.goals.map(({ text, failed }) => [text.slice(0, 5), failed])).toEqual([
      ["Long ", undefined],
      ["Write", "runtime_restart"],
    ])
    expect(second.receipts.map(({ tool_call_id }) => tool_call_id)).toEqual(["one", "two", "open"])
    expect(second.open_actions).toEqual([])
  })
})

describe("as it is told", () => {
  const carried = () => carriedAt(busy().state("s"), "t", 99, undefined)

  test("each outcome in a line, with what is not finished", () => {
    const failed = { ...carried(), goals: [{ turn_id: "x", text: "Try", failed: "time_limit" }] }
    expect(carriedText(failed, 1_000).split("\n")).toEqual([
      "## What was asked for",
      "- Try (ended early: time_limit)",
      "## Calls that have ended; do not repeat them without need",
      "- send {1} → done. sent well (blob:out)",
      "- look  → failed: tool_error. no eyes",
      "## Not finished",
      "- Do open_task (accepted)",
      "- Waiting for a person: Which Ann?",
    ])
  })

  test("the newest stay where not all find room, and the rest is counted", () => {
    const [first] = carried().receipts
    if (first === undefined) throw new Error("no receipt")
    const receipts = Array.from({ length: 200 }, (_, at) => ({ ...first, input: `n${at}.` }))
    const text = carriedText({ ...carried(), receipts }, 600)
    expect(tokensOf(text)).toBeLessThanOrEqual(600)
    expect(text).toContain("n199.")
    expect(text).not.toContain("n0.")
    const [, missing] = /- (\d+) earlier ones are in the history/.exec(text) ?? []
    expect(text.split("→").length - 1 + Number(missing)).toBe(200)
  })
})

test("an extract holds the newest, begins with the summary before, and keeps to its size", () => {
  const passages = Array.from({ length: 60 }, (_, at) => ({
    opened: at,
    messages: [{ role: "user" as const, parts: `message ${at}. ${"word ".repeat(40)}` }],
  }))
  const room = roomOf({}, 2_000)
  const text = extract(passages, "what was before", room)
  expect(text).toMatch(/^\[An extract, made without a model.\]\nwhat was before\n/)
  expect(text).toContain("message 59.")
  expect(text).not.toContain("message 0.")
  expect(tokensOf(text)).toBeLessThanOrEqual(room.summary + 8)
})
