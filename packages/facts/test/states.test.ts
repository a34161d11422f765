import { describe, expect, it } from "vitest"
import {
  type Envelope,
  requestEnded,
  taskSnapshot,
  threadReadModel,
  validateFact,
  type WorkState,
  workStates,
} from "../src/index.ts"
import { at, fact, given, only } from "./given.ts"

const fieldsOf = (value: unknown): string[] => {
  const result = validateFact(value)
  return result.ok ? [] : result.issues.map(({ field }) => field)
}
const dropped = (one: Envelope, field: string) => {
  const { [field]: _, ...payload } = one.payload
  return { ...one, payload }
}
const created = fact("task.created")
const taskOf = (...facts: Envelope[]) => only(given(...facts).entities.tasks)
const turnFacts = [
  fact("session.created"),
  fact("thread.started"),
  fact("turn.submitted"),
  fact("turn.started"),
]
const readOf = (...facts: Envelope[]) => threadReadModel(given(...facts), "thr_1")
const phase = (of: WorkState) => fact("run.status", { payload: { phase: of } })

describe("what a turn reads", () => {
  it.each(workStates)("the phase %s of the run is the status of thread and turn", (state) => {
    const read = readOf(...turnFacts, phase(state))
    expect([read.status, read.active_turn?.status]).toEqual([state, state])
  })
  it("[RT-STAT-1] accepted: a submission is durable and nothing has run", () => {
    const state = given(...turnFacts.slice(0, 3))
    expect(threadReadModel(state, "thr_1").active_turn).toMatchObject({
      turn_id: "trn_1",
      status: "accepted",
    })
    expect(only(state.entities.turns).started_at).toBeUndefined()
    expect([state.entities.runs, state.entities.modelRequests, state.entities.toolCalls]).toEqual([
      {},
      {},
      {},
    ])
  })
  it("[RT-STAT-2] queued behind another turn: the turn is in the queue and not active", () => {
    const order = [{ queued_turn_id: "qtn_1", turn_id: "trn_2", source: "user", state: "waiting" as const }]
    const second = [
      fact("turn.submitted", { turn_id: "trn_2" }),
      fact("queue.changed", { payload: { order } }),
    ]
    const read = readOf(...turnFacts, ...second)
    expect(read.active_turn?.turn_id).toBe("trn_1")
    expect(read.queued_turns).toEqual(order)
  })
})

