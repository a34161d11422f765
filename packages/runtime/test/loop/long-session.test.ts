import { describe, expect, it } from "vitest"
import { type Runtime, speaker } from "../../src/index.ts"
import type { ModelCall } from "../../src/ports/model.ts"
import { ends, openRuntime, submit, until } from "../harness.ts"
import { agentWith, fakeTool, linesModel, of } from "./given.ts"

/** More than a session's state keeps of turns, requests and calls that have ended. */
const many = 40
const wide = 120

/** One turn after the other, in one thread. */
async function said(runtime: Runtime, texts: readonly string[]): Promise<string> {
  let place: { session_id: string; thread_id: string } | undefined
  for (const [at, text] of texts.entries()) {
    const { session_id, thread_id } = await submit(runtime, text, place)
    place = { session_id, thread_id }
    await until(runtime, session_id, ends("turn.completed", at + 1))
  }
  return place?.session_id ?? ""
}

const wordsOf = (call: ModelCall | undefined) => JSON.stringify(call?.messages)

describe("a session that is longer than what its state keeps", () => {
  it("every turn of it is told to the model, and nothing is warned of", async () => {
    const lines = linesModel(Array.from({ length: many + 1 }, (_, at) => ({ text: `Answer ${at}.` })))
    const { runtime } = await openRuntime(lines.model, { agent: () => speaker })
    const texts = Array.from({ length: many }, (_, at) => `Question ${at}.`)
    const session_id = await said(runtime, texts)
    const told = wordsOf(lines.calls.at(-1))
    for (let at = 0; at < many; at++) expect(told).toContain(`Question ${at}.`)
    for (let at = 0; at < many - 1; at++) expect(told).toContain(`Answer ${at}.`)
    const facts = await until(runtime, session_id, ends("turn.completed", many))
    const resolved = of(facts, "context.resolved").at(-1)?.payload
    expect(resolved).toMatchObject({ history: { turns: many - 1 }, warnings: [] })
  })

  it("[RT-TOOL-5] no call that was executed is told as if it had not been", async () => {
    const write = fakeTool("write", { does: ({ at }) => ({ ok: true, output: `written ${at}` }) })
    const calls = (from: number) => ({
      calls: Array.from({ length: wide }, (_, at) => ({
        id: `c${from + at}`,
        tool: "write",
        args: { at: from + at },
      })),
    })
    const starts = Array.from({ length: 5 }, (_, at) => at * wide)
    const lines = linesModel(starts.flatMap((from) => [calls(from), { text: "Done." }]))
    const { runtime } = await openRuntime(lines.model, { agent: agentWith([write]) })
    await said(runtime, ["One", "Two", "Three", "Four", "Five"])
    expect(write.runs).toHaveLength(5 * wide)
    const told = wordsOf(lines.calls.at(-1))
    expect(told).not.toContain("Not executed")
    for (let at = 0; at < 5 * wide; at++) expect(told).toContain(`written ${at}`)
  }, 60_000)
})
