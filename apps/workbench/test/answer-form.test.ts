import { describe, expect, it } from "vitest"
import { type Field, fieldIn, fieldsOf, filledIn, writtenAnswer } from "../src/client/answer-form.ts"
import { languages, told } from "../src/i18n/words.ts"

const { en, zh } = languages

const schema = {
  type: "object",
  properties: {
    place: { type: "string", title: "Where", enum: ["staging", "production"] },
    machines: { type: "integer", minimum: 1, maximum: 9, description: "How many" },
    share: { type: "number" },
    version: { type: "string", minLength: 2, maxLength: 4, default: "v1" },
    notify: { type: "boolean" },
    level: { enum: [1, "two", false] },
  },
  required: ["place", "machines"],
}
const fields = fieldsOf(schema) ?? []

describe("the fields of a schema", () => {
  it("have the kind, the words, the choices and the limits of each property", () => {
    const field = (name: string, more: Partial<Field>): Field => {
      const blank = { title: name, kind: "text" as const, required: false, choices: [], initial: "" }
      return { name, ...blank, ...more }
    }
    expect(fields).toEqual([
      field("place", {
        title: "Where",
        kind: "choice",
        required: true,
        choices: ['"staging"', '"production"'],
      }),
      field("machines", { kind: "integer", required: true, least: 1, most: 9, description: "How many" }),
      field("share", { kind: "number" }),
      field("version", { initial: "v1", least: 2, most: 4 }),
      field("notify", { kind: "boolean", choices: ["true", "false"] }),
      field("level", { kind: "choice", choices: ["1", '"two"', "false"] }),
    ])
  })

  it.each([
    ["a list", { type: "object", properties: { a: { type: "array" } } }],
    ["an object", { type: "object", properties: { a: { type: "object" } } }],
    ["several types", { type: "object", properties: { a: { type: ["string", "null"] } } }],
    ["no type", { type: "object", properties: { a: {} } }],
    ["a constant", { type: "object", properties: { a: { type: "string", const: "x" } } }],
    ["choices that are not simple", { type: "object", properties: { a: { enum: ["x", null] } } }],
    ["alternatives in a property", { type: "object", properties: { a: { type: "string", anyOf: [] } } }],
    ["alternatives", { type: "object", properties: { a: { type: "string" } }, oneOf: [] }],
    ["no properties", { type: "object" }],
    ["a name that it does not describe", { properties: { a: { type: "string" } }, required: ["b"] }],
    ["no object", { type: "string" }],
  ])("are none when it asks for %s", (_, schema) => {
    expect(fieldsOf(schema)).toBeUndefined()
  })
})

describe("what is filled in", () => {
  const needed = { place: '"staging"', machines: "3" }

  it("is an answer of the right types, without what was left empty", () => {
    expect(filledIn(fields, needed)).toEqual({
      ok: true,
      payload: { place: "staging", machines: 3, version: "v1" },
    })
    const all = { ...needed, share: " -0.5 ", version: "12", notify: "false", level: '"two"' }
    expect(filledIn(fields, all)).toEqual({
      ok: true,
      payload: { place: "staging", machines: 3, share: -0.5, version: "12", notify: false, level: "two" },
    })
  })

  it.each([
    ["place", "", { kind: "required" }],
    ["machines", "  ", { kind: "required" }],
    ["machines", "many", { kind: "integer" }],
    ["machines", "1.5", { kind: "integer" }],
    ["machines", "0", { kind: "least", limit: 1 }],
    ["machines", "10", { kind: "most", limit: 9 }],
    ["share", "0x10", { kind: "number" }],
    ["share", "Infinity", { kind: "number" }],
    ["version", "v", { kind: "shortest", limit: 2 }],
    ["version", "v1234", { kind: "longest", limit: 4 }],
  ])("in %s as %j is told at the field", (name, text, problem) => {
    expect(filledIn(fields, { ...needed, [name]: text })).toEqual({
      ok: false,
      problems: { [name]: problem },
    })
  })

  it("has every problem at once", () => {
    const filled = filledIn(fields, {})
    expect(filled.ok === false && Object.keys(filled.problems)).toEqual(["place", "machines"])
  })
})

it.each(["", "{", "[]", "7", "null"])("a written answer %j is no object", (text) => {
  expect(writtenAnswer(text)).toEqual({ ok: false, problems: { "": { kind: "object" } } })
})

it("a written answer is sent as it is", () => {
  expect(writtenAnswer('{"places":["a"]}')).toEqual({ ok: true, payload: { places: ["a"] } })
})

it.each([
  ["input.payload.machines", "machines"],
  ["payload.machines", "machines"],
  ["input.payload.other", ""],
  ["input.payload", ""],
  ["input.decision", undefined],
  [undefined, undefined],
])("a refusal about %s is shown at %j", (path, name) => {
  expect(fieldIn(path, fields)).toBe(name)
})

describe("the words of the runtime", () => {
  it.each([
    ["Waiting for you", "等你处理"],
    ["Allow write?", "允许 write？"],
    ["A person said no. Not this file.", "有人拒绝了：Not this file."],
    ["Something of a tool's own.", "Something of a tool's own."],
  ])("%s is told in Chinese where the page has words for it", (said, shown) => {
    expect(told(zh, said)).toBe(shown)
    expect(told(en, said)).toBe(said)
  })

  it("each problem of a field has words", () => {
    const problems = [
      ...(["required", "number", "integer", "object"] as const).map((kind) => ({ kind })),
      ...(["least", "most", "shortest", "longest"] as const).map((kind) => ({ kind, limit: 7 })),
    ]
    for (const words of [en, zh]) {
      const all = problems.map((problem) => words.talk.fieldProblem(problem))
      expect(new Set(all).size).toBe(8)
      expect(all.slice(4).every((text) => text.includes("7"))).toBe(true)
    }
  })
})
