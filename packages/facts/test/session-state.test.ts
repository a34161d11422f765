import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  applyFact,
  applyFacts,
  combine,
  type Envelope,
  emptySession,
  explains,
  family,
  fold,
  inOrder,
  late,
  sessionSnapshot,
  supersededBy,
  threadReadModel,
} from "../src/index.ts"
import { at, fact, given, stream, types } from "./given.ts"

/** A log with every class in it, in the order of the specification, twice over. */
const whole: readonly Envelope[] = stream(...[...types, ...types].map((type) => fact(type)))
const live = applyFacts(emptySession, whole).state
const some = (count: number) => applyFacts(emptySession, whole.slice(0, count)).state

describe("delivery", () => {
  it("[RT-REC-2] in a batch or one by one gives the same state", () => {
    let state = emptySession
    for (const one of whole) state = applyFact(state, one).state
    expect(state).toEqual(live)
    expect(state.sequence).toBe(226)
  })
  it("[RT-REC-2] shuffled, repeated and put in order gives the same read models", () => {
    const order = fc.shuffledSubarray([...whole], { minLength: whole.length, maxLength: whole.length })
    fc.assert(
      fc.property(order, fc.subarray([...whole]), (shuffled, again) => {
        const { state, gap } = applyFacts(emptySession, inOrder([...shuffled, ...again]))
        expect(gap).toBeUndefined()
        expect(state).toEqual(live)
        expect(threadReadModel(state, "thr_1")).toEqual(threadReadModel(live, "thr_1"))
        expect(sessionSnapshot(state)).toEqual(sessionSnapshot(live))
      }),
      { numRuns: 20 },
    )
  })
  it("[RT-REC-2] a fact delivered twice changes nothing the second time", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: whole.length }), fc.nat(), (count, pick) => {
        const state = some(count)
        const again = whole[pick % count]
        return again !== undefined && applyFact(state, again).state === state
      }),
      { numRuns: 40 },
    )
  })
  it("[RT-REC-2] a state kept as JSON goes on where it stopped", () => {
    fc.assert(
      fc.property(fc.nat({ max: whole.length }), (cut) => {
        const kept = JSON.parse(JSON.stringify(some(cut)))
        expect(applyFacts(kept, whole.slice(cut)).state).toEqual(JSON.parse(JSON.stringify(live)))
      }),
      { numRuns: 20 },
    )
  })
  it("[RT-ENV-3] the order is that of the sequence when the clock steps back", () => {
    const title = (sequence: number, second: number, text: string): Envelope => {
      const payload = { changed: ["title"] as ["title"], title: text }
      return { ...fact("session.updated", { sequence, payload }), timestamp: at(second) }
    }
    const facts = [fact("session.created"), title(2, 50, "before"), title(3, 10, "after")]
    const { state } = applyFacts(emptySession, inOrder(facts.toReversed()))
    expect(state.entities.sessions.ses_1).toEqual({
      session_id: "ses_1",
      title: "after",
      archived: false,
      created_at: at(1),
      updated_at: at(10),
      metadata: {},
    })
  })
  it("[RT-ENV-4] facts are taken in steps of one", () => {
    expect(applyFact(emptySession, fact("session.created", { sequence: 1 })).state.sequence).toBe(1)
    const early = fact("session.created", { sequence: 2 })
    expect(applyFact(emptySession, early)).toEqual({ state: emptySession, gap: { from: 1, to: 1 } })
  })
  it("in order, of two facts with one sequence the first stands", () => {
    const a = { sequence: 2, name: "a" }
    const b = { sequence: 2, name: "b" }
    const c = { sequence: 10, name: "c" }
    expect(inOrder([c, a, b])).toEqual([a, c])
  })
})

