import { type Envelope, routingLimitSummary } from "@factum/facts"
import { describe, expect, it } from "vitest"
import type { Runtime } from "../../src/index.ts"
import { restore } from "../../src/journal.ts"
import { done, ends, facts, handModel, openRuntime, submit, types, until } from "../harness.ts"
import { of } from "./given.ts"
import { budget, busy, gone, limited, openModels, phase, played, price, quick, statuses } from "./models.ts"

const costs = (seen: readonly Envelope[]) =>
  of(seen, "cost.recorded").map(({ payload: { amount, currency, outcome } }) => ({
    amount,
    currency,
    outcome,
  }))
const summary = (runtime: Runtime, session_id: string) =>
  routingLimitSummary(restore(runtime.log, session_id).state)

describe("cost", () => {
  it("[RT-EVT-26] is estimated before a priced request and recorded after it", async () => {
    const { runtime } = await openModels([played("a", ["Hello"], { price })])
    const { session_id } = await submit(runtime, "hi")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    const order = types(seen).filter((type) => /^(cost|model)\.[^d]/.test(type))
    expect(order).toEqual(["cost.estimated", "model.requested", "model.completed", "cost.recorded"])
    expect(of(seen, "cost.estimated")[0]?.payload).toMatchObject({
      amount: expect.any(Number),
      currency: "USD",
      basis: expect.stringMatching(/^About \d+ tokens in, 1000 out; prices 2026-01\.$/),
    })
    expect(of(seen, "cost.recorded")[0]?.payload).toMatchObject({
      amount: 0.0002,
      currency: "USD",
      usage: { input_tokens: 100, output_tokens: 10 },
      outcome: "completed",
      provider: "p",
      model: "a",
      price_version: "2026-01",
    })
  })

  it("the whole usage is passed on, and priced by its parts", async () => {
    const usage = { input_tokens: 100, output_tokens: 10, cached_tokens: 60, reasoning_tokens: 4 }
    const offer = played("a", [{ usage }], { price: { ...price, cached_input: 0 } })
    const { runtime } = await openModels([offer])
    const { session_id } = await submit(runtime, "hi")
    const seen = await until(runtime, session_id, ends("cost.recorded"))
    expect(of(seen, "cost.recorded")[0]?.payload).toMatchObject({ usage, amount: 0.00014 })
  })

  it("[RT-COST-1] cost, rate limit, telemetry and routing of a request join by its id and those of its place", async () => {
    const { runtime } = await openModels([played("a", [limited(), "Hello"], { price })])
    const { session_id } = await submit(runtime, "hi")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    const first = of(seen, "model.requested")[0]
    const joined = seen.filter(({ payload }) => payload.request_id === first?.payload.request_id)
    expect(types(joined)).toEqual([
      "routing.decided",
      "cost.estimated",
      "model.requested",
      "model.failed",
      "cost.recorded",
      "rate_limit.hit",
    ])
    for (const { thread_id, turn_id, step_id } of joined)
      expect({ thread_id, turn_id, step_id }).toEqual({
        thread_id: first?.thread_id,
        turn_id: first?.turn_id,
        step_id: first?.step_id,
      })
  })

  it("[RT-COST-1] a limit that stops a request names it as its routing does", async () => {
    const limits = () => [budget(1)]
    const { runtime } = await openModels([played("a", [])], { limits })
    const { session_id } = await submit(runtime, "hi")
    await until(runtime, session_id, ends("turn.completed"))
    await submit(runtime, "more", { session_id })
    const seen = await until(runtime, session_id, phase("blocked"))
    const [stop] = of(seen, "quota.blocked")
    const [refused] = of(seen, "routing.not_possible")
    expect([stop?.turn_id, stop?.step_id]).toEqual([refused?.turn_id, refused?.step_id])
    expect(of(seen, "model.requested").map(({ payload }) => payload.request_id)).not.toContain(
      stop?.payload.request_id,
    )
  })

  it.each([
    ["price", [], {}],
    ["usage", [{ usage: { input_tokens: "unknown", output_tokens: 3 } as const }], { price }],
  ])("[RT-COST-2] without a known %s it reads unknown, never 0", async (_, takes, more) => {
    const { runtime } = await openModels([played("a", takes, more)])
    const { session_id } = await submit(runtime, "hi")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(costs(seen).map(({ amount }) => amount)).toEqual(["unknown"])
    expect(summary(runtime, session_id).cost).toEqual([
      expect.objectContaining({ total: "unknown", requests: 1, unpriced: 1 }),
    ])
  })

  it("[RT-COST-2] failed and retried requests are counted once each, also after a restart", async () => {
    const offers = [played("a", [busy(), gone], { price }), played("b", ["Hello"], { price })]
    const first = await openModels(offers)
    const { session_id } = await submit(first.runtime, "hi")
    await until(first.runtime, session_id, ends("turn.completed"))
    await first.runtime.close()
    const { runtime } = await openModels([played("b", [], { price })], { directory: first.directory })
    await submit(runtime, "more", { session_id })
    const seen = await until(runtime, session_id, ends("turn.completed", 2))
    expect(costs(seen)).toEqual([
      { amount: "unknown", currency: "USD", outcome: "failed" },
      { amount: "unknown", currency: "USD", outcome: "failed" },
      { amount: 0.0002, currency: "USD", outcome: "completed" },
      { amount: 0.0002, currency: "USD", outcome: "completed" },
    ])
    expect(new Set(of(seen, "cost.recorded").map(({ payload }) => payload.request_id)).size).toBe(4)
    expect(summary(runtime, session_id).cost).toEqual([
      { currency: "USD", total: "unknown", known_part: 0.0004, requests: 4, unpriced: 2 },
    ])
  })

  it.each([
    ["cancelled", 0, { ...price, input: 0, output: 0 }],
    ["cancelled", "unknown", price],
  ])("[RT-COST-2] a %s request costs %s", async (outcome, amount, price) => {
    const { model: via, call } = handModel()
    const known = { context_window: 9_999, capabilities: [] }
    const { runtime } = await openModels([{ provider: "hand", model: "hand-1", ...known, price, via }])
    const { session_id } = await submit(runtime, "hi")
    await call(0)
    await done(runtime, "interrupt_turn", { session_id, reason: "enough" })
    const seen = await until(runtime, session_id, ends("turn.failed"))
    expect(costs(seen)).toEqual([{ amount, currency: "USD", outcome }])
  })

  it("[RT-COST-2] a request that a stop of the runtime cut off is counted, its outcome unknown", async () => {
    const { model, call } = handModel()
    const first = await openRuntime(model)
    const { session_id } = await submit(first.runtime, "hi")
    await call(0)
    await first.runtime.close()
    const { runtime } = await openRuntime(model, { directory: first.directory })
    const seen = await until(runtime, session_id, ends("turn.failed"))
    expect(costs(seen)).toEqual([{ amount: "unknown", currency: "unknown", outcome: "unknown" }])
  })
})

