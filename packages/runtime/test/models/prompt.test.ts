import { describe, expect, it } from "vitest"
import { createModel } from "../../src/adapters/models/providers.ts"
import type { ModelCall, ModelMessage } from "../../src/index.ts"
import { listen, modelOf } from "./asking.ts"
import { serve } from "./server.ts"
import { type Dialect, dialects, type Said } from "./wire.ts"

const [anthropic, openai, , compatible, google] = dialects as unknown as [
  Dialect,
  Dialect,
  Dialect,
  Dialect,
  Dialect,
]

/** What a provider is really sent for a call. */
async function sent(dialect: Dialect, call: Partial<ModelCall>, said: readonly Said[] = [{ text: ["ok"] }]) {
  await using server = await serve({ frames: dialect.frames(said) })
  const chunks = await listen(modelOf(dialect.config(server.url)), call)
  return { body: server.received[0]?.body ?? {}, last: chunks.at(-1) }
}

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47])
const schema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] }
const conversation: readonly ModelMessage[] = [
  {
    role: "user",
    parts: [
      { kind: "text", text: "Read a." },
      { kind: "file", media_type: "image/png", bytes: png },
    ],
  },
  {
    role: "assistant",
    parts: [
      { kind: "text", text: "Reading." },
      { kind: "tool_call", call_id: "c1", tool: "read", arguments: '{"path":"a"}' },
      { kind: "tool_call", call_id: "c2", tool: "read", arguments: '{"path' },
    ],
  },
  {
    role: "tool",
    parts: [
      { kind: "tool_result", call_id: "c1", tool: "read", output: "text of a" },
      { kind: "tool_result", call_id: "c2", tool: "read", output: "no JSON", failed: true },
    ],
  },
]
const call = {
  system: "Be brief.",
  messages: conversation,
  tools: [{ name: "read", description: "Reads a file.", input_schema: schema }],
  max_output_tokens: 99,
  temperature: 0.5,
}

describe("a call on the wire", () => {
  it("of anthropic", async () => {
    const { body } = await sent(anthropic, call)
    expect(body).toMatchObject({
      model: "m",
      stream: true,
      max_tokens: 99,
      temperature: 0.5,
      system: [{ type: "text", text: "Be brief." }],
      tools: [{ name: "read", description: "Reads a file.", input_schema: schema }],
      tool_choice: { type: "auto" },
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Read a." },
            { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw==" } },
          ],
        },
        {
          role: "assistant",
          content: [
            { type: "text", text: "Reading." },
            { type: "tool_use", id: "c1", name: "read", input: { path: "a" } },
            { type: "tool_use", id: "c2", name: "read", input: { unreadable: '{"path' } },
          ],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "c1", content: "text of a" },
            { type: "tool_result", tool_use_id: "c2", content: "no JSON", is_error: true },
          ],
        },
      ],
    })
  })

  it("of openai, which keeps nothing", async () => {
    const { body } = await sent(openai, call)
    expect(body).toMatchObject({ model: "m", stream: true, store: false, max_output_tokens: 99 })
    expect(body.input).toMatchObject([
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "input_text", text: "Read a." },
          { type: "input_image", image_url: "data:image/png;base64,iVBORw==" },
        ],
      },
      { role: "assistant", content: "Reading." },
      { type: "function_call", call_id: "c1", name: "read", arguments: '{"path":"a"}' },
      { type: "function_call", call_id: "c2", name: "read" },
      { type: "function_call_output", call_id: "c1", output: "text of a" },
      { type: "function_call_output", call_id: "c2", output: '{"error":"no JSON"}' },
    ])
  })

  it("of an openai-compatible server, which is asked for usage", async () => {
    const { body } = await sent(compatible, call)
    expect(body).toMatchObject({
      max_tokens: 99,
      stream_options: { include_usage: true },
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user" },
        { role: "assistant", content: "Reading.", tool_calls: [{ id: "c1" }, { id: "c2" }] },
        { role: "tool", tool_call_id: "c1", content: "text of a" },
        { role: "tool", tool_call_id: "c2", content: "no JSON" },
      ],
      tools: [{ type: "function", function: { name: "read", parameters: schema } }],
    })
  })

  it("of google", async () => {
    const { body } = await sent(google, call)
    expect(body).toMatchObject({
      systemInstruction: { parts: [{ text: "Be brief." }] },
      generationConfig: { maxOutputTokens: 99, temperature: 0.5 },
      contents: [
        { role: "user", parts: [{ text: "Read a." }, { inlineData: { mimeType: "image/png" } }] },
        {
          role: "model",
          parts: [{ text: "Reading." }, { functionCall: { name: "read" } }, { functionCall: {} }],
        },
        { role: "user", parts: [{ functionResponse: { name: "read" } }, { functionResponse: {} }] },
      ],
    })
  })

  it("names an attachment that was not read, without its address", async () => {
    const ref = { uri: "file:///home/me/plan.pdf", kind: "blob" as const, title: "plan.pdf" }
    const messages: ModelMessage[] = [{ role: "user", parts: [{ kind: "document", ref }] }]
    const { body } = await sent(anthropic, { messages })
    const text = "[attached, but not readable here: document, plan.pdf]"
    expect(body.messages).toMatchObject([{ content: [{ type: "text", text }] }])
    expect(JSON.stringify(body)).not.toContain("/home/me")
  })

  it("leaves out what says nothing", async () => {
    const messages: ModelMessage[] = [
      { role: "user", parts: "hi" },
      { role: "assistant", parts: "" },
      { role: "tool", parts: [] },
      { role: "user", parts: "still there?" },
    ]
    const { body } = await sent(compatible, { messages })
    expect(body.messages).toMatchObject([{ content: "hi" }, { content: "still there?" }])
  })

  it("gives an answer that must fit a schema as structured", async () => {
    await using server = await serve({ frames: openai.frames([{ text: ['{"a"', ":1}"] }]) })
    const chunks = await listen(modelOf(openai.config(server.url)), { output_schema: schema })
    expect(chunks.slice(0, 2)).toEqual([
      { kind: "structured", part_id: "p1", text: '{"a"' },
      { kind: "structured", part_id: "p1", text: ":1}" },
    ])
    expect(server.received[0]?.body).toMatchObject({ text: { format: { type: "json_schema" } } })
  })
})

