import { describe, expect, it } from "vitest"
import { idleHooks } from "../src/hook-notes.ts"
import { limitsOf, offersOf, unpricedNotes } from "../src/models.ts"
import { providerLimits } from "../src/provider-limits.ts"
import { idleRules } from "../src/rule-notes.ts"
import { json, load } from "./config/given.ts"
import { serveChat } from "./provider.ts"

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

  it("answers, thinking and prices are as configured, for the model before all", () => {
    const config = configured({
      model: "local/a",
      fallbacks: ["local/b", "local/c"],
      reasoning: "medium",
      providers: {
        local: {
          kind: "openai_compatible",
          base_url: "http://127.0.0.1:1/v1",
          models: {
            a: {
              output_tokens: 9000,
              usd_per_million: { input: 3, output: 15, cached_input: 0.3, cache_write: 4 },
            },
            b: { reasoning: "low" },
            c: { reasoning: false },
          },
        },
      },
    })
    expect(offersOf(config, {})).toMatchObject([
      {
        model: "a",
        output_tokens: 9000,
        reasoning: "medium",
        price: { input: 3, output: 15, cached_input: 0.3, cache_write: 4 },
      },
      { model: "b", reasoning: "low" },
      { model: "c", reasoning: false },
    ])
  })

  it("a silent provider is waited for as long as is said", async () => {
    await using provider = await serveChat("silence")
    const local = { kind: "openai_compatible", base_url: provider.url, stall_ms: 20 }
    const [offer] = offersOf(configured({ model: "local/m", providers: { local } }), {})
    const messages = [{ role: "user" as const, parts: "Hi" }]
    const signal = AbortSignal.timeout(20_000)
    const said: unknown[] = []
    for await (const chunk of offer?.via?.stream({ model: "m", messages, signal }) ?? []) said.push(chunk)
    expect(said).toMatchObject([{ kind: "error", reason: expect.stringMatching(/^Nothing came from local/) }])
  })

  it("none is offered when none is named", () => {
    expect(offersOf(configured({ fallbacks: ["openai/gpt"] }), {})).toEqual([])
  })

  it("quotas and rates of a provider become limits that count its requests alone", () => {
    const limits = [
      { name: "rate", unit: "requests", max: 50, every_ms: 60_000, low_below: 5 },
      { name: "day", unit: "tokens", max: 9000, every_ms: 86_400_000, window: "fixed", model: "a" },
      { name: "prepaid", unit: "USD", max: 5, strict: true },
    ]
    const local = { kind: "openai_compatible", base_url: "http://127.0.0.1:1/v1", limits }
    expect(providerLimits(configured({ providers: { local } }))).toEqual([
      {
        limit: "rate of local",
        kind: "rate",
        unit: "requests",
        max: 50,
        per: "session",
        of: { provider: "local" },
        window: { every_ms: 60_000, as: "sliding" },
        low_below: 5,
      },
      {
        limit: "day of local",
        kind: "quota",
        unit: "tokens",
        max: 9000,
        per: "session",
        of: { provider: "local", model: "a" },
        window: { every_ms: 86_400_000, as: "fixed" },
      },
      {
        limit: "prepaid of local",
        kind: "quota",
        unit: "USD",
        max: 5,
        per: "session",
        of: { provider: "local" },
        strict: true,
      },
    ])
  })

  it.each([
    [{ kind: "google", api: "chat" }, /Only kind "openai" has a choice of "api"/],
    [{ kind: "google", limits: [{ name: "a", unit: "tokens", max: 1, window: "fixed" }] }, /how long it is/],
    [
      {
        kind: "google",
        limits: [
          { name: "a", unit: "tokens", max: 1 },
          { name: "a", unit: "USD", max: 1 },
        ],
      },
      /Two limits of "one" are named "a"/,
    ],
    [{ kind: "google", headers: { "x-key": "$".concat("{NOT_SET}") } }, /no variable NOT_SET/],
    [{ kind: "google", models: { a: { reasoning: true } } }, /reasoning/],
  ])("%j is told as a problem", (one, message) => {
    const { problems } = load({ user: { "factum.config.json": json({ providers: { one } }) } })
    expect(problems).toMatchObject([{ line: expect.any(Number), message: expect.stringMatching(message) }])
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

describe("hooks that match no tool", () => {
  const hook = (name: string, match: string, on = "before_tool") => ({ name, on, match, command: "x" })

  it("are told, with the name that may be meant; those that may yet match are not", () => {
    const hooks = [
      hook("wrong", "write"),
      hook("odd", "zzzzzz", "after_tool"),
      hook("right", "write_file"),
      hook("wide", "*_file"),
      hook("all", "*"),
      hook("served", "files__read", "after_tool"),
      hook("perhaps", "fil*ead"),
      hook("model", "anthropic/*", "before_model"),
      hook("release", "release"),
    ]
    const pipelines = { release: { description: "Packs.", steps: [{ id: "a", tool: "shell" }] } }
    const { config } = load({
      user: {
        "factum.config.json": json({ hooks, pipelines }),
        ".mcp.json": json({ mcpServers: { files: { command: "x" } } }),
      },
    })
    expect(idleRules(config)).toEqual([])
    expect(idleHooks(config)).toEqual([
      'The hook "wrong" never runs: no tool is called "write". Did you mean "write_file"?',
      'The hook "odd" never runs: no tool is called "zzzzzz". factum tools lists those that there are.',
    ])
  })

  it("a rule that names no tool is told, and an empty match is refused", () => {
    const rule = (tool: string, match?: string) => ({
      effect: "deny",
      tool,
      ...(match === undefined ? {} : { match }),
    })
    const named = ["shell", "read", "fetch", "files__x", "*", "edit_*"].map((tool) => rule(tool))
    const files = (permissions: unknown) =>
      load({
        user: {
          "factum.config.json": json({ permissions }),
          ".mcp.json": json({ mcpServers: { files: { command: "x" } } }),
        },
      })
    const { config } = files([...named, rule("Shell"), rule("zzzzzz")])
    expect(idleRules(config)).toEqual([
      'The rule deny "Shell" says nothing: no tool is called so. Did you mean "shell"?',
      'The rule deny "zzzzzz" says nothing: no tool is called so. factum tools lists those that there are.',
    ])
    for (const match of ["", " "]) expect(files([rule("shell", match)]).problems).toHaveLength(1)
  })
})
