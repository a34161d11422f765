import { costTotals } from "@factum/facts"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  type CostRecord,
  costEstimated,
  costRecorded,
  type Price,
  priceOf,
  rollUp,
} from "../../src/routing/cost.ts"
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
  const parents: Readonly<Record<string, string>> = { grandchild: "child", child: "root", other: "root" }
  const parentOf = (of: string) => parents[of]
  const record = (request_id: string, of: string, amount: number | "unknown" = 0.1): CostRecord => ({
    request_id,
    of,
    amount,
    currency: "USD",
  })

  it("[RT-COST-2] costs of two levels of children add to the parent once, duplicates do not", () => {
    const records = [
      record("r1", "root"),
      record("r2", "child", 0.2),
      record("r3", "grandchild"),
      record("r3", "grandchild"),
      record("r4", "grandchild", "unknown"),
    ]
    expect(Object.fromEntries(rollUp(records, parentOf))).toEqual({
      root: { USD: { known: 0.4, requests: 4, unpriced: 1 } },
      child: { USD: { known: 0.3, requests: 3, unpriced: 1 } },
      grandchild: { USD: { known: 0.1, requests: 2, unpriced: 1 } },
    })
  })

  it("[RT-COST-2] a request of a retry counts beside the one that failed", () => {
    const totals = rollUp([record("r1", "root", "unknown"), record("r2", "root")], parentOf)
    expect(totals.get("root")).toEqual({ USD: { known: 0.1, requests: 2, unpriced: 1 } })
  })

  it("keeps currencies apart", () => {
    const totals = rollUp([record("r1", "root"), { ...record("r2", "root"), currency: "EUR" }], parentOf)
    expect(totals.get("root")).toMatchObject({ USD: { known: 0.1 }, EUR: { known: 0.1 } })
  })

  it("a ring of parents does not hang", () => {
    const ring: Readonly<Record<string, string>> = { a: "b", b: "a" }
    const totals = rollUp([record("r1", "a")], (of) => ring[of])
    expect(totals.get("b")).toEqual({ USD: { known: 0.1, requests: 1, unpriced: 0 } })
  })

  const records = fc.array(
    fc.record({
      request_id: fc.constantFrom("r1", "r2", "r3", "r4", "r5", "r6"),
      of: fc.constantFrom("root", "child", "grandchild", "other"),
      amount: fc.oneof(
        fc.constant("unknown" as const),
        fc.nat(1_000_000).map((n) => n / 1e6),
      ),
      currency: fc.constant("USD"),
    }),
  )

  it("[RT-COST-2] totals from the log equal those of the summary, also after a restart, and do not depend on order", () => {
    fc.assert(
      fc.property(records, (given) => {
        const first = new Map<string, CostRecord>()
        for (const one of given) if (!first.has(one.request_id)) first.set(one.request_id, one)
        const total = rollUp(given, parentOf).get("root") ?? {}
        // The summary's own fold, which a restart runs again from the log.
        const summary = given
          .map(({ request_id, amount, currency }) => {
            const none = { input_tokens: "unknown", output_tokens: "unknown" } as const
            const payload = { request_id, amount, currency, usage: none, outcome: "completed" as const }
            return logged({ type: "cost.recorded" as const, payload })
          })
          .reduce((state, fact) => costTotals.apply(state, fact), costTotals.initial)
        expect(total.USD?.requests ?? 0).toBe(summary.requests)
        expect(total.USD?.unpriced ?? 0).toBe(summary.unpriced)
        expect(total.USD?.known ?? 0).toBeCloseTo(summary.known, 9)
        expect(rollUp([...first.values()].reverse(), parentOf).get("root") ?? {}).toEqual(total)
      }),
    )
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
