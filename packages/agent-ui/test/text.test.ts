import { describe, expect, test } from "vitest"
import { emptyState, markAnswering, readText, reduce } from "../src/index.ts"
import { appendText, noText, textFrom } from "../src/text.ts"
import { after, codes, delta, final, given, markersOf, partsOf, run, textsOf, tool } from "./given.ts"

describe("streamed and final text", () => {
  test("[UI-TEXT-1] pieces are joined exactly", () => {
    const pieces = ["Hel", "lo", " ", "", "\n\n", "  wor", "ld"]
    expect(textsOf(given(...pieces.map((piece) => delta(piece))))).toEqual(["Hello \n\n  world"])
  })
  test("[UI-TEXT-1] a character that is split across deltas comes out whole", () => {
    const [high, low] = ["😀".charAt(0), "😀".charAt(1)]
    expect(textsOf(given(delta(`a${high}`), delta(`${low}b`)))).toEqual(["a😀b"])
    const filled = "x".repeat(4095)
    const state = given(delta(filled), delta(high), delta(low), delta("end"))
    expect(textsOf(state)).toEqual([`${filled}😀end`])
    const [part] = partsOf(state)
    if (part?.kind !== "text") throw new Error("no text")
    expect(part.text.blocks).toEqual([`${filled}😀`, "end"])
  })
  test("[UI-TEXT-1] long pieces split where no character is halved", () => {
    const long = "😀".repeat(10_000)
    const text = appendText(textFrom(`x${long}`), long, new Set())
    expect(readText(text)).toBe(`x${long}${long}`)
    for (const block of text.blocks) expect(block).not.toMatch(/[\ud800-\udbff]$/)
    expect(text.blocks.length).toBeGreaterThan(5)
  })
  test("[UI-TEXT-1] adding leaves the earlier text as it was", () => {
    const one = appendText(noText, "a", new Set())
    const two = appendText(one, "b", new Set())
    expect([readText(one), readText(two), noText.length]).toEqual(["a", "ab", 0])
  })
  test("[UI-TEXT-2] the final replaces the streamed text of the same part", () => {
    const state = given(
      delta("Hel", { partId: "p1" }),
      delta("other", { partId: "p2" }),
      final("Hello", { partId: "p1" }),
    )
    expect(textsOf(state)).toEqual(["Hello", "other"])
    expect(partsOf(state)).toMatchObject([{ state: "final" }, { state: "streaming" }])
  })
  test("[UI-CORE-10] a final never adds a part to a message that was streamed", () => {
    for (const more of [{}, { partId: "p1" }]) {
      expect(partsOf(given(delta("Hello", more), final("Hello", more)))).toHaveLength(1)
      expect(partsOf(given(delta("Hello", more), final("Other", more), final("Other", more)))).toHaveLength(1)
    }
  })
  test("[UI-TEXT-3] a final without deltas makes the part", () => {
    const state = given(final("Hello"))
    expect(textsOf(state)).toEqual(["Hello"])
    expect(partsOf(state)).toMatchObject([{ state: "final" }])
    expect(markersOf(state)).toEqual([undefined])
  })
  test.each([
    ["confirmed", "Hello world", "Hello world"],
    ["corrected", "Hello wurld", "Hello world"],
    ["corrected", "Hello", "Hello world"],
    ["replaced", "I will look.", "42"],
  ])("[UI-TEXT-4] %s: %j, then %j", (marker, streamed, said) => {
    for (const more of [{}, { partId: "p1" }]) {
      const state = given(delta(streamed, more), final(said, more))
      expect(markersOf(state)).toEqual([marker])
      expect(textsOf(state)).toEqual([said])
    }
  })
  const interleaved = [delta("Hello "), tool("started", {}, { messageId: "m1" }), delta("world")]
  test("[UI-TEXT-5] a final for the message that equals the join confirms each part in place", () => {
    const state = given(...interleaved, final("Hello world"))
    expect(textsOf(state)).toEqual(["Hello ", "world"])
    expect(markersOf(state)).toEqual(["confirmed", "confirmed"])
    expect(partsOf(state).map(({ kind }) => kind)).toEqual(["text", "tool", "text"])
  })
  test("[UI-TEXT-5] another final is shown once, and the earlier parts are superseded", () => {
    const state = given(...interleaved, final("Bye"))
    expect(markersOf(state)).toEqual(["superseded", "replaced"])
    expect(textsOf(state)[1]).toBe("Bye")
    const again = after(state, final("Bye"))
    expect(markersOf(again)).toEqual(["superseded", "replaced"])
    expect(textsOf(again)[1]).toBe("Bye")
  })
  test("[UI-TEXT-6] a delta after the final of its part is not appended and is reported", () => {
    const state = given(
      delta("a", { partId: "p" }),
      final("ab", { partId: "p" }),
      delta("b", { partId: "p" }),
    )
    expect(textsOf(state)).toEqual(["ab"])
    expect(codes(state)).toEqual(["late_delta"])
  })
  test("[UI-TEXT-7] an empty final clears the part, one without text confirms it", () => {
    expect(textsOf(given(delta("a"), final("")))).toEqual([""])
    const state = given(delta("a"), final(undefined))
    expect(textsOf(state)).toEqual(["a"])
    expect(markersOf(state)).toEqual(["confirmed"])
  })
  test("[UI-ENV-5] parts with distinct ids stay distinct", () => {
    const state = given(
      delta("a", { partId: "p1" }),
      delta("b", { partId: "p2" }),
      delta("c", { partId: "p1" }),
    )
    expect(textsOf(state)).toEqual(["ac", "b"])
  })
  test("[UI-ENV-5] without an id a delta extends the last part of its kind only", () => {
    const reasoning = { ...delta("why"), type: "reasoning.delta" }
    const state = given(delta("a"), delta("b"), reasoning, delta("c"))
    expect(partsOf(state).map(({ kind }) => kind)).toEqual(["text", "reasoning", "text"])
    expect(textsOf(state)).toEqual(["ab", "c"])
  })
})

