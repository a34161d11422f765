import type { Envelope } from "@factum/facts"
import { describe, expect, it } from "vitest"
import type { ModelChunk } from "../src/index.ts"
import { type Call, ends, facts, handModel, openRuntime, refused, submit, until } from "./harness.ts"

/** One turn whose provider gives these chunks, each in the log before the next. */
async function play(...chunks: (ModelChunk | "cut")[]): Promise<Envelope[]> {
  const { model, call } = handModel()
  const { runtime } = await openRuntime(model)
  const { session_id } = await submit(runtime, "hi")
  const provider: Call = await call(0)
  for (const chunk of chunks) chunk === "cut" ? provider.cut() : provider.give(chunk)
  await until(runtime, session_id, (seen) =>
    seen.some((f) => f.type === "turn.completed" || f.type === "turn.failed" || f.type === "tool.failed"),
  )
  return facts(runtime, session_id)
}

const text = (text: string, part_id = "p0"): ModelChunk => ({ kind: "text", part_id, text })
const finish: ModelChunk = { kind: "finish", finish: "stop", usage: { input_tokens: 3, output_tokens: 4 } }
const last = (seen: readonly Envelope[], type: string) => seen.findLast((fact) => fact.type === type)
const streamedText = (seen: readonly Envelope[], part_id: string) =>
  seen
    .filter((fact) => fact.type === "model.delta" && fact.payload.part_id === part_id)
    .map((fact) => fact.payload.text)
    .join("")

describe("text", () => {
  it("[RT-MOD-1] is the exact concatenation of its chunks", async () => {
    const pieces = ["Hel", "lo", ", ", "wörld ", "🙂", "\n", "end"]
    const seen = await play(...pieces.map((piece) => text(piece)), finish)
    expect(streamedText(seen, "p0")).toBe(pieces.join(""))
    expect(last(seen, "model.completed")?.payload).toMatchObject({
      parts: [{ kind: "text", part_id: "p0", text: pieces.join("") }],
      corrected: [],
      usage: { input_tokens: 3, output_tokens: 4 },
      finish: "stop",
    })
  })

  it("[RT-MOD-1] a differing final text replaces the stream once and says so", async () => {
    const seen = await play(text("Helo"), { kind: "final", part_id: "p0", text: "Hello" }, finish)
    expect(streamedText(seen, "p0")).toBe("Helo")
    expect(last(seen, "model.completed")?.payload).toMatchObject({
      parts: [{ kind: "text", part_id: "p0", text: "Hello" }],
      corrected: ["p0"],
    })
  })

  it("[RT-MOD-1] an equal final text corrects nothing", async () => {
    const seen = await play(text("Hello"), { kind: "final", part_id: "p0", text: "Hello" }, finish)
    expect(last(seen, "model.completed")?.payload).toMatchObject({ corrected: [] })
  })

  it("the final fact names the range of its deltas", async () => {
    const seen = await play(text("a"), { kind: "reasoning", part_id: "r", text: "b" }, text("c"), finish)
    const deltas = seen.filter((fact) => fact.type === "model.delta" || fact.type === "reasoning.delta")
    const range = { from: deltas[0]?.sequence, to: deltas.at(-1)?.sequence }
    expect(last(seen, "model.completed")?.payload).toMatchObject({ supersedes: range })
  })

  it("an answer without output supersedes nothing", async () => {
    const seen = await play(finish)
    expect(last(seen, "model.completed")?.payload).not.toHaveProperty("supersedes")
    expect(last(seen, "turn.completed")).toBeDefined()
  })

  it("chunks that come together share a fact, and the first goes alone", async () => {
    const seen = await play(...Array.from({ length: 100 }, (_, index) => text(`${index} `)), finish)
    const deltas = seen.filter((fact) => fact.type === "model.delta")
    expect(deltas[0]?.payload.text).toBe("0 ")
    expect(deltas.length).toBeLessThan(20)
  })
})

