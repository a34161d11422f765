import { describe, expect, it } from "vitest"
import type { Tokenizer } from "../../src/observation.ts"
import { cutStructure, structureOf } from "../../src/structure.ts"

/** A token for each character. */
const letters: Tokenizer = {
  count: (text) => text.length,
  encode: (text) => [...text].map((letter) => letter.codePointAt(0) ?? 0),
  decode: (tokens) => String.fromCodePoint(...tokens),
}

describe("the structure of a result", () => {
  it.each<[string, unknown, string, unknown]>([
    ["data before the output", { a: 1 }, "[2]", { value: { a: 1 }, text: '{"a":1}' }],
    ["an output that is an object", undefined, ' \n{"a": 1}', { value: { a: 1 }, text: '{"a":1}' }],
    ["an output that is a list", "text", "[1, 2]", { value: [1, 2], text: "[1,2]" }],
    ["a list as data", [1], "x", { value: [1], text: "[1]" }],
    ["null", null, "x", undefined],
    ["words", "a", "b", undefined],
    ["a number as output", 5, "5", undefined],
    ["a quoted text as output", undefined, '"{}"', undefined],
    ["words before a list", undefined, "see [1]", undefined],
    ["broken JSON", undefined, "{a", undefined],
    ["data that is rendered as text", { toJSON: () => "x" }, "", undefined],
    ["data that is rendered as null", { toJSON: () => null }, "", undefined],
    ["data that is rendered as nothing", { toJSON: () => undefined }, "", undefined],
    ["data that throws", { toJSON: () => JSON.parse("{") }, "", undefined],
  ])("[MP-RES-3] %s", (_, data, output, structure) => {
    expect(structureOf(data, output)).toEqual(structure)
  })

  const list = [1, 2, 3, 4, 5, 6, 7, 8, 9]
  const cutTo = (max: number, value: unknown = list) =>
    cutStructure(value, JSON.stringify(value), max, letters, ({ tokens }) => `+${tokens}`)

  it("[MP-RES-11] what fits exactly is not cut", () => {
    expect(cutTo(19)).toEqual({ text: "[1,2,3,4,5,6,7,8,9]" })
  })

  it.each([
    [18, "[1,2,3,4,5,6,7]+4", { tokens: 4, characters: 4 }],
    [17, "[1,2,3,4,5,6,7]+4", { tokens: 4, characters: 4 }],
    [16, "[1,2,3,4,5,6]+6", { tokens: 6, characters: 6 }],
    [15, "[1,2,3,4,5,6]+6", { tokens: 6, characters: 6 }],
    [12, "[1,2,3,4]+10", { tokens: 10, characters: 10 }],
    [6, "[1]+16", { tokens: 16, characters: 16 }],
    [5, "+19", { tokens: 19, characters: 19 }],
    [3, "+19", { tokens: 19, characters: 19 }],
    [2, "", { tokens: 19, characters: 19 }],
  ])("[MP-RES-11] in %i tokens as many whole items as fit", (max, text, omitted) => {
    expect(cutTo(max)).toEqual({ text, omitted })
  })

  it("[MP-RES-11] the first fields of an object are kept", () => {
    expect(cutTo(16, { a: 1, b: 2, c: 3 })).toEqual({
      text: '{"a":1,"b":2}+6',
      omitted: { tokens: 6, characters: 6 },
    })
  })
})
