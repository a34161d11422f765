import { describe, expect, test } from "vitest"
import { fieldKinds } from "../src/fields.ts"
import { createViews, emptyState, eventClasses, normalize, reduce, surfaces } from "../src/index.ts"

const ids = {
  sessionId: "s",
  threadId: "s",
  runId: "r",
  turnId: "r",
  messageId: "m",
  toolCallId: "c",
  actionId: "a",
  taskId: "t",
  agentId: "g",
  artifactId: "f",
  evidenceId: "e",
}
const values = [
  null,
  5,
  "x",
  true,
  [],
  {},
  [null],
  ["x"],
  [5],
  [[]],
  [{}],
  [{ id: "x", ref: "x" }],
  { kind: "x", id: "x" },
]

/** Everything that is told, and each thing that is told with `payload`. */
const told = (payload: object) =>
  reduce(emptyState(), [
    ...eventClasses.filter((type) => !type.startsWith("run.f")).map((type) => ({ type, ...ids, payload })),
    { type: "run.finished", ...ids, payload },
  ])

function problemsOf(payload: object): string[] {
  const views = createViews()
  const state = told(payload)
  return surfaces.filter((surface) => {
    try {
      JSON.stringify(views.of(surface, state, { sessionId: "s", agentId: "g" }, new Set()))
      return false
    } catch {
      return true
    }
  })
}

describe("a field of the wrong type", () => {
  test.each(values.map((value) => [JSON.stringify(value), value] as const))(
    "breaks no surface, whichever field it is: %s",
    (_, value) => {
      const broken = [...fieldKinds.keys()].filter((name) => problemsOf({ [name]: value }).length > 0)
      expect(broken).toEqual([])
      expect(problemsOf(Object.fromEntries([...fieldKinds.keys()].map((name) => [name, value])))).toEqual([])
    },
    60_000,
  )
  test.each([
    ["context.changed", { missing: "docs" }],
    ["context.changed", { missing: ["docs"] }],
    ["context.changed", { memory: [] }],
    ["review.requested", { target: null }],
    ["review.completed", { target: "evidence" }],
    ["evidence.changed", { missing: [{}] }],
    ["team.changed", { memory: [null] }],
    ["team.changed", { memory: {} }],
    ["queue.changed", { policy: {} }],
    ["agent.handoff", { from: 5 }],
  ])("of %s, %j, is reported", (type, payload) => {
    expect(normalize({ type, ...ids, payload }).findings).toHaveLength(1)
  })
  test.each([
    [
      "context.changed",
      { missing: [{ id: "docs", reason: "gone" }], memory: { op: "write", visible: true } },
    ],
    ["evidence.changed", { missing: ["log"], target: { kind: "run", id: "r" } }],
    ["team.changed", { memory: [{ ref: "m" }], policy: { mode: "ask" } }],
    ["permission.changed", { violation: { operation: "write", target: "/etc" } }],
    ["agent.handoff", { from: "a", to: "b" }],
  ])("of %s, as it should be, stays: %j", (type, payload) => {
    expect(normalize({ type, ...ids, payload })).toEqual({ event: { type, ...ids, payload }, findings: [] })
  })
})
