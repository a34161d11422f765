import { describe, expect, it } from "vitest"
import {
  attemptEnded,
  type Envelope,
  type EventOfType,
  edgeKinds,
  graph,
  jobEnded,
  jobView,
  subagentClosed,
  taskEnded,
  taskView,
  validateFact,
} from "../src/index.ts"
import { at, fact, given, only } from "./given.ts"
import { ref } from "./samples.ts"

const created = fact("task.created")
const running = fact("task.started")
const completed = fact("task.completed")
const failed = fact("task.failed", { payload: { category: "tool_error", next: "retry" } })
const taskOf = (...facts: Envelope[]) => only(given(...facts).entities.tasks)

describe("task", () => {
  it("is created with all that was declared", () => {
    const declared = {
      parent_task_id: "tsk_0",
      assignee: "w1",
      profile: { p: 1 },
      constraints: { c: 1 },
      requires: { artifacts: ["art_1"] },
    }
    const task = taskOf(fact("task.created", { thread_id: "thr_1", payload: declared }))
    expect(task).toMatchObject({
      ...declared,
      thread_id: "thr_1",
      status: "accepted",
      assignee_accepted: false,
    })
    expect(task).not.toHaveProperty("previous")
  })
  it("is created once", () => {
    const again = fact("task.created", { payload: { objective: "Other" } })
    expect(taskOf(created, again)).toEqual({ ...taskOf(created), late: 1 })
  })
  it("is accepted by an assignee without a change of state", () => {
    expect(taskOf(created, fact("task.accepted"))).toMatchObject({
      status: "accepted",
      assignee: "worker-1",
      assignee_accepted: true,
      updated_at: at(2),
    })
  })
  it.each(["preparing", "running", "streaming"] as const)("enters %s when it starts", (to) => {
    expect(taskOf(created, fact("task.started", { payload: { to } }))).toMatchObject({
      status: to,
      cause: "asked",
    })
  })
  it("keeps its status at a hundred percent", () => {
    const half = fact("task.progress", { payload: { percent: 50, note: "half", output_refs: [ref] } })
    const full = fact("task.progress", { payload: { percent: 100 } })
    const task = taskOf(created, running, half, full)
    expect(task.status).toBe("running")
    expect(task.progress).toEqual({ percent: 100, note: "half", output_refs: [ref] })
    expect(task.output_refs).toEqual([ref])
    expect(task.updated_at).toBe(at(4))
  })
  it("takes changed fields, also after its end", () => {
    const delivered = { delivery: { from: "undelivered", to: "delivered" } }
    const update = fact("task.updated", { payload: { changes: delivered } })
    expect(taskOf(created, completed, update)).toMatchObject({
      status: "completed",
      delivery: "delivered",
      ended_at: at(2),
      updated_at: at(3),
      late: 0,
    })
  })
  it("drops what it waited for when it goes on", () => {
    const waits = fact("task.waiting", {
      payload: { wait: "waiting_resource", waits_for: "quota", next_try_at: at(9) },
    })
    expect(taskOf(created, waits)).toMatchObject({
      status: "waiting_resource",
      waits_for: "quota",
      next_try_at: at(9),
    })
    const after = taskOf(created, waits, running)
    expect([after.waits_for, after.next_try_at, after.missing]).toEqual([undefined, undefined, []])
  })
  it("drops what was missing when it goes on", () => {
    expect(taskOf(created, fact("task.blocked")).missing).toEqual([{ kind: "tool", detail: "git" }])
    expect(taskOf(created, fact("task.blocked"), running).missing).toEqual([])
  })
  it.each([
    ["running", running, {}],
    [
      "waiting_input",
      fact("task.waiting", { payload: { next_try_at: at(9) } }),
      { waits_for: "act_1", next_try_at: at(9) },
    ],
    ["blocked", fact("task.blocked"), { missing: [{ kind: "tool", detail: "git" }] }],
    ["queued", fact("task.queued"), {}],
  ] as const)(
    "paused while %s, it names what it is held from, and resumed it is that again",
    (status, enter, named) => {
      const held = taskOf(created, enter, fact("task.paused"))
      expect(held).toMatchObject({ status: "paused", held: status, ...named })
      const resumed = taskOf(
        created,
        enter,
        fact("task.paused"),
        fact("task.resumed", { payload: { to: status } }),
      )
      expect(resumed).toMatchObject({ status, ...named })
      expect(resumed.held).toBeUndefined()
    },
  )
  it("resumed into the queue it waits for nothing of before", () => {
    const resumed = fact("task.resumed", { payload: { to: "queued" } })
    const task = taskOf(created, fact("task.waiting"), fact("task.paused"), resumed)
    expect([task.status, task.waits_for]).toEqual(["queued", undefined])
  })
  it("is paused once, and resumed only when paused", () => {
    const paused = taskOf(created, running, fact("task.paused"))
    expect(taskOf(created, running, fact("task.paused"), fact("task.paused"))).toEqual({ ...paused, late: 1 })
    expect(taskOf(created, running, fact("task.resumed"))).toEqual({ ...taskOf(created, running), late: 1 })
  })
  it("asked to cancel, it is still what it was", () => {
    expect(taskOf(created, running, fact("task.cancel_requested"))).toMatchObject({
      status: "running",
      cancel_requested: true,
      updated_at: at(3),
    })
  })
  it("is lost without being ended", () => {
    const lost = taskOf(created, running, fact("task.lost"))
    expect(lost.status).toBe("lost")
    expect(taskEnded(lost)).toBe(false)
    expect(lost.ended_at).toBeUndefined()
  })
  it.each([
    ["completed", completed],
    ["failed", failed],
    ["cancelled", fact("task.cancelled")],
    ["timed_out", fact("task.timed_out")],
  ] as const)("ended as %s, it takes no later state", (status, end) => {
    const before = taskOf(created, running, end)
    expect(before).toMatchObject({ status, ended_at: at(3) })
    expect(taskEnded(before)).toBe(true)
    const later = [
      created,
      running,
      fact("task.accepted"),
      fact("task.queued"),
      fact("task.progress"),
      fact("task.waiting"),
      fact("task.blocked"),
      fact("task.paused"),
      fact("task.resumed"),
      fact("task.cancel_requested"),
      fact("task.cancelled"),
      fact("task.timed_out"),
      failed,
      fact("task.lost"),
      completed,
    ]
    expect(taskOf(created, running, end, ...later)).toEqual({ ...before, late: later.length })
  })
  it.each([
    ["failed", failed],
    ["cancelled", fact("task.cancelled")],
    ["timed_out", fact("task.timed_out")],
    ["lost", fact("task.lost")],
  ] as const)("%s, it may be tried again, and what ended it is past", (_, end) => {
    const facts = [created, running, fact("task.cancel_requested"), end, fact("task.retrying")]
    const task = taskOf(...facts)
    expect(task).toMatchObject({ status: "retrying", cancel_requested: false, late: 0, updated_at: at(5) })
    expect([task.ended_at, task.failure]).toEqual([undefined, undefined])
  })
  it("completed, it is not tried again", () => {
    expect(taskOf(created, completed, fact("task.retrying"))).toEqual({
      ...taskOf(created, completed),
      late: 1,
    })
  })
  it("failed, it names category and what can be done", () => {
    expect(taskOf(created, failed).failure).toEqual({ category: "tool_error", next: "retry" })
  })
  it("is archived as a mark, not a state", () => {
    expect(taskOf(created, completed, fact("task.archived"))).toMatchObject({
      status: "completed",
      archived: true,
      updated_at: at(3),
    })
  })
})

