import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterEach, describe, expect, it } from "vitest"
import { createHarness, manualClock, type Work } from "../../src/harness/index.ts"
import { executorTypes, readOutput } from "../../src/index.ts"
import { act, broken, execute, graphOf } from "./build.ts"

const uses = (type: (typeof executorTypes)[number], target: string) => ({
  executor: { type, target, capabilities: [] },
})

describe("one grammar", () => {
  const work: Work = ({ action }) => `${action.id} by ${action.executor?.type}`
  const executors = {
    a_tool: { type: "tool", work },
    an_agent: { type: "agent", work },
    a_person: { type: "human" },
    a_pipeline: { type: "pipeline", steps: [{ name: "only", work }] },
    a_service: { type: "service", work },
  } as const
  const names = {
    tool: "a_tool",
    agent: "an_agent",
    runtime: "runtime",
    human: "a_person",
    pipeline: "a_pipeline",
    service: "a_service",
  }

  it.each(executorTypes)("[MP-EXEC-1] %s runs through it", async (type) => {
    const of = createHarness({ clock: manualClock(), executors })
    const action = act("a", { ...uses(type, names[type]), operation: "checkpoint" })
    let answer = await of.run(execute(graphOf([action])))
    if (type === "human") answer = await of.answer("run_1", "a", "a by human")
    expect(answer).toMatchObject({ ok: true, record: { state: { status: "completed" } } })
    const output = type === "runtime" ? "Completed so far: nothing." : `a by ${type}`
    expect(of.record("run_1")?.state.actions.a?.attempts[0]?.outcome).toEqual({ status: "completed", output })
  })

  it.each(["auto", "robot", "Tool", 3, null])("[MP-EXEC-6] an executor type of %j is refused", (type) => {
    const actions = [{ type: "action", id: "a", executor: { type, target: "a_tool" } }]
    const text = JSON.stringify({
      type: "agent.protocol",
      version: "1",
      intent: "execute",
      payload: { type: "action_graph", actions },
    })
    const read = readOutput(
      { text: "", calls: [{ id: "1", name: "AgentProtocolOutput", arguments: text }], complete: true },
      { authority: { agent: "main", enabled: true, depth: 0 }, executors: [] },
    )
    expect(read).toMatchObject({ kind: "refused", issues: [{ path: "payload.actions[0].executor.type" }] })
  })
})

describe("what an executor gives", () => {
  it.each([
    ["nothing", undefined],
    ["null", null],
    ["an outcome that is none", { status: "fine" }],
    ["an artifact that is none", { status: "completed", output: "x", produced: [null] }],
  ])("%s ends its action as failed", async (_, given) => {
    // As an executor that was not written in TypeScript may.
    const work = (() => given) as unknown as Work
    const of = createHarness({ clock: manualClock(), executors: { work } })
    const answer = await of.run(execute(graphOf([act("a"), act("b", { depends_on: ["a"] })])))
    expect(answer).toMatchObject({ ok: true, record: { state: { status: "failed" } } })
    expect(of.record("run_1")?.state.actions.a?.reason?.code).toBe("executor_failed")
  })

  it.each([
    ["[MP-POLICY-8] no more visible than its executor allows", { visibility: "user" }, {}, {}],
    ["[MP-POLICY-9] private where its action is", {}, { private: true }, { private: false }],
  ] as const)("%s: an artifact that it produced", async (_, executor, action, made) => {
    const seen: string[] = []
    const work: Work = ({ action: { id }, request }) => {
      seen.push(request.text)
      return id === "a"
        ? { status: "completed", output: "ok", produced: [{ name: "n", text: "MARK", ...made }] }
        : "ok"
    }
    const of = createHarness({ clock: manualClock(), executors: { work: { work, ...executor } } })
    const b = act("b", { depends_on: ["a"], context_refs: ["artifact:n"] })
    await of.run(execute(graphOf([act("a", action), b])))
    expect(of.record("run_1")?.state.actions.b?.status).toBe("blocked")
    expect(seen.join()).not.toContain("MARK")
  })
})

describe("human", () => {
  it("[MP-EXEC-9] it asks, the answer is the result, and dependents start with it", async () => {
    const seen: string[] = []
    const of = createHarness({
      clock: manualClock(),
      executors: {
        ask_user: { type: "human" },
        work: ({ request }) => {
          seen.push(...request.context.map(({ text }) => text))
          return "ok"
        },
      },
    })
    const asked = act("q", { ...uses("human", "auto"), description: "Which colour?" })
    const next = act("next", { context_refs: ["action:q.output"] })
    expect(await of.run(execute(graphOf([asked, next])))).toMatchObject({
      record: {
        state: {
          status: "waiting",
          actions: {
            q: { reason: { code: "needs_input", message: "Which colour?" } },
            next: { status: "pending" },
          },
        },
      },
    })
    expect(await of.answer("run_1", "q", "Blue.")).toMatchObject({
      record: { state: { status: "completed" } },
    })
    expect(seen).toEqual(["Blue."])
  })
})

