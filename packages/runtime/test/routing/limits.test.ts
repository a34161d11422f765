import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { costRecorded } from "../../src/routing/cost.ts"
import {
  gate,
  type Limit,
  limitChanges,
  quotaLow,
  rateLimitHit,
  standing,
  type Use,
  useOf,
} from "../../src/routing/limits.ts"
import { price, valid } from "./given.ts"

const stamped = <F extends object>(fact: F) => ({ ...fact, timestamp: "2026-01-01T00:00:00.000Z" })
let count = 0
const use = (more: Partial<Use> = {}): Use => ({
  request_id: `req_${++count}`,
  at: 0,
  provider: "p",
  model: "m",
  tokens: 100,
  amount: 1,
  currency: "USD",
  ...more,
})
const asked = { request_id: "req_next", provider: "p", model: "m" }
const budget: Limit = { limit: "budget of the task", kind: "budget", unit: "USD", max: 2 }
const minute = { every_ms: 60_000, as: "sliding" } as const
const rate: Limit = { limit: "requests a minute", kind: "rate", unit: "requests", max: 2, window: minute }
const day = { every_ms: 86_400_000, as: "fixed" } as const
const daily: Limit = { limit: "tokens a day", kind: "quota", unit: "tokens", max: 200, window: day }

describe("before a request", () => {
  it("goes while nothing is reached", () => {
    expect(gate([budget, rate, daily], [use()], [], asked, 0)).toEqual({ go: true })
  })

  it("[RT-COST-3] a spent budget blocks and names what is missing", () => {
    const stopped = gate([budget], [use(), use()], [], asked, 0)
    expect(stopped).toMatchObject({
      go: false,
      state: "blocked",
      missing: "quota",
      reason: "budget of the task: 2 of 2 USD are used.",
    })
    if (stopped.go) return
    expect(valid(stopped.facts)).toEqual([
      {
        type: "quota.blocked",
        payload: {
          quota: "budget of the task",
          unit: "USD",
          used: 2,
          limit: 2,
          resets_at: "unknown",
          request_id: "req_next",
        },
      },
    ])
  })

  it("[RT-COST-3] a quota with a known reset is waited for until that time", () => {
    const stopped = gate([daily], [use({ at: 5 }), use({ at: 6 })], [], asked, 7)
    expect(stopped).toMatchObject({ go: false, state: "waiting_resource", until: 86_400_000 })
    if (stopped.go) return
    expect(valid(stopped.facts)[0]?.payload).toMatchObject({ resets_at: "1970-01-02T00:00:00.000Z" })
    expect(gate([daily], [use({ at: 5 }), use({ at: 6 })], [], asked, 86_400_000)).toEqual({ go: true })
  })

  it("[RT-COST-3] a rate is waited for until its oldest request has left the window", () => {
    const uses = [use({ at: 20_000 }), use({ at: 10_000 })]
    expect(gate([rate], uses, [], asked, 30_000)).toMatchObject({ state: "waiting_resource", until: 70_000 })
    expect(gate([rate], uses, [], asked, 69_999).go).toBe(false)
    expect(gate([rate], uses, [], asked, 70_000).go).toBe(true)
  })

  it("[RT-COST-3] a provider's refusal is waited for until the time it named", () => {
    const hits = [{ provider: "p", limit: "rate of requests", next_try_at: 5000 }]
    expect(gate([], [], hits, asked, 4999)).toMatchObject({
      state: "waiting_resource",
      until: 5000,
      facts: [],
    })
    expect(gate([], [], hits, asked, 5000)).toEqual({ go: true })
    expect(gate([], [], hits, { ...asked, provider: "other" }, 0)).toEqual({ go: true })
    expect(gate([], [], [{ provider: "p", limit: "x", next_try_at: "unknown" }], asked, 0)).toEqual({
      go: true,
    })
  })

  it("[RT-STAT-7] of several waits the longest counts", () => {
    const hits = [{ provider: "p", limit: "rate of requests", next_try_at: 999_999 }]
    expect(gate([rate], [use(), use()], hits, asked, 1)).toMatchObject({ until: 999_999 })
  })

  it("[RT-STAT-8] what someone must mend is told before what mends itself", () => {
    expect(gate([rate, budget], [use(), use()], [], asked, 1)).toMatchObject({ state: "blocked" })
  })

  it("a limit counts what it is about", () => {
    const of: Limit = { ...budget, of: { provider: "p", model: "m" } }
    expect(standing(of, [use(), use({ model: "x" }), use({ provider: "q" })], 0).used).toBe(1)
    expect(gate([of], [use(), use()], [], { ...asked, model: "x" }, 0)).toEqual({ go: true })
    expect(standing(budget, [use(), use({ currency: "EUR" })], 0)).toMatchObject({ used: 1, unmeasured: 0 })
  })

  it("[RT-COST-2] a request counts once, with what was recorded last", () => {
    const same = [use({ request_id: "r", amount: 2 }), use({ request_id: "r", amount: 0.5 })]
    expect(standing(budget, same, 0)).toMatchObject({ used: 0.5, remaining: 1.5 })
  })

  it("[RT-COST-2] a use of unknown size is not taken for nothing where that is forbidden", () => {
    const uses = [use({ amount: "unknown", currency: "unknown" })]
    expect(standing(budget, uses, 0)).toMatchObject({ used: 0, unmeasured: 1 })
    expect(gate([budget], uses, [], asked, 0)).toEqual({ go: true })
    expect(gate([{ ...budget, unmeasured: "block" }], uses, [], asked, 0)).toMatchObject({
      state: "blocked",
      reason: "budget of the task: 0 of 2 USD are used; the size of 1 more is not known.",
    })
  })

  it("a strict limit stops what would not fit", () => {
    const strict = { ...budget, strict: true }
    const dear = { ...asked, estimate: { tokens: 1, amount: 1.5, currency: "USD" } }
    expect(gate([budget], [use()], [], dear, 0)).toEqual({ go: true })
    expect(gate([strict], [use()], [], dear, 0)).toMatchObject({ state: "blocked" })
    const huge = { ...asked, estimate: { tokens: 999, amount: 1, currency: "USD" } }
    expect(gate([{ ...daily, strict: true }], [], [], huge, 0)).toMatchObject({ state: "blocked" })
  })

  it("[RT-COST-3] whatever the limits, the requests that go never pass one that counts requests", () => {
    const limit = fc.record({
      max: fc.integer({ min: 1, max: 5 }),
      every_ms: fc.integer({ min: 1, max: 50 }),
    })
    fc.assert(
      fc.property(limit, fc.array(fc.nat(20), { maxLength: 60 }), ({ max, every_ms }, steps) => {
        const own: Limit = { ...rate, max, window: { every_ms, as: "sliding" } }
        const uses: Use[] = []
        let now = 0
        for (const step of steps) {
          now += step
          const answer = gate([own], uses, [], asked, now)
          if (answer.go) uses.push(use({ at: now }))
          else if (answer.state === "waiting_resource") {
            expect(answer.until).toBeGreaterThan(now)
            expect(gate([own], uses, [], asked, answer.until).go).toBe(true)
            expect(gate([own], uses, [], asked, answer.until - 1).go).toBe(false)
          }
          for (const { at } of uses) {
            expect(
              uses.filter((other) => other.at > at - every_ms && other.at <= at).length,
            ).toBeLessThanOrEqual(max)
          }
        }
      }),
    )
  })
})

