import { describe, expect, it } from "vitest"
import { createHarness, type HarnessOptions, manualClock, type Work } from "../../src/harness/index.ts"
import { type Action, type Declaration, type RunEvent, runtimeOperations } from "../../src/index.ts"
import { act, ask, broken, execute, graphOf } from "./build.ts"
import { gate } from "./gate.ts"

/** Says what it did, and counts how often. */
function worker(reply: (id: string, time: number) => ReturnType<Work> = (id) => `${id} done`) {
  const calls: string[] = []
  const work: Work = ({ action }) => {
    calls.push(action.id)
    return reply(action.id, calls.filter((id) => id === action.id).length)
  }
  return { calls, work }
}

const harness = (work: Work, over: Partial<HarnessOptions> = {}) =>
  createHarness({ executors: { work, ...over.executors }, clock: manualClock(), ...without(over) })
const without = ({ executors: _, ...rest }: Partial<HarnessOptions>) => rest

async function recordOf(of: ReturnType<typeof createHarness>, declaration: Declaration) {
  const answer = await of.run(declaration)
  if (!answer.ok || answer.kind !== "run") throw new Error(JSON.stringify(answer))
  return answer.record
}
const statuses = (record: { state: { actions: Readonly<Record<string, { status: string }>> } } | undefined) =>
  Object.fromEntries(Object.entries(record?.state.actions ?? {}).map(([id, { status }]) => [id, status]))

const asks = { failure_policy: { on_failure: "ask_model", max_retries: 0 } } as const
const human = (over: Partial<Action> = {}): Partial<Action> => ({
  executor: { type: "human", target: "ask_user", capabilities: [] },
  ...over,
})
const person = { ask_user: { type: "human" } } as const

