import { describe, expect, it } from "vitest"
import {
  type Declaration,
  decisionPoint,
  decisionPoints,
  type ReasonCode,
  type RunStatus,
  resultRecord,
} from "../../src/index.ts"
import { action, type Given, run } from "./given.ts"
import { toolbar, toolbarRecord } from "./spec.ts"

describe("the record for programs", () => {
  it("[MP-RECORD-1] the specification's result, verbatim, field for field in order", () => {
    expect(JSON.stringify(resultRecord(run(toolbar)), null, 2)).toBe(toolbarRecord)
  })

  it("[MP-RECORD-1] every action is in it, with what is known of it", () => {
    const record = resultRecord(
      run({
        status: "failed",
        actions: [action("a"), action("b", { title: "Second" }), action("c", { description: "Third." })],
        ended: {
          a: { status: "failed", reason: { code: "timed_out", message: "Too slow." } },
          b: { content: "long", summary: "short" },
          c: { status: "pending" },
        },
      }),
    )
    expect(record.actions).toEqual([
      { id: "a", title: "a", description: "", status: "failed", summary: "Too slow." },
      { id: "b", title: "Second", description: "", status: "completed", summary: "short" },
      { id: "c", title: "c", description: "Third.", status: "pending", summary: "" },
    ])
  })

  it("[MP-RECORD-1] a run of which nothing is known yet is pending", () => {
    const bare = run({ actions: [action("toString")], status: "running" })
    const record = resultRecord({ ...bare, observations: {}, state: { ...bare.state, actions: {} } })
    expect(record).toMatchObject({ status: "running", next: "wait" })
    expect(record.actions).toEqual([
      { id: "toString", title: "toString", description: "", status: "pending", summary: "" },
    ])
  })

  const held = (
    code: ReasonCode,
    status: "waiting" | "blocked" | "canceled" | "completed" = "waiting",
  ): Given["ended"] => ({
    a: { status, reason: { code, message: "Held." } },
  })
  it.each([
    ["completed", "completed", undefined, "completed", "final_answer"],
    ["failed", "failed", undefined, "failed", "decide"],
    ["blocked", "blocked", undefined, "blocked", "decide"],
    ["blocked for a decision", "blocked", held("needs_decision", "blocked"), "blocked", "decide"],
    ["unsure after a crash", "blocked", held("outcome_unknown", "blocked"), "blocked", "decide"],
    ["waiting for approval", "waiting", held("needs_approval"), "blocked", "wait"],
    ["waiting for input", "waiting", held("needs_input"), "blocked", "wait"],
    ["held by what is over", "blocked", held("needs_approval", "canceled"), "blocked", "decide"],
    ["held by what was done", "blocked", held("needs_input", "completed"), "blocked", "decide"],
    ["running", "running", undefined, "running", "wait"],
  ] as [string, RunStatus, Given["ended"], string, string][])(
    "[MP-RECORD-3] next of a run that is %s",
    (_, status, ended, aggregate, next) => {
      const record = resultRecord(run({ status, actions: [action("a")], ...(ended && { ended }) }))
      expect([record.status, record.next]).toEqual([aggregate, next])
    },
  )

  it("[MP-RECORD-3] after a cancellation nothing is left to decide", () => {
    const record = resultRecord(
      run({ status: "failed", canceled: { reason: "Stop." }, actions: [action("a")] }),
    )
    expect([record.status, record.next]).toEqual(["failed", "final_answer"])
  })

  it("[MP-RECORD-3] the model's decision comes before the person's", () => {
    const record = run({
      status: "blocked",
      actions: [action("a"), action("b")],
      ended: {
        a: { status: "waiting", reason: { code: "needs_approval", message: "May I?" } },
        b: { status: "blocked", reason: { code: "needs_decision", message: "How?" } },
      },
    })
    expect(resultRecord(record).next).toBe("decide")
  })

  it.each(["needs_decision", "outcome_unknown"] as const)(
    "[MP-RECORD-3] an action that failed after %s holds nobody up any more: a person is waited for",
    (code) => {
      const record = run({
        status: "waiting",
        actions: [action("a"), action("b")],
        ended: {
          a: { status: "failed", reason: { code, message: "Nobody knows." } },
          b: { status: "waiting", reason: { code: "needs_approval", message: "May I?" } },
        },
      })
      expect([decisionPoint(record), resultRecord(record).next]).toEqual(["permission_needed", "wait"])
    },
  )

  const graph = run(toolbar).graph
  const decision = { run_id: "run_123", choice: "retry" } as const
  const asked: { [I in Declaration["intent"]]?: NonNullable<Given["asks"]> } = {
    execute: { intent: "execute", graph },
    plan: { intent: "plan", graph },
    expand_ref: { intent: "expand_ref", refs: [{ ref: "artifact:a" }] },
    cancel: { intent: "cancel", decision },
    revise: { intent: "revise", run_id: "run_0", graph },
    decide: { intent: "decide", decision },
  }
  it.each(Object.keys(asked))("[MP-RECORD-5] a declaration to %s is answered by a result", (intent) => {
    const asks = Object.values(asked).find((declared) => declared.intent === intent)
    const expanding = intent === "expand_ref"
    const record = resultRecord(
      run({
        run_id: "run_7",
        ...(asks && { asks }),
        actions: expanding ? [] : [action("a")],
        ended: expanding ? { "artifact:a": { content: "text" } } : {},
      }),
    )
    expect(record).toEqual({
      type: "agent.protocol.result",
      version: "1",
      run_id: "run_7",
      status: "completed",
      actions: expanding
        ? [{ id: "artifact:a", title: "artifact:a", description: "", status: "completed", summary: "text" }]
        : [{ id: "a", title: "a", description: "", status: "completed", summary: "a done." }],
      next: "final_answer",
    })
  })

  it.each(["running", "waiting"] as const)(
    "[MP-RECORD-5] a plan is complete when it is made: %s",
    (status) => {
      const plan = run({
        status,
        asks: { intent: "plan", graph },
        actions: [action("a")],
        ended: { a: { status: "pending" } },
      })
      expect(resultRecord(plan)).toMatchObject({ status: "completed", next: "final_answer" })
      expect(resultRecord(plan).actions[0]?.status).toBe("pending")
    },
  )

  it("[MP-STREAM-5] there are six points of decision", () => {
    expect(decisionPoints).toEqual([
      "completed",
      "failed",
      "blocked",
      "permission_needed",
      "user_input_needed",
      "model_decision_needed",
    ])
  })
})
