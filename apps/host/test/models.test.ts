import { describe, expect, it } from "vitest"
import { limitsOf, offersOf } from "../src/models.ts"
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
    const budgets = { turn: { tokens: 100, steps: 4 }, session: { cost_usd: 2, tokens: 5000 } }
    expect(limitsOf(configured({ budgets }))).toEqual([
      { limit: "tokens of the turn", kind: "budget", unit: "tokens", max: 100, per: "turn" },
      { limit: "cost of the session", kind: "budget", unit: "USD", max: 2, per: "session" },
      { limit: "tokens of the session", kind: "budget", unit: "tokens", max: 5000, per: "session" },
    ])
  })
})
