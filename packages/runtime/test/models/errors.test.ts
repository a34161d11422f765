import { describe, expect, it } from "vitest"
import type { ModelChunk } from "../../src/index.ts"
import { listen, modelOf } from "./asking.ts"
import { type Reply, refusal, serve } from "./server.ts"
import { dialects } from "./wire.ts"

async function told(name: string, reply: Reply): Promise<ModelChunk[]> {
  const dialect = dialects.find((each) => each.name === name)
  if (dialect === undefined) throw new Error(name)
  await using server = await serve(reply)
  return await listen(modelOf(dialect.config(server.url)))
}

const anthropicStart = dialects[0]?.unfinished([{ text: ["Hel"] }]) ?? []
const anthropicError = (type: string) => {
  const error = { type, message: "so it is" }
  return `event: error\ndata: ${JSON.stringify({ type: "error", error })}\n\n`
}

describe("what providers say in their own words", () => {
  it.each([
    ["overloaded_error", { category: "provider_error", retryable: true, status: 529 }],
    ["api_error", { category: "provider_error", retryable: true, status: 500 }],
    ["rate_limit_error", { category: "rate_limited", retryable: true, status: 429 }],
    ["authentication_error", { category: "provider_error", retryable: false, missing: "credential" }],
    ["invalid_request_error", { category: "provider_error", retryable: false, status: 400 }],
  ])("[RT-MOD-3] anthropic says %s in the middle of a stream", async (type, failure) => {
    const chunks = await told("anthropic messages", { frames: [...anthropicStart, anthropicError(type)] })
    expect(chunks).toMatchObject([
      { kind: "text", text: "Hel" },
      { kind: "error", ...failure },
    ])
    expect(chunks).toHaveLength(2)
  })

  it("anthropic is overloaded before its first word", async () => {
    const chunks = await told("anthropic messages", { frames: [anthropicError("overloaded_error")] })
    expect(chunks).toMatchObject([{ kind: "error", retryable: true, status: 529 }])
  })

  it("openai ends a response that failed", async () => {
    const error = { code: "server_error", message: "so it is" }
    const response = { id: "r", object: "response", created_at: 1, model: "m", status: "failed", error }
    const frame = `data: ${JSON.stringify({ type: "response.failed", response, sequence_number: 9 })}\n\n`
    const start = dialects[1]?.unfinished([{ text: ["Hel"] }]) ?? []
    const chunks = await told("openai responses", { frames: [...start, frame] })
    expect(chunks).toMatchObject([
      { kind: "text", text: "Hel" },
      { kind: "error", category: "provider_error", retryable: true },
    ])
  })

  it("an openai-compatible server puts an error into its stream", async () => {
    const start = dialects[3]?.unfinished([{ text: ["Hel"] }]) ?? []
    const error = { message: "out of memory", type: "server_error", code: 500 }
    const frames = [...start, `data: ${JSON.stringify({ error })}\n\n`]
    const chunks = await told("openai-compatible chat", { frames })
    expect(chunks).toMatchObject([{ kind: "text" }, { kind: "error", retryable: true, status: 500 }])
    expect(JSON.stringify(chunks)).toContain("out of memory")
  })

  it("openai has no credit left: waiting does not help", async () => {
    const error = {
      message: "You exceeded your current quota",
      type: "insufficient_quota",
      code: "insufficient_quota",
    }
    const chunks = await told("openai responses", refusal(429, { error: { ...error, param: null } }))
    expect(chunks).toMatchObject([{ category: "provider_error", retryable: false, missing: "quota" }])
    expect(JSON.stringify(chunks)).toContain("Add credit")
  })

  it("google names the delay in the body", async () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "31.5s" }]
    const error = { code: 429, message: "quota", status: "RESOURCE_EXHAUSTED", details }
    const chunks = await told("google", refusal(429, { error }))
    expect(chunks).toMatchObject([{ category: "rate_limited", retry_after_ms: 31_500 }])
  })

  it("google calls a wrong key a bad request", async () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }]
    const error = { code: 400, message: "API key not valid.", status: "INVALID_ARGUMENT", details }
    const chunks = await told("google", refusal(400, { error }))
    expect(chunks).toMatchObject([{ retryable: false, missing: "credential" }])
  })

  it.each([
    [
      "anthropic messages",
      400,
      { type: "error", error: { type: "invalid_request_error", message: "prompt is too long: 9" } },
    ],
    [
      "openai responses",
      400,
      { error: { message: "too big", type: "x", code: "context_length_exceeded", param: null } },
    ],
  ])("%s cannot hold the request", async (name, status, body) => {
    const chunks = await told(name, refusal(status, body))
    expect(chunks).toMatchObject([{ retryable: false, missing: "context_window" }])
  })

  it("google blocks the prompt", async () => {
    const body = {
      promptFeedback: { blockReason: "SAFETY" },
      usageMetadata: { promptTokenCount: 3, totalTokenCount: 3 },
    }
    const chunks = await told("google", { frames: [`data: ${JSON.stringify(body)}\n\n`] })
    expect(chunks).toMatchObject([{ kind: "finish", finish: "content_filter" }])
  })
})
