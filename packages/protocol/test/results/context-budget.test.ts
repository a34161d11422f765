import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type ContextPart, contextForms, fitContext } from "../../src/context-budget.ts"
import { o200k } from "../../src/tokens/o200k.ts"
import { longText } from "./fixtures.ts"
import { anyText } from "./text.ts"

const part = (n: number, over: Partial<ContextPart> = {}): ContextPart => ({
  id: `p${n}`,
  priority: n,
  text: `TEXT ${n}\n${longText(40)}`,
  summary: `summary ${n}`,
  refs: [`artifact://r/p${n}`],
  ...over,
})
const formsOf = (parts: readonly ContextPart[], budget: number) =>
  fitContext(parts, budget, o200k).parts.map(({ form }) => form)

describe("one budget for a request", () => {
  it("[MP-RES-13] ten large results stay inside, the least important as summary and reference", () => {
    const parts = Array.from({ length: 10 }, (_, n) => part(n))
    const size = o200k.count(`${part(0).text}\n\n`)
    const fitted = fitContext(parts, size * 4, o200k)
    expect(fitted.tokens).toBe(o200k.count(fitted.text))
    expect(fitted.tokens).toBeLessThanOrEqual(size * 4)
    expect(fitted.parts.map(({ form }) => form)).toEqual([
      ...Array(7).fill("summary"),
      ...Array(3).fill("text"),
    ])
    expect(fitted.parts[0]).toEqual({
      id: "p0",
      form: "summary",
      text: "summary 0\nSee artifact://r/p0",
      tokens: o200k.count("summary 0\nSee artifact://r/p0\n\n"),
    })
    expect(fitted.text).toBe(fitted.parts.map(({ text }) => text).join("\n\n"))
  })

  it("[MP-RES-13] with room for all, all is told", () => {
    const parts = [part(1), part(2)]
    expect(fitContext(parts, 100_000, o200k)).toMatchObject({ text: `${part(1).text}\n\n${part(2).text}` })
    expect(formsOf(parts, 100_000)).toEqual(["text", "text"])
  })

  it("[MP-RES-13] with less room than for the summaries, references, then nothing", () => {
    const wordy = { summary: "a rather long summary of what there was to see ".repeat(3) }
    const parts = [part(1, wordy), part(2, wordy)]
    const line = o200k.count("See artifact://r/p1\n\n")
    expect(formsOf(parts, line * 2)).toEqual(["reference", "reference"])
    expect(formsOf(parts, line)).toEqual(["left_out", "reference"])
    expect(formsOf(parts, line - 1)).toEqual(["left_out", "left_out"])
    expect(fitContext(parts, 0, o200k)).toEqual({
      parts: [
        { id: "p1", form: "left_out", text: "", tokens: 0 },
        { id: "p2", form: "left_out", text: "", tokens: 0 },
      ],
      text: "",
      tokens: 0,
    })
  })

  it("[MP-RES-13] of equal parts the newer keeps its text, and the order stays", () => {
    const parts = [part(1, { priority: 5 }), part(2, { priority: 5 }), part(3, { priority: 0 })]
    const size = o200k.count(`${part(1).text}\n\n`)
    expect(formsOf(parts, size + 60)).toEqual(["summary", "text", "summary"])
  })

  it("[MP-RES-13] a text shorter than its reference is told as it is", () => {
    expect(formsOf([part(1, { text: "ok" }), part(2)], 30)).toEqual(["text", "summary"])
  })

  it("[MP-RES-13] a part with nothing to fall back to is told or left out", () => {
    const bare = part(1, { summary: "", refs: [] })
    expect(formsOf([bare], 100_000)).toEqual(["text"])
    expect(formsOf([bare], 20)).toEqual(["left_out"])
    expect(formsOf([part(1, { summary: "" })], 20)).toEqual(["reference"])
    expect(fitContext([part(1, { refs: [] })], 20, o200k).text).toBe("summary 1")
  })

  it("[MP-RES-13] whatever the parts, the whole is bounded and each part is told once", () => {
    const anyPart = fc.record({
      id: fc.string(),
      priority: fc.integer({ min: 0, max: 3 }),
      text: anyText,
      summary: fc.string({ unit: "grapheme", maxLength: 30 }),
      refs: fc.array(fc.constantFrom("artifact://r/a", "artifact:b"), { maxLength: 2 }),
    })
    fc.assert(
      fc.property(fc.array(anyPart, { maxLength: 8 }), fc.nat(300), (parts, budget) => {
        const fitted = fitContext(parts, budget, o200k)
        expect(o200k.count(fitted.text)).toBeLessThanOrEqual(budget)
        expect(fitted.parts.map(({ id }) => id)).toEqual(parts.map(({ id }) => id))
        for (const { form } of fitted.parts) expect(contextForms).toContain(form)
      }),
      { seed: 29, numRuns: 150 },
    )
  })

  it("[MP-RES-13] a tokenizer that counts more when joined is not trusted part by part", () => {
    const odd = { ...o200k, count: (text: string) => (text.includes("\n\nB") ? 100 : 1) }
    const parts = ["A", "B", "C"].map((text, n) => part(n, { text, summary: "", refs: [] }))
    expect(fitContext(parts, 10, odd).parts.map(({ form }) => form)).toEqual(["left_out", "text", "text"])
  })
})