describe("what a task reads", () => {
  it.each(["turn", "policy"] as const)("[RT-STAT-2] queued behind a %s, which is named", (behind) => {
    const queued = fact("task.queued", { payload: { behind, behind_id: "x_1", cause: `behind a ${behind}` } })
    expect(fieldsOf(queued)).toEqual([])
    expect(fieldsOf(dropped(queued, "behind"))).toEqual(["payload.behind"])
    expect(fieldsOf(dropped(queued, "cause"))).toEqual(["payload.cause"])
    expect(taskOf(created, queued)).toMatchObject({ status: "queued", cause: `behind a ${behind}` })
  })
  it.each([
    ["[RT-STAT-5]", "waiting_input"],
    ["[RT-STAT-6]", "waiting_permission"],
  ] as const)("%s %s names the open request", (_, wait) => {
    const waiting = fact("task.waiting", { action_id: "act_1", payload: { wait, waits_for: "act_1" } })
    expect(fieldsOf(waiting)).toEqual([])
    expect(fieldsOf(dropped(waiting, "waits_for"))).toEqual(["payload.waits_for"])
    expect(taskOf(created, waiting)).toMatchObject({ status: wait, waits_for: "act_1" })
    expect(taskSnapshot(given(created, waiting)).waiting).toMatchObject([
      { status: wait, waits_for: "act_1" },
    ])
  })
  it("[RT-STAT-5] waiting_input: the read model of the thread shows the action_id", () => {
    const action = fact("action.required", {
      thread_id: "thr_1",
      turn_id: "trn_1",
      payload: { action_type: "structured_input" },
    })
    const read = readOf(...turnFacts, action, phase("waiting_input"))
    expect(read.status).toBe("waiting_input")
    expect(read.pending_requests).toMatchObject([{ type: "structured_input", action_id: "act_1" }])
  })
  it.each(["human", "policy", "host"] as const)(
    "[RT-STAT-6] waiting_permission: an ask that waits for the %s names the open request",
    (waits_for) => {
      const place = { thread_id: "thr_1", turn_id: "trn_1" }
      const asked = fact("permission.requested", { ...place, payload: { waits_for } })
      const read = readOf(...turnFacts, asked, phase("waiting_permission"))
      expect(read.status).toBe("waiting_permission")
      expect(read.pending_requests).toMatchObject([
        { kind: "permission", id: "req_9", decided_by: waits_for },
      ])
    },
  )
  it.each(["credential", "quota", "file", "network", "worker", "external system"])(
    "waiting_resource names the %s, and when it is tried again",
    (resource) => {
      const waiting = fact("task.waiting", {
        payload: { wait: "waiting_resource", waits_for: resource, next_try_at: at(40) },
      })
      expect(taskOf(created, waiting)).toMatchObject({
        status: "waiting_resource",
        waits_for: resource,
        next_try_at: at(40),
      })
    },
  )
  it.each(["action", "credential", "policy", "context", "dependency", "tool", "quota"] as const)(
    "[RT-STAT-8] blocked: the missing %s is named",
    (kind) => {
      const missing = [{ kind, id: "x_1", detail: "someone must supply it" }]
      const blocked = fact("task.blocked", { payload: { missing } })
      expect(fieldsOf(blocked)).toEqual([])
      expect(taskSnapshot(given(created, blocked)).waiting).toMatchObject([{ status: "blocked", missing }])
    },
  )
  it("[RT-STAT-8] blocked by nothing is refused", () => {
    expect(fieldsOf(fact("task.blocked", { payload: { missing: [] } }))).toEqual(["payload.missing"])
  })
  it.each([
    ["a normal end", fact("model.completed")],
    ["an error", fact("model.failed", { payload: { category: "provider_error" } })],
    ["a cancel", fact("model.failed", { payload: { category: "interrupted" } })],
  ] as const)("[RT-STAT-9] streaming ends with %s of the output", (_, end) => {
    const streaming = given(...turnFacts, fact("model.requested"), fact("model.delta"))
    expect(only(streaming.entities.modelRequests).status).toBe("streaming")
    const ended = given(...turnFacts, fact("model.requested"), fact("model.delta"), end)
    expect(only(ended.entities.modelRequests).status).not.toBe("streaming")
    expect(requestEnded(only(ended.entities.modelRequests))).toBe(true)
  })
  it("[RT-STAT-10] retrying carries its number and cause, both demanded", () => {
    for (const number of [1, 2]) {
      const retrying = fact("task.retrying", { payload: { number, cause: "worker died" } })
      expect(taskOf(created, fact("task.failed"), retrying)).toMatchObject({
        status: "retrying",
        cause: "worker died",
      })
      expect(fieldsOf(dropped(retrying, "number"))).toEqual(["payload.number"])
      expect(fieldsOf(dropped(retrying, "cause"))).toEqual(["payload.cause"])
    }
  })
  it("[RT-STAT-10] a fallback names from, to, cause and number", () => {
    const fallback = fact("routing.fallback.applied")
    for (const field of ["from", "to", "cause", "number"]) {
      expect(fieldsOf(dropped(fallback, field))).toEqual([`payload.${field}`])
    }
  })
  it("[RT-STAT-11] lost is neither failed nor running nor ended", () => {
    const lost = given(created, fact("task.started"), fact("task.attempt.started"), fact("task.lost"))
    const { active, waiting, failed, lost: alone, recent_terminal } = taskSnapshot(lost)
    expect([active, waiting, failed, recent_terminal]).toEqual([[], [], [], []])
    expect(alone).toMatchObject([{ task_id: "tsk_1", status: "lost" }])
    // The attempt stays without a terminal fact until it is settled.
    expect(only(lost.entities.attempts).status).toBe("running")
  })
  it.each(["time", "inactivity"] as const)(
    "[RT-STAT-12] timed_out by the budget of %s, which is named",
    (budget) => {
      const out = fact("task.timed_out", { payload: { budget, limit_ms: 1000, cause: `${budget} budget` } })
      expect(fieldsOf(out)).toEqual([])
      expect(fieldsOf(dropped(out, "budget"))).toEqual(["payload.budget"])
      expect(taskOf(created, out)).toMatchObject({ status: "timed_out", cause: `${budget} budget` })
    },
  )
  it("[RT-STAT-14] failed names its category, for turn and task", () => {
    const failed = fact("turn.failed", { payload: { category: "provider_error" } })
    expect(readOf(...turnFacts, failed).last_outcome).toMatchObject({
      status: "failed",
      category: "provider_error",
    })
    expect(fieldsOf(dropped(failed, "category"))).toEqual(["payload.category"])
    const broken = fact("task.failed", { payload: { category: "tool_error" } })
    expect(taskOf(created, broken).failure).toMatchObject({ category: "tool_error" })
    expect(fieldsOf(dropped(broken, "category"))).toEqual(["payload.category"])
  })
  it.each(["user", "policy", "runtime"] as const)(
    "[RT-STAT-15] cancelled by the %s names who and why, and is no error of the work",
    (by) => {
      const payload = { status: "cancelled", category: "interrupted", reason: "stop it", by } as const
      const state = given(...turnFacts, fact("turn.failed", { payload }))
      expect(only(state.entities.turns)).toMatchObject({
        status: "cancelled",
        failure: { category: "interrupted", reason: "stop it", by },
      })
      expect(threadReadModel(state, "thr_1").last_outcome).toMatchObject({
        status: "cancelled",
        reason: "stop it",
      })
      const cancelled = fact("task.cancelled", { payload: { by, cause: "stop it" } })
      expect(taskOf(created, cancelled)).toMatchObject({ status: "cancelled", cause: "stop it" })
      expect(taskSnapshot(given(created, cancelled)).failed).toEqual([])
      expect(fieldsOf(dropped(cancelled, "by"))).toEqual(["payload.by"])
      expect(fieldsOf(dropped(cancelled, "cause"))).toEqual(["payload.cause"])
    },
  )
})

