import { describe, expect, it } from "vitest"
import { World, words } from "./world.ts"

type Submitted = {
  session_id: string
  thread_id: string
  turn_id: string
  status: string
  queued_turn_id?: string
}

function submit(world: World, input: Record<string, unknown>): Submitted {
  const decision = world.command("submit_turn", { input: words("hi"), ...input })
  if (!decision.ok) throw new Error(JSON.stringify(decision.refusal))
  return decision.result as Submitted
}

function refusal(world: World, name: string, input: unknown) {
  const before = world.facts.length
  const decision = world.command(name, input)
  expect(decision.ok).toBe(false)
  expect(world.facts).toHaveLength(before)
  return decision.ok ? undefined : decision.refusal
}

describe("submit_turn", () => {
  it("[RT-CMD-7] creates session and thread, in this order, before the turn", () => {
    const world = new World()
    const made = submit(world, { create: "session", title: "Mine" })
    expect(made.status).toBe("accepted")
    expect(world.types()).toEqual(["session.created", "thread.started", "turn.submitted"])
    expect(world.state(made.session_id).entities.sessions[made.session_id]?.title).toBe("Mine")
  })

  it("[RT-CMD-7] an idle thread accepts, a busy one queues", () => {
    const world = new World()
    const first = submit(world, { create: "session" })
    const { session_id, thread_id } = first
    const second = submit(world, { session_id, thread_id })
    expect(second.status).toBe("queued")
    expect(world.types(second.turn_id)).toEqual(["turn.submitted"])
    expect(world.facts.at(-1)?.type).toBe("queue.changed")
    expect(world.facts.at(-1)?.payload).toMatchObject({
      change: "enqueued",
      queued_turn_id: second.queued_turn_id,
      order: [{ turn_id: second.turn_id, source: "client", state: "waiting" }],
      policy: "fifo",
    })
  })

  it("[RT-CMD-7] a turn submitted after the end of the last one is accepted", () => {
    const world = new World()
    const { session_id, turn_id } = submit(world, { create: "session" })
    world.start(session_id, turn_id)
    world.end(session_id, turn_id)
    expect(submit(world, { session_id }).status).toBe("accepted")
  })

  it("[RT-CMD-7] without a thread the first one of the session is meant", () => {
    const world = new World()
    const first = submit(world, { create: "session" })
    const other = submit(world, { session_id: first.session_id, create: "thread" })
    expect(other.thread_id).not.toBe(first.thread_id)
    expect(other.status).toBe("accepted")
    expect(submit(world, { session_id: first.session_id }).thread_id).toBe(first.thread_id)
  })

  it("[RT-CMD-7] a thread may be created under the caller's own id", () => {
    const world = new World()
    const { session_id } = submit(world, { create: "session" })
    expect(submit(world, { session_id, thread_id: "mine", create: "thread" }).thread_id).toBe("mine")
    expect(submit(world, { session_id, thread_id: "mine" }).status).toBe("queued")
  })

  it("[RT-CMD-7] a session may be created under the caller's own id, once", () => {
    const world = new World()
    expect(submit(world, { session_id: "mine", create: "session" }).session_id).toBe("mine")
    const again = refusal(world, "submit_turn", { session_id: "mine", create: "session", input: words("hi") })
    expect(again).toMatchObject({ code: "conflict", field: "session_id", id: "mine" })
  })

  it("[RT-CMD-7] input, source, options and metadata reach the fact", () => {
    const world = new World()
    const extra = { source: "cli", options: { a: 1 }, metadata: { b: 2 } }
    submit(world, { create: "session", ...extra })
    expect(world.facts.at(-1)?.payload).toEqual({ input: words("hi"), ...extra })
    submit(world, { create: "session" })
    expect(world.facts.at(-1)?.payload).toEqual({ input: words("hi"), source: "client" })
  })

  it.each([
    ["no input parts", { create: "session", input: [] }, "invalid_input", "input.input"],
    ["an empty text", { create: "session", input: words("") }, "invalid_input", "input.input.0.text"],
    ["an unknown session", { session_id: "x", input: words("a") }, "not_found", "session_id"],
    [
      "a mode that nobody knows",
      { session_id: "s", input: words("a"), options: { mode: "auto" } },
      "invalid_input",
      "options.mode",
    ],
    ["an unknown thread", { session_id: "s", thread_id: "x", input: words("a") }, "not_found", "thread_id"],
  ])("[RT-CMD-7] refuses %s", (_, input, code, field) => {
    const world = new World()
    submit(world, { session_id: "s", create: "session" })
    expect(refusal(world, "submit_turn", input)).toMatchObject({ code, field })
  })

  it("[RT-CMD-7] a repeat with the caller's turn id returns the same turn", () => {
    const world = new World()
    const first = submit(world, { create: "session", turn_id: "t1" })
    const { session_id } = first
    const queued = submit(world, { session_id, turn_id: "t2" })
    const before = world.facts.length
    expect(submit(world, { create: "session", turn_id: "t1" })).toEqual(first)
    expect(submit(world, { session_id, turn_id: "t2" })).toEqual(queued)
    expect(world.facts).toHaveLength(before)
    world.start(session_id, "t1")
    world.end(session_id, "t1")
    expect(submit(world, { session_id, turn_id: "t2" })).toMatchObject({ turn_id: "t2", status: "accepted" })
  })

  it.each([
    ["input", { input: words("something else") }],
    ["context", { context: [{ path: "other.md" }] }],
    ["options", { options: { mode: "plan" } }],
    ["metadata", { metadata: { from: "elsewhere" } }],
  ])("[RT-CMD-7] the same turn id with other %s is a conflict, never an acknowledged loss", (_, other) => {
    const world = new World()
    const { session_id } = submit(world, { create: "session", turn_id: "t1" })
    const again = { session_id, turn_id: "t1", input: words("hi"), ...other }
    expect(refusal(world, "submit_turn", again)).toMatchObject({
      code: "conflict",
      field: "turn_id",
      id: "t1",
    })
  })

  it("[RT-ID-4] a turn id belongs to one thread", () => {
    const world = new World()
    const { session_id, thread_id } = submit(world, { create: "session", turn_id: "t1" })
    submit(world, { session_id: "other", create: "session" })
    submit(world, { session_id, thread_id: "second", create: "thread" })
    for (const where of [{ session_id: "other" }, { session_id, thread_id: "second" }]) {
      const input = { ...where, turn_id: "t1", input: words("a") }
      expect(refusal(world, "submit_turn", input)).toMatchObject({
        code: "scope_mismatch",
        field: "turn_id",
        id: "t1",
      })
    }
    expect(submit(world, { session_id, thread_id, turn_id: "t1" }).turn_id).toBe("t1")
  })

  it("[RT-ID-4] an id of another kind is no turn", () => {
    const world = new World()
    const { session_id, thread_id, turn_id } = submit(world, { create: "session" })
    const input = { session_id, turn_id: thread_id, input: words("a") }
    expect(refusal(world, "submit_turn", input)).toMatchObject({ code: "scope_mismatch", field: "turn_id" })
    const stop = { session_id, turn_id: thread_id, reason: "x" }
    expect(refusal(world, "interrupt_turn", stop)).toMatchObject({ code: "not_found", field: "turn_id" })
    const removal = { session_id, thread_id, queued_turn_id: turn_id }
    const refused = refusal(world, "remove_queued_turn", removal)
    expect(refused).toMatchObject({ code: "not_found", field: "queued_turn_id" })
  })

  it("[RT-ID-4] two submissions give two turns", () => {
    const world = new World()
    const { session_id, turn_id } = submit(world, { create: "session" })
    expect(submit(world, { session_id }).turn_id).not.toBe(turn_id)
  })

  it("[RT-ID-2] no thread without its session", () => {
    const world = new World()
    const input = { session_id: "nowhere", create: "thread", input: words("a") }
    expect(refusal(world, "submit_turn", input)).toMatchObject({ code: "not_found", field: "session_id" })
    expect(world.states.size).toBe(0)
  })

  it.each([
    ["one line", "Mend the build\nplease", "Mend the build"],
    ["a long line", "x".repeat(80), `${"x".repeat(59)}…`],
    ["exactly sixty characters", "y".repeat(60), "y".repeat(60)],
    ["only spaces", "  ", "New session"],
    ["a secret", `${"z".repeat(50)} secret`, `${"z".repeat(50)} [masked]`],
  ])("the title of a session comes from its first message: %s", (_, text, title) => {
    const world = new World()
    const { session_id } = submit(world, { create: "session", input: words(text) })
    expect(world.state(session_id).entities.sessions[session_id]?.title).toBe(title)
  })

  it("a message without text has a plain title", () => {
    const world = new World()
    const ref = { kind: "blob", uri: "blob:x" }
    const decision = world.command("submit_turn", { create: "session", input: [{ kind: "image", ref }] })
    if (!decision.ok) expect(decision.refusal.field).toContain("ref")
    else expect(world.facts[0]?.payload).toMatchObject({ title: "New session" })
  })
})