describe("gaps", () => {
  const one = whole[0] as Envelope
  const nine = whole[8] as Envelope
  it("a fact that comes too early changes nothing and tells what is missing", () => {
    const state = applyFact(emptySession, one).state
    expect(applyFact(state, nine)).toEqual({ state, gap: { from: 2, to: 8 } })
    expect(applyFact(state, nine).state).toBe(state)
    expect(applyFacts(emptySession, [one, nine, ...whole])).toEqual({ state, gap: { from: 2, to: 8 } })
  })
  it("the missing facts close it", () => {
    const { state, gap } = applyFacts(some(1), [...whole.slice(1, 8), nine])
    expect(gap).toBeUndefined()
    expect(state).toEqual(some(9))
  })
  it("a range that was pruned is no gap", () => {
    const { state, gap } = applyFact(some(1), nine, [{ from: 2, to: 8 }])
    expect(gap).toBeUndefined()
    expect(state.sequence).toBe(9)
    expect(applyFacts(some(1), [nine], [{ from: 2, to: 8 }]).state).toEqual(state)
  })
  it.each([
    [[{ from: 1, to: 9 }], true],
    [[{ from: 2, to: 8 }], true],
    [[{ from: 2, to: 7 }], false],
    [[{ from: 3, to: 8 }], false],
    [
      [
        { from: 5, to: 8 },
        { from: 2, to: 4 },
      ],
      true,
    ],
    [
      [
        { from: 2, to: 6 },
        { from: 3, to: 4 },
        { from: 7, to: 8 },
      ],
      true,
    ],
    [
      [
        { from: 2, to: 4 },
        { from: 6, to: 8 },
      ],
      false,
    ],
    [[{ from: 9, to: 12 }], false],
    [[], false],
  ])("ranges %j explain 2 to 8: %j", (ranges, explained) => {
    const facts = ranges.map((supersedes) => ({ payload: { supersedes } }))
    expect(explains({ from: 2, to: 8 }, facts)).toBe(explained)
    expect(applyFact(some(1), nine, ranges).gap === undefined).toBe(explained)
  })
  it("only well-formed ranges count", () => {
    const good = { from: 3, to: 4 }
    const odd = [
      null,
      undefined,
      7,
      "3-4",
      {},
      { from: 3 },
      { to: 4 },
      { from: "3", to: 4 },
      { from: 3, to: "4" },
    ]
    const facts = [...odd, good].map((supersedes) => ({ payload: { supersedes } }))
    expect(supersededBy([...facts, { payload: {} }])).toEqual([good])
  })
  it("final facts of a model, a reasoning part and a tool call name what they supersede", () => {
    const supersedes = { from: 3, to: 5 }
    const finals = [
      fact("model.completed", { payload: { supersedes } }),
      fact("model.failed", { payload: { supersedes } }),
      fact("reasoning.summary", { payload: { supersedes } }),
      fact("tool.result", { payload: { supersedes } }),
      fact("tool.failed", { payload: { supersedes } }),
      fact("tool.args", { payload: { supersedes } }),
      fact("process.completed", { payload: { supersedes } }),
    ]
    for (const final of finals) expect(explains({ from: 3, to: 5 }, [final]), final.type).toBe(true)
  })
  it("a log without its superseded deltas reads as the whole one, but for where they were", () => {
    const facts = stream(
      fact("model.requested"),
      fact("model.delta", { payload: { text: "Hel" } }),
      fact("model.delta", { payload: { text: "lo" } }),
      fact("model.completed", { payload: { supersedes: { from: 2, to: 3 } } }),
    )
    const pruned = facts.filter(({ type }) => type !== "model.delta")
    const { state, gap } = applyFacts(emptySession, pruned, supersededBy(pruned))
    expect(gap).toBeUndefined()
    const { first_delta, last_delta, ...request } = given(...facts).entities.modelRequests.req_1 ?? {
      first_delta: 0,
    }
    expect([first_delta, last_delta]).toEqual([2, 3])
    expect(state.entities.modelRequests.req_1).toEqual(request)
  })
})

