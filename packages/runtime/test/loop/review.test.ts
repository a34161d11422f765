import { describe, expect, it, vi } from "vitest"
import { createRuntime, type FunctionHook, type Model, type World } from "../../src/index.ts"
import { done, ends, facts, openRuntime, submit, types, until } from "../harness.ts"
import { agentWith, fakeTool, linesModel, of, outputs, reader } from "./given.ts"

const declared = (payload: object, more: object = {}) => {
  const graph = { type: "agent.protocol", version: "1", intent: "execute", payload, ...more }
  return { text: ["```json agent-protocol", JSON.stringify(graph), "```"].join("\n") }
}
const graphOf = (actions: object[]) =>
  declared({ type: "action_graph", actions: actions.map((one) => ({ type: "action", ...one })) })
const tool = (target: string) => ({ type: "tool", target })

const untilAborted = (signal: AbortSignal, seen: () => void = () => {}) =>
  new Promise<{ ok: true; output: string }>((resolve) => {
    const stop = () => {
      seen()
      resolve({ ok: true, output: "stopped" })
    }
    if (signal.aborted) stop()
    else signal.addEventListener("abort", stop)
  })

describe("an agent that declares its work never waits for nobody", () => {
  it("[RT-STAT-5] an action of a human executor asks the person", async () => {
    const { model, calls } = linesModel([
      graphOf([{ id: "q", executor: { type: "human", target: "ask_user" }, input: { question: "Which?" } }]),
      { text: "Done." },
    ])
    const { runtime } = await openRuntime(model, { agent: agentWith([], { protocol: true }) })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("action.required"))
    const [action] = of(seen, "action.required")
    const payload = { answer: "the red one" }
    await done(runtime, "respond_action", { action_id: action?.action_id, decision: "answer", payload })
    await until(runtime, session_id, ends("turn.completed"))
    expect(JSON.stringify(calls[1]?.messages)).toContain("the red one")
  })

  it("[RT-STAT-17] what depends on an action that the model must decide about does not hold up the turn", async () => {
    const bad = reader("bad", { does: () => ({ ok: false, category: "tool_error", message: "no" }) })
    const { model, calls } = linesModel([
      graphOf([
        { id: "a", executor: tool("bad"), failure_policy: { on_failure: "ask_model" } },
        { id: "b", executor: tool("next"), depends_on: ["a"] },
      ]),
      { text: "It failed." },
    ])
    const { runtime } = await openRuntime(model, {
      agent: agentWith([bad, reader("next")], { protocol: true }),
    })
    const { session_id } = await submit(runtime, "Go")
    await until(runtime, session_id, ends("turn.completed"))
    expect(calls).toHaveLength(2)
  })

  it("a limit of time counts from the first call", async () => {
    const look = reader("look")
    const { model } = linesModel([
      declared(
        { type: "action_graph", actions: [{ type: "action", id: "a", executor: tool("look") }] },
        { budget_policy: { max_time_ms: 3_600_000 } },
      ),
      { text: "Done." },
    ])
    const { runtime } = await openRuntime(model, { agent: agentWith([look], { protocol: true }) })
    const { session_id } = await submit(runtime, "Go")
    await until(runtime, session_id, ends("turn.completed"))
    expect(look.runs).toHaveLength(1)
  })
})

