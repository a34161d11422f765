import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { memoryArtifacts, outputRef } from "../../src/artifacts.ts"
import type { ExpandRequest } from "../../src/declaration/normalized.ts"
import { expandRefs } from "../../src/expand.ts"
import { readContinuation, writeContinuation } from "../../src/selection.ts"
import { o200k } from "../../src/tokens/o200k.ts"
import { action, artifact, completed, longText, ran, scope } from "./fixtures.ts"
import { anyText } from "./text.ts"

const ref = "runtime://run_1/actions/review_toolbar/output"

function expandText(text: string, request: Omit<ExpandRequest, "ref">, budget = 100_000) {
  const artifacts = memoryArtifacts()
  artifacts.put(artifact(outputRef("run_1", "review_toolbar"), text))
  const [answer] = expandRefs([{ ref, ...request }], scope({ artifacts }), { tokenizer: o200k, budget })
  return answer
}
const textOf = (text: string, range: ExpandRequest["range"], reason?: string) => {
  const answer = expandText(text, { ...(range && { range }), ...(reason !== undefined && { reason }) })
  return answer?.ok === true ? answer.text : answer?.declined
}

const ten = Array.from({ length: 10 }, (_, index) => `line ${index + 1}`)
const withHits = (...at: number[]) =>
  ten.map((line, index) => (at.includes(index + 1) ? `${line} HIT` : line)).join("\n")
const none = `${ref} has no line in this range.`

