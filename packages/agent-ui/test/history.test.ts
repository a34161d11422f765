import { expect, test } from "vitest"
import {
  activate,
  addOlder,
  applyStep,
  createViews,
  declareStream,
  emptyState,
  reduce,
} from "../src/index.ts"

const of = (type: string, sequence: number, more: object) => ({
  type,
  sessionId: "s1",
  runId: "r1",
  sequence,
  timestamp: `2026-01-01T00:00:0${sequence}.000Z`,
  ...more,
})
const tool = (id: string, sequence: number) =>
  of("tool.started", sequence, { toolCallId: id, payload: { toolName: id } })
const unplaced = ({ sequence: _, ...event }: ReturnType<typeof tool>) => event

const lines = (state: ReturnType<typeof emptyState>) =>
  createViews()
    .of("inline_process", state, { sessionId: "s1" }, new Set())
    .rows.flatMap(({ kind, id }) => (kind === "tool" ? [id] : []))

test("what a read model and the facts both tell is one line, where the facts put it", () => {
  const began = of("run.started", 1, { payload: {}, phase: "acting" })
  const known = reduce(emptyState(), [unplaced(began), unplaced(tool("two", 3)), unplaced(tool("one", 2))])
  const window = reduce(emptyState(), [began, tool("one", 2), tool("two", 3)])
  expect(lines(addOlder(known, "s1", window))).toEqual(["one", "two"])
})

test("the beginning of a run that a window cuts comes before what is known of it", () => {
  const known = reduce(emptyState(), [of("run.started", 3, { payload: {}, phase: "acting" }), tool("two", 4)])
  const window = reduce(emptyState(), [tool("one", 2)])
  expect(lines(addOlder(known, "s1", window))).toEqual(["one", "two"])
})

const said = (turn: string, sequence: number, text: string) =>
  [
    { type: "text.final", messageId: `${turn}:input`, payload: { text, role: "user" } },
    { type: "run.started", payload: {}, phase: "acting" },
    { type: "tool.started", messageId: `${turn}:answer`, toolCallId: `${turn}:call`, payload: {} },
    { type: "run.finished", phase: "completed", payload: { outcome: "success" } },
  ].map((event, at) => ({
    stream: "s1",
    sequence: sequence + at,
    events: [{ ...event, sessionId: "s1", threadId: "t1", turnId: turn, runId: turn }],
  }))
const back = (sequence: number, left: object) => ({
  stream: "s1",
  sequence,
  events: [{ type: "session.updated", sessionId: "s1", threadId: "t1", payload: { left } }],
})
const seen = (state: ReturnType<typeof emptyState>) => [
  [...(state.sessions.get("s1")?.messageIds ?? [])],
  [...state.runs.keys()].sort(),
  [...state.turns.keys()].sort(),
  [...state.tools.keys()].sort(),
]
const log = [
  ...said("one", 1, "First"),
  ...said("two", 5, "Second"),
  back(9, { from: 5, to: 8, kept: "one" }),
  ...said("three", 10, "Third"),
]
const whole = [
  ["one:input", "one:answer", "three:input", "three:answer"],
  ["one", "three"],
  ["one", "three"],
  ["one:call", "three:call"],
]
const sparse = (frames: readonly unknown[]) =>
  reduce(declareStream(emptyState(), "s1", { kind: "sparse" }), frames)

test("a turn that was rolled back takes with it what was said and called in it", () =>
  expect(seen(reduce(emptyState(), log))).toEqual(whole))

test.each([2, 4, 6, 8])("it does not come back with a window that begins with frame %i", (cut) => {
  const newest = addOlder(emptyState(), "s1", sparse(log.slice(cut)), "more")
  expect(seen(addOlder(newest, "s1", sparse(log.slice(0, cut))))).toEqual(whole)
})

test("what read models told of earlier turns stays when a later one is rolled back", () => {
  const recent = ["one", "two"].flatMap((turn) =>
    ["input", "answer"].map((name) => ({
      messageId: `${turn}:${name}`,
      role: "assistant",
      runId: turn,
      parts: [{ partId: "p", kind: "text", text: "x" }],
    })),
  )
  const visit = { sessionId: "s1", activation: 1 }
  const events = [
    { type: "messages.snapshot", payload: { messages: recent, to: 8 } },
    { type: "run.finished", runId: "two", threadId: "t1", payload: { outcome: "success" } },
  ]
  const known = ([1, 2, 3, 4] as const).reduce(
    (state, step) =>
      applyStep(state, visit, step, {
        events: step === 3 ? events : [],
        position: { stream: "s1", sequence: 8 },
      }),
    activate(emptyState(), "s1"),
  )
  expect(seen(reduce(known, log.slice(8)))[0]).toEqual(whole[0])
})

test("a rollback to the beginning leaves nothing of the thread, and nothing of another thread goes", () => {
  const other = said("four", 9, "Elsewhere").map((frame) => ({
    ...frame,
    events: frame.events.map((event) => ({ ...event, threadId: "t2" })),
  }))
  const state = reduce(emptyState(), [...log.slice(0, 8), ...other, back(13, { from: 1, to: 12 })])
  expect(seen(state)[1]).toEqual(["four"])
})
