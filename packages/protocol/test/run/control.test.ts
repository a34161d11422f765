import { describe, expect, it } from "vitest"
import {
  type Action,
  cancelRun,
  decideRun,
  findRun,
  type ModelDecision,
  type OwnedRun,
  reviseRun,
  runStatuses,
} from "../../src/index.ts"
import { act, broken, Drive, graphOf } from "./build.ts"

const asks: Partial<Action> = { failure_policy: { on_failure: "ask_model", max_retries: 0 } }

/** One run for each status that a run can have. */
const runs: Record<(typeof runStatuses)[number], () => Drive> = {
  running: () => new Drive(graphOf([act("a")])),
  waiting: () => new Drive(graphOf([act("a", { requires_approval: true })])),
  blocked: () => new Drive(graphOf([act("a", asks), act("b", asks)])).end("a", broken()).end("b", broken()),
  completed: () => new Drive(graphOf([act("a")])).end("a"),
  failed: () => new Drive(graphOf([act("a"), act("b")])).end("a", broken()).end("b"),
}
const owned = ({ graph, state }: Drive, over: Partial<OwnedRun> = {}): OwnedRun => ({
  run_id: "run_1",
  owner: "main",
  graph,
  state,
  ...over,
})
const decision: ModelDecision = { run_id: "run_1", choice: "retry" }
const wrong = (message: string, fix: string) => ({
  ok: false,
  issues: [{ code: "wrong_run_state", path: "payload", message, fix }],
})

describe("decisions", () => {
  const expected: Record<(typeof runStatuses)[number], readonly string[] | undefined> = {
    running: undefined,
    waiting: undefined,
    blocked: ["a", "b"],
    completed: undefined,
    failed: ["a"],
  }

  it.each(runStatuses)("[MP-PAY-3] for a run that is %s", (status) => {
    const run = runs[status]()
    expect(run.state.status).toBe(status)
    const ids = expected[status]
    expect(decideRun(owned(run), decision)).toEqual(
      ids === undefined
        ? wrong(
            `The run run_1 is ${status} and cannot be decided about.`,
            "Only a run that is blocked or failed can be decided about.",
          )
        : { ok: true, value: ids.map((id) => ({ type: "run.decided", id, choice: "retry" })) },
    )
  })

  it("[MP-PAY-3] an action can be named, and must wait for a decision", () => {
    const run = owned(runs.blocked())
    expect(decideRun(run, { ...decision, action_id: "b", choice: "abort" })).toEqual({
      ok: true,
      value: [{ type: "run.decided", id: "b", choice: "abort" }],
    })
    expect(decideRun(run, { ...decision, action_id: "z" })).toEqual(
      wrong("z waits for no decision.", "Name one of: a, b."),
    )
  })

  it("[MP-PAY-3] a canceled or replaced run is decided about no more", () => {
    const canceled = runs.blocked().take({ type: "run.canceled", at: 1, reason: "stop" })
    expect(canceled.state.status).toBe("failed")
    expect(decideRun(owned(canceled), decision)).toMatchObject({
      issues: [{ message: "The run run_1 is canceled and cannot be decided about." }],
    })
    expect(decideRun(owned(runs.failed(), { superseded_by: "run_2" }), decision)).toMatchObject({
      issues: [{ message: "The run run_1 is replaced and cannot be decided about." }],
    })
  })

  it("[MP-PAY-3] a run that failed without a failed action has nothing to decide", () => {
    const blocked = new Drive(graphOf([act("a", { depends_on: ["nowhere"] })]))
    expect(decideRun(owned(blocked), decision)).toEqual(
      wrong("The run waits for no decision.", "Name one of: none."),
    )
  })
})

describe("cancel and revise", () => {
  it.each(runStatuses)("[MP-INTENT-3] a run that is %s", (status) => {
    const open = ["running", "waiting", "blocked"].includes(status)
    expect(cancelRun(owned(runs[status]()), 9, "stop")).toEqual(
      open
        ? { ok: true, value: [{ type: "run.canceled", at: 9, reason: "stop" }] }
        : wrong(
            `The run run_1 is ${status} and cannot be canceled.`,
            "Only a run that is running or waiting or blocked can be canceled.",
          ),
    )
  })

  it.each(runStatuses)("[MP-INTENT-4] a run that is %s", (status) => {
    const run = runs[status]()
    const next = graphOf([act("n"), act("b")])
    const revised = reviseRun(owned(run), run.events, next)
    if (status !== "blocked" && status !== "failed") {
      expect(revised).toMatchObject({ ok: false, issues: [{ code: "wrong_run_state" }] })
      return
    }
    const kept = status === "failed" ? ["b"] : []
    expect(revised).toMatchObject({ ok: true, value: { kept } })
    if (!revised.ok) return
    expect(revised.value.graph.actions.map(({ id }) => id)).toEqual(
      status === "failed" ? ["b", "n"] : ["n", "b"],
    )
    expect(revised.value.carried).toEqual(
      run.events.filter((event) => "id" in event && kept.includes(event.id)),
    )
    expect(revised.value.carried).toHaveLength(kept.length * 2)
  })

  it("[MP-INTENT-4] a revision that does not hold together is refused", () => {
    const run = runs.failed()
    expect(reviseRun(owned(run), run.events, graphOf([act("n", { depends_on: ["a"] })]))).toMatchObject({
      ok: false,
      issues: [{ code: "unknown_dependency" }],
    })
    const clash = graphOf([act("n", { writes: ["x"] }), act("m", { writes: ["x"] })], { conflicts: "refuse" })
    expect(reviseRun(owned(run), run.events, clash)).toMatchObject({
      ok: false,
      issues: [{ code: "conflicting_writes" }],
    })
  })

  it("[MP-INTENT-7] a run is found by its name and its owner", () => {
    const mine = owned(runs.failed())
    expect(findRun([mine], "run_1", "main")).toEqual({ ok: true, value: mine })
    expect(findRun([mine], "run_1", "other")).toEqual(findRun([], "run_1", "main"))
  })
})
