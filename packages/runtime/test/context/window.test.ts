import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type Passage, passageText, piecesOf, rangeOf } from "../../src/context/passages.ts"
import { clipped, roomOf, tokensOf } from "../../src/context/window.ts"

describe("room in a window", () => {
  test("what is not said follows from the window", () => {
    expect(roomOf({}, 8_000)).toEqual({
      window: 8_000,
      limit: 6_000,
      keep: 2_000,
      summary: 1_000,
      carried: 1_000,
      piece: 3_750,
    })
  })
  test("large windows keep no more free than an answer needs, and small ones still take a summary", () => {
    expect(roomOf({}, 200_000)).toMatchObject({ limit: 180_000, summary: 2_000, piece: 145_500 })
    expect(roomOf({}, 100)).toMatchObject({ limit: 75, summary: 64, piece: 128 })
  })
  test("what is said counts, also against the model's own", () => {
    const said = { tokens: 1_000, reserve_tokens: 400, keep_tokens: 900 }
    expect(roomOf(said, 8_000)).toMatchObject({ window: 1_000, limit: 600, keep: 600 })
    expect(roomOf({ reserve_tokens: 9_999 }, 100).limit).toBe(1)
  })
  test("a window that nobody knows is taken for a common one", () => {
    expect(roomOf({}, undefined).window).toBe(16_384)
  })
  test("bytes are not counted as text", () => {
    expect(tokensOf({ bytes: new Uint8Array(1_000_000) })).toBeLessThan(1_200)
    expect(tokensOf("abcdefg")).toBe(2)
    expect(tokensOf("语")).toBe(1)
    expect(tokensOf(undefined)).toBe(0)
  })
  test("a clipped text is never longer than it may be, keeps its ends, and has no half characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), fc.nat(120), (text, tokens) => {
        const cut = clipped(text, tokens)
        expect(tokensOf(cut)).toBeLessThanOrEqual(Math.max(tokens, 0))
        expect(cut).toBe(cut.toWellFormed())
        if (tokensOf(text) <= tokens) expect(cut).toBe(text)
      }),
    )
    expect(clipped("a".repeat(100), 20)).toMatch(/^a+ \[…\d+ characters…\] a+$/)
    expect(clipped("a".repeat(100), 1)).toBe("")
  })
})

const passage = (opened: number, words: number): Passage => ({
  opened,
  messages: [{ role: "user", parts: "x".repeat(words * 7) }],
})

describe("what is summed up", () => {
  const passages = [passage(5, 50), passage(9, 50), passage(14, 50)]
  test("all but the newest that fit; the range ends before the first that stays", () => {
    const range = rangeOf(passages, { after: 2, end: 20, keep: 260 })
    expect(range).toEqual({ from: 3, to: 8, passages: passages.slice(0, 1) })
  })
  test("where none fits, all of it", () => {
    expect(rangeOf(passages, { after: 0, end: 20, keep: 0 })).toEqual({ from: 1, to: 20, passages })
  })
  test("nothing when all fits, or nothing is there", () => {
    expect(rangeOf(passages, { after: 0, end: 20, keep: 9_999 })).toBeUndefined()
    expect(rangeOf([], { after: 0, end: 20, keep: 0 })).toBeUndefined()
  })
  test("what was summed up before, or is still open, is left out", () => {
    expect(rangeOf(passages, { after: 5, end: 13, keep: 0 })).toEqual({
      from: 6,
      to: 13,
      passages: passages.slice(1, 2),
    })
  })
  test("ranges follow each other without a gap, and keep to the budget", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(60), { minLength: 1, maxLength: 12 }), fc.nat(500), (sizes, keep) => {
        const all = sizes.map((size, at) => passage(at * 3 + 2, size))
        const end = all.length * 3 + 2
        const range = rangeOf(all, { after: 0, end, keep })
        const kept = all.slice(range?.passages.length ?? 0)
        const tokens = kept.reduce((sum, { messages }) => sum + tokensOf(messages), 0)
        expect(tokens).toBeLessThanOrEqual(keep)
        const next = range?.passages.at(-1)
        if (range === undefined || next === undefined) return
        expect(range.to).toBeGreaterThanOrEqual(next.opened)
        expect(tokens + tokensOf(next.messages)).toBeGreaterThan(keep)
        expect(range.to).toBe(kept[0] === undefined ? end : kept[0].opened - 1)
      }),
    )
  })
})

describe("what is read by who sums up", () => {
  test("each piece fits, however much there is", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(4_000), { maxLength: 40 }),
        fc.integer({ min: 128, max: 2_000 }),
        (sizes, tokens) => {
          const pieces = piecesOf(
            sizes.map((size, at) => passage(at, size)),
            tokens,
          )
          expect(pieces.length).toBeLessThanOrEqual(12)
          for (const piece of pieces) expect(tokensOf(piece)).toBeLessThanOrEqual(tokens)
        },
      ),
      { numRuns: 40 },
    )
  })
  test("passages stand together in their order while there is room", () => {
    const said = (text: string): Passage => ({ opened: 1, messages: [{ role: "user", parts: text }] })
    expect(piecesOf([said("one"), said("two")], 200)).toEqual(["Person: one\n\nPerson: two"])
    expect(piecesOf([said("a ".repeat(200)), said("b ".repeat(200))], 128)).toHaveLength(2)
  })
  test("every kind of part has words", () => {
    const ref = { uri: "blob:x", kind: "blob" as const }
    const text = passageText(
      [
        {
          role: "user",
          parts: [
            { kind: "text", text: "Look" },
            { kind: "image", ref },
          ],
        },
        {
          role: "user",
          parts: [{ kind: "file", media_type: "image/png", bytes: new Uint8Array(3), name: "p" }],
        },
        { role: "assistant", parts: [{ kind: "tool_call", call_id: "c", tool: "look", arguments: "{}" }] },
        {
          role: "tool",
          parts: [
            { kind: "tool_result", call_id: "c", tool: "look", output: "seen" },
            { kind: "tool_result", call_id: "d", tool: "send", output: "no", failed: true },
          ],
        },
        { role: "assistant", parts: "" },
      ],
      100,
    )
    expect(text.split("\n")).toEqual([
      "Person: Look",
      "Person: [image: blob:x]",
      "Person: [image/png p]",
      "Agent: calls look {}",
      "Result: look: seen",
      "Result: send failed: no",
    ])
  })
})