describe("families", () => {
  type Light = { type: "on" | "off"; id?: string }
  const lit = fold<{ on: boolean; seen: number }, Light>(
    { on: false, seen: 0 },
    {
      on: (s) => (s.on ? s : { on: true, seen: s.seen + 1 }),
      off: (s) => ({ on: false, seen: s.seen + 1 }),
    },
  )
  const envelope = (type: string, id?: string) => ({ ...fact("session.created"), type, id }) as Envelope

  it("a record is found by its key, and a fact without key is nobody's", () => {
    const lamps = combine({ lamps: family(lit, (e) => e.id) })
    const state = lamps.apply(lamps.initial, envelope("on", "a"))
    expect(state).toEqual({ lamps: { a: { on: true, seen: 1 } } })
    expect(lamps.apply(state, envelope("on", "b")).lamps).toEqual({
      a: { on: true, seen: 1 },
      b: { on: true, seen: 1 },
    })
    expect(lamps.apply(state, envelope("on"))).toBe(state)
  })
  it("the catalog of a turn that waits is kept while others come and go", () => {
    const others = Array.from({ length: 20 }, (_, i) => [
      fact("tool.catalog.resolved", { turn_id: `trn_${i}` }),
      fact("turn.completed", { turn_id: `trn_${i}` }),
    ])
    const waits = fact("tool.catalog.resolved", { turn_id: "trn_waits" })
    const names = Object.keys(given(waits, ...others.flat()).entities.catalogs)
    expect(names).toContain("trn_waits")
    expect(names.length).toBeLessThan(12)
  })
  it("a fact that changes nothing keeps the very state", () => {
    const lamps = combine({ lamps: family(lit, (e) => e.id) })
    const state = lamps.apply(lamps.initial, envelope("on", "a"))
    expect(lamps.apply(state, envelope("on", "a"))).toBe(state)
    expect(lamps.apply(state, envelope("dim", "a"))).toBe(state)
  })
  it("one type may belong to several families", () => {
    const both = combine({ one: family(lit, (e) => e.id), two: family(lit, () => "all") })
    const state = both.apply(both.initial, envelope("on", "a"))
    expect(state).toEqual({ one: { a: { on: true, seen: 1 } }, two: { all: { on: true, seen: 1 } } })
    expect(both.types).toEqual(["on", "off"])
  })
  it("ended records beyond the limit leave, oldest first, and open ones stay", () => {
    const lamps = combine({ lamps: family(lit, (e) => e.id, { ended: (s) => !s.on, keep: 2 }) })
    let state = lamps.initial
    for (const id of ["a", "b", "c", "d"]) state = lamps.apply(state, envelope(id === "a" ? "on" : "off", id))
    expect(Object.keys(state.lamps)).toEqual(["a", "c", "d"])
    state = lamps.apply(state, envelope("on", "e"))
    expect(Object.keys(state.lamps)).toEqual(["a", "c", "d", "e"])
  })
  it("without options nothing ends, and 64 ended records are kept", () => {
    const lamps = family(lit, (e) => e.id)
    expect(lamps.ended({ on: false, seen: 0 })).toBe(false)
    expect(lamps.keep).toBe(64)
    expect(lamps.types).toEqual(["on", "off"])
  })
  it("a key that every object has is a key like any other", () => {
    const lamps = combine({ lamps: family(lit, (e) => e.id) })
    for (const id of ["constructor", "__proto__", "toString"]) {
      const state = lamps.apply(lamps.initial, envelope("on", id))
      expect(Object.entries(state.lamps)).toEqual([[id, { on: true, seen: 1 }]])
    }
  })
  it("a late fact is only counted", () =>
    expect(late({ late: 2, other: "x" })).toEqual({ late: 3, other: "x" }))
  it.each([
    ["turns", 32, (i: number) => fact("turn.completed", { turn_id: `trn_${i}` })],
    ["runs", 32, (i: number) => fact("run.status", { turn_id: `trn_${i}`, payload: { phase: "failed" } })],
    ["modelRequests", 128, (i: number) => fact("model.failed", { payload: { request_id: `req_${i}` } })],
    ["toolCalls", 512, (i: number) => fact("tool.failed", { tool_call_id: `tcl_${i}` })],
    ["actions", 128, (i: number) => fact("action.resolved", { action_id: `act_${i}` })],
    [
      "artifacts",
      64,
      (i: number) => fact("artifact.changed", { payload: { artifact_id: `a${i}`, change: "removed" } }),
    ],
    ["evidences", 256, (i: number) => fact("evidence.changed", { payload: { evidence_id: `e${i}` } })],
    ["subagents", 128, (i: number) => fact("subagent.closed", { subagent_id: `s${i}` })],
    ["incidents", 64, () => fact("runtime.warning")],
    [
      "evaluations",
      256,
      (i: number) => fact("permission.evaluated", { payload: { evaluation_id: `e${i}` } }),
    ],
    [
      "permissionRequests",
      64,
      (i: number) => fact("permission.resolved", { payload: { request_id: `r${i}` } }),
    ],
    ["boundaries", 128, (i: number) => fact("sandbox.applied", { payload: { process_id: `p${i}` } })],
    ["hookRuns", 128, (i: number) => fact("hook.completed", { payload: { hook_run_id: `h${i}` } })],
    ["processes", 64, (i: number) => fact("process.completed", { payload: { process_id: `p${i}` } })],
    ["routings", 32, (i: number) => fact("routing.decided", { payload: { routing_id: `r${i}` } })],
    ["tasks", 256, (i: number) => fact("task.completed", { task_id: `t${i}` })],
    [
      "attempts",
      1024,
      (i: number) => fact("task.attempt.completed", { attempt_id: `r${i}`, run_id: `r${i}` }),
    ],
    ["costs", 64, (i: number) => fact("cost.recorded", { payload: { request_id: `r${i}` } })],
    ["jobs", 64, (i: number) => fact("job.completed", { payload: { job_id: `j${i}` } })],
    [
      "outputs",
      256,
      (i: number) => fact("output.spilled", { payload: { ref: { uri: `o${i}`, kind: "blob" } } }),
    ],
    [
      "rollbacks",
      64,
      (i: number) => fact("history.rollback.completed", { payload: { rollback_id: `r${i}` } }),
    ],
  ] as const)("%s keep %i ended records in memory", (name, keep, make) => {
    const state = given(...Array.from({ length: keep + 3 }, (_, i): Envelope => make(i)))
    expect(Object.keys(state.entities[name]).length).toBe(keep)
  })
  it.each([
    ["turns", 40, (i: number) => fact("turn.submitted", { turn_id: `trn_${i}` })],
    ["runs", 40, (i: number) => fact("run.status", { turn_id: `trn_${i}` })],
    ["modelRequests", 40, (i: number) => fact("model.delta", { payload: { request_id: `req_${i}` } })],
    ["toolCalls", 520, (i: number) => fact("tool.started", { tool_call_id: `tcl_${i}` })],
    ["actions", 130, (i: number) => fact("action.required", { action_id: `act_${i}` })],
    ["artifacts", 70, (i: number) => fact("artifact.changed", { payload: { artifact_id: `a${i}` } })],
    ["subagents", 130, (i: number) => fact("subagent.completed", { subagent_id: `s${i}` })],
    [
      "permissionRequests",
      70,
      (i: number) => fact("permission.requested", { payload: { request_id: `r${i}` } }),
    ],
    ["boundaries", 130, (i: number) => fact("sandbox.violation", { payload: { process_id: `p${i}` } })],
    ["hookRuns", 130, (i: number) => fact("hook.started", { payload: { hook_run_id: `h${i}` } })],
    ["processes", 70, (i: number) => fact("process.started", { payload: { process_id: `p${i}` } })],
    ["tasks", 260, (i: number) => fact("task.lost", { task_id: `t${i}` })],
    ["costs", 70, (i: number) => fact("cost.estimated", { payload: { request_id: `r${i}` } })],
    ["jobs", 70, (i: number) => fact("job.started", { payload: { job_id: `j${i}` } })],
    ["rollbacks", 70, (i: number) => fact("history.rollback.started", { payload: { rollback_id: `r${i}` } })],
    ["delegations", 70, (i: number) => fact("task.delegated", { task_id: `t${i}` })],
    ["jobItems", 70, (i: number) => fact("job.item.completed", { payload: { item_id: `i${i}` } })],
  ] as const)("open %s stay in memory, however many", (name, count, make) => {
    const state = given(...Array.from({ length: count }, (_, i): Envelope => make(i)))
    expect(Object.keys(state.entities[name]).length).toBe(count)
  })
})
