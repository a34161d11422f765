import { describe, expect, it } from "vitest"
import { type Ending, endTurn, moveTo, startTurn } from "../../src/control/loop.ts"
import type { Draft } from "../../src/decision.ts"
import { owed } from "../../src/owed.ts"
import { World, words } from "./world.ts"

function running(queued: readonly string[] = []) {
  const world = new World()
  world.command("submit_turn", {
    session_id: "s",
    thread_id: "th",
    turn_id: "t",
    create: "session",
    input: words("a"),
  })
  for (const turn_id of queued) world.command("submit_turn", { session_id: "s", turn_id, input: words("b") })
  world.start("s", "t")
  return world
}

const scope = { session_id: "s", thread_id: "th", turn_id: "t" }
const requested: Draft = {
  type: "model.requested",
  ...scope,
  step_id: "st",
  payload: { request_id: "r", provider: "p", model: "m", attempt: 1 },
}
const delta = (text: string): Draft => ({
  type: "model.delta",
  ...scope,
  step_id: "st",
  payload: { request_id: "r", part_id: "p0", kind: "text", text },
})
const only = (facts: readonly Draft[], type: string) => facts.filter((fact) => fact.type === type)

describe("start", () => {
  it("[RT-EVT-2] the thread turns active once, naming its turn", () => {
    const world = running()
    const updates = world.facts.filter((fact) => fact.type === "thread.updated")
    expect(updates.map((fact) => fact.payload)).toEqual([
      { status: "active", previous: "idle", active_turn_id: "t", reason: "turn started" },
    ])
    expect(world.types("t")).toEqual(["turn.submitted", "turn.started", "run.status"])
    expect(world.facts.at(-1)?.payload).toMatchObject({
      phase: "preparing",
      title: "Preparing",
      checkpoints: [],
      metadata: {},
    })
  })

  it("a turn that has started is not started again", () => {
    expect(startTurn(running().state("s"), "t")).toEqual([])
    expect(startTurn(running().state("s"), "other")).toEqual([])
  })
})

describe("phases", () => {
  it("[RT-EVT-5] a phase is told once and only when it may follow", () => {
    const world = running()
    expect(moveTo(world.state("s"), "t", "preparing", "a", "b")).toEqual([])
    expect(moveTo(world.state("s"), "t", "streaming", "a", "b")).toEqual([])
    const [fact] = moveTo(world.state("s"), "t", "running", "Title", "Detail")
    expect(fact).toMatchObject({
      ...scope,
      type: "run.status",
      payload: { phase: "running", title: "Title", detail: "Detail" },
    })
  })

  it("a turn without a phase is accepted", () => {
    const world = new World()
    world.command("submit_turn", { session_id: "s", turn_id: "t", create: "session", input: words("a") })
    expect(moveTo(world.state("s"), "t", "preparing", "a", "b")).toHaveLength(1)
    expect(moveTo(world.state("s"), "t", "running", "a", "b")).toEqual([])
  })
})

