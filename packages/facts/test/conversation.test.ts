import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  type Envelope,
  type EventOfType,
  type InputPart,
  requestEnded,
  threadReadModel,
  turnEnded,
  validateFact,
} from "../src/index.ts"
import { at, fact, given, only } from "./given.ts"
import { ref } from "./samples.ts"

const fieldsOf = (value: unknown): string[] => {
  const result = validateFact(value)
  return result.ok ? [] : result.issues.map(({ field }) => field)
}
const text = (words: string): InputPart[] => [{ kind: "text", text: words }]

describe("session", () => {
  const created = fact("session.created", { payload: { title: "First", metadata: { a: 1 } } })
  it("[RT-EVT-1] a session is created once: a second creation changes nothing", () => {
    const again = fact("session.created", { payload: { title: "Second", metadata: {} } })
    expect(given(created, again).entities.sessions).toEqual(given(created).entities.sessions)
    expect(only(given(created).entities.sessions)).toEqual({
      session_id: "ses_1",
      title: "First",
      archived: false,
      created_at: at(1),
      updated_at: at(1),
      metadata: { a: 1 },
    })
  })
  it("[RT-EVT-1] a change of metadata names the changed fields and leaves the others", () => {
    const rename = fact("session.updated", { payload: { changed: ["title"], title: "New" } })
    const tag = fact("session.updated", { payload: { changed: ["metadata"], metadata: { b: 2 } } })
    const put = fact("session.updated", { payload: { changed: ["archived"], archived: true } })
    const session = { session_id: "ses_1", created_at: at(1) }
    expect(only(given(created, rename).entities.sessions)).toEqual({
      ...session,
      title: "New",
      archived: false,
      updated_at: at(2),
      metadata: { a: 1 },
    })
    expect(only(given(created, rename, tag, put).entities.sessions)).toEqual({
      ...session,
      title: "New",
      archived: true,
      updated_at: at(4),
      metadata: { b: 2 },
    })
  })
  it.each([[[]], [["colour"]], ["title"]])("[RT-EVT-1] an update that names %j is refused", (changed) => {
    const update = fact("session.updated")
    const [field = ""] = fieldsOf({ ...update, payload: { changed } })
    expect(field.startsWith("payload.changed")).toBe(true)
  })
})

describe("thread", () => {
  const moved = (
    status: EventOfType<"thread.updated">["payload"]["status"],
    previous: EventOfType<"thread.updated">["payload"]["status"],
    active_turn_id?: string,
  ) =>
    fact("thread.updated", {
      payload: { status, previous, reason: "moved", ...(active_turn_id ? { active_turn_id } : {}) },
    })
  it("[RT-EVT-2] a thread starts once, idle: a second start changes nothing", () => {
    const started = given(fact("thread.started"))
    expect(only(started.entities.threads)).toEqual({
      thread_id: "thr_1",
      status: "idle",
      started_at: at(1),
      changes: 0,
    })
    const active = given(fact("thread.started"), moved("active", "idle", "trn_1"), fact("thread.started"))
    expect(only(active.entities.threads).status).toBe("active")
  })
  it.each(["idle", "active", "waiting", "blocked"] as const)(
    "[RT-EVT-2] an update moves it to %s",
    (status) => {
      const state = given(fact("thread.started"), moved(status, "idle", "trn_1"))
      expect(only(state.entities.threads)).toEqual({
        thread_id: "thr_1",
        status,
        started_at: at(1),
        changes: 1,
        active_turn_id: "trn_1",
      })
    },
  )
  it("[RT-EVT-2] an update without active turn leaves none", () => {
    const state = given(fact("thread.started"), moved("active", "idle", "trn_1"), moved("idle", "active"))
    expect(only(state.entities.threads)).toStrictEqual({
      thread_id: "thr_1",
      status: "idle",
      started_at: at(1),
      changes: 2,
    })
  })
})

