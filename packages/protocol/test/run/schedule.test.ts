import { describe, expect, it } from "vitest"
import {
  type Action,
  type ActionStatus,
  applyEvent,
  checkConflicts,
  eventOf,
  findConflicts,
  foldRun,
  inputHash,
  nextSteps,
  type RunEvent,
} from "../../src/index.ts"
import { act, broken, Drive, done, graphOf } from "./build.ts"

const policy = (on_failure: Action["failure_policy"]["on_failure"], max_retries = 0) => ({
  failure_policy: { on_failure, max_retries },
})

describe("order", () => {
  it("[MP-GRAPH-1] an action starts only after all that it depends on has completed", () => {
    const run = new Drive(graphOf([act("c", { depends_on: ["a", "b"] }), act("a"), act("b")]))
    expect(run.starts).toEqual(["a", "b"])
    run.end("a")
    expect(run.status("c")).toBe("pending")
    run.end("b")
    expect(run.starts).toEqual(["a", "b", "c"])
    run.end("c")
    expect(run.state.status).toBe("completed")
    expect(run.starts).toEqual(["a", "b", "c"])
  })

  it("[MP-GRAPH-2] under dag all independent actions are started at once", () => {
    const { state } = new Drive(graphOf([act("a"), act("b"), act("c")]))
    expect(Object.values(state.actions).map(({ status }) => status)).toEqual([
      "running",
      "running",
      "running",
    ])
    expect(state.status).toBe("running")
  })

  it("[MP-ENV-6] sequential runs one action at a time, as declared", () => {
    const run = new Drive(
      graphOf([act("a", { depends_on: ["c"] }), act("b"), act("c")], { strategy: "sequential" }),
    )
    for (const id of ["b", "c", "a"]) {
      expect(run.running).toEqual([id])
      run.end(id)
    }
    expect(run.state.status).toBe("completed")
  })

  it("[MP-GRAPH-10] a reference to an action is waited for like a dependency", () => {
    const run = new Drive(graphOf([act("b", { context_refs: ["action:a.summary"] }), act("a")]))
    expect(run.starts).toEqual(["a"])
    run.end("a")
    expect(run.starts).toEqual(["a", "b"])
  })

  it("[MP-GRAPH-8] actions on a cycle never start, even if nobody refused them", () => {
    const run = new Drive(
      graphOf([
        act("a", { depends_on: ["b"] }),
        act("b", { depends_on: ["a"] }),
        act("c", { depends_on: ["b"] }),
      ]),
    )
    expect(run.starts).toEqual([])
    expect(run.statuses()).toEqual({ a: "blocked", b: "blocked", c: "blocked" })
    expect(run.state.actions.a?.reason).toEqual({
      code: "dependency_failed",
      message: "a waits for itself.",
      action_id: "a",
    })
  })

  it("[MP-GRAPH-9] what depends on nothing that exists is blocked", () => {
    const run = new Drive(graphOf([act("a", { depends_on: ["nowhere"] })]))
    expect(run.state.actions.a?.reason).toEqual({
      code: "dependency_failed",
      message: "nowhere did not complete.",
      action_id: "nowhere",
    })
  })
})

