import { emptySession } from "@factum/facts"
import { describe, expect, it } from "vitest"
import {
  compactingIn,
  compactionFailed,
  compactionRange,
  compactionStarted,
} from "../../src/control/compaction.ts"
import { type RollBack, rollBack } from "../../src/control/rollback.ts"
import { hasUnheard } from "../../src/control/steer.ts"
import type { Draft } from "../../src/decision.ts"
import { World, words } from "./world.ts"

const at = { session_id: "s", thread_id: "t" }
const inTurn = (turn_id: string) => ({ ...at, turn_id, step_id: "stp" })

/** A session with a thread and a turn that was submitted. */
function opened(): World {
  const world = new World()
  world.command("submit_turn", { ...at, create: "session", turn_id: "a", input: words("One") })
  return world
}
function submit(world: World, turn_id: string): void {
  world.command("submit_turn", { ...at, turn_id, input: words(turn_id) })
}
const asked = (turn_id: string, request_id: string): Draft => ({
  type: "model.requested",
  ...inTurn(turn_id),
  payload: { request_id, provider: "p", model: "m", attempt: 1 },
})
const answered = (turn_id: string, request_id: string): Draft => ({
  type: "model.completed",
  ...inTurn(turn_id),
  payload: {
    request_id,
    parts: [],
    corrected: [],
    usage: { input_tokens: 1, output_tokens: 1 },
    finish: "stop",
  },
})
const moved = (phase: "blocked" | "waiting_resource", detail: string): Draft => ({
  type: "run.status",
  ...at,
  turn_id: "a",
  payload: { phase, title: "", detail, checkpoints: [], metadata: {} },
})
const threadTo = (status: "blocked" | "waiting"): Draft => ({
  type: "thread.updated",
  ...at,
  payload: { status, previous: "active", active_turn_id: "a", reason: "x" },
})
const steering = (more: object = {}) => ({ ...at, when: "steer", input: words("More"), ...more })

describe("steering", () => {
  it("[RT-CMD-7] attaches to the active turn alone: one fact, the queue as it was", () => {
    const world = opened()
    world.start("s", "a")
    submit(world, "b")
    const order = world.state("s").entities.queues.t?.order
    const before = world.facts.length
    const decision = world.command("submit_turn", steering({ source: "phone", metadata: { k: 1 } }))
    expect(decision).toMatchObject({
      ok: true,
      result: { ...at, turn_id: "a", status: "steered" },
      claims: [],
    })
    expect(world.facts.slice(before)).toEqual([
      expect.objectContaining({
        type: "queue.changed",
        ...at,
        turn_id: "a",
        payload: {
          change: "steered",
          order,
          policy: "fifo",
          steer: { input: words("More"), source: "phone", metadata: { k: 1 } },
        },
      }),
    ])
  })
  it("finds the only thread, and takes a client for the source", () => {
    const world = opened()
    world.command("submit_turn", { session_id: "s", when: "steer", input: words("More"), turn_id: "a" })
    expect(world.facts.at(-1)?.payload).toEqual({
      change: "steered",
      order: [],
      policy: "fifo",
      steer: { input: words("More"), source: "client" },
    })
  })
  it.each([
    ["no session", { session_id: "none" }, "not_found", "session_id", /No session none/],
    ["no thread", { thread_id: "none" }, "not_found", "thread_id", /none/],
    ["no turn", { turn_id: "none" }, "not_found", "turn_id", /none/],
    ["something new", { create: "thread" }, "invalid_input", "create", /no turn to steer/],
    ["context", { context: [{ path: "a" }] }, "invalid_input", "context", /has begun/],
  ])("[RT-CMD-3] is refused for %s", (_, more, code, field, message) => {
    const world = opened()
    const before = world.facts.length
    const decision = world.command("submit_turn", steering(more))
    expect(decision).toMatchObject({ ok: false, refusal: { code, field } })
    expect(decision.ok ? "" : decision.refusal.message).toMatch(message)
    expect(world.facts).toHaveLength(before)
  })
  it("[RT-CMD-3] is refused with the state when the turn is not active", () => {
    const world = opened()
    submit(world, "b")
    expect(world.command("submit_turn", steering({ turn_id: "b" }))).toMatchObject({
      refusal: { code: "wrong_state", field: "when", state: "active", message: "b is not the active turn." },
    })
    world.start("s", "a")
    world.end("s", "a")
    world.end("s", "b")
    expect(world.command("submit_turn", steering())).toMatchObject({
      refusal: { code: "wrong_state", state: "idle", message: "No turn of the thread is active." },
    })
  })
  it("is unheard until a request that was opened after it has completed", () => {
    const world = opened()
    expect(hasUnheard(world.state("s"), "none")).toBe(false)
    world.start("s", "a")
    world.happen("s", [asked("a", "r1")])
    expect(hasUnheard(world.state("s"), "a")).toBe(false)
    world.command("submit_turn", steering())
    world.happen("s", [answered("a", "r1"), asked("a", "r2")])
    expect(hasUnheard(world.state("s"), "a")).toBe(true)
    world.happen("s", [answered("a", "r2")])
    expect(hasUnheard(world.state("s"), "a")).toBe(false)
  })
})