describe("parts", () => {
  const mixed: ModelChunk[] = [
    { kind: "reasoning", part_id: "r", text: "Hmm." },
    text("before ", "a"),
    { kind: "structured", part_id: "s", text: '{"k":1}' },
    { kind: "tool_call", part_id: "t", call_id: "c", tool: "x", arguments: "{}" },
    text("after", "b"),
  ]

  it("[RT-MOD-2] stay separate and in the order in which they came", async () => {
    const seen = await play(...mixed, finish)
    expect(last(seen, "model.completed")?.payload.parts).toEqual([
      { kind: "reasoning", part_id: "r", text: "Hmm." },
      { kind: "text", part_id: "a", text: "before " },
      { kind: "structured", part_id: "s", text: '{"k":1}' },
      { kind: "tool_call", part_id: "t", call_id: "c", tool: "x", arguments: "{}" },
      { kind: "text", part_id: "b", text: "after" },
    ])
  })

  it("[RT-MOD-2] another dialect interleaves its parts", async () => {
    const seen = await play(text("1", "a"), text("A", "b"), text("2", "a"), text("B", "b"), finish)
    expect(last(seen, "model.completed")?.payload.parts).toEqual([
      { kind: "text", part_id: "a", text: "12" },
      { kind: "text", part_id: "b", text: "AB" },
    ])
  })

  it("[RT-MOD-2] reasoning and answer under one part id stay two parts", async () => {
    const seen = await play({ kind: "reasoning", part_id: "0", text: "Hmm." }, text("Yes", "0"), finish)
    expect(last(seen, "model.completed")?.payload.parts).toEqual([
      { kind: "reasoning", part_id: "0", text: "Hmm." },
      { kind: "text", part_id: "0", text: "Yes" },
    ])
  })

  it("[RT-MOD-2] reasoning never enters the answer", async () => {
    const seen = await play(...mixed, finish)
    const answers = seen.filter((fact) => fact.type === "model.delta")
    expect(JSON.stringify(answers)).not.toContain("Hmm.")
  })

  it("[RT-EVT-7] reasoning streams as reasoning, a summary follows when the provider gives one", async () => {
    const summary: ModelChunk = { kind: "reasoning_summary", part_id: "r", text: "Short." }
    const seen = await play({ kind: "reasoning", part_id: "r", text: "Long." }, summary, text("x"), finish)
    expect(last(seen, "reasoning.delta")?.payload).toMatchObject({ part_id: "r", text: "Long." })
    expect(last(seen, "reasoning.summary")?.payload).toMatchObject({ text: "Short.", by: "provider" })
    const order = seen.map((fact) => fact.type)
    expect(order.indexOf("reasoning.summary")).toBeGreaterThan(order.indexOf("reasoning.delta"))
  })

  it("[RT-EVT-7] a provider without reasoning yields neither", async () => {
    const seen = await play(text("x"), finish)
    expect(seen.some((fact) => fact.type.startsWith("reasoning."))).toBe(false)
  })

  it("[RT-EVT-6] structured output streams as its own kind", async () => {
    const seen = await play({ kind: "structured", part_id: "s", text: "{}" }, finish)
    expect(last(seen, "model.delta")?.payload).toMatchObject({ kind: "structured", text: "{}" })
  })
})

