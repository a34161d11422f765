import { costTotals, sessionSpendings } from "@factum/facts"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { standingOf } from "../../src/routing/account.ts"
import { costEstimated, costRecorded, type Price, priceOf } from "../../src/routing/cost.ts"
import { gate, rateLimitHit } from "../../src/routing/limits.ts"
import { route } from "../../src/routing/route.ts"
import { candidate, logged, price, profile, valid } from "./given.ts"

const usage = { input_tokens: 1000, output_tokens: 500 }
const spent = { request_id: "req_1", provider: "p", model: "m", outcome: "completed" as const }

describe("the price of a request", () => {
  it("[RT-EVT-26] is estimated before and recorded after it", () => {
    const facts = [costEstimated("req_1", price, usage), costRecorded({ ...spent, usage }, price)]
    expect(valid(facts)).toEqual([
      {
        type: "cost.estimated",
        payload: {
          request_id: "req_1",
          amount: 0.0105,
          currency: "USD",
          basis: "About 1000 tokens in, 500 out; prices 2026-01.",
        },
      },
      {
        type: "cost.recorded",
        payload: {
          request_id: "req_1",
          amount: 0.0105,
          currency: "USD",
          usage,
          outcome: "completed",
          provider: "p",
          model: "m",
          price_version: "2026-01",
        },
      },
    ])
  })

  it("counts cached and written tokens at their own price, and reasoning as output", () => {
    const dear: Price = { ...price, cached_input: 0.3, cache_write: 3.75 }
    const many = {
      input_tokens: 1000,
      output_tokens: 500,
      cached_tokens: 600,
      cache_write_tokens: 100,
      reasoning_tokens: 400,
    }
    expect(priceOf(dear, many)).toBe((300 * 3 + 600 * 0.3 + 100 * 3.75 + 500 * 15) / 1e6)
    expect(priceOf(price, many)).toBe(0.0105)
    const [fact] = valid([costRecorded({ ...spent, usage: many }, dear)])
    expect(fact?.payload.usage).toEqual({ ...usage, cached_tokens: 600, reasoning_tokens: 400 })
  })

  it.each([
    ["no price", undefined, usage],
    ["no count of input", price, { ...usage, input_tokens: "unknown" as const }],
    ["no count of output", price, { ...usage, output_tokens: "unknown" as const }],
  ])("[RT-COST-2] %s reads unknown, never 0", (_, known, counted) => {
    const facts = [costEstimated("req_1", known, counted), costRecorded({ ...spent, usage: counted }, known)]
    expect(valid(facts).map(({ payload }) => payload.amount)).toEqual(["unknown", "unknown"])
  })

  it.each(["failed", "cancelled"] as const)(
    "[RT-COST-2] a %s request is recorded, its usage unknown when nobody said",
    (outcome) => {
      const [fact] = valid([costRecorded({ ...spent, outcome }, price)])
      expect(fact?.payload).toMatchObject({
        outcome,
        amount: "unknown",
        currency: "USD",
        usage: { input_tokens: "unknown", output_tokens: "unknown" },
      })
    },
  )

  it("what is known to be free costs 0, whatever its usage", () => {
    const free = { currency: "USD", version: "own", input: 0, output: 0 }
    expect(priceOf(free, { input_tokens: "unknown", output_tokens: 1 })).toBe(0)
  })
})

describe("totals", () => {
  const record = fc.record({
    request_id: fc.constantFrom("r1", "r2", "r3", "r4", "r5", "r6"),
    amount: fc.oneof(
      fc.constant("unknown" as const),
      fc.nat(1_000_000).map((n) => n / 1e6),
    ),
    child: fc.boolean(),
  })

  it("[RT-COST-2] the summary and what limits are measured by count each request once, whoever made it and however often it is told", () => {
    fc.assert(
      fc.property(fc.array(record), (given) => {
        const none = { input_tokens: "unknown", output_tokens: "unknown" } as const
        const facts = given.map(({ request_id, amount, child }, at) => {
          const from = child ? { from: { session_id: "ses_child", sequence: at + 1 } } : {}
          const payload = { request_id, amount, currency: "USD", usage: none, outcome: "completed" as const }
          return logged({ type: "cost.recorded" as const, payload: { ...payload, ...from } })
        })
        const first = new Map<string, number | "unknown">()
        for (const { request_id, amount } of given) if (!first.has(request_id)) first.set(request_id, amount)
        const amounts = [...first.values()]
        const known = amounts.reduce<number>((sum, amount) => sum + (amount === "unknown" ? 0 : amount), 0)
        const summary = facts.reduce((state, fact) => costTotals.apply(state, fact), costTotals.initial)
        expect(summary).toMatchObject({ requests: first.size, known: expect.closeTo(known, 9) })
        const sums = facts.reduce(
          (state, fact) => sessionSpendings.apply(state, fact),
          sessionSpendings.initial,
        )
        const limit = { limit: "x", kind: "budget", unit: "USD", max: 1 } as const
        expect(standingOf(limit, { added: [sums], taken: [], at_work_ms: 0 })).toMatchObject({
          used: expect.closeTo(known, 9),
          unmeasured: amounts.filter((amount) => amount === "unknown").length,
        })
      }),
    )
  })

  it("[RT-COST-2] what was told of a child is taken away where the child itself is counted", () => {
    const own = { request_id: "r1", amount: 1, currency: "USD", outcome: "completed" as const }
    const usage = { input_tokens: 1, output_tokens: 1 }
    const told = logged({ type: "cost.recorded" as const, payload: { ...own, usage } })
    const sums = sessionSpendings.apply(sessionSpendings.initial, told)
    const limit = { limit: "x", kind: "budget", unit: "USD", max: 5 } as const
    const account = { added: [sums, sums], taken: [sums], at_work_ms: 0 }
    expect(standingOf(limit, account)).toMatchObject({ used: 1, remaining: 4 })
  })
})

describe("joining", () => {
  it("[RT-COST-1] routing, cost, rate limit and quota facts of one request carry its id", () => {
    const routed = route({ routing_id: "rou_1", request_id: "req_1" }, profile(), [candidate("m")])
    const spentOut = { limit: "x", kind: "budget", unit: "USD", max: 0 } as const
    const stopped = gate([spentOut], [], [], { request_id: "req_1", provider: "p", model: "m" }, 0)
    const facts = valid([
      ...routed.facts,
      costEstimated("req_1", price, usage),
      rateLimitHit({ request_id: "req_1", provider: "p" }, 0),
      costRecorded({ ...spent, usage }, price),
      ...(stopped.go ? [] : stopped.facts),
    ])
    const joined = facts.filter(({ payload }) => "request_id" in payload && payload.request_id === "req_1")
    expect(joined.map(({ type }) => type)).toEqual([
      "routing.decided",
      "cost.estimated",
      "rate_limit.hit",
      "cost.recorded",
      "quota.blocked",
    ])
  })
})