describe("turn", () => {
  const submitted = fact("turn.submitted", { payload: { input: text("Do it") } })
  const started = fact("turn.started")
  const completed = fact("turn.completed")
  const failed = (payload: Partial<EventOfType<"turn.failed">["payload"]> = {}) =>
    fact("turn.failed", { payload })
  const turnOf = (...facts: Envelope[]) => only(given(...facts).entities.turns)

  it("[RT-EVT-3] success: submitted, started, completed", () => {
    expect(turnOf(submitted, started, completed)).toEqual({
      turn_id: "trn_1",
      thread_id: "thr_1",
      status: "completed",
      input: text("Do it"),
      submitted_at: at(1),
      started_at: at(2),
      ended_at: at(3),
      ended_sequence: 3,
      steered: [],
      wishes: [],
      sources: [],
      late: 0,
    })
  })
  it("[RT-EVT-3] failure: submitted, started, failed with its category", () => {
    const turn = turnOf(
      submitted,
      started,
      failed({ category: "provider_error", reason: "down", next: "retry" }),
    )
    expect(turn.status).toBe("failed")
    expect(turn.failure).toEqual({ category: "provider_error", reason: "down", next: "retry" })
  })
  it.each(["user", "policy", "runtime"] as const)(
    "[RT-EVT-3] an interruption by the %s ends in turn.failed with status cancelled",
    (by) => {
      const turn = turnOf(submitted, started, failed({ status: "cancelled", category: "interrupted", by }))
      expect(turn).toMatchObject({
        status: "cancelled",
        failure: { category: "interrupted", reason: "down", by },
        ended_at: at(3),
      })
    },
  )
  it("[RT-EVT-3] a turn removed from the queue is cancelled without having started", () => {
    const turn = turnOf(submitted, failed({ status: "cancelled", category: "removed" }))
    expect(turn.status).toBe("cancelled")
    expect(turn.started_at).toBeUndefined()
  })
  it("[RT-EVT-3] a turn that failed has no status completed", () => {
    expect(fieldsOf({ ...failed(), payload: { ...failed().payload, status: "completed" } })).toEqual([
      "payload.status",
    ])
  })
  it("[RT-EVT-3] a turn starts once", () => {
    expect(turnOf(submitted, started, started)).toEqual({ ...turnOf(submitted, started), late: 1 })
  })
  it("[RT-EVT-3] a second submission under one turn_id changes nothing", () => {
    const other = fact("turn.submitted", { payload: { input: text("Other") } })
    expect(turnOf(submitted, other)).toEqual({ ...turnOf(submitted), late: 1 })
  })
  it.each([
    ["completed", completed],
    ["failed", failed()],
    ["cancelled", failed({ status: "cancelled" })],
    ["timed_out", failed({ status: "timed_out" })],
  ] as const)("[RT-STAT-20] a %s turn is not reopened by any later fact", (status, end) => {
    const before = turnOf(submitted, started, end)
    expect(before.status).toBe(status)
    expect(turnEnded(before)).toBe(true)
    const later = [submitted, started, completed, failed({ status: "cancelled" })]
    expect(turnOf(submitted, started, end, ...later)).toEqual({ ...before, late: 4 })
  })
  it.each(["unknown", "accepted", "running"] as const)("a turn that is %s has not ended", (status) => {
    expect(turnEnded({ ...turnOf(submitted), status })).toBe(false)
  })
})