describe("failure", () => {
  const chain = (first: Partial<Action>) =>
    graphOf([
      act("a", first),
      act("b", { depends_on: ["a"] }),
      act("c", { depends_on: ["b"] }),
      act("d", { depends_on: ["c"] }),
    ])

  it("[MP-GRAPH-3] direct and transitive dependents end blocked, naming the failed action", () => {
    const run = new Drive(chain({})).end("a", broken())
    expect(run.starts).toEqual(["a"])
    expect(run.statuses()).toEqual({ a: "failed", b: "blocked", c: "blocked", d: "blocked" })
    for (const id of ["b", "c", "d"])
      expect(run.state.actions[id]?.reason).toEqual({
        code: "dependency_failed",
        message: "a did not complete.",
        action_id: "a",
      })
    expect(run.state.actions.a?.reason).toEqual({ code: "executor_failed", message: "It broke." })
  })

  it("[MP-GRAPH-4] with continue a branch that does not depend on the failure still runs", () => {
    const run = new Drive(
      graphOf([act("a"), act("b", { depends_on: ["a"] }), act("x"), act("y", { depends_on: ["x"] })]),
    )
    run.end("a", broken()).end("x").end("y")
    expect(run.statuses()).toEqual({ a: "failed", b: "blocked", x: "completed", y: "completed" })
    expect(run.state.status).toBe("failed")
  })

  it("[MP-GRAPH-5] with abort nothing starts after the failure, and what runs may finish", () => {
    const run = new Drive(
      graphOf([
        act("a", policy("abort")),
        act("x"),
        act("y", { depends_on: ["x"] }),
        act("z", { requires_approval: true }),
      ]),
    )
    expect(run.status("z")).toBe("waiting")
    run.end("a", broken())
    expect(run.statuses()).toEqual({ a: "failed", x: "running", y: "canceled", z: "canceled" })
    expect(run.state.actions.y?.reason).toEqual({
      code: "aborted",
      message: "a failed, and that ends the run.",
      action_id: "a",
    })
    expect(run.state.status).toBe("running")
    run.end("x")
    expect(run.status("x")).toBe("completed")
    expect(run.starts).toEqual(["a", "x"])
    expect(run.state.status).toBe("failed")
  })

  it("[MP-GRAPH-5] an abort also ends retries and open decisions elsewhere", () => {
    const run = new Drive(
      graphOf([act("a", policy("abort")), act("r", policy("retry", 5)), act("q", policy("ask_model"))]),
    )
    run.end("q", broken("q broke")).end("a", broken()).end("r", broken("r broke"))
    expect(run.statuses()).toEqual({ a: "failed", r: "failed", q: "failed" })
    expect(run.state.actions.q?.reason?.message).toBe("q broke")
    expect(run.state.actions.r?.reason?.message).toBe("r broke")
  })

  it("[MP-GRAPH-6] with retry it is tried again, and every attempt is recorded", () => {
    const run = new Drive(graphOf([act("a", policy("retry", 2)), act("b", { depends_on: ["a"] })]))
    run.end("a", broken("first")).end("a", broken("second"))
    expect(run.status("a")).toBe("running")
    run.end("a", done("third"))
    expect(run.state.actions.a?.attempts).toEqual([
      { started: 0, outcome: broken("first") },
      { started: 0, outcome: broken("second") },
      { started: 0, outcome: done("third") },
    ])
    expect(run.state.spent.retries).toBe(2)
    expect(run.starts).toEqual(["a", "a", "a", "b"])
  })

  it("[MP-GRAPH-6] at the limit it stays failed", () => {
    const run = new Drive(graphOf([act("a", policy("retry", 2))]))
    for (let n = 0; n < 3; n++) run.end("a", broken(`number ${n}`))
    expect(run.status("a")).toBe("failed")
    expect(run.state.actions.a?.reason?.message).toBe("number 2")
    expect(run.starts).toEqual(["a", "a", "a"])
  })

  it("[MP-GRAPH-7] with ask_model the run is blocked for a decision and dependents wait", () => {
    const run = new Drive(chain(policy("ask_model"))).end("a", broken("Which one?"))
    expect(run.state.status).toBe("blocked")
    expect(run.state.actions.a).toMatchObject({
      status: "blocked",
      reason: { code: "needs_decision", message: "Which one?", action_id: "a" },
    })
    expect(run.statuses()).toEqual({ a: "blocked", b: "pending", c: "pending", d: "pending" })
  })

  it.each([
    ["retry", "running", "pending", "running"],
    ["continue", "failed", "blocked", "failed"],
    ["abort", "failed", "canceled", "failed"],
  ] as const)("[MP-INTENT-5] %s is applied to the waiting action", (choice, a, b, status) => {
    const run = new Drive(chain(policy("ask_model")))
      .end("a", broken())
      .take({ type: "run.decided", id: "a", choice })
    expect([run.status("a"), run.status("b"), run.state.status]).toEqual([a, b, status])
  })

  it("[MP-INTENT-5] retry of a failed run reopens what ended only because of the failure", () => {
    const run = new Drive(chain({}))
      .end("a", broken())
      .take({ type: "run.decided", id: "a", choice: "retry" })
    expect(run.statuses()).toEqual({ a: "running", b: "pending", c: "pending", d: "pending" })
    for (const id of ["a", "b", "c", "d"]) run.end(id)
    expect(run.state.status).toBe("completed")
  })

  it("[MP-INTENT-5] a condition on what was blocked by the failure is asked again too", () => {
    const run = new Drive(
      graphOf([
        act("c", { depends_on: ["b"] }),
        act("b", { when: { action: "a", status: "completed" } }),
        act("a", { depends_on: ["root"] }),
        act("root"),
        act("other", { when: { action: "fine", status: "failed" } }),
        act("fine"),
      ]),
    )
    run.end("fine").end("root", broken())
    const ended = { a: "blocked", b: "canceled", c: "canceled", other: "canceled" }
    expect(run.statuses()).toEqual({ ...ended, root: "failed", fine: "completed" })
    run.take({ type: "run.decided", id: "root", choice: "retry" })
    for (const id of ["root", "a", "b", "c"]) run.end(id)
    expect(run.statuses()).toEqual({
      a: "completed",
      b: "completed",
      c: "completed",
      root: "completed",
      fine: "completed",
      other: "canceled",
    })
  })
})

describe("steps as events", () => {
  const reason = { code: "needs_approval", message: "May I?" } as const
  it.each([
    ["start", { type: "start", id: "a", attempt: 2 }, { type: "action.started", id: "a", attempt: 2, at: 7 }],
    [
      "settle",
      { type: "settle", id: "a", status: "blocked", reason },
      { type: "action.settled", id: "a", status: "blocked", reason },
    ],
    ["wait", { type: "wait", id: "a", reason }, { type: "action.waiting", id: "a", reason, at: 7 }],
    [
      "wait for approval",
      { type: "wait", id: "a", reason, input_hash: "h" },
      { type: "action.waiting", id: "a", reason, at: 7, input_hash: "h" },
    ],
  ] as const)("[MP-PERSIST-6] %s", (_, step, event) => {
    expect(eventOf(step, 7)).toEqual(event)
  })
})

