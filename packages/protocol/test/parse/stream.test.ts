import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { MessageCollector } from "../../src/collect.ts"
import { carrierName } from "../../src/message.ts"
import { readOutput } from "../../src/parse.ts"
import { act, action, fence, fenced, glob, graph, native, said, setup } from "./given.ts"

const block = fenced(
  graph([action("a", { title: "Größe 😀", prompt_ref: "md:p" })]),
  "\n## p\n\nMach es 中文.\n",
)
const args = JSON.stringify({ ...act(glob("a", { title: "é😀" })), message: "中" })

describe("streaming", () => {
  it("[MP-STREAM-1] nothing is read before the message is complete", () => {
    const collector = new MessageCollector()
    collector.addText(block.text)
    collector.addCall("c", carrierName, args)
    expect(readOutput(collector.message(), setup)).toEqual({ kind: "waiting" })
    collector.end()
    expect(readOutput(collector.message(), setup).kind).toBe("declaration")
  })

  it("[MP-STREAM-1] an incomplete message of any kind waits", () => {
    for (const message of [block, native(act(glob("a"))), said("text"), said(fence("{"))]) {
      expect(readOutput({ ...message, complete: false }, setup)).toEqual({ kind: "waiting" })
    }
  })

  it("[MP-STREAM-2] a block that is cut anywhere never runs", () => {
    const text = fence(graph([action("a")]))
    for (let at = 0; at < text.length - 1; at++) {
      expect([at, readOutput(said(text.slice(0, at)), setup).kind]).not.toEqual([at, "declaration"])
    }
    expect(readOutput(said(text.slice(0, -1)), setup).kind).toBe("declaration")
  })

  it("[MP-STREAM-2] native arguments that are cut anywhere never run", () => {
    for (let at = 0; at < args.length; at++) {
      const read = readOutput(native(args.slice(0, at)), setup)
      expect([at, read.kind === "refused" && read.issues.map(({ code }) => code)]).toEqual([at, ["not_json"]])
    }
    expect(readOutput(native(args), setup).kind).toBe("declaration")
  })

  it("[MP-STREAM-2] an open block is told to be incomplete", () => {
    const read = readOutput(said("```json agent-protocol\n{}\n"), setup)
    expect(read.kind === "refused" && read.issues).toEqual([
      {
        code: "incomplete",
        path: "",
        message: "The agent-protocol block is not closed.",
        fix: "Close the fence with a line of its own, at least as long as the opening one.",
      },
    ])
  })

  it("[MP-STREAM-3] any cutting of a message gives the same declaration, inside of characters too", () => {
    const cuts = fc.array(fc.nat(), { maxLength: 12 })
    const whole = readOutput(block, setup)
    const called = readOutput(native(args), setup)
    fc.assert(
      fc.property(cuts, fc.boolean(), (places, bytes) => {
        const collector = new MessageCollector()
        for (const part of pieces(block.text, places, bytes)) collector.addText(part)
        collector.end()
        expect(readOutput(collector.message(), setup)).toEqual(whole)
        const calls = new MessageCollector()
        for (const part of pieces(args, places, bytes)) calls.addCall("call_a", carrierName, part)
        calls.end()
        expect(readOutput(calls.message(), setup)).toEqual(called)
      }),
      { seed: 21, numRuns: 150 },
    )
  })

  it("[MP-STREAM-3] bytes and text give the same, with a mark of byte order at the beginning too", () => {
    const [text, bytes] = [new MessageCollector(), new MessageCollector()]
    text.addText("\ufeffa")
    bytes.addText(new TextEncoder().encode("\ufeffa"))
    expect(bytes.message()).toEqual(text.message())
  })

  it("[MP-STREAM-2] half a character at the end is not dropped silently", () => {
    const collector = new MessageCollector()
    const [first = 0] = new TextEncoder().encode("é")
    collector.addText(Uint8Array.of(97, first))
    collector.addCall("c", "glob", Uint8Array.of(first))
    expect(collector.message()).toMatchObject({ text: "a", calls: [{ arguments: "" }] })
    collector.end()
    expect(collector.message()).toMatchObject({ text: "a\ufffd", calls: [{ arguments: "\ufffd" }] })
  })

  it("[MP-STREAM-3] calls are kept apart and in order", () => {
    const collector = new MessageCollector()
    collector.addCall("a", "glob")
    collector.addCall("b", "read", '{"x"')
    collector.addCall("a", "glob", "{}")
    collector.addCall("b", "read", ":1}")
    expect(collector.message()).toEqual({
      text: "",
      calls: [
        { id: "a", name: "glob", arguments: "{}" },
        { id: "b", name: "read", arguments: '{"x":1}' },
      ],
      complete: false,
    })
  })
})

function pieces(text: string, places: readonly number[], bytes: boolean): (string | Uint8Array)[] {
  const all = bytes ? new TextEncoder().encode(text) : text
  const at = [...new Set([0, ...places.map((place) => place % all.length), all.length])].sort((a, b) => a - b)
  return at.slice(1).map((end, index) => all.slice(at[index], end))
}