describe("signed reasoning", () => {
  const said: readonly Said[] = [
    { reasoning: ["Let me think"] },
    { call: "c1", tool: "read", pieces: ['{"path":"a"}'] },
  ]
  const then = (replay: string): ModelMessage[] => [
    { role: "user", parts: "hi" },
    {
      role: "assistant",
      parts: [{ kind: "tool_call", call_id: "c1", tool: "read", arguments: '{"path":"a"}' }],
      replay,
    },
    { role: "tool", parts: [{ kind: "tool_result", call_id: "c1", tool: "read", output: "text of a" }] },
  ]
  async function replay(dialect: Dialect): Promise<string> {
    const { last } = await sent(dialect, {}, said)
    return last?.kind === "finish" ? (last.replay ?? "") : ""
  }

  it("goes back to anthropic as it came", async () => {
    const { body } = await sent(anthropic, { messages: then(await replay(anthropic)), reasoning: "low" })
    expect(body.messages).toMatchObject([
      {},
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Let me think", signature: "signed" },
          { type: "tool_use", id: "c1", input: { path: "a" } },
        ],
      },
      {},
    ])
  })

  it("goes back to openai sealed", async () => {
    const { body } = await sent(openai, { messages: then(await replay(openai)) })
    expect(body.input).toMatchObject([
      { role: "user" },
      { type: "reasoning", encrypted_content: "sealed" },
      { type: "function_call", call_id: "c1" },
      { type: "function_call_output" },
    ])
  })

  it("goes back to google with its mark on the call", async () => {
    const { body } = await sent(google, { messages: then(await replay(google)) })
    expect(JSON.stringify(body.contents)).toContain('"thoughtSignature":"signed"')
  })

  it("of one model is not told to another", async () => {
    const { body } = await sent(compatible, { messages: then(await replay(anthropic)) })
    expect(JSON.stringify(body)).not.toContain("Let me think")
    expect(body.messages).toMatchObject([{}, { tool_calls: [{ id: "c1" }] }, {}])
  })

  it("that is damaged is left out", async () => {
    const { body } = await sent(anthropic, { messages: then("{broken") })
    expect(body.messages).toMatchObject([{}, { content: [{ type: "tool_use", id: "c1" }] }, {}])
  })
})

describe("a provider that is not set up", () => {
  it.each(["anthropic", "openai", "google"] as const)("%s needs a key, and says so", (provider) => {
    expect(createModel({ provider, model: "m" })).toEqual({
      ok: false,
      missing: "credential",
      message: `${provider} needs an API key; none is set.`,
    })
  })

  it("openai-compatible needs an address, and no key", async () => {
    expect(createModel({ provider: "openai-compatible", model: "m" })).toMatchObject({
      ok: false,
      missing: "address",
    })
    await using server = await serve({ frames: compatible.frames([{ text: ["ok"] }]) })
    const model = modelOf({ provider: "openai-compatible", name: "ollama", model: "m", base_url: server.url })
    expect(await listen(model)).toMatchObject([{ kind: "text", text: "ok" }, { kind: "finish" }])
    expect(model).toMatchObject({ provider: "ollama", name: "m" })
    expect(server.received[0]?.headers.authorization).toBeUndefined()
  })
})
