import { describe, expect, it } from "vitest"
import { limitsOf, offersOf, unpricedNotes } from "../src/models.ts"
import { json, load } from "./config/given.ts"

const configured = (value: unknown) => load({ user: { "factum.config.json": json(value) } }).config

describe("the models of a project", () => {
  it("are the one named and its fallbacks, with window and price, and the reason where one cannot be asked", () => {
    const config = configured({
      model: "anthropic/claude",
      fallbacks: ["local/qwen3", "openai/gpt"],
      providers: {
        local: {
          kind: "openai_compatible",
          base_url: "http://127.0.0.1:1/v1",
          models: { qwen3: { context_tokens: 8000, usd_per_million: { input: 0, output: 0 } } },
        },
      },
    })
    const offers = offersOf(config, { OPENAI_API_KEY: "sk-test-key" })
    expect(offers.map(({ via, ...known }) => ({ ...known, asked: via?.name }))).toEqual([
      {
        provider: "anthropic",
        model: "claude",
        context_window: "unknown",
        capabilities: "unknown",
        unavailable: expect.stringMatching(
          / cannot be asked: .*needs an API key.*Set [A-Z_]+ and start again\.$/,
        ),
        asked: undefined,
      },
      {
        provider: "local",
        model: "qwen3",
        context_window: 8000,
        capabilities: "unknown",
        price: { currency: "USD", version: "configuration", input: 0, output: 0 },
        asked: "qwen3",
      },
      {
        provider: "openai",
        model: "gpt",
        context_window: "unknown",
        capabilities: "unknown",
        asked: "gpt",
      },
    ])
    expect(offers.map(({ via }) => via?.provider)).toEqual([undefined, "local", "openai"])
  })

  it("none is offered when none is named", () => {
    expect(offersOf(configured({ fallbacks: ["openai/gpt"] }), {})).toEqual([])
  })

  it("budgets become limits of the turn and of the session", () => {
    const every = { steps: 4, tool_calls: 0, tokens: 100, cost_usd: 2, time_ms: 5000 }
    const limits = limitsOf(configured({ budgets: { turn: every, session: every } }))
    const of = (per: "turn" | "session") => [
      { limit: `cost of the ${per}`, kind: "budget", unit: "USD", max: 2, per },
      { limit: `tokens of the ${per}`, kind: "budget", unit: "tokens", max: 100, per },
      { limit: `steps of the ${per}`, kind: "budget", unit: "requests", max: 4, per },
      { limit: `tool calls of the ${per}`, kind: "budget", unit: "calls", max: 0, per },
      { limit: `time of the ${per}`, kind: "budget", unit: "ms", max: 5000, per },
    ]
    expect(limits).toEqual([...of("turn"), ...of("session")])
    expect(limitsOf(configured({ budgets: { turn: {}, session: {} } }))).toEqual([])
  })

  it("what has no price may be blocked, and is noted where money is limited", () => {
    const turn = { cost_usd: 1, unpriced: "block" as const }
    const providers = {
      local: {
        kind: "openai_compatible" as const,
        base_url: "http://127.0.0.1:1/v1",
        models: { known: { usd_per_million: { input: 1, output: 2 } } },
      },
    }
    const config = configured({
      model: "local/free",
      fallbacks: ["local/known"],
      providers,
      budgets: { turn, session: {} },
    })
    expect(limitsOf(config)).toMatchObject([{ unit: "USD", max: 1, unmeasured: "block" }])
    const notes = unpricedNotes(offersOf(config, {}), config)
    expect(notes).toEqual([expect.stringContaining('providers.local.models["free"].usd_per_million')])
    expect(unpricedNotes(offersOf(config, {}), configured({ budgets: { turn: {}, session: {} } }))).toEqual(
      [],
    )
  })
})
