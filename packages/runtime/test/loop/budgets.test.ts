import type { Envelope } from "@factum/facts"
import { describe, expect, it } from "vitest"
import type { Model, ModelChunk, Runtime } from "../../src/index.ts"
import { done, ends, facts, openRuntime, submit, until } from "../harness.ts"
import { agentWith, asking, fakeTool, of, reader } from "./given.ts"
import { budget, openModels, phase, played, price, statuses } from "./models.ts"

/** Calls a tool so often, then answers. */
const calls = (count: number, tool = "look") => Array.from({ length: count }, () => ({ calls: tool }))

const question = (seen: readonly Envelope[]) => of(seen, "action.required").at(-1)
const answer = (runtime: Runtime, seen: readonly Envelope[], decision: string) =>
  done(runtime, "respond_action", { action_id: question(seen)?.action_id, decision })

/** A tool that takes ten milliseconds of a clock that nothing else moves. */
function timed() {
  const time = { now: Date.parse("2026-01-01T00:00:00.000Z") }
  const look = reader("look", {
    does: () => {
      time.now += 10
      return { ok: true, output: "seen" }
    },
  })
  return { look, time, clock: { now: () => time.now } }
}

const spent = [
  ["steps", { unit: "requests", max: 2 }],
  ["tool calls", { unit: "calls", max: 2 }],
  ["time", { unit: "ms", max: 20 }],
  ["tokens", { unit: "tokens", max: 220 }],
  ["cost", { unit: "USD", max: 0.0004 }],
] as const

describe("a budget that is used up", () => {
  it.each(
    spent.flatMap(([name, limit]) =>
      (["turn", "session"] as const).map((per) => [name, per, limit] as const),
    ),
  )(
    "[RT-STAT-8] %s of the %s: the turn is blocked, says what is missing, and goes on when a person says so",
    async (name, per, limit) => {
      const { look, clock } = timed()
      const model = played("a", [...calls(3), "Found."], { price })
      const limits = () => [budget(0, { ...limit, limit: `${name} of the ${per}`, per })]
      const { runtime } = await openModels([model], { limits, clock, agent: agentWith([look]) })
      const { session_id } = await submit(runtime, "Look three times")
      let seen = await until(runtime, session_id, phase("blocked"))
      expect(look.runs).toHaveLength(2)
      expect(statuses(seen, "blocked")[0]?.metadata).toMatchObject({
        missing: "quota",
        budget: `${name} of the ${per}`,
        max: limit.max,
        choices: ["raise the budget", "go on", "stop"],
      })
      expect(of(seen, "quota.blocked").at(-1)?.payload).toMatchObject({ unit: limit.unit, limit: limit.max })
      expect(question(seen)?.payload).toMatchObject({ decided_by: "human", parent: { kind: "turn" } })
      await answer(runtime, seen, "go_on")
      seen = await until(runtime, session_id, ends("turn.completed"))
      expect(look.runs).toHaveLength(3)
      expect(of(seen, "turn.failed")).toEqual([])
      const raised = of(seen, "limit.changed").at(-1)?.payload
      expect(raised).toMatchObject({ old: limit.max, source: "person", action_id: question(seen)?.action_id })
      expect(Number(raised?.new)).toBeGreaterThanOrEqual(2 * limit.max)
    },
  )

  it("[RT-STAT-8] raised in the configuration, it is asked no more and goes on", async () => {
    let max = 1
    const limits = () => [budget(max, { unit: "calls", per: "turn" })]
    const look = reader("look")
    const { runtime } = await openModels([played("a", calls(2))], { limits, agent: agentWith([look]) })
    const { session_id, thread_id } = await submit(runtime, "Look twice")
    await until(runtime, session_id, phase("blocked"))
    max = 5
    expect(await done(runtime, "resume_thread", { session_id, thread_id })).toMatchObject({
      status: "resumed",
    })
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(look.runs).toHaveLength(2)
    expect(of(seen, "action.resolved").map(({ payload }) => payload.reason)).toEqual(["cancelled"])
    expect(of(seen, "limit.changed").map(({ payload }) => payload.new)).toEqual([1, 5])
  })

  it("[RT-STAT-8] a person stops it: the turn ends as cancelled, and nothing more is asked", async () => {
    const model = played("a", calls(3))
    const limits = () => [budget(1, { limit: "steps of the turn", per: "turn" })]
    const { runtime } = await openModels([model], { limits, agent: agentWith([reader("look")]) })
    const { session_id } = await submit(runtime, "Look")
    await answer(runtime, await until(runtime, session_id, phase("blocked")), "stop")
    const seen = await until(runtime, session_id, ends("turn.failed"))
    expect(of(seen, "turn.failed")[0]?.payload).toMatchObject({
      status: "cancelled",
      by: "user",
      reason: expect.stringContaining("steps of the turn"),
    })
    expect(model.asked).toHaveLength(1)
  })

  it("[RT-STAT-8] asked once, also by a restart; answered after it, the turn goes on", async () => {
    const limits = () => [budget(1, { unit: "calls", per: "turn" })]
    const look = reader("look")
    const agent = agentWith([look])
    const first = await openModels([played("a", calls(2))], { limits, agent })
    const { session_id } = await submit(first.runtime, "Look twice")
    await until(first.runtime, session_id, phase("blocked"))
    await first.runtime.close()
    const { runtime } = await openModels([played("a", [])], { limits, agent, directory: first.directory })
    expect(of(facts(runtime, session_id), "action.required")).toHaveLength(1)
    await answer(runtime, facts(runtime, session_id), "go_on")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(of(seen, "action.required")).toHaveLength(1)
    expect(look.runs).toHaveLength(2)
  })

  it("each time as much again is allowed, and no more", async () => {
    const limits = () => [budget(2, { unit: "calls", per: "session" })]
    const look = reader("look")
    const { runtime } = await openModels([played("a", calls(5))], { limits, agent: agentWith([look]) })
    const { session_id } = await submit(runtime, "Look five times")
    let seen = await until(runtime, session_id, phase("blocked"))
    await answer(runtime, seen, "go_on")
    seen = await until(runtime, session_id, phase("blocked", 2))
    expect(look.runs).toHaveLength(4)
    await answer(runtime, seen, "go_on")
    seen = await until(runtime, session_id, ends("turn.completed"))
    expect(of(seen, "limit.changed").map(({ payload }) => payload.new)).toEqual([2, 4, 6])
  })

  it("calls beside each other do not pass it", async () => {
    const limits = () => [budget(3, { unit: "calls", per: "turn" })]
    const look = reader("look")
    const model: Model = {
      provider: "p",
      name: "m",
      async *stream({ messages }): AsyncIterable<ModelChunk> {
        const first = messages.length === 1
        for (const id of first ? ["a", "b", "c", "d", "e"] : [])
          yield { kind: "tool_call", part_id: id, call_id: id, tool: "look", arguments: "{}" }
        if (!first) yield { kind: "text", part_id: "t", text: "Done." }
        yield {
          kind: "finish",
          finish: first ? "tool_calls" : "stop",
          usage: { input_tokens: 1, output_tokens: 1 },
        }
      },
    }
    const { runtime } = await openRuntime(model, { limits, agent: agentWith([look]) })
    const { session_id } = await submit(runtime, "Look at all")
    const seen = await until(runtime, session_id, phase("blocked"))
    expect(look.runs).toHaveLength(3)
    await answer(runtime, seen, "go_on")
    await until(runtime, session_id, ends("turn.completed"))
    expect(look.runs).toHaveLength(5)
  })

  it("a budget of no calls offers to stop, not to go on", async () => {
    const limits = () => [budget(0, { unit: "calls", per: "turn" })]
    const look = reader("look")
    const { runtime } = await openModels([played("a", calls(1))], { limits, agent: agentWith([look]) })
    const { session_id } = await submit(runtime, "Look")
    const seen = await until(runtime, session_id, phase("blocked"))
    expect(question(seen)?.payload.decisions).toMatchObject([{ id: "stop" }])
    expect(look.runs).toEqual([])
  })

  it("time for which a person is waited is no time at work", async () => {
    const { time, clock } = timed()
    const limits = () => [budget(1_000, { unit: "ms", per: "turn" })]
    const write = fakeTool("write")
    const agent = agentWith([write], asking)
    const { runtime } = await openModels([played("a", calls(1, "write"))], { limits, clock, agent })
    const { session_id } = await submit(runtime, "Write")
    const seen = await until(runtime, session_id, ends("action.required"))
    time.now += 3_600_000
    await answer(runtime, seen, "allow")
    const all = await until(runtime, session_id, ends("turn.completed"))
    expect(statuses(all, "blocked")).toEqual([])
    expect(write.runs).toHaveLength(1)
  })

  it("what the loop itself allows at most still fails, as nobody has chosen it", async () => {
    const look = reader("look")
    const agent = agentWith([look], { most_requests: 2 })
    const { runtime } = await openModels([played("a", calls(5))], { agent })
    const { session_id } = await submit(runtime, "Look")
    const seen = await until(runtime, session_id, ends("turn.failed"))
    expect(of(seen, "turn.failed")[0]?.payload.category).toBe("step_limit")
  })
})

