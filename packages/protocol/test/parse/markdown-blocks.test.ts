import { type Node, Parser } from "commonmark"
import fc from "fast-check"
import { expect, it } from "vitest"
import { parseBlocks } from "../../src/markdown-blocks.ts"

const pieces = [
  ..."ab \t\n\n\n#`~->*+=_1.)<",
  "```",
  "~~~~",
  "\n\n",
  "    ",
  "# h",
  "> ",
  "- ",
  "1. ",
  "2) ",
  "<div>",
  "<!--",
  "-->",
  "<b>",
  "---",
  "===",
]

/** What the reference implementation of CommonMark finds: where, how deep, and for a fence what it holds. */
function expected(text: string) {
  const found: unknown[] = []
  const walker = new Parser().parse(text).walker()
  for (let event = walker.next(); event !== null; event = walker.next()) {
    const { node, entering } = event
    if (!entering || (node.type !== "heading" && !isFence(node))) continue
    const place = { from: node.sourcepos[0][0] - 1, depth: depthOf(node) }
    if (node.type === "heading") found.push({ ...place, level: node.level, to: node.sourcepos[1][0] })
    else found.push({ ...place, info: node.info, text: node.literal })
  }
  return found
}

/** The reference tells indented code from a fence by this field alone. */
const isFence = (node: Node): boolean =>
  node.type === "code_block" && "_isFenced" in node && node._isFenced === true

function depthOf(node: Node): number {
  let depth = 0
  for (let up = node.parent; up !== null; up = up.parent)
    if (up.type === "block_quote" || up.type === "item") depth++
  return depth
}

const found = (text: string) =>
  parseBlocks(text.split("\n")).map((block) => {
    const { from, to, depth } = block
    return block.kind === "heading"
      ? { from, depth, level: block.level, to }
      : { from, depth, info: block.info, text: block.text }
  })

it("finds the same headings and fences as the reference implementation", () => {
  const text = fc
    .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 60 })
    .map((parts) => parts.join(""))
  fc.assert(
    fc.property(text, (given) => {
      expect(found(given)).toEqual(expected(given))
    }),
    { numRuns: 20_000, seed: 14 },
  )
})
