import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { boundary, characters, cutText } from "../../src/cut.ts"
import { o200k } from "../../src/tokens/o200k.ts"
import { anyText } from "./text.ts"

const mark = (left: { tokens: number; characters: number }) => `\n[${left.tokens}/${left.characters}]`

describe("cutText", () => {
  it("leaves a text alone that just fits, and cuts it with one token less", () => {
    const text = "one two three four five six seven eight nine ten"
    const size = o200k.count(text)
    expect(size).toBe(10)
    expect(cutText(text, size, o200k, () => "")).toEqual({ text })
    expect(cutText(text, size - 1, o200k, () => "")).toEqual({
      text: "one two three four five six seven eight nine",
      omitted: { tokens: 1, characters: 4 },
    })
  })

  it("counts the mark", () => {
    const cut = cutText("word ".repeat(100), 20, o200k, mark)
    expect(cut.text).toBe(`word${" word".repeat(13)}\n[87/431]`)
    expect(o200k.count(cut.text)).toBe(20)
    expect(cut.omitted).toEqual({ tokens: 87, characters: 431 })
  })

  it("has no text where not even the mark fits", () => {
    expect(cutText("word ".repeat(100), 2, o200k, mark)).toEqual({
      text: "",
      omitted: { tokens: 101, characters: 500 },
    })
  })

  it("[MP-RES-11] whatever the text and the limit: bounded, whole characters, and the amounts add up", () => {
    fc.assert(
      fc.property(anyText, fc.nat(80), (text, max) => {
        const cut = cutText(text, max, o200k, () => "")
        expect(o200k.count(cut.text)).toBeLessThanOrEqual(max)
        expect(text.startsWith(cut.text)).toBe(true)
        expect(cut.text.isWellFormed()).toBe(true)
        expect(cut.omitted?.characters ?? 0).toBe([...text].length - [...cut.text].length)
        expect(cut.omitted?.tokens ?? 0).toBe(o200k.count(text) - o200k.count(cut.text))
        expect(cut.omitted === undefined).toBe(cut.text === text)
      }),
      { seed: 13, numRuns: 400 },
    )
  })

  it("gives up more, in growing steps, while a beginning costs more than its tokens", () => {
    const whole = "abcdefghij".repeat(4)
    const dear = {
      count: (text: string) => (text === "" || text === whole ? text.length : text.length + 7),
      encode: (text: string) => Array.from(text, (one) => one.charCodeAt(0)),
      decode: (tokens: readonly number[]) => String.fromCharCode(...tokens),
    }
    expect(cutText(whole, 20, dear, () => "")).toEqual({
      text: whole.slice(0, 13),
      omitted: { tokens: 20, characters: 27 },
    })
    expect(cutText(whole, 5, dear, () => "")).toEqual({ text: "", omitted: { tokens: 40, characters: 40 } })
  })

  it("does not take replacement marks of the text itself for torn characters", () => {
    const text = "a\uFFFDb ".repeat(30)
    const cut = cutText(text, 20, o200k, () => "")
    expect(text.startsWith(cut.text)).toBe(true)
    expect(o200k.count(cut.text)).toBeGreaterThan(17)
  })

  it("goes as far as it can: the next word would be too much", () => {
    const text = Array.from({ length: 200 }, (_, n) => `word${n}`).join(" ")
    for (const max of [5, 17, 64, 133]) {
      const cut = cutText(text, max, o200k, () => "")
      expect(o200k.count(cut.text)).toBe(max)
    }
  })
})

describe("characters and their boundaries", () => {
  it.each([
    ["ascii", "abc", 3],
    ["surrogate pairs", "𝔘🙂", 2],
    ["lone surrogates", "\ud800a\udc00", 3],
    ["nothing", "", 0],
  ])("counts %s", (_, text, count) => {
    expect(characters(text)).toBe(count)
  })

  it.each([
    ["between letters", "abc", 2, 2],
    ["inside a pair", "a🙂b", 2, 1],
    ["before an accent", "ae\u0301b", 2, 1],
    ["inside a joined symbol", "x👨\u200d👩y", 4, 1],
    ["after its joiner", "x👨\u200d👩y", 3, 1],
    ["before a lone second half", "a\udc00b", 1, 1],
    ["after a lone first half", "\ud800ab", 1, 1],
    ["before a skin tone", "👍🏽", 2, 0],
    ["at the end", "ab", 2, 2],
    ["after the end", "ab", 9, 2],
    ["at the beginning", "ab", 0, 0],
  ])("finds the place %s", (_, text, at, place) => {
    expect(boundary(text, at)).toBe(place)
  })

  it("tears an endless pile of accents, but no pair", () => {
    const pile = `a${"\u0301".repeat(100)}`
    expect(boundary(pile, 60)).toBe(60)
    const joined = "🙂\u200d".repeat(40)
    expect(boundary(joined, 61)).toBe(60)
  })
})