describe("attempts", () => {
  const started = (n: number) => {
    const id = `run_${n}`
    return fact("task.attempt.started", {
      run_id: id,
      attempt_id: id,
      payload: { number: n, worker: `w${n}` },
    })
  }
  const ended = (n: number, status: "failed" | "cancelled" | "timed_out") => {
    const id = `run_${n}`
    return fact("task.attempt.failed", {
      run_id: id,
      attempt_id: id,
      payload: { status, output_refs: [ref] },
    })
  }
  it("[RT-ID-6] three attempts are three records of one task, the earlier ones unchanged", () => {
    const state = given(
      created,
      started(1),
      ended(1, "failed"),
      started(2),
      ended(2, "timed_out"),
      started(3),
    )
    const view = taskView(state, only(state.entities.tasks))
    expect(view.attempts.map(({ attempt_id, number, status }) => [attempt_id, number, status])).toEqual([
      ["run_1", 1, "failed"],
      ["run_2", 2, "timed_out"],
      ["run_3", 3, "running"],
    ])
    expect(view.current_attempt_id).toBe("run_3")
  })
  it("an attempt holds what its facts said", () => {
    const start = fact("task.attempt.started", {
      thread_id: "thr_1",
      payload: { number: 1, worker: "w", job_id: "job_1", item_id: "one" },
    })
    expect(only(given(start, ended(1, "cancelled")).entities.attempts)).toEqual({
      attempt_id: "run_1",
      task_id: "tsk_1",
      status: "cancelled",
      number: 1,
      thread_id: "thr_1",
      worker: "w",
      job_id: "job_1",
      item_id: "one",
      output_refs: [ref],
      failure: { category: "tool_error", reason: "broke" },
      started_at: at(1),
      ended_at: at(2),
      late: 0,
    })
  })
  it.each([
    ["completed", fact("task.attempt.completed")],
    ["failed", ended(1, "failed")],
    ["cancelled", ended(1, "cancelled")],
    ["timed_out", ended(1, "timed_out")],
  ] as const)("[RT-STAT-20] a %s attempt takes no second end", (status, end) => {
    const before = only(given(started(1), end).entities.attempts)
    expect(before.status).toBe(status)
    expect(attemptEnded(before)).toBe(true)
    const later = [
      started(1),
      fact("task.attempt.completed", { payload: { output_refs: [] } }),
      ended(1, "failed"),
    ]
    expect(only(given(started(1), end, ...later).entities.attempts)).toEqual({ ...before, late: 3 })
  })
  it("an attempt that runs, or of which nothing is known, has not ended", () => {
    const one = only(given(started(1)).entities.attempts)
    expect(attemptEnded(one)).toBe(false)
    expect(attemptEnded({ ...one, status: "unknown" })).toBe(false)
  })
})