describe("execute and plan", () => {
  it("[MP-INTENT-1] execute runs a validated graph and returns its result", async () => {
    const { work, calls } = worker()
    const record = await recordOf(
      harness(work),
      execute(graphOf([act("a"), act("b", { depends_on: ["a"] })])),
    )
    expect(calls).toEqual(["a", "b"])
    expect(record.state.status).toBe("completed")
    expect(record.state.actions.b?.attempts).toEqual([
      { started: 0, outcome: { status: "completed", output: "b done" } },
    ])
    expect(record.observations.b).toMatchObject({ status: "completed", content: "b done" })
    expect(record.state.actions.a?.executor).toEqual({
      requested: "tool:work",
      chosen: "work",
      reason: "It was asked for by name.",
    })
  })

  it("[MP-INTENT-2] plan validates and projects but executes nothing", async () => {
    const { work, calls } = worker()
    const graph = graphOf([act("a"), act("b", { depends_on: ["a"] })])
    const record = await recordOf(harness(work), ask({ intent: "plan", graph }))
    expect(statuses(record)).toEqual({ a: "pending", b: "pending" })
    expect(record.run_id).toBe("run_1")
    expect(calls).toEqual([])
    const bad = await harness(work).run(
      ask({ intent: "plan", graph: graphOf([act("a", { depends_on: ["a"] })]) }),
    )
    expect(bad).toMatchObject({ ok: false, issues: [{ code: "cycle" }] })
  })

  it("[MP-GRAPH-2] independent actions really overlap", async () => {
    const { work, started, finish } = gate()
    const of = harness(work)
    const running = of.run(execute(graphOf([act("a"), act("b")])))
    await Promise.all([started("a"), started("b")])
    expect(statuses(of.record("run_1"))).toEqual({ a: "running", b: "running" })
    finish("b")
    finish("a")
    expect(await running).toMatchObject({ ok: true, record: { state: { status: "completed" } } })
  })

  it("[MP-GRAPH-17] a parallel branch completes while a person is asked", async () => {
    const { work, calls } = worker()
    const of = harness(work, { executors: person })
    const record = await recordOf(
      of,
      execute(graphOf([act("q", human()), act("x"), act("y", { depends_on: ["x"] })])),
    )
    expect(statuses(record)).toEqual({ q: "waiting", x: "completed", y: "completed" })
    expect(record.state.status).toBe("waiting")
    expect(calls).toEqual(["x", "y"])
  })

  it("[MP-GRAPH-8] an invalid graph starts nothing and all problems are told", async () => {
    const { work, calls } = worker()
    const answer = await harness(work).run(
      execute(
        graphOf([
          act("a"),
          act("b", { depends_on: ["none"] }),
          act("c", { executor: { type: "tool", target: "missing", capabilities: [] } }),
        ]),
      ),
    )
    expect(answer).toMatchObject({
      ok: false,
      issues: [
        { code: "unknown_dependency", path: "payload.actions[1].depends_on[0]" },
        { code: "unknown_executor", path: "payload.actions[2].executor" },
      ],
    })
    expect(calls).toEqual([])
  })

  it("[MP-POLICY-10] writes in conflict are refused where the declaration says so", async () => {
    const { work, calls } = worker()
    const actions = [act("a", { writes: ["x"] }), act("b", { writes: ["x"] })]
    expect(await harness(work).run(execute(graphOf(actions, { conflicts: "refuse" })))).toMatchObject({
      ok: false,
      issues: [{ code: "conflicting_writes", path: "payload.actions[1].writes" }],
    })
    expect(calls).toEqual([])
    await harness(work).run(execute(graphOf(actions)))
    expect(calls).toEqual(["a", "b"])
  })

  it.each([
    [
      "a problem",
      () => [{ path: "path", message: "Missing." }],
      "payload.actions[0].input.path",
      "a: Missing.",
    ],
    [
      "a checker that breaks",
      () => {
        throw new Error("no")
      },
      "payload.actions[0].input",
      "a: The input of work could not be checked.",
    ],
  ])("[MP-EXEC-4] input is checked for a chosen executor too: %s", async (_, check, path, message) => {
    const { work, calls } = worker()
    const of = harness(work, { executors: { work: { work, check } } })
    const auto = act("a", { executor: { type: "tool", target: "auto", capabilities: [] } })
    expect(await of.run(execute(graphOf([auto])))).toEqual({
      ok: false,
      issues: [{ code: "invalid_input", path, message, fix: "Give what work takes." }],
    })
    expect(calls).toEqual([])
  })

  it("[MP-CARRIER-4] an agent that is not enabled runs nothing", async () => {
    const { work, calls } = worker()
    const as = { agent: "main", enabled: false, depth: 0 }
    expect(await harness(work).run(execute(graphOf([act("a")])), as)).toMatchObject({
      ok: false,
      issues: [{ code: "not_enabled" }],
    })
    expect((await harness(work).begin(execute(graphOf([act("a")])), as)).ok).toBe(false)
    expect(calls).toEqual([])
  })

  it.each([
    ["answer", { intent: "answer", message: "Hi." }, "Hi."],
    ["done", { intent: "done" }, ""],
    ["done with words", { intent: "done", message: "Bye." }, "Bye."],
    ["outcome", { intent: "outcome", outcome: { status: "success", message: "Made." } }, "Made."],
  ] as const)("[MP-INTENT-1] %s starts no work", async (_, body, text) => {
    const { work, calls } = worker()
    expect(await harness(work).run(ask(body))).toEqual({ ok: true, kind: "message", text })
    expect(calls).toEqual([])
  })
})

