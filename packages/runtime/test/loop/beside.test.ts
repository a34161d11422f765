import { describe, expect, it } from "vitest"
import { done, ends, openRuntime, submit, until } from "../harness.ts"
import { agentWith, asking, fakeTool, linesModel, of } from "./given.ts"

describe("an answer beside a call that goes on", () => {
  it("an approved call starts at once, not when the call beside it ends", async () => {
    let finish = () => {}
    const slow = fakeTool("slow", {
      side_effects: ["read"],
      does: () =>
        new Promise((resolve) => {
          finish = () => resolve({ ok: true, output: "at last" })
        }),
    })
    const write = fakeTool("write")
    const calls = [
      { id: "s", tool: "slow" },
      { id: "w", tool: "write" },
    ]
    const { model } = linesModel([{ calls }, { text: "Done." }])
    const { runtime } = await openRuntime(model, { agent: agentWith([slow, write], asking) })
    const { session_id } = await submit(runtime, "Go")
    const asked = await until(runtime, session_id, ends("action.required"))
    const action_id = of(asked, "action.required")[0]?.action_id
    await done(runtime, "respond_action", { action_id, decision: "allow" })
    const written = await until(runtime, session_id, ends("tool.result"))
    expect(of(written, "tool.result")[0]?.tool_call_id).toBe(of(asked, "action.required")[0]?.tool_call_id)
    finish()
    await until(runtime, session_id, ends("turn.completed"))
    expect(write.runs).toHaveLength(1)
  })
})