describe("edges", () => {
  const updated = (
    change: "linked" | "unlinked" | "outcome",
    over: Partial<EventOfType<"task.dependency.updated">["payload"]> = {},
  ) => fact("task.dependency.updated", { payload: { change, ...over } })
  it.each(edgeKinds)("an edge of kind %s is added and removed", (kind) => {
    const edge = { kind, from: "tsk_1", to: "x_2" }
    expect(graph(given(updated("linked", { edge })))).toEqual([{ ...edge, outcome: "pending" }])
    expect(graph(given(updated("linked", { edge }), updated("unlinked", { edge })))).toEqual([])
  })
  it("there are seven kinds", () => expect(edgeKinds.length).toBe(7))
  it("an outcome changes no link", () => {
    const outcome = updated("outcome", { outcome: "completed" })
    expect(graph(given(updated("linked"), outcome)).map((edge) => edge.outcome)).toEqual(["completed"])
    expect(graph(given(outcome))).toEqual([])
    expect(only(given(updated("linked"), updated("unlinked"), outcome).entities.edges).linked).toBe(false)
  })
  it("the graph of one task holds the edges at either end of it", () => {
    const edge = (from: string, to: string) => updated("linked", { edge: { kind: "dependency", from, to } })
    const state = given(edge("a", "b"), edge("b", "c"), edge("c", "d"))
    expect(graph(state, "b").map(({ from, to }) => from + to)).toEqual(["ab", "bc"])
    expect(graph(state).length).toBe(3)
  })
  it("a removed edge leaves memory when the next one comes", () => {
    const other = updated("linked", { edge: { kind: "dependency", from: "a", to: "b" } })
    expect(Object.keys(given(updated("linked"), updated("unlinked"), other).entities.edges)).toEqual([
      "dependency|a|b",
    ])
  })
  it("a delegation names where the work went", () => {
    const delegated = fact("task.delegated", { payload: { to: "peer", to_id: "p", channel_id: "chn_1" } })
    expect(given(delegated).entities.delegations).toEqual({
      "tsk_1|p": {
        task_id: "tsk_1",
        to: "peer",
        to_id: "p",
        objective: "Part",
        channel_id: "chn_1",
        delegated_at: at(1),
      },
    })
  })
})