describe("executor failures", () => {
  it("[MP-GRAPH-16] an executor that throws fails its action; the run survives", async () => {
    const of = harness(
      worker((id) => {
        if (id === "a") throw new Error("thrown")
        return "ok"
      }).work,
    )
    const record = await recordOf(of, execute(graphOf([act("a"), act("b")])))
    expect(record.state.actions.a?.reason).toEqual({ code: "executor_threw", message: "thrown" })
    expect(statuses(record)).toEqual({ a: "failed", b: "completed" })
  })

  it("[MP-GRAPH-16] an executor that rejects fails its action; the run survives", async () => {
    const of = harness(worker((id) => (id === "a" ? Promise.reject("rejected") : "ok")).work)
    const record = await recordOf(of, execute(graphOf([act("a"), act("b")])))
    expect(record.state.actions.a?.reason).toEqual({ code: "executor_threw", message: "rejected" })
    expect(statuses(record)).toEqual({ a: "failed", b: "completed" })
  })

  it("[MP-GRAPH-16] an executor that does not answer in time fails its action and is told to stop", async () => {
    const { work, started, calls, finish } = gate()
    const clock = manualClock()
    const of = createHarness({ clock, executors: { work: { work, time_limit_ms: 100 } } })
    const running = of.run(execute(graphOf([act("a")])))
    await started("a")
    clock.advance(99)
    expect(calls[0]?.signal.aborted).toBe(false)
    clock.advance(1)
    expect(calls[0]?.signal.aborted).toBe(true)
    await running
    const failed = of.record("run_1")?.state.actions.a
    expect(failed).toMatchObject({
      status: "failed",
      reason: { code: "timed_out", message: "work did not answer within 100 ms." },
    })
    finish("a", "too late")
    await of.rest("run_1")
    expect(of.record("run_1")?.state.actions.a).toEqual(failed)
  })

  it("[MP-GRAPH-6] it is retried with a new attempt each time", async () => {
    const { work, calls } = worker((_, time) => (time < 3 ? broken() : "ok"))
    const action = act("a", { failure_policy: { on_failure: "retry", max_retries: 2 } })
    const reads = harness(work, { executors: { work: { work, side_effects: ["read"] } } })
    const record = await recordOf(reads, execute(graphOf([action])))
    expect(calls).toEqual(["a", "a", "a"])
    expect(record.state.actions.a?.attempts.map(({ outcome }) => outcome?.status)).toEqual([
      "failed",
      "failed",
      "completed",
    ])
  })
})

describe("a retry of what nobody knows the effects of", () => {
  it.each([
    ["nobody says what it changes", {}, ["a"]],
    ["only the model says that it changes nothing", { side_effects: ["read"] }, ["a"]],
    ["it is idempotent", { idempotent: true }, ["a", "a"]],
  ] as const)("[MP-POLICY-6] it is not done again when %s, unless it may be", async (_, over, expected) => {
    const { work, calls } = worker(() => broken())
    const retry = { failure_policy: { on_failure: "retry", max_retries: 1 } } as const
    await harness(work).run(execute(graphOf([act("a", { ...retry, ...over } as Partial<Action>)])))
    expect(calls).toEqual(expected)
  })
})

describe("cancel", () => {
  const chain = [act("a"), act("b", { depends_on: ["a"] })]

  it.each([
    ["the user", (of: ReturnType<typeof createHarness>) => of.cancel("run_1", "Stop, please.")],
    [
      "the model",
      (of: ReturnType<typeof createHarness>) =>
        of.run(
          ask({ intent: "cancel", decision: { run_id: "run_1", choice: "abort", reason: "Stop, please." } }),
        ),
    ],
  ])("[MP-INTENT-3] %s stops the named run", async (_, cancel) => {
    const { work, started, finish, ids } = gate()
    const of = harness(work)
    const running = of.run(execute(graphOf(chain)))
    await started("a")
    const canceling = cancel(of)
    finish("a")
    await Promise.all([canceling, running])
    expect(of.record("run_1")?.state).toMatchObject({
      status: "failed",
      canceled: { reason: "Stop, please." },
      actions: { a: { status: "completed" }, b: { status: "canceled", reason: { code: "canceled" } } },
    })
    expect(ids()).toEqual(["a"])
  })

  it("[MP-POLICY-5] abort signals at once; a late result is stored and the status stays canceled", async () => {
    const { work, started, finish, calls } = gate()
    const of = harness(work)
    const running = of.run(execute(graphOf(chain, { cancellation: "abort" })))
    await started("a")
    await of.cancel("run_1")
    expect(calls[0]?.signal.aborted).toBe(true)
    expect(statuses(of.record("run_1"))).toEqual({ a: "canceled", b: "canceled" })
    expect(await running).toMatchObject({ record: { state: { status: "failed" } } })
    finish("a", "late")
    await expect
      .poll(() => of.record("run_1")?.state.actions.a?.attempts[0]?.outcome)
      .toEqual({
        status: "completed",
        output: "late",
      })
    expect(statuses(of.record("run_1"))).toEqual({ a: "canceled", b: "canceled" })
  })

  it("[MP-POLICY-5] drain waits for what runs", async () => {
    const { work, started, finish, calls } = gate()
    const of = harness(work)
    void of.run(execute(graphOf(chain)))
    await started("a")
    const canceled = of.cancel("run_1")
    await expect.poll(() => statuses(of.record("run_1"))).toEqual({ a: "running", b: "canceled" })
    expect(calls[0]?.signal.aborted).toBe(false)
    finish("a")
    expect(await canceled).toMatchObject({ record: { state: { actions: { a: { status: "completed" } } } } })
  })
})

