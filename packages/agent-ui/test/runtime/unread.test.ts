import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fact } from "../../../facts/test/given.ts"
import { fromRuntime, readRuntime, readSpelling } from "../../src/adapters/runtime/index.ts"
import { emptyState, reduce, repairsOf } from "../../src/index.ts"

const known = fact("turn.failed", { payload: { status: "cancelled", category: "interrupted" } })
const deep = () => {
  let value: unknown = "end"
  for (let level = 0; level < 20_000; level++) value = [value]
  return value
}
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
const { payload: _, ...bare } = known
const inputs: [string, unknown][] = [
  ["nothing", undefined],
  ["null", null],
  ["a word", "turn.failed"],
  ["a list", [known]],
  ["an empty object", {}],
  ["no payload", bare],
  ["a payload of null", { ...known, payload: null }],
  ["a payload that is a list", { ...known, payload: [] }],
  ["no type", { ...known, type: undefined }],
  ["an empty type", { ...known, type: "" }],
  ["no sequence", { ...known, sequence: undefined }],
  ["half a sequence", { ...known, sequence: 1.5 }],
  ["a sequence below zero", { ...known, sequence: -3 }],
  ["a session that is no name", { ...known, session_id: 7 }],
  ["two spellings", { type: "turn.started", event_id: "e", sessionId: "s", sequence: 1, payload: {} }],
  ["a camel payload without an end", { type: "x", sessionId: "s", sequence: 1, payload: { a: deep() } }],
  [
    "a carrier without an end",
    { ...known, type: "x-agent-ui.review.requested", payload: { payload: deep() } },
  ],
  ["what was revoked", revoked()],
]

describe("what is no fact", () => {
  test.each(inputs)("%s becomes a diagnostic", (_name, value) => {
    const frame = readRuntime(value)
    expect(frame.events).toMatchObject([
      { type: "diagnostic.changed", payload: { code: "unread_fact", severity: "error" } },
    ])
    const state = reduce(emptyState(), [frame])
    expect([...state.diagnostics].map(({ code }) => code)).toEqual(["unread_fact"])
    expect([...state.findings]).toEqual([])
  })
  test.each(inputs)("%s does not make the adapter throw", (_name, value) => {
    // Callers that parsed JSON hand on whatever was in it.
    expect(Array.isArray(Reflect.apply(fromRuntime, undefined, [value]).events)).toBe(true)
  })
  test("at its place it leaves no gap", () => {
    const facts = [1, 2, 3].map((sequence) => ({ ...known, sequence }))
    const state = reduce(
      emptyState(),
      [facts[0], { ...facts[1], payload: null }, facts[2]].map((one) => readRuntime(one)),
    )
    expect(repairsOf(state)).toEqual([])
    expect(state.streams.get("ses_1")?.applied).toBe(3)
  })
  test("several without a place are each told", () => {
    const state = reduce(emptyState(), [readRuntime(null), readRuntime(null), readRuntime({})])
    expect(state.diagnostics.length).toBe(3)
  })
  test("nothing is what a spelling cannot be read of", () => {
    for (const value of [null, undefined, 5, "x", []])
      expect(readSpelling(value)).toEqual({ ok: false, reason: "It is not an object.", fields: [] })
  })
  test("nothing that comes throws", () => {
    const loose = fc.record({
      type: fc.oneof(
        fc.anything(),
        fc.constantFrom("turn.failed", "tool.result", "x-agent-ui.agent.handoff"),
      ),
      sequence: fc.anything(),
      session_id: fc.anything(),
      payload: fc.anything(),
    })
    fc.assert(
      fc.property(fc.oneof(fc.anything(), loose), (value) => {
        reduce(emptyState(), [readRuntime(value)])
      }),
      { seed: 6, numRuns: 1500 },
    )
  })
})

test("a fact becomes the same frame by either way, and is not copied for its spelling", () => {
  expect(readRuntime(known)).toEqual(fromRuntime(known))
  const spelled = readSpelling(known)
  expect(spelled.ok && spelled.fact).toBe(known)
})
test("canceled with one l in a list of a payload is still read", () => {
  const one = { ...known, type: "acme.jobs", payload: { jobs: [[{ status: "canceled" }]] } }
  expect(readRuntime(one).events[0]?.payload).toEqual({ jobs: [[{ status: "cancelled" }]] })
})