describe("what happens below", () => {
  const child: readonly (readonly [string, string, readonly Envelope[]])[] = [
    ["tool", "result", [fact("tool.started"), fact("tool.result")]],
    ["tool", "failure", [fact("tool.started"), fact("tool.failed")]],
    ["model request", "end", [fact("model.requested"), fact("model.completed")]],
    ["model request", "failure", [fact("model.requested"), fact("model.failed")]],
    ["process", "end", [fact("process.started"), fact("process.completed")]],
    ["process", "failure", [fact("process.started"), fact("process.failed")]],
    [
      "child task",
      "completion",
      [fact("task.created", { task_id: "tsk_2" }), fact("task.completed", { task_id: "tsk_2" })],
    ],
    [
      "child task",
      "failure",
      [fact("task.created", { task_id: "tsk_2" }), fact("task.failed", { task_id: "tsk_2" })],
    ],
    ["subagent", "completion", [fact("subagent.spawned"), fact("subagent.completed")]],
    ["subagent", "failure", [fact("subagent.spawned"), fact("subagent.failed")]],
  ]
  it.each(child)("[RT-STAT-17] the %s's %s ends neither the turn nor the task above it", (_, __, facts) => {
    const before = [...turnFacts, phase("running"), created, fact("task.started")]
    const state = given(...before, ...facts)
    expect(threadReadModel(state, "thr_1")).toMatchObject({
      status: "running",
      active_turn: { turn_id: "trn_1", status: "running" },
      last_outcome: null,
    })
    expect(state.entities.turns).toEqual(given(...before).entities.turns)
    expect(state.entities.tasks.tsk_1).toEqual(given(...before).entities.tasks.tsk_1)
  })
})