describe("when", () => {
  it.each([
    ["completed", done(), true],
    ["completed", broken(), false],
    ["failed", broken(), true],
    ["failed", done(), false],
  ] as const)("[MP-GRAPH-11] on status %s after %o", (status, outcome, met) => {
    const run = new Drive(graphOf([act("b", { when: { action: "a", status } }), act("a")])).end("a", outcome)
    expect(run.status("b")).toBe(met ? "running" : "canceled")
  })

  it.each([
    ["equal text", { kind: "x" }, "x", true],
    ["other text", { kind: "y" }, "x", false],
    ["equal number", { kind: 1 }, 1, true],
    ["number against text", { kind: 1 }, "1", false],
    ["null", { kind: null }, null, true],
    ["no such field", { other: "x" }, "x", false],
    ["no structure", undefined, "x", false],
    ["text result", "x", "x", false],
  ] as const)("[MP-GRAPH-11] on a field: %s", (_, data, equals, met) => {
    const run = new Drive(graphOf([act("a"), act("b", { when: { action: "a", field: "kind", equals } })]))
    run.end("a", done("", data))
    expect(run.status("b")).toBe(met ? "running" : "canceled")
  })

  it("[MP-GRAPH-11] an unmet condition cancels what depends on it too, and does not fail the run", () => {
    const run = new Drive(
      graphOf([
        act("a"),
        act("b", { when: { action: "a", status: "failed" } }),
        act("c", { depends_on: ["b"] }),
      ]),
    ).end("a")
    expect(run.state.actions.b?.reason).toEqual({
      code: "condition_not_met",
      message: "The condition on a does not hold.",
      action_id: "a",
    })
    expect(run.state.actions.c).toMatchObject({
      status: "canceled",
      reason: { code: "condition_not_met", message: "b was not needed, so neither is this.", action_id: "a" },
    })
    expect(run.state.status).toBe("completed")
  })
})

describe("repeat", () => {
  const until = { action: "a", field: "ready", equals: true } as const

  it("[MP-GRAPH-12] it stops early when until holds", () => {
    const run = new Drive(graphOf([act("a", { repeat: { max: 5, until } }), act("b", { depends_on: ["a"] })]))
    run.end("a", done("", { ready: false }))
    expect([run.status("a"), run.status("b")]).toEqual(["running", "pending"])
    run.end("a", done("", { ready: true }))
    expect([run.status("a"), run.status("b")]).toEqual(["completed", "running"])
    expect(run.state.actions.a?.passes).toBe(2)
  })

  it("[MP-GRAPH-12] it stops at the bound", () => {
    const run = new Drive(graphOf([act("a", { repeat: { max: 3, until } })]))
    for (let n = 0; n < 3; n++) run.end("a", done("", { ready: false }))
    expect(run.state.actions.a).toMatchObject({ status: "completed", passes: 3 })
    expect(run.starts).toEqual(["a", "a", "a"])
    expect(run.state.spent.retries).toBe(0)
  })

  it("[MP-GRAPH-12] a pass that fails ends the loop by the failure policy", () => {
    const run = new Drive(graphOf([act("a", { repeat: { max: 3 } })])).end("a").end("a", broken())
    expect(run.state.actions.a).toMatchObject({ status: "failed", passes: 1 })
  })

  it("[MP-GRAPH-12] until may look at another action", () => {
    const run = new Drive(
      graphOf([act("x"), act("a", { repeat: { max: 9, until: { action: "x", status: "completed" } } })]),
    )
    run.end("a")
    expect(run.status("a")).toBe("running")
    run.end("x").end("a")
    expect(run.state.actions.a).toMatchObject({ status: "completed", passes: 2 })
  })
})

