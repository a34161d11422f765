import { describe, expect, it } from "vitest"
import { offerOf } from "../../src/routing/index.ts"
import { ends, facts, submit, types, until } from "../harness.ts"
import { agentWith, fakeTool, of } from "../loop/given.ts"
import { openModels } from "../loop/models.ts"
import { modelOf } from "./asking.ts"
import { serve } from "./server.ts"
import { dialects, type Ending, type Said } from "./wire.ts"

const endings: readonly { ending: Ending; category: string; reason: string }[] = [
  { ending: "length", category: "output_limit", reason: "came to the limit of its output" },
  { ending: "content_filter", category: "content_filter", reason: "content filter withheld" },
]
const cases = dialects.flatMap((dialect) => endings.map((one) => ({ ...one, dialect, name: dialect.name })))
const part: readonly Said[] = [{ text: ["The answer is cut", " he"] }]
const withCall: readonly Said[] = [...part, { call: "c1", tool: "write", pieces: ['{"path":"a"}'] }]

describe("an answer that is cut", () => {
  it.each(cases)(
    "by $ending from $name fails the turn, keeps what was said, and is told to the next",
    async ({ dialect, ending, category, reason }) => {
      await using server = await serve(
        { frames: dialect.frames(part, ending) },
        { frames: dialect.frames([{ text: ["The rest."] }]) },
      )
      const { runtime } = await openModels([offerOf(modelOf(dialect.config(server.url)))])
      const { session_id, thread_id } = await submit(runtime, "Go")
      const seen = await until(runtime, session_id, ends("turn.failed"))
      expect(of(seen, "turn.failed")[0]?.payload).toMatchObject({
        status: "failed",
        category,
        reason: expect.stringContaining(reason),
        next: expect.any(String),
      })
      expect(types(seen)).not.toContain("turn.completed")
      expect(of(seen, "model.completed")[0]?.payload).toMatchObject({
        finish: ending,
        parts: [{ kind: "text", text: "The answer is cut he" }],
      })
      await submit(runtime, "Go on", { session_id, thread_id })
      await until(runtime, session_id, ends("turn.completed"))
      const next = JSON.stringify(server.received[1]?.body)
      expect(next).toContain("The answer is cut he")
      expect(next).toContain(`ended early: ${category}`)
    },
  )

  it.each(cases)("by $ending from $name has none of its calls executed", async ({ dialect, ending }) => {
    const write = fakeTool("write")
    await using server = await serve(
      { frames: dialect.frames(withCall, ending) },
      { frames: dialect.frames([{ text: ["Now."] }]) },
    )
    const agent = agentWith([write])
    const { runtime } = await openModels([offerOf(modelOf(dialect.config(server.url)))], { agent })
    const { session_id, thread_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("turn.failed"))
    expect(of(seen, "turn.failed")[0]?.payload.reason).toContain("none was executed")
    await submit(runtime, "Go on", { session_id, thread_id })
    await until(runtime, session_id, ends("turn.completed"))
    expect(write.runs).toEqual([])
    expect(types(facts(runtime, session_id))).not.toContain("tool.started")
    expect(JSON.stringify(server.received[1]?.body)).toContain("the answer that asked for it was cut off")
  })

  it("without a word of an answer fails the turn too", async () => {
    for (const { ending, category } of endings) {
      for (const dialect of dialects) {
        await using server = await serve({ frames: dialect.frames([], ending) })
        const { runtime } = await openModels([offerOf(modelOf(dialect.config(server.url)))])
        const { session_id } = await submit(runtime, "Go")
        const seen = await until(runtime, session_id, ends("turn.failed"))
        expect(of(seen, "turn.failed")[0]?.payload.category).toBe(category)
        await runtime.close()
      }
    }
  })

  it("of an agent that declares is not carried out", async () => {
    const [dialect] = dialects
    if (dialect === undefined) throw new Error("no dialect")
    const write = fakeTool("write")
    const declared = {
      type: "agent.protocol",
      intent: "execute",
      actions: [{ id: "a", executor: { type: "tool", target: "write" }, input: {} }],
    }
    const text = ["```json agent-protocol\n", JSON.stringify(declared), "\n```"]
    await using server = await serve({ frames: dialect.frames([{ text }], "length") })
    const agent = agentWith([write], { protocol: true })
    const { runtime } = await openModels([offerOf(modelOf(dialect.config(server.url)))], { agent })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("turn.failed"))
    expect(of(seen, "turn.failed")[0]?.payload.category).toBe("output_limit")
    expect(write.runs).toEqual([])
    expect(server.received).toHaveLength(1)
  })
})
