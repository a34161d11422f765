import { describe, expect, test } from "vitest"
import { emptyState, reduce } from "../src/index.ts"
import { plainState } from "../src/plain.ts"
import { codes, type Loose, run } from "./given.ts"

/** Every way in which two streams may come in, each in its own order. */
function interleavings<T>(one: readonly T[], other: readonly T[]): T[][] {
  const [first, ...rest] = one
  const [head, ...tail] = other
  if (first === undefined || head === undefined) return [[...one, ...other]]
  return [
    ...interleavings(rest, other).map((all) => [first, ...all]),
    ...interleavings(one, tail).map((all) => [head, ...all]),
  ]
}

const framesOf = (stream: string, events: readonly Loose[]) =>
  events.map((event, at) => ({ stream, sequence: at + 1, events: [event] }))
const states = (one: readonly Loose[], other: readonly Loose[]) =>
  interleavings(framesOf("parent", one), framesOf("child", other)).map((frames) =>
    frames.reduce((state, frame) => reduce(state, [frame]), emptyState()),
  )

const parent = { sessionId: "parent", threadId: "pt", runId: "pr", turnId: "pr" }
const child = { sessionId: "child", threadId: "ct", runId: "cr", turnId: "cr" }
const asked = (place: object, payload: object): Loose => ({
  type: "action.required",
  actionId: "x",
  timestamp: `at ${JSON.stringify(place).length}`,
  ...place,
  payload: { title: "Allow send?", ...payload },
})
const answered = (place: object, decidedBy: string): Loose => ({
  type: "action.resolved",
  actionId: "x",
  ...place,
  payload: { decision: "allow", decidedBy },
})

const copy = { actionType: "delegated_permission", respondTo: { sessionId: "parent" } }
const original = { actionType: "tool_approval", respondTo: { sessionId: "child" }, toolCallId: "t1" }
const byParent = [run("started", {}, parent), asked({ ...parent, agentId: "scout" }, copy)]
const byChild = [run("started", {}, child), asked(child, original)]

describe("a request that a child and its parent both tell of", () => {
  const all = states([...byParent, answered(parent, "p")], [...byChild, answered(child, "c")])
  test("[UI-ORDER-9] is the same whichever stream comes first", () => {
    expect(all).toHaveLength(20)
    for (const state of all) expect(plainState(state)).toEqual(plainState(all[0] ?? emptyState()))
  })
  test("[UI-ORDER-9] has a line in the process of each of its turns", () => {
    for (const state of all)
      for (const id of ["pr", "cr"]) {
        const entries = [...(state.turns.get(id)?.entries ?? [])]
        expect(entries.filter(({ kind }) => kind === "action")).toMatchObject([{ id: "x", sequence: 2 }])
        expect([...(state.runs.get(id)?.process ?? [])].map(({ kind }) => kind)).toEqual(["action"])
      }
  })
  test("[UI-HITL-7] keeps the parent's routing, the child's name and the child's call", () => {
    for (const state of all)
      expect(state.actions.get("x")).toMatchObject({
        actionType: "delegated_permission",
        respondTo: { sessionId: "parent" },
        toolCallId: "t1",
        origin: { sessionId: "parent", runId: "pr", agentId: "scout" },
        state: "resolved",
        resolution: { decidedBy: "p" },
      })
  })
  test("no teller is taken for a late one", () => {
    for (const state of all) expect(codes(state)).toEqual([])
  })
  test("is open until one of them says otherwise, and then it is not", () => {
    for (const state of states(byParent, byChild)) expect(state.actions.get("x")?.state).toBe("pending")
    for (const state of states(byParent, [...byChild, answered(child, "c")]))
      expect(state.actions.get("x")).toMatchObject({ state: "resolved", resolution: { decidedBy: "c" } })
  })
  test("without a name on either side one session speaks for it", () => {
    const same = states([asked(parent, copy)], [asked(child, original)])
    for (const state of same) expect(state.actions.get("x")?.origin.sessionId).toBe("child")
  })
})

describe("a process", () => {
  const thing = { toolCallId: "t1", taskId: "k1", evidenceId: "e1", artifactId: "f1", agentId: "a1" }
  test.each([
    ["tool.started", "tool"],
    ["task.changed", "task"],
    ["evidence.changed", "evidence"],
    ["artifact.updated", "artifact"],
    ["agent.changed", "agent"],
    ["agent.handoff", "handoff"],
    ["worker.notification", "notification"],
    ["review.requested", "review"],
    ["review.completed", "review"],
    ["context.compaction.started", "compaction"],
    ["plan.delta", "plan"],
  ])("[UI-ORDER-9] %s has one line in each turn that tells of it, in any order of turns", (type, kind) => {
    const ids = { planId: "n1", boundaryId: "b1", reviewId: "v1", notificationId: "w1", handoffId: "h1" }
    const told = (place: object): Loose => ({ type, ...thing, ...place, payload: ids })
    for (const state of states([told(parent), told(parent)], [told(child), told(child)]))
      for (const id of ["pr", "cr"])
        expect([...(state.turns.get(id)?.entries ?? [])]).toMatchObject([{ kind, sequence: 1 }])
  })
  test("[UI-ORDER-9] a child's session is the same, told first by itself or by its parent", () => {
    const spawned = { type: "agent.spawned", agentId: "a1", ...parent, payload: { childSessionId: "child" } }
    const opened = { type: "session.opened", sessionId: "child", timestamp: "2026-01-01T00:00:00Z" }
    const [first, ...rest] = states([{ ...spawned, timestamp: "2026-01-02T00:00:00Z" }], [opened])
    expect(first?.sessions.get("child")).toMatchObject({
      parentSessionId: "parent",
      origin: { sessionId: "child", timestamp: "2026-01-01T00:00:00Z" },
    })
    for (const state of rest) expect(plainState(state)).toEqual(plainState(first ?? emptyState()))
  })
})