describe("status", () => {
  const settled: Record<string, RunEvent> = {
    failed: { type: "action.settled", id: "x", status: "failed", reason: { code: "denied", message: "" } },
    blocked: {
      type: "action.settled",
      id: "x",
      status: "blocked",
      reason: { code: "unresolved_ref", message: "" },
    },
    skipped: {
      type: "action.settled",
      id: "x",
      status: "canceled",
      reason: { code: "condition_not_met", message: "" },
    },
    asking: { type: "action.waiting", id: "x", reason: { code: "needs_decision", message: "" } },
    unknown: { type: "action.waiting", id: "x", reason: { code: "outcome_unknown", message: "" } },
    asked: { type: "action.waiting", id: "x", reason: { code: "needs_input", message: "" } },
  }
  const ended: RunEvent[] = [
    { type: "action.started", id: "a", attempt: 1, at: 1 },
    { type: "action.ended", id: "a", attempt: 1, at: 2, outcome: done() },
  ]
  const accepted: RunEvent = { type: "run.accepted", run_id: "r", at: 0 }

  it.each([
    ["failed", "failed"],
    ["blocked", "failed"],
    ["skipped", "completed"],
    ["asking", "blocked"],
    ["unknown", "blocked"],
    ["asked", "waiting"],
  ])("[MP-GRAPH-15] completed beside %s makes %s", (kind, status) => {
    const event = settled[kind]
    const events = [accepted, ...ended, ...(event === undefined ? [] : [event])]
    expect(foldRun(graphOf([act("a"), act("x")]), events).status).toBe(status)
  })

  it("[MP-GRAPH-15] a canceled run has failed, even with nothing but completed actions", () => {
    const cancel: RunEvent = { type: "run.canceled", at: 3, reason: "stop" }
    expect(foldRun(graphOf([act("a")]), [accepted, ...ended]).status).toBe("completed")
    expect(foldRun(graphOf([act("a")]), [accepted, cancel, ...ended]).status).toBe("failed")
  })

  it.each([
    ["completed", done()],
    ["failed", broken()],
  ] as const)("[MP-INTENT-7] a run that is %s cannot be canceled any more", (status, outcome) => {
    const over = new Drive(graphOf([act("a")])).end("a", outcome).state
    expect(over.status).toBe(status)
    expect(applyEvent(graphOf([act("a")]), over, { type: "run.canceled", at: 3, reason: "late" })).toEqual(
      over,
    )
  })

  it("[MP-GRAPH-15] an open decision outweighs a failure and running work", () => {
    const run = new Drive(graphOf([act("a"), act("b", policy("ask_model")), act("c")]))
    run.end("a", broken()).end("b", broken())
    expect([run.status("c"), run.state.status]).toEqual(["running", "blocked"])
  })

  it("[MP-PAY-1] an empty graph completes at once", () => {
    const run = new Drive(graphOf([]))
    expect(run.state).toEqual({
      run_id: "run_1",
      status: "completed",
      actions: {},
      accepted_at: 0,
      spent: { tokens: 0, cost: 0, retries: 0 },
    })
  })

  it("[MP-GRAPH-17] waiting for a person holds back only its own dependents", () => {
    const human = { type: "human", target: "ask_user", capabilities: [] } as const
    const run = new Drive(
      graphOf([
        act("q", { executor: human, title: "Which?" }),
        act("r", { depends_on: ["q"] }),
        act("x"),
        act("y", { depends_on: ["x"] }),
      ]),
    )
    expect(run.state.actions.q?.reason).toEqual({ code: "needs_input", message: "Which?", action_id: "q" })
    run.end("x").end("y")
    expect(run.statuses()).toEqual({ q: "waiting", r: "pending", x: "completed", y: "completed" })
    expect(run.state.status).toBe("waiting")
    run.take({ type: "action.answered", id: "q", at: 7, answer: { output: "this" } })
    expect(run.state.actions.q).toEqual({
      id: "q",
      status: "completed",
      passes: 1,
      attempts: [{ started: 7, outcome: { status: "completed", output: "this" } }],
    })
    expect(run.status("r")).toBe("running")
  })
})