describe("what a model says is never our own defect", () => {
  it("[RT-TOOL-4] two calls under one id are executed each with its own arguments", async () => {
    const send = fakeTool("send")
    let asked = 0
    const model: Model = {
      provider: "twin",
      name: "twin-1",
      async *stream() {
        if (asked++ === 0)
          for (const n of [1, 2])
            yield {
              kind: "tool_call",
              part_id: `p${n}`,
              call_id: "same",
              tool: "send",
              arguments: JSON.stringify({ n }),
            }
        else yield { kind: "text", part_id: "a", text: "Done." }
        yield { kind: "finish", finish: "stop", usage: { input_tokens: 1, output_tokens: 1 } }
      },
    }
    const { runtime } = await openRuntime(model, { agent: agentWith([send]) })
    const { session_id } = await submit(runtime, "Go")
    await until(runtime, session_id, ends("turn.completed"))
    expect(send.runs).toEqual([{ n: 1 }, { n: 2 }])
  })

  it("[RT-TOOL-4] an id that begins like another one keeps its own arguments", async () => {
    const send = fakeTool("send")
    const { model } = linesModel([
      {
        calls: [
          { id: "a", tool: "send", args: { n: 1 } },
          { id: "a.b", tool: "send", args: { n: 2 } },
        ],
      },
    ])
    const { runtime } = await openRuntime(model, { agent: agentWith([send]) })
    const { session_id } = await submit(runtime, "Go")
    await until(runtime, session_id, ends("turn.completed"))
    expect(send.runs).toEqual([{ n: 1 }, { n: 2 }])
  })

  it("[RT-TOOL-3] a call without a name fails as unknown_tool", async () => {
    const { model, calls } = linesModel([{ calls: [{ id: "c", tool: "" }] }])
    const { runtime } = await openRuntime(model, { agent: agentWith([reader("look")]) })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(of(seen, "tool.failed")[0]?.payload).toMatchObject({ category: "unknown_tool" })
    expect(calls).toHaveLength(2)
  })

  it("[RT-STAT-17] a tool that fails without a word does not fail the turn", async () => {
    const mute = reader("mute", { does: () => ({ ok: false, category: "tool_error", message: "" }) })
    const { model, calls } = linesModel([{ calls: [{ id: "c", tool: "mute" }] }])
    const { runtime } = await openRuntime(model, { agent: agentWith([mute]) })
    const { session_id } = await submit(runtime, "Go")
    await until(runtime, session_id, ends("turn.completed"))
    expect(outputs(calls[1])[0]).toContain("tool_error")
  })
})

describe("a stop before the decision", () => {
  it("[RT-HOOK-2] a call cut off in its hook is put to the hook again, never executed without it", async () => {
    const lines = [{ calls: [{ id: "c1", tool: "write" }] }]
    const slow: FunctionHook = {
      kind: "function",
      name: "guard",
      on: "before_tool",
      run: (_, signal) => untilAborted(signal).then(() => ({ verdict: "deny" as const })),
    }
    const write = fakeTool("write")
    const first = await openRuntime(linesModel(lines).model, { agent: agentWith([write], { hooks: [slow] }) })
    const { session_id } = await submit(first.runtime, "Go")
    await until(first.runtime, session_id, ends("hook.started"))
    await first.runtime.close()
    const guard: FunctionHook = { ...slow, run: async () => ({ verdict: "deny" }) }
    const agent = agentWith([write], { hooks: [guard] })
    const { runtime } = await openRuntime(linesModel([]).model, { agent, directory: first.directory })
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(write.runs).toEqual([])
    expect(of(seen, "permission.evaluated").at(-1)?.payload).toMatchObject({ verdict: "deny" })
    expect(of(seen, "tool.failed")[0]?.payload).toMatchObject({ category: "permission_denied" })
  })
})

describe("work beside a defect or a refused write", () => {
  it("[RT-STAT-13] a defect in one call stops the calls beside it", async () => {
    let stopped = false
    const slow = reader("slow", {
      does: (_, { signal }) =>
        untilAborted(signal, () => {
          stopped = true
        }),
    })
    const broken = reader("broken", {
      touches: async () => {
        await vi.waitUntil(() => slow.runs.length > 0)
        throw new Error("cannot look")
      },
    })
    const { model } = linesModel([
      {
        calls: [
          { id: "s", tool: "slow" },
          { id: "b", tool: "broken" },
        ],
      },
    ])
    const defects: unknown[] = []
    const { runtime } = await openRuntime(model, {
      agent: agentWith([slow, broken]),
      onDefect: (error) => defects.push(error),
    })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("turn.failed"))
    expect(of(seen, "turn.failed")[0]?.payload).toMatchObject({ category: "internal_error" })
    await expect.poll(() => stopped).toBe(true)
    expect(defects).toHaveLength(1)
  })

  it("[RT-REC-8] a call that cannot be written ends the turn once the store takes writes again", async () => {
    const write = fakeTool("write")
    const { model } = linesModel([{ calls: [{ id: "c1", tool: "write" }] }])
    const { store } = await openRuntime(model)
    let full = false
    let refusals = 0
    const append: typeof store.log.append = (batch) => {
      if (batch.facts.some(({ text }) => text.includes('"tool.started"'))) full = true
      if (!full) return store.log.append(batch)
      refusals++
      return Promise.resolve({ ok: false, code: "write_failed", reason: "full" })
    }
    const log = new Proxy(store.log, {
      get: (target, name) => {
        if (name === "append") return append
        const value = Reflect.get(target, name, target)
        return typeof value === "function" ? value.bind(target) : value
      },
    })
    const runtime = await createRuntime({ store: { ...store, log }, model, agent: agentWith([write]) })
    const { session_id } = await submit(runtime, "Go")
    await vi.waitUntil(() => refusals >= 1)
    full = false
    const seen = await until(runtime, session_id, ends("turn.failed"))
    expect(of(seen, "turn.failed")[0]?.payload).toMatchObject({ category: "write_failed" })
    expect(write.runs).toEqual([])
  })
})

