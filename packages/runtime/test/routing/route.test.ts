import { describe, expect, it } from "vitest"
import type { Gate } from "../../src/routing/limits.ts"
import { type Candidate, route, type TaskProfile } from "../../src/routing/route.ts"
import { candidate, price, profile, valid } from "./given.ts"

const ids = { routing_id: "rou_1", request_id: "req_1" }
const routed = (
  candidates: readonly Candidate[],
  of: TaskProfile = profile(),
  gate?: (one: Candidate) => Gate,
) => {
  const result = route(ids, of, candidates, gate)
  valid(result.facts)
  return result
}
const types = (result: { facts: readonly { type: string }[] }) => result.facts.map(({ type }) => type)
const opening = ["task.profile.resolved", "routing.candidates.resolved"]

describe("routing", () => {
  it("[RT-EVT-24] three candidates: profile, candidates, decision", () => {
    const result = routed([candidate("a"), candidate("b"), candidate("c")])
    expect(types(result)).toEqual([...opening, "routing.decided"])
    expect(result).toMatchObject({ kind: "decided", choice: { provider: "p", model: "a" } })
  })

  it("[RT-EVT-24] one eligible candidate is told as such in addition", () => {
    const result = routed([candidate("a", { unavailable: "No key is set." }), candidate("b")])
    expect(types(result)).toEqual([...opening, "routing.single_candidate", "routing.decided"])
    expect(result.facts[2]?.payload).toEqual({
      routing_id: "rou_1",
      choice: { provider: "p", model: "b" },
      exclusions: [{ provider: "p", model: "a", reason: "No key is set." }],
    })
  })

  it("[RT-EVT-24] no candidate: routing is not possible", () => {
    const result = routed([])
    expect(types(result)).toEqual([...opening, "routing.not_possible"])
    expect(result).toMatchObject({
      kind: "not_possible",
      reason: expect.stringContaining("No model is configured"),
    })
  })

  it("[RT-ROUTE-1] every candidate is listed, and the decision names choice, reason and request", () => {
    const { facts } = routed([candidate("small", { context_window: 10 }), candidate("b"), candidate("c")])
    expect(facts[1]?.payload).toEqual({
      routing_id: "rou_1",
      candidates: [
        { provider: "p", model: "b", eligible: true },
        { provider: "p", model: "c", eligible: true },
        {
          provider: "p",
          model: "small",
          eligible: false,
          reason: "Its window of 10 tokens is too small for about 1500.",
        },
      ],
    })
    expect(facts[2]?.payload).toEqual({
      routing_id: "rou_1",
      choice: { provider: "p", model: "b" },
      reason: "It is the first of 2 that fit, in the configured order.",
      request_id: "req_1",
    })
    expect(facts.every(({ payload }) => !("routing_id" in payload) || payload.routing_id === "rou_1")).toBe(
      true,
    )
  })

  it("[RT-ROUTE-2] all excluded for different reasons: all of them are named and nothing is chosen", () => {
    const blocked: Gate = {
      go: false,
      state: "blocked",
      missing: "quota",
      reason: "day: 9 of 9 USD are used.",
      facts: [],
    }
    const result = routed(
      [
        candidate("off", { unavailable: "It is switched off." }),
        candidate("dumb", { capabilities: [] }),
        candidate("small", { context_window: 1 }),
        candidate("dear", { price: { ...price, output: 1000 } }),
        candidate("unpriced", { price: undefined } as unknown as Partial<Candidate>),
        candidate("euro", { price: { ...price, currency: "EUR" } }),
        candidate("spent"),
      ],
      profile({ most: { amount: 0.1, currency: "USD" } }),
      () => blocked,
    )
    expect(result.kind).toBe("not_possible")
    const last = result.facts.at(-1)
    expect(last).toMatchObject({
      type: "routing.not_possible",
      payload: {
        exclusions: [
          { model: "off", reason: "It is switched off." },
          { model: "dumb", reason: "It has no tools." },
          { model: "small", reason: "Its window of 1 tokens is too small for about 1500." },
          { model: "dear", reason: "About 0.503 USD is more than the 0.1 USD allowed." },
          { model: "unpriced", reason: "Its cost is not known, and a request may cost 0.1 USD at most." },
          { model: "euro", reason: "Its price is in EUR, the limit in USD." },
          { model: "spent", reason: "day: 9 of 9 USD are used." },
        ],
      },
    })
    if (result.kind !== "not_possible") return
    for (const name of ["off", "dumb", "small", "dear", "unpriced", "euro", "spent"]) {
      expect(result.reason).toContain(`p/${name}: `)
    }
  })

  it("[RT-ROUTE-3] a pinned model is taken before others", () => {
    const pinned = { provider: "p", model: "b", replaceable: true }
    const result = routed([candidate("a"), candidate("b")], profile({ pinned }))
    expect(result).toMatchObject({ kind: "decided", choice: { model: "b" } })
    expect(result.facts[0]?.payload).toMatchObject({ pinned })
    expect(result.facts[1]?.payload).toMatchObject({
      candidates: [{ model: "b" }, { model: "a", eligible: true }],
    })
  })

  it("[RT-ROUTE-3] a pinned model that is down is not replaced without permission", () => {
    const pinned = { provider: "p", model: "b", replaceable: false }
    const candidates = [candidate("a"), candidate("b", { unavailable: "It is down." })]
    const result = routed(candidates, profile({ pinned }))
    expect(result).toMatchObject({ kind: "not_possible" })
    expect(result.facts.at(-1)?.payload).toMatchObject({
      exclusions: [
        { model: "a", reason: "p/b is pinned, and may not be replaced." },
        { model: "b", reason: "It is down." },
      ],
    })
    const permitted = routed(candidates, profile({ pinned: { ...pinned, replaceable: true } }))
    expect(permitted).toMatchObject({ kind: "decided", choice: { model: "a" } })
  })

  it("a pinned model that nobody configured is listed", () => {
    const pinned = { provider: "p", model: "x", replaceable: true }
    const { facts } = routed([candidate("a")], profile({ pinned }))
    const listed = {
      candidates: [{ model: "a" }, { model: "x", reason: "It is pinned, but not configured." }],
    }
    expect(facts[1]?.payload).toMatchObject(listed)
  })

  it("takes the cheapest where asked, an unknown price last", () => {
    const unpriced = candidate("unpriced", { price: undefined } as unknown as Partial<Candidate>)
    const cheap = candidate("cheap", { price: { ...price, output: 1 } })
    const result = routed([unpriced, candidate("a"), cheap], profile({ prefer: "cheapest" }))
    expect(result.facts[1]?.payload).toMatchObject({
      candidates: [{ model: "cheap" }, { model: "a" }, { model: "unpriced" }],
    })
    expect(result.facts[2]?.payload).toMatchObject({
      reason: "It is the cheapest of 3 that fit: about 0.0035 USD.",
    })
  })

  it("puts a model whose abilities are not known behind those known to fit, and says so when it is taken", () => {
    const unknown = candidate("local", { capabilities: "unknown" })
    expect(routed([unknown, candidate("a")])).toMatchObject({ choice: { model: "a" } })
    expect(routed([unknown]).facts.at(-1)?.payload).toMatchObject({
      reason: "It is the only one that fits. Whether it can do all that is needed is not known.",
    })
  })

  it("lists a candidate once that is configured twice", () => {
    expect(routed([candidate("a"), candidate("a")]).facts[1]?.payload).toMatchObject({
      candidates: [{ model: "a" }],
    })
  })

  const waiting = (until: number): Gate => {
    const payload = { quota: "minute", unit: "requests", used: 1, limit: 1, resets_at: "unknown" as const }
    const facts = [{ type: "quota.blocked" as const, payload }]
    return {
      go: false,
      state: "waiting_resource",
      resource: "quota",
      until,
      reason: "minute is used.",
      facts,
    }
  }

  it("[RT-COST-3] when all that fit must wait, nothing is decided and the soonest time is given", () => {
    const result = routed([candidate("a"), candidate("b")], profile(), ({ model }) =>
      waiting(model === "a" ? 90 : 60),
    )
    expect(result).toMatchObject({ kind: "wait", until: 60, reason: "minute is used." })
    expect(types(result)).toEqual(["quota.blocked"])
  })

  it("[RT-COST-3] a candidate without a limit goes before one that must wait", () => {
    const result = routed([candidate("a"), candidate("b")], profile(), ({ model }) =>
      model === "a" ? waiting(90) : { go: true },
    )
    expect(result).toMatchObject({ kind: "decided", choice: { model: "b" } })
    expect(types(result)).not.toContain("quota.blocked")
  })
})
