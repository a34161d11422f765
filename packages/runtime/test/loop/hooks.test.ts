import { describe, expect, it } from "vitest"
import type { FunctionHook } from "../../src/index.ts"
import { done, ends, openRuntime, submit, types, until } from "../harness.ts"
import { agentWith, asking, fakeTool, linesModel, of } from "./given.ts"

const hook = (run: FunctionHook["run"], more: Partial<FunctionHook> = {}): FunctionHook => ({
  kind: "function",
  name: "guard",
  on: "before_tool",
  run,
  ...more,
})
const writes = { calls: [{ id: "c1", tool: "write", args: { path: "a" } }] }

async function play(hooks: FunctionHook[], more = {}) {
  const write = fakeTool("write")
  const { model } = linesModel([writes, { text: "Done." }])
  const { runtime } = await openRuntime(model, { agent: agentWith([write], { hooks, ...more }) })
  const { session_id } = await submit(runtime, "Write")
  return { runtime, session_id, write }
}

describe("hooks before a tool", () => {
  it("[RT-HOOK-1] a rewrite is used, and both inputs are on record", async () => {
    const { runtime, session_id, write } = await play([hook(async () => ({ rewrite: { path: "b" } }))])
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(write.runs).toEqual([{ path: "b" }])
    const given = of(seen, "tool.args").map(({ payload }) => payload.preview)
    expect(given).toEqual([
      { text: '{"path":"a"}', whole: true },
      { text: '{"path":"b"}', whole: true },
    ])
    expect(types(seen).indexOf("hook.completed")).toBeLessThan(types(seen).indexOf("permission.evaluated"))
  })

  it("[RT-PERM-7] what is executed after an approval is what the person was shown", async () => {
    const rewrite = [hook(async () => ({ rewrite: { path: "b" } }))]
    const { runtime, session_id, write } = await play(rewrite, asking)
    const seen = await until(runtime, session_id, ends("action.required"))
    const [action] = of(seen, "action.required")
    expect(JSON.stringify(action?.payload)).not.toContain('"path\\":\\"a')
    await done(runtime, "respond_action", { action_id: action?.action_id, decision: "allow" })
    await until(runtime, session_id, ends("turn.completed"))
    expect(write.runs).toEqual([{ path: "b" }])
  })

  it("[RT-PERM-2] an allow by a hook does not lift an ask rule", async () => {
    const rules = [{ effect: "ask", layer: "user", tool: "write" }] as const
    const policy = { version: "1", mode: "full", rules } as const
    const { runtime, session_id, write } = await play([hook(async () => ({ verdict: "allow" }))], { policy })
    await until(runtime, session_id, ends("action.required"))
    expect(write.runs).toEqual([])
  })

  it("a deny by a hook denies, with its name", async () => {
    const { runtime, session_id, write } = await play([hook(async () => ({ verdict: "deny" }))])
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(write.runs).toEqual([])
    expect(of(seen, "permission.evaluated")[0]?.payload).toMatchObject({
      verdict: "deny",
      winner: { source: "hook", rule: "guard" },
    })
  })

  it("[RT-HOOK-2] a hook that fails closed blocks the call as hook_blocked", async () => {
    const broken = hook(async () => {
      throw new Error("no")
    })
    const { runtime, session_id, write } = await play([broken])
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(of(seen, "tool.failed")[0]?.payload).toMatchObject({ category: "hook_blocked" })
    expect(write.runs).toEqual([])
  })

  it("[RT-HOOK-2] a hook that fails open lets the call go on, on record", async () => {
    const broken = hook(
      async () => {
        throw new Error("no")
      },
      { failure_policy: "open" },
    )
    const { runtime, session_id, write } = await play([broken])
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(of(seen, "hook.failed")).toHaveLength(1)
    expect(write.runs).toHaveLength(1)
  })
})
