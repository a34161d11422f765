import { describe, expect, it } from "vitest"
import { ends, openRuntime, submit, until } from "../harness.ts"
import { agentWith, fakeTool, linesModel, of, outputs } from "./given.ts"

describe("an answer with very many calls", () => {
  it("[RT-TOOL-5] executes no call twice, and tells the model which it did not execute", async () => {
    const write = fakeTool("write")
    const calls = Array.from({ length: 300 }, (_, index) => ({
      id: `c${index}`,
      tool: "write",
      args: { index },
    }))
    const lines = linesModel([{ calls }, { text: "Done." }])
    const { runtime } = await openRuntime(lines.model, { agent: agentWith([write]) })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(write.runs).toEqual(Array.from({ length: 128 }, (_, index) => ({ index })))
    expect(of(seen, "tool.started")).toHaveLength(128)
    const told = outputs(lines.calls[1])
    expect(told.slice(0, 128)).toEqual(Array.from({ length: 128 }, () => "write done"))
    expect(new Set(told.slice(128))).toEqual(
      new Set(["Not executed: one answer may make 128 calls at most."]),
    )
  })
})
