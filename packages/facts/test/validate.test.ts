import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  Envelope,
  isRuntimeEvent,
  isVendorType,
  oversized,
  readFact,
  scopeIds,
  validateDraft,
  validateFact,
  workIds,
} from "../src/index.ts"
import { at, fact, types } from "./given.ts"
import { optionalIds, requiredIds } from "./identity-table.ts"
import { otherType, requiredOf } from "./payload-schema.ts"
import { onRuntime, onSession, onTurn, ref, samples } from "./samples.ts"

const without = (one: object, ...fields: string[]): object =>
  Object.fromEntries(Object.entries(one).filter(([name]) => !fields.includes(name)))
const issuesOf = (value: unknown) => {
  const result = validateFact(value)
  return result.ok ? [] : result.issues.map(({ code, field }) => `${code} ${field}`)
}
const created = fact("session.created")
const vendor = { ...created, type: "x-acme.thing" }

describe("type", () => {
  it("[RT-ENV-1] there are 58 standard and 55 extended classes, each once", () => {
    expect(new Set(types).size).toBe(113)
    expect(types.length).toBe(113)
  })
  it.each(types)("[RT-ENV-1] %s is a normalized class", (type) => {
    const one = fact(type)
    expect(validateFact(one)).toEqual({ ok: true, fact: one, warnings: [] })
    expect(isRuntimeEvent(one)).toBe(true)
  })
  it("[RT-ENV-1] a fact without type is refused", () => {
    expect(issuesOf(without(created, "type"))).toEqual(["missing_field type"])
  })
  it.each([
    "thing",
    "session.exploded",
    "Session.created",
    "acme.thing",
    "x-.thing",
    "x-acme",
    "x-acme.",
    "ax-acme.thing",
    "x-acme.thing!",
  ])("[RT-ENV-1] %s, bare and unknown, is refused", (type) => {
    expect(issuesOf({ ...created, type })).toEqual(["unknown_type type"])
    expect(isVendorType(type)).toBe(false)
  })
  it.each(["", 7, null, "x".repeat(121)])("[RT-ENV-1] %j is no type", (type) => {
    expect(issuesOf({ ...created, type })).toEqual(["invalid_field type"])
  })
  it("[RT-ENV-1] a namespaced vendor type is accepted, up to 120 characters", () => {
    const long = `x-acme.${"t".repeat(113)}`
    for (const type of ["x-acme.thing", "x-0.a", "x-a-b.c_d.e-f", long]) {
      expect(validateFact({ ...created, type }).ok).toBe(true)
      expect(isVendorType(type)).toBe(true)
    }
  })
  it("[RT-EVT-31] a vendor's fact is kept as it is, with a warning, and is no runtime event", () => {
    const warning = { code: "unknown_type", field: "type", message: "x-acme.thing is kept and skipped." }
    expect(validateFact(vendor)).toEqual({ ok: true, fact: vendor, warnings: [warning] })
    expect(isRuntimeEvent(vendor)).toBe(false)
  })
  it("[RT-EVT-31] a reader keeps an unknown type with one warning; a writer is refused", () => {
    const unknown = { ...created, type: "session.exploded" }
    const message = "session.exploded is kept and skipped."
    expect(readFact(unknown)).toEqual({
      ok: true,
      fact: unknown,
      warnings: [{ code: "unknown_type", field: "type", message }],
    })
    expect(validateFact(unknown)).toEqual({
      ok: false,
      issues: [
        {
          code: "unknown_type",
          field: "type",
          message: "session.exploded is no normalized class; a vendor's own begins with x-<vendor>.",
        },
      ],
    })
  })
  it("a vendor's fact still names its place", () => {
    expect(issuesOf({ ...vendor, session_id: undefined, thread_id: "thr_1" })).toEqual([
      "missing_id session_id",
    ])
  })
})