describe("subagents", () => {
  const childOf = (...facts: Envelope[]) => only(given(...facts).entities.subagents)
  const spawned = fact("subagent.spawned", { payload: { parent_subagent_id: "sub_0" } })
  const status = fact("subagent.status", {
    payload: { status: "waiting_input", recoverable_reason: "log", waiting_action_id: "act_1" },
  })
  const done = (round: number) => fact("subagent.completed", { payload: { round } })
  const broke = (round: number) => fact("subagent.failed", { payload: { round, status: "timed_out" } })
  const closed = fact("subagent.closed")

  it("[RT-ID-10] a child keeps the session, thread and turn of its parent", () => {
    const elsewhere = fact("subagent.input", { thread_id: "thr_9", turn_id: "trn_9" })
    expect(childOf(spawned, elsewhere).parent).toEqual({
      session_id: "ses_1",
      thread_id: "thr_1",
      turn_id: "trn_1",
      subagent_id: "sub_0",
    })
  })
  it("is spawned once, also when a status came first", () => {
    expect(childOf(spawned).status).toBe("accepted")
    expect(childOf(status, spawned)).toMatchObject({ status: "waiting_input", late: 0 })
    const other = fact("subagent.spawned", { payload: { agent: "other" } })
    expect(childOf(spawned, other)).toEqual({ ...childOf(spawned), late: 1 })
  })
  it("tells its state, whether it can be continued, and what it waits for", () => {
    expect(childOf(spawned, status)).toMatchObject({
      status: "waiting_input",
      recoverable: true,
      recoverable_reason: "log",
      waiting_action_id: "act_1",
      updated_at: at(2),
    })
  })
  it("counts its inputs", () => {
    expect(childOf(spawned, fact("subagent.input"), fact("subagent.input")).inputs).toBe(2)
  })
  it("ends each round of work once, and goes on with the next", () => {
    const child = childOf(spawned, broke(1), done(1), done(2), broke(2))
    expect(child).toMatchObject({ status: "completed", settled: [1, 2], output_refs: [ref], late: 2 })
    expect(child.failure).toBeUndefined()
    expect(childOf(spawned, broke(1))).toMatchObject({
      status: "timed_out",
      settled: [1],
      recoverable: false,
      failure: { category: "tool_error", reason: "broke" },
    })
  })
  it("is closed once and last", () => {
    const before = childOf(spawned, status, closed)
    expect(before.status).toBe("closed")
    expect(before.waiting_action_id).toBeUndefined()
    expect(subagentClosed(before)).toBe(true)
    expect(subagentClosed(childOf(spawned))).toBe(false)
    const later = [status, fact("subagent.input"), done(5), broke(6), closed]
    expect(childOf(spawned, status, closed, ...later)).toEqual({ ...before, late: 5 })
  })
})

