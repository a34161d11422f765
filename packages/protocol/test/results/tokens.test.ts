import fc from "fast-check"
import { encode } from "gpt-tokenizer/encoding/o200k_base"
import { describe, expect, it } from "vitest"
import { mergePiece } from "../../src/tokens/merge.ts"
import { o200k } from "../../src/tokens/o200k.ts"
import { anyText } from "./text.ts"

const plain = { disallowedSpecial: new Set<string>() }

describe("o200k", () => {
  it.each([
    ["hello world", [24912, 2375]],
    ["", []],
    ["你好，世界", [177519, 979, 28428]],
  ])("encodes %j as the provider does", (text, tokens) => {
    expect(o200k.encode(text)).toEqual(tokens)
    expect(o200k.count(text)).toBe(tokens.length)
  })

  it.each(["<|endoftext|>", "<|im_start|>", "<|endofprompt|>", "<|fim_prefix|>"])(
    "takes %s in a text for plain text",
    (word) => {
      const text = `a ${word} b`
      expect(o200k.count(text)).toBeGreaterThan(5)
      expect(o200k.decode(o200k.encode(text))).toBe(text)
      expect(Math.max(...o200k.encode(text))).toBeLessThan(199_999)
    },
  )

  it("gives back any text that is well formed", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(o200k.decode(o200k.encode(text))).toBe(text)
      }),
      { seed: 5, numRuns: 300 },
    )
  })

  it("keeps a byte order mark, and one decoding has no effect on the next", () => {
    expect(o200k.decode(o200k.encode("\uFEFFa"))).toBe("\uFEFFa")
    const torn = o200k.encode("🧑🏽‍🚀").slice(0, 1)
    expect(o200k.decode(torn)).toBe("\uFFFD")
    expect(o200k.decode(o200k.encode("plain"))).toBe("plain")
  })

  it("merges a piece exactly as the library does", () => {
    const letters = fc.string({
      unit: fc.constantFrom("a", "b", "t", "h", "e", "é", "名", "я", "i", "n", "g"),
      minLength: 1,
      maxLength: 120,
    })
    fc.assert(
      fc.property(letters, (piece) => {
        expect(mergePiece(piece)).toEqual(encode(piece, plain))
      }),
      { seed: 7, numRuns: 300 },
    )
  })

  it.each([
    ["letters", "abcdefg".repeat(100)],
    ["blanks", `x${" ".repeat(700)}y`],
    ["signs", "#".repeat(650)],
    ["mixed", `first words ${"名前".repeat(300)} and then ${"=".repeat(500)}\n\nlast words`],
    ["blanks before a long word", `a   ${"b".repeat(450)}   ${"c".repeat(450)}  `],
  ])("a text with a very long piece (%s) has the same tokens as in the library", (_, text) => {
    expect(o200k.encode(text)).toEqual(encode(text, plain))
  })

  it("a lone surrogate does not throw", () => {
    expect(o200k.decode(o200k.encode("a\ud800b"))).toBe("a\uFFFDb")
  })
})
