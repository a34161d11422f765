import { describe, expect, it } from "vitest"
import type { Tool } from "../../src/index.ts"
import { done, ends, openRuntime, submit, types, until } from "../harness.ts"
import { agentWith, asking, fakeTool, linesModel, of, outputs, reader } from "./given.ts"

describe("a turn with tools", () => {
  it("[RT-EVT-9] a call is opened, given its input, executed and ended, and the model is told", async () => {
    const look = reader("look", { does: () => ({ ok: true, output: "three files" }) })
    const { model, calls } = linesModel([
      { text: "I look.", calls: [{ id: "c1", tool: "look", args: { at: "." } }] },
      { text: "Three." },
    ])
    const { runtime } = await openRuntime(model, { agent: agentWith([look]) })
    const { session_id } = await submit(runtime, "How many?")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(types(seen).filter((type) => type.startsWith("tool.") || type.startsWith("permission."))).toEqual([
      "tool.catalog.resolved",
      "tool.started",
      "tool.args",
      "permission.evaluated",
      "tool.progress",
      "tool.result",
    ])
    expect(look.runs).toEqual([{ at: "." }])
    expect(calls[1]?.messages.slice(1)).toEqual([
      {
        role: "assistant",
        parts: [
          { kind: "text", text: "I look." },
          { kind: "tool_call", call_id: "c1", tool: "look", arguments: '{"at":"."}' },
        ],
      },
      {
        role: "tool",
        parts: [{ kind: "tool_result", call_id: "c1", tool: "look", output: "three files" }],
      },
    ])
    expect(calls[0]?.tools).toEqual([
      { name: "look", description: "The tool look.", input_schema: { type: "object" } },
    ])
  })

  it("[RT-EVT-8] the catalog is named once per turn, before its first call", async () => {
    const { model } = linesModel([
      { calls: [{ id: "a", tool: "look" }] },
      { calls: [{ id: "b", tool: "look" }] },
    ])
    const { runtime } = await openRuntime(model, { agent: agentWith([reader("look")]) })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    const [catalog, ...more] = of(seen, "tool.catalog.resolved")
    expect(more).toEqual([])
    expect(catalog?.payload.tools).toMatchObject([{ name: "look", effect: "none", available: true }])
    expect(types(seen).indexOf("tool.catalog.resolved")).toBeLessThan(types(seen).indexOf("tool.started"))
  })

  it("[RT-ID-8] the same call twice at once has two ids, and results do not cross", async () => {
    const echo = reader("echo", { does: ({ word }) => ({ ok: true, output: `said ${word}` }) })
    const { model, calls } = linesModel([
      {
        calls: [
          { id: "c1", tool: "echo", args: { word: "a" } },
          { id: "c2", tool: "echo", args: { word: "b" } },
        ],
      },
    ])
    const { runtime } = await openRuntime(model, { agent: agentWith([echo]) })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    const ids = of(seen, "tool.started").map(({ tool_call_id }) => tool_call_id)
    expect(new Set(ids).size).toBe(2)
    const steps = new Map(
      seen.flatMap(({ tool_call_id, step_id }) => (tool_call_id ? [[tool_call_id, step_id]] : [])),
    )
    for (const fact of seen)
      if (fact.tool_call_id !== undefined) expect(fact.step_id).toBe(steps.get(fact.tool_call_id))
    expect(calls[1]?.messages.at(-1)?.parts).toMatchObject([
      { call_id: "c1", output: "said a" },
      { call_id: "c2", output: "said b" },
    ])
  })

  it("readers run at once, writers one after another in their order", async () => {
    const log: string[] = []
    const slow = (name: string) => async () => {
      log.push(`${name} begins`)
      await new Promise((resolve) => setImmediate(resolve))
      log.push(`${name} ends`)
      return { ok: true as const, output: name }
    }
    const { model } = linesModel([
      {
        calls: [
          { id: "w1", tool: "first" },
          { id: "w2", tool: "second" },
        ],
      },
    ])
    const tools = [fakeTool("first", { does: slow("first") }), fakeTool("second", { does: slow("second") })]
    const { runtime } = await openRuntime(model, { agent: agentWith(tools) })
    const { session_id } = await submit(runtime, "Go")
    await until(runtime, session_id, ends("turn.completed"))
    expect(log).toEqual(["first begins", "first ends", "second begins", "second ends"])
  })

  it.each(["write", "send", "delete", "purchase", "publish", "external"] as const)(
    "a tool that may %s runs where the policy allows it",
    async (effect) => {
      const tool = fakeTool("t", { side_effects: [effect] })
      const { model } = linesModel([{ calls: [{ id: "c1", tool: "t" }] }])
      const { runtime } = await openRuntime(model, { agent: agentWith([tool]) })
      const { session_id } = await submit(runtime, "Go")
      await until(runtime, session_id, ends("turn.completed"))
      expect(tool.runs).toHaveLength(1)
    },
  )

  it("[RT-TOOL-3] a tool that is withheld from the turn is not run, though it exists", async () => {
    const [look, send] = [reader("look"), fakeTool("send")]
    const { model } = linesModel([{ calls: [{ id: "c1", tool: "send" }] }])
    const { runtime } = await openRuntime(model, { agent: agentWith([look, send], { only: ["look"] }) })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(of(seen, "tool.catalog.resolved")[0]?.payload.tools).toMatchObject([
      { name: "look", available: true },
      { name: "send", available: false },
    ])
    expect(of(seen, "tool.failed")[0]?.payload).toMatchObject({ category: "unknown_tool" })
    expect(send.runs).toEqual([])
  })

  it("[RT-TOOL-3] a tool that comes while the turn waits is not run in it, and is in the next turn", async () => {
    const [write, late] = [fakeTool("write"), reader("late")]
    const { model } = linesModel([
      { calls: [{ id: "c1", tool: "write" }] },
      { calls: [{ id: "c2", tool: "late" }] },
      { text: "Done." },
      { calls: [{ id: "c3", tool: "late" }] },
    ])
    const tools: Tool[] = [write]
    const { runtime } = await openRuntime(model, { agent: () => agentWith([...tools], asking)() })
    const { session_id } = await submit(runtime, "Go")
    const asked = await until(runtime, session_id, ends("action.required"))
    tools.push(late)
    const action_id = of(asked, "action.required")[0]?.action_id
    await done(runtime, "respond_action", { action_id, decision: "allow" })
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(of(seen, "tool.failed")[0]?.payload).toMatchObject({ category: "unknown_tool" })
    expect(late.runs).toEqual([])
    await submit(runtime, "Again", { session_id })
    await until(runtime, session_id, ends("turn.completed", 2))
    expect(late.runs).toHaveLength(1)
  })

  it("[RT-TOOL-2] arguments that break the schema fail the call without an effect", async () => {
    const strict = fakeTool("strict", { check: () => [{ path: "at", message: "must be text" }] })
    const { model, calls } = linesModel([{ calls: [{ id: "c1", tool: "strict", args: { at: 1 } }] }])
    const { runtime } = await openRuntime(model, { agent: agentWith([strict]) })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(of(seen, "tool.failed")[0]?.payload).toMatchObject({
      category: "invalid_args",
      message: "at: must be text",
    })
    expect(strict.runs).toEqual([])
    expect(calls[1]?.messages.at(-1)?.parts).toMatchObject([{ failed: true }])
  })

  it.each(["[]", "7", '"x"', "{", "null"])(
    "[RT-TOOL-2] arguments %s are no object and fail the call",
    async (args) => {
      const tool = fakeTool("t")
      const { model } = linesModel([{ calls: [{ id: "c1", tool: "t", args }] }])
      const { runtime } = await openRuntime(model, { agent: agentWith([tool]) })
      const { session_id } = await submit(runtime, "Go")
      const seen = await until(runtime, session_id, ends("turn.completed"))
      expect(of(seen, "tool.failed")[0]?.payload).toMatchObject({ category: "invalid_args" })
      expect(tool.runs).toEqual([])
    },
  )

  it("[RT-STAT-17] a failed tool does not fail the turn", async () => {
    const bad = fakeTool("bad", {
      does: () => ({ ok: false, category: "tool_error", message: "No such file" }),
    })
    const { model, calls } = linesModel([{ calls: [{ id: "c1", tool: "bad" }] }, { text: "Sorry." }])
    const { runtime } = await openRuntime(model, { agent: agentWith([bad]) })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(of(seen, "turn.failed")).toEqual([])
    expect(calls[1]?.messages.at(-1)?.parts).toEqual([
      { kind: "tool_result", call_id: "c1", tool: "bad", output: "tool_error: No such file", failed: true },
    ])
  })

  it("[RT-TOOL-1] a tool that throws ends as tool_error with what it said", async () => {
    const broken = fakeTool("broken", {
      does: () => {
        throw new Error("boom")
      },
    })
    const { model } = linesModel([{ calls: [{ id: "c1", tool: "broken" }] }])
    const { runtime } = await openRuntime(model, { agent: agentWith([broken]) })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(of(seen, "tool.failed")[0]?.payload).toMatchObject({
      category: "tool_error",
      message: "The tool broke: boom",
    })
  })

  it.each([
    ["[RT-TOOL-1] a tool that takes too long ends as time_limit", "repeatable", "time_limit"],
    ["[RT-TOOL-5] one whose effect may be there by then ends as outcome_unknown", "once", "outcome_unknown"],
  ] as const)("%s", async (_, effect, category) => {
    const slow = fakeTool("slow", {
      effect,
      time_limit_ms: 5,
      does: (_, { signal }) =>
        new Promise((resolve) => {
          const end = () => resolve({ ok: false, category: "interrupted", message: "stopped" })
          signal.addEventListener("abort", end)
        }),
    })
    const { model } = linesModel([{ calls: [{ id: "c1", tool: "slow" }] }])
    const { runtime } = await openRuntime(model, { agent: agentWith([slow]) })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    const message = "It took longer than 5 ms. stopped"
    expect(of(seen, "tool.failed")[0]?.payload).toMatchObject({ category, message })
  })

  it("[RT-OUT-1] a large output goes to the store, and the model gets its beginning and how to find the rest", async () => {
    const output = "line of text\n".repeat(20_000)
    const big = reader("big", { does: () => ({ ok: true, output }) })
    const { model, calls } = linesModel([{ calls: [{ id: "c1", tool: "big" }] }])
    const { runtime } = await openRuntime(model, { agent: agentWith([big]) })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    const [spilled] = of(seen, "output.spilled")
    expect(spilled?.payload).toMatchObject({ bytes: output.length, cause: "size" })
    const told = outputs(calls[1])
    expect(told[0]).toContain(`${output.length - 64 * 1024} more bytes: blob:sha256:`)
    expect(told[0]?.startsWith("line of text\n")).toBe(true)
  })

  it("binary output never enters a prompt", async () => {
    const bytes = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0, 1, 2])
    const image = reader("image", { does: () => ({ ok: true, output: bytes, media_type: "image/png" }) })
    const { model, calls } = linesModel([{ calls: [{ id: "c1", tool: "image" }] }])
    const { runtime } = await openRuntime(model, { agent: agentWith([image]) })
    const { session_id } = await submit(runtime, "Go")
    await until(runtime, session_id, ends("turn.completed"))
    expect(calls[1]?.messages.at(-1)?.parts).toMatchObject([{ output: "[image/png, 9 bytes]" }])
  })

  it("a model that never stops asking is stopped at the limit", async () => {
    const { model } = linesModel(
      Array.from({ length: 9 }, (_, index) => ({ calls: [{ id: `c${index}`, tool: "look" }] })),
    )
    const agent = agentWith([reader("look")], { most_requests: 3 })
    const { runtime } = await openRuntime(model, { agent })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("turn.failed"))
    expect(of(seen, "model.requested")).toHaveLength(3)
    expect(of(seen, "turn.failed")[0]?.payload).toMatchObject({ category: "step_limit" })
  })

  it("a turn that makes too many calls is stopped at the limit", async () => {
    const look = reader("look")
    const { model } = linesModel(
      Array.from({ length: 9 }, (_, index) => ({
        calls: [
          { id: `a${index}`, tool: "look" },
          { id: `b${index}`, tool: "look" },
        ],
      })),
    )
    const { runtime } = await openRuntime(model, { agent: agentWith([look], { most_calls: 4 }) })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("turn.failed"))
    expect(look.runs).toHaveLength(4)
    expect(of(seen, "turn.failed")[0]?.payload).toMatchObject({ category: "call_limit" })
  })

  it("the next turn is told what tools gave in the turn before", async () => {
    const look = reader("look", { does: () => ({ ok: true, output: "three files" }) })
    const { model, calls } = linesModel([{ calls: [{ id: "c1", tool: "look" }] }, { text: "Three." }])
    const { runtime } = await openRuntime(model, { agent: agentWith([look]) })
    const { session_id, thread_id } = await submit(runtime, "How many?")
    await until(runtime, session_id, ends("turn.completed"))
    await submit(runtime, "And now?", { session_id, thread_id })
    await until(runtime, session_id, ends("turn.completed", 2))
    expect(calls[2]?.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ])
    expect(JSON.stringify(calls[2]?.messages)).toContain("three files")
  })
})