describe("queue", () => {
  const entry = (n: number, source = "user") => ({
    queued_turn_id: `qtn_${n}`,
    turn_id: `trn_${n}`,
    source,
    state: "waiting" as const,
  })
  const changed = (payload: Partial<EventOfType<"queue.changed">["payload"]>) =>
    fact("queue.changed", { payload })
  const queueOf = (...facts: Envelope[]) => only(given(...facts).entities.queues)
  const three = changed({
    change: "enqueued",
    queued_turn_id: "qtn_3",
    order: [entry(1), entry(2), entry(3)],
  })

  it("[RT-EVT-11] enqueue: the full order after the change stands", () => {
    const order = [entry(1), entry(2), entry(3)]
    expect(queueOf(three)).toEqual({ thread_id: "thr_1", order, policy: "fifo", left: {} })
  })
  it("[RT-EVT-11] remove: the order closes, and the turn is known to be removed", () => {
    const removed = changed({ change: "removed", queued_turn_id: "qtn_2", order: [entry(1), entry(3)] })
    expect(queueOf(three, removed)).toEqual({
      thread_id: "thr_1",
      order: [entry(1), entry(3)],
      policy: "fifo",
      left: { qtn_2: "removed" },
    })
  })
  it("[RT-EVT-11] promote: the turn is first, the others in their old order, and none has left", () => {
    const order = [entry(3), entry(1), entry(2)]
    const promoted = changed({ change: "promoted", queued_turn_id: "qtn_3", order })
    expect(queueOf(three, promoted)).toStrictEqual({ thread_id: "thr_1", order, policy: "fifo", left: {} })
  })
  it("[RT-EVT-11] dequeue: the first leaves to start", () => {
    const dequeued = changed({ change: "dequeued", queued_turn_id: "qtn_1", order: [entry(2), entry(3)] })
    expect(queueOf(three, dequeued)).toEqual({
      thread_id: "thr_1",
      order: [entry(2), entry(3)],
      policy: "fifo",
      left: { qtn_1: "started" },
    })
  })
  it("[RT-EVT-11] a change of policy keeps the order", () => {
    const order = [entry(1), entry(2), entry(3)]
    const paused = changed({ change: "policy", order, policy: "paused" })
    expect(queueOf(three, paused)).toEqual({ thread_id: "thr_1", order, policy: "paused", left: {} })
  })
  it("[RT-EVT-11] a change without the full order is refused", () => {
    const { order: _, ...rest } = three.payload
    expect(fieldsOf({ ...three, payload: rest })).toEqual(["payload.order"])
  })
  it("a removal that names no turn changes the order only", () => {
    expect(queueOf(three, changed({ change: "removed", order: [] })).left).toEqual({})
  })
  it("the latest 64 that left are remembered", () => {
    const gone = Array.from({ length: 70 }, (_, n) =>
      changed({ change: "removed", queued_turn_id: `qtn_${n}`, order: [] }),
    )
    const { left } = queueOf(...gone)
    expect(Object.keys(left)).toEqual(Array.from({ length: 64 }, (_, n) => `qtn_${n + 6}`))
  })
  it("[RT-ID-15] a queued_turn_id leads to one turn_id, which stays the same when the turn starts", () => {
    const submitted = fact("turn.submitted", { turn_id: "trn_3" })
    const dequeued = changed({ change: "dequeued", queued_turn_id: "qtn_3", order: [] })
    const started = fact("turn.started", { turn_id: "trn_3", payload: { queued_turn_id: "qtn_3" } })
    const { queues, turns } = given(submitted, three, dequeued, started).entities
    expect(only(queues).left).toEqual({ qtn_3: "started" })
    expect(only(turns)).toMatchObject({ turn_id: "trn_3", status: "running", submitted_at: at(1) })
  })
  it("[RT-QUE-1] a queued turn is not the active one", () => {
    const first = fact("turn.submitted", { turn_id: "trn_9" })
    const facts = [fact("thread.started"), first, fact("turn.submitted", { turn_id: "trn_1" })]
    const queued = changed({ change: "enqueued", queued_turn_id: "qtn_1", order: [entry(1)] })
    const read = threadReadModel(given(...facts, queued), "thr_1")
    expect(read.active_turn?.turn_id).toBe("trn_9")
    expect(read.queued_turns).toEqual([entry(1)])
  })
})

describe("run", () => {
  it("[RT-EVT-5] a status carries phase, title, detail, checkpoints and metadata, each demanded", () => {
    const status = fact("run.status")
    for (const field of ["phase", "title", "detail", "checkpoints", "metadata"]) {
      expect(fieldsOf({ ...status, payload: { ...status.payload, [field]: undefined } })).toEqual([
        `payload.${field}`,
      ])
    }
  })
  it("[RT-EVT-5] the status shows before the first text of the turn", () => {
    const facts = [fact("turn.submitted"), fact("turn.started"), fact("run.status"), fact("model.requested")]
    const state = given(fact("thread.started"), ...facts)
    expect(only(state.entities.modelRequests).parts).toEqual([])
    expect(threadReadModel(state, "thr_1").active_turn).toEqual({
      turn_id: "trn_1",
      status: "preparing",
      title: "Preparing",
      detail: "Context",
      since: at(4),
    })
  })
  it("the last status stands", () => {
    const next = fact("run.status", { payload: { phase: "running", title: "Working", detail: "" } })
    expect(only(given(fact("run.status"), next).entities.runs)).toEqual({
      turn_id: "trn_1",
      phase: "running",
      title: "Working",
      detail: "",
      since: at(2),
      opened: 2,
    })
  })
})