describe("the end of a run", () => {
  test.each(["completed", "cancelled", "interrupted"])(
    "[UI-LIFE-5] %s: a text that still streams becomes final, and says so",
    (phase) => {
      const state = given(run("started"), delta("Hel"), run("finished", {}, { phase }))
      expect(partsOf(state)).toMatchObject([{ state: "final", marker: "unfinished" }])
      expect(textsOf(state)).toEqual(["Hel"])
    },
  )
  test("[UI-LIFE-5] failed too, and a final one keeps its marker", () => {
    const state = given(
      run("started"),
      delta("a"),
      final("a"),
      delta("b", { messageId: "m2" }),
      run("failed"),
    )
    expect(markersOf(state)).toEqual(["confirmed"])
    expect(markersOf(state, "m2")).toEqual(["unfinished"])
  })
})

describe("prose", () => {
  const facts = given(
    run("started"),
    tool("started"),
    { type: "permission.changed", sessionId: "s1", payload: { mode: "ask" } },
    { type: "artifact.created", sessionId: "s1", artifactId: "f1" },
    { type: "evidence.changed", sessionId: "s1", evidenceId: "e1", payload: { kind: "verification" } },
    { type: "action.required", sessionId: "s1", runId: "r1", actionId: "x1" },
    { type: "agent.spawned", sessionId: "s1", agentId: "a1", payload: { status: "running" } },
  )
  test.each([
    ["tool success", "The tool t1 succeeded.", "tools"],
    ["a permission grant", "Permission granted for everything.", "permissions"],
    ["an artifact kind", "f1 is a PDF document.", "artifacts"],
    ["an evidence verdict", "e1: verdict passed.", "evidence"],
    ["an approval", "x1 was approved by the user.", "actions"],
    ["teammate completion", "a1 has completed its work.", "agents"],
  ] as const)("[UI-CORE-8] prose that claims %s changes nothing of it", (_, prose, table) => {
    expect(after(facts, delta(prose), final(prose))[table]).toBe(facts[table])
  })
})

describe("actions", () => {
  const required = (actionId: string, payload: object = {}) => ({
    type: "action.required",
    sessionId: "s1",
    runId: "r1",
    actionId,
    payload,
  })
  const resolved = (actionId: string, decision: string) => ({
    type: "action.resolved",
    sessionId: "s1",
    runId: "r1",
    actionId,
    payload: { decision },
  })
  test("[UI-HITL-10] one pending action an id; a repeat updates the same card", () => {
    const state = given(required("x1", { title: "Run?", risk: "low" }), required("x1", { risk: "high" }))
    expect(state.actions.size).toBe(1)
    expect(state.actions.get("x1")).toMatchObject({ state: "pending", title: "Run?", risk: "high" })
  })
  test("[UI-HITL-11] an answer awaits confirmation; only the owner's word resolves", () => {
    const pending = given(run("started"), required("x1"))
    const answering = markAnswering(pending, "x1")
    expect(answering.actions.get("x1")?.state).toBe("answering")
    expect(answering.actions.get("x1")).not.toHaveProperty("resolution")
    const done = reduce(answering, [resolved("x1", "approve")])
    expect(done.actions.get("x1")).toMatchObject({ state: "resolved", resolution: { decision: "approve" } })
  })
  test("[UI-HITL-11] a second resolution does not overturn the first", () => {
    const state = given(required("x1"), resolved("x1", "approve"), resolved("x1", "reject"), required("x1"))
    expect(state.actions.get("x1")).toMatchObject({ state: "resolved", resolution: { decision: "approve" } })
    expect(codes(state)).toEqual(["late_terminal"])
  })
  test("[UI-HITL-13] several are resolved independently, in any order", () => {
    const state = given(
      required("x1"),
      required("x2"),
      required("x3"),
      resolved("x3", "reject"),
      resolved("x1", "approve"),
    )
    expect([...state.actions.values()].map((action) => [action.state, action.resolution?.decision])).toEqual([
      ["resolved", "approve"],
      ["pending", undefined],
      ["resolved", "reject"],
    ])
  })
  test("[UI-HITL-14] a pending action survives compaction and a snapshot that omits it", () => {
    const state = given(
      required("x1"),
      { type: "context.compaction.started", sessionId: "s1", payload: { boundaryId: "b1" } },
      {
        type: "context.compaction.completed",
        sessionId: "s1",
        payload: { boundaryId: "b1", summary: "short" },
      },
      { type: "messages.snapshot", sessionId: "s1", payload: { messages: [], purpose: "repair" } },
      { type: "state.snapshot", sessionId: "s1", payload: { state: {} } },
      { type: "session.hydrated", sessionId: "s1", payload: { step: 4 } },
    )
    expect(state.actions.get("x1")?.state).toBe("pending")
  })
  test("[UI-HITL-14] it survives a reload: its event alone brings it back", () => {
    expect(reduce(emptyState(), [required("x1")]).actions.get("x1")?.state).toBe("pending")
  })
})
