import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { formatId, Id, type IdKind, idPrefixes } from "../src/index.ts"

const kinds = Object.keys(idPrefixes) as IdKind[]
const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 })
const time = fc.integer({ min: 0, max: 2 ** 48 })

describe("ids", () => {
  it.each([
    ["runtime", "rtm"],
    ["session", "ses"],
    ["thread", "thr"],
    ["turn", "trn"],
    ["task", "tsk"],
    ["run", "run"],
    ["step", "stp"],
    ["tool_call", "tcl"],
    ["action", "act"],
    ["subagent", "sub"],
    ["artifact", "art"],
    ["evidence", "evd"],
    ["event", "evt"],
    ["job", "job"],
    ["channel", "chn"],
    ["process", "prc"],
    ["request", "req"],
    ["queued", "qtn"],
  ] as const)("an id of a %s begins with %s_", (kind, prefix) => {
    expect(formatId(kind, 0, new Uint8Array(16))).toBe(`${prefix}_${"0".repeat(26)}`)
  })
  it("every kind has a prefix of its own", () => {
    expect(new Set(Object.values(idPrefixes)).size).toBe(kinds.length)
    expect(kinds.length).toBe(23)
  })
  it("time and randomness are written in 32 letters without I, L, O and U", () => {
    const random = Uint8Array.from({ length: 16 }, (_, i) => i + 16)
    expect(formatId("event", 32 ** 10 - 1, random)).toBe("evt_ZZZZZZZZZZGHJKMNPQRSTVWXYZ")
    expect(formatId("event", 33, new Uint8Array(16))).toBe(`evt_0000000011${"0".repeat(16)}`)
    expect(formatId("event", 0, Uint8Array.of(32, 33, 255))).toBe(`evt_000000000001Z${"0".repeat(13)}`)
  })
  it("an id is valid wherever an id is demanded, whatever its time and randomness", () => {
    fc.assert(
      fc.property(fc.constantFrom(...kinds), time, bytes, (kind, milliseconds, random) => {
        const id = formatId(kind, milliseconds, random)
        return Id.safeParse(id).success && id.length === 30
      }),
    )
  })
  it("ids of one kind sort by their time", () => {
    fc.assert(
      fc.property(time, time, bytes, bytes, (a, b, first, second) => {
        fc.pre(a < b)
        return formatId("step", a, first) < formatId("step", b, second)
      }),
    )
  })
  it("ids with other randomness differ", () => {
    const all = Array.from({ length: 512 }, (_, i) => {
      const random = new Uint8Array(16)
      random[0] = i % 32
      random[15] = Math.floor(i / 32)
      return formatId("event", 5, random)
    })
    expect(new Set(all).size).toBe(512)
  })
  it.each(["a", "9x", "A.b:c@d-e_f", "x".repeat(128), "constructors", "my.toString"])("%s is an id", (id) => {
    expect(Id.safeParse(id).success).toBe(true)
  })
  it.each([
    "",
    "-a",
    "_a",
    ".a",
    "a b",
    "a\n",
    "a/b",
    "ä",
    "x".repeat(129),
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
    "9",
    "0012",
    "__proto__",
  ])("%j is no id", (id) => {
    const parsed = Id.safeParse(id)
    expect(parsed.error?.issues[0]?.message).toBe(
      "an id has 1 to 128 letters, digits or _ . : @ - and is no plain number",
    )
  })
  it("no id is a name that a record has by birth", () => {
    const born = Object.getOwnPropertyNames(Object.prototype).filter((name) => Id.safeParse(name).success)
    expect(born).toEqual([])
  })
})
