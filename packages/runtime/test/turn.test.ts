import { describe, expect, it, vi } from "vitest"
import {
  done,
  echoModel,
  ends,
  facts,
  handModel,
  openRuntime,
  refused,
  submit,
  types,
  until,
} from "./harness.ts"

describe("one turn", () => {
  it("[RT-EVT-6] goes from submission to completion, every step in the log", async () => {
    const { runtime } = await openRuntime(echoModel("Hello"))
    const { session_id, turn_id } = await submit(runtime, "hi")
    const seen = await until(runtime, session_id, ends("thread.updated", 2))
    expect(types(seen)).toEqual([
      "session.created",
      "thread.started",
      "turn.submitted",
      "turn.started",
      "thread.updated",
      "run.status",
      "context.resolved",
      "tool.catalog.resolved",
      "task.profile.resolved",
      "routing.candidates.resolved",
      "routing.single_candidate",
      "routing.decided",
      "run.status",
      "model.requested",
      "run.status",
      "model.delta",
      "model.completed",
      "cost.recorded",
      "run.status",
      "run.status",
      "turn.completed",
      "thread.updated",
    ])
    expect(seen.map((fact) => fact.sequence)).toEqual(seen.map((_, index) => index + 1))
    expect(seen.filter((fact) => fact.turn_id !== undefined).every((fact) => fact.turn_id === turn_id)).toBe(
      true,
    )
  })

  it("[RT-ENV-8] without a tracer no fact names a trace or a span", async () => {
    const { runtime } = await openRuntime(echoModel())
    const { session_id } = await submit(runtime, "hi")
    const seen = await until(runtime, session_id, ends("thread.updated", 2))
    expect(seen.filter((fact) => "trace_id" in fact || "span_id" in fact)).toEqual([])
  })

  it("[RT-ENV-8] with a tracer facts carry what it names, in the log too, and the rest carry nothing", async () => {
    const { runtime } = await openRuntime(echoModel(), {
      tracer: (draft) => ("turn_id" in draft ? { trace_id: `t-${draft.turn_id}`, span_id: "s1" } : undefined),
    })
    const { session_id, turn_id } = await submit(runtime, "hi")
    const seen = await until(runtime, session_id, ends("thread.updated", 2))
    const traced = seen.filter((fact) => fact.turn_id !== undefined)
    expect(traced.map(({ trace_id, span_id }) => ({ trace_id, span_id }))).toEqual(
      traced.map(() => ({ trace_id: `t-${turn_id}`, span_id: "s1" })),
    )
    expect(seen.filter((fact) => fact.turn_id === undefined && "trace_id" in fact)).toEqual([])
  })

  it("[RT-EVT-1] the session's first fact is its creation, and there is only one", async () => {
    const { runtime } = await openRuntime(echoModel())
    const { session_id } = await submit(runtime, "hi")
    await submit(runtime, "again", { session_id })
    const seen = await until(runtime, session_id, ends("turn.completed", 2))
    expect(seen[0]?.type).toBe("session.created")
    expect(seen.filter((fact) => fact.type === "session.created")).toHaveLength(1)
  })

  it("[RT-EVT-5] the status is told before the first text, with all its fields", async () => {
    const { model, call } = handModel()
    const { runtime } = await openRuntime(model)
    const { session_id } = await submit(runtime, "hi")
    const provider = await call(0)
    const before = facts(runtime, session_id).filter((fact) => fact.type === "run.status")
    expect(before.map((fact) => fact.payload)).toEqual([
      { phase: "preparing", title: "Preparing", detail: "Gathering context", checkpoints: [], metadata: {} },
      {
        phase: "running",
        title: "Waiting for the model",
        detail: "hand hand-1",
        checkpoints: [],
        metadata: {},
      },
    ])
    provider.text("x")
    provider.finish()
    const seen = await until(runtime, session_id, ends("turn.completed"))
    const phases = seen.filter((fact) => fact.type === "run.status").map((fact) => fact.payload.phase)
    expect(phases).toEqual(["preparing", "running", "streaming", "running", "completed"])
  })

  it("[RT-EVT-6] the request is in the log before the provider is called", async () => {
    const { model, call } = handModel()
    const { runtime } = await openRuntime(model)
    const { session_id } = await submit(runtime, "hi")
    await call(0)
    expect(types(facts(runtime, session_id)).at(-1)).toBe("model.requested")
  })

  it("[RT-STAT-3] while preparing, no model has been called", async () => {
    const { model, call } = handModel()
    const { runtime } = await openRuntime(model)
    const { session_id } = await submit(runtime, "hi")
    await call(0)
    const seen = facts(runtime, session_id)
    const at = (phase: string) => seen.findIndex((fact) => fact.payload.phase === phase)
    const called = seen.findIndex((fact) => fact.type === "model.requested")
    expect(at("preparing")).toBeGreaterThan(0)
    expect(at("running")).toBeGreaterThan(at("preparing"))
    expect(called).toBeGreaterThan(at("running"))
    const between = seen.slice(at("preparing"), at("running")).map((fact) => fact.type)
    expect(between).toEqual([
      "run.status",
      "context.resolved",
      "tool.catalog.resolved",
      "task.profile.resolved",
      "routing.candidates.resolved",
      "routing.single_candidate",
      "routing.decided",
    ])
  })

  it("[RT-EVT-8] names the empty catalog of a turn without tools, once", async () => {
    const { runtime } = await openRuntime(echoModel())
    const { session_id } = await submit(runtime, "hi")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    const catalogs = seen.filter((fact) => fact.type === "tool.catalog.resolved")
    expect(catalogs.map((fact) => fact.payload.tools)).toEqual([[]])
  })

  it("the model is told the earlier turns of its thread, and no broken one", async () => {
    const { model, call } = handModel()
    const { runtime } = await openRuntime(model)
    const { session_id } = await submit(runtime, "one")
    const first = await call(0)
    first.give({ kind: "reasoning", part_id: "r", text: "secret thought" })
    first.text("first answer")
    first.finish()
    await until(runtime, session_id, ends("turn.completed"))
    await submit(runtime, "two", { session_id })
    const second = await call(1)
    second.text("half")
    second.cut()
    await until(runtime, session_id, ends("turn.failed"))
    await submit(runtime, "three", { session_id })
    const third = await call(2)
    expect(third.messages).toEqual([
      { role: "user", parts: [{ kind: "text", text: "one" }] },
      { role: "assistant", parts: "first answer" },
      { role: "user", parts: [{ kind: "text", text: "three" }] },
    ])
    const resolved = facts(runtime, session_id).filter((fact) => fact.type === "context.resolved")
    expect(resolved.at(-1)?.payload).toMatchObject({ history: { turns: 1 }, warnings: [] })
    third.finish()
  })

  it("a promoted turn stands in the model's context where it ran", async () => {
    const { model, call } = handModel()
    const { runtime } = await openRuntime(model)
    const { session_id, thread_id } = await submit(runtime, "one")
    await submit(runtime, "two", { session_id })
    const { queued_turn_id } = await submit(runtime, "three", { session_id })
    await done(runtime, "promote_queued_turn", { session_id, thread_id, queued_turn_id })
    for (const [index, answer] of ["first", "third"].entries()) {
      const provider = await call(index)
      provider.text(answer)
      provider.finish()
    }
    const last = await call(2)
    expect(last.messages.map((message) => JSON.stringify(message))).toEqual([
      expect.stringContaining("one"),
      expect.stringContaining("first"),
      expect.stringContaining("three"),
      expect.stringContaining("third"),
      expect.stringContaining("two"),
    ])
    last.finish()
  })

  it("[RT-TOOL-3] a tool that the turn does not have fails the call and not the turn", async () => {
    const { model, call } = handModel()
    const { runtime } = await openRuntime(model)
    const { session_id } = await submit(runtime, "hi")
    const provider = await call(0)
    provider.give({ kind: "tool_call", part_id: "p1", call_id: "c1", tool: "shell", arguments: "{}" })
    provider.finish()
    const again = await call(1)
    expect(again.messages.at(-1)).toMatchObject({
      role: "tool",
      parts: [{ kind: "tool_result", call_id: "c1", failed: true }],
    })
    again.text("Then without.")
    again.finish()
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(seen.find(({ type }) => type === "tool.failed")?.payload).toMatchObject({
      category: "unknown_tool",
    })
  })
})