describe("decide and revise", () => {
  it.each([
    ["retry", "completed", ["a", "a", "b"]],
    ["continue", "failed", ["a"]],
    ["abort", "failed", ["a"]],
  ] as const)("[MP-INTENT-5] %s", async (choice, status, expected) => {
    const { work, calls } = worker((id, time) => (id === "a" && time === 1 ? broken() : "ok"))
    const of = harness(work)
    const record = await recordOf(of, execute(graphOf([act("a", asks), act("b", { depends_on: ["a"] })])))
    expect(record.state.status).toBe("blocked")
    const after = await recordOf(of, ask({ intent: "decide", decision: { run_id: "run_1", choice } }))
    expect(after.state.status).toBe(status)
    expect(calls).toEqual(expected)
  })

  it("[MP-INTENT-4] revise keeps completed results and runs only what is new", async () => {
    const { work, calls } = worker((id) => (id === "b" ? broken() : `${id} done`))
    const of = harness(work)
    await of.run(
      execute(graphOf([act("a"), act("b", { depends_on: ["a"] }), act("c", { depends_on: ["b"] })])),
    )
    expect(calls).toEqual(["a", "b"])
    const graph = graphOf([act("a"), act("d", { depends_on: ["a"], context_refs: ["action:a.output"] })])
    const record = await recordOf(of, ask({ intent: "revise", run_id: "run_1", graph }))
    expect(calls).toEqual(["a", "b", "d"])
    expect(record.run_id).toBe("run_2")
    expect(record.state.status).toBe("completed")
    expect(record.state.actions.a?.attempts[0]?.outcome).toEqual({ status: "completed", output: "a done" })
    const old = of.record("run_1")
    expect(old?.superseded_by).toBe("run_2")
    expect(old?.state.actions.c).toMatchObject({ status: "canceled", reason: { code: "superseded" } })
    expect(statuses(old)).toEqual({ a: "completed", b: "failed", c: "canceled" })
  })

  it("[MP-INTENT-4] the new plan may depend on a kept action without declaring it again", async () => {
    const { work, calls } = worker((id) => (id === "b" ? broken() : "ok"))
    const of = harness(work)
    await of.run(execute(graphOf([act("a"), act("b")])))
    const graph = graphOf([act("d", { depends_on: ["a"] })])
    const record = await recordOf(of, ask({ intent: "revise", run_id: "run_1", graph }))
    expect(statuses(record)).toEqual({ a: "completed", d: "completed" })
    expect(calls).toEqual(["a", "b", "d"])
  })

  it.each([
    ["the same", "x", "completed"],
    ["changed", "y", "waiting"],
  ])("[MP-POLICY-2] an unused approval goes over to a revised run with %s input", async (_, path, status) => {
    const risky = (to: string) => act("r", { requires_approval: true, input: { to } })
    const held = gate()
    const { work, calls } = worker((id) => (id === "q" ? broken() : "ok"))
    const of = harness(work, { executors: { slow: held.work } })
    const slow = act("s", { executor: { type: "tool", target: "slow", capabilities: [] } })
    void of.run(execute(graphOf([act("q", asks), slow, risky("x")], { strategy: "sequential" })))
    await held.started("s")
    void of.answer("run_1", "r", true)
    await expect.poll(() => of.record("run_1")?.state.actions.r?.approved).toBe(true)
    expect(of.record("run_1")?.state.status).toBe("blocked")
    const record = await recordOf(
      of,
      ask({ intent: "revise", run_id: "run_1", graph: graphOf([risky(path)]) }),
    )
    expect(record.state.actions.r?.status).toBe(status)
    expect(calls).toEqual(status === "completed" ? ["q", "r"] : ["q"])
    expect(held.calls[0]?.signal.aborted).toBe(true)
    expect(statuses(of.record("run_1"))).toEqual({ q: "canceled", s: "canceled", r: "canceled" })
  })
})

