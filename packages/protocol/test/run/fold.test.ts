import { describe, expect, it } from "vitest"
import { type Action, foldRun, nextSteps, type Reason, type RunEvent } from "../../src/index.ts"
import { act, broken, Drive, done, graphOf } from "./build.ts"

const accepted: RunEvent = { type: "run.accepted", run_id: "run_1", at: 5 }
const canceled = (reason: string): RunEvent => ({ type: "run.canceled", at: 9, reason })
const started = (id: string, attempt = 1): RunEvent => ({ type: "action.started", id, attempt, at: 6 })
const ended = (id: string, outcome = done(), attempt = 1): RunEvent => ({
  type: "action.ended",
  id,
  attempt,
  at: 7,
  outcome,
})
const waiting = (id: string, code: Reason["code"]): RunEvent => ({
  type: "action.waiting",
  id,
  reason: { code, message: "It waits.", action_id: id },
})
const policy = (on_failure: Action["failure_policy"]["on_failure"], max_retries = 0) => ({
  failure_policy: { on_failure, max_retries },
})

describe("what events make of a run", () => {
  it("[MP-PERSIST-6] before it is accepted it waits, whole and untouched", () => {
    expect(foldRun(graphOf([act("a")]), [])).toEqual({
      run_id: "",
      status: "waiting",
      accepted_at: 0,
      actions: { a: { id: "a", status: "pending", attempts: [], passes: 0 } },
      spent: { tokens: 0, cost: 0, retries: 0 },
    })
    expect(foldRun(graphOf([]), []).status).toBe("waiting")
  })

  it("[MP-PERSIST-6] the first reason for a cancel stays", () => {
    const state = foldRun(graphOf([act("a")]), [accepted, canceled("first"), canceled("second")])
    expect(state.canceled).toEqual({ reason: "first" })
  })

  it("[MP-PERSIST-6] an action that the graph does not hold changes nothing", () => {
    const events = [accepted, started("a")]
    const graph = graphOf([act("a")])
    expect(foldRun(graph, [...events, started("b")])).toEqual(foldRun(graph, events))
    expect(foldRun(graphOf([]), [ended("a")], foldRun(graph, events))).toEqual(foldRun(graph, events))
  })

  it("[MP-PERSIST-6] a late result of an earlier attempt is kept and ends nothing", () => {
    const state = foldRun(graphOf([act("a")]), [accepted, started("a"), started("a", 2), ended("a")])
    expect(state.actions.a).toEqual({
      id: "a",
      status: "running",
      attempts: [{ started: 6, outcome: done() }, { started: 6 }],
      passes: 0,
    })
    expect(state.spent.retries).toBe(0)
  })

  it("[MP-PERSIST-6] what an event does not name is no key of the run", () => {
    const state = foldRun(graphOf([act("a"), act("b")]), [
      accepted,
      started("a"),
      waiting("b", "needs_approval"),
    ])
    expect(Object.keys(state.actions.a ?? {}).sort()).toEqual(["attempts", "id", "passes", "status"])
    expect(Object.keys(state.actions.b ?? {}).sort()).toEqual([
      "attempts",
      "id",
      "passes",
      "reason",
      "status",
    ])
  })

  it.each<[string, Action["failure_policy"]["on_failure"]]>([
    ["tried again", "retry"],
    ["asked about", "ask_model"],
  ])("[MP-POLICY-5] after a cancel a failure is not %s", (_, on_failure) => {
    const graph = graphOf([act("a", policy(on_failure, 3))])
    const run = foldRun(graph, [accepted, started("a"), canceled("stop"), ended("a", broken())]).actions.a
    expect(run).toMatchObject({
      status: "failed",
      reason: { code: "executor_failed", message: "It broke." },
    })
  })

  it.each<[string, Action["failure_policy"]["on_failure"]]>([
    ["tried again", "retry"],
    ["asked about", "ask_model"],
  ])("[MP-GRAPH-5] after an abort a failure is not %s", (_, on_failure) => {
    const graph = graphOf([act("a", policy(on_failure, 3)), act("b", policy("abort"))])
    const events = [accepted, started("a"), started("b"), ended("b", broken()), ended("a", broken())]
    const state = foldRun(graph, events)
    expect(state.actions.a?.status).toBe("failed")
    expect(state.aborted_by).toBe("b")
  })

  it("[MP-GRAPH-5] the first failure that aborts is the one that ended the run", () => {
    const graph = graphOf([act("a", policy("abort")), act("b", policy("abort"))])
    const events = [accepted, started("a"), started("b"), ended("b", broken()), ended("a", broken())]
    expect(foldRun(graph, events).aborted_by).toBe("b")
  })

  it("[MP-GRAPH-6] only failed attempts count against the retries of a loop", () => {
    const action = act("a", { ...policy("retry", 1), repeat: { max: 4 } })
    const run = new Drive(graphOf([action])).end("a").end("a").end("a", broken("once"))
    expect(run.status("a")).toBe("running")
    run.end("a", broken("twice"))
    expect(run.state.actions.a).toMatchObject({ status: "failed", passes: 2, reason: { message: "twice" } })
  })

  it("[MP-GRAPH-6] a result that was not awaited does not count as a failure", () => {
    const graph = graphOf([act("a", policy("retry", 1))])
    const events = [accepted, started("a"), started("a", 2), ended("a", broken(), 2)]
    expect(foldRun(graph, events).actions.a?.status).toBe("running")
  })

  it("[MP-POLICY-1] a denial is recorded with the input that was denied", () => {
    const answer = { approved: false, input_hash: "sha256:1" }
    const state = foldRun(graphOf([act("a")]), [
      accepted,
      waiting("a", "needs_approval"),
      { type: "action.answered", id: "a", answer },
    ])
    expect(state.actions.a).toEqual({
      id: "a",
      status: "failed",
      attempts: [],
      passes: 0,
      approved: false,
      input_hash: "sha256:1",
      reason: { code: "denied", message: "A person said no.", action_id: "a" },
    })
  })

  it("[MP-POLICY-1] words are no approval", () => {
    const graph = graphOf([act("a")])
    const events = [accepted, waiting("a", "needs_approval")]
    const answered: RunEvent = { type: "action.answered", id: "a", answer: { output: "yes" } }
    expect(foldRun(graph, [...events, answered])).toEqual(foldRun(graph, events))
  })

  it("[MP-GRAPH-7] a decision to go on makes the last failure final", () => {
    const graph = graphOf([act("a", policy("ask_model"))])
    const run = new Drive(graph)
      .end("a", broken("first"))
      .take({ type: "run.decided", id: "a", choice: "retry" })
      .end("a", broken("last"))
      .take({ type: "run.decided", id: "a", choice: "continue" })
    expect(run.state.actions.a).toMatchObject({
      status: "failed",
      reason: { code: "executor_failed", message: "last" },
    })
    expect(run.state.status).toBe("failed")
  })

  it("[MP-PERSIST-4] an unknown outcome that is decided about stays unknown", () => {
    const events = [accepted, started("a"), waiting("a", "outcome_unknown")]
    const decided: RunEvent = { type: "run.decided", id: "a", choice: "continue" }
    expect(foldRun(graphOf([act("a")]), [...events, decided]).actions.a).toMatchObject({
      status: "failed",
      reason: { code: "outcome_unknown", message: "It waits.", action_id: "a" },
    })
  })

  it("[MP-INTENT-5] retry of the failure that aborted reopens what it ended, and nothing else", () => {
    const graph = graphOf([
      act("a", policy("abort")),
      act("b", { depends_on: ["a"] }),
      act("c", { depends_on: ["b"] }),
      act("d"),
      act("e", { depends_on: ["d"] }),
    ])
    const run = new Drive(graph).end("d", broken()).end("a", broken())
    expect(run.statuses()).toEqual({ a: "failed", b: "canceled", c: "canceled", d: "failed", e: "blocked" })
    run.take({ type: "run.decided", id: "a", choice: "retry" })
    expect(run.state.aborted_by).toBe(undefined)
    expect(run.statuses()).toEqual({ a: "running", b: "pending", c: "pending", d: "failed", e: "blocked" })
  })

  it("[MP-INTENT-5] retry of another failure does not undo an abort", () => {
    const graph = graphOf([act("a", policy("abort")), act("b")])
    const run = new Drive(graph).end("b", broken()).end("a", broken())
    run.take({ type: "run.decided", id: "b", choice: "retry" })
    expect(run.state.aborted_by).toBe("a")
    expect(run.starts).toEqual(["a", "b"])
  })

  it("[MP-GRAPH-15] running work outweighs a question to a person", () => {
    const graph = graphOf([act("a"), act("b")])
    expect(foldRun(graph, [accepted, started("a"), waiting("b", "needs_input")]).status).toBe("running")
    expect(foldRun(graph, [accepted, started("a"), ended("a"), waiting("b", "needs_input")]).status).toBe(
      "waiting",
    )
  })
})