describe("limits", () => {
  const three = [act("a"), act("b", { depends_on: ["a"] }), act("c", { depends_on: ["b"] })]

  it.each([
    ["max_tokens", { max_tokens: 100 }, { tokens: 100 }, "The limit of 100 tokens is reached."],
    ["max_cost", { max_cost: 2 }, { cost: 2 }, "The limit of 2 in cost is reached."],
  ] as const)("[MP-POLICY-4] %s starts no new work once it is reached", (_, budget, spent, message) => {
    const under = new Drive(graphOf(three, { budget }))
      .take({ type: "run.spent", tokens: 99, cost: 1 })
      .end("a")
    expect(under.status("b")).toBe("running")
    const run = new Drive(graphOf(three, { budget })).take({ type: "run.spent", ...spent })
    expect(run.status("a")).toBe("running")
    run.end("a")
    expect(run.statuses()).toEqual({ a: "completed", b: "failed", c: "blocked" })
    expect(run.state.actions.b?.reason).toEqual({ code: "budget_exceeded", message, action_id: "b" })
    expect(run.state.status).toBe("failed")
  })

  it("[MP-POLICY-4] max_time_ms starts no new work once it is reached", () => {
    const run = new Drive(graphOf(three, { budget: { max_time_ms: 50 } }))
    run.now = 49
    run.end("a")
    expect(run.status("b")).toBe("running")
    run.now = 50
    run.end("b")
    expect(run.state.actions.c?.reason).toEqual({
      code: "budget_exceeded",
      message: "The limit of 50 ms is reached.",
      action_id: "c",
    })
  })

  it("[MP-POLICY-4] max_retries counts the retries of the whole run", () => {
    const run = new Drive(
      graphOf([act("a", policy("retry", 9)), act("b", policy("retry", 9))], { budget: { max_retries: 2 } }),
    )
    run.end("a", broken()).end("b", broken())
    expect(run.statuses()).toEqual({ a: "running", b: "running" })
    run.end("a", broken())
    expect(run.state.actions.a?.reason).toEqual({
      code: "budget_exceeded",
      message: "The limit of 2 retries is reached.",
      action_id: "a",
    })
    run.end("b")
    expect(run.status("b")).toBe("completed")
  })

  it("[MP-POLICY-4] max_retries also binds a model that decides to retry", () => {
    const run = new Drive(graphOf([act("a", policy("ask_model"))], { budget: { max_retries: 0 } }))
    run.end("a", broken()).take({ type: "run.decided", id: "a", choice: "retry" })
    expect(run.state.actions.a?.reason?.code).toBe("budget_exceeded")
    expect(run.starts).toEqual(["a"])
  })

  it("[MP-POLICY-4] max_parallel only queues", () => {
    const run = new Drive(graphOf([act("a"), act("b"), act("c")], { budget: { max_parallel: 2 } }))
    expect(run.statuses()).toEqual({ a: "running", b: "running", c: "pending" })
    run.end("b")
    expect(run.running).toEqual(["a", "c"])
    run.end("a").end("c")
    expect(run.state.status).toBe("completed")
  })

  it("[MP-POLICY-4] the tighter of the declaration's and the runtime's limits holds", () => {
    const wide = new Drive(graphOf([act("a"), act("b")], { budget: { max_parallel: 2 } }), {
      limits: { max_parallel: 1 },
    })
    expect(wide.running).toEqual(["a"])
    const own = new Drive(graphOf([act("a"), act("b")], { budget: { max_parallel: 1 } }), {
      limits: { max_parallel: 2 },
    })
    expect(own.running).toEqual(["a"])
  })

  it("[MP-POLICY-4] nobody is asked to approve what may not start any more", () => {
    const run = new Drive(graphOf([act("a", { requires_approval: true })], { budget: { max_cost: 1 } }))
    expect(run.status("a")).toBe("waiting")
    run.take({ type: "run.spent", cost: 1 })
    expect(run.state.actions.a?.reason?.code).toBe("budget_exceeded")
  })

  it("[MP-POLICY-4] the next pass of a loop is new work", () => {
    const run = new Drive(graphOf([act("a", { repeat: { max: 3 } })], { budget: { max_tokens: 5 } }))
    run.take({ type: "run.spent", tokens: 5 }).end("a")
    expect(run.state.actions.a).toMatchObject({
      status: "failed",
      passes: 1,
      reason: { code: "budget_exceeded" },
    })
  })
})

describe("effects", () => {
  it.each([
    [false, ["write"], "failed"],
    ["unknown", ["write"], "failed"],
    [true, ["write"], "running"],
    [false, ["read"], "running"],
    ["unknown", ["read"], "running"],
    ["unknown", [], "running"],
    ["unknown", ["read", "send"], "failed"],
  ] as const)(
    "[MP-POLICY-6] idempotent %s with effects %j: after a failure it is %s",
    (idempotent, side_effects, status) => {
      const run = new Drive(graphOf([act("a", { ...policy("retry", 3), idempotent, side_effects })])).end(
        "a",
        broken(),
      )
      expect(run.status("a")).toBe(status)
      if (status === "failed")
        expect(run.state.actions.a?.reason).toEqual({
          code: "executor_failed",
          message: "It broke. It is not retried: it may have had effects.",
        })
    },
  )

  const crashed: RunEvent[] = [
    { type: "run.accepted", run_id: "r", at: 0 },
    { type: "action.started", id: "a", attempt: 1, at: 1 },
  ]

  it.each([
    [true, ["purchase"], true],
    [false, ["write"], false],
    ["unknown", ["write"], false],
    ["unknown", ["read"], true],
    ["unknown", [], false],
  ] as const)(
    "[MP-POLICY-6] idempotent %s with effects %j: resumed after a crash is %s",
    (idempotent, side_effects, again) => {
      const graph = graphOf([act("a", { idempotent, side_effects })])
      const { steps, status } = nextSteps(graph, foldRun(graph, crashed), { now: 2, in_flight: [] })
      const message = "a was interrupted. What it did is not known."
      expect(steps).toEqual([
        again
          ? { type: "start", id: "a", attempt: 2 }
          : { type: "wait", id: "a", reason: { code: "outcome_unknown", message, action_id: "a" } },
      ])
      expect(status).toBe("running")
    },
  )

  it("[MP-POLICY-6] what really runs is not started again", () => {
    const graph = graphOf([act("a", { idempotent: true })])
    expect(nextSteps(graph, foldRun(graph, crashed), { now: 2, in_flight: ["a"] })).toEqual({
      steps: [],
      status: "running",
    })
    expect(nextSteps(graph, foldRun(graph, crashed), { now: 2 })).toEqual({ steps: [], status: "running" })
  })

  it("[MP-PERSIST-4] what was interrupted and then canceled is said to be unknown", () => {
    const graph = graphOf([act("a", { idempotent: true })])
    const state = foldRun(graph, [...crashed, { type: "run.canceled", at: 2, reason: "stop" }])
    expect(nextSteps(graph, state, { now: 2, in_flight: [] }).steps).toMatchObject([
      { type: "settle", id: "a", status: "failed", reason: { code: "outcome_unknown" } },
    ])
  })
})

