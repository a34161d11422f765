import { newId } from "@factum/client"
import { readFact } from "@factum/facts"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { blocksOf } from "../src/client/blocks.ts"
import { newTurn, type TurnView } from "../src/client/conversation.ts"
import { turnFoot } from "../src/client/foot.ts"
import { spokenTo } from "../src/client/spoken.ts"
import { en } from "../src/i18n/en.ts"
import { zh } from "../src/i18n/zh.ts"
import { bytes, count, duration, instant, moment } from "../src/ui/measures.ts"
import { stateWord } from "../src/ui/status.ts"
import { Story, text } from "./story.ts"

it("the facts that these tests are told with are valid", () => {
  const story = new Story().begin().submit("t1", "One").start("t1").request("t1", "r1")
  story
    .think("t1", "r1", "p0", "Hm")
    .delta("t1", "r1", "p", "x")
    .complete("t1", "r1", [text("p", "x")])
  story.submit("t2", "Two").queue("enqueued", "q_t2", ["t2"]).request("t2", "r2").fail("t2", "r2", [])
  for (const fact of story.facts) expect(readFact(fact)).toMatchObject({ ok: true })
})

describe("blocks of a text", () => {
  const texts = fc.array(fc.oneof(fc.string({ maxLength: 300 }), fc.constant("\n")), { maxLength: 60 })

  it("are together the text itself", () => {
    fc.assert(
      fc.property(texts, (pieces) => {
        expect(blocksOf(pieces.join("")).join("")).toBe(pieces.join(""))
      }),
    )
  })

  it("stay the same while the text grows, but for the last", () => {
    fc.assert(
      fc.property(texts, texts, (before, more) => {
        const old = blocksOf(before.join(""))
        const grown = blocksOf([...before, ...more].join(""))
        expect(grown.slice(0, old.length - 1)).toEqual(old.slice(0, -1))
      }),
    )
  })

  it("are cut at line ends", () => {
    const long = `${"word ".repeat(200)}\n`
    expect(blocksOf(`${long}${long}end`)).toEqual([long, long, "end"])
  })
})

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

describe("the foot of a turn", () => {
  const turn: TurnView = {
    ...newTurn("t", "accepted"),
    submitted_at: "2026-01-01T00:00:00.000Z",
  }
  const done = { started_at: "2026-01-01T00:00:01.000Z", ended_at: "2026-01-01T00:00:03.500Z" }

  it("tells before the first text what the runtime does and since when", () => {
    const run = { phase: "preparing", title: "Preparing", detail: "" }
    const started_at = "2026-01-01T00:00:01.000Z"
    expect(turnFoot({ ...turn, status: "running", run, started_at })).toEqual({
      kind: "live",
      state: "running",
      stage: "working",
      title: "Preparing",
      since: started_at,
    })
  })

  it.each([
    ["sending", "sending", "waiting"],
    ["accepted", "starting", "waiting"],
    ["running", "working", "running"],
  ] as const)("of a turn that is %s and has no word of the runtime says %s", (status, stage, state) => {
    expect(turnFoot({ ...turn, status })).toMatchObject({ kind: "live", stage, state })
  })

  it("says only what is last known while the host is away, but a message is still on its way", () => {
    const run = { phase: "streaming", title: "Answering", detail: "" }
    expect(turnFoot({ ...turn, ...done, status: "running", run }, true)).toEqual({
      kind: "live",
      state: "stale",
      stage: "working",
      title: "Answering",
    })
    expect(turnFoot({ ...turn, status: "sending" }, true)).toMatchObject({
      stage: "sending",
      state: "waiting",
    })
  })

  it("has no duration after a restart, since the time without the host is not the turn's own", () => {
    const failed = { ...turn, ...done, status: "failed" } as const
    const outcome = { category: "provider_error", reason: "Gone." }
    expect(turnFoot({ ...failed, outcome })).toMatchObject({ seconds: 2.5 })
    const restart = { category: "runtime_restart", reason: "The runtime stopped." }
    expect(turnFoot({ ...failed, outcome: restart })).not.toHaveProperty("seconds")
  })

  it("adds the tokens of all requests up, or leaves them out when one did not report", () => {
    const request = { request_id: "r", ended: true, parts: [] }
    const counted = { ...request, tokens: { input: 10, output: 5 } }
    const ended = { ...turn, ...done, status: "completed" } as const
    expect(turnFoot({ ...ended, requests: [counted, counted] })).toEqual({
      kind: "ended",
      state: "done",
      unsent: false,
      seconds: 2.5,
      tokens: { input: 20, output: 10 },
    })
    expect(turnFoot({ ...ended, requests: [counted, request] })).not.toHaveProperty("tokens")
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