describe("end", () => {
  const failed: Ending = { status: "failed", category: "provider_error", reason: "gone", next: "again" }
  const cancelled: Ending = { status: "cancelled", category: "interrupted", reason: "enough", by: "user" }
  const late: Ending = { status: "timed_out", category: "time_limit", reason: "slow" }

  it.each([
    ["completed", { status: "completed", outcome: "answered" }, "turn.completed", "Done", ""],
    ["failed", failed, "turn.failed", "Failed", "gone"],
    ["cancelled", cancelled, "turn.failed", "Interrupted", "enough"],
    ["timed_out", late, "turn.failed", "Out of time", "slow"],
  ] as const)("[RT-EVT-3] exactly one terminal fact: %s", (phase, ending, type, title, detail) => {
    const world = running()
    world.end("s", "t", ending)
    expect(world.types("t").filter((name) => name === "turn.completed" || name === "turn.failed")).toEqual([
      type,
    ])
    const status = world.facts.findLast((fact) => fact.type === "run.status")
    expect(status?.payload).toMatchObject({ phase, title, detail })
    expect(world.state("s").entities.turns.t?.status).toBe(phase)
    expect(world.facts.at(-1)?.payload).toEqual({ status: "idle", previous: "active", reason: "turn ended" })
  })

  it.each([
    ["interrupted", cancelled],
    ["time_limit", late],
    ["cut_stream", failed],
    ["runtime_restart", { status: "failed", category: "runtime_restart", reason: "stop" }],
  ] as const)(
    "[RT-MOD-3] a stream open at the end is closed as %s and keeps its text",
    (category, ending) => {
      const world = running()
      world.happen("s", [
        ...moveTo(world.state("s"), "t", "running", "", ""),
        requested,
        delta("Hel"),
        delta("lo"),
      ])
      const from = world.facts.find((fact) => fact.type === "model.delta")?.sequence
      const facts = endTurn(world.state("s"), "t", ending)
      expect(only(facts, "model.failed").map((fact) => fact.payload)).toEqual([
        {
          request_id: "r",
          category,
          reason: ending.reason,
          retryable: false,
          parts: [{ kind: "text", part_id: "p0", text: "Hello" }],
          supersedes: { from, to: (from ?? 0) + 1 },
        },
      ])
      expect(facts.map((fact) => fact.type).indexOf("model.failed")).toBe(0)
    },
  )

  it("[RT-MOD-3] a stream without a chunk supersedes nothing", () => {
    const world = running()
    world.happen("s", [requested])
    const [closed] = only(endTurn(world.state("s"), "t", failed), "model.failed")
    expect(closed?.payload).not.toHaveProperty("supersedes")
    expect(closed?.payload).toMatchObject({ parts: [] })
  })

  it("[RT-STAT-13] a completed turn closes what the provider left open", () => {
    const world = running()
    world.happen("s", [requested])
    world.end("s", "t")
    expect(world.state("s").entities.modelRequests.r?.failure).toMatchObject({
      category: "cut_stream",
      reason: "The turn ended.",
    })
  })

  it("[RT-STAT-13] a turn that is declared complete leaves no call and no question open, in the same batch", () => {
    const world = running()
    const step = { ...scope, step_id: "st" }
    world.happen("s", [
      {
        type: "tool.started",
        ...step,
        tool_call_id: "c",
        payload: { tool: "look", owner: "builtin", effect: "none" },
      },
      {
        type: "action.required",
        ...scope,
        action_id: "act",
        payload: {
          action_type: "structured_input",
          title: "Which?",
          detail: "",
          parent: { kind: "turn", id: "t" },
          decided_by: "human",
          decisions: [{ id: "ok", label: "OK", effect: "allow" }],
          requester: { kind: "agent", name: "main" },
        },
      },
    ])
    const facts = endTurn(world.state("s"), "t", { status: "completed", outcome: "answered" })
    const types = facts.map(({ type }) => type)
    for (const end of ["tool.failed", "action.resolved"] as const)
      expect(types.indexOf(end)).toBeLessThan(types.indexOf("turn.completed"))
    world.happen("s", facts)
    const { toolCalls, actions } = world.state("s").entities
    expect(toolCalls.c?.status).toBe("failed")
    expect(actions.act?.status).not.toBe("pending")
    expect(owed(world.state("s"))).toEqual([])
  })

  it("[RT-STAT-9] streaming ends before completion", () => {
    const world = running()
    world.happen("s", moveTo(world.state("s"), "t", "running", "", ""))
    world.happen("s", moveTo(world.state("s"), "t", "streaming", "", ""))
    world.end("s", "t")
    const phases = world.facts.filter((fact) => fact.type === "run.status").map((fact) => fact.payload.phase)
    expect(phases).toEqual(["preparing", "running", "streaming", "running", "completed"])
  })

  it("[RT-STAT-9] streaming ends with a failure at once", () => {
    const world = running()
    world.happen("s", moveTo(world.state("s"), "t", "running", "", ""))
    world.happen("s", moveTo(world.state("s"), "t", "streaming", "", ""))
    world.end("s", "t", failed)
    const phases = world.facts.filter((fact) => fact.type === "run.status").map((fact) => fact.payload.phase)
    expect(phases.slice(-2)).toEqual(["streaming", "failed"])
  })

  it("[RT-QUE-1] the next turn leaves the queue in the same batch and is owed", () => {
    const world = running(["t1", "t2"])
    world.end("s", "t")
    expect(world.facts.at(-1)?.payload).toMatchObject({ change: "dequeued", order: [{ turn_id: "t2" }] })
    expect(owed(world.state("s"))).toEqual([{ kind: "turn", key: "t1", turn_id: "t1" }])
    world.start("s", "t1")
    expect(owed(world.state("s"))).toMatchObject([{ turn_id: "t1" }])
  })

  it("a paused queue keeps its turns", () => {
    const world = running(["t1"])
    const order = world.state("s").entities.queues.th?.order ?? []
    const payload = { change: "policy" as const, order: [...order], policy: "paused" as const }
    world.happen("s", [{ type: "queue.changed", session_id: "s", thread_id: "th", payload }])
    world.end("s", "t")
    expect(world.facts.at(-1)?.type).toBe("thread.updated")
    expect(owed(world.state("s"))).toEqual([])
  })

  it("a turn that never started leaves an idle thread alone", () => {
    const world = new World()
    world.command("submit_turn", { session_id: "s", turn_id: "t", create: "session", input: words("a") })
    const facts = endTurn(world.state("s"), "t", cancelled)
    expect(facts.map((fact) => fact.type)).toEqual(["run.status", "turn.failed"])
  })
})