describe("envelope fields", () => {
  it("[RT-ENV-2] a fact without event_id is refused", () => {
    expect(issuesOf(without(created, "event_id"))).toEqual(["missing_field event_id"])
  })
  it.each(["", "_a", "a b", "é", "a".repeat(129), 7, null, "constructor", "toString", "valueOf"])(
    "[RT-ENV-2] %j is no event_id",
    (event_id) => expect(issuesOf({ ...created, event_id })).toEqual(["invalid_field event_id"]),
  )
  it("[RT-ENV-3] a fact without timestamp is refused", () => {
    expect(issuesOf(without(created, "timestamp"))).toEqual(["missing_field timestamp"])
  })
  it.each([
    "",
    "2026-01-01",
    "2026-13-01T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "yesterday",
    5,
    "x2026-01-01T00:00:00Z",
  ])("[RT-ENV-3] %j is no timestamp", (timestamp) =>
    expect(issuesOf({ ...created, timestamp })).toEqual(["invalid_field timestamp"]),
  )
  it("[RT-ENV-3] the producer's time survives validation and JSON unchanged", () => {
    const timestamp = "1999-12-31T23:59:59.123456Z"
    const result = validateFact(JSON.parse(JSON.stringify({ ...created, timestamp })))
    expect(result.ok && result.fact.timestamp).toBe(timestamp)
  })
  it("[RT-ENV-4] a fact without sequence is refused", () => {
    expect(issuesOf(without(created, "sequence"))).toEqual(["missing_field sequence"])
  })
  it.each([0, -1, 1.5, "1", Number.NaN, 2 ** 53, null])("[RT-ENV-4] %j is no sequence", (sequence) => {
    expect(issuesOf({ ...created, sequence })).toEqual(["invalid_field sequence"])
  })
  it.each([1, 2, Number.MAX_SAFE_INTEGER])("[RT-ENV-4] %j is a sequence", (sequence) => {
    expect(issuesOf({ ...created, sequence })).toEqual([])
  })
  it("[RT-ENV-8] without telemetry a fact has neither trace nor span", () => {
    expect(issuesOf(without(created, "trace_id", "span_id"))).toEqual([])
  })
  it.each(["trace_id", "span_id"])(
    "[RT-ENV-8] an empty %s is refused, and so is one of no string",
    (name) => {
      const traced = { ...created, trace_id: "t1", span_id: "s1" }
      for (const value of ["", 7, null, "x".repeat(65)]) {
        expect(issuesOf({ ...traced, [name]: value })).toEqual([`invalid_field ${name}`])
      }
      expect(issuesOf({ ...traced, [name]: "x".repeat(64) })).toEqual([])
    },
  )
  it("[RT-ENV-8] a span names its trace", () => {
    expect(issuesOf({ ...created, span_id: "s1" })).toEqual(["missing_id trace_id"])
    expect(issuesOf({ ...created, trace_id: "t1" })).toEqual([])
  })
  it("[RT-ENV-9] a fact without payload, or with one that is no object, is refused", () => {
    expect(issuesOf(without(created, "payload"))).toEqual(["missing_field payload"])
    for (const payload of [null, [], "text", 3]) {
      expect(issuesOf({ ...created, payload })).toEqual(["invalid_field payload"])
    }
  })
  it("refs are a list of references", () => {
    expect(issuesOf({ ...created, refs: [ref] })).toEqual([])
    expect(issuesOf({ ...created, refs: [{ uri: "" }] })).toEqual(["invalid_field refs"])
    expect(issuesOf({ ...created, refs: ref })).toEqual(["invalid_field refs"])
  })
  it.each([...scopeIds, ...workIds, "runtime_id"])("%s is an id when it is there", (name) => {
    const issues = issuesOf({ ...fact("turn.started"), [name]: "not an id" })
    expect(issues).toEqual([`invalid_field ${name}`])
  })
  it("a field that is undefined counts as absent", () => {
    expect(issuesOf({ ...created, trace_id: undefined, refs: undefined })).toEqual([])
    expect(issuesOf({ ...created, event_id: undefined })).toEqual(["missing_field event_id"])
  })
  it("a field that no envelope has is refused", () => {
    const result = validateFact({ ...created, eventId: "evt_1" })
    const message = "A fact has no field eventId here."
    expect(result).toEqual({ ok: false, issues: [{ code: "unknown_field", field: "eventId", message }] })
  })
  it("a prototype smuggled in by JSON is an unknown field", () => {
    const smuggled = JSON.parse(JSON.stringify(created).replace("{", '{"__proto__":{"a":1},'))
    expect(issuesOf(smuggled)).toEqual(["unknown_field __proto__"])
  })
  it.each([null, undefined, "text", 7, [created], true])("%j is no fact", (value) => {
    const issue = { code: "not_an_object", field: "", message: "A fact is an object." }
    expect(validateFact(value)).toEqual({ ok: false, issues: [issue] })
  })
  it("every issue is told at once, with a sentence", () => {
    const result = validateFact({ type: "session.created", sequence: 0, odd: 1 })
    expect(result).toEqual({
      ok: false,
      issues: [
        { code: "invalid_field", field: "sequence", message: "sequence is not well formed." },
        { code: "unknown_field", field: "odd", message: "A fact has no field odd here." },
        { code: "missing_field", field: "event_id", message: "A fact needs event_id." },
        { code: "missing_field", field: "timestamp", message: "A fact needs timestamp." },
        { code: "missing_field", field: "schema_version", message: "A fact needs schema_version." },
        { code: "missing_field", field: "payload", message: "A fact needs payload." },
      ],
    })
  })
})