describe("what ends with a turn", () => {
  const start = (world: World) =>
    fakeTool("start", {
      does: async (_, run) => {
        const { session_id, thread_id, turn_id, tool_call_id, cwd, roots, boundary, record } = run
        const owner = { session_id, thread_id, turn_id, tool_call_id }
        const command = ["/bin/sh", "-c", "sleep 600"]
        const begun = await world.processes.start({ command, cwd, roots, boundary, owner, record })
        return begun.ok
          ? { ok: true, output: begun.process_id }
          : { ok: false, category: "tool_error", message: begun.message }
      },
    })
  const open = { profile: "full", network: "all" } as const
  const rules = [{ effect: "ask", layer: "user", tool: "write" }] as const
  const policy = { version: "1", mode: "full", rules } as const
  const agent = (world: World) => agentWith([start(world), fakeTool("write")], { boundary: open, policy })()

  it("[RT-CMD-8] an interrupt while a person is waited for ends the processes of the turn", async () => {
    const { model } = linesModel([
      { calls: [{ id: "s", tool: "start" }] },
      { calls: [{ id: "w", tool: "write" }] },
    ])
    const { runtime } = await openRuntime(model, { agent })
    const { session_id } = await submit(runtime, "Go")
    await until(runtime, session_id, ends("action.required"))
    await done(runtime, "interrupt_turn", { session_id, reason: "enough" })
    const seen = await until(runtime, session_id, ends("process.terminated"))
    expect(types(seen)).toContain("turn.failed")
  })

  it("[RT-PROC-3] a turn that fails with its model ends its processes", async () => {
    let asked = 0
    const model: Model = {
      provider: "p",
      name: "p-1",
      async *stream() {
        if (asked++ > 0)
          return yield { kind: "error", category: "provider_error", reason: "gone", retryable: false }
        yield { kind: "tool_call", part_id: "c", call_id: "c", tool: "start", arguments: "{}" }
        yield { kind: "finish", finish: "tool_calls", usage: { input_tokens: 1, output_tokens: 1 } }
      },
    }
    const { runtime } = await openRuntime(model, { agent })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("process.terminated"))
    expect(types(seen)).toContain("turn.failed")
  })
})

describe("questions", () => {
  it("[RT-ACT-4] when all that was asked expires at once, the run no longer waits", async () => {
    const question = fakeTool("question", {
      asks: () => ({
        action_type: "clarification",
        title: "Which?",
        decisions: [{ id: "answer", label: "Answer" }],
        deadline: new Date(0).toISOString(),
      }),
      side_effects: ["read"],
    })
    const { model } = linesModel([
      {
        calls: [
          { id: "a", tool: "question" },
          { id: "b", tool: "question" },
        ],
      },
    ])
    const { runtime } = await openRuntime(model, { agent: agentWith([question]) })
    const { session_id } = await submit(runtime, "Go")
    await until(runtime, session_id, ends("turn.completed"))
    const seen = facts(runtime, session_id)
    const last = seen.findLastIndex(({ type }) => type === "action.resolved")
    const next = seen.slice(last).find(({ type }) => type === "run.status" || type === "tool.failed")
    expect(next).toMatchObject({ type: "run.status", payload: { phase: "running" } })
  })
})
