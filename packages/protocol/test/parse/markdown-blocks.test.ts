import fc from "fast-check"
import MarkdownIt from "markdown-it"
import { expect, it } from "vitest"
import { parseBlocks } from "../../src/markdown-blocks.ts"

const whole = new MarkdownIt("commonmark").disable("reference")
const pieces = [
  ..."ab \t\n#`~->*+=_1.)<",
  "```",
  "~~~~",
  "\n\n",
  "    ",
  "# h",
  "> ",
  "- ",
  "1. ",
  "<div>",
  "<!--",
  "---",
  "===",
]

/** What the library finds when all of it is used. */
function expected(text: string) {
  const tokens = whole.parse(text, {})
  return tokens.flatMap(({ type, level, map, info, content }, index) => {
    const named = type === "inline" && tokens[index - 1]?.type === "heading_open"
    return type === "fence" || type === "heading_open" || named
      ? [{ type, level, map, info: info.trim(), content }]
      : []
  })
}

it("finds the same headings and fences as the whole library", () => {
  const text = fc
    .array(fc.constantFrom(...pieces), { maxLength: 60 })
    .map((found) => found.join(""))
    .filter((found) => found !== "")
  fc.assert(
    fc.property(text, (given) => {
      const found = parseBlocks(given).map(({ type, level, map, info, content }) => {
        return { type, level, map, info: info.trim(), content }
      })
      expect(found).toEqual(expected(given))
    }),
    { numRuns: 5000, seed: 14 },
  )
})
