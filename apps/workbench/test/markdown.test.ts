import fc from "fast-check"
import { expect, test } from "vitest"
import { type Block, blocksOf, definitionsFor, toHtml } from "../src/ui/markdown.ts"

const sample = [
  "# Title",
  "Some *text* with `code`.",
  "- one\n- two\n\n- three",
  "```ts\nconst a = 1\n\nconst b = 2\n```",
  "> quoted",
  "| a | b |\n|---|---|\n| 1 | 2 |",
  "Last words.",
].join("\n\n")

test("the raw texts of the blocks together are the text", () => {
  expect(
    blocksOf(sample)
      .map(({ raw }) => raw)
      .join(""),
  ).toBe(sample)
})

test("a code block tells its language and its text", () => {
  expect(blocksOf("```ts\nlet a\n```")).toEqual([
    { raw: "```ts\nlet a\n```", kind: "code", language: "ts", text: "let a" },
  ])
})

test("streamed in any pieces it ends as the same blocks, and settled ones keep their reference", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 60 }), (sizes) => {
      let shown = ""
      let blocks: readonly Block[] = []
      for (const size of [...sizes, sample.length]) {
        shown = sample.slice(0, shown.length + size)
        const next = blocksOf(shown, blocks)
        for (const [at, block] of blocks.slice(0, -1).entries()) expect(next[at]).toBe(block)
        blocks = next
      }
      expect(blocks).toEqual(blocksOf(sample))
    }),
  )
})

test("a link leads where any other block of the text says", () => {
  const text = [
    "See [the notes][1], [Guide] and ![a picture][pic].",
    "Nothing to see.",
    '> [1]: https://notes.example "Notes"',
    "[guide]: https://guide.example",
    "[pic]: https://pic.example/x.png",
    "[1]: https://later.example",
  ].join("\n\n")
  const blocks = blocksOf(text)
  const needed = definitionsFor(blocks)
  const html = blocks.map(({ raw }, at) => toHtml(raw, needed[at])).join("")
  expect(html).toContain('<a href="https://notes.example" title="Notes">the notes</a>')
  expect(html).toContain('<a href="https://guide.example">Guide</a>')
  expect(html).toContain('<img src="https://pic.example/x.png" alt="a picture">')
  expect(needed[1]).toEqual([])
})
