import { type ModelRequest, modelRequests, routings } from "@factum/facts"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Failure, fallback, patience, type Tries, triesOf } from "../../src/routing/fallback.ts"
import { isSame, route } from "../../src/routing/route.ts"
import { candidate, logged, profile, valid } from "./given.ts"

const at = (model: string) => ({ provider: "p", model })
const failure = (more: Partial<Failure> = {}): Failure => ({
  category: "provider_error",
  reason: "p has a problem of its own (503).",
  retryable: true,
  ...more,
})
const final = failure({ retryable: false, reason: "p refused the request (400)." })

function tries(models: readonly string[], tried: Readonly<Record<string, number>>, choice: string): Tries {
  return {
    routing_id: "rou_1",
    candidates: models.map(at),
    choice: at(choice),
    tried: Object.entries(tried).map(([model, times]) => ({ ...at(model), times, ruled_out: false })),
    fallbacks: 0,
  }
}

/** What the log would hold after a failed try. */
function after(state: Tries, failed: Failure): Tries {
  const known = state.tried.some((one) => isSame(one, state.choice))
  const tried = known ? state.tried : [...state.tried, { ...state.choice, times: 0, ruled_out: false }]
  return {
    ...state,
    tried: tried.map((one) =>
      isSame(one, state.choice)
        ? { ...one, times: one.times + 1, ruled_out: one.ruled_out || !failed.retryable }
        : one,
    ),
  }
}

