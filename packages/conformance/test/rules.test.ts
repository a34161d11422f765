import { describe, expect, test } from "vitest"
import { readCatalogs } from "../src/report.ts"
import { parseRules, repeatedIds } from "../src/rules.ts"

describe("a catalog", () => {
  test("its rows become rules", () => {
    const text =
      "## ACT\n\n| id | level | rule | proven in |\n|---|---|---|---|\n| RT-ACT-3 | EDGE | Once only. | unit |\n"
    expect(parseRules(text)).toEqual([
      { id: "RT-ACT-3", area: "RT-ACT", level: "EDGE", rule: "Once only.", proof: "unit" },
    ])
  })
  test("an escaped pipe stays in its cell", () => {
    expect(parseRules("| UI-A11Y-1 | MUST | `a \\| b` | unit |")[0]).toMatchObject({
      area: "UI-A11Y",
      rule: "`a | b`",
      proof: "unit",
    })
  })
  test.each([
    "| RT-ACT-3 | MAYBE | a | b |",
    "| field | RT-ACT-3 |",
    "RT-ACT-3 | MUST | a | b",
    "| RT-ACT | MUST | a | b |",
  ])("%j is no rule", (line) => expect(parseRules(line)).toEqual([]))
  test("a repeated id is named", () => {
    const row = "| RT-ACT-3 | EDGE | a | b |"
    expect(repeatedIds(parseRules(`${row}\n${row}`))).toEqual(["RT-ACT-3"])
  })
})

describe("the catalogs of this repository", () => {
  const rules = readCatalogs()
  test("hold every rule once", () => expect(repeatedIds(rules)).toEqual([]))
  test("leave no cell empty", () => expect(rules.filter(({ rule, proof }) => !rule || !proof)).toEqual([]))
  test("number each area from 1 without a hole", () => {
    const areas = Map.groupBy(rules, ({ area }) => area)
    const holes = [...areas].filter(([area, members]) => {
      const ids = new Set(members.map(({ id }) => id))
      return members.some((_, n) => !ids.has(`${area}-${n + 1}`))
    })
    expect(holes.map(([area]) => area)).toEqual([])
    expect([...areas.keys()]).toEqual(expect.arrayContaining(["RT-ENV", "MP-GRAPH", "UI-SURF"]))
  })
})
