import { describe, expect, it } from "vitest"
import { z } from "zod"
import { problems } from "../../src/declaration/problems.ts"

const inner = z.strictObject({ kind: z.literal("deep"), size: z.int() })
const schema = z.strictObject({
  name: z.string(),
  flag: z.boolean().optional(),
  count: z.number().optional(),
  whole: z.int().optional(),
  list: z.array(z.string()).optional(),
  map: z.record(z.string(), z.string()).optional(),
  choice: z.enum(["a", "b"]).optional(),
  short: z.string().max(3).optional(),
  either: z.union([z.string(), inner]).optional(),
  date: z.date().optional(),
})
const fields = "name, flag, count, whole, list, map, choice, short, either, date"
const of = (value: unknown) => problems(schema, value)
const invalid = (path: string, is: string, fix: string) => ({
  code: "invalid_field",
  path,
  message: `${path} is ${is}.`,
  fix,
})

describe("how a value misses its schema", () => {
  it("[MP-ENV-8] a value that fits has no problem", () => {
    expect(of({ name: "x", either: { kind: "deep", size: 1 } })).toEqual([])
  })

  it.each<[unknown, string]>([
    [3, "3"],
    [null, "null"],
    [true, "true"],
    [[], "an empty array"],
    [[1], "an array"],
    [{}, "an object"],
  ])("[MP-ENV-8] %j in the place of a text is shown", (value, shown) => {
    expect(of({ name: value })).toEqual([invalid("name", shown, "Give a string.")])
  })

  it.each<[string, unknown, string, string]>([
    ["flag", "yes", '"yes"', "Give true or false."],
    ["count", "x".repeat(60), `"${"x".repeat(60)}"`, "Give a number."],
    ["count", "x".repeat(61), `"${"x".repeat(60)}"…`, "Give a number."],
    ["whole", 1.5, "1.5", "Give a whole number."],
    ["list", {}, "an object", "Give an array."],
    ["date", 1, "1", "Give date."],
    ["choice", "c", '"c"', 'Give "a", "b".'],
    ["short", "long", '"long"', "Correct this value."],
    ["either", 1, "1", "Correct this value."],
  ])("[MP-ENV-8] %s: %j is told with the form that is expected", (path, value, shown, fix) => {
    expect(of({ name: "x", [path]: value })).toEqual([invalid(path, shown, fix)])
  })

  it("[MP-ENV-8] what is missing is named, the declaration itself too", () => {
    expect(of({})).toEqual([
      { code: "missing_field", path: "name", message: "name is missing.", fix: "Give a string." },
    ])
    expect(of(undefined)).toEqual([
      { code: "missing_field", path: "", message: "The declaration is missing.", fix: "Give an object." },
    ])
    expect(of([])).toEqual([
      {
        code: "invalid_field",
        path: "",
        message: "The declaration is an empty array.",
        fix: "Give an object.",
      },
    ])
  })

  it("[MP-ENV-7] each unknown field is named with those that there are, and cut where it is long", () => {
    const fix = `The fields here are ${fields}; one whose name begins with x_ is stored and ignored.`
    const long = "k".repeat(81)
    expect(of({ name: "x", nam: 1, [long]: 2 })).toMatchObject([
      { code: "unknown_field", path: "nam", message: 'There is no field "nam" here.', fix },
      { code: "unknown_field", message: `There is no field "${"k".repeat(80)}" here.`, fix },
    ])
  })

  it("[MP-ENV-8] of several forms the one that was meant is told about", () => {
    expect(of({ name: "x", either: { kind: "deep", size: "1" } })).toEqual([
      invalid("either.size", '"1"', "Give a number."),
    ])
    expect(of({ name: "x", either: { kind: "deep", size: 1, more: 2 } })).toEqual([
      {
        code: "unknown_field",
        path: "either.more",
        message: 'There is no field "more" here.',
        fix: "The fields here are kind, size; one whose name begins with x_ is stored and ignored.",
      },
    ])
    expect(of({ name: "x", either: { kind: "deep" } })).toMatchObject([
      { code: "missing_field", path: "either.size" },
    ])
  })

  it("[MP-ENV-8] a choice that is missing is missing", () => {
    expect(problems(z.object({ either: z.union([z.string(), inner]) }), {})).toEqual([
      { code: "missing_field", path: "either", message: "either is missing.", fix: "Correct this value." },
    ])
  })

  it("[MP-SAFE-4] a field that only every object has is missing", () => {
    expect(problems(z.object({ a: z.object({ toString: z.string() }) }), { a: {} })).toMatchObject([
      { path: "a.toString" },
    ])
  })

  it.each<[string, readonly (string | number)[], string]>([
    ["MP-ENV-1", ["version"], "unsupported_version"],
    ["MP-ENV-1", ["payload", "version"], "invalid_field"],
    ["MP-ENV-1", ["title"], "invalid_field"],
    ["MP-GRAPH-11", ["actions", 0, "when"], "invalid_condition"],
    ["MP-GRAPH-11", ["actions", 0, "when", "status"], "invalid_condition"],
    ["MP-GRAPH-11", ["actions", 0, "input", "when"], "invalid_field"],
    ["MP-GRAPH-11", ["actions", "when"], "invalid_field"],
    ["MP-GRAPH-13", ["actions", 0, "repeat"], "unbounded_loop"],
    ["MP-GRAPH-13", ["actions", 0, "repeat", "max"], "unbounded_loop"],
    ["MP-GRAPH-13", ["actions", 0, "repeat", "until"], "invalid_condition"],
    ["MP-GRAPH-13", ["actions", 0, "repeat", "until", "field"], "invalid_condition"],
  ])("[%s] a fault at %j has the code of its place", (_, at, code) => {
    expect(problems(z.string(), 1, at).map((found) => found.code)).toEqual([code])
  })
})