describe("model", () => {
  const requested = fact("model.requested")
  const delta = (text: string, part_id = "p1", kind: "text" | "structured" | "tool_call" = "text") =>
    fact("model.delta", { payload: { kind, part_id, text } })
  const reasoning = (text: string, part_id = "r1") => fact("reasoning.delta", { payload: { part_id, text } })
  const completed = (payload: Partial<EventOfType<"model.completed">["payload"]> = {}) =>
    fact("model.completed", { payload })
  const failed = (payload: Partial<EventOfType<"model.failed">["payload"]> = {}) =>
    fact("model.failed", { payload })
  const requestOf = (...facts: Envelope[]) => only(given(...facts).entities.modelRequests)
  const hello = { kind: "text", part_id: "p1", text: "Hello" } as const

  it("[RT-EVT-6] a stream: requested, one delta per chunk, completed", () => {
    expect(requestOf(requested).status).toBe("requested")
    expect(requestOf(requested, delta("Hel")).status).toBe("streaming")
    expect(requestOf(requested, delta("Hel"), delta("lo"), completed())).toEqual({
      request_id: "req_1",
      turn_id: "trn_1",
      step_id: "stp_1",
      status: "completed",
      opened: 1,
      provider: "acme",
      model: "m1",
      parts: [hello],
      corrected: [],
      partial: false,
      finish: "stop",
      first_delta: 2,
      last_delta: 3,
      late: 0,
    })
  })
  it("how it ended and what its model wants to hear again are kept", () => {
    const replay_ref = { uri: "blob:x", kind: "provider" } as const
    const request = requestOf(requested, completed({ finish: "length", replay_ref }))
    expect(request).toMatchObject({ status: "completed", finish: "length", replay_ref })
  })
  it("[RT-EVT-6] a structured stream is joined in the same way", () => {
    const { parts } = requestOf(
      requested,
      delta('{"a"', "s1", "structured"),
      delta(":1}", "s1", "structured"),
    )
    expect(parts).toEqual([{ kind: "structured", part_id: "s1", text: '{"a":1}' }])
  })
  it("[RT-EVT-6] an error before the first chunk leaves nothing partial", () => {
    const request = requestOf(
      requested,
      failed({ category: "provider_error", reason: "503", retryable: true }),
    )
    expect(request).toMatchObject({
      status: "failed",
      parts: [],
      partial: false,
      failure: { category: "provider_error", reason: "503", retryable: true },
    })
  })
  it("[RT-EVT-6] an error in mid-stream leaves what was streamed, marked as partial", () => {
    const parts = [{ kind: "text", part_id: "p1", text: "Hel" } as const]
    expect(requestOf(requested, delta("Hel"), failed({ parts }))).toMatchObject({
      status: "failed",
      parts,
      partial: true,
    })
  })
  it.each([
    ["completed", completed()],
    ["failed", failed({ parts: [hello] })],
  ] as const)("[RT-EVT-6] exactly one end: a %s request takes nothing more", (_, end) => {
    const before = requestOf(requested, end)
    expect(requestEnded(before)).toBe(true)
    const summary = fact("reasoning.summary")
    const later = [requested, delta("x"), reasoning("y"), summary, completed({ parts: [] }), failed()]
    expect(requestOf(requested, end, ...later)).toEqual({ ...before, late: 6 })
  })
  it("a second request under the same id does not wipe the stream", () => {
    expect(requestOf(requested, delta("Hel"), requested).parts).toEqual([
      { kind: "text", part_id: "p1", text: "Hel" },
    ])
    expect(requestEnded(requestOf(requested))).toBe(false)
    expect(requestEnded(requestOf(requested, delta("Hel")))).toBe(false)
  })

  it("[RT-MOD-1] the text is the exact concatenation of its chunks", () => {
    expect(requestOf(requested, delta("Hel"), delta("lo")).parts).toEqual([hello])
    const odd = ["\ud83d", "\ude00", " ", "\n", "", "e\u0301"]
    expect(requestOf(requested, ...odd.map((chunk) => delta(chunk))).parts).toEqual([
      { kind: "text", part_id: "p1", text: odd.join("") },
    ])
  })
  it("[RT-MOD-1] however the chunks of several parts are mixed, each part is its own concatenation", () => {
    const chunk = fc.record({ part_id: fc.constantFrom("a", "b", "c"), text: fc.string() })
    fc.assert(
      fc.property(fc.array(chunk, { minLength: 1, maxLength: 30 }), (chunks) => {
        const whole = Map.groupBy(chunks, ({ part_id }) => part_id)
        const { parts } = requestOf(requested, ...chunks.map(({ part_id, text }) => delta(text, part_id)))
        expect(parts).toEqual(
          [...whole].map(([part_id, of]) => ({
            kind: "text",
            part_id,
            text: of.map(({ text }) => text).join(""),
          })),
        )
      }),
    )
  })
  it("[RT-MOD-1] a differing final text replaces the stream once, and the replacement is recorded", () => {
    const final = completed({ parts: [hello], corrected: ["p1"] })
    const request = requestOf(requested, delta("Helo"), final)
    expect(request.parts).toEqual([hello])
    expect(request.corrected).toEqual(["p1"])
    expect(requestOf(requested, delta("Helo"), final, completed({ parts: [] })).parts).toEqual([hello])
  })
  it("[RT-MOD-2] text, tool, text stay three parts in the order emitted", () => {
    const call = (text: string) =>
      fact("model.delta", { payload: { kind: "tool_call", part_id: "t1", text, tool: "ls", call_id: "c1" } })
    const facts = [delta("a", "p1"), call('{"p"'), call(":1}"), delta("b", "p2"), delta("c", "p2")]
    expect(requestOf(requested, ...facts).parts).toEqual([
      { kind: "text", part_id: "p1", text: "a" },
      { kind: "tool_call", part_id: "t1", call_id: "c1", tool: "ls", arguments: '{"p":1}' },
      { kind: "text", part_id: "p2", text: "bc" },
    ])
  })
  it("[RT-MOD-2] interleaved parts of all four kinds stay apart, even under one part id", () => {
    const facts = [
      reasoning("think", "0"),
      delta("say", "0"),
      delta("{", "0", "structured"),
      delta("[", "0", "tool_call"),
      reasoning(" more", "0"),
      delta(" it", "0"),
      delta("}", "0", "structured"),
      delta("]", "0", "tool_call"),
    ]
    expect(requestOf(requested, ...facts).parts).toEqual([
      { kind: "reasoning", part_id: "0", text: "think more" },
      { kind: "text", part_id: "0", text: "say it" },
      { kind: "structured", part_id: "0", text: "{}" },
      { kind: "tool_call", part_id: "0", call_id: "0", tool: "unknown", arguments: "[]" },
    ])
  })
  it("[RT-MOD-3] what a cut stream gave is partial, and a retry does not grow from it", () => {
    const cut = failed({ category: "cut_stream", parts: [{ kind: "text", part_id: "p1", text: "Hel" }] })
    const again = { request_id: "req_2" }
    const state = given(
      requested,
      delta("Hel"),
      cut,
      fact("model.requested", { step_id: "stp_2", payload: { ...again, attempt: 2, model: "m2" } }),
      fact("model.delta", { step_id: "stp_2", payload: { ...again, text: "Hello" } }),
    )
    const { req_1, req_2 } = state.entities.modelRequests
    expect(req_1).toMatchObject({ status: "failed", partial: true, parts: [{ text: "Hel" }] })
    expect(req_2).toMatchObject({ status: "streaming", partial: false, opened: 4, parts: [hello] })
  })

  it("[RT-EVT-7] reasoning streams as a part of its own and is replaced by its summary", () => {
    const summary = fact("reasoning.summary", { payload: { part_id: "r1", text: "In short" } })
    const streamed = [requested, delta("Hi"), reasoning("Hm"), reasoning(", yes")]
    expect(requestOf(...streamed).parts).toEqual([
      { kind: "text", part_id: "p1", text: "Hi" },
      { kind: "reasoning", part_id: "r1", text: "Hm, yes" },
    ])
    expect(requestOf(...streamed, summary).parts).toEqual([
      { kind: "text", part_id: "p1", text: "Hi" },
      { kind: "reasoning", part_id: "r1", text: "In short" },
    ])
  })
  it("[RT-EVT-7] a summary takes the place of its own part, also of the first", () => {
    const summary = fact("reasoning.summary", { payload: { part_id: "r1", text: "In short" } })
    const { parts } = requestOf(requested, reasoning("Hm", "r1"), reasoning("Well", "r2"), summary)
    expect(parts).toEqual([
      { kind: "reasoning", part_id: "r1", text: "In short" },
      { kind: "reasoning", part_id: "r2", text: "Well" },
    ])
  })
  it("[RT-EVT-7] a summary without stream is a part, and never turns text into reasoning", () => {
    const summary = fact("reasoning.summary", { payload: { part_id: "p1", text: "In short" } })
    expect(requestOf(requested, delta("Hi"), summary).parts).toEqual([
      { kind: "text", part_id: "p1", text: "Hi" },
      { kind: "reasoning", part_id: "p1", text: "In short" },
    ])
  })
  it("[RT-EVT-7] a provider without reasoning leaves no reasoning part", () => {
    const { parts } = requestOf(requested, delta("Hi"), completed({ parts: [hello] }))
    expect(parts.filter((part) => part.kind === "reasoning")).toEqual([])
  })
})

