import { describe, expect, it } from "vitest"
import type { ModelChunk } from "../../src/index.ts"
import { type Failure, fallback, type Tries } from "../../src/routing/fallback.ts"
import { gate, rateLimitHit } from "../../src/routing/limits.ts"
import { listen, modelOf } from "../models/asking.ts"
import { refusal, serve } from "../models/server.ts"
import { type Dialect, dialects } from "../models/wire.ts"
import { valid } from "./given.ts"

const [anthropic, openai] = dialects as unknown as [Dialect, Dialect]

/** The last chunk as a failure; a stream without one was cut. */
function failureOf(chunks: readonly ModelChunk[]): Failure | undefined {
  const last = chunks.at(-1)
  if (last?.kind === "error") return last
  if (last?.kind === "finish") return undefined
  return { category: "cut_stream", reason: "The answer broke off.", retryable: true }
}

const first = { provider: "anthropic", model: "m" }
const second = { provider: "openai", model: "m" }
const tries: Tries = {
  routing_id: "rou_1",
  candidates: [first, second],
  choice: first,
  tried: [{ ...first, times: 1, ruled_out: false }],
  fallbacks: 0,
}
const once = { tries: 1, first_wait_ms: 1, longest_wait_ms: 1, longest_before_switch_ms: 1 }

describe("providers that fail", () => {
  it("[RT-MOD-3] a connection dropped mid-word, then a fallback: the partial text is not part of the new answer", async () => {
    await using broken = await serve({ frames: anthropic.unfinished([{ text: ["Hel"] }]), end: "cut" })
    await using whole = await serve({ frames: openai.frames([{ text: ["Good", " day"] }]) })
    const partial = await listen(modelOf(anthropic.config(broken.url)))
    const failure = failureOf(partial)
    if (failure === undefined) throw new Error("The stream was not cut.")
    const next = fallback(tries, failure, "req_2", 0, once)
    expect(next).toMatchObject({ kind: "fallback", choice: second })
    if (next.kind === "fallback") valid([next.fact])
    const answer = await listen(modelOf(openai.config(whole.url)))
    expect(answer.flatMap((chunk) => (chunk.kind === "text" ? chunk.text : []))).toEqual(["Good", " day"])
  })

  it("[RT-COST-3] after a 429 nothing is sent before the time that the provider named", async () => {
    const limited = refusal(429, anthropic.refusal("slow down"), { "retry-after": "7" })
    await using server = await serve(limited, { frames: anthropic.frames([{ text: ["ok"] }]) })
    const model = modelOf(anthropic.config(server.url))
    const ask = { request_id: "req_2", ...first }
    const failure = failureOf(await listen(model))
    if (failure?.retry_after_ms === undefined) throw new Error("There was no 429.")
    const hit = rateLimitHit(
      { request_id: "req_1", provider: "anthropic", retry_after_ms: failure.retry_after_ms },
      1000,
    )
    const next_try_at = Date.parse(hit.payload.next_try_at)
    const hits = [{ provider: hit.payload.provider, limit: hit.payload.limit, next_try_at }]
    for (const now of [1000, 4000, 7999, 8000]) if (gate([], [], hits, ask, now).go) await listen(model)
    expect(server.received).toHaveLength(2)
    expect(gate([], [], hits, ask, 7999)).toMatchObject({ state: "waiting_resource", until: 8000 })
  })
})
