import { expect, test } from "vitest"
import { addOlder, createViews, emptyState, reduce } from "../src/index.ts"

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