describe("cancel", () => {
  const four = [
    act("a"),
    act("b", { depends_on: ["a"] }),
    act("w", { requires_approval: true }),
    act("q", policy("ask_model")),
    act("loop", { repeat: { max: 3 } }),
  ]
  const cancel: RunEvent = { type: "run.canceled", at: 5, reason: "The user said stop." }
  const canceled = { code: "canceled", message: "The user said stop." }

  it("[MP-POLICY-5] drain lets running actions finish", () => {
    const run = new Drive(graphOf(four)).end("q", broken()).take(cancel)
    expect(run.statuses()).toEqual({
      a: "running",
      b: "canceled",
      w: "canceled",
      q: "failed",
      loop: "running",
    })
    expect(run.state.actions.b?.reason).toEqual(canceled)
    expect(run.state.status).toBe("running")
    run.end("a").end("loop")
    expect(run.statuses()).toEqual({
      a: "completed",
      b: "canceled",
      w: "canceled",
      q: "failed",
      loop: "canceled",
    })
    expect(run.state.status).toBe("failed")
    expect(run.steps.filter(({ type }) => type === "signal")).toEqual([])
  })

  it("[MP-POLICY-5] abort signals running actions, and a late result is kept without changing the status", () => {
    const run = new Drive(graphOf(four, { cancellation: "abort" }), { in_flight: ["a", "loop"] })
      .end("q", broken())
      .take(cancel)
    expect(run.statuses()).toEqual({
      a: "canceled",
      b: "canceled",
      w: "canceled",
      q: "failed",
      loop: "canceled",
    })
    expect(run.steps).toContainEqual({ type: "signal", id: "a" })
    expect(run.steps).toContainEqual({ type: "signal", id: "loop" })
    expect(run.state.status).toBe("failed")
    run.end("a", done("late"))
    expect(run.state.actions.a).toEqual({
      id: "a",
      status: "canceled",
      passes: 0,
      reason: canceled,
      attempts: [{ started: 0, outcome: done("late") }],
    })
    expect(run.starts).toEqual(["a", "q", "loop"])
  })

  it("[MP-POLICY-5] nothing is retried or asked after a cancel", () => {
    const run = new Drive(graphOf([act("r", policy("retry", 3)), act("q", policy("ask_model"))])).take(cancel)
    run.end("r", broken()).end("q", broken())
    expect(run.statuses()).toEqual({ r: "failed", q: "failed" })
    expect(run.state.status).toBe("failed")
  })
})

