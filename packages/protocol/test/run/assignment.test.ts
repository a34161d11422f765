import { describe, expect, it } from "vitest"
import { createHarness, manualClock, type Trace, type Work } from "../../src/harness/index.ts"
import {
  type Authority,
  assign,
  type Executor,
  type HandoffRequest,
  handOff,
  handoffSchema,
  selectExecutor,
  type WorkerOutcome,
  workerOutcome,
} from "../../src/index.ts"
import { act, execute, graphOf } from "./build.ts"

const agent = { executor: { type: "agent", target: "reviewer", capabilities: [] } } as const
const reviewer: Executor = { name: "reviewer", type: "agent", description: "", capabilities: [] }
const main: Authority = { agent: "main", enabled: true, executors: ["reviewer", "read"], depth: 0 }

describe("assignment", () => {
  it("[MP-ASSIGN-1] it names all that binds the agent, before the agent starts", async () => {
    const trace: Trace[] = []
    const seen: unknown[] = []
    const of = createHarness({
      clock: manualClock(),
      authority: main,
      trace: (entry) => trace.push(entry),
      executors: {
        reviewer: {
          type: "agent",
          work: ({ assignment }) => {
            seen.push(assignment)
            return { status: "success", output: "fine" }
          },
        },
      },
    })
    const action = act("a", {
      ...agent,
      description: "Review it.",
      input: { depth: 2 },
      context_refs: ["md:c"],
    })
    const sections = [{ id: "c", heading: "c", level: 2, text: "Background." }]
    await of.run(execute(graphOf([action]), { sections }))
    const expected = {
      id: "run_1/a/1",
      run_id: "run_1",
      action_id: "a",
      executor: "reviewer",
      authority: { agent: "reviewer", enabled: true, executors: ["reviewer", "read"], depth: 1 },
      context_bundle:
        '<node-request run_id="run_1" action_id="a">\n  <context>\n    Background.\n  </context>\n  <task>\n    Review it.\n  </task>\n</node-request>',
      input: { depth: 2 },
      expected_result: { description: "Review it.", return_to_model: "summary" },
      artifacts: ["artifact://run_1/a"],
      trace: { run_id: "run_1", action_id: "a", attempt: 1, assigned_by: "main", depth: 1 },
    }
    expect(of.assignments("run_1")).toEqual([expected])
    expect(seen).toEqual([expected])
    expect(trace.map(({ step }) => step)).toEqual([
      "validated",
      "permitted",
      "expanded",
      "assigned",
      "logged",
      "called",
      "observed",
    ])
  })

  it("[MP-ASSIGN-1] other executors get none", async () => {
    const work: Work = ({ assignment }) => String(assignment)
    const of = createHarness({ clock: manualClock(), executors: { work } })
    await of.run(execute(graphOf([act("a")])))
    expect(of.record("run_1")?.state.actions.a?.attempts[0]?.outcome?.output).toBe("undefined")
    expect(of.assignments("run_1")).toEqual([])
  })

  it.each([
    ["title", { title: "T", operation: "o" }, "T"],
    ["operation", { operation: "o" }, "o"],
    ["id", {}, "a"],
  ])("[MP-ASSIGN-1] without a description the %s says what is expected", (_, over, description) => {
    const made = assign({
      run_id: "r",
      action: act("a", over),
      attempt: 1,
      executor: reviewer,
      by: main,
      context_bundle: "",
      max_depth: 1,
    })
    expect(made).toMatchObject({ ok: true, value: { expected_result: { description } } })
  })

  const request = { run_id: "r", action: act("a", agent), attempt: 1, executor: reviewer, context_bundle: "" }

  it("[MP-ASSIGN-2] what the declaring agent may not use is denied below it", () => {
    const own: Authority = { agent: "reviewer", enabled: true, executors: ["read", "delete_all"], depth: 0 }
    const made = assign({ ...request, by: main, own, max_depth: 3 })
    if (!made.ok) throw new Error("It was refused.")
    expect(made.value.authority).toEqual({ agent: "reviewer", enabled: true, executors: ["read"], depth: 1 })
    const erase: Executor = { name: "delete_all", type: "tool", description: "", capabilities: [] }
    const below = act("b", { executor: { type: "tool", target: "delete_all", capabilities: [] } })
    expect(selectExecutor(below, [erase], made.value.authority)).toMatchObject({
      ok: false,
      issues: [{ code: "not_permitted", message: "delete_all may not be used by reviewer." }],
    })
  })

  it("[MP-ASSIGN-2] delegation has a depth that it does not pass", async () => {
    expect(assign({ ...request, by: { ...main, depth: 2 }, max_depth: 3 })).toMatchObject({ ok: true })
    const message = "reviewer would work at depth 4; the limit is 3."
    expect(assign({ ...request, by: { ...main, depth: 3 }, max_depth: 3 })).toEqual({
      ok: false,
      issues: [
        {
          code: "not_permitted",
          path: "executor",
          message,
          fix: "Do the work without a further delegation.",
        },
      ],
    })
    const calls: string[] = []
    const of = createHarness({
      clock: manualClock(),
      authority: { ...main, depth: 3 },
      executors: { reviewer: { type: "agent", work: ({ action }) => `${calls.push(action.id)}` } },
    })
    await of.run(execute(graphOf([act("a", agent)])))
    expect(of.record("run_1")?.state.actions.a).toMatchObject({
      status: "failed",
      reason: { code: "not_permitted", message, action_id: "a" },
    })
    expect(calls).toEqual([])
  })
})

