import { describe, expect, it } from "vitest"
import type { ModelCall, ModelChunk } from "../../src/index.ts"
import { folded, listen, modelOf } from "./asking.ts"
import { type Reply, refusal, serve } from "./server.ts"
import { dialects, key, type Said } from "./wire.ts"

describe.each(dialects)("$name", ({ config, frames, unfinished, path, ...dialect }) => {
  const ask = async (reply: Reply, call: Partial<ModelCall> = {}) => {
    await using server = await serve(reply)
    return await listen(modelOf(config(server.url)), call)
  }
  const say = (...said: readonly Said[]) => ask({ frames: frames(said) })

  it("[RT-MOD-1] text is the exact concatenation of its chunks", async () => {
    const chunks = await say({ text: ["Hel", "lo", " 🙂", "\n", " you"] })
    expect(chunks.flatMap((chunk) => (chunk.kind === "text" ? chunk.text : []))).toEqual([
      "Hel",
      "lo",
      " 🙂",
      "\n",
      " you",
    ])
    expect(folded(chunks)).toEqual([{ kind: "text", part_id: "p1", text: "Hello 🙂\n you" }])
  })

  it("[RT-EVT-6] ends with one finish that carries the usage", async () => {
    const chunks = await say({ text: ["Hello"] })
    expect(chunks.filter(({ kind }) => kind === "finish" || kind === "error")).toEqual([chunks.at(-1)])
    expect(chunks.at(-1)).toMatchObject({
      kind: "finish",
      finish: "stop",
      usage: { input_tokens: 20, output_tokens: 9, cached_tokens: 5 },
    })
  })

  it("[RT-MOD-2] text, tool, text stays three parts in order", async () => {
    const chunks = await say(
      { text: ["Look", "ing"] },
      { call: "c1", tool: "read", pieces: ['{"pa', 'th":"a"}'] },
      { text: ["Then", " more"] },
    )
    expect(folded(chunks)).toEqual([
      { kind: "text", part_id: "p1", text: "Looking" },
      { kind: "tool_call", part_id: "p2", call_id: "c1", tool: "read", text: '{"path":"a"}' },
      { kind: "text", part_id: "p3", text: "Then more" },
    ])
    expect(chunks.at(-1)).toMatchObject({ kind: "finish", finish: "tool_calls" })
  })

  it("[RT-MOD-2] parallel calls keep their own arguments", async () => {
    const chunks = await say({
      calls: [
        { call: "c1", tool: "read", pieces: ['{"path"', ':"a"}'] },
        { call: "c2", tool: "list", pieces: ['{"dir"', ':"b"}'] },
      ],
    })
    expect(folded(chunks)).toMatchObject([
      { kind: "tool_call", call_id: "c1", tool: "read", text: '{"path":"a"}' },
      { kind: "tool_call", call_id: "c2", tool: "list", text: '{"dir":"b"}' },
    ])
  })

  it("gives a call without arguments an empty object", async () => {
    const parts = folded(await say({ call: "c1", tool: "now", pieces: ["{}"] }))
    expect(parts).toMatchObject([{ kind: "tool_call", tool: "now", text: "{}" }])
  })

  if (dialect.reasons) {
    it("[RT-EVT-7] reasoning streams apart from the answer", async () => {
      const chunks = await say({ reasoning: ["Let me", " think"] }, { text: ["42"] })
      expect(folded(chunks)).toEqual([
        { kind: "reasoning", part_id: "p1", text: "Let me think" },
        { kind: "text", part_id: "p2", text: "42" },
      ])
    })

    it("[RT-EVT-7] a summary is given where the provider's reasoning is one", async () => {
      const chunks = await say({ reasoning: ["Let me", " think"] }, { text: ["42"] })
      const summaries = chunks.filter(({ kind }) => kind === "reasoning_summary")
      const summary = { kind: "reasoning_summary", part_id: "p1", text: "Let me think" }
      expect(summaries).toEqual(dialect.summarises ? [summary] : [])
    })
  }

  it("[RT-EVT-7] no reasoning appears when the provider gives none", async () => {
    const chunks = await say({ text: ["42"] })
    expect(chunks.map(({ kind }) => kind)).toEqual(["text", "finish"])
  })

  it("an empty answer is a finish without parts", async () => {
    const chunks = await say()
    expect(chunks).toMatchObject([{ kind: "finish", finish: "stop" }])
  })

  it("[RT-MOD-3] a connection dropped mid-word leaves the stream without a last chunk", async () => {
    const chunks = await ask({ frames: unfinished([{ text: ["Hel"] }]), end: "cut" })
    expect(chunks).toEqual([{ kind: "text", part_id: "p1", text: "Hel" }])
  })

  it("[RT-MOD-3] an answer that closes without its end counts as cut", async () => {
    const chunks = await ask({ frames: unfinished([{ text: ["Hel"] }]) })
    expect(chunks).toEqual([{ kind: "text", part_id: "p1", text: "Hel" }])
  })

  it("a slow stream stops with the signal and lets the connection go", async () => {
    await using server = await serve({ frames: unfinished([{ text: ["Hel"] }]), end: "hold" })
    const model = modelOf(config(server.url))
    const stop = new AbortController()
    const chunks: ModelChunk[] = []
    const messages = [{ role: "user" as const, parts: "hi" }]
    for await (const chunk of model.stream({ model: "m", messages, signal: stop.signal })) {
      chunks.push(chunk)
      stop.abort()
    }
    expect(chunks).toEqual([{ kind: "text", part_id: "p1", text: "Hel" }])
    await server.gone
  })

  it("a caller that has enough closes the connection", async () => {
    await using server = await serve({ frames: unfinished([{ text: ["Hel"] }]), end: "hold" })
    const signal = new AbortController().signal
    const messages = [{ role: "user" as const, parts: "hi" }]
    for await (const _ of modelOf(config(server.url)).stream({ model: "m", messages, signal })) break
    await server.gone
  })

  it("a provider that says nothing for too long is given up, to be tried again", async () => {
    await using server = await serve({ frames: unfinished([{ text: ["Hel"] }]), end: "hold" })
    const chunks = await listen(modelOf({ ...config(server.url), stall_ms: 200 }))
    expect(chunks.at(-1)).toMatchObject({ kind: "error", category: "provider_error", retryable: true })
    await server.gone
  })

  it("a malformed chunk ends the answer and can be tried again", async () => {
    const chunks = await ask({ frames: [...unfinished([{ text: ["Hel"] }]), "data: {broken\n\n"] })
    expect(chunks).toMatchObject([
      { kind: "text", text: "Hel" },
      { kind: "error", category: "malformed", retryable: true },
    ])
  })

  it("an answer that is malformed from its beginning does so too", async () => {
    expect(await ask({ frames: ["data: {broken\n\n"] })).toMatchObject([
      { kind: "error", category: "malformed", retryable: true },
    ])
  })

  it("[RT-EVT-26] 429 is a rate limit with the time that the provider asks for", async () => {
    const reply = refusal(429, dialect.refusal("slow down"), { "retry-after": "7" })
    expect(await ask(reply)).toMatchObject([
      { kind: "error", category: "rate_limited", retryable: true, retry_after_ms: 7000, status: 429 },
    ])
  })

  it("429 may name a date", async () => {
    const headers = { "retry-after": "Wed, 21 Oct 2026 07:28:30 GMT", date: "Wed, 21 Oct 2026 07:28:00 GMT" }
    const chunks = await ask(refusal(429, dialect.refusal("slow down"), headers))
    expect(chunks).toMatchObject([{ category: "rate_limited", retry_after_ms: 30_000 }])
  })

  it.each([500, 502, 503, 529])("%i can be tried again", async (status) => {
    const chunks = await ask(refusal(status, dialect.refusal("overloaded")))
    expect(chunks).toMatchObject([{ kind: "error", category: "provider_error", retryable: true, status }])
  })

  it("5xx with a page of HTML can be tried again", async () => {
    const chunks = await ask({ status: 502, headers: { "content-type": "text/html" }, frames: ["<html>"] })
    expect(chunks).toMatchObject([
      { kind: "error", category: "provider_error", retryable: true, status: 502 },
    ])
  })

  it("is tried once: retries are decided elsewhere", async () => {
    await using server = await serve(refusal(503, dialect.refusal("overloaded")), { frames: frames([]) })
    await listen(modelOf(config(server.url)))
    expect(server.received).toHaveLength(1)
  })

  it("a wrong key cannot be tried again, is named, and is not shown", async () => {
    const [chunk] = await ask(refusal(401, dialect.refusal(`no such key ${key}`)))
    expect(chunk).toMatchObject({ kind: "error", retryable: false, missing: "credential", status: 401 })
    expect(JSON.stringify(chunk)).toContain("Check the key")
    expect(JSON.stringify(chunk)).not.toContain(key)
  })

  it("an unknown model is named", async () => {
    const [chunk] = await ask(refusal(404, dialect.refusal("not found")))
    expect(chunk).toMatchObject({ retryable: false, missing: "model" })
    expect(JSON.stringify(chunk)).toContain("does not know the model m")
  })

  it("a request that the provider cannot take is not tried again", async () => {
    const chunks = await ask(refusal(400, dialect.refusal("bad field")))
    expect(chunks).toMatchObject([{ category: "provider_error", retryable: false, status: 400 }])
  })

  it("a server that is not there can be tried again", async () => {
    const server = await serve()
    await server[Symbol.asyncDispose]()
    const chunks = await listen(modelOf(config(server.url)))
    expect(chunks).toMatchObject([{ kind: "error", category: "provider_error", retryable: true }])
    expect(JSON.stringify(chunks)).toContain("cannot be reached")
  })

  it("sends the key and the model to the provider's own place", async () => {
    await using server = await serve({ frames: frames([{ text: ["ok"] }]) })
    await listen(modelOf({ ...config(server.url), headers: { "x-team": "factum-team" } }))
    const [request] = server.received
    expect(request?.url).toMatch(path)
    expect(dialect.key(request?.headers ?? {})).toBe(key)
    expect(request?.headers["x-team"]).toBe("factum-team")
  })
})
