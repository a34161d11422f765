import { describe, expect, it } from "vitest"
import { z } from "zod"
import { check, defineEvent, type EventDefinition, validateFact } from "../src/index.ts"
import { fact, types } from "./given.ts"

/** Version 1 said `name`; 2 renamed it to `title`; 3 added `size`. */
const third = defineEvent("session.created", {
  version: 3,
  doc: "For this test.",
  scope: "session",
  payload: z.strictObject({ title: z.string(), size: z.number() }),
  upcast: {
    1: ({ name, ...rest }) => ({ ...rest, title: name }),
    2: (payload) => ({ ...payload, size: 0 }),
  },
})
const known = new Map<string, EventDefinition>([[third.type, third]])
const stored = (schema_version: number, payload: Record<string, unknown>) => ({
  ...fact("session.created"),
  schema_version,
  payload,
})

describe("versions", () => {
  it("[RT-ENV-5] a fact of the current version reads as it is", () => {
    const one = stored(3, { title: "T", size: 4 })
    expect(check(one, "read", known)).toEqual({ ok: true, fact: one, warnings: [] })
  })
  it("[RT-ENV-5] a known older version still reads, one step at a time", () => {
    expect(check(stored(2, { title: "T" }), "read", known)).toEqual({
      ok: true,
      fact: stored(3, { title: "T", size: 0 }),
      warnings: [],
    })
    expect(check(stored(1, { name: "T" }), "read", known)).toEqual({
      ok: true,
      fact: stored(3, { title: "T", size: 0 }),
      warnings: [],
    })
  })
  it("reading an old fact leaves the stored one as it was", () => {
    const old = stored(1, { name: "T" })
    check(old, "read", known)
    expect(old).toEqual(stored(1, { name: "T" }))
  })
  it("[RT-ENV-5] a newer version is refused, not guessed", () => {
    const issue = {
      code: "unsupported_version",
      field: "schema_version",
      message: "session.created is known up to version 3, not in 4.",
    }
    for (const mode of ["append", "read"] as const) {
      expect(check(stored(4, { title: "T", size: 1 }), mode, known)).toEqual({ ok: false, issues: [issue] })
    }
  })
  it("[RT-ENV-5] an older version without a way up is refused", () => {
    const alone = new Map<string, EventDefinition>([
      [third.type, { ...third, upcast: { 1: third.upcast[1] ?? ((p) => p) } }],
    ])
    const result = check(stored(1, { name: "T" }), "read", alone)
    expect(result.ok ? [] : result.issues.map(({ code }) => code)).toEqual(["unsupported_version"])
  })
  it("[RT-ENV-5] a version beside other faults is told with them", () => {
    const result = check({ ...stored(4, {}), step_id: "stp_1" }, "read", known)
    expect(result.ok ? [] : result.issues.map(({ code }) => code)).toEqual([
      "not_applicable_id",
      "unsupported_version",
    ])
  })
  it("an upcast payload is checked against the current schema", () => {
    const result = check(stored(1, { name: 5 }), "read", known)
    expect(result.ok ? [] : result.issues.map(({ field }) => field)).toEqual(["payload.title"])
  })
  it("a draft has no version yet and is of the current one", () => {
    const { session_id } = fact("session.created")
    const draft = { type: "session.created", session_id, payload: { title: "T", size: 1 } }
    expect(check(draft, "draft", known)).toEqual({ ok: true, fact: draft, warnings: [] })
  })
  it("[RT-ENV-5] a fact without schema_version is refused", () => {
    const { schema_version: _, ...rest } = fact("session.created")
    const result = validateFact(rest)
    expect(result.ok ? [] : result.issues.map(({ code, field }) => `${code} ${field}`)).toEqual([
      "missing_field schema_version",
    ])
  })
  it.each(types)("[RT-ENV-5] %s of a future version is refused", (type) => {
    const one = fact(type)
    const result = validateFact({ ...one, schema_version: one.schema_version + 1 })
    expect(result.ok ? [] : result.issues.map(({ code }) => code)).toEqual(["unsupported_version"])
  })
})