describe("reads", () => {
  it("[RT-CMD-6] get_session and get_thread_read append nothing", async () => {
    const { runtime } = await openRuntime(echoModel())
    const { session_id, thread_id } = await submit(runtime, "hi")
    await until(runtime, session_id, ends("thread.updated", 2))
    const head = runtime.log.head(session_id)
    await done(runtime, "get_session", { session_id })
    await done(runtime, "get_thread_read", { session_id, thread_id })
    expect(runtime.log.head(session_id)).toBe(head)
  })

  it("[RT-CMD-27] pages through all history by cursor, without gap or repeat", async () => {
    const { runtime } = await openRuntime(echoModel())
    const { session_id } = await submit(runtime, "hi")
    await until(runtime, session_id, ends("thread.updated", 2))
    type Page = {
      history: { sequence: number }[]
      next_cursor?: string
      snapshot: { history_cursor: string | null }
    }
    const sequences: number[] = []
    for (let before: string | undefined, first = true; first || before !== undefined; first = false) {
      const page: Page = await done<Page>(runtime, "get_session", {
        session_id,
        limit: 5,
        ...(before ? { before } : {}),
      })
      sequences.unshift(...page.history.map((fact) => fact.sequence))
      expect(page.snapshot.history_cursor).toBe(page.next_cursor ?? null)
      before = page.next_cursor
    }
    expect(sequences).toEqual(facts(runtime, session_id).map((fact) => fact.sequence))
  })

  it.each(["nonsense", "ses_other~3", "SELF~0", "SELF~999999", "SELF~1~2", "SELF~1e3"])(
    "[RT-CMD-27] refuses the cursor %s",
    async (text) => {
      const { runtime } = await openRuntime(echoModel())
      const { session_id } = await submit(runtime, "hi")
      const input = { session_id, before: text.replace("SELF", session_id) }
      expect(await refused(runtime, "get_session", { input })).toMatchObject({
        code: "bad_cursor",
        field: "input.before",
      })
    },
  )

  it("[RT-CMD-27] the newest window ends where the snapshot does", async () => {
    const { runtime } = await openRuntime(echoModel())
    const { session_id } = await submit(runtime, "hi")
    type Read = { history: { sequence: number }[]; snapshot: { sequence: number } }
    for (let round = 0; round < 20; round++) {
      const { history, snapshot } = await done<Read>(runtime, "get_session", { session_id, limit: 3 })
      expect(history.at(-1)?.sequence).toBe(snapshot.sequence)
    }
  })

  it("[RT-SNAP-2] a busy thread shows its turn, an idle one its last outcome", async () => {
    const { model, call } = handModel()
    const { runtime } = await openRuntime(model)
    const { session_id, thread_id, turn_id } = await submit(runtime, "hi")
    const provider = await call(0)
    const second = await submit(runtime, "later", { session_id })
    type Read = { read_model: Record<string, unknown> }
    const busy = await done<Read>(runtime, "get_thread_read", { session_id, thread_id })
    expect(busy.read_model).toMatchObject({
      status: "running",
      active_turn: { turn_id, status: "running", title: "Waiting for the model" },
      queued_turns: [{ turn_id: second.turn_id }],
      last_outcome: null,
    })
    provider.give({ kind: "error", category: "provider_error", reason: "no", retryable: false })
    ;(await call(1)).finish()
    await until(runtime, session_id, ends("turn.completed"))
    await until(runtime, session_id, ends("thread.updated", 4))
    const idle = await done<Read>(runtime, "get_thread_read", { session_id, thread_id })
    expect(idle.read_model).toMatchObject({
      status: "idle",
      active_turn: null,
      queued_turns: [],
      last_outcome: { turn_id: second.turn_id, status: "completed" },
    })
  })

  it("[RT-CMD-28] tells the sequence that it reflects, during a stream and after a restart", async () => {
    const { model, call } = handModel()
    const first = await openRuntime(model)
    const { session_id, thread_id } = await submit(first.runtime, "hi")
    ;(await call(0)).text("Hel")
    await until(first.runtime, session_id, ends("model.delta"))
    type Read = { sequence: number; read_model: { sequence: number; status: string; freshness: string } }
    const streaming = await done<Read>(first.runtime, "get_thread_read", { session_id, thread_id })
    expect(streaming.read_model).toMatchObject({ status: "streaming", freshness: "current" })
    expect(streaming.sequence).toBe(first.runtime.log.head(session_id))
    expect(streaming.read_model.sequence).toBe(streaming.sequence)
    await first.runtime.close()
    const { runtime } = await openRuntime(echoModel(), { directory: first.directory })
    await until(runtime, session_id, ends("thread.updated", 2))
    const after = await done<Read>(runtime, "get_thread_read", { session_id, thread_id })
    expect(after.sequence).toBe(runtime.log.head(session_id))
    expect(after.read_model.status).toBe("idle")
  })

  it("[RT-CMD-1] what a client does to its copy of a read model changes nothing", async () => {
    const { runtime } = await openRuntime(echoModel())
    const { session_id, thread_id } = await submit(runtime, "hi")
    await until(runtime, session_id, ends("thread.updated", 2))
    const before = JSON.stringify(await done(runtime, "get_thread_read", { session_id, thread_id }))
    const head = runtime.log.head(session_id)
    spoil(await done(runtime, "get_thread_read", { session_id, thread_id }))
    spoil(await done(runtime, "get_session", { session_id }))
    expect(JSON.stringify(await done(runtime, "get_thread_read", { session_id, thread_id }))).toBe(before)
    expect(runtime.log.head(session_id)).toBe(head)
    const again = await submit(runtime, "more", { session_id })
    expect(again.status).toBe("accepted")
  })

  it.each(["get_session", "get_thread_read"])("%s refuses an unknown session", async (name) => {
    const { runtime } = await openRuntime(echoModel())
    const input = { session_id: "nowhere", ...(name === "get_session" ? {} : { thread_id: "t" }) }
    expect(await refused(runtime, name, { input })).toMatchObject({
      code: "not_found",
      field: "input.session_id",
    })
  })

  it("[RT-ID-3] a thread of one session read through another is refused", async () => {
    const { runtime } = await openRuntime(echoModel())
    const one = await submit(runtime, "a")
    const two = await submit(runtime, "b")
    const input = { session_id: one.session_id, thread_id: two.thread_id }
    expect(await refused(runtime, "get_thread_read", { input })).toMatchObject({ code: "scope_mismatch" })
  })
})