describe("what is told of limits", () => {
  const low: Limit = { ...budget, max: 10, low_below: 5 }

  it("[RT-EVT-26] a quota is low once per crossing", () => {
    const uses: Use[] = []
    const told = Array.from({ length: 10 }, () => {
      const next = use()
      const fact = quotaLow(low, uses, next)
      uses.push(next)
      return fact
    })
    expect(told.map((fact) => fact !== undefined)).toEqual([
      ...Array(5).fill(false),
      true,
      ...Array(4).fill(false),
    ])
    const payload = { quota: "budget of the task", unit: "USD", remaining: 4, limit: 10, threshold: 5 }
    expect(valid(told.filter((fact) => fact !== undefined))).toEqual([{ type: "quota.low", payload }])
  })

  it("[RT-EVT-26] it is told again after it came back", () => {
    const again: Limit = { ...low, window: { every_ms: 100, as: "fixed" } }
    expect(quotaLow(again, [], use({ at: 50, amount: 6 }))).toBeDefined()
    expect(quotaLow(again, [use({ at: 50, amount: 6 })], use({ at: 60 }))).toBeUndefined()
    expect(quotaLow(again, [use({ at: 50, amount: 6 })], use({ at: 150, amount: 6 }))).toBeDefined()
  })

  it("[RT-EVT-26] facts and crossings are as many, whatever is used", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ step: fc.nat(60), amount: fc.nat(8) })), (steps) => {
        const windowed: Limit = { ...low, window: { every_ms: 100, as: "fixed" } }
        const uses: Use[] = []
        let now = 0
        let facts = 0
        let crossings = 0
        let remaining = windowed.max
        for (const { step, amount } of steps) {
          if (Math.floor((now + step) / 100) > Math.floor(now / 100)) remaining = windowed.max
          now += step
          const before = remaining
          const used = uses.filter(({ at }) => Math.floor(at / 100) === Math.floor(now / 100))
          const sum = used.reduce((total, one) => total + Number(one.amount), amount)
          remaining = Math.max(0, windowed.max - sum)
          if (before >= 5 && remaining < 5) crossings++
          const next = use({ at: now, amount })
          if (quotaLow(windowed, uses, next) !== undefined) facts++
          uses.push(next)
        }
        expect(facts).toBe(crossings)
      }),
    )
  })

  it("[RT-EVT-26] every refusal of a provider is told, with the time it named", () => {
    const refusal = { request_id: "req_1", provider: "p" }
    expect(valid([rateLimitHit({ ...refusal, retry_after_ms: 7000 }, 0), rateLimitHit(refusal, 0)])).toEqual([
      {
        type: "rate_limit.hit",
        payload: { ...refusal, limit: "rate of requests", next_try_at: "1970-01-01T00:00:07.000Z" },
      },
      { type: "rate_limit.hit", payload: { ...refusal, limit: "rate of requests", next_try_at: "unknown" } },
    ])
  })

  it.each(["cost", "quota", "rate", "budget", "policy"] as const)(
    "[RT-EVT-17] a changed %s limit is told, the same value is not",
    (kind) => {
      const old: Limit = { limit: "x", kind, unit: "USD", max: 1 }
      expect(valid(limitChanges([old], [{ ...old, max: 2 }], "factum.config.json"))).toEqual([
        {
          type: "limit.changed",
          payload: { limit: "x", kind, unit: "USD", old: 1, new: 2, source: "factum.config.json" },
        },
      ])
      expect(limitChanges([old], [{ ...old }], "factum.config.json")).toEqual([])
    },
  )

  it("[RT-EVT-17] a limit that comes or goes was or is unlimited; another unit cannot be compared", () => {
    const payloads = [
      ...limitChanges([], [budget], "user"),
      ...limitChanges([budget], [], "user"),
      ...limitChanges([budget], [{ ...budget, unit: "EUR" }], "user"),
    ].map(({ payload }) => payload)
    expect(payloads).toMatchObject([
      { old: "unlimited", new: 2 },
      { old: 2, new: "unlimited" },
      { old: "unknown", new: 2, unit: "EUR" },
    ])
  })

  it("[RT-COST-1] what a recorded cost uses up is read from the fact itself", () => {
    const usage = { input_tokens: 1000, output_tokens: 500 }
    const spent = { request_id: "req_1", provider: "p", model: "m", outcome: "completed" as const }
    expect(useOf(stamped(costRecorded({ ...spent, usage }, price)))).toEqual({
      request_id: "req_1",
      at: Date.parse("2026-01-01T00:00:00.000Z"),
      provider: "p",
      model: "m",
      tokens: 1500,
      amount: 0.0105,
      currency: "USD",
    })
    expect(useOf(stamped(costRecorded(spent, undefined)))).toMatchObject({
      tokens: "unknown",
      amount: "unknown",
    })
  })
})