describe("interrupt_turn", () => {
  it("[RT-CMD-8] ends the running turn as cancelled by the user", () => {
    const world = new World()
    const { session_id, turn_id } = submit(world, { create: "session" })
    world.start(session_id, turn_id)
    const decision = world.command("interrupt_turn", { session_id, reason: "enough" })
    expect(decision).toMatchObject({ ok: true, result: { status: "accepted", turn_ids: [turn_id] } })
    expect(world.types(turn_id).slice(-2)).toEqual(["run.status", "turn.failed"])
    const failed = world.facts.find((fact) => fact.type === "turn.failed")
    expect(failed?.payload).toEqual({
      status: "cancelled",
      category: "interrupted",
      reason: "enough",
      by: "user",
    })
    expect(world.state(session_id).entities.runs[turn_id]?.phase).toBe("cancelled")
  })

  it("[RT-CMD-8] stops a turn that was accepted and has not started", () => {
    const world = new World()
    const { session_id, turn_id, thread_id } = submit(world, { create: "session" })
    world.command("interrupt_turn", { session_id, thread_id, turn_id, reason: "enough" })
    expect(world.state(session_id).entities.turns[turn_id]?.status).toBe("cancelled")
  })

  it("[RT-CMD-8] is a no-op without an active turn, after the end and when repeated", () => {
    const world = new World()
    const { session_id, turn_id } = submit(world, { create: "session" })
    world.start(session_id, turn_id)
    world.end(session_id, turn_id)
    const before = world.facts.length
    for (const scope of [{}, { turn_id }]) {
      const decision = world.command("interrupt_turn", { session_id, ...scope, reason: "late" })
      expect(decision).toMatchObject({ ok: true, result: { status: "no_op", turn_ids: [] } })
    }
    expect(world.facts).toHaveLength(before)
  })

  it("[RT-CMD-8] stops every active turn of the session, or only those of the thread or turn named", () => {
    const world = new World()
    const one = submit(world, { create: "session" })
    const { session_id } = one
    const two = submit(world, { session_id, create: "thread" })
    const queued = submit(world, { session_id, thread_id: one.thread_id })
    const named = { session_id, thread_id: two.thread_id, turn_id: one.turn_id, reason: "x" }
    expect(refusal(world, "interrupt_turn", named)).toMatchObject({
      code: "scope_mismatch",
      field: "turn_id",
    })
    const aside = world.command("interrupt_turn", { session_id, turn_id: queued.turn_id, reason: "x" })
    expect(aside).toMatchObject({ result: { status: "no_op" } })
    const decision = world.command("interrupt_turn", { session_id, reason: "all" })
    expect(decision).toMatchObject({ result: { turn_ids: [one.turn_id, two.turn_id] } })
    const third = submit(world, { session_id, thread_id: two.thread_id })
    const only = world.command("interrupt_turn", { session_id, thread_id: two.thread_id, reason: "one" })
    expect(only).toMatchObject({ result: { turn_ids: [third.turn_id] } })
    expect(world.state(session_id).entities.turns[queued.turn_id]?.status).toBe("accepted")
  })

  it.each([
    ["session", { session_id: "x" }, "not_found", "session_id"],
    ["thread", { session_id: "s", thread_id: "x" }, "not_found", "thread_id"],
    ["turn", { session_id: "s", turn_id: "x" }, "not_found", "turn_id"],
    ["thread of another session", { session_id: "s", thread_id: "foreign" }, "scope_mismatch", "thread_id"],
    ["turn of another session", { session_id: "s", turn_id: "foreign-turn" }, "scope_mismatch", "turn_id"],
  ])("[RT-ID-3] refuses an unknown or foreign %s", (_, scope, code, field) => {
    const world = new World()
    submit(world, { session_id: "s", create: "session" })
    submit(world, { session_id: "o", thread_id: "foreign", turn_id: "foreign-turn", create: "session" })
    const refused = refusal(world, "interrupt_turn", { ...scope, reason: "x" })
    expect(refused).toMatchObject({ code, field })
    expect(refused?.message).toContain(code === "not_found" ? "known" : "belong")
  })
})
