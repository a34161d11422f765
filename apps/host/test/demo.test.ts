import { readFileSync } from "node:fs"
import type { ModelCall, ModelChunk, ModelMessage } from "@factum/runtime"
import { parseScript, type Scene, scriptedModel } from "@factum/runtime/scripted"
import { describe, expect, it } from "vitest"

const parsed = parseScript(readFileSync(new URL("../demo/welcome.jsonl", import.meta.url), "utf8"))
const scenes: Scene[] = parsed.ok ? parsed.scenes.map(atOnce) : []

function atOnce({ on, steps }: Scene): Scene {
  const hurried = steps.filter((step) => !("delay_ms" in step))
  return { on, steps: hurried.map((step) => ("text" in step ? { ...step, every_ms: 0, chunk: 1000 } : step)) }
}

async function answer(text: string, ...since: ModelMessage[]) {
  const call = {
    model: "demo",
    messages: [{ role: "user", parts: text }, ...since],
    signal: new AbortController().signal,
  } satisfies ModelCall
  const chunks: ModelChunk[] = []
  for await (const chunk of scriptedModel(scenes).stream(call)) chunks.push(chunk)
  const joined = (kind: string) =>
    chunks.map((chunk) => (chunk.kind === kind && "text" in chunk ? chunk.text : "")).join("")
  return { chunks, last: chunks.at(-1), text: joined("text"), reasoning: joined("reasoning") }
}

describe("the demo", () => {
  it("is a script that can be read", () => {
    expect(parsed).toMatchObject({ ok: true })
  })

  it.each([
    ["hello there", /welcome to Factum.*script/s],
    ["你好", /欢迎使用 Factum.*脚本/s],
  ])("greets: %s", async (said, expected) => {
    const { text, reasoning, last } = await answer(said)
    expect(text).toMatch(expected)
    expect(reasoning).toMatch(/\S/)
    expect(last).toMatchObject({ kind: "finish", finish: "stop" })
  })

  it.each(["think about it", "思考一下"])("reasons before it answers: %s", async (said) => {
    const { chunks } = await answer(said)
    const kinds = [...new Set(chunks.map((chunk) => chunk.kind))]
    expect(kinds).toEqual(["reasoning", "reasoning_summary", "text", "finish"])
  })

  it.each(["use a tool", "用一下工具"])("uses tools, then tells what came of it: %s", async (said) => {
    const { chunks, last } = await answer(said)
    const tools = chunks.flatMap((chunk) => (chunk.kind === "tool_call" ? [chunk.tool] : []))
    expect(tools).toEqual(["list_files", "shell"])
    expect(last).toMatchObject({ kind: "finish", finish: "tool_calls" })
    const after = await answer(said, { role: "assistant", parts: "" }, { role: "tool", parts: [] })
    expect(after.text).toMatch(/\S/)
    expect(after.last).toMatchObject({ kind: "finish", finish: "stop" })
  })

  it.each([
    ["a long answer, please", 1000],
    ["来一段长的", 300],
  ])("gives a long answer: %s", async (said, least) => {
    expect((await answer(said)).text.length).toBeGreaterThan(least)
  })

  it.each([
    ["show an error", "provider_error"],
    ["出错", "provider_error"],
    ["rate limit", "rate_limited"],
    ["限流", "rate_limited"],
  ])("fails when it is asked to: %s", async (said, category) => {
    expect((await answer(said)).last).toMatchObject({ kind: "error", category, retryable: false })
  })

  it.each([
    ["What is the capital of France?", /from a script.*do not pretend.*--script/s],
    ["法国的首都是哪里？", /脚本.*不会假装.*--script/s],
    ["", /from a script/],
  ])("says truthfully that it did not understand: %s", async (said, expected) => {
    expect((await answer(said)).text).toMatch(expected)
  })

  it("knows what it says that it knows, in both languages", async () => {
    for (const [asked, quoted] of [
      ["What?", /“([^”]+)”/g],
      ["什么？", /“([^”]+)”/g],
    ] as const) {
      const catchAll = (await answer(asked)).text
      const names = [...catchAll.matchAll(quoted)].map((match) => match[1] ?? "")
      expect(names.length).toBe(6)
      for (const name of names) expect((await answer(name)).text).not.toBe(catchAll)
    }
  })
})