describe("worker results", () => {
  const outcomes: [WorkerOutcome["status"], string, string | undefined][] = [
    ["success", "completed", undefined],
    ["failure", "blocked", "The worker failed: because"],
    ["error", "blocked", "The worker met an error: because"],
    ["reply", "blocked", "The worker replied without finishing: because"],
    ["skipped", "blocked", "The worker skipped the work: because"],
  ]

  it.each(outcomes)("[MP-ASSIGN-5] after %s dependents are %s", async (status, dependent, message) => {
    const of = createHarness({
      clock: manualClock(),
      executors: {
        reviewer: { type: "agent", work: () => ({ action_id: "a", status, message: "because" }) },
        work: () => "ok",
      },
    })
    await of.run(execute(graphOf([act("a", agent), act("b", { depends_on: ["a"] })])))
    const { a, b } = of.record("run_1")?.state.actions ?? {}
    expect(b?.status).toBe(dependent)
    expect(a?.reason?.message).toBe(message)
    expect(a?.attempts[0]?.outcome?.output).toBe("because")
  })

  it("[MP-ASSIGN-5] what the worker gave is kept as it gave it", () => {
    expect(workerOutcome({ status: "success", message: "Made it.", output: { n: 1 } })).toEqual({
      status: "completed",
      output: '{"n":1}',
      data: { n: 1 },
      summary: "Made it.",
    })
    expect(workerOutcome({ status: "success", output: "text" })).toEqual({
      status: "completed",
      output: "text",
    })
    expect(workerOutcome({ status: "success" })).toEqual({ status: "completed", output: "" })
    expect(workerOutcome({ action_id: "a", status: "failure", output: [1] })).toEqual({
      status: "failed",
      reason: { code: "executor_failed", message: "The worker failed", action_id: "a" },
      output: "[1]",
      data: [1],
    })
  })
})

describe("handoff", () => {
  const request: HandoffRequest = {
    from: { kind: "executor", id: "reviewer" },
    to: { kind: "person", id: "ana" },
    result_summary: "Two issues.",
    claims: [
      { claim: "Undo is not wired.", refs: ["artifact://run_1/a"] },
      { claim: "It feels slow.", refs: [] },
    ],
    artifact_refs: ["artifact://run_1/a"],
    risks: ["data loss"],
    unresolved_issues: ["z-index"],
    next: { goal: "Fix both.", constraints: ["no new dependency"], dependencies: ["a"] },
  }

  it("[MP-ASSIGN-3] it carries everything, and only a claim with a reference is evidenced", () => {
    const { claims: _, ...rest } = request
    expect(handOff(request)).toEqual({
      ok: true,
      value: {
        ...rest,
        evidence: [
          { claim: "Undo is not wired.", refs: ["artifact://run_1/a"], evidenced: true },
          { claim: "It feels slow.", refs: [], evidenced: false },
        ],
      },
    })
  })

  it.each(["result_summary", "evidence", "artifact_refs", "risks", "unresolved_issues", "next"])(
    "[MP-ASSIGN-3] %s cannot be left out",
    (field) => {
      const made = handOff(request)
      if (!made.ok) throw new Error("It was refused.")
      expect(handoffSchema.safeParse(made.value).success).toBe(true)
      expect(handoffSchema.safeParse({ ...made.value, [field]: undefined }).success).toBe(false)
    },
  )

  it.each(["goal", "constraints", "dependencies"])("[MP-ASSIGN-3] next.%s cannot be left out", (field) => {
    const made = handOff(request)
    if (!made.ok) throw new Error("It was refused.")
    const next = { ...made.value.next, [field]: undefined }
    expect(handoffSchema.safeParse({ ...made.value, next }).success).toBe(false)
  })

  it("[MP-ASSIGN-3] an empty part is told with its place", () => {
    expect(handOff({ ...request, next: { ...request.next, goal: "" } })).toMatchObject({
      ok: false,
      issues: [{ code: "invalid_field", path: "next.goal", fix: "Give every part of the handoff." }],
    })
  })

  it("[MP-ASSIGN-2] a handoff carries no authority", () => {
    const made = handOff(request)
    expect(JSON.stringify(made)).not.toContain("authority")
    if (!made.ok) throw new Error("It was refused.")
    expect(handoffSchema.safeParse({ ...made.value, authority: main }).success).toBe(false)
  })

  it.each([
    ["another session", { kind: "session", id: "s2" }, true],
    ["a person", { kind: "person", id: "ana" }, true],
    ["another executor", { kind: "executor", id: "fixer" }, true],
    ["the same executor", { kind: "executor", id: "reviewer" }, false],
  ] as const)("[MP-ASSIGN-4] to %s: made is %o", (_, to, made) => {
    expect(handOff({ ...request, to }).ok).toBe(made)
  })

  it("[MP-ASSIGN-4] it says why work that stays is not handed off", () => {
    expect(handOff({ ...request, to: request.from })).toEqual({
      ok: false,
      issues: [
        {
          code: "invalid_field",
          path: "to",
          message: "The work stays where it is.",
          fix: "Hand off only to another session, person or executor.",
        },
      ],
    })
  })

  it("[MP-ASSIGN-4] plain delegation makes none, and making one completes no action", async () => {
    const held = Promise.withResolvers<string>()
    const started = Promise.withResolvers<void>()
    const of = createHarness({
      clock: manualClock(),
      executors: {
        reviewer: {
          type: "agent",
          work: () => {
            started.resolve()
            return held.promise
          },
        },
        work: () => "ok",
      },
    })
    const running = of.run(execute(graphOf([act("a", agent), act("b", { depends_on: ["a"] })])))
    await started.promise
    handOff(request)
    expect(of.record("run_1")?.state.actions).toMatchObject({
      a: { status: "running" },
      b: { status: "pending" },
    })
    held.resolve("done")
    await running
    expect(JSON.stringify([of.record("run_1"), of.assignments("run_1")])).not.toMatch(/handoff|next_goal/i)
  })
})