describe("scope ids", () => {
  const cases = types.flatMap((type) => requiredIds(type).map((id) => [type, id] as const))
  const inScope = cases.filter(([, id]) => (scopeIds as readonly string[]).includes(id))
  const ofWork = cases.filter(([, id]) => !(scopeIds as readonly string[]).includes(id))

  it.each(inScope)("[RT-ENV-6] %s without %s is refused", (type, id) => {
    expect(issuesOf(without(fact(type), id))).toContain(`missing_id ${id}`)
  })
  it("[RT-ENV-6] the same id is missed once", () => {
    expect(issuesOf(without(fact("turn.started"), "session_id"))).toEqual(["missing_id session_id"])
    expect(issuesOf(without(fact("turn.started"), "thread_id"))).toEqual(["missing_id thread_id"])
    expect(issuesOf(without(fact("turn.started"), "turn_id"))).toEqual(["missing_id turn_id"])
  })
  it("[RT-ENV-6] a fact that names a turn names its thread, and one that names a thread its session", () => {
    expect(issuesOf({ ...fact("session.created"), turn_id: "trn_1" })).toEqual(["missing_id thread_id"])
    expect(issuesOf({ ...fact("limit.changed"), thread_id: "thr_1" })).toEqual(["missing_id session_id"])
    expect(issuesOf({ ...fact("limit.changed"), ...onTurn })).toEqual([])
  })
  it("a fact of no session names its runtime, and one of a session may", () => {
    expect(issuesOf(without(fact("limit.changed"), "runtime_id"))).toEqual(["missing_id runtime_id"])
    expect(issuesOf({ ...without(fact("limit.changed"), "runtime_id"), ...onSession })).toEqual([])
    expect(issuesOf({ ...created, ...onRuntime })).toEqual([])
  })
  it("each missing link is told with a sentence", () => {
    const messages = (value: unknown) => {
      const result = validateFact(value)
      return result.ok ? [] : result.issues.map(({ message }) => message)
    }
    expect(messages({ ...created, turn_id: "trn_1" })).toEqual(["A fact of a turn names its thread."])
    expect(messages({ ...fact("limit.changed"), thread_id: "thr_1" })).toEqual([
      "A fact of a thread names its session.",
    ])
    expect(messages(without(fact("limit.changed"), "runtime_id"))).toEqual([
      "A fact of no session names its runtime.",
    ])
    expect(messages({ ...created, span_id: "s" })).toEqual(["A span names its trace."])
    expect(messages(without(created, "session_id"))).toEqual([
      "A fact of no session names its runtime.",
      "session.created needs session_id.",
    ])
    expect(messages({ ...created, step_id: "stp_1" })).toEqual(["step_id does not apply to session.created."])
    expect(messages({ ...fact("task.attempt.started"), attempt_id: "run_2" })).toEqual([
      "run_id and attempt_id are two names of one value.",
    ])
  })

  it.each(ofWork)("[RT-ENV-7] %s without %s is refused", (type, id) => {
    expect(issuesOf(without(fact(type), id))).toEqual([`missing_id ${id}`])
  })
  it.each(types)("[RT-ENV-7] %s carries no work id that does not apply to it", (type) => {
    const may = new Set<string>([...requiredIds(type), ...optionalIds(type)])
    for (const id of workIds) {
      const value = id === "run_id" || id === "attempt_id" ? "run_1" : "any_1"
      const expected = may.has(id) ? [] : [`not_applicable_id ${id}`]
      expect(issuesOf({ ...fact(type), [id]: value })).toEqual(expected)
    }
  })
  it("[RT-ENV-7] tool.catalog.resolved needs no tool_call_id, and may not have one", () => {
    expect(issuesOf(fact("tool.catalog.resolved"))).toEqual([])
    expect(issuesOf({ ...fact("tool.catalog.resolved"), tool_call_id: "tcl_1" })).toEqual([
      "not_applicable_id tool_call_id",
    ])
  })
  it("[RT-ENV-7] task.profile.resolved needs no task_id when no task exists, and may have one", () => {
    expect(issuesOf(fact("task.profile.resolved"))).toEqual([])
    expect(issuesOf(fact("task.profile.resolved", { task_id: "tsk_1" }))).toEqual([])
  })
  it("[RT-ID-6] run_id and attempt_id are equal wherever both occur", () => {
    expect(issuesOf(fact("task.attempt.started", { attempt_id: "run_2" }))).toEqual([
      "id_mismatch attempt_id",
    ])
    expect(issuesOf(fact("turn.started", { run_id: "run_1", attempt_id: "run_2" }))).toEqual([
      "id_mismatch attempt_id",
    ])
    expect(issuesOf(fact("turn.started", { run_id: "run_1", attempt_id: "run_1" }))).toEqual([])
    expect(issuesOf(fact("turn.started", { run_id: "run_1" }))).toEqual([])
  })
  it.each([
    ["message", "model.completed", ["step_id"]],
    ["tool call", "tool.result", ["tool_call_id"]],
    ["action", "action.resolved", ["action_id"]],
    ["task", "task.completed", ["task_id"]],
  ] as const)("[RT-ID-13] a %s that has only a message id fails validation", (_, type, own) => {
    const keyed = { ...without(fact(type), ...own), message_id: "msg_1" }
    expect(issuesOf(keyed)).toEqual(["unknown_field message_id"])
    expect(issuesOf(without(keyed, "message_id"))).toEqual(own.map((id) => `missing_id ${id}`))
  })
  it("[RT-ID-13] an artifact that has only a message id fails validation", () => {
    const { artifact_id: _, ...rest } = fact("artifact.changed").payload
    const keyed = { ...fact("artifact.changed"), payload: { ...rest, message_id: "msg_1" } }
    expect(issuesOf(keyed)).toEqual(["invalid_payload payload.artifact_id"])
  })
  it.each(["session_id", "thread_id", "turn_id"])(
    "[RT-ID-10] a spawned child without its parent's %s is refused",
    (id) => expect(issuesOf(without(fact("subagent.spawned"), id))).toEqual([`missing_id ${id}`]),
  )
})