describe("resume_thread", () => {
  const resume = (world: World, more: object = {}) => {
    const before = world.facts.length
    const decision = world.command("resume_thread", { ...at, ...more })
    return { decision, facts: world.facts.slice(before) }
  }
  const statusOf = (world: World) => resume(world).decision

  it("[RT-CMD-9] resumed: a blocked thread becomes active", () => {
    const world = opened()
    world.start("s", "a")
    world.happen("s", [moved("blocked", "no key"), threadTo("blocked")])
    const { decision, facts } = resume(world, { resume_token: "t~2" })
    expect(decision).toMatchObject({ result: { status: "resumed", reason: "Tried again after: no key" } })
    expect(facts).toEqual([
      expect.objectContaining({
        type: "thread.updated",
        ...at,
        payload: { status: "active", previous: "blocked", active_turn_id: "a", reason: "resumed" },
      }),
    ])
    expect(statusOf(world)).toMatchObject({ result: { status: "no_op", reason: "It was resumed before." } })
    expect(resume(world, { resume_token: "t~2" }).decision).toMatchObject({
      refusal: { code: "bad_cursor", field: "resume_token" },
    })
  })
  it("[RT-CMD-9] no_op while it runs, still_waiting for a limit", () => {
    const world = opened()
    world.start("s", "a")
    expect(statusOf(world)).toMatchObject({ result: { status: "no_op", reason: "The thread is running." } })
    world.happen("s", [moved("waiting_resource", "until noon"), threadTo("waiting")])
    expect(statusOf(world)).toMatchObject({ result: { status: "still_waiting", reason: "until noon" } })
  })
  it("[RT-CMD-9] nothing_to_resume after a completed turn, not_possible after a failed one, the last by its end", () => {
    const world = opened()
    world.start("s", "a")
    world.end("s", "a", { status: "failed", category: "runtime_restart", reason: "cut" })
    expect(statusOf(world)).toMatchObject({
      result: {
        status: "not_possible",
        reason: expect.stringMatching(/\(runtime_restart\).*Send the message again/),
      },
    })
    submit(world, "b")
    world.start("s", "b")
    world.end("s", "b")
    const { decision, facts } = resume(world)
    expect(decision).toMatchObject({
      result: { status: "nothing_to_resume", reason: "Nothing of the thread was left undone." },
    })
    expect(facts).toEqual([])
  })
  it("[RT-CMD-9] is refused for what is not known", () => {
    const world = opened()
    expect(resume(world, { session_id: "none" }).decision).toMatchObject({
      refusal: { code: "not_found", field: "session_id", id: "none", message: "No session none is known." },
    })
    expect(resume(world, { thread_id: "none" }).decision).toMatchObject({ refusal: { code: "not_found" } })
    expect(resume(world, { resume_token: "t~9" }).decision).toMatchObject({
      refusal: {
        code: "bad_cursor",
        message: "The token is false or was used before.",
        fix: expect.stringContaining("fresh"),
      },
    })
  })
})