describe("expand", () => {
  it("[MP-EXPAND-1] gives the stored text with the given reason", () => {
    const text = longText(30)
    expect(expandText(text, { reason: "Need exact evidence." })).toEqual({
      ref,
      reason: "Need exact evidence.",
      ok: true,
      text,
      tokens: o200k.count(text),
    })
  })

  it("[MP-EXPAND-1] without a reason none is logged", () => {
    expect(Object.keys(expandText("text", {}) ?? {})).toEqual(["ref", "ok", "text", "tokens"])
  })

  it("[MP-EXPAND-1] reads what is stored and not the action's state", () => {
    const artifacts = memoryArtifacts()
    artifacts.put(artifact(outputRef("run_0", "a"), "stored", { run_id: "run_0", visibility: "model" }))
    const known = scope({ artifacts, run_id: "run_1" })
    expect(expandRefs([{ ref: "artifact://run_0/a" }], known, { tokenizer: o200k, budget: 10 })).toEqual([
      { ref: "artifact://run_0/a", ok: true, text: "stored", tokens: 1 },
    ])
  })

  it.each([
    ["at the start", [1], "lines 1-3:\nline 1 HIT\nline 2\nline 3"],
    ["at the end", [10], "lines 8-10:\nline 8\nline 9\nline 10 HIT"],
    ["in the middle", [5], "lines 3-7:\nline 3\nline 4\nline 5 HIT\nline 6\nline 7"],
    ["overlapping", [3, 4], "lines 1-6:\nline 1\nline 2\nline 3 HIT\nline 4 HIT\nline 5\nline 6"],
    ["adjacent", [2, 7], `lines 1-9:\n${withHits(2, 7).split("\n").slice(0, 9).join("\n")}`],
    [
      "apart",
      [1, 7],
      `lines 1-3:\nline 1 HIT\nline 2\nline 3\n\nlines 5-9:\n${withHits(1, 7).split("\n").slice(4, 9).join("\n")}`,
    ],
  ])("[MP-EXPAND-2] matches %s come with two lines on each side", (_, at, expected) => {
    expect(textOf(withHits(...at), { around_matches: true, match: "hit", context_lines: 2 })).toBe(expected)
  })

  it("[MP-EXPAND-2] without context the matching lines alone", () => {
    expect(textOf(withHits(4), { around_matches: true, match: "HIT" })).toBe("line 4:\nline 4 HIT")
    expect(textOf(withHits(4, 5), { match: "HIT", context_lines: 0 })).toBe(
      "lines 4-5:\nline 4 HIT\nline 5 HIT",
    )
    expect(textOf(withHits(4), { match: "HIT", context_lines: -3 })).toBe("line 4:\nline 4 HIT")
  })

  it("[MP-EXPAND-2] a match is plain text and never a pattern", () => {
    expect(textOf("a.c\nabc\n(x+)+$", { match: "a.c" })).toBe("line 1:\na.c")
    expect(textOf("a.c\nabc\n(x+)+$", { match: "(x+)+$" })).toBe("line 3:\n(x+)+$")
  })

  it("[MP-EXPAND-2] without a word to match, the words of the reason are looked for", () => {
    const text = ["focus is fine", "undo/redo is not wired", "menu"].join("\n")
    const reason = "Need exact evidence for the undo/redo finding."
    expect(textOf(text, { around_matches: true, context_lines: 0 }, reason)).toBe(
      "line 2:\nundo/redo is not wired",
    )
  })

  it("[MP-EXPAND-2] without such words, lines with errors; without these, nothing", () => {
    const text = ["all fine", "TypeError: x", "menu"].join("\n")
    expect(textOf(text, { around_matches: true }, "Need the exact absentword.")).toBe("line 2:\nTypeError: x")
    expect(textOf(text, { around_matches: true })).toBe("line 2:\nTypeError: x")
    expect(textOf("a\nb", { around_matches: true }, "absentword")).toBe(none)
    expect(textOf(text, { around_matches: true, match: "absent" })).toBe(none)
  })

  it.each([
    ["from and to", { from: 2, to: 3 }, "line 2\nline 3"],
    ["from", { from: 9 }, "line 9\nline 10"],
    ["to", { to: 2 }, "line 1\nline 2"],
    ["more than there is", { from: 0, to: 99 }, ten.join("\n")],
    ["parts of lines", { from: 2.9, to: 3.1 }, "line 2\nline 3"],
    ["neither", {}, ten.join("\n")],
    ["nothing", { from: 5, to: 4 }, none],
    ["past the end", { from: 11 }, none],
    ["no number", { from: Number.NaN, to: 1 }, "line 1"],
  ])("[MP-EXPAND-3] a range of lines: %s", (_, range, expected) => {
    expect(textOf(ten.join("\n"), range)).toBe(expected)
  })

  it("[MP-EXPAND-3] the budget holds, and what is left out is counted", () => {
    const text = longText(200)
    const answer = expandText(text, {}, 100)
    if (answer?.ok !== true) throw new Error("declined")
    expect(answer.tokens).toBe(100)
    expect(text.startsWith(answer.text)).toBe(true)
    expect(answer.more).toBe(`runtime://runs/run_1/actions/review_toolbar/output#from=${answer.text.length}`)
    expect(answer.omitted).toEqual({
      tokens: o200k.count(text.slice(answer.text.length)),
      characters: text.length - answer.text.length,
    })
  })

  it.each([
    ["the whole", undefined],
    ["lines", { from: 3, to: 40 }],
    ["matches", { match: "value 7", around_matches: true, context_lines: 1 }],
    ["odd matches", { match: "&#=%7 \u{1f642}", context_lines: 0 }],
  ])("[MP-EXPAND-3] following the continuations of %s gives the remainder exactly", (_, range) => {
    const text = `${longText(60)}\n&#=%7 🙂 here\n${longText(5)}`
    const whole = textOf(text, range)
    const artifacts = memoryArtifacts()
    artifacts.put(artifact(outputRef("run_1", "review_toolbar"), text))
    const parts: string[] = []
    let next: string | undefined = ref
    for (let first = true; next !== undefined && parts.length < 500; first = false) {
      const request: ExpandRequest = { ref: next, ...(first && range !== undefined ? { range } : {}) }
      const [answer] = expandRefs([request], scope({ artifacts }), { tokenizer: o200k, budget: 7 })
      if (answer?.ok !== true) throw new Error("declined")
      expect(answer.tokens).toBeLessThanOrEqual(7)
      parts.push(answer.text)
      next = answer.more
    }
    expect(parts.length).toBeGreaterThan(1)
    expect(parts.join("")).toBe(whole)
  })

  it("[MP-EXPAND-3] following continuations gives any text exactly", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 16, max: 40 }), (text, budget) => {
        const artifacts = memoryArtifacts()
        artifacts.put(artifact("artifact:t", text))
        let all = ""
        let next: string | undefined = "artifact:t"
        for (let steps = 0; next !== undefined && steps < 200; steps++) {
          const [answer] = expandRefs([{ ref: next }], scope({ artifacts }), { tokenizer: o200k, budget })
          if (answer?.ok !== true) throw new Error("declined")
          all += answer.text
          next = answer.more
        }
        expect(all).toBe(text)
      }),
      { seed: 23, numRuns: 100 },
    )
  })

  it("[MP-EXPAND-3] a range beside a continuation is not read", () => {
    const answer = expandRefs([{ ref: "artifact:t#from=2", range: { from: 9 } }], withArtifact("abcdef"), {
      tokenizer: o200k,
      budget: 10,
    })
    expect(answer).toEqual([
      { ref: "artifact:t#from=2", ok: true, text: "cdef", tokens: o200k.count("cdef") },
    ])
  })

  it("[MP-EXPAND-3] one budget is for all references, in their order", () => {
    const two = expandRefs(
      [{ ref: "artifact:t" }, { ref: "artifact:t" }],
      withArtifact("one two three four"),
      {
        tokenizer: o200k,
        budget: 6,
      },
    )
    expect(two.map((answer) => answer.ok && [answer.text, answer.tokens, answer.more])).toEqual([
      ["one two three four", 4, undefined],
      ["one two", 2, "runtime://runs/run_1/artifacts/t#from=7"],
    ])
  })

  it("[MP-EXPAND-3] when one was cut the room is used up, and the next are to be asked for again", () => {
    const scoped = withArtifact("one two three four")
    const three = expandRefs(
      [{ ref: "artifact:t" }, { ref: "artifact:t#from=3", reason: "why" }, { ref: "artifact:none" }],
      scoped,
      { tokenizer: o200k, budget: 3 },
    )
    expect(three.map((answer) => (answer.ok ? answer.text : answer.declined))).toEqual([
      "one two three",
      "artifact:t had no room left; ask again.",
      "artifact:none names nothing that is stored.",
    ])
    expect(expandRefs([{ ref: "artifact:t" }], withArtifact(""), { tokenizer: o200k, budget: 0 })).toEqual([
      { ref: "artifact:t", ok: true, text: "", tokens: 0 },
    ])
  })

  it("[MP-EXPAND-4] what is missing, private or forbidden is declined in its place", () => {
    const artifacts = memoryArtifacts()
    artifacts.put(artifact("artifact:good", "GOOD"))
    artifacts.put(artifact("artifact:secret", "SECRET", { private: true }))
    artifacts.put(artifact("artifact:user", "SECRET", { visibility: "user" }))
    const refs = [
      "artifact:good",
      "artifact:missing",
      "file:/etc/passwd",
      "artifact:secret",
      "artifact:user",
      "nonsense",
      "action:a.output",
    ]
    const known = scope({ artifacts, actions: [action("a")], runs: { a: ran("a", completed("OUT")) } })
    expect(
      expandRefs(
        refs.map((one) => ({ ref: one, reason: "why" })),
        known,
        { tokenizer: o200k, budget: 50 },
      ),
    ).toEqual([
      { ref: "artifact:good", reason: "why", ok: true, text: "GOOD", tokens: 1 },
      {
        ref: "artifact:missing",
        reason: "why",
        ok: false,
        declined: "artifact:missing names nothing that is stored.",
      },
      {
        ref: "file:/etc/passwd",
        reason: "why",
        ok: false,
        declined: "file:/etc/passwd is refused: files cannot be read here.",
      },
      { ref: "artifact:secret", reason: "why", ok: false, declined: "artifact:secret is withheld." },
      { ref: "artifact:user", reason: "why", ok: false, declined: "artifact:user is withheld." },
      { ref: "nonsense", reason: "why", ok: false, declined: "nonsense has no known scheme." },
      { ref: "action:a.output", reason: "why", ok: true, text: "OUT", tokens: 1 },
    ])
  })
})