describe("payloads", () => {
  it.each(types)("[RT-ENV-9] %s is refused without each field that its schema requires", (type) => {
    const one = fact(type)
    for (const field of requiredOf(type)) {
      const issues = issuesOf({ ...one, payload: without(one.payload, field) })
      expect(issues, field).toContain(`invalid_payload payload.${field}`)
    }
  })
  it.each(types)("[RT-ENV-9] %s is refused with each field ill-typed", (type) => {
    const one = fact(type)
    for (const [field, value] of Object.entries(samples[type].payload)) {
      for (const wrong of [null, otherType(value)]) {
        const result = validateFact({ ...one, payload: { ...one.payload, [field]: wrong } })
        const first = result.ok ? undefined : result.issues[0]
        expect(first?.code, `${field}: ${JSON.stringify(wrong)}`).toBe("invalid_payload")
        expect(first?.field.startsWith(`payload.${field}`)).toBe(true)
      }
    }
  })
  it("a nested fault is named by its path", () => {
    const bad = fact("turn.submitted", { payload: { input: [{ kind: "text", text: "" }] } })
    const result = validateFact(bad)
    expect(result.ok ? [] : result.issues.map(({ field }) => field)).toEqual(["payload.input.0.text"])
  })
  it("faults of ids and payload are told together", () => {
    const bad = { ...fact("turn.completed"), step_id: "stp_1", payload: {} }
    expect(issuesOf(bad)).toEqual(["not_applicable_id step_id", "invalid_payload payload.outcome"])
  })
  it.each(types)("%s is the same after a round trip through JSON", (type) => {
    const one: Envelope = fact(type)
    const back = validateFact(JSON.parse(JSON.stringify(one)))
    expect(back).toEqual({ ok: true, fact: one, warnings: [] })
  })
})

