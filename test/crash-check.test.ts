import type { Envelope } from "@factum/facts"
import { describe, expect, it } from "vitest"
import { type Knowledge, nothingKnown, unfinished, violations } from "../scripts/crash-check.ts"

const answer = "Hello world"
const scope = { session_id: "s", thread_id: "t", turn_id: "u" }
const onRequest = { ...scope, step_id: "st" }
const idle = { checkpoints: [], metadata: {}, detail: "", title: "x" }

/** A log of one completed turn, as it should be. */
function goodLog(): Envelope[] {
  const drafts = [
    { type: "session.created", session_id: "s", payload: { title: "x" } },
    { type: "thread.started", session_id: "s", thread_id: "t", payload: {} },
    {
      type: "turn.submitted",
      ...scope,
      payload: { input: [{ kind: "text", text: "ask 1" }], source: "client" },
    },
    { type: "turn.started", ...scope, payload: {} },
    { type: "run.status", ...scope, payload: { phase: "preparing", ...idle } },
    {
      type: "model.requested",
      ...onRequest,
      payload: { request_id: "r", provider: "p", model: "m", attempt: 1 },
    },
    {
      type: "model.delta",
      ...onRequest,
      payload: { request_id: "r", part_id: "p", kind: "text", text: "Hello " },
    },
    {
      type: "model.delta",
      ...onRequest,
      payload: { request_id: "r", part_id: "p", kind: "text", text: "world" },
    },
    {
      type: "model.completed",
      ...onRequest,
      payload: {
        request_id: "r",
        parts: [{ kind: "text", part_id: "p", text: answer }],
        corrected: [],
        usage: { input_tokens: 1, output_tokens: 1 },
        finish: "stop",
      },
    },
    { type: "turn.completed", ...scope, payload: { outcome: "answered" } },
  ]
  return renumbered(
    drafts.map((draft) => ({ ...draft, event_id: "", timestamp: "", sequence: 0, schema_version: 1 })),
  )
}

function renumbered(facts: readonly Envelope[]): Envelope[] {
  const timestamp = "2026-01-01T00:00:00.000Z"
  return facts.map((fact, index) => ({ ...fact, event_id: `e${index + 1}`, timestamp, sequence: index + 1 }))
}

const texts = (facts: readonly Envelope[]) => facts.map((fact) => JSON.stringify(fact))
const known = (): Knowledge => ({
  ...nothingKnown(),
  acknowledged: new Map([["u", "ask 1"]]),
  ended: new Set(["u"]),
})
const seenAs = (lines: readonly string[]) => new Map(lines.map((text, index) => [index + 1, text]))
const found = (facts: readonly Envelope[], knowledge = known()) =>
  violations("s", texts(facts), knowledge, answer)
const without = (type: string) => renumbered(goodLog().filter((fact) => fact.type !== type))
const twice = (type: string) =>
  renumbered(goodLog().flatMap((fact) => (fact.type === type ? [fact, fact] : [fact])))

describe("the check of the crash test", () => {
  it("finds nothing wrong with a good log", () => {
    const seen = seenAs(texts(goodLog()))
    expect(found(goodLog(), { ...known(), seen })).toEqual([])
    expect(unfinished(texts(goodLog()))).toEqual([])
  })

  it.each([
    ["an acknowledged turn is lost", without("turn.submitted"), "is there 0 times"],
    ["a turn is there twice", twice("turn.submitted"), "is there 2 times"],
    ["a turn starts twice", twice("turn.started"), "started twice"],
    ["a turn ends twice", twice("turn.completed"), "ended twice"],
    ["the model is called twice", twice("model.requested"), "called the model twice"],
    ["an ended turn is open again", without("turn.completed"), "was ended and is not"],
    ["a delta is repeated", twice("model.delta"), "another text than it streamed"],
    ["a fact is missing", goodLog().filter((fact) => fact.sequence !== 5), "fact 5 is missing"],
    [
      "a fact is broken",
      goodLog().map((f) => (f.sequence === 4 ? { ...f, payload: { queued_turn_id: 1 } } : f)),
      "not valid",
    ],
    ["an event id is repeated", goodLog().map((fact) => ({ ...fact, event_id: "e" })), "event id"],
  ])("finds that %s", (_, facts, complaint) => {
    expect(found(facts).join("\n")).toContain(complaint)
  })

  it("finds that a fact is not what a client has seen", () => {
    const spoilt = texts(goodLog()).map((text, index) =>
      index === 6 ? text.replace("Hello", "Hullo") : text,
    )
    const seen = seenAs(spoilt)
    expect(found(goodLog(), { ...known(), seen }).join("\n")).toContain("fact 7 was seen")
    expect(found(goodLog().slice(0, 9), { ...known(), seen: seenAs(texts(goodLog())) }).join("\n")).toContain(
      "fact 10",
    )
  })

  it("takes pruned chunks for what they are", () => {
    const last = { from: 7, to: 8 }
    const facts = goodLog().map((f) =>
      f.type === "model.completed" ? { ...f, payload: { ...f.payload, supersedes: last } } : f,
    )
    const left = facts.filter((fact) => fact.type !== "model.delta")
    expect(found(left, { ...known(), seen: seenAs(texts(facts)) })).toEqual([])
    expect(unfinished(texts(left))).toEqual([])
  })

  it("finds that the input of a turn was lost", () => {
    const knowledge = { ...known(), acknowledged: new Map([["u", "another text"]]) }
    expect(found(goodLog(), knowledge).join("\n")).toContain("lost its input")
  })

  it("finds a completed answer that is not whole", () => {
    const short = goodLog().filter((fact) => fact.payload.text !== "world")
    const parts = [{ kind: "text", part_id: "p", text: "Hello " }]
    const facts = renumbered(
      short.map((f) => (f.type === "model.completed" ? { ...f, payload: { ...f.payload, parts } } : f)),
    )
    expect(found(facts).join("\n")).toContain("wrong text")
  })

  it("finds what a client met", () => {
    expect(found(goodLog(), { ...known(), wrong: ["a fact came twice"] })).toEqual(["s: a fact came twice"])
  })

  it("finds a turn that is stuck", () => {
    expect(unfinished(texts(goodLog().slice(0, 9)))).toEqual(["u"])
  })
})
