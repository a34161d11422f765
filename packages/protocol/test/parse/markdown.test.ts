import { describe, expect, it } from "vitest"
import { findSections, isProtocolBlock, readMarkdown, sectionId } from "../../src/markdown.ts"

const blocksOf = (text: string) =>
  readMarkdown(text).blocks.map(({ info, text: body, complete, quoted }) => ({
    info,
    text: body,
    complete,
    quoted,
  }))

describe("fenced blocks", () => {
  it("[MP-CARRIER-7] a fence closes only on a line that holds nothing but a fence as long as its opener", () => {
    expect(blocksOf('````json agent-protocol\n{"a":"```"}\n```\n``` x\n`````\nafter')).toEqual([
      { info: "json agent-protocol", text: '{"a":"```"}\n```\n``` x\n', complete: true, quoted: false },
    ])
  })

  it.each([
    ["```a\nx\n```", true],
    ["```a\nx\n   ```  ", true],
    ["```a\nx\n    ```", false],
    ["```a\nx\n``", false],
    ["```a\nx\n~~~", false],
    ["```a\nx\n```z", false],
    ["```a\nx", false],
    ["```a", false],
    ["~~~a\nx\n~~~~", true],
    ["```a\n```", true],
  ])("[MP-STREAM-2] whether a fence was closed is known: %j", (text, complete) => {
    expect(blocksOf(text).map((block) => block.complete)).toEqual([complete])
  })

  it.each([
    ["> ```json agent-protocol\n> {}\n> ```", true],
    ["- ```json agent-protocol\n  {}\n  ```", true],
    ["1. ```json agent-protocol\n   {}\n   ```", true],
    ["   ```json agent-protocol\n{}\n```", false],
  ])("[MP-CARRIER-8] a block in a quotation or a list is quoted: %j", (text, quoted) => {
    const { blocks } = readMarkdown(text)
    expect(blocks.map((block) => [block.quoted, isProtocolBlock(block)])).toEqual([[quoted, !quoted]])
  })

  it.each([
    ["json agent-protocol", true],
    ["agent-protocol", true],
    ["agent-protocol json v=1", true],
    ["json agent-protocols", false],
    ["json Agent-Protocol", false],
    ["json agent_protocol", false],
    ["", false],
  ])("[MP-CARRIER-2] the info string must hold the word itself: %j", (info, marked) => {
    expect(readMarkdown(`\`\`\`${info}\n{}\n\`\`\``).blocks.map(isProtocolBlock)).toEqual([marked])
  })

  it("lines of a block count from the first to after the last", () => {
    expect(readMarkdown("a\r\n\r\n```x\r\n1\r\n```\r\nb").blocks[0]?.lines).toEqual([2, 5])
  })
})

describe("sections", () => {
  it.each([
    ["## review.prompt", "review.prompt"],
    ["## review.prompt ##", "review.prompt"],
    ["#   Shared   Context  ", "shared context"],
    ["### `user.visible`", "user.visible"],
    ["Shared\nContext\n---", "shared context"],
    ["###### ÄB", "äb"],
  ])("[MP-REF-1] a heading is found by its normalised text: %j", (text, id) => {
    expect(readMarkdown(`${text}\n\nbody`).sections.map((section) => [section.id, section.text])).toEqual([
      [id, "body"],
    ])
  })

  it("[MP-REF-1] the id of a reference is normalised in the same way", () => {
    const { sections } = readMarkdown("# A  b\n\n1\n\n# c\n\n2\n\n# `a B`\n\n3")
    expect(findSections(sections, " a B ").map(({ text }) => text)).toEqual(["1", "3"])
    expect(sectionId("` X\ty `")).toBe("x y")
  })

  it("[MP-REF-2] a section keeps its subsections and ends at a heading of its own or a higher level", () => {
    const { sections } = readMarkdown("# a\n\n1\n\n### b\n\n2\n\n## c\n3\n\n\n# d\n4\n")
    expect(sections).toEqual([
      { id: "a", heading: "a", level: 1, text: "1\n\n### b\n\n2\n\n## c\n3" },
      { id: "b", heading: "b", level: 3, text: "2" },
      { id: "c", heading: "c", level: 2, text: "3" },
      { id: "d", heading: "d", level: 1, text: "4" },
    ])
  })

  it("[MP-REF-2] lines in fences, quotations and indented code are no headings", () => {
    const { sections } = readMarkdown("# a\n\n```\n# b\n```\n\n> # c\n\n    # d\n\n#e\n")
    expect(sections.map(({ id }) => id)).toEqual(["a"])
    expect(sections[0]?.text).toBe("```\n# b\n```\n\n> # c\n\n    # d\n\n#e")
  })

  it("[MP-REF-1] the declaration itself is no part of a section", () => {
    const { sections } = readMarkdown(
      "# a\n\none\n\n```json agent-protocol\n{}\n```\n\ntwo\n\n```js\n1\n```\n",
    )
    expect(sections[0]?.text).toBe("one\n\n\n\n\n\ntwo\n\n```js\n1\n```")
  })

  it("a text without headings has no sections", () => {
    expect(readMarkdown("")).toEqual({ sections: [], blocks: [] })
  })
})
