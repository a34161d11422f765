import { describe, expect, it } from "vitest"
import { parseScript, scriptedModel } from "../src/adapters/models/scripted.ts"
import type { ModelChunk, ModelMessage } from "../src/index.ts"

async function answer(lines: readonly unknown[], asked = "hi", signal = new AbortController().signal) {
  const parsed = parseScript(lines.map((line) => JSON.stringify(line)).join("\n"))
  if (!parsed.ok) throw new Error(parsed.message)
  const chunks: ModelChunk[] = []
  const messages = [{ role: "user" as const, parts: [{ kind: "text" as const, text: asked }] }]
  for await (const chunk of scriptedModel(parsed.scenes).stream({ model: "demo", messages, signal }))
    chunks.push(chunk)
  return chunks
}

const end = { kind: "finish", finish: "stop", usage: { input_tokens: "unknown", output_tokens: "unknown" } }

describe("the script", () => {
  it("plays the first scene whose pattern fits the last message", async () => {
    const lines = [{ on: "bye" }, { text: "Ciao" }, { on: "." }, { text: "Hello" }]
    expect(await answer(lines, "Good BYE")).toEqual([{ kind: "text", part_id: "p0", text: "Ciao" }, end])
    expect(await answer(lines, "hi")).toEqual([{ kind: "text", part_id: "p0", text: "Hello" }, end])
  })

  it("says when no scene fits", async () => {
    expect(await answer([{ on: "bye" }, { text: "x" }])).toMatchObject([
      { kind: "error", category: "provider_error" },
    ])
  })

  it("cuts text into chunks between whole characters", async () => {
    const chunks = await answer([{ on: "." }, { text: "a🙂b🙂c", chunk: 2 }])
    expect(chunks.flatMap((chunk) => (chunk.kind === "text" ? chunk.text : []))).toEqual(["a🙂", "b🙂", "c"])
  })

  it.each([
    ["text", { text: "x", part: "mine" }, { kind: "text", part_id: "mine", text: "x" }],
    ["reasoning", { reasoning: "x" }, { kind: "reasoning", part_id: "p0", text: "x" }],
    ["a summary", { reasoning_summary: "x" }, { kind: "reasoning_summary", part_id: "p0", text: "x" }],
    ["structured output", { structured: "{}" }, { kind: "structured", part_id: "p0", text: "{}" }],
    ["a final text", { final: "x", part: "p" }, { kind: "final", part_id: "p", text: "x" }],
    [
      "a tool call",
      { tool_call: { tool: "t", arguments: { a: 1 } } },
      { kind: "tool_call", part_id: "p0", call_id: "call_0", tool: "t", arguments: '{"a":1}' },
    ],
  ])("gives %s", async (_, step, chunk) => {
    expect(await answer([{ on: "." }, step])).toEqual([chunk, end])
  })

  it.each([
    [
      "an error",
      { error: "no" },
      { kind: "error", category: "provider_error", reason: "no", retryable: false },
    ],
    [
      "a rate limit",
      { error: "slow", category: "rate_limited" },
      { kind: "error", category: "rate_limited", reason: "slow", retryable: true },
    ],
    ["malformed output", { malformed: "{" }, { kind: "error", category: "malformed" }],
    [
      "a finish",
      { finish: "length", usage: { input_tokens: 1, output_tokens: 2 } },
      { kind: "finish", finish: "length" },
    ],
  ])("ends with %s", async (_, step, chunk) => {
    const chunks = await answer([{ on: "." }, step, { text: "never" }])
    expect(chunks).toMatchObject([chunk])
  })

  it("a cut stream just ends", async () => {
    expect(await answer([{ on: "." }, { text: "x" }, { cut: true }, { text: "never" }])).toHaveLength(1)
  })

  it("stops waiting when the turn is stopped", async () => {
    const stop = new AbortController()
    const playing = answer([{ on: "." }, { delay_ms: 3_600_000 }, { text: "never" }], "hi", stop.signal)
    stop.abort()
    expect(await playing).toEqual([])
  })

  it.each([
    ["a line that is no JSON", '{"on":"."}\nnope', 2],
    ["an unknown step", '{"on":"."}\n{"dance":1}', 2],
    ["a step of the wrong type", '{"on":"."}\n{"text":1}', 2],
    ["a step before any scene", '{"text":"x"}', 1],
    ["a pattern that is none", '{"on":"("}', 1],
  ])("refuses %s and names the line", (_, text, line) => {
    expect(parseScript(text)).toMatchObject({ ok: false, line })
  })

  it("skips empty lines and comments", () => {
    const parsed = parseScript('\n// greeting\n{"on":"."}\n\n{"text":"x"}\n')
    expect(parsed).toEqual({ ok: true, scenes: [{ on: ".", steps: [{ text: "x" }] }] })
  })
})

it("quotes what the tools of the turn told, in texts and arguments", async () => {
  const parsed = parseScript(
    [
      '{"on":""}',
      '{"text":"{{pass (\\\\d+)}} of {{none (\\\\d+) ?? nobody knows how many}}, {{(}}"}',
      '{"tool_call":{"tool":"read","arguments":{"ids":["{{made (\\\\w+)}}"],"deep":{"count":1}}}}',
      '{"finish":"tool_calls"}',
    ].join("\n"),
  )
  if (!parsed.ok) throw new Error(parsed.message)
  const told = (output: string) => ({ kind: "tool_result" as const, call_id: "c", tool: "t", output })
  // An assistant's round would be over; what is asked for is the first one, with results of the turn before it.
  const messages: ModelMessage[] = [
    { role: "tool", parts: [told("pass 9")] },
    { role: "user", parts: "go" },
    { role: "tool", parts: [told("made one"), told("pass 3"), told("made two")] },
  ]
  const chunks: ModelChunk[] = []
  const call = { model: "demo", messages, signal: new AbortController().signal }
  for await (const chunk of scriptedModel(parsed.scenes).stream(call)) chunks.push(chunk)
  expect(chunks).toMatchObject([
    { kind: "text", text: "3 of nobody knows how many, {{(}}" },
    { kind: "tool_call", arguments: '{"ids":["two"],"deep":{"count":1}}' },
    { kind: "finish" },
  ])
})