describe("context", () => {
  const contextOf = (...facts: Envelope[]) => only(given(...facts).entities.contexts)
  const started = fact("context.compaction.started")
  const completed = fact("context.compaction.completed")
  const failed = fact("context.compaction.failed")

  it.each(["context", "memory", "knowledge", "source", "policy"] as const)(
    "[RT-EVT-12] a %s is chosen by reference only",
    (kind) => {
      const resolved = fact("context.resolved", { payload: { selected: [{ kind, ref }] } })
      expect(contextOf(resolved).selected).toEqual([{ kind, ref }])
      const inline = { ...resolved.payload, selected: [{ kind, text: "the whole source" }] }
      expect(fieldsOf({ ...resolved, payload: inline })).toEqual(["payload.selected.0.ref"])
    },
  )
  it("[RT-EVT-12] a source that was asked for and not found is listed as missing", () => {
    const none = fact("context.resolved", {
      payload: { selected: [], warnings: [], missing: [{ name: "notes", reason: "gone" }] },
    })
    expect(contextOf(none)).toEqual({
      thread_id: "thr_1",
      selected: [],
      warnings: [],
      missing: [{ name: "notes", reason: "gone" }],
      compactions: [],
    })
  })
  it("[RT-EVT-13] success: started, then completed with range, summary and kept refs", () => {
    expect(contextOf(started).compacting).toBe("cmp_1")
    expect(contextOf(started, completed)).toEqual({
      thread_id: "thr_1",
      selected: [],
      warnings: [],
      missing: [],
      compactions: [{ compaction_id: "cmp_1", from: 1, to: 9, summary_ref: ref }],
    })
    for (const field of ["from", "to", "summary_ref", "kept"]) {
      expect(fieldsOf({ ...completed, payload: { ...completed.payload, [field]: undefined } })).toEqual([
        `payload.${field}`,
      ])
    }
  })
  it("[RT-EVT-13] failure: started, then failed with the cause; the old context stays in force", () => {
    const context = contextOf(fact("context.resolved"), started, failed)
    expect(context.compacting).toBeUndefined()
    expect(context.compactions).toEqual([])
    expect(context.selected).toEqual([{ kind: "memory", ref }])
    expect(context.warnings).toEqual(["long", "Compaction failed: no model"])
  })
  it("[RT-EVT-13] a crash in between: still compacting, nothing replaced", () => {
    expect(contextOf(fact("context.resolved"), started)).toMatchObject({
      compacting: "cmp_1",
      compactions: [],
    })
  })
  it("the latest sixteen warnings are kept", () => {
    const many = Array.from({ length: 20 }, (_, n) =>
      fact("context.compaction.failed", { payload: { cause: String(n) } }),
    )
    const { warnings } = contextOf(...many)
    expect(warnings.length).toBe(16)
    expect(warnings[0]).toBe("Compaction failed: 4")
  })
})

