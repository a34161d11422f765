import { describe, expect, it } from "vitest"
import {
  applyFacts,
  type Envelope,
  emptySession,
  permissionSandboxSummary,
  sessionSnapshot,
  threadReadModel,
} from "../src/index.ts"
import { at, fact, given } from "./given.ts"

describe("session_snapshot", () => {
  const opened = [
    fact("session.created", { payload: { title: "T", metadata: { a: 1 } } }),
    fact("thread.started"),
  ]
  it("[RT-SNAP-1] holds shell, title, timestamps, threads, recent steps and a history cursor", () => {
    const state = given(
      ...opened,
      fact("thread.updated", { payload: { active_turn_id: "trn_1" } }),
      fact("turn.submitted"),
      fact("model.delta"),
      fact("tool.started", { step_id: "stp_0" }),
    )
    expect(sessionSnapshot(state, { history_cursor: "c:1" })).toEqual({
      sequence: 6,
      freshness: "current",
      shell: { session_id: "ses_1", archived: false, metadata: { a: 1 } },
      title: "T",
      timestamps: { created_at: at(1), updated_at: at(1) },
      threads: [{ thread_id: "thr_1", status: "active", started_at: at(2), active_turn_id: "trn_1" }],
      recent: [
        {
          kind: "input",
          turn_id: "trn_1",
          thread_id: "thr_1",
          status: "accepted",
          input: [{ kind: "text", text: "Hi" }],
          at: at(4),
        },
        {
          kind: "output",
          turn_id: "trn_1",
          step_id: "stp_1",
          request_id: "req_1",
          status: "streaming",
          partial: false,
          parts: [{ kind: "text", part_id: "p1", text: "Hel" }],
        },
        {
          kind: "tool",
          turn_id: "trn_1",
          step_id: "stp_0",
          tool_call_id: "tcl_1",
          tool: "write_file",
          status: "running",
        },
      ],
      history_cursor: "c:1",
    })
  })
  it("[RT-SNAP-1] a session never used has empty lists, not missing ones", () => {
    expect(sessionSnapshot(given(fact("session.created")))).toMatchObject({ threads: [], recent: [] })
  })
  it("steps stand in the order of their first facts, each with its own turn", () => {
    const turn_id = "trn_2"
    const call = fact("tool.started", { step_id: "z" })
    const state = given(
      fact("turn.submitted"),
      fact("turn.submitted", { turn_id }),
      call,
      fact("model.requested", { step_id: "a" }),
      fact("model.requested", { turn_id, step_id: "b", payload: { request_id: "req_2" } }),
      fact("tool.started", { turn_id, step_id: "a", tool_call_id: "tcl_2" }),
      fact("tool.result", { step_id: "z" }),
    )
    const kinds = sessionSnapshot(state).recent.map((step) => `${step.turn_id} ${step.kind}`)
    expect(kinds).toEqual([
      "trn_1 input",
      "trn_1 tool",
      "trn_1 output",
      "trn_2 input",
      "trn_2 output",
      "trn_2 tool",
    ])
  })
  it("recent steps are the latest fifty, or as many as asked for", () => {
    const turns = Array.from({ length: 60 }, (_, n) => fact("turn.submitted", { turn_id: `trn_${n}` }))
    const state = given(...turns)
    const ids = (recent?: number) =>
      sessionSnapshot(state, recent === undefined ? {} : { recent }).recent.map((step) => step.turn_id)
    expect([ids().length, ids()[0]]).toEqual([50, "trn_10"])
    expect(ids(2)).toEqual(["trn_58", "trn_59"])
    expect(ids(0)).toEqual([])
    expect(ids(100).length).toBe(60)
  })
  it("a turn of which only the start is known says so", () => {
    expect(sessionSnapshot(given(fact("turn.started"))).recent).toMatchObject([
      { status: "running", at: "unknown" },
    ])
  })
})