describe("rollback", () => {
  const call = (turn_id: string, tool_call_id: string) => ({ ...inTurn(turn_id), tool_call_id })
  const started = (turn_id: string, id: string, tool: string, effect: "once" | "none" = "once"): Draft => ({
    type: "tool.started",
    ...call(turn_id, id),
    payload: { tool, owner: "builtin", effect, input: { text: `{${id}}`, whole: true } },
  })
  const begun = (turn_id: string, id: string): Draft => ({
    type: "tool.progress",
    ...call(turn_id, id),
    payload: { attempt: 1 },
  })
  const result = (turn_id: string, id: string): Draft => ({
    type: "tool.result",
    ...call(turn_id, id),
    payload: {
      output_refs: [{ uri: `blob:${id}`, kind: "output" }],
      preview: { text: "", whole: true },
      duration_ms: 1,
    },
  })
  const back = (world: World, more: Partial<RollBack> = {}) =>
    rollBack({ ...at, reason: "why", ...more }, world.state("s"), world.given, () => emptySession)

  /** Two turns; the second did this and that. */
  function worked(): World {
    const world = opened()
    world.start("s", "a")
    world.happen("s", [started("a", "early", "shell"), begun("a", "early"), result("a", "early")])
    world.end("s", "a")
    submit(world, "b")
    world.start("s", "b")
    world.happen("s", [
      started("b", "w", "write_file"),
      begun("b", "w"),
      started("b", "look", "read_file", "none"),
      begun("b", "look"),
      result("b", "look"),
      result("b", "w"),
      started("b", "never", "shell"),
      started("b", "sh", "shell"),
      begun("b", "sh"),
      started("b", "mail", "send_mail"),
      begun("b", "mail"),
      result("b", "mail"),
    ])
    world.end("s", "b", { status: "failed", category: "runtime_restart", reason: "cut" })
    return world
  }

  it("[RT-CTX-4] names the boundary, what left, and each effect that may have happened, in order", () => {
    const world = worked()
    const { sequence } = world.state("s")
    const boundary = { sequence: world.state("s").entities.turns.a?.ended_sequence, turn_id: "a" }
    const not_undone = [
      { kind: "file", detail: "write_file {w}", tool_call_id: "w", ref: { uri: "blob:w", kind: "output" } },
      {
        kind: "command",
        detail: "shell {sh} (outcome_unknown; it may have had its effect)",
        tool_call_id: "sh",
      },
      {
        kind: "external",
        detail: "send_mail {mail}",
        tool_call_id: "mail",
        ref: { uri: "blob:mail", kind: "output" },
      },
    ]
    const decision = back(world, { turn_id: "a" })
    const rollback_id = decision.ok ? decision.result.rollback_id : ""
    expect(decision).toEqual({
      ok: true,
      result: { rollback_id: expect.stringContaining("rollback"), boundary, turn_ids: ["b"], not_undone },
      facts: [
        {
          type: "history.rollback.started",
          ...at,
          payload: { rollback_id, boundary, reason: "why", by: "user" },
        },
        {
          type: "history.rollback.completed",
          ...at,
          payload: {
            rollback_id,
            boundary,
            left: { from: (boundary.sequence ?? 0) + 1, to: sequence },
            not_undone,
          },
        },
      ],
      claims: [],
    })
  })
  it("[RT-CTX-4] without a turn all leave; a running process is named", () => {
    const world = worked()
    world.happen("s", [
      {
        type: "process.started",
        ...at,
        turn_id: "b",
        payload: {
          process_id: "prc",
          command: ["serve"],
          cwd: "/",
          sandbox_profile: "none",
          network: "none",
          stdin: "closed",
          tty: false,
          long_lived: true,
        },
      },
    ])
    const decision = back(world)
    expect(decision).toMatchObject({ result: { boundary: { sequence: 0 }, turn_ids: ["a", "b"] } })
    const effects = decision.ok ? decision.result.not_undone : []
    expect(effects.map(({ kind }) => kind)).toEqual(["command", "file", "command", "external", "process"])
    expect(effects.at(-1)).toEqual({ kind: "process", detail: "prc is still running." })
  })
  it("[RT-CTX-4] is refused while a turn in the range has not ended, also a queued one", () => {
    const world = opened()
    world.start("s", "a")
    expect(back(world)).toMatchObject({
      refusal: { code: "wrong_state", id: "a", state: "running", message: "a has not ended." },
    })
    expect(back(world, { turn_id: "a" })).toMatchObject({
      refusal: { code: "wrong_state", field: "turn_id", id: "a", state: "running" },
    })
    world.end("s", "a")
    submit(world, "b")
    expect(back(world, { turn_id: "a" })).toMatchObject({
      refusal: { id: "b", state: "accepted", fix: expect.stringContaining("Interrupt") },
    })
  })
  it("[RT-CTX-4] is refused where nothing would leave, or the thread is being summed up", () => {
    const world = worked()
    expect(back(world, { turn_id: "b" })).toMatchObject({
      refusal: { code: "wrong_state", state: "idle", message: "Nothing came after that turn." },
    })
    world.happen("s", [
      compactionStarted("s", { compaction_id: "c", thread_id: "t", range: range(1, 2) }, "x"),
    ])
    expect(back(world, { turn_id: "a" })).toMatchObject({
      refusal: { code: "wrong_state", state: "compacting" },
    })
  })
  it("[RT-CTX-4] is refused for what is not known or has been rolled back", () => {
    const world = worked()
    expect(back(world, { session_id: "none" })).toMatchObject({
      refusal: { code: "not_found", field: "session_id", message: "No session none is known." },
    })
    expect(back(world, { thread_id: "none" })).toMatchObject({
      refusal: { code: "not_found", field: "thread_id" },
    })
    expect(back(world, { turn_id: "none" })).toMatchObject({
      refusal: { code: "not_found", field: "turn_id" },
    })
    const done = back(world, { turn_id: "a" })
    if (done.ok) world.happen("s", done.facts)
    expect(back(world, { turn_id: "b" })).toMatchObject({
      refusal: { code: "wrong_state", state: "unknown", message: "b is no longer in the read model." },
    })
  })
})

