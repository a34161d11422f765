import { expect, it } from "vitest"
import { o200k } from "../../src/tokens/o200k.ts"

it("o200k encodes an endless word exactly, in one pass", () => {
  const text = "a".repeat(300_000)
  expect(o200k.count(text)).toBe(300_000 / 8)
  expect(o200k.decode(o200k.encode(text))).toBe(text)
})