describe("after a failed request", () => {
  it("[RT-STAT-10] the same model is tried again, later each time, with number and cause", () => {
    const first = fallback(tries(["a", "b"], { a: 1 }, "a"), failure(), "req_2", 5000)
    const cause = "p has a problem of its own (503)."
    expect(first).toEqual({ kind: "retry", choice: at("a"), attempt: 2, at: 6000, state: "retrying", cause })
    const second = fallback(tries(["a", "b"], { a: 2 }, "a"), failure(), "req_3", 5000)
    expect(second).toMatchObject({ kind: "retry", attempt: 3, at: 7000 })
  })

  it("[RT-STAT-10] then the work falls back", () => {
    const next = fallback(tries(["a", "b"], { a: 3 }, "a"), failure(), "req_4", 5000)
    expect(next).toMatchObject({ kind: "fallback", choice: at("b"), attempt: 1, number: 1 })
  })

  it("[RT-EVT-24] each switch is a fact with from, to, cause and number: two fallbacks", () => {
    let state = tries(["a", "b", "c"], { a: 1 }, "a")
    state = { ...state, tried: [{ ...at("a"), times: 1, ruled_out: true }] }
    const first = fallback(state, final, "req_2", 0)
    if (first.kind !== "fallback") throw new Error(first.kind)
    state = after({ ...state, choice: first.choice, fallbacks: 1 }, final)
    const second = fallback(state, final, "req_3", 0)
    if (second.kind !== "fallback") throw new Error(second.kind)
    const cause = final.reason
    expect(valid([first.fact, second.fact]).map(({ payload }) => payload)).toEqual([
      { routing_id: "rou_1", from: at("a"), to: at("b"), cause, number: 1, request_id: "req_2" },
      { routing_id: "rou_1", from: at("b"), to: at("c"), cause, number: 2, request_id: "req_3" },
    ])
  })

  it("[RT-ROUTE-3] every candidate fails: the work ends and says why", () => {
    const state = tries(["a", "b"], { a: 3, b: 3 }, "b")
    expect(fallback(state, failure(), "req_9", 0)).toEqual({
      kind: "stop",
      state: "failed",
      reason: "p/b: p has a problem of its own (503). The other 1 were tried as well.",
    })
  })

  it("[RT-ROUTE-3] a pinned model is alone in the set and is not replaced", () => {
    const routed = route(
      { routing_id: "rou_1", request_id: "req_1" },
      profile({ pinned: { ...at("b"), replaceable: false } }),
      [candidate("a"), candidate("b")],
    )
    const folded = folding(routed.facts)
    const state = triesOf(folded, [])
    expect(state?.candidates).toEqual([at("b")])
    if (state === undefined) return
    expect(fallback(after(state, final), final, "req_2", 0)).toMatchObject({
      kind: "stop",
      reason: expect.stringContaining("No other model may take its place."),
    })
  })

  it("[RT-STAT-7] a rate limit is waited for as long as the provider asks", () => {
    const limited = failure({ category: "rate_limited", retry_after_ms: 15_000 })
    const next = fallback(tries(["a", "b"], { a: 1 }, "a"), limited, "req_2", 1000)
    expect(next).toMatchObject({ kind: "retry", at: 16_000, state: "waiting_resource" })
  })

  it("a long wait is not waited for when another model is left", () => {
    const limited = failure({ category: "rate_limited", retry_after_ms: 600_000 })
    const both = fallback(tries(["a", "b"], { a: 1 }, "a"), limited, "req_2", 0)
    expect(both).toMatchObject({ kind: "fallback", choice: at("b") })
    const alone = fallback(tries(["a"], { a: 1 }, "a"), limited, "req_2", 0)
    expect(alone).toMatchObject({ kind: "retry", at: 600_000 })
  })

  it.each(["credential", "quota"] as const)(
    "[RT-STAT-8] a missing %s blocks when no other model is left",
    (missing) => {
      const next = fallback(tries(["a"], { a: 1 }, "a"), { ...final, missing }, "req_2", 0)
      expect(next).toMatchObject({ kind: "stop", state: "blocked", missing })
    },
  )

  it("a wait grows only up to its limit", () => {
    const allowed = { ...patience, tries: 99 }
    const next = fallback(tries(["a"], { a: 40 }, "a"), failure(), "req_2", 0, allowed)
    expect(next).toMatchObject({ kind: "retry", at: patience.longest_wait_ms })
  })

  const failures = fc.record({
    category: fc.constantFrom("provider_error" as const, "rate_limited" as const, "cut_stream" as const),
    reason: fc.constant("so it is"),
    retryable: fc.boolean(),
    retry_after_ms: fc.nat(100_000),
  })

  it("[RT-ROUTE-3] whatever fails: inside the set, each as often as allowed, never one that is ruled out, and it ends", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 4 }),
        fc.infiniteStream(failures),
        (count, most, stream) => {
          const models = Array.from({ length: count }, (_, n) => `m${n}`)
          const allowed = { ...patience, tries: most }
          const times = new Map<string, number>()
          const ruledOut = new Set<string>()
          let state = tries(models, {}, "m0")
          let now = 0
          let numbers = 0
          for (let round = 0; ; round++) {
            if (round > count * most) throw new Error("It does not end.")
            const { model } = state.choice
            times.set(model, (times.get(model) ?? 0) + 1)
            expect(models).toContain(model)
            expect(times.get(model)).toBeLessThanOrEqual(most)
            expect(ruledOut.has(model)).toBe(false)
            const failed = stream.next().value as Failure
            if (!failed.retryable) ruledOut.add(model)
            state = after(state, failed)
            const next = fallback(state, failed, `req_${round}`, now, allowed)
            if (next.kind === "stop") return
            expect(next.attempt).toBe((times.get(next.choice.model) ?? 0) + 1)
            if (next.kind === "retry") {
              expect(isSame(next.choice, state.choice)).toBe(true)
              expect(next.at - now).toBeGreaterThanOrEqual(failed.retry_after_ms ?? 0)
              now = next.at
            } else {
              expect(next.fact.payload).toMatchObject({
                from: state.choice,
                to: next.choice,
                number: ++numbers,
              })
              expect(isSame(next.choice, state.choice)).toBe(false)
              state = { ...state, choice: next.choice, fallbacks: numbers }
            }
          }
        },
      ),
    )
  })
})

function folding(facts: readonly { type: string; payload: unknown }[]) {
  return facts.reduce((state, fact) => routings.apply(state, logged(fact)), routings.initial)
}

describe("the tries of a routing", () => {
  it("are read from the log, so that a restart goes on where the work was", () => {
    const routed = route({ routing_id: "rou_1", request_id: "req_1" }, profile(), [
      candidate("a"),
      candidate("b"),
    ])
    const request = (model: string, retryable?: boolean): ModelRequest => ({
      ...modelRequests.initial,
      ...at(model),
      ...(retryable === undefined ? {} : { failure: { category: "x", reason: "x", retryable } }),
    })
    expect(triesOf(folding(routed.facts), [request("a", true), request("a", false), request("b")])).toEqual({
      routing_id: "rou_1",
      candidates: [at("a"), at("b")],
      choice: at("a"),
      tried: [
        { ...at("a"), times: 2, ruled_out: true },
        { ...at("b"), times: 1, ruled_out: false },
      ],
      fallbacks: 0,
    })
  })

  it("of a routing that was never decided are none", () => {
    expect(triesOf(folding([]), [])).toBeUndefined()
  })
})