describe("money that nobody can count", () => {
  const cost = { limit: "cost of the session", unit: "USD" } as const

  it("[RT-COST-2] a budget of money says once that a model has no price, and stays unknown", async () => {
    const { runtime } = await openModels([played("a", [])], { limits: () => [budget(1, cost)] })
    const { session_id } = await submit(runtime, "One")
    await until(runtime, session_id, ends("turn.completed"))
    await submit(runtime, "Two", { session_id })
    const seen = await until(runtime, session_id, ends("turn.completed", 2))
    expect(of(seen, "runtime.warning").map(({ payload }) => payload)).toMatchObject([
      { code: "cost_unknown", message: expect.stringContaining("p/a") },
    ])
    expect(of(seen, "cost.recorded").map(({ payload }) => payload.amount)).toEqual(["unknown", "unknown"])
  })

  it("[RT-COST-2] where it is chosen so, such a model is not asked at all", async () => {
    const dear = played("a", [])
    const known = played("b", [], { price })
    const limits = () => [budget(1, { ...cost, unmeasured: "block" })]
    const { runtime } = await openModels([dear, known], { limits })
    const { session_id } = await submit(runtime, "One")
    await until(runtime, session_id, ends("turn.completed"))
    expect([dear.asked.length, known.asked.length]).toEqual([0, 1])
    const alone = await openModels([dear], { limits })
    const other = await submit(alone.runtime, "One")
    const seen = await until(alone.runtime, other.session_id, phase("blocked"))
    expect(statuses(seen, "blocked")[0]?.detail).toContain("what p/a costs is not known")
    expect(of(seen, "action.required")).toEqual([])
    expect(dear.asked).toEqual([])
  })
})
