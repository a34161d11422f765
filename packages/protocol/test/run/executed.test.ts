import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createHarness, manualClock } from "../../src/harness/index.ts"
import { type AssistantMessage, MessageCollector, readOutput } from "../../src/index.ts"
import { act, action, fence, glob, graph, native, said, setup } from "../parse/given.ts"
import { anyOutput } from "../parse/outputs.ts"
import { executed, runsAsDeclared } from "./executed.ts"
import { gate } from "./gate.ts"

const work = graph([action("a", { executor: { type: "tool", target: "glob" } })])

describe("what reaches executors", () => {
  it.each([
    ["json agent-protocol", "agent.protocol", ["a"]],
    ["json agent-protocol", "agent.protocols", []],
    ["json", "agent.protocol", []],
    ["json", "agent.protocols", []],
  ])("[MP-CARRIER-3] of a block marked %j of type %j: %j", async (info, type, ids) => {
    expect(await executed(said(fence({ ...work, type }, info)), setup)).toEqual(ids)
  })

  const twice = (message: AssistantMessage): AssistantMessage => ({
    ...message,
    calls: message.calls.flatMap((call) => [call, { ...call, id: "b" }]),
  })
  it.each([
    ["two blocks", said(fence(work) + fence(work)), said(fence(work))],
    ["two native calls", twice(native(act(glob("a")))), native(act(glob("a")))],
  ])("[MP-CARRIER-5] of %s nothing, of one all", async (_, two, one) => {
    expect(await executed(two, setup)).toEqual([])
    expect(await executed(one, setup)).toEqual(["a"])
  })

  it.each([
    ["a block", { text: [fence(work).slice(0, 20), fence(work).slice(20), "and more "], args: [] }],
    ["a native call", { text: [], args: ['{"kind":"act",', JSON.stringify(act(glob("a"))).slice(14), " "] }],
  ])(
    "[MP-STREAM-1] nothing of %s while its stream stands still, all of it after the end",
    async (_, parts) => {
      const { work: glob, ids, started, finish } = gate()
      const harness = createHarness({ executors: { glob }, clock: manualClock(), authority: setup.authority })
      const paused = Promise.withResolvers<void>()
      const standing = Promise.withResolvers<void>()
      async function* stream() {
        for (const text of parts.text) yield { text }
        for (const args of parts.args) yield { args }
        standing.resolve()
        await paused.promise
      }
      const collector = new MessageCollector()
      const runs: Promise<unknown>[] = []
      const attempt = (): void => {
        const read = readOutput(collector.message(), setup)
        if (read.kind === "declaration") runs.push(harness.run(read.declaration))
      }
      const listening = (async () => {
        for await (const part of stream()) {
          if ("text" in part) collector.addText(part.text)
          else collector.addCall("c", "AgentProtocolOutput", part.args)
          attempt()
        }
        collector.end()
        attempt()
      })()
      await standing.promise
      // The whole declaration has arrived; as it would run if this were its end.
      expect(readOutput({ ...collector.message(), complete: true }, setup).kind).toBe("declaration")
      expect([runs.length, ids()]).toEqual([0, []])
      paused.resolve()
      await listening
      await started("a")
      finish("a")
      await Promise.all(runs)
      expect(ids()).toEqual(["a"])
    },
  )

  it("[MP-SAFE-1] of any output only actions of a declaration that was accepted, each at most as often as declared", async () => {
    let ran = 0
    await fc.assert(
      fc.asyncProperty(anyOutput, async (message) => {
        ran += await runsAsDeclared(message, setup)
      }),
      { seed: 31, numRuns: 2000 },
    )
    expect(ran).toBeGreaterThan(100)
  })
})