describe("limits", () => {
  it("[RT-EVT-26] every refusal of the provider for its rate is a fact", async () => {
    const { runtime } = await openModels([played("a", [limited(1), limited(), "Hello"])])
    const { session_id } = await submit(runtime, "hi")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    const failed = of(seen, "model.failed").map(({ payload }) => payload.request_id)
    expect(of(seen, "rate_limit.hit").map(({ payload }) => payload)).toEqual([
      {
        request_id: failed[0],
        provider: "p",
        limit: "rate of requests",
        next_try_at: expect.stringMatching(/Z$/),
      },
      { request_id: failed[1], provider: "p", limit: "rate of requests", next_try_at: "unknown" },
    ])
  })

  it("[RT-EVT-26] a shrinking quota is told once when it is low, and when it stops a request", async () => {
    const limits = () => [budget(300, { unit: "tokens", low_below: 200 })]
    const model = played("a", [])
    const { runtime } = await openModels([model], { limits })
    const { session_id } = await submit(runtime, "1")
    for (const turn of [1, 2, 3]) {
      await until(runtime, session_id, ends("turn.completed", turn))
      await submit(runtime, "more", { session_id })
    }
    const seen = await until(runtime, session_id, phase("blocked"))
    expect(of(seen, "quota.low").map(({ payload }) => payload)).toEqual([
      { quota: "task", unit: "tokens", remaining: 190, limit: 300, threshold: 200 },
    ])
    expect(of(seen, "quota.blocked").map(({ payload }) => payload)).toEqual([
      expect.objectContaining({ quota: "task", used: 330, limit: 300, resets_at: "unknown" }),
    ])
    expect(model.asked).toHaveLength(3)
  })

  it.each([
    ["cost of the session", budget(0.0002, { unit: "USD" })],
    ["tokens of the session", budget(110, { unit: "tokens" })],
    ["requests of the session", budget(1)],
  ])("[RT-COST-3] a spent budget, %s, blocks before the next request and does not fail", async (_, limit) => {
    const model = played("a", [], { price })
    const { runtime } = await openModels([model], { limits: () => [limit] })
    const { session_id } = await submit(runtime, "hi")
    await until(runtime, session_id, ends("turn.completed"))
    await submit(runtime, "more", { session_id })
    const seen = await until(runtime, session_id, phase("blocked"))
    expect(statuses(seen, "blocked")[0]).toMatchObject({
      detail: expect.stringContaining("task: "),
      metadata: { missing: "quota" },
    })
    expect(of(facts(runtime, session_id), "turn.failed")).toEqual([])
    expect(model.asked).toHaveLength(1)
  })

  it("[RT-COST-3] a budget of the turn also stops a retry, and the next turn has its own", async () => {
    const model = played("a", [busy(), "Hello"])
    const { runtime } = await openModels([model], { limits: () => [budget(1, { per: "turn" })] })
    const { session_id } = await submit(runtime, "hi")
    await until(runtime, session_id, phase("blocked"))
    expect(model.asked).toHaveLength(1)
    await done(runtime, "interrupt_turn", { session_id, reason: "enough" })
    await submit(runtime, "again", { session_id })
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(of(seen, "turn.failed")[0]?.payload).toMatchObject({ status: "cancelled" })
    expect(model.asked).toHaveLength(2)
  })

  it("[RT-COST-3] a window that begins anew is waited for, and work goes on by itself", async () => {
    const window = { every_ms: 20, as: "sliding" as const }
    const limits = () => [budget(1, { kind: "rate", window })]
    // Time stands still until the wait is seen, so that a slow machine sees it too.
    let frozen: number | undefined = Date.now()
    const clock = { now: () => frozen ?? Date.now() }
    const { runtime } = await openModels([played("a", [])], { limits, clock })
    const { session_id } = await submit(runtime, "hi")
    await submit(runtime, "more", { session_id })
    await until(runtime, session_id, phase("waiting_resource"))
    frozen = undefined
    const seen = await until(runtime, session_id, ends("turn.completed", 2))
    const [stop] = of(seen, "quota.blocked")
    expect(statuses(seen, "waiting_resource")[0]).toMatchObject({
      detail: expect.stringContaining("task: 1 of 1 requests are used."),
      metadata: { resource: "quota", next_try_at: stop?.payload.resets_at },
    })
    const stopped = seen.findIndex(phaseIs("waiting_resource"))
    expect(of(seen.slice(0, stopped), "model.requested")).toHaveLength(1)
  })

  it("[RT-COST-3] a refusal that named its time holds back the next turn as well", async () => {
    const model = played("a", [limited(3_600_000)])
    const { runtime } = await openModels([model], { patience: { ...quick, tries: 1 } })
    const { session_id } = await submit(runtime, "hi")
    await until(runtime, session_id, ends("turn.failed"))
    await submit(runtime, "more", { session_id })
    const seen = await until(runtime, session_id, phase("waiting_resource"))
    const [hit] = of(seen, "rate_limit.hit")
    expect(statuses(seen, "waiting_resource")[0]?.metadata).toEqual({
      resource: "quota",
      next_try_at: hit?.payload.next_try_at,
    })
    expect(model.asked).toHaveLength(1)
  })

  it("[RT-COST-3] what was used before a restart still counts", async () => {
    const limits = () => [budget(1)]
    const first = await openModels([played("a", [])], { limits })
    const { session_id } = await submit(first.runtime, "hi")
    await until(first.runtime, session_id, ends("turn.completed"))
    await first.runtime.close()
    const model = played("a", [])
    const { runtime } = await openModels([model], { limits, directory: first.directory })
    await submit(runtime, "more", { session_id })
    const seen = await until(runtime, session_id, phase("blocked"))
    expect(of(seen, "quota.blocked")[0]?.payload).toMatchObject({ used: 1, limit: 1 })
    expect(model.asked).toEqual([])
  })

  it.each(["in the same process", "by a restart"])(
    "[RT-STAT-8] a missing quota blocks until the limit is raised %s",
    async (how) => {
      let max = 1
      const limits = () => [budget(max)]
      const first = await openModels([played("a", [])], { limits })
      const { session_id } = await submit(first.runtime, "hi")
      await until(first.runtime, session_id, ends("turn.completed"))
      await submit(first.runtime, "more", { session_id })
      await until(first.runtime, session_id, phase("blocked"))
      max = 9
      let { runtime } = first
      if (how === "by a restart") {
        await runtime.close()
        runtime = (await openModels([played("a", [])], { limits, directory: first.directory })).runtime
      } else await submit(runtime, "go on", { session_id })
      const seen = await until(runtime, session_id, ends("turn.completed", 2))
      expect(of(seen, "turn.failed")).toEqual([])
      expect(of(seen, "limit.changed").map(({ payload }) => [payload.old, payload.new])).toEqual([
        ["unlimited", 1],
        [1, 9],
      ])
    },
  )

  it("[RT-STAT-7] a wait for quota ends when the limit is lifted at a restart", async () => {
    const window = { every_ms: 3_600_000, as: "sliding" as const }
    const limits = () => [budget(1, { kind: "rate", window })]
    const first = await openModels([played("a", [])], { limits })
    const { session_id } = await submit(first.runtime, "hi")
    await submit(first.runtime, "more", { session_id })
    await until(first.runtime, session_id, phase("waiting_resource"))
    await first.runtime.close()
    const model = played("a", [])
    const { runtime } = await openModels([model], { directory: first.directory })
    const seen = await until(runtime, session_id, ends("turn.completed", 2))
    expect(statuses(seen, "waiting_resource")).toHaveLength(1)
    expect(of(seen, "limit.changed").at(-1)?.payload).toMatchObject({ old: 1, new: "unlimited" })
    expect(model.asked).toHaveLength(1)
  })
})

const phaseIs =
  (name: string) =>
  ({ type, payload }: Envelope): boolean =>
    type === "run.status" && payload.phase === name