describe("what is to be done next", () => {
  const at = (events: readonly RunEvent[], actions: readonly Action[], over = {}) => {
    const graph = graphOf(actions, over)
    return nextSteps(graph, foldRun(graph, [accepted, ...events]), { now: 10 })
  }

  it("[MP-POLICY-5] abort settles all and signals only what runs", () => {
    const reason = { code: "canceled", message: "stop" }
    expect(at([started("a"), canceled("stop")], [act("a"), act("b")], { cancellation: "abort" })).toEqual({
      steps: [
        { type: "settle", id: "a", status: "canceled", reason },
        { type: "signal", id: "a" },
        { type: "settle", id: "b", status: "canceled", reason },
      ],
      status: "running",
    })
  })

  it("[MP-POLICY-5] what was settled and still runs is signaled again, and the run stays ended", () => {
    const graph = graphOf([act("a")])
    const settled: RunEvent = {
      type: "action.settled",
      id: "a",
      status: "canceled",
      reason: { code: "canceled", message: "stop" },
    }
    const state = foldRun(graph, [accepted, started("a"), canceled("stop"), settled])
    expect(nextSteps(graph, state, { now: 10, in_flight: ["a"] })).toEqual({
      steps: [{ type: "signal", id: "a" }],
      status: "failed",
    })
    expect(nextSteps(graph, state, { now: 10 })).toEqual({ steps: [], status: "failed" })
    expect(nextSteps(graph, state, { now: 10, in_flight: [] })).toEqual({ steps: [], status: "failed" })
  })

  it("[MP-POLICY-5] a cancel between two attempts leaves the failure", () => {
    const events = [started("a"), ended("a", broken("first")), canceled("stop")]
    expect(at(events, [act("a", policy("retry", 2))]).steps).toEqual([
      { type: "settle", id: "a", status: "failed", reason: { code: "executor_failed", message: "first" } },
    ])
  })

  it("[MP-POLICY-5] a cancel between two passes cancels the rest of the loop", () => {
    expect(
      at([started("a"), ended("a"), canceled("stop")], [act("a", { repeat: { max: 3 } })]).steps,
    ).toEqual([
      { type: "settle", id: "a", status: "canceled", reason: { code: "canceled", message: "stop" } },
    ])
  })

  it("[MP-GRAPH-15] a run that waits and has work to start is running", () => {
    const actions = [act("a"), act("b")]
    const events = [waiting("a", "needs_input")]
    expect(at(events, actions)).toEqual({
      steps: [{ type: "start", id: "b", attempt: 1 }],
      status: "running",
    })
    expect(at([...events, waiting("b", "needs_input")], actions)).toEqual({ steps: [], status: "waiting" })
  })

  it("[MP-GRAPH-15] a run that waits and has something to settle is running", () => {
    const events = [waiting("a", "needs_input"), started("b"), ended("b", broken())]
    expect(at(events, [act("a"), act("b"), act("c", { depends_on: ["b"] })])).toEqual({
      steps: [
        {
          type: "settle",
          id: "c",
          status: "blocked",
          reason: { code: "dependency_failed", message: "b did not complete.", action_id: "b" },
        },
      ],
      status: "running",
    })
  })

  it("[MP-GRAPH-3] the failed action is named, whatever its own reason names", () => {
    const failed: RunEvent = ended("a", {
      status: "failed",
      reason: { code: "executor_failed", message: "It broke.", action_id: "elsewhere" },
    })
    expect(at([started("a"), failed], [act("a"), act("b", { depends_on: ["a"] })]).steps).toMatchObject([
      { type: "settle", id: "b", reason: { action_id: "a", message: "a did not complete." } },
    ])
  })

  it("[MP-POLICY-4] a question to a person is not taken back when the budget is spent", () => {
    const actions = [act("a"), act("b")]
    const events = [
      waiting("a", "needs_input"),
      waiting("b", "needs_approval"),
      { type: "run.spent", tokens: 7 } as const,
    ]
    expect(at(events, actions, { budget: { max_tokens: 7 } }).steps).toEqual([
      {
        type: "settle",
        id: "b",
        status: "failed",
        reason: { code: "budget_exceeded", message: "The limit of 7 tokens is reached.", action_id: "b" },
      },
    ])
  })

  it("[MP-POLICY-2] a standing approval is one of its own action, for the first attempt", () => {
    const input_hash = () => "sha256:same"
    const graph = graphOf([act("a", { requires_approval: true, ...policy("ask_model") })])
    const state = foldRun(graph, [accepted])
    const given = (action_id: string) => ({
      now: 10,
      input_hash,
      approvals: [{ action_id, input_hash: "sha256:same" }],
    })
    const asks = {
      type: "wait",
      id: "a",
      input_hash: "sha256:same",
      reason: { code: "needs_approval", message: "a asks for approval.", action_id: "a" },
    }
    expect(nextSteps(graph, state, given("b")).steps).toEqual([asks])
    expect(nextSteps(graph, state, given("a")).steps).toEqual([{ type: "start", id: "a", attempt: 1 }])
    const again = foldRun(
      graph,
      [started("a"), ended("a", broken()), { type: "run.decided", id: "a", choice: "retry" }],
      state,
    )
    expect(nextSteps(graph, again, given("a")).steps).toEqual([asks])
  })

  it.each<[string, Partial<Action>, string]>([
    ["description", { title: "A title", description: "Which one?" }, "Which one?"],
    ["title", { title: "A title" }, "A title"],
    ["id", {}, "a needs an answer."],
  ])("[MP-GRAPH-17] a person is asked with the %s of the action", (_, over, message) => {
    const action = act("a", { ...over, executor: { type: "human", target: "user", capabilities: [] } })
    expect(at([], [action]).steps).toEqual([
      { type: "wait", id: "a", reason: { code: "needs_input", message, action_id: "a" } },
    ])
  })

  it("[MP-GRAPH-2] an action that names no executor starts like any other", () => {
    const { executor: _, ...plain } = act("a")
    expect(at([], [plain]).steps).toEqual([{ type: "start", id: "a", attempt: 1 }])
    expect(at([started("a"), ended("a")], [{ ...plain, repeat: { max: 2 } }]).steps).toEqual([
      { type: "start", id: "a", attempt: 2 },
    ])
  })
})