describe("snapshot facts", () => {
  const updated = (reflects: number, over: Partial<EventOfType<"snapshot.updated">> = {}) =>
    fact("snapshot.updated", { ...over, payload: { reflects } })
  const recordsOf = (...facts: Envelope[]) => given(...facts).entities.snapshotRecords

  it("[RT-EVT-18] an update names the read model and the sequence that it reflects, both demanded", () => {
    expect(only(recordsOf(updated(7)))).toEqual({
      snapshot: "queue_snapshot",
      reflects: 7,
      repairs: 0,
      updated_at: at(1),
    })
    for (const field of ["snapshot", "reflects"]) {
      const one = updated(7)
      expect(fieldsOf({ ...one, payload: { ...one.payload, [field]: undefined } })).toEqual([
        `payload.${field}`,
      ])
    }
  })
  it("[RT-EVT-18] a snapshot never goes back to an older sequence", () => {
    expect(only(recordsOf(updated(7), updated(6)))).toMatchObject({ reflects: 7, updated_at: at(1) })
    expect(only(recordsOf(updated(7), updated(7)))).toMatchObject({ reflects: 7, updated_at: at(2) })
    expect(only(recordsOf(updated(0), updated(8)))).toMatchObject({ reflects: 8 })
  })
  it("a repair is counted, also one that brings nothing newer", () => {
    const repaired = fact("snapshot.repaired", { payload: { reflects: 5, ref } })
    expect(only(recordsOf(updated(7), repaired))).toEqual({
      snapshot: "queue_snapshot",
      reflects: 7,
      repairs: 1,
      updated_at: at(1),
    })
    expect(only(recordsOf(updated(4), repaired))).toMatchObject({ reflects: 5, ref, repairs: 1 })
  })
  it("each thread has its own record", () => {
    const keys = Object.keys(recordsOf(updated(1), updated(2, { thread_id: "thr_1" })))
    expect(keys).toEqual(["queue_snapshot", "queue_snapshot|thr_1"])
  })
})