describe("drafts", () => {
  it.each(types)("%s is valid before it is stamped", (type) => {
    const draft = { type, ...samples[type] }
    expect(validateDraft(draft)).toEqual({ ok: true, fact: draft, warnings: [] })
  })
  it.each(["event_id", "timestamp", "sequence", "schema_version"] as const)(
    "a draft may not bring its own %s",
    (field) => {
      const draft = { type: "session.created", ...samples["session.created"], [field]: created[field] }
      const result = validateDraft(draft)
      expect(result.ok ? [] : result.issues.map(({ code, field }) => `${code} ${field}`)).toEqual([
        `unknown_field ${field}`,
      ])
    },
  )
  it("a draft needs type and payload, and its runtime may come later", () => {
    const { runtime_id: _, ...rest } = samples["limit.changed"]
    expect(validateDraft({ type: "limit.changed", ...rest }).ok).toBe(true)
    const result = validateDraft({})
    expect(result.ok ? [] : result.issues.map(({ field }) => field)).toEqual(["type", "payload"])
  })
  it("a draft of an unknown bare type is refused", () => {
    expect(validateDraft({ ...samples["session.created"], type: "thing" }).ok).toBe(false)
  })
})

describe("size", () => {
  it("[RT-ENV-11] each payload field above the limit gives one warning, in real bytes", () => {
    const one = fact("session.created", { payload: { title: "é".repeat(10), metadata: { a: "b" } } })
    expect(oversized(one, 22)).toEqual([])
    expect(oversized(one, 21)).toEqual([
      {
        code: "invalid_payload",
        field: "payload.title",
        message: "session.created carries 22 bytes in title; over 21 bytes belong behind a ref.",
      },
    ])
    expect(oversized(one, 8).map(({ field }) => field)).toEqual(["payload.title", "payload.metadata"])
  })
  it("[RT-ENV-11] a ref is small whatever it leads to", () => {
    const one = fact("output.spilled", { payload: { bytes: 10_000_000 } })
    expect(oversized(one, 512)).toEqual([])
  })
  it("a field without value has no size", () => {
    expect(oversized({ type: "x-a.b", payload: { nothing: undefined } }, 0)).toEqual([])
  })
})

describe("anything at all", () => {
  it("is judged without throwing, and never accepted unless it is an object with a type", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const result = validateFact(value)
        return !result.ok && result.issues.length > 0
      }),
    )
  })
  it("a fact with any one field replaced is judged as the schema of the envelope judges it", () => {
    const one: Envelope = { ...fact("turn.started"), type: "x-acme.thing", trace_id: "t" }
    const fields = [...Object.keys(Envelope.shape), "surprise"]
    const value = fc.oneof(
      fc.anything(),
      fc.constantFrom(
        "",
        "a",
        "constructor",
        at(1),
        "2026-02-30T00:00:00Z",
        0,
        1,
        2 ** 53,
        {},
        [],
        [ref],
        [{}],
      ),
      fc.stringMatching(/^[\w.:@-]{0,130}$/),
    )
    fc.assert(
      fc.property(fc.constantFrom(...fields), value, (field, replaced) => {
        const changed = { ...one, [field]: replaced }
        const wellFormed = !issuesOf(changed).some((issue) => /^(invalid|unknown|missing)_field/.test(issue))
        expect(wellFormed).toBe(Envelope.safeParse(changed).success)
      }),
      { numRuns: 500 },
    )
  })
})