describe("pipeline", () => {
  const steps = (fail?: Work) => {
    const seen: string[] = []
    const step = (name: string, work: Work) => ({
      name,
      work: ((call) => {
        seen.push(`${name} after ${JSON.stringify(call.input.previous)}`)
        return work(call)
      }) satisfies Work,
    })
    return {
      seen,
      steps: [
        step("lint", () => "clean"),
        step("test", fail ?? (() => "green")),
        step("pack", () => "packed"),
      ],
    }
  }

  it("[MP-EXEC-10] its steps run in order, each with what came before", async () => {
    const { seen, steps: list } = steps()
    const of = createHarness({
      clock: manualClock(),
      executors: { build: { type: "pipeline", steps: list } },
    })
    await of.run(execute(graphOf([act("a", uses("pipeline", "build"))])))
    expect(seen).toEqual(['lint after ""', 'test after "clean"', 'pack after "green"'])
    expect(of.record("run_1")?.state.actions.a?.attempts[0]?.outcome?.output).toBe("packed")
  })

  it.each<[string, Work, { code: string; message: string }]>([
    ["fails", () => broken("2 red"), { code: "executor_failed", message: "Step test: 2 red" }],
    [
      "throws",
      () => {
        throw new Error("crash")
      },
      { code: "executor_threw", message: "Step test: Error: crash" },
    ],
  ])("[MP-EXEC-10] it stops at the first step that %s, and names it", async (_, fail, reason) => {
    const { seen, steps: list } = steps(fail)
    const of = createHarness({
      clock: manualClock(),
      executors: { build: { type: "pipeline", steps: list } },
    })
    await of.run(execute(graphOf([act("a", uses("pipeline", "build"))])))
    expect(seen).toHaveLength(2)
    expect(of.record("run_1")?.state.actions.a).toMatchObject({ status: "failed", reason })
  })
})

describe("service", () => {
  const open: (() => void)[] = []
  afterEach(() => {
    for (const close of open.splice(0)) close()
  })

  /** Answers /ok, fails /error and never answers /hang. */
  async function stub() {
    const hanging = Promise.withResolvers<void>()
    const server = createServer((request, response) => {
      if (request.url === "/hang") return hanging.resolve()
      response.statusCode = request.url === "/error" ? 503 : 200
      response.end(request.url === "/error" ? "busy" : "fine")
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    open.push(() => {
      server.closeAllConnections()
      server.close()
    })
    const { port } = server.address() as AddressInfo
    return { url: `http://127.0.0.1:${port}`, hanging: hanging.promise }
  }

  const adapter =
    (url: string): Work =>
    async ({ input, signal }) => {
      const response = await fetch(`${url}${input.path}`, { signal })
      const text = await response.text()
      return response.ok ? text : broken(`${response.status}: ${text}`)
    }

  const call = (path: string) =>
    execute(graphOf([act("a", { ...uses("service", "remote"), input: { path } })]))

  it("[MP-EXEC-11] a call goes through the registered adapter", async () => {
    const { url } = await stub()
    const of = createHarness({
      clock: manualClock(),
      executors: { remote: { type: "service", work: adapter(url) } },
    })
    await of.run(call("/ok"))
    expect(of.record("run_1")?.state.actions.a?.attempts[0]?.outcome).toEqual({
      status: "completed",
      output: "fine",
    })
  })

  it("[MP-EXEC-11] an external error is a failed action", async () => {
    const { url } = await stub()
    const of = createHarness({
      clock: manualClock(),
      executors: { remote: { type: "service", work: adapter(url) } },
    })
    await of.run(call("/error"))
    expect(of.record("run_1")?.state.actions.a).toMatchObject({
      status: "failed",
      reason: { code: "executor_failed", message: "503: busy" },
    })
  })

  it("[MP-EXEC-11] a service that hangs is ended by its time limit", async () => {
    const { url, hanging } = await stub()
    const clock = manualClock()
    const remote = { type: "service", work: adapter(url), time_limit_ms: 1000 } as const
    const of = createHarness({ clock, executors: { remote } })
    const running = of.run(call("/hang"))
    await hanging
    clock.advance(1000)
    expect(await running).toMatchObject({
      record: { state: { status: "failed", actions: { a: { reason: { code: "timed_out" } } } } },
    })
  })
})

describe("replacement", () => {
  it("[MP-EXEC-7] a substitute runs, with what was asked for, what was chosen and why in the record", async () => {
    const of = createHarness({
      clock: manualClock(),
      selection: { substitutes: true },
      executors: {
        fast: { available: false, capabilities: ["search"], work: () => "fast" },
        slow: { capabilities: ["search"], work: () => "slow" },
      },
    })
    await of.run(execute(graphOf([act("a", uses("tool", "fast"))])))
    expect(of.record("run_1")?.state.actions.a).toMatchObject({
      attempts: [{ outcome: { output: "slow" } }],
      executor: {
        requested: "tool:fast",
        chosen: "slow",
        reason: "fast is unavailable. slow is the only one that fits.",
      },
    })
  })

  it("[MP-EXEC-7] an executor that goes away before the start fails the action, saying so", async () => {
    const later = { available: true, work: () => "never" }
    const of = createHarness({
      clock: manualClock(),
      executors: {
        first: () => {
          later.available = false
          return "ok"
        },
        later,
      },
    })
    const graph = graphOf([
      act("a", uses("tool", "first")),
      act("b", { ...uses("tool", "later"), depends_on: ["a"] }),
    ])
    await of.run(execute(graph))
    expect(of.record("run_1")?.state.actions.b).toMatchObject({
      status: "failed",
      attempts: [],
      reason: { code: "no_executor", message: "later is unavailable.", action_id: "b" },
    })
  })
})