describe("runs that cannot be named", () => {
  const decision = (run_id: string) => ({ run_id, choice: "retry" }) as const
  const intents: [string, (run_id: string) => Declaration][] = [
    ["decide", (run_id) => ask({ intent: "decide", decision: decision(run_id) })],
    ["cancel", (run_id) => ask({ intent: "cancel", decision: decision(run_id) })],
    ["revise", (run_id) => ask({ intent: "revise", run_id, graph: graphOf([act("n")]) })],
  ]
  const other = { agent: "other", enabled: true, depth: 0 }

  it.each(intents)(
    "[MP-INTENT-7] %s of an unknown or foreign run gets the same answer and changes nothing",
    async (_, declare) => {
      const { work, calls } = worker(() => broken())
      const of = harness(work)
      await of.run(execute(graphOf([act("a", asks)])), other)
      const before = JSON.stringify([of.record("run_1"), of.events("run_1")])
      const foreign = await of.run(declare("run_1"))
      const unknown = await of.run(declare("run_9"))
      expect(JSON.stringify(foreign).replaceAll("run_1", "run_9")).toBe(JSON.stringify(unknown))
      expect(unknown).toEqual({
        ok: false,
        issues: [
          {
            code: "unknown_run",
            path: "payload",
            message: "No run is named run_9.",
            fix: "Name the run_id of a run of this conversation.",
          },
        ],
      })
      expect(JSON.stringify([of.record("run_1"), of.events("run_1")])).toBe(before)
      expect(calls).toEqual(["a"])
    },
  )

  it.each(intents)("[MP-INTENT-7] %s of a finished run changes nothing", async (_, declare) => {
    const of = harness(worker().work)
    await of.run(execute(graphOf([act("a")])))
    const before = JSON.stringify([of.record("run_1"), of.events("run_1")])
    expect(await of.run(declare("run_1"))).toMatchObject({ ok: false, issues: [{ code: "wrong_run_state" }] })
    expect(JSON.stringify([of.record("run_1"), of.events("run_1")])).toBe(before)
    expect(of.record("run_2")).toBeUndefined()
  })

  it("[MP-INTENT-7] a foreign record is answered as if it did not exist", async () => {
    const of = harness(worker().work)
    await of.run(execute(graphOf([act("a")])), other)
    const expand = (run_id: string) =>
      ask({ intent: "expand_ref", refs: [{ ref: `runtime://${run_id}/actions/a/output` }] })
    const foreign = await of.run(expand("run_1"))
    const unknown = await of.run(expand("run_9"))
    expect(unknown).toMatchObject({ ok: true, expansions: [{ ok: false }] })
    expect(JSON.stringify(foreign).replaceAll("run_1", "run_9")).toBe(JSON.stringify(unknown))
    expect(await of.run(expand("run_1"), other)).toMatchObject({ expansions: [{ ok: true, text: "a done" }] })
  })
})

