import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  adopt,
  applyFacts,
  correlate,
  deliver,
  type Envelope,
  emptySession,
  type Followed,
  freshnessOf,
  sessionSnapshot,
  threadReadModel,
  unfollowed,
} from "../src/index.ts"
import { fact, given, stream } from "./given.ts"

const trace = stream(
  fact("session.created"),
  fact("thread.started"),
  fact("turn.submitted"),
  fact("turn.started"),
  fact("action.required", { thread_id: "thr_1", turn_id: "trn_1" }),
  fact("model.requested"),
  fact("model.completed"),
  fact("turn.completed"),
  fact("thread.updated", { payload: { status: "idle", previous: "active" } }),
)
const whole = given(...trace)
const at = (sequence: number): Envelope => trace[sequence - 1] as Envelope

describe("a read model that is fed from outside", () => {
  it("[RT-REC-3] 1 then 9: the read model is stale, keeps what it has, and asks for what is missing", () => {
    const first = deliver(unfollowed, [at(1)])
    expect(freshnessOf(first.followed)).toBe("current")
    const { followed, repair, repaired } = deliver(first.followed, [at(9)])
    expect([freshnessOf(followed), repair, repaired]).toEqual(["stale", { from: 2, to: 8 }, undefined])
    expect(followed.state).toEqual(given(at(1)))
    expect(sessionSnapshot(followed.state, { freshness: freshnessOf(followed) }).freshness).toBe("stale")
  })
  it("[RT-REC-3] then 2 to 8: it is current again, with the correction that says so", () => {
    const { followed } = deliver(deliver(unfollowed, [at(1)]).followed, [at(9)])
    const mended = deliver(followed, trace.slice(1, 8))
    expect(mended.followed).toEqual({ state: whole, early: [] })
    expect(mended.repaired).toEqual({
      snapshot: "session_snapshot",
      reflects: 9,
      cause: "gap",
      missing: { from: 2, to: 8 },
      kept: ["act_1"],
    })
  })
  it("[RT-REC-3] or a snapshot at 9", () => {
    const { followed } = deliver(deliver(unfollowed, [at(1)]).followed, [at(9)])
    const mended = adopt(followed, whole)
    expect([freshnessOf(mended.followed), mended.repaired?.reflects]).toEqual(["current", 9])
    expect(mended.followed.state).toBe(whole)
  })
  it("[RT-REC-3] a part of what is missing leaves it stale and asks for nothing twice", () => {
    const { followed } = deliver(deliver(unfollowed, [at(1)]).followed, [at(9)])
    const partly = deliver(followed, [at(2), at(3)])
    expect([partly.repair, partly.repaired, partly.followed.gap]).toEqual([
      undefined,
      undefined,
      { from: 4, to: 8 },
    ])
  })
  it("[RT-REC-3] a second gap inside of what waits is asked for by itself", () => {
    const { followed } = deliver(unfollowed, [at(1), at(4)])
    expect(followed.gap).toEqual({ from: 2, to: 3 })
    const more = deliver(deliver(followed, [at(9)]).followed, [at(2), at(3)])
    expect(more.repair).toEqual({ from: 5, to: 8 })
    expect(more.followed.state.sequence).toBe(4)
  })
  it("[RT-REC-3] an older snapshot changes nothing", () => {
    const { followed } = deliver(deliver(unfollowed, trace.slice(0, 4)).followed, [at(9)])
    expect(adopt(followed, given(at(1))).followed).toEqual(followed)
  })
  it("[RT-REC-3] a range that a final fact superseded is no gap", () => {
    const { followed, repair } = deliver(deliver(unfollowed, [at(1)]).followed, [at(9)], [{ from: 2, to: 8 }])
    expect([freshnessOf(followed), repair]).toEqual(["current", undefined])
  })
  it("[RT-REC-3] shuffled, repeated and in any pieces, the end is the same read model", () => {
    const pieces = fc.array(fc.array(fc.constantFrom(...trace), { maxLength: 4 }), { maxLength: 12 })
    fc.assert(
      fc.property(pieces, (delivered) => {
        let followed: Followed = unfollowed
        for (const facts of delivered) followed = deliver(followed, facts).followed
        const end = deliver(followed, trace).followed
        expect(end).toEqual({ state: applyFacts(emptySession, trace).state, early: [] })
      }),
    )
  })
})

describe("facts from elsewhere", () => {
  const lone = fact("tool.started", { turn_id: "trn_elsewhere", tool_call_id: "tcl_9" })
  const facts = stream(fact("session.created"), fact("thread.started"), fact("turn.submitted"), lone)
  const joined = facts.map((one) => ({ ...one, timestamp: facts[2]?.timestamp ?? "" }))

  it("[RT-ID-14] a fact of an unknown turn is kept and marked, and joins no turn of the same time", () => {
    const marks = correlate(joined)
    expect(marks.map((one) => one.fact)).toEqual(joined)
    expect(marks.map((one) => one.missing_correlation)).toEqual([[], [], [], ["turn_id"]])
    const { state } = applyFacts(emptySession, joined)
    expect(state.entities.toolCalls.tcl_9?.turn_id).toBe("trn_elsewhere")
    expect(sessionSnapshot(state).recent.map(({ kind }) => kind)).toEqual(["input"])
    expect(threadReadModel(state, "thr_1").diagnostics).toEqual([
      { code: "missing_correlation", id: "tcl_9", count: 1 },
    ])
  })
  it("[RT-ID-14] each missing parent is named, whichever it is", () => {
    const orphan = fact("tool.result", { tool_call_id: "tcl_x", turn_id: "trn_x", thread_id: "thr_x" })
    const [first] = correlate([orphan])
    expect(first?.missing_correlation).toEqual(["session_id", "thread_id", "turn_id", "tool_call_id"])
    expect(correlate(trace).flatMap((one) => one.missing_correlation)).toEqual([])
  })
  it("input for a turn that nobody submitted makes none up", () => {
    const steer = { input: [{ kind: "text" as const, text: "x" }], source: "s" }
    const state = given(fact("queue.changed", { turn_id: "trn_x", payload: { change: "steered", steer } }))
    expect(state.entities.turns).toEqual({})
  })
})
