import { describe, expect, it } from "vitest"
import { executorTypes } from "../../src/action.ts"
import type { ActionOutcome } from "../../src/run.ts"
import { mechanical, reasonText, summarize, summaryLimit, wantsSummarizer } from "../../src/summary.ts"
import { action, completed, failed, longText, observed, ran } from "./fixtures.ts"

const of = (outcome: ActionOutcome | undefined, summarizer?: () => string | undefined) =>
  summarize({
    run: outcome === undefined ? ran("a") : ran("a", outcome),
    refs: ["artifact://r/a"],
    ...(summarizer === undefined ? {} : { summarizer }),
  })

/** A summarizer that remembers what it was asked. */
function spy(answer: (limit: number) => string | undefined) {
  const asked: string[] = []
  const summarizer = (text: string, limit: number) => {
    asked.push(text)
    return answer(limit)
  }
  return { asked, summarizer }
}

describe("level 1", () => {
  it("[MP-SUM-1] the tool's own words are used", () => {
    expect(of(completed("short", { summary: "  12 matches in 3 files\n" }))).toEqual({
      text: "12 matches in 3 files",
      level: "native",
    })
  })

  it.each([
    ["count", { count: 12 }, "count: 12"],
    ["matches", { matches: 3 }, "matches: 3"],
    ["total", { total: 0 }, "total: 0"],
    ["exit code", { exit_code: 2 }, "exit_code: 2"],
    ["file list", { files: ["a.ts", "b.ts"] }, "files: 2 (a.ts, b.ts)"],
    ["touched paths", { touched: ["x"] }, "touched: 1 (x)"],
    ["paths", { paths: [] }, "paths: 0"],
    ["list of objects", { matches: [{ line: 1 }] }, "matches: 1"],
    ["several", { files: ["a"], exit_code: 0 }, "exit_code: 0; files: 1 (a)"],
  ])("[MP-SUM-1] well-known fields are used: %s", (_, data, text) => {
    expect(of(completed("short", { data }))).toEqual({ text, level: "native" })
  })

  it.each([
    ["other fields", { colour: "red", count: "12" }],
    ["a list", [1]],
    ["null", null],
    ["a word", "count"],
  ])("[MP-SUM-1] other data (%s) is no summary", (_, data) => {
    expect(of(completed("short", { data }))).toEqual({ text: "short", level: "final_output" })
  })

  it("[MP-SUM-1] a blank summary is none, and a long one is cut", () => {
    expect(of(completed("short", { summary: " \n" })).level).toBe("final_output")
    const told = of(completed("short", { summary: "s".repeat(1000) }))
    expect(told).toEqual({ text: `${"s".repeat(summaryLimit - 1)}…`, level: "native" })
  })
})

describe("level 2", () => {
  it("[MP-SUM-2] counts, references, marks and errors are put together", () => {
    const text = [...longText(100).split("\n"), "  Error: no such file", "fatal: stop"].join("\n")
    expect(of(completed(text))).toEqual({
      text: `Status: completed. Output: 102 lines, ${text.length} characters, not shown here. Lines with errors: 2, first at line 101:   Error: no such file Artifacts: artifact://r/a`,
      level: "mechanical",
    })
  })

  it("[MP-SUM-2] attempts are counted by status", () => {
    const run = ran("a", failed("one"), failed("two"), completed(""))
    expect(mechanical(run, [])).toEqual({
      text: "Status: completed after 3 attempts (2 failed, 1 completed).",
      level: "mechanical",
    })
  })

  it("[MP-SUM-2] an attempt without an end is running", () => {
    const run = { ...ran("a", failed("one")), status: "running" } as const
    const going = { ...run, attempts: [...run.attempts, { started: 2 }], reason: undefined }
    const { reason: _, ...rest } = going
    expect(mechanical(rest, []).text).toBe("Status: running after 2 attempts (1 failed, 1 running).")
  })

  it("[MP-SUM-2] a failure is told with its reason", () => {
    expect(of(failed("exit 1", "out"))).toEqual({
      text: "Status: failed. Reason: executor_failed: exit 1 Output: 1 lines, 3 characters, not shown here. Artifacts: artifact://r/a",
      level: "mechanical",
    })
  })

  it("[MP-SUM-2] nothing said and nothing done is told as such", () => {
    expect(of(undefined)).toEqual({ text: "Status: pending. Artifacts: artifact://r/a", level: "mechanical" })
    expect(of(completed("  \n")).level).toBe("mechanical")
  })

  it("[MP-SUM-2] it stays short and keeps the reference", () => {
    const told = mechanical(ran("a", failed("m".repeat(5000), `error ${"e".repeat(5000)}`)), [
      "artifact://r/a",
    ])
    expect(told.text.length).toBeLessThanOrEqual(summaryLimit)
    expect(told.text.endsWith(" Artifacts: artifact://r/a")).toBe(true)
    expect(reasonText({ code: "timed_out", message: "m".repeat(300) })).toBe(`timed_out: ${"m".repeat(300)}`)
  })
})

describe("level 3", () => {
  it.each(executorTypes)("[MP-SUM-3] a short output of a %s is its own summary", (type) => {
    const executor = { type, target: "auto", capabilities: [] }
    const told = observed({}, completed(" All good. \n"), {}, { executor })
    expect(told).toMatchObject({ content: "All good.", summary: "All good.", summary_level: "final_output" })
    expect(action("a", { executor }).executor?.type).toBe(type)
  })
})

describe("level 4", () => {
  it("[MP-SUM-4] is asked above the limit and only there", () => {
    const { asked, summarizer } = spy(() => "compressed")
    const at = "界".repeat(summaryLimit)
    expect(summarize({ run: ran("a", completed(at)), refs: [], summarizer })).toEqual({
      text: at,
      level: "final_output",
    })
    expect(asked).toEqual([])
    const over = `${at}x`
    expect(summarize({ run: ran("a", completed(over)), refs: [], summarizer })).toEqual({
      text: "compressed",
      level: "summarizer",
    })
    expect(asked).toEqual([over])
    expect(wantsSummarizer(ran("a", completed(at)))).toBe(false)
    expect(wantsSummarizer(ran("a", completed(over)))).toBe(true)
  })

  it("[MP-SUM-4] is not asked where the tool has its own summary, or where the action failed", () => {
    const { asked, summarizer } = spy(() => "compressed")
    const long = longText(100)
    expect(
      summarize({ run: ran("a", completed(long, { summary: "own" })), refs: [], summarizer }).level,
    ).toBe("native")
    expect(summarize({ run: ran("a", failed("no", long)), refs: [], summarizer }).level).toBe("mechanical")
    expect(asked).toEqual([])
  })

  it.each([
    [
      "throws",
      () => {
        throw new Error("down")
      },
    ],
    ["gives nothing", () => undefined],
    ["gives blanks", () => "  \n "],
    ["overruns", (limit: number) => "s".repeat(limit + 1)],
  ] as const)("[MP-SUM-4] when it %s level 2 is used", (_, answer) => {
    const { asked, summarizer } = spy(answer)
    const run = ran("a", completed(longText(100)))
    expect(summarize({ run, refs: ["r"], summarizer })).toEqual(mechanical(run, ["r"]))
    expect(asked).toHaveLength(1)
  })

  it("[MP-SUM-4] an answer of exactly the limit is used, and the level is in the observation", () => {
    const { summarizer } = spy((limit) => "s".repeat(limit))
    const told = observed({}, completed(longText(100)), { summarizer })
    expect(told).toMatchObject({ content: "s".repeat(summaryLimit), summary_level: "summarizer" })
  })
})