describe("conflicting writes", () => {
  const writers = [
    act("a", { writes: ["file:x"] }),
    act("b", { writes: ["file:x", "file:y"] }),
    act("c", { writes: ["file:y"] }),
  ]

  it("[MP-POLICY-10] order: writers of the same resource run one after the other, as declared", () => {
    const run = new Drive(graphOf(writers))
    expect(run.running).toEqual(["a"])
    run.end("a", broken())
    expect(run.running).toEqual(["b"])
    run.end("b")
    expect(run.running).toEqual(["c"])
    expect(checkConflicts(graphOf(writers))).toEqual([])
  })

  it("[MP-POLICY-10] refuse: they are found before the start", () => {
    expect(checkConflicts(graphOf(writers, { conflicts: "refuse" }))).toEqual([
      {
        code: "conflicting_writes",
        path: "[1].writes",
        message: "a and b both write file:x, in no order.",
        fix: "Let b depend on a, or the other way round.",
      },
      {
        code: "conflicting_writes",
        path: "[2].writes",
        message: "b and c both write file:y, in no order.",
        fix: "Let c depend on b, or the other way round.",
      },
    ])
  })

  it("[MP-POLICY-10] writers in an order of their own do not conflict", () => {
    const ordered = [
      act("a", { writes: ["x"], depends_on: ["m"] }),
      act("m", { depends_on: ["b"] }),
      act("b", { writes: ["x", "x"] }),
    ]
    expect(findConflicts(graphOf(ordered))).toEqual([])
  })

  it("[MP-POLICY-10] a writer that never starts lets nobody pass one that still writes", () => {
    const run = new Drive(
      graphOf([
        act("a", { writes: ["x"] }),
        act("fails"),
        act("b", { writes: ["x"], depends_on: ["fails"] }),
        act("c", { writes: ["x"] }),
      ]),
    )
    run.end("fails", broken())
    expect(run.statuses()).toEqual({ a: "running", fails: "failed", b: "blocked", c: "pending" })
    run.end("a")
    expect(run.running).toEqual(["c"])
  })

  it("[MP-POLICY-10] a writer that is tried again waits for the one that writes now", () => {
    const run = new Drive(graphOf([act("a", { writes: ["x"] }), act("b", { writes: ["x"] })]))
    run.end("a", broken()).take({ type: "run.decided", id: "a", choice: "retry" })
    expect(run.statuses()).toEqual({ a: "pending", b: "running" })
    run.end("b")
    expect(run.statuses()).toEqual({ a: "running", b: "completed" })
  })

  it("[MP-POLICY-10] in a large graph each pair of neighbours is told, and a chain has none", () => {
    const size = 2000
    const chain = (linked: boolean) =>
      Array.from({ length: size }, (_, at) =>
        act(`a${at}`, { writes: ["x"], depends_on: linked && at > 0 ? [`a${at - 1}`] : [] }),
      )
    expect(findConflicts(graphOf(chain(true)))).toEqual([])
    const found = findConflicts(graphOf(chain(false)))
    expect(found).toHaveLength(size - 1)
    expect(found.at(-1)).toEqual({ ids: [`a${size - 2}`, `a${size - 1}`], resource: "x" })
  })

  it("[MP-POLICY-10] writers far apart are ordered by what stands between them", () => {
    const between = Array.from({ length: 70 }, (_, at) =>
      act(`m${at}`, { depends_on: [at === 0 ? "first" : `m${at - 1}`] }),
    )
    const last = act("last", { writes: ["x"], depends_on: ["m69"] })
    const graph = graphOf([act("first", { writes: ["x"] }), ...between, last])
    expect(findConflicts(graph)).toEqual([])
    expect(findConflicts(graphOf([act("first", { writes: ["x"] }), act("m69"), last]))).toEqual([
      { ids: ["first", "last"], resource: "x" },
    ])
  })

  it("[MP-POLICY-10] putting writes in order never makes a cycle", () => {
    const run = new Drive(
      graphOf([
        act("a", { writes: ["x"], depends_on: ["d"] }),
        act("b", { writes: ["x"] }),
        act("c", { writes: ["y"], depends_on: ["b"] }),
        act("d", { writes: ["y"] }),
      ]),
    )
    for (const id of ["b", "c", "d", "a"]) {
      expect(run.running).toEqual([id])
      run.end(id)
    }
    expect(run.state.status).toBe("completed")
  })
})

describe("approval", () => {
  const risky = act("a", { requires_approval: true, input: { path: "x" } })
  const hash = inputHash(risky)
  const said = (approved: boolean, input_hash = hash): RunEvent => ({
    type: "action.answered",
    id: "a",
    answer: { approved, input_hash },
  })

  it("[MP-POLICY-1] it waits, approval runs it once", () => {
    const run = new Drive(graphOf([risky]))
    expect(run.steps).toEqual([
      {
        type: "wait",
        id: "a",
        input_hash: hash,
        reason: { code: "needs_approval", message: "a asks for approval.", action_id: "a" },
      },
    ])
    expect(run.state.status).toBe("waiting")
    run.take(said(true)).take(said(true))
    expect(run.starts).toEqual(["a"])
    run.end("a").take(said(true))
    expect(run.starts).toEqual(["a"])
    expect(run.state.status).toBe("completed")
  })

  it("[MP-POLICY-1] denial never runs it", () => {
    const run = new Drive(graphOf([risky, act("b", { depends_on: ["a"] })]))
      .take(said(false))
      .take(said(true))
    expect(run.starts).toEqual([])
    expect(run.statuses()).toEqual({ a: "failed", b: "blocked" })
    expect(run.state.actions.a?.reason).toEqual({
      code: "denied",
      message: "A person said no.",
      action_id: "a",
    })
  })

  it("[MP-POLICY-1] a permission policy names it", () => {
    const run = new Drive(graphOf([act("a"), act("b")], { approvals: ["b"] }))
    expect(run.statuses()).toEqual({ a: "running", b: "waiting" })
    expect(run.state.actions.b?.reason?.message).toBe("The permission policy names b.")
  })

  it("[MP-POLICY-2] an approval of other input is not one", () => {
    const run = new Drive(graphOf([risky])).take(said(true, "sha256:other"))
    expect(run.status("a")).toBe("waiting")
    expect(run.starts).toEqual([])
  })

  it("[MP-POLICY-2] a standing approval counts for the same input only", () => {
    const approvals = [{ action_id: "a", input_hash: hash }]
    expect(new Drive(graphOf([risky]), { approvals }).starts).toEqual(["a"])
    expect(new Drive(graphOf([{ ...risky, input: { path: "y" } }]), { approvals }).starts).toEqual([])
    const other = act("b", { requires_approval: true, input: { path: "x" } })
    expect(new Drive(graphOf([other]), { approvals }).starts).toEqual([])
  })

  it("[MP-POLICY-2] a model that decides to retry needs a new approval", () => {
    const asked = { ...risky, ...policy("ask_model") }
    const run = new Drive(graphOf([asked])).take(said(true)).end("a", broken())
    run.take({ type: "run.decided", id: "a", choice: "retry" })
    expect(run.status("a")).toBe("waiting")
    expect(run.starts).toEqual(["a"])
  })

  it("[MP-POLICY-1] each attempt of a retry needs an approval of its own", () => {
    const run = new Drive(graphOf([{ ...risky, ...policy("retry", 1) }])).take(said(true)).end("a", broken())
    expect([run.status("a"), run.starts]).toEqual(["waiting", ["a"]])
    run.take(said(true))
    expect([run.status("a"), run.starts]).toEqual(["running", ["a", "a"]])
    expect(run.end("a").state.actions.a).toMatchObject({ status: "completed", approved: true })
    expect(run.state.spent.retries).toBe(1)
  })

  it("[MP-POLICY-1] each pass of a loop needs an approval of its own, and is no retry", () => {
    const looped = { ...risky, repeat: { max: 2 } }
    const run = new Drive(graphOf([looped], { budget: { max_retries: 0 } })).take(said(true)).end("a")
    expect([run.status("a"), run.starts]).toEqual(["waiting", ["a"]])
    run.take(said(true)).end("a")
    expect([run.status("a"), run.starts, run.state.actions.a?.passes]).toEqual(["completed", ["a", "a"], 2])
  })

  it("[MP-POLICY-1] an approved attempt that a crash interrupted goes on with its approval", () => {
    const safe = { ...risky, idempotent: true }
    const { state } = new Drive(graphOf([safe])).take(said(true))
    expect(nextSteps(graphOf([safe]), state, { now: 0, in_flight: [] }).steps).toEqual([
      { type: "start", id: "a", attempt: 2 },
    ])
  })

  it("[MP-POLICY-1] a person's yes or no to a question is its answer", () => {
    const human = act("q", { executor: { type: "human", target: "ask_user", capabilities: [] } })
    const yes = new Drive(graphOf([human])).take({
      type: "action.answered",
      id: "q",
      answer: { approved: true, input_hash: "" },
    })
    expect(yes.state.actions.q?.attempts).toEqual([
      { started: 0, outcome: { status: "completed", output: "approved" } },
    ])
    const no = new Drive(graphOf([human])).take({
      type: "action.answered",
      id: "q",
      answer: { approved: false, input_hash: "" },
    })
    expect(no.state.actions.q).toMatchObject({ status: "failed", reason: { code: "denied" } })
  })
})