describe("thread_read_model", () => {
  const opened = [fact("session.created"), fact("thread.started")]
  const read = (...facts: Envelope[]) => threadReadModel(given(...opened, ...facts), "thr_1")
  const submitted = fact("turn.submitted")

  it("[RT-SNAP-2] a busy thread", () => {
    const status = fact("run.status", { payload: { phase: "streaming", title: "Writing", detail: "d" } })
    expect(read(submitted, fact("turn.started"), status)).toEqual({
      sequence: 5,
      freshness: "current",
      thread_id: "thr_1",
      status: "streaming",
      active_turn: { turn_id: "trn_1", status: "streaming", title: "Writing", detail: "d", since: at(5) },
      pending_requests: [],
      last_outcome: null,
      incidents: [],
      queued_turns: [],
      resume_token: "thr_1~0",
      diagnostics: [],
    })
  })
  it("[RT-SNAP-2] a waiting thread names its pending requests", () => {
    const place = { thread_id: "thr_1", turn_id: "trn_1", tool_call_id: "tcl_1" }
    const action = fact("action.required", { ...place, task_id: "tsk_1", payload: { deadline: at(60) } })
    const asked = fact("permission.requested", { ...place, payload: { deadline: at(61) } })
    const wait = fact("run.status", { payload: { phase: "waiting_permission" } })
    const model = read(submitted, action, asked, wait)
    expect(model.status).toBe("waiting_permission")
    expect(model.pending_requests).toEqual([
      {
        kind: "action",
        id: "act_1",
        type: "tool_approval",
        title: "Write a file?",
        decided_by: "human",
        turn_id: "trn_1",
        task_id: "tsk_1",
        tool_call_id: "tcl_1",
        action_id: "act_1",
        deadline: at(60),
        request: action.payload,
      },
      {
        kind: "permission",
        id: "req_9",
        type: "tool",
        title: "write_file",
        decided_by: "human",
        turn_id: "trn_1",
        tool_call_id: "tcl_1",
        deadline: at(61),
      },
    ])
  })
  it("a permission request that an open action stands for is not told twice", () => {
    const place = { thread_id: "thr_1", action_id: "act_1" }
    const action = fact("action.required", place)
    const asked = fact("permission.requested", place)
    expect(read(action, asked).pending_requests.map(({ kind }) => kind)).toEqual(["action"])
    const resolved = fact("action.resolved")
    expect(read(action, asked, resolved).pending_requests).toMatchObject([
      { kind: "permission", action_id: "act_1" },
    ])
    expect(read(action, asked, resolved, fact("permission.resolved")).pending_requests).toEqual([])
  })
  it("requests of another thread are not shown", () => {
    const elsewhere = { thread_id: "thr_2" }
    const facts = [fact("action.required", elsewhere), fact("permission.requested", elsewhere)]
    expect(read(...facts).pending_requests).toEqual([])
    expect(permissionSandboxSummary(given(...facts)).pending_approvals.length).toBe(2)
  })
  it("[RT-SNAP-2] a failed thread tells its last outcome and incidents", () => {
    const error = fact("runtime.error", { session_id: "ses_1", thread_id: "thr_1" })
    const elsewhere = fact("runtime.error", { session_id: "ses_1", thread_id: "thr_2" })
    expect(read(submitted, fact("turn.failed"), error, elsewhere)).toMatchObject({
      status: "idle",
      active_turn: null,
      last_outcome: {
        turn_id: "trn_1",
        status: "failed",
        category: "provider_error",
        reason: "down",
        ended_at: at(4),
      },
      incidents: [{ event_id: "evt_5", level: "error", code: "disk_full", message: "Full.", at: at(5) }],
    })
  })
  it("[RT-SNAP-2] an idle thread", () => {
    expect(read()).toMatchObject({ status: "idle", active_turn: null, last_outcome: null })
    expect(read(submitted, fact("turn.completed")).last_outcome).toEqual({
      turn_id: "trn_1",
      status: "completed",
      ended_at: at(4),
    })
  })
  it("[RT-SNAP-2] queued turns and diagnostics", () => {
    const second = fact("turn.completed", { payload: { outcome: "stopped" } })
    const other = fact("turn.submitted", { turn_id: "trn_8", thread_id: "thr_2" })
    const model = read(submitted, fact("turn.completed"), second, second, fact("queue.changed"), other, other)
    expect(model.queued_turns).toEqual([
      { queued_turn_id: "qtn_1", turn_id: "trn_2", source: "user", state: "waiting" },
    ])
    expect(model.diagnostics).toEqual([{ code: "late_fact", id: "trn_1", count: 2 }])
  })
  it.each([
    [
      "attempt",
      "run_1",
      fact("task.attempt.completed", { thread_id: "thr_1" }),
      fact("task.attempt.started", { thread_id: "thr_1" }),
    ],
    ["tool call", "tcl_1", fact("tool.result"), fact("tool.started")],
    ["process", "prc_1", fact("process.completed"), fact("process.started")],
    [
      "action",
      "act_1",
      fact("action.resolved", { thread_id: "thr_1" }),
      fact("action.required", { thread_id: "thr_1" }),
    ],
  ] as const)("a late fact of a %s is a diagnostic", (_, id, end, start) => {
    expect(read(submitted, start, end, end).diagnostics).toEqual([{ code: "late_fact", id, count: 1 }])
    expect(read(submitted, start, end).diagnostics).toEqual([])
  })
  it("the last outcome is the last by sequence, also when the clock steps back", () => {
    const late: Envelope = { ...fact("turn.completed", { sequence: 1 }), timestamp: at(50) }
    const early: Envelope = { ...fact("turn.failed", { turn_id: "trn_2", sequence: 2 }), timestamp: at(10) }
    const { state } = applyFacts(emptySession, [late, early])
    expect(threadReadModel(state, "thr_1").last_outcome).toMatchObject({ turn_id: "trn_2", ended_at: at(10) })
    const submitted = [fact("turn.submitted"), fact("turn.submitted", { turn_id: "trn_2" })]
    const crossed = given(...submitted, fact("turn.failed", { turn_id: "trn_2" }), fact("turn.completed"))
    expect(threadReadModel(crossed, "thr_1").last_outcome?.turn_id).toBe("trn_1")
  })
  it("an active turn without status tells what its own facts say", () => {
    expect(read(submitted).active_turn).toEqual({
      turn_id: "trn_1",
      status: "accepted",
      title: "",
      detail: "",
      since: at(3),
    })
    expect(read(submitted, fact("turn.started")).active_turn).toMatchObject({
      status: "running",
      since: at(4),
    })
  })
  it("a turn that waits in the queue is not active, even when no other is", () => {
    const waits = fact("turn.submitted", { turn_id: "trn_2" })
    expect(read(waits, fact("queue.changed"))).toMatchObject({ status: "idle", active_turn: null })
    const model = read(waits, fact("queue.changed"), submitted)
    expect(model.active_turn?.turn_id).toBe("trn_1")
  })
  it("a turn of another thread is not active here", () => {
    const model = read(fact("turn.submitted", { thread_id: "thr_2" }))
    expect([model.active_turn, model.status]).toEqual([null, "idle"])
  })
  it("[RT-SNAP-15] a failed tool and an open action stay through updates and repairs of snapshots", () => {
    const action = fact("action.required", { thread_id: "thr_1" })
    const broken = [fact("tool.started"), fact("tool.failed")]
    const repairs = [
      fact("snapshot.updated", { payload: { snapshot: "thread_read_model" } }),
      fact("snapshot.repaired"),
    ]
    const state = given(...opened, action, ...broken, ...repairs)
    expect(threadReadModel(state, "thr_1").pending_requests.map(({ id }) => id)).toEqual(["act_1"])
    expect(state.entities.toolCalls.tcl_1?.status).toBe("failed")
  })
})