const range = (from: number, to: number) => ({ from, to, passages: [] })

describe("compaction", () => {
  const passages = [3, 7, 9].map((opened) => ({ opened, messages: [{ role: "user" as const, parts: "x" }] }))
  const wanted = { cause: "c", keep: 0 }

  it("[RT-EVT-13] is open from its start to its one end", () => {
    const world = opened()
    const work = { compaction_id: "c", thread_id: "t", range: range(1, 2) }
    expect(compactingIn(world.state("s"), "t")).toBeUndefined()
    expect(compactionFailed(world.state("s"), "t", "c", "cut")).toEqual([])
    const start = compactionStarted("s", work, "too long")
    expect(start).toEqual({
      type: "context.compaction.started",
      ...at,
      payload: { compaction_id: "c", cause: "too long", from: 1, to: 2 },
    })
    world.happen("s", [start])
    expect(compactingIn(world.state("s"), "t")).toBe("c")
    expect(compactionFailed(world.state("s"), "t", "other", "cut")).toEqual([])
    const end = compactionFailed(world.state("s"), "t", "c", "cut")
    expect(end).toEqual([
      { type: "context.compaction.failed", ...at, payload: { compaction_id: "c", cause: "cut" } },
    ])
    world.happen("s", end)
    expect(compactingIn(world.state("s"), "t")).toBeUndefined()
  })
  it("leaves out what the active turn is still working on", () => {
    const world = opened()
    world.start("s", "a")
    const rangeIn = (settled: boolean) =>
      compactionRange(world.state("s"), "t", passages, 0, { ...wanted, settled })
    const { sequence } = world.state("s")
    expect(rangeIn(false)?.to).toBe(sequence)
    world.happen("s", [asked("a", "r1"), answered("a", "r1"), asked("a", "r2")])
    const second = world.state("s").entities.modelRequests.r2?.opened ?? 0
    expect(rangeIn(false)?.to).toBe(second - 1)
    expect(rangeIn(true)?.to).toBe(world.state("s").sequence)
    world.end("s", "a")
    expect(rangeIn(false)?.to).toBe(world.state("s").sequence)
  })
})