describe("events that cannot be true", () => {
  const graph = graphOf([act("a"), act("b", { depends_on: ["a"] })])
  const base: RunEvent[] = [
    { type: "run.accepted", run_id: "r", at: 0 },
    { type: "action.started", id: "a", attempt: 1, at: 1 },
  ]
  const ended: RunEvent = { type: "action.ended", id: "a", attempt: 1, at: 2, outcome: done() }
  const wrong: [string, RunEvent[]][] = [
    ["an unknown action", [{ type: "action.started", id: "constructor", attempt: 1, at: 2 }]],
    ["a second start of one attempt", [{ type: "action.started", id: "a", attempt: 1, at: 2 }]],
    ["a start that skips one", [{ type: "action.started", id: "a", attempt: 3, at: 2 }]],
    ["an end without a start", [{ type: "action.ended", id: "b", attempt: 1, at: 2, outcome: done() }]],
    ["a second acceptance", [{ type: "run.accepted", run_id: "other", at: 9 }]],
    ["an answer to nothing", [{ type: "action.answered", id: "a", answer: { output: "x" } }]],
    ["a decision about nothing", [{ type: "run.decided", id: "a", choice: "abort" }]],
  ]

  it.each(wrong)("[MP-PERSIST-6] %s changes nothing", (_, events) => {
    expect(foldRun(graph, [...base, ...events])).toEqual(foldRun(graph, base))
  })

  it("[MP-PERSIST-6] a repeated end changes nothing", () => {
    expect(foldRun(graph, [...base, ended, { ...ended, outcome: broken() }])).toEqual(
      foldRun(graph, [...base, ended]),
    )
  })

  it.each<[ActionStatus, RunEvent]>([
    [
      "completed",
      { type: "action.settled", id: "a", status: "canceled", reason: { code: "canceled", message: "" } },
    ],
    ["completed", { type: "action.started", id: "a", attempt: 2, at: 3 }],
    ["completed", { type: "action.waiting", id: "a", reason: { code: "needs_input", message: "" } }],
  ])("[MP-PERSIST-6] what is %s stays so", (status, event) => {
    expect(foldRun(graph, [...base, ended, event]).actions.a?.status).toBe(status)
  })

  it("[MP-INTENT-4] a revised run keeps what is kept and settles the rest as superseded", () => {
    const state = foldRun(graph, [...base, ended, { type: "run.revised", kept: ["a"] }])
    expect(state.actions.b).toEqual({
      id: "b",
      status: "canceled",
      attempts: [],
      passes: 0,
      reason: { code: "superseded", message: "A revised plan replaced it." },
    })
    expect([state.actions.a?.status, state.status]).toEqual(["completed", "failed"])
  })
})
