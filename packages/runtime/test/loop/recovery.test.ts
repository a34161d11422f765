import { describe, expect, it } from "vitest"
import { done, ends, facts, openRuntime, submit, types, until } from "../harness.ts"
import { agentWith, fakeTool, linesModel, of, reader } from "./given.ts"

/** Ends only when it is told to; closing the runtime leaves its call open, as a kill would. */
const endless: Parameters<typeof fakeTool>[1] = {
  does: (_, { signal }) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve({ ok: true, output: "never told" }))
    }),
}

async function cutOff(tool: ReturnType<typeof fakeTool>) {
  const { model } = linesModel([{ calls: [{ id: "c1", tool: tool.name }] }])
  const first = await openRuntime(model, { agent: agentWith([tool]) })
  const { session_id } = await submit(first.runtime, "Go")
  await until(first.runtime, session_id, ends("tool.progress"))
  await first.runtime.close()
  return { directory: first.directory, session_id }
}

describe("after a stop in the middle of a call", () => {
  it("[RT-TOOL-5] a call that may have had its effect ends as outcome_unknown and is not repeated", async () => {
    const { directory, session_id } = await cutOff(fakeTool("send", endless))
    const send = fakeTool("send")
    const { model, calls } = linesModel([])
    const { runtime } = await openRuntime(model, { agent: agentWith([send]), directory })
    const seen = await until(runtime, session_id, ends("turn.failed"))
    expect(of(seen, "tool.failed")[0]?.payload).toMatchObject({ category: "outcome_unknown" })
    expect(of(seen, "turn.failed")[0]?.payload).toMatchObject({ category: "runtime_restart" })
    expect(send.runs).toEqual([])
    expect(calls).toEqual([])
  })

  it("[RT-REC-4] the model is told of the lost outcome in the next turn", async () => {
    const { directory, session_id } = await cutOff(fakeTool("send", endless))
    const { model, calls } = linesModel([{ text: "I see." }])
    const { runtime } = await openRuntime(model, { agent: agentWith([fakeTool("send")]), directory })
    await until(runtime, session_id, ends("turn.failed"))
    await submit(runtime, "And?", { session_id })
    await until(runtime, session_id, ends("turn.completed"))
    const told = JSON.stringify(calls[0]?.messages)
    expect(told).toContain("outcome_unknown")
    expect(told).toContain("runtime_restart")
  })

  it("[RT-REC-4] an agent that declares its work is told of the lost outcome and of the cut turn", async () => {
    const declared = { id: "p", tool: "AgentProtocolOutput" }
    const args = { kind: "act", calls: [{ id: "a", type: "tool", name: "send" }] }
    const first = await openRuntime(linesModel([{ calls: [{ ...declared, args }] }]).model, {
      agent: agentWith([fakeTool("send", endless)], { protocol: true }),
    })
    const { session_id } = await submit(first.runtime, "Go")
    await until(first.runtime, session_id, ends("tool.progress"))
    await first.runtime.close()
    const { model, calls } = linesModel([{ text: "I see." }])
    const agent = agentWith([fakeTool("send")], { protocol: true })
    const { runtime } = await openRuntime(model, { agent, directory: first.directory })
    await until(runtime, session_id, ends("turn.failed"))
    await submit(runtime, "And?", { session_id })
    await until(runtime, session_id, ends("turn.completed"))
    const told = String(calls[0]?.messages[0]?.parts)
    expect(told).toContain("outcome_unknown")
    expect(told).toContain("ended early: runtime_restart")
  })

  it.each(["none", "repeatable", "keyed"] as const)(
    "[RT-REC-4] a call whose effect is %s is a new attempt under the same key, and the turn goes on",
    async (effect) => {
      const { directory, session_id } = await cutOff(fakeTool("look", { effect, ...endless }))
      const keys: string[] = []
      const look = fakeTool("look", {
        effect,
        does: (_, { key, attempt }) => {
          keys.push(`${key} ${attempt}`)
          return { ok: true, output: "seen" }
        },
      })
      const { model } = linesModel([{ text: "Done." }])
      const { runtime } = await openRuntime(model, { agent: agentWith([look]), directory })
      const seen = await until(runtime, session_id, ends("turn.completed"))
      const [started] = of(seen, "tool.started")
      expect(keys).toEqual([`${started?.tool_call_id} 2`])
      expect(of(seen, "tool.progress").map(({ payload }) => payload.attempt)).toEqual([1, 2])
      expect(of(seen, "tool.started")).toHaveLength(1)
    },
  )

  it("[RT-REC-4] waiting work stays waiting while a lost call beside it is settled", async () => {
    const send = fakeTool("send", { side_effects: ["read"], ...endless })
    const write = fakeTool("write")
    const lines = [
      {
        calls: [
          { id: "s", tool: "send" },
          { id: "w", tool: "write" },
        ],
      },
      { text: "Done." },
    ]
    const policy = { version: "1", mode: "ask" as const, rules: [] }
    const first = await openRuntime(linesModel(lines).model, { agent: agentWith([send, write], { policy }) })
    const { session_id } = await submit(first.runtime, "Go")
    const before = await until(
      first.runtime,
      session_id,
      (seen) => ends("action.required")(seen) && ends("tool.progress")(seen),
    )
    await first.runtime.close()
    const { model } = linesModel([{ text: "Done." }])
    const agent = agentWith([fakeTool("send", { side_effects: ["read"] }), write], { policy })
    const { runtime } = await openRuntime(model, { agent, directory: first.directory })
    const after = await until(runtime, session_id, ends("tool.failed"))
    expect(of(after, "tool.failed")[0]?.payload).toMatchObject({ category: "outcome_unknown" })
    expect(of(facts(runtime, session_id), "turn.failed")).toEqual([])
    const action_id = of(before, "action.required")[0]?.action_id
    await done(runtime, "respond_action", { action_id, decision: "allow" })
    await until(runtime, session_id, ends("turn.completed"))
    expect(write.runs).toHaveLength(1)
  })

  it("[RT-REC-6] recovery that is run again adds nothing", async () => {
    const { directory, session_id } = await cutOff(fakeTool("send", endless))
    const second = await openRuntime(linesModel([]).model, { agent: agentWith([]), directory })
    await until(second.runtime, session_id, ends("thread.updated", 2))
    const before = types(facts(second.runtime, session_id))
    await second.runtime.close()
    const third = await openRuntime(linesModel([]).model, { agent: agentWith([reader("look")]), directory })
    expect(types(facts(third.runtime, session_id))).toEqual(before)
  })
})

describe("interrupt", () => {
  it("[RT-CMD-8] in a tool: the call ends as interrupted, the tool is told to stop, the turn is cancelled", async () => {
    let stopped = false
    const slow = fakeTool("slow", {
      does: (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            stopped = true
            resolve({ ok: true, output: "too late" })
          })
        }),
    })
    const { model } = linesModel([{ calls: [{ id: "c1", tool: "slow" }] }])
    const { runtime } = await openRuntime(model, { agent: agentWith([slow]) })
    const { session_id } = await submit(runtime, "Go")
    await until(runtime, session_id, ends("tool.progress"))
    await done(runtime, "interrupt_turn", { session_id, reason: "enough" })
    const seen = await until(runtime, session_id, ends("turn.failed"))
    expect(of(seen, "tool.failed")[0]?.payload).toMatchObject({ category: "interrupted", message: "enough" })
    expect(of(seen, "turn.failed")[0]?.payload).toMatchObject({ status: "cancelled" })
    await expect.poll(() => stopped).toBe(true)
    expect(of(facts(runtime, session_id), "tool.result")).toEqual([])
  })
})