describe("continuations", () => {
  it.each([
    [{ kind: "all" }, 7, "from=7"],
    [{ kind: "lines", from: 2, to: 9 }, 0, "lines=2-9&from=0"],
    [{ kind: "around", terms: ["a b", "&="], context: 3 }, 1, "context=3&around=a+b&around=%26%3D&from=1"],
    [{ kind: "around", terms: [], context: 0 }, 1, "context=0&from=1"],
  ] as const)("%j at %i is written and read back", (selection, at, text) => {
    expect(writeContinuation(selection, at)).toBe(text)
    expect(readContinuation(text)).toEqual({ selection, at })
  })

  it("more terms than a reason has are not looked for", () => {
    const many = Array.from({ length: 300 }, (_, index) => `around=t${index}`).join("&")
    const { selection } = readContinuation(`context=0&${many}`)
    expect(selection.kind === "around" && selection.terms.length).toBe(250)
  })

  it.each(["", "from=-1", "from=1e9", "from=x", "lines=a-b", "%", "from=%ff"])(
    "%j is read as the beginning",
    (text) => {
      expect(readContinuation(text)).toEqual({ selection: { kind: "all" }, at: 0 })
    },
  )
})

function withArtifact(text: string) {
  const artifacts = memoryArtifacts()
  artifacts.put(artifact("artifact:t", text))
  return scope({ artifacts })
}