describe("reports", () => {
  const report = {
    title: "What\nwas found",
    sections: [
      { heading: "First", text: "As asked.", refs: ["action:a.output", "runtime://run_1/actions/b/output"] },
      { heading: "Empty", refs: [] },
    ],
  }

  it("[MP-PAY-4] a report is built from results and starts no work", async () => {
    const { work, calls } = worker()
    const of = harness(work)
    await of.run(execute(graphOf([act("a"), act("b")])))
    expect(await of.run(ask({ intent: "execute", report }))).toEqual({
      ok: true,
      kind: "report",
      text: "# What was found\n\n## First\n\nAs asked.\n\na done\n\nb done\n\n## Empty\n",
    })
    expect(calls).toEqual(["a", "b"])
  })

  it("[MP-PAY-4] a reference that cannot be read refuses the report", async () => {
    const { work, calls } = worker()
    expect(await harness(work).run(ask({ intent: "execute", report }))).toMatchObject({
      ok: false,
      issues: [
        { code: "unresolved_ref", path: "payload.sections[0].refs[0]" },
        { code: "unresolved_ref", path: "payload.sections[0].refs[1]" },
      ],
    })
    expect(calls).toEqual([])
  })
})

describe("approval by a person", () => {
  const risky = act("r", { requires_approval: true })

  it("[MP-POLICY-1] approval runs it once", async () => {
    const { work, calls } = worker()
    const of = harness(work)
    const record = await recordOf(of, execute(graphOf([risky, act("x")])))
    expect(statuses(record)).toEqual({ r: "waiting", x: "completed" })
    expect(calls).toEqual(["x"])
    expect(await of.answer("run_1", "r", true)).toMatchObject({ record: { state: { status: "completed" } } })
    expect(await of.answer("run_1", "r", true)).toMatchObject({
      ok: false,
      issues: [{ code: "wrong_run_state" }],
    })
    expect(calls).toEqual(["x", "r"])
  })

  it("[MP-POLICY-1] denial never runs it", async () => {
    const { work, calls } = worker()
    const of = harness(work)
    await of.run(execute(graphOf([risky])))
    expect(await of.answer("run_1", "r", false)).toMatchObject({
      record: {
        state: { status: "failed", actions: { r: { status: "failed", reason: { code: "denied" } } } },
      },
    })
    expect(calls).toEqual([])
  })

  it.each(["delete", "purchase", "publish"] as const)(
    "[MP-POLICY-3] %s known only to the registry asks too",
    async (effect) => {
      const { work, calls } = worker()
      const of = createHarness({
        clock: manualClock(),
        executors: { work: { work, side_effects: [effect] } },
      })
      const record = await recordOf(of, execute(graphOf([act("a")])))
      expect(record.state.actions.a).toMatchObject({
        status: "waiting",
        reason: { code: "needs_approval", message: `a may ${effect}.` },
      })
      expect(calls).toEqual([])
    },
  )

  it("[MP-POLICY-2] an approval binds the words of the prompt", async () => {
    const section = (text: string) => [{ id: "p", heading: "p", level: 2, text }]
    const prompted = act("a", { requires_approval: true, prompt_ref: "md:p" })
    const hashes = []
    for (const text of ["Do this.", "Do that."]) {
      const of = harness(worker().work)
      const record = await recordOf(of, execute(graphOf([prompted]), { sections: section(text) }))
      hashes.push(record.state.actions.a?.input_hash)
    }
    expect(hashes[0]).toMatch(/^sha256:/)
    expect(hashes[0]).not.toBe(hashes[1])
  })
})