describe("failures", () => {
  const error = (category: "provider_error" | "rate_limited" | "malformed"): ModelChunk => ({
    kind: "error",
    category,
    reason: "it broke",
    retryable: category === "rate_limited",
  })

  it.each(["provider_error", "rate_limited", "malformed"] as const)(
    "[RT-EVT-6] %s before the first chunk ends request and turn",
    async (category) => {
      const seen = await play(error(category))
      expect(seen.filter((fact) => fact.type === "model.failed").map((fact) => fact.payload)).toEqual([
        expect.objectContaining({
          category,
          reason: "it broke",
          retryable: category === "rate_limited",
          parts: [],
        }),
      ])
      expect(last(seen, "turn.failed")?.payload).toMatchObject({
        status: "failed",
        category,
        reason: "it broke",
      })
      expect(last(seen, "model.completed")).toBeUndefined()
    },
  )

  it("[RT-MOD-3] an error in mid-stream keeps the partial text as partial", async () => {
    const seen = await play(text("Hel"), error("provider_error"))
    expect(last(seen, "model.failed")?.payload).toMatchObject({
      category: "provider_error",
      parts: [{ kind: "text", part_id: "p0", text: "Hel" }],
    })
  })

  it("[RT-MOD-3] a stream that just ends was cut, and is closed as such", async () => {
    const seen = await play(text("Hel"), "cut")
    expect(last(seen, "model.failed")?.payload).toMatchObject({
      category: "cut_stream",
      parts: [{ text: "Hel" }],
    })
    expect(last(seen, "turn.failed")?.payload).toMatchObject({ status: "failed", category: "cut_stream" })
  })

  it("[RT-MOD-3] the text of a new turn is not joined to the partial one", async () => {
    const { model, call } = handModel()
    const { runtime } = await openRuntime(model)
    const { session_id } = await submit(runtime, "hi")
    const first = await call(0)
    first.text("Hel")
    first.cut()
    await until(runtime, session_id, ends("turn.failed"))
    await submit(runtime, "again", { session_id })
    const second = await call(1)
    second.text("Hello")
    second.finish()
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(last(seen, "model.completed")?.payload.parts).toEqual([
      { kind: "text", part_id: "p0", text: "Hello" },
    ])
    expect(last(seen, "model.failed")?.payload.parts).toEqual([{ kind: "text", part_id: "p0", text: "Hel" }])
  })

  it("an output that breaks the vocabulary is our own error, and said so", async () => {
    const { model, call } = handModel()
    const defects: unknown[] = []
    const { runtime } = await openRuntime(model, { onDefect: (error) => defects.push(error) })
    const { session_id } = await submit(runtime, "hi")
    ;(await call(0)).give({ kind: "text", part_id: 5 as unknown as string, text: "x" })
    ;(await call(0)).finish()
    const seen = await until(runtime, session_id, ends("turn.failed"))
    expect(last(seen, "runtime.error")?.payload).toMatchObject({ code: "internal_error" })
    expect(last(seen, "turn.failed")?.payload).toMatchObject({ category: "internal_error" })
    expect(defects).toHaveLength(1)
  })

  it("an adapter that throws fails the turn instead of the runtime", async () => {
    const { runtime } = await openRuntime({
      provider: "bad",
      name: "bad",
      // biome-ignore lint/correctness/useYield: it breaks before it gives anything
      async *stream() {
        throw new Error("boom")
      },
    })
    const { session_id } = await submit(runtime, "hi")
    const seen = await until(runtime, session_id, ends("turn.failed"))
    expect(String(last(seen, "turn.failed")?.payload.reason)).toContain("boom")
  })
})

describe("secrets", () => {
  it("[RT-OUT-2] a secret that is streamed in pieces never reaches the log", async () => {
    const { model, call } = handModel()
    const { runtime } = await openRuntime(model, { secrets: { DB_PASSWORD: "hunter2-hunter2" } })
    const { session_id } = await submit(runtime, "my key is sk-abcdefghijklmnop1234 ok")
    const provider = await call(0)
    for (const letter of "use hunter2-hunter2 and ghp_aaaaaaaaaabbbbbbbbbbcccc now") provider.text(letter)
    provider.finish()
    const seen = await until(runtime, session_id, ends("turn.completed"))
    const all = JSON.stringify(seen)
    for (const secret of ["hunter2-hunter2", "sk-abcdefgh", "ghp_aaaa"]) expect(all).not.toContain(secret)
    expect(streamedText(seen, "p0")).toBe("use [redacted:DB_PASSWORD] and [redacted:github-token] now")
    expect(seen[0]?.payload.title).toBe("my key is [redacted:provider-key] ok")
    const rules = seen.filter((fact) => fact.type === "output.redacted").map((fact) => fact.payload.rule)
    expect(rules).toEqual(expect.arrayContaining(["provider-key", "DB_PASSWORD", "github-token"]))
  })

  it("[RT-OUT-2] the title of a session is masked before it is cut", async () => {
    const token = "T".repeat(43)
    const { runtime } = await openRuntime(handModel().model, { secrets: { TOKEN: token } })
    const { session_id } = await submit(runtime, `please keep this text in mind: ${token}`)
    expect(JSON.stringify(facts(runtime, session_id))).not.toContain("TTTT")
    expect(runtime.sessions({ limit: 1 }).sessions[0]?.title).toContain("[redacted:TOKEN]")
  })

  it("[RT-OUT-2] an id that looks like a secret is refused", async () => {
    const { runtime } = await openRuntime(handModel().model)
    const input = { create: "session", turn_id: "sk-abcdefghijklmnop", input: [{ kind: "text", text: "x" }] }
    expect(await refused(runtime, "submit_turn", { input })).toMatchObject({
      code: "invalid_input",
      field: "input.turn_id",
    })
    const body = { input: { ...input, turn_id: "t1" }, command_id: "sk-abcdefghijklmnop" }
    expect(await refused(runtime, "submit_turn", body)).toMatchObject({ field: "command_id" })
  })
})
