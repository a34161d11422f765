import { describe, expect, it } from "vitest"
import { excerpt, hasTerm, isError, passages, termsOf } from "../../src/excerpt.ts"
import { extract, filePaths } from "../../src/extract.ts"
import { stepsOf } from "../parse/steps.ts"
import { action, completed, observed } from "./fixtures.ts"

describe("errors", () => {
  it.each([
    "error: no",
    "TypeError: x",
    "IOException",
    "last_error",
    "an Exception was",
    "FATAL stop",
    "panic at",
    "1 failed",
    "failure of",
    "it fails",
    "FAIL src/a.ts",
    "Traceback (most recent",
    "发生错误",
    "操作失败",
  ])("%j is one", (line) => {
    expect(isError(line)).toBe(true)
  })

  it.each(["0 errors", "no failures", "terror", "hispanic", "fine", "fatalistic", "unfailing", ""])(
    "%j is none",
    (line) => {
      expect(isError(line)).toBe(false)
    },
  )

  it("come with their numbers", () => {
    expect(extract("errors", "a\nerror 1\nerror 2\nb\nerror 3", [])).toBe(
      "2: error 1\n3: error 2\n5: error 3",
    )
  })
})

describe("what was looked for", () => {
  it.each(["pattern", "query", "match", "search", "keyword", "text"])("is read from %s", (field) => {
    expect(termsOf(action("a", { input: { [field]: "one|two| " } }))).toEqual(["one", "two"])
  })

  it("is nothing where there is no such word", () => {
    expect(termsOf(action("a", { input: { pattern: 3, other: "x" } }))).toEqual([])
    expect(extract("matching_lines", "a\nb", [])).toBe("")
    expect(extract("matching_lines", "a\nAB\nb", ["b"])).toBe("2: AB\n3: b")
    expect(hasTerm(["X"])("axb")).toBe(true)
    expect(hasTerm([])("axb")).toBe(false)
  })
})

describe("file paths", () => {
  it.each([
    ["src/a.ts:12:3 - error", ["src/a.ts"]],
    ["(./lib/b.js), 'c.py' [d/e]", ["./lib/b.js", "c.py", "d/e"]],
    ["/abs/path and ~/home/x.", ["/abs/path", "~/home/x"]],
    ["see a/b.ts! and a/b.ts again", ["a/b.ts"]],
    ["https://example.org/x and://", []],
    ["plain words 1.5 e.g. v1.2", []],
    ["README.md:4: package.json", ["README.md", "package.json"]],
    [`${"x/".repeat(300)}y`, []],
    ["a//b /", []],
  ])("in %j", (text, paths) => {
    expect(filePaths(text)).toEqual(paths)
  })
})

describe("diff", () => {
  const diff = [
    "diff --git a/x b/x",
    "index 1..2 100644",
    "--- a/x",
    "+++ b/x",
    "@@ -1 +1 @@",
    "-a",
    "+b",
    " c",
    "\\ No newline at end of file",
  ]

  it("is found among other lines", () => {
    expect(extract("diff", ["before", ...diff, "after", "-not part", ...diff, "end"].join("\n"), [])).toBe(
      [...diff, ...diff].join("\n"),
    )
  })

  it.each([
    ["a hunk alone", ["@@ -1 +1 @@", "-a", "+b"], true],
    ["file names alone", ["--- a/x", "+++ b/x", "-a"], true],
    ["another tool's", ["Index: x", "--- x", "+++ x"], true],
    ["a rule in a text", ["--- ", "words"], false],
    ["a list", ["- one", "+ two"], false],
  ])("%s", (_, lines, is) => {
    expect(extract("diff", lines.join("\n"), [])).toBe(is ? lines.join("\n") : "")
  })

  it.each([
    "new file mode 100644",
    "deleted file mode",
    "similarity index 9%",
    "rename from x",
    "old mode 1",
    "new mode 2",
  ])("keeps the line %j of its head", (line) => {
    expect(extract("diff", `diff --git a b\n${line}\nend`, [])).toBe(`diff --git a b\n${line}`)
    expect(extract("diff", line, [])).toBe("")
  })
})

describe("passages", () => {
  const lines = ["a", "b", "c", "d", "e", "f"]
  const at =
    (...wanted: string[]) =>
    (line: string) =>
      wanted.includes(line)

  it.each([
    ["none", at(), 1, []],
    ["touching are one", at("b", "e"), 1, [[1, 6]]],
    [
      "apart are two",
      at("a", "e"),
      1,
      [
        [1, 2],
        [4, 6],
      ],
    ],
    [
      "without context",
      at("b", "d"),
      0,
      [
        [2, 2],
        [4, 4],
      ],
    ],
    ["a large context", at("c"), 99, [[1, 6]]],
  ])("%s", (_, matches, context, expected) => {
    expect(passages(lines, matches, context).map(({ from, to }) => [from, to])).toEqual(expected)
  })

  it("hold their lines exactly", () => {
    expect(passages(lines, at("c"), 1)).toEqual([{ from: 2, to: 4, text: "b\nc\nd" }])
    expect(excerpt(lines.join("\n"), [])).toEqual([{ from: 1, to: 6, text: "a\nb\nc\nd\ne\nf" }])
  })
})

it("[MP-SAFE-4] twice as many words to look for in twice as long an output take twice the steps", () => {
  const steps = (count: number) => {
    const pattern = Array.from({ length: count }, (_, at) => `word${at}`).join("|")
    const output = completed("a line\n".repeat(count))
    const looks = { input: { pattern, query: pattern, text: pattern } }
    return stepsOf(() => observed({ return_to_model: "excerpt", store_full: false }, output, {}, looks))
  }
  expect(steps(4000) / steps(2000)).toBeLessThan(2.2)
})
