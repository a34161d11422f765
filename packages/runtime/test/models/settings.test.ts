import { describe, expect, it } from "vitest"
import { type Offer, offerOf } from "../../src/routing/index.ts"
import { ends, submit, until } from "../harness.ts"
import { agentWith } from "../loop/given.ts"
import { openModels } from "../loop/models.ts"
import { modelOf } from "./asking.ts"
import { serve } from "./server.ts"
import { dialects } from "./wire.ts"

type Level = NonNullable<Offer["reasoning"]>
type Settings = { output_tokens?: number; reasoning?: Level; agent?: Exclude<Level, false> }

/** What a turn of an agent with this offer really sends. */
async function sent(dialect: (typeof dialects)[number], model: string, settings: Settings) {
  const { agent: reasoning, ...offered } = settings
  await using server = await serve({ frames: dialect.frames([{ text: ["ok"] }]) })
  const offer = { ...offerOf(modelOf({ ...dialect.config(server.url), model })), ...offered }
  const agent = agentWith([], reasoning === undefined ? {} : { reasoning })
  const { runtime } = await openModels([offer], { agent })
  const { session_id } = await submit(runtime, "Go")
  await until(runtime, session_id, ends("turn.completed"))
  await runtime.close()
  return server.received[0]?.body ?? {}
}

/** How each dialect says the most of an answer, and how much to think; also for names that its package does not know. */
const said: Readonly<
  Record<string, { model: string; most: object; low: object; high: object; none: object; unsaid: RegExp }>
> = {
  "anthropic messages": {
    model: "claude-opus-4-7",
    most: { max_tokens: 7000 },
    low: { thinking: { type: "adaptive" }, output_config: { effort: "low" } },
    high: { thinking: { type: "adaptive" }, output_config: { effort: "high" } },
    none: { thinking: { type: "disabled" } },
    unsaid: /thinking|effort/,
  },
  "openai responses": {
    model: "own-reasoner",
    most: { max_output_tokens: 7000 },
    low: { reasoning: { effort: "low", summary: "auto" }, include: ["reasoning.encrypted_content"] },
    high: { reasoning: { effort: "high", summary: "auto" }, include: ["reasoning.encrypted_content"] },
    none: { store: false },
    unsaid: /effort/,
  },
  "openai chat": {
    model: "own-reasoner",
    most: { max_tokens: 7000 },
    low: { reasoning_effort: "low" },
    high: { reasoning_effort: "high" },
    none: { reasoning_effort: "none" },
    unsaid: /effort/,
  },
  "openai-compatible chat": {
    model: "qwen3",
    most: { max_tokens: 7000 },
    low: { reasoning_effort: "low" },
    high: { reasoning_effort: "high" },
    none: { reasoning_effort: "none" },
    unsaid: /effort/,
  },
  google: {
    model: "gemini-3-pro-preview",
    most: { generationConfig: { maxOutputTokens: 7000 } },
    low: { generationConfig: { thinkingConfig: { thinkingLevel: "low", includeThoughts: true } } },
    high: { generationConfig: { thinkingConfig: { thinkingLevel: "high", includeThoughts: true } } },
    none: { generationConfig: { thinkingConfig: { thinkingLevel: "low" } } },
    unsaid: /thinking/,
  },
}
const named = dialects.map((dialect) => {
  const words = said[dialect.name]
  if (words === undefined) throw new Error(`no words for ${dialect.name}`)
  return { name: dialect.name, dialect, words }
})

describe("what is set for a model", () => {
  it.each(named)("$name is told how long an answer may be", async ({ dialect, words }) => {
    expect(await sent(dialect, words.model, { output_tokens: 7000 })).toMatchObject(words.most)
    expect(JSON.stringify(await sent(dialect, words.model, {}))).not.toContain("7000")
  })

  it.each(named)("$name is told how much to think, and nothing when nobody says it", async (one) => {
    const { dialect, words } = one
    for (const level of ["none", "low", "high"] as const)
      expect(await sent(dialect, words.model, { reasoning: level })).toMatchObject(words[level])
    expect(JSON.stringify(await sent(dialect, words.model, {}))).not.toMatch(words.unsaid)
  })

  it.each(named)("an agent's own wish goes before, except with a model that cannot: $name", async (one) => {
    const { dialect, words } = one
    expect(await sent(dialect, words.model, { reasoning: "low", agent: "high" })).toMatchObject(words.high)
    const cannot = await sent(dialect, words.model, { reasoning: false, agent: "high" })
    expect(JSON.stringify(cannot)).not.toMatch(words.unsaid)
  })

  it("a model of Anthropic that its package does not know gets what is configured", async () => {
    const anthropic = named.find(({ name }) => name === "anthropic messages")?.dialect
    if (anthropic === undefined) throw new Error("no dialect")
    expect(await sent(anthropic, "m", { output_tokens: 32_000 })).toMatchObject({ max_tokens: 32_000 })
  })
})
