import { describe, expect, test } from "vitest"
import { coverage, coveredIds, grown, lost, ruleIdOf, type TestTitle } from "../src/coverage.ts"
import { faults, summary } from "../src/report.ts"
import { parseRules } from "../src/rules.ts"

const rules = parseRules(
  ["RT-ACT-1", "RT-ACT-2", "RT-ENV-1"].map((id) => `| ${id} | MUST | The rule ${id}. | unit |`).join("\n"),
)
const ran = (name: string, state = "passed"): TestTitle => ({ name, state, file: "a.test.ts" })
const statuses = (...tests: TestTitle[]) => coverage(rules, tests).rules.map(({ status }) => status)

describe("coverage", () => {
  test("a passing test whose title begins with the id covers the rule", () => {
    expect(statuses(ran("[RT-ACT-1] works"))).toEqual(["covered", "untested", "untested"])
  })
  test.each([
    "RT-ACT-1 works",
    "works [RT-ACT-1]",
    " [RT-ACT-1] works",
    "[rt-act-1] works",
    "[RT-ACT-11] works",
  ])("%j covers nothing", (name) => expect(statuses(ran(name))).toEqual(["untested", "untested", "untested"]))
  test.each(["failed", "pending"])("one %s test outweighs those that passed", (state) => {
    expect(statuses(ran("[RT-ACT-1] a"), ran("[RT-ACT-1] b", state), ran("[RT-ACT-1] c"))[0]).toBe("failing")
  })
  test("a skipped test neither covers nor spoils", () => {
    expect(statuses(ran("[RT-ACT-1] a", "skipped"))[0]).toBe("untested")
    expect(statuses(ran("[RT-ACT-1] a", "skipped"), ran("[RT-ACT-1] b"))[0]).toBe("covered")
  })
  test("a title with an unknown id is named with its file", () => {
    expect(coverage(rules, [ran("[RT-ACT-9] a")]).strangers).toEqual([{ id: "RT-ACT-9", file: "a.test.ts" }])
  })
  test("a bracket that holds no id is no rule", () => {
    expect(ruleIdOf("[sqlite] opens")).toBeUndefined()
  })
})

describe("the baseline", () => {
  const found = coverage(rules, [ran("[RT-ACT-2] a"), ran("[RT-ENV-1] a", "failed")])
  test("names what was covered and no longer is", () => {
    expect(lost(["RT-ACT-1", "RT-ACT-2", "RT-ENV-1", "RT-OLD-1"], found)).toEqual([
      "RT-ACT-1",
      "RT-ENV-1",
      "RT-OLD-1",
    ])
  })
  test("grows, sorted by number, and never shrinks", () => {
    expect(grown(["RT-ACT-10", "RT-ACT-1"], found)).toEqual(["RT-ACT-1", "RT-ACT-2", "RT-ACT-10"])
    expect(coveredIds(found)).toEqual(["RT-ACT-2"])
  })
})

describe("the check", () => {
  const found = coverage(rules, [ran("[RT-ACT-2] a"), ran("[RT-ENV-1] a", "failed"), ran("[RT-NO-1] a")])
  test("fails on what is lost, on what is unknown, and on what is not kept", () => {
    expect(faults(["RT-ENV-1"], found)).toEqual([
      "RT-ENV-1 was covered and no longer is: failing",
      "a.test.ts: the title names RT-NO-1, which no catalog has",
      "RT-ACT-2 is covered and not in the baseline: npm run rules -- --update keeps it",
    ])
  })
  test("passes when the baseline is what is covered", () => {
    expect(faults(["RT-ACT-2"], coverage(rules, [ran("[RT-ACT-2] a"), ran("[sqlite] b")]))).toEqual([])
  })
})

describe("the report", () => {
  const found = coverage(rules, [ran("[RT-ACT-2] a"), ran("[RT-ENV-1] a", "failed"), ran("[RT-NO-1] a")])
  test("counts by area and lists the rest", () => {
    expect(summary(found)).toEqual([
      "RT-ACT          1 / 2",
      "RT-ENV          0 / 1",
      "all             1 / 3",
      "a.test.ts: the title names RT-NO-1, which no catalog has",
      "",
      "RT-ACT-1       MUST   untested The rule RT-ACT-1.",
      "RT-ENV-1       MUST   failing  The rule RT-ENV-1.",
    ])
  })
  test("keeps to one area, and to what is missing", () => {
    expect(summary(found, { area: "RT-ENV", missing: true })).toEqual([
      "RT-ENV-1       MUST   failing  The rule RT-ENV-1.",
    ])
  })
})