describe("jobs", () => {
  const jobOf = (...facts: Envelope[]) => only(given(...facts).entities.jobs)
  const itemsOf = (...facts: Envelope[]) => given(...facts).entities.jobItems
  const made = fact("job.created", { thread_id: "thr_1" })
  const start = (item_id: string, attempt = 1, worker = "w1") =>
    fact("job.item.started", { payload: { item_id, attempt, worker, assigned_thread_id: "thr_7" } })
  const done = (item_id: string, attempt = 1) => fact("job.item.completed", { payload: { item_id, attempt } })
  const broke = (item_id: string, attempt = 1, status: "failed" | "cancelled" = "failed") =>
    fact("job.item.failed", { payload: { item_id, attempt, status } })

  it("is created once with its items, and runs", () => {
    expect(jobOf(made)).toMatchObject({ status: "accepted", thread_id: "thr_1", created_at: at(1) })
    const other = fact("job.created", { payload: { title: "Other" } })
    expect(jobOf(made, other)).toEqual({ ...jobOf(made), late: 1 })
    expect(jobOf(made, fact("job.started"))).toMatchObject({ status: "running", title: "Batch" })
    expect(jobOf(made, fact("job.progress")).counts.completed).toBe(2)
  })
  it.each([
    ["completed", fact("job.completed"), undefined],
    ["failed", fact("job.failed"), "one failed"],
    ["cancelled", fact("job.cancelled"), "stop"],
  ] as const)("%s, it takes nothing more", (status, end, reason) => {
    const before = jobOf(made, end)
    expect(before).toMatchObject({ status, ended_at: at(2) })
    expect(before.reason).toBe(reason)
    expect(jobEnded(before)).toBe(true)
    const counts = { total: 9, running: 9, completed: 9, failed: 9, cancelled: 9 }
    const later = [
      made,
      fact("job.started"),
      fact("job.progress", { payload: { counts } }),
      fact("job.completed", { payload: { counts } }),
      fact("job.failed", { payload: { counts, reason: "again" } }),
      fact("job.cancelled", { payload: { counts, reason: "again" } }),
    ]
    expect(jobOf(made, end, ...later)).toEqual({ ...before, late: 6 })
  })
  it("has not ended while it is accepted or running", () => {
    expect([jobOf(made), jobOf(made, fact("job.started"))].map(jobEnded)).toEqual([false, false])
  })
  it("an item keeps its earlier attempts, and touches no other", () => {
    const items = itemsOf(start("one"), start("two"), broke("one"), start("one", 2, "w2"), done("one", 2))
    expect(items["job_1|one"]).toEqual({
      job_id: "job_1",
      item_id: "one",
      status: "completed",
      late: 0,
      attempts: [
        {
          attempt: 1,
          status: "failed",
          worker: "w1",
          assigned_thread_id: "thr_7",
          output_refs: [],
          failure: { category: "tool_error", reason: "broke" },
        },
        { attempt: 2, status: "completed", worker: "w2", assigned_thread_id: "thr_7", output_refs: [ref] },
      ],
    })
    expect(items["job_1|two"]?.status).toBe("running")
  })
  it.each([
    ["completed", done("one")],
    ["failed", broke("one")],
    ["cancelled", broke("one", 1, "cancelled")],
  ] as const)("[RT-STAT-20] a %s item attempt takes no second end", (status, end) => {
    const before = only(itemsOf(start("one"), end))
    expect(before.status).toBe(status)
    expect(only(itemsOf(start("one"), end, start("one"), done("one"), broke("one")))).toEqual({
      ...before,
      late: 3,
    })
  })
  it("attempts at an item are counted from one", () => {
    expect([0, 1, 2].map((attempt) => validateFact(start("one", attempt)).ok)).toEqual([false, true, true])
  })
  it("the latest attempt speaks for the item, whatever order the ends come in", () => {
    const item = only(itemsOf(start("one", 2), done("one", 2), broke("one", 1)))
    expect(item.status).toBe("completed")
    expect(item.attempts.map(({ attempt }) => attempt)).toEqual([1, 2])
  })
  it("the view of a job names every item, also one that nobody took yet", () => {
    const state = given(made, start("one"))
    expect(jobView(state, only(state.entities.jobs)).items).toEqual([
      {
        item_id: "one",
        status: "running",
        attempts: [{ attempt: 1, status: "running", worker: "w1", assigned_thread_id: "thr_7" }],
      },
      { item_id: "two", status: "accepted", attempts: [] },
    ])
  })
})
