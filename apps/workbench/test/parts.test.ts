import { newId } from "@factum/client"
import fc from "fast-check"
import { createElement } from "react"
import { renderToStaticMarkup } from "react-dom/server"
import { describe, expect, it } from "vitest"
import { spokenTo } from "../src/client/spoken.ts"
import { languages } from "../src/i18n/words.ts"
import { RunFoot } from "../src/surfaces/RuntimeStatus.tsx"
import { bytes, count, duration, instant, moment, money } from "../src/ui/measures.ts"
import { stateWord } from "../src/ui/status.ts"
import { visible } from "../src/ui/visible.ts"

const { en, zh } = languages

describe("reading aloud", () => {
  it.each([
    ["One. Two", 0, false, "One. "],
    ["One. Two.", 0, false, "One. "],
    ["3.14 is", 0, false, ""],
    ["你好。世界", 0, false, "你好。"],
    ["a line\nhalf", 0, false, "a line\n"],
    ["One. Two", 0, true, "One. Two"],
    ["One. Two. Three", 5, false, "Two. "],
  ])("of %j from %i, whole: %s, goes to the end of %j", (text, from, isWhole, expected) => {
    expect(text.slice(from, spokenTo(text, from, isWhole))).toBe(expected)
  })

  it("leaves nothing out and says nothing twice", () => {
    const pieces = fc.array(fc.constantFrom("One", ". ", "二。", "\n", " three", "!"), { maxLength: 30 })
    fc.assert(
      fc.property(pieces, (all) => {
        let [text, at, said] = ["", 0, ""]
        for (const piece of [...all, undefined]) {
          text += piece ?? ""
          const to = spokenTo(text, at, piece === undefined)
          said += text.slice(at, to)
          at = to
        }
        expect(said).toBe(all.join(""))
      }),
    )
  })
})

it.each([
  [0.44, "0.4 s"],
  [-1, "< 0.1 s"],
  [59.9, "59 s"],
  [185, "3 min 5 s"],
])("%d seconds read %s", (seconds, words) => expect(duration(seconds, en.units)).toBe(words))

it.each([
  [999, "999"],
  [1234, "1.2k"],
  [9960, "10k"],
  [38_400, "38k"],
])("%d tokens read %s", (tokens, words) => expect(count(tokens)).toBe(words))

it("a moment of today reads as a time, one of another day as a date, and none as nothing", () => {
  const now = new Date(2026, 2, 5, 18, 0)
  expect(moment(new Date(2026, 2, 5, 9, 7).toISOString(), now)).toBe("09:07")
  expect(moment(new Date(2026, 2, 4, 23, 59).toISOString(), now)).toBe("2026-03-04")
  expect(moment("", now)).toBe("")
})

it("an instant has the time, and the date too on another day", () => {
  const now = new Date(2026, 4, 6, 12, 0)
  expect(instant(new Date(2026, 4, 6, 9, 5).toISOString(), now)).toBe("09:05")
  expect(instant(new Date(2026, 4, 5, 23, 7).toISOString(), now)).toBe("2026-05-05 23:07")
})

it.each([
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1.0 kB"],
  [999_949, "999.9 kB"],
  [999_950, "1.0 MB"],
])("%i bytes read as %s", (value, text) => {
  expect(bytes(value)).toBe(text)
})

describe("what a terminal shows", () => {
  it.each([
    ["10 %\r50 %\rdone", "done"],
    ["10 %\r50 %\r\nnext", "50 %\nnext"],
    ["one\r\ntwo\r\n", "one\ntwo\n"],
    ["\u001b]0;a title\u0007text\u001b[2K", "text"],
    ["\u001b[31mred\u001b[0m", "\u001b[31mred\u001b[0m"],
    ["\r\r", ""],
  ])("of %j is %j", (text, shown) => expect(visible(text)).toBe(shown))

  it("is found in one pass, however long a line is", () => {
    const line = "x".repeat(1_000_000)
    expect(visible(`${line}\r${line}\nend`)).toBe(`${line}\nend`)
  })
})

it("the end of a run tells what it cost, in which currency", () => {
  const summary = {
    runId: "trn_1",
    status: "done" as const,
    entries: 0,
    counts: {},
    failed: 0,
    durationMs: 1000,
    files: [],
    messageIds: [],
    refs: [],
    cost: 0.42,
    currency: "EUR",
  }
  const foot = renderToStaticMarkup(createElement(RunFoot, { summary, hasText: true }))
  expect(foot).toContain(money(0.42, "EUR"))
})

it("money is told in its currency, and bare where none is known", () => {
  expect(money(0.42, "EUR")).toMatch(/€|EUR/)
  expect(money(0.0123, "USD")).toContain("0.0123")
  expect(money(1.5)).toBe("1.50")
  expect(money(1.5, "credits")).toBe("1.50 credits")
})

it("a state that is not known is said to be unknown", () => {
  expect(stateWord("streaming")).toBe("running")
  expect(stateWord("half-done")).toBe("unknown")
})

it("ids have the form that the host accepts, and sort by time", () => {
  expect(newId("trn", 1_700_000_000_000, new Uint8Array(16))).toBe("trn_01HF7YAT000000000000000000")
  expect(newId("trn", 1) < newId("trn", 2)).toBe(true)
})

describe("languages", () => {
  it("have their own words for a message that is too long, with the limit and what to do", () => {
    expect(en.problems.too_large).toMatch(/1 MiB.*Shorten.*attach less/)
    expect(zh.problems.too_large).toMatch(/1 MiB.*缩短.*减少附件/)
  })

  it("are switched by a label that has letters, whatever fonts there are", () => {
    expect([en.language, zh.language]).toEqual(["中文 / ZH", "English"])
    expect([en.languageCode, zh.languageCode]).toEqual(["ZH", "EN"])
  })

  const shape = (words: object): unknown =>
    Object.fromEntries(
      Object.entries(words).map(([key, value]) => [
        key,
        typeof value === "object" ? shape(value) : typeof value,
      ]),
    )

  it("have the same words", () => {
    const { runtimeSays: _, runtimePhrases: _p, ...rest } = zh
    const { runtimeSays: __, runtimePhrases: __p, ...same } = en
    expect(shape(rest)).toEqual(shape(same))
  })

  it("leave no word empty", () => {
    const empty = (words: object): string[] =>
      Object.entries(words).flatMap(([key, value]) => {
        if (typeof value === "object") return empty(value)
        return (typeof value === "function" ? value("1", "2") : value) === "" ? [key] : []
      })
    expect([...empty(en), ...empty(zh)]).toEqual([])
  })
})