describe("the runtime's operations", () => {
  const runtime = (operation: string, over: Partial<Action> = {}) =>
    act("r", { executor: { type: "runtime", target: "auto", capabilities: [] }, operation, ...over })
  const from = { depends_on: ["a", "b"], context_refs: ["action:a.output", "action:b.output"] }
  const outputs: Record<string, string> = {
    wait: "Waited 0 ms.",
    merge: "a done\nmore\n\nb done\nmore",
    checkpoint: "Completed so far: a, b.",
    summarize: "a done\nb done",
    expand_references: "action:a.output\na done\nmore\n\naction:b.output\nb done\nmore",
  }

  it.each(runtimeOperations)("[MP-EXEC-8] %s", async (operation) => {
    const clock = manualClock()
    const of = createHarness({ clock, executors: { work: worker((id) => `${id} done\nmore`).work } })
    const running = of.run(execute(graphOf([act("a"), act("b"), runtime(operation, from)])))
    await expect
      .poll(() => {
        clock.advance(0)
        return of.record("run_1")?.state.status
      })
      .toBe("completed")
    await running
    expect(of.record("run_1")?.state.actions.r?.attempts[0]?.outcome?.output).toBe(outputs[operation])
  })

  it("[MP-EXEC-8] wait takes the time that it is given, and stops when it is told to", async () => {
    const clock = manualClock()
    const of = createHarness({ clock, executors: {} })
    const graph = graphOf([runtime("wait", { input: { ms: 50 } })], { cancellation: "abort" })
    const done = of.run(execute(graph))
    await expect.poll(() => of.record("run_1")?.state.status).toBe("running")
    await expect
      .poll(() => {
        clock.advance(25)
        return of.record("run_1")?.state.status
      })
      .toBe("completed")
    await done
    expect(of.record("run_1")?.state.actions.r?.attempts[0]?.outcome?.output).toBe("Waited 50 ms.")
    void of.run(execute(graph))
    await expect.poll(() => of.record("run_2")?.state.actions.r?.status).toBe("running")
    await of.cancel("run_2")
    await expect
      .poll(() => of.record("run_2")?.state.actions.r?.attempts[0]?.outcome)
      .toMatchObject({ status: "failed" })
  })

  it.each(["review_code", "sleep", ""])("[MP-EXEC-8] %j is refused", async (operation) => {
    const of = createHarness({ clock: manualClock(), executors: {} })
    expect(await of.run(execute(graphOf([runtime(operation)])))).toEqual({
      ok: false,
      issues: [
        {
          code: "unknown_operation",
          path: "payload.actions[0].operation",
          message: `The runtime does not offer ${JSON.stringify(operation)}.`,
          fix: "Use wait, merge, checkpoint, summarize, expand_references.",
        },
      ],
    })
    expect(of.record("run_1")).toBeUndefined()
  })
})

describe("budget", () => {
  it.each([
    ["max_tokens", { max_tokens: 10 }, { tokens: 10 }],
    ["max_cost", { max_cost: 1 }, { cost: 1 }],
  ] as const)("[MP-POLICY-4] %s is counted from what executors spend", async (_, budget, spent) => {
    const { work, calls } = worker(() => ({ status: "completed", output: "ok", spent }))
    const record = await recordOf(
      harness(work),
      execute(graphOf([act("a"), act("b", { depends_on: ["a"] })], { budget })),
    )
    expect(calls).toEqual(["a"])
    expect(record.state.actions.b?.reason?.code).toBe("budget_exceeded")
    expect(record.state.spent).toMatchObject(spent)
  })
})

describe("events", () => {
  it("[MP-PERSIST-6] the events of a run are what its record is made of", async () => {
    const of = harness(worker().work)
    await of.run(execute(graphOf([act("a")])))
    const expected: RunEvent[] = [
      { type: "run.accepted", run_id: "run_1", at: 0 },
      {
        type: "action.started",
        id: "a",
        attempt: 1,
        at: 0,
        executor: { requested: "tool:work", chosen: "work", reason: "It was asked for by name." },
      },
      {
        type: "action.ended",
        id: "a",
        attempt: 1,
        at: 0,
        outcome: { status: "completed", output: "a done" },
      },
    ]
    expect(of.events("run_1")).toEqual(expected)
  })
})