describe("the list of sessions", () => {
  it("is newest first and tells what each is doing", async () => {
    const { model, call } = handModel()
    const { runtime } = await openRuntime(model)
    const one = await submit(runtime, "first")
    ;(await call(0)).finish()
    await until(runtime, one.session_id, ends("thread.updated", 2))
    const two = await submit(runtime, "second")
    await call(1)
    const rows = runtime.sessions({ limit: 10 }).sessions
    expect(rows.map(({ updated_at: _, sequence: __, position: ___, ...row }) => row)).toEqual([
      { session_id: two.session_id, title: "second", status: "running", needs_you: 0 },
      { session_id: one.session_id, title: "first", status: "idle", outcome: "completed", needs_you: 0 },
    ])
    const [newest] = runtime.sessions({ limit: 1 }).sessions
    const older = runtime.sessions({ limit: 5, before: newest?.position ?? 0 }).sessions
    expect(older.map((row) => row.session_id)).toEqual([one.session_id])
  })
})

describe("a search in the list of sessions", () => {
  it("opens few of them in one request, goes on where it ended, and opens none of them twice", async () => {
    const { runtime } = await openRuntime(echoModel())
    const { log } = runtime
    const made = Array.from({ length: 260 }, async (_, index) => {
      const session_id = `ses_old${String(index).padStart(3, "0")}`
      const payload = { title: index === 0 ? "The one" : "Another" }
      const event_id = `evt_old${index}`
      const fact = { type: "session.created", event_id, session_id, sequence: 1, schema_version: 1, payload }
      await log.append({ stream: session_id, expected: 0, facts: [{ event_id, text: JSON.stringify(fact) }] })
    })
    await Promise.all(made)
    const opened = vi.spyOn(log, "loadState")
    const search = () => {
      const found: string[] = []
      for (let next: number | undefined; ; ) {
        const before = opened.mock.calls.length
        const page = runtime.sessions({ limit: 10, search: "the one", ...(next && { before: next }) })
        expect(opened.mock.calls.length - before).toBeLessThanOrEqual(110)
        found.push(...page.sessions.map(({ session_id }) => session_id))
        next = page.next
        if (next === undefined) return found
      }
    }
    expect(search()).toEqual(["ses_old000"])
    expect(opened).toHaveBeenCalledTimes(260)
    expect(search()).toEqual(["ses_old000"])
    expect(opened).toHaveBeenCalledTimes(260)
  })

  it("opens none that the one who asks may not see", async () => {
    const { runtime } = await openRuntime(echoModel())
    const { session_id } = await submit(runtime, "mine")
    await submit(runtime, "not mine")
    const seen: string[] = []
    const visible = (id: string) => {
      seen.push(id)
      return id === session_id
    }
    expect(runtime.sessions({ limit: 10, visible }).sessions).toMatchObject([{ session_id }])
    expect(seen).toHaveLength(2)
  })
})

describe("the list of sessions under way", () => {
  it("never keeps a row that is behind its session", async () => {
    const { runtime } = await openRuntime(echoModel())
    const all = await Promise.all(Array.from({ length: 40 }, (_, index) => submit(runtime, `s${index}`)))
    const polling = setInterval(() => runtime.sessions({ limit: 100 }), 0)
    for (const { session_id } of all) await until(runtime, session_id, ends("thread.updated", 2))
    clearInterval(polling)
    const rows = () => runtime.sessions({ limit: 100 }).sessions
    await vi.waitUntil(() => rows().every((row) => row.sequence === runtime.log.head(row.session_id)))
    expect(rows().map((row) => row.status)).toEqual(all.map(() => "idle"))
  })
})

/** Overwrites every string and empties every list that can be reached. */
function spoil(value: unknown): void {
  if (typeof value !== "object" || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    spoil(inner)
    if (Array.isArray(inner)) inner.length = 0
    else if (typeof inner === "string") Reflect.set(value, key, "spoilt")
  }
}