describe("runtime conditions", () => {
  const payload = {
    code: "torn_tail",
    message: "Cut.",
    affected: [{ kind: "session", id: "ses_1" }],
    next: "none",
  }
  it.each([
    ["warning", "runtime.warning"],
    ["error", "runtime.error"],
  ] as const)("[RT-EVT-19] a %s carries code and affected ids", (level, type) => {
    const one = fact(type, { session_id: "ses_1", thread_id: "thr_1", turn_id: "trn_1", payload })
    expect(only(given(one).entities.incidents)).toEqual({
      event_id: "evt_1",
      level,
      ...payload,
      thread_id: "thr_1",
      turn_id: "trn_1",
      at: at(1),
    })
    for (const field of ["code", "affected"]) {
      expect(fieldsOf({ ...one, payload: { ...payload, [field]: undefined } })).toEqual([`payload.${field}`])
    }
  })
  it("[RT-EVT-19] a warning ends no work", () => {
    const warning = fact("runtime.warning", { session_id: "ses_1", thread_id: "thr_1", turn_id: "trn_1" })
    const before = given(fact("turn.submitted"), fact("turn.started")).entities
    const after = given(fact("turn.submitted"), fact("turn.started"), warning).entities
    expect({ ...after, incidents: {} }).toEqual(before)
  })
})

describe("history", () => {
  it("windows and rebuilds are counted, and the latest is told", () => {
    const first = fact("history.window.loaded")
    const second = fact("history.window.loaded", { payload: { window: { from: 10, to: 20 } } })
    const rebuilt = fact("history.reconstructed", { payload: { through: 20, cause: "damage" } })
    expect(only(given(first, second, rebuilt).entities.rebuilds)).toEqual({
      windows: 2,
      window: { from: 10, to: 20 },
      reconstructions: 1,
      through: 20,
      cause: "damage",
    })
  })
  it("a rollback runs from start to end, once each", () => {
    const started = fact("history.rollback.started")
    const not_undone = [{ kind: "file", detail: "a.txt" }]
    const completed = fact("history.rollback.completed", {
      payload: { left: { from: 5, to: 9 }, not_undone },
    })
    const rollback = only(given(started, completed).entities.rollbacks)
    expect(rollback).toEqual({
      rollback_id: "rbk_1",
      status: "completed",
      thread_id: "thr_1",
      boundary: { sequence: 4 },
      reason: "wrong way",
      left: { from: 5, to: 9 },
      not_undone,
      late: 0,
    })
    const later = only(given(started, started, completed, completed, started).entities.rollbacks)
    expect(later).toEqual({ ...rollback, late: 3 })
  })
})
