import { getEventListeners } from "node:events"
import type { CommandResult } from "@factum/facts"
import { afterEach, describe, expect, test } from "vitest"
import { createFactum, type Factum, type ModelChunk, type SimpleTool } from "../src/embed/index.ts"
import { temporaryDirectory } from "./hosting.ts"

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

function folder(): string {
  const { path, remove } = temporaryDirectory()
  ends.push(remove)
  return path
}

function kept(factum: Factum): Factum {
  ends.push(() => factum.close())
  return factum
}

/** Calls the tool once, then says what it gave. */
const calling = (tool: string) => ({
  provider: "mine",
  name: "caller",
  async *stream({
    messages,
  }: {
    messages: readonly { role: string; parts: unknown }[]
  }): AsyncGenerator<ModelChunk> {
    const usage = { input_tokens: 1, output_tokens: 1 }
    const result = messages.at(-1)
    if (result?.role === "tool") {
      yield { kind: "text", part_id: "t", text: `It gave ${JSON.stringify(result.parts)}` }
      yield { kind: "finish", finish: "stop", usage }
      return
    }
    yield { kind: "tool_call", part_id: "c", call_id: "1", tool, arguments: '{"city":"Lund"}' }
    yield { kind: "finish", finish: "tool_calls", usage }
  },
})
const weather = (changes = false): SimpleTool => ({
  name: "weather",
  description: "The weather of a city.",
  input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  changes,
  run: ({ city }) => `Rain in ${city}`,
})

describe("Factum in a program", () => {
  test("ten lines with a model and a tool of its own", async () => {
    const factum = kept(await createFactum({ data: folder(), model: calling("weather"), tools: [weather()] }))
    const answer = await factum.run("How is the weather?")
    expect(answer).toMatchObject({ outcome: "done", waiting: [] })
    expect(answer.text).toContain("Rain in Lund")
  })

  test("a model is a function, and a session goes on", async () => {
    const model = ({ messages }: { messages: readonly unknown[] }) => `heard ${messages.length}`
    const factum = kept(await createFactum({ data: folder(), model }))
    const first = await factum.run("one")
    const second = await factum.run("two", { session_id: first.session_id })
    expect([first.text, second.text]).toEqual(["heard 1", "heard 3"])
    expect(second.session_id).toBe(first.session_id)
  })

  test.each([
    [true, "Rain in Lund"],
    [false, "denied"],
  ])("what changes something is asked: %s", async (isAllowed, told) => {
    const asked: string[] = []
    const factum = kept(
      await createFactum({
        data: folder(),
        model: calling("weather"),
        tools: [weather(true)],
        onAsk: ({ toolName = "" }) => {
          asked.push(toolName)
          return isAllowed
        },
      }),
    )
    const { text, outcome } = await factum.run("go")
    expect({ asked, outcome }).toEqual({ asked: ["weather"], outcome: "done" })
    expect(text.toLowerCase()).toContain(told.toLowerCase())
  })

  test("without anybody to ask it waits, and says for what", async () => {
    const factum = kept(
      await createFactum({ data: folder(), model: calling("weather"), tools: [weather(true)] }),
    )
    expect(await factum.run("go")).toMatchObject({ outcome: "waiting", waiting: [{ toolName: "weather" }] })
  })

  test("a signal stops its own turn: one that is queued, one that runs, and none that has ended", async () => {
    const held = new Map<string, () => void>()
    const asked: string[] = []
    const model = ({ messages }: { messages: readonly { role: string; parts: unknown }[] }) => {
      const task = /(?:first|queued|next)/.exec(JSON.stringify(messages.at(-1)?.parts))?.[0] ?? ""
      asked.push(task)
      return new Promise<string>((resolve) => held.set(task, () => resolve(`did ${task}`)))
    }
    const factum = kept(await createFactum({ data: folder(), model }))
    const before = await factum.runtime.execute("submit_turn", {
      input: { create: "session", input: [{ kind: "text", text: "first" }] },
    })
    if (!before.ok) throw new Error(before.refusal.message)
    const { session_id, thread_id } = before.result as CommandResult<"submit_turn">
    await expect.poll(() => asked, { timeout: 15_000 }).toEqual(["first"])

    const leaving = new AbortController()
    const queued = factum.run("queued", { session_id, signal: leaving.signal })
    const queue = () => JSON.stringify(factum.runtime.snapshot("queue_snapshot", { session_id, thread_id }))
    await expect.poll(queue, { timeout: 15_000 }).toContain("queued_turn_id")
    leaving.abort()
    expect(await queued).toMatchObject({ outcome: "cancelled" })
    // The turn that had the floor was not the one that was meant.
    expect(asked).toEqual(["first"])
    held.get("first")?.()

    const again = new AbortController()
    const running = factum.run("next", { session_id, signal: again.signal })
    await expect.poll(() => asked, { timeout: 15_000 }).toEqual(["first", "next"])
    again.abort()
    expect(await running).toMatchObject({ outcome: "cancelled" })
    expect(await factum.run("first", { session_id, signal: leaving.signal }).catch(({ name }) => name)).toBe(
      "AbortError",
    )

    const late = new AbortController()
    const done = factum.run("first", { session_id, signal: late.signal })
    await expect.poll(() => asked, { timeout: 15_000 }).toEqual(["first", "next", "first"])
    held.get("first")?.()
    expect(await done).toMatchObject({ outcome: "done", text: "did first" })
    expect(getEventListeners(late.signal, "abort")).toEqual([])
    const other = factum.run("queued", { session_id })
    await expect.poll(() => asked.at(-1), { timeout: 15_000 }).toBe("queued")
    late.abort()
    held.get("queued")?.()
    expect(await other).toMatchObject({ outcome: "done", text: "did queued" })
  })

  test("what is not carried out here is named by no list and refused", async () => {
    const factum = kept(await createFactum({ data: folder(), model: () => "Yes." }))
    const { session_id } = await factum.run("hello")
    expect(factum.runtime.commands).toContain("submit_turn")
    expect(factum.runtime.commands).not.toContain("export_evidence")
    expect(await factum.runtime.execute("export_evidence", { input: { session_id } })).toMatchObject({
      ok: false,
      refusal: { code: "unavailable" },
    })
  })

  test("a model that throws is a turn that failed", async () => {
    const model = () => {
      throw new Error("No.")
    }
    const factum = kept(await createFactum({ data: folder(), model }))
    expect(await factum.run("go")).toMatchObject({
      outcome: "failed",
      failure: { message: expect.stringContaining("No.") },
    })
  })
})
