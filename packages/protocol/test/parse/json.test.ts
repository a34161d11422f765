import { describe, expect, it } from "vitest"
import { issue } from "../../src/issues.ts"
import { jsonPath, readJson } from "../../src/json.ts"

const limits = { size: 1000, depth: 4 }
const strict =
  "Write strict JSON: double quotes, no comments, no trailing commas. Broken JSON is not repaired."
const read = (text: string) => readJson(text, limits)
const issuesOf = (text: string) => {
  const result = read(text)
  return result.ok ? [] : result.issues
}

describe("reading JSON", () => {
  it.each([
    "null",
    " true ",
    "false",
    "0",
    "-0.5e+3",
    "12E2",
    '""',
    '"a\\n\\u0041\\"\\\\"',
    '"😀 中"',
    "[]",
    "[ 1 , [2], {} ]",
    '{"a":{"b":[null]},"":1, "toString":2}',
    "\t\r\n {} \n",
  ])("[MP-SAFE-4] what the language reads is read the same: %s", (text) => {
    expect(read(text)).toEqual({ ok: true, value: JSON.parse(text) })
  })

  it.each([
    ["", "Unexpected the end (line 1, column 1).", ""],
    ["{", "Expected a key in double quotes but found the end (line 1, column 2).", ""],
    ["[1,]", 'Unexpected "]" (line 1, column 4).', "[1]"],
    ['{"a":1,}', 'Expected a key in double quotes but found "}" (line 1, column 8).', ""],
    ["{a:1}", 'Expected a key in double quotes but found "a" (line 1, column 2).', ""],
    ["{'a':1}", `Expected a key in double quotes but found "'" (line 1, column 2).`, ""],
    ['{"a" 1}', 'Expected a colon but found "1" (line 1, column 6).', "a"],
    ['{"a":1 "b":2}', 'Expected a comma or } but found "\\"" (line 1, column 8).', ""],
    ["[1 2]", 'Expected a comma or ] but found "2" (line 1, column 4).', ""],
    ["[1", "Expected a comma or ] but found the end (line 1, column 3).", ""],
    ['"abc', "A string is not closed (line 1, column 5).", ""],
    ['"a\\', "A string is not closed (line 1, column 5).", ""],
    ['"a\nb"', "A control character stands unescaped in a string (line 1, column 3).", ""],
    ['"\\x41"', "A string holds an escape that JSON does not have (line 1, column 7).", ""],
    ['"\\ud800"', "A string holds half of a surrogate pair (line 1, column 9).", ""],
    ["01", 'Unexpected "1" after the value (line 1, column 2).', ""],
    [".5", 'Unexpected "." (line 1, column 1).', ""],
    ["NaN", 'Unexpected "N" (line 1, column 1).', ""],
    ["undefined", 'Unexpected "u" (line 1, column 1).', ""],
    ["// no\n1", 'Unexpected "/" (line 1, column 1).', ""],
    ["{} {}", 'Unexpected "{" after the value (line 1, column 4).', ""],
    ['{\n  "a": [\n    tru\n  ]\n}', 'Unexpected "t" (line 3, column 5).', "a[0]"],
    ["\u00a01", 'Unexpected "\u00a0" (line 1, column 1).', ""],
  ])("[MP-RECOVER-5] broken JSON is refused with its place and never repaired: %j", (text, message, path) => {
    expect(read(text)).toEqual({ ok: false, issues: [issue("not_json", path, message, strict)] })
  })

  it.each(["1e999", "-1e999", "9007199254740993", "-12345678901234567890", "1".repeat(400)])(
    "[MP-SAFE-4] the number %s, which cannot be kept as it is, is refused",
    (text) => {
      const fix = "Give a smaller number, or a string."
      const message = "A number is out of range (line 1, column 7)."
      expect(issuesOf(`{"n": ${text}}`)).toEqual([issue("not_json", "n", message, fix)])
    },
  )

  it.each([
    "9007199254740991",
    "-9007199254740992",
    "12345678901234567000",
    "1000000000000000000000",
    "1e300",
    "12345678901234567890.5",
  ])("[MP-SAFE-4] the number %s is read", (text) => {
    expect(read(text)).toEqual({ ok: true, value: Number(text) })
  })

  it.each([
    ['{"a":1,"a":2}', "a"],
    ['{"a":1,"\\u0061":2}', "a"],
    ['{"x":[{"b":1,"b":1}]}', "x[0].b"],
  ])("[MP-SAFE-4] a repeated key is refused: %s", (text, path) => {
    const key = path.at(-1)
    expect(issuesOf(text)).toEqual([
      issue("duplicate_key", path, `The key "${key}" occurs twice.`, "Give each key once."),
    ])
  })

  it.each(["__proto__", "constructor", "prototype"])("[MP-SAFE-4] the key %s is refused anywhere", (key) => {
    expect(issuesOf(`{"a":{"${key}":{"polluted":true}}}`)).toEqual([
      issue("forbidden_key", `a.${key}`, `The key ${key} is not allowed.`, "Use another key."),
    ])
  })

  it("[MP-SAFE-4] all bad keys are told at once, before what comes after them", () => {
    expect(issuesOf('{"a":1,"a":2,"prototype":3,"c":}').map(({ code, path }) => [code, path])).toEqual([
      ["duplicate_key", "a"],
      ["forbidden_key", "prototype"],
      ["not_json", "c"],
    ])
  })

  it("[MP-SAFE-4] of very many bad keys the first hundred are told", () => {
    const keys = Array.from({ length: 300 }, () => '"a":1').join(",")
    const read = readJson(`{${keys}}`, { size: 10_000, depth: 4 })
    expect(read.ok || read.issues.length).toBe(100)
  })

  it("[MP-SAFE-4] depth is counted in objects and arrays, and one too many is refused", () => {
    expect(read('[[{"a":[]}]]')).toEqual({ ok: true, value: [[{ a: [] }]] })
    expect(issuesOf('[[{"a":[[]]}]]')).toEqual([
      issue(
        "too_deep",
        "[0][0].a[0]",
        "Objects and arrays are nested more than 4 deep (line 1, column 10).",
        "Nest less deeply.",
      ),
    ])
  })

  it("[MP-SAFE-4] no given depth lets reading exhaust the stack", () => {
    const deep = readJson("[".repeat(100_000), { size: 1_000_000, depth: Number.MAX_SAFE_INTEGER })
    expect(deep.ok).toBe(false)
    if (!deep.ok) expect(deep.issues[0]?.message).toContain("more than 500 deep")
    expect(readJson("[".repeat(500) + "]".repeat(500), { size: 1001, depth: 1e9 }).ok).toBe(true)
  })

  it("[MP-SAFE-4] size is limited to the character", () => {
    expect(read(`"${"a".repeat(998)}"`).ok).toBe(true)
    expect(issuesOf(`"${"a".repeat(999)}"`)).toEqual([
      issue(
        "too_large",
        "",
        "The declaration has 1001 characters; at most 1000 are read.",
        "Declare less at once.",
      ),
    ])
  })

  it("[MP-ENV-8] a path spells words plainly and quotes everything else", () => {
    expect(jsonPath(["payload", "actions", 2, "x-y", "a b", "z", "1"])).toBe(
      'payload.actions[2].x-y["a b"].z["1"]',
    )
    expect(jsonPath([0, "a"])).toBe("[0].a")
    expect(jsonPath(["a", "k".repeat(80)])).toBe(`a.${"k".repeat(80)}`)
    expect(jsonPath(["a", "k".repeat(81)])).toBe(`a["${"k".repeat(80)}"]`)
  })
})
