import { describe, expect, test } from "vitest"
import { type AgentUiState, readText } from "../src/index.ts"
import { after, codes, delta, final, given, partsOf, run, textsOf, tool } from "./given.ts"

const call = (state: AgentUiState) => state.tools.get("t1")
const whole = { text: '{"path":"a"}' }

describe("tools", () => {
  test("[UI-TOOL-1] tool.started opens the call as running", () => {
    const state = given(
      run("started"),
      tool("started", { toolName: "read", title: "Read a file", input: whole }),
    )
    expect(call(state)).toMatchObject({ toolCallId: "t1", status: "running", toolName: "read", input: whole })
    expect([...(state.runs.get("r1")?.process ?? [])]).toMatchObject([{ kind: "tool", id: "t1" }])
  })
  test("[UI-TOOL-2] partial args stream the input", () => {
    const state = given(tool("args", { toolName: "read", delta: '{"pa' }), tool("args", { delta: 'th"' }))
    expect(call(state)).toMatchObject({ status: "input-streaming", toolName: "read" })
    expect(readText(call(state)?.partialInput ?? { blocks: [], length: 0 })).toBe('{"path"')
  })
  test("[UI-TOOL-2] sensitive input is never shown, not even what came before it was said", () => {
    const state = given(
      tool("args", { delta: "my pin" }),
      tool("args", { delta: " 1234", sensitive: true }),
      tool("args", { delta: "5", input: { text: "my pin 12345" }, complete: true }),
    )
    expect(call(state)).toMatchObject({
      status: "input-available",
      sensitive: true,
      partialInput: { length: 0 },
    })
    expect(JSON.stringify(call(state))).not.toContain("pin")
  })
  test("[UI-TOOL-3] complete args replace the partial input", () => {
    const state = given(
      tool("args", { delta: '{"pa' }),
      tool("args", { input: whole, inputRef: "in:1", complete: true }),
    )
    expect(call(state)).toMatchObject({
      status: "input-available",
      input: whole,
      inputRef: "in:1",
      partialInput: { length: 0 },
    })
  })
  test("[UI-TOOL-4] progress updates the row and keeps earlier facts", () => {
    const state = given(
      tool("started", { toolName: "read", input: whole }),
      tool("progress", { note: "half", done: 1, total: 2 }),
      tool("progress", { done: 2, outputRef: "out:1" }),
    )
    expect(call(state)).toMatchObject({
      status: "progress",
      toolName: "read",
      input: whole,
      progress: { note: "half", done: 2, total: 2 },
      outputRefs: ["out:1"],
    })
  })
  test("[UI-TOOL-5] channels never mix", () => {
    const state = given(
      tool("output.delta", { channel: "stdout", delta: "a" }),
      tool("output.delta", { channel: "stderr", delta: "x" }),
      tool("output.delta", { channel: "stdout", delta: "b" }),
      tool("output.delta", { delta: "plain" }),
    )
    const { stdout, stderr, output } = call(state)?.channels ?? {}
    expect([stdout, stderr, output].map((text) => text && readText(text))).toEqual(["ab", "x", "plain"])
    expect(call(state)?.status).toBe("progress")
  })
  test("[UI-TOOL-6] tool.result completes the row with preview or ref", () => {
    const state = given(
      tool("started"),
      tool("result", {
        preview: { text: "ok" },
        outputRef: "out:1",
        outputRefs: ["out:2"],
        durationMs: 12,
        success: true,
        files: [{ path: "a.ts", added: 1 }],
      }),
    )
    expect(call(state)).toMatchObject({
      status: "output-available",
      preview: { text: "ok" },
      outputRefs: ["out:1", "out:2"],
      durationMs: 12,
      success: true,
      files: [{ path: "a.ts", added: 1 }],
    })
  })
  test("[UI-TOOL-6] success that was not said is not known", () =>
    expect(call(given(tool("result")))).not.toHaveProperty("success"))
  test.each([true, false])(
    "[UI-TOOL-7] tool.failed keeps what is recoverable (retryable %s)",
    (retryable) => {
      const payload = { category: "network", message: "no route", next: "check the address", retryable }
      expect(call(given(tool("failed", payload)))).toMatchObject({ status: "output-error", failure: payload })
    },
  )
  test.each([
    ["the flag", { cancelled: true }, {}],
    ["the status cancelled", { status: "cancelled" }, {}],
    ["the status canceled", { status: "canceled" }, {}],
    ["the phase", {}, { phase: "cancelled" }],
  ])("[UI-TOOL-8] tool.failed is a cancellation by %s", (_, payload, more) => {
    expect(call(given(tool("failed", payload, more)))?.status).toBe("cancelled")
  })
  test("[UI-TOOL-8] a cancelled run cancels its open calls and no others", () => {
    const state = given(
      run("started"),
      tool("started"),
      tool("started", {}, { toolCallId: "t2" }),
      tool("result", {}, { toolCallId: "t2" }),
      tool("started", {}, { toolCallId: "t3", runId: "r2" }),
      run("finished", {}, { phase: "cancelled" }),
    )
    expect([...state.tools.values()].map(({ status }) => status)).toEqual([
      "cancelled",
      "output-available",
      "running",
    ])
  })
  test("[UI-TOOL-8] a run that succeeded cancels nothing", () => {
    expect(
      call(given(run("started"), tool("started"), run("finished", {}, { phase: "completed" })))?.status,
    ).toBe("running")
  })
  test.each(["result", "failed"])("[UI-TOOL-9] tool.%s never ends its run", (step) => {
    const state = given(run("started", {}, { phase: "acting" }), tool("started"), tool(step))
    expect(state.runs.get("r1")).toMatchObject({ ended: false, phase: "acting" })
  })
  const late = [
    tool("args", { delta: "x" }),
    tool("started"),
    tool("progress", { note: "still" }),
    tool("output.delta", { delta: "x" }),
  ]
  test.each(["result", "failed"])("[UI-TOOL-11] nothing late reopens a call after tool.%s", (step) => {
    const ended = given(tool("started"), tool(step))
    expect(call(after(ended, ...late))?.status).toBe(call(ended)?.status)
  })
  test("[UI-TOOL-11] nor one that was cancelled, and a second end is reported", () => {
    const state = given(tool("failed", { cancelled: true }), ...late, tool("result"))
    expect(call(state)?.status).toBe("cancelled")
    expect(codes(state)).toContain("late_terminal")
  })
  test("[UI-TOOL-13] a result of an unseen call opens the row with its input unknown", () => {
    const state = given(tool("result", { preview: { text: "ok" } }, { messageId: "m1" }))
    expect(call(state)).toMatchObject({ status: "output-available", preview: { text: "ok" } })
    expect(call(state)).not.toHaveProperty("input")
    expect(partsOf(state)).toMatchObject([{ kind: "tool", ref: "t1" }])
  })
  test("a source that opens the call before its input streams still shows the seven states", () => {
    const seen: (string | undefined)[] = []
    let state = given(tool("started", { toolName: "x" }))
    seen.push(call(state)?.status)
    for (const event of [
      tool("args", { delta: "{" }),
      tool("args", { complete: true, input: { text: "{}" } }),
      tool("progress"),
      tool("result"),
    ]) {
      state = after(state, event)
      seen.push(call(state)?.status)
    }
    expect(seen).toEqual(["running", "input-streaming", "input-available", "progress", "output-available"])
  })
})

describe("queue and steer", () => {
  const queue = (payload: object) => ({ type: "queue.changed", sessionId: "s1", threadId: "h1", payload })
  test("[UI-QUEUE-1] turns, their order and the steer state are as reported", () => {
    const turns = [
      { queuedTurnId: "q2", status: "promoted", position: 1 },
      { queuedTurnId: "q1", status: "queued", position: 2 },
    ]
    const state = given(
      queue({ turns: [{ queuedTurnId: "q1" }], steer: { state: "pending" } }),
      queue({ turns, steer: { state: "applied" }, queueReason: "provider", policy: "fifo" }),
    )
    expect(state.queues.get("h1")).toMatchObject({
      turns,
      steer: { state: "applied" },
      policy: "fifo",
      facts: { queueReason: "provider" },
    })
    expect(after(state, queue({ turns: [] })).queues.get("h1")?.turns).toEqual([])
  })
  test("[UI-QUEUE-3] steered input belongs to the active run and adds no queue item", () => {
    const steer = (state: string) => queue({ steer: { state, runId: "r1", text: "shorter", clientId: "c1" } })
    const state = given(
      run("started"),
      queue({ turns: [{ queuedTurnId: "q1" }] }),
      steer("pending"),
      steer("applied"),
    )
    expect(state.runs.get("r1")?.steered).toEqual([{ state: "applied", clientId: "c1", text: "shorter" }])
    expect(state.queues.get("h1")?.turns).toHaveLength(1)
    expect([...(state.runs.get("r1")?.process ?? [])].filter(({ kind }) => kind === "steer")).toHaveLength(1)
  })
})

describe("tasks and runtime entities", () => {
  const task = (payload: object, more: object = {}) => ({
    type: "task.changed",
    sessionId: "s1",
    taskId: "k1",
    payload,
    ...more,
  })
  test("[UI-EVT-11] task.changed makes or merges the task, changing only what is supplied", () => {
    const state = given(
      task({ title: "Look", status: "running", progress: { done: 1, total: 3 } }),
      task({ blocker: "b" }),
      task({ status: "done" }),
    )
    expect(state.tasks.size).toBe(1)
    expect(state.tasks.get("k1")).toMatchObject({
      title: "Look",
      status: "done",
      blocker: "b",
      progress: { done: 1, total: 3 },
    })
  })
  test.each(["weird_state", "cancelled", "canceled"])(
    "[UI-TASK-10] the status %s is kept verbatim",
    (status) => {
      const state = given(task({ status }), { type: "agent.changed", agentId: "a1", payload: { status } })
      expect([state.tasks.get("k1")?.status, state.agents.get("a1")?.status]).toEqual([status, status])
      expect(state.agents.get("a1")?.ended).toBe(status !== "weird_state")
    },
  )
  test("[UI-TASK-10] a comment is kept verbatim and moves no column", () => {
    expect(given(task({ status: "blocked" }), task({ status: "commented" })).tasks.get("k1")).toMatchObject({
      status: "commented",
      column: "blocked",
    })
  })
  test("[UI-ENTITY-1] agent_turn keeps its queue count and makes no teammate", () => {
    const state = given(
      run(
        "status",
        { runtimeEntity: "agent_turn", runtimeStatus: "running", queuedTurnCount: 2 },
        { phase: "acting" },
      ),
      task({ runtimeEntity: "agent_turn", runtimeStatus: "running" }),
    )
    expect(state.runs.get("r1")).toMatchObject({ runtimeStatus: "running", queue: { queuedTurnCount: 2 } })
    expect(state.tasks.get("k1")).toMatchObject({ runtimeEntity: "agent_turn" })
    expect(state.agents.size).toBe(0)
  })
  test("[UI-ENTITY-2] subagent_turn becomes a teammate and child session with lineage", () => {
    const state = given(run("started"), {
      type: "agent.spawned",
      sessionId: "s1",
      threadId: "h1",
      runId: "r1",
      agentId: "a1",
      payload: {
        runtimeEntity: "subagent_turn",
        agentName: "reader",
        childSessionId: "s2",
        latestTurnStatus: "running",
      },
    })
    expect(state.agents.get("a1")).toMatchObject({
      runtimeEntity: "subagent_turn",
      agentName: "reader",
      latestTurnStatus: "running",
    })
    expect(state.sessions.get("s2")).toMatchObject({ parentSessionId: "s1", parentThreadId: "h1" })
    expect(state.runs.size).toBe(1)
  })
  test("[UI-ENTITY-3] automation_job is a task and a background teammate, and no further category", () => {
    const payload = {
      runtimeEntity: "automation_job",
      schedule: "0 9 * * *",
      wakeReason: "cron",
      lastRunRef: "run:8",
      status: "sleeping",
    }
    const state = given(task(payload), { type: "agent.changed", agentId: "a1", payload })
    expect(state.tasks.get("k1")).toMatchObject(payload)
    expect(state.agents.get("a1")).toMatchObject({ ...payload, ended: false })
    expect(state.runs.size).toBe(0)
  })
  test("[UI-ENTITY-4] external_task keeps the remote's words", () => {
    const payload = {
      runtimeEntity: "external_task",
      remoteTaskId: "rt-1",
      cardRef: "card:1",
      remoteStatus: "auth-required",
      needs: "auth",
    }
    const state = given(task(payload), { type: "agent.changed", agentId: "a1", payload })
    expect([state.tasks.get("k1"), state.agents.get("a1")]).toMatchObject([payload, payload])
  })
  test("[UI-ENTITY-5] work_item is keyed by workItemId; assigning changes no runtimeStatus", () => {
    const item = (payload: object) => task({ runtimeEntity: "work_item", workItemId: "w1", ...payload })
    const state = given(
      item({ title: "Fix", runtimeStatus: "running", status: "open" }),
      item({ assignee: { kind: "human", id: "u1" } }),
    )
    expect([...state.tasks.keys()]).toEqual(["w1"])
    expect(state.tasks.get("w1")).toMatchObject({
      runtimeStatus: "running",
      status: "open",
      assignee: { id: "u1" },
    })
  })
})

describe("teams", () => {
  const agent = (step: string, payload: object = {}, more: object = {}) => ({
    type: `agent.${step}`,
    sessionId: "s1",
    agentId: "a1",
    payload,
    ...more,
  })
  test("[UI-EVT-12] agent.spawned adds one teammate with identity, lineage and status", () => {
    const state = given(
      agent("spawned", { agentName: "reader", status: "running" }, { parentSessionId: "s0", taskId: "k1" }),
    )
    expect(state.agents.get("a1")).toMatchObject({
      agentName: "reader",
      status: "running",
      ended: false,
      origin: { parentSessionId: "s0", taskId: "k1" },
    })
  })
  test("[UI-EVT-13] agent.changed updates, and never adds a second entry", () => {
    const state = given(
      agent("spawned", { status: "running" }),
      agent("changed", { status: "needs_input" }),
      agent("changed", { status: "idle" }),
    )
    expect(state.agents.size).toBe(1)
    expect(state.agents.get("a1")?.status).toBe("idle")
  })
  test.each([
    ["failed", { phase: "failed" }, {}],
    ["failed", {}, { status: "failed" }],
    ["completed", { phase: "completed" }, {}],
    ["completed", {}, { status: "completed" }],
    ["killed", {}, { status: "killed" }],
    ["unknown", {}, {}],
  ])("[UI-EVT-14] agent.completed reads %s from %j and %j", (outcome, more, payload) => {
    const ended = given(
      agent("spawned", { status: "running" }),
      agent("completed", payload, more),
    ).agents.get("a1")
    expect(ended).toMatchObject({ ended: true, outcome, status: outcome })
  })
  const team = (payload: object) => ({
    type: "team.changed",
    sessionId: "s1",
    payload: { teamId: "g1", ...payload },
  })
  const everything = {
    roster: [{ agentId: "a1" }],
    selected: true,
    board: [{ workItemId: "w1", title: "Fix" }],
    memory: [{ ref: "mem:1" }],
    policy: { mode: "ask" },
  }
  test.each(Object.keys(everything))("[UI-EVT-15] team.changed changes %s alone", (name) => {
    const before = given(team(everything)).teams.get("g1")
    const changed = {
      ...everything,
      [name]: name === "selected" ? false : name === "policy" ? { mode: "deny" } : [],
    }
    const value = changed[name as keyof typeof changed]
    const next = after(given(team(everything)), team({ [name]: value })).teams.get("g1")
    expect(next).toEqual({ ...before, origin: next?.origin, [name]: value })
  })
  test("[UI-TEAM-1] identity is kept", () => {
    const identity = {
      agentName: "reader",
      teamName: "delivery",
      role: "researcher",
      source: "local",
      color: "teal",
      avatar: "r",
      model: "small",
      policy: "ask",
    }
    const state = given(agent("spawned", identity), agent("changed", { status: "idle" }))
    expect(state.agents.get("a1")).toMatchObject({ agentId: "a1", ...identity })
  })
  test("[UI-TEAM-2] lineage is kept, also when later events omit it", () => {
    const lineage = {
      parentSessionId: "s0",
      parentThreadId: "h0",
      sessionId: "s2",
      threadId: "h2",
      taskId: "k1",
    }
    const state = given(
      { ...agent("spawned", { spawnReason: "research" }), ...lineage },
      { type: "agent.changed", agentId: "a1", payload: { status: "idle" } },
    )
    expect(state.agents.get("a1")).toMatchObject({ spawnReason: "research", origin: lineage })
  })
  test.each(["result", "failure", "kill", "usage", "summary"])(
    "[UI-TEAM-3] a worker's %s is kept and leaves messages unchanged",
    (kind) => {
      const payload = {
        kind,
        status: "completed",
        summary: "Done",
        resultRef: "res:1",
        usage: { inputTokens: 5, cost: 0.1 },
        durationMs: 9,
        toolCount: 2,
      }
      const before = given(delta("hi"))
      const state = after(before, {
        type: "worker.notification",
        sessionId: "s1",
        taskId: "k1",
        agentId: "a1",
        payload,
      })
      expect([...state.notifications.values()]).toMatchObject([
        { ...payload, origin: { taskId: "k1", agentId: "a1" } },
      ])
      expect(state.messages).toBe(before.messages)
      expect(state.sessions).toBe(before.sessions)
    },
  )
  test("[UI-TEAM-3] each notification is one of its own", () => {
    const note = { type: "worker.notification", sessionId: "s1", agentId: "a1", payload: { summary: "x" } }
    expect(given(note, note).notifications.size).toBe(2)
  })
  test("[UI-TEAM-7] a board item keeps all its facts", () => {
    const item = {
      workItemId: "w1",
      title: "Fix",
      assignee: { id: "a1" },
      status: "blocked",
      blocker: "review",
      priority: 1,
      dependencies: ["w0"],
      artifactRefs: ["f1"],
      evidenceRefs: ["e1"],
    }
    const state = given(team({ board: [item] }), team({ board: [{ workItemId: "w1", status: "done" }] }))
    expect(state.tasks.get("w1")).toMatchObject({
      ...item,
      runtimeEntity: "work_item",
      status: "done",
      column: "done",
    })
  })
  test("[UI-TEAM-8] a handoff keeps its facts and rewrites no author", () => {
    const payload = {
      handoffId: "n1",
      from: "a0",
      to: "a1",
      reason: "expert",
      resumeTarget: "h1",
      memoryBoundary: "thread",
      status: "handoff_requested",
    }
    const before = given(delta("mine", { agentId: "a0" }))
    const state = after(
      before,
      agent("handoff", payload),
      agent("handoff", { handoffId: "n1", status: "accepted", acceptedAt: "now" }),
    )
    expect(state.handoffs.get("n1")).toMatchObject({ ...payload, status: "accepted", acceptedAt: "now" })
    expect(state.messages).toBe(before.messages)
  })
  test("[UI-TEAM-9] a review has its reviewer and target, then its verdict, which no prose can change", () => {
    const review = (step: string, payload: object) => ({
      type: `review.${step}`,
      sessionId: "s1",
      payload: { reviewId: "v1", ...payload },
    })
    const asked = given(review("requested", { reviewer: "a2", target: { kind: "artifact", id: "f1" } }))
    expect(asked.reviews.get("v1")).toMatchObject({
      reviewer: "a2",
      target: { id: "f1" },
      status: "requested",
      completed: false,
    })
    const done = after(
      asked,
      review("completed", {
        status: "changes_requested",
        verdict: "fix it",
        evidenceRefs: ["e1"],
        requestedFixes: ["names"],
      }),
    )
    expect(done.reviews.get("v1")).toMatchObject({
      completed: true,
      reviewer: "a2",
      verdict: "fix it",
      evidenceRefs: ["e1"],
      requestedFixes: ["names"],
    })
    expect(after(done, final("The review passed.")).reviews).toBe(done.reviews)
  })
  test("[UI-TEAM-10] an idle tick of a remote teammate completes nothing", () => {
    const remote = {
      runtimeEntity: "external_task",
      remoteTaskId: "rt",
      remoteStatus: "working",
      status: "running",
    }
    const state = given(
      agent("spawned", remote),
      { type: "task.changed", taskId: "k1", payload: { ...remote, status: "working" } },
      agent("changed", { idleTick: true }),
      agent("changed", { status: "idle", idleTick: true }),
    )
    expect(state.agents.get("a1")).toMatchObject({ ended: false, remoteStatus: "working" })
    expect(state.tasks.get("k1")).toMatchObject({ status: "working", remoteStatus: "working" })
  })
  test("[UI-TEAM-11] a background teammate keeps its schedule, runs and pause under its own entry", () => {
    const payload = {
      schedule: "daily",
      wakeReason: "cron",
      nextWakeAt: "9:00",
      currentRunId: "r9",
      lastRunRef: "run:8",
      paused: false,
    }
    const state = given(agent("spawned", payload), agent("changed", { paused: true }))
    expect(state.agents.get("a1")).toMatchObject({ ...payload, paused: true })
  })
})

describe("context and permission", () => {
  const context = (payload: object) => ({ type: "context.changed", sessionId: "s1", threadId: "h1", payload })
  const everything = {
    selection: [{ id: "c1" }],
    budget: { used: 1, limit: 2 },
    retrieval: [{ sourceId: "d1", citation: "p. 4" }],
    missing: [{ id: "x", blocking: true }],
  }
  test.each(Object.entries({ selection: [], budget: { used: 2 }, retrieval: [], missing: [] }))(
    "[UI-EVT-16] context.changed changes %s alone",
    (name, value) => {
      const before = given(context(everything)).contexts.get("h1")
      const next = after(given(context(everything)), context({ [name]: value })).contexts.get("h1")
      expect(next).toEqual({ ...before, origin: next?.origin, [name]: value })
    },
  )
  test("[UI-CTX-4] retrieval keeps sources and citations outside the text", () => {
    const state = given(delta("See page 4."), context(everything))
    expect(state.contexts.get("h1")?.retrieval).toEqual([{ sourceId: "d1", citation: "p. 4" }])
    expect(textsOf(state)).toEqual(["See page 4."])
  })
  const compaction = (step: string, payload: object) => ({
    type: `context.compaction.${step}`,
    sessionId: "s1",
    threadId: "h1",
    payload,
  })
  test("[UI-CTX-7] compaction opens one boundary and closes it; no earlier text changes", () => {
    const before = given(delta("old"), compaction("started", { boundaryId: "b1", range: { from: 1, to: 9 } }))
    expect(before.compactions.get("b1")).toMatchObject({ state: "open", range: { from: 1, to: 9 } })
    const state = after(
      before,
      compaction("completed", { boundaryId: "b1", summary: "short", resume: { at: 9 } }),
    )
    expect(state.compactions.size).toBe(1)
    expect(state.compactions.get("b1")).toMatchObject({
      state: "closed",
      summary: "short",
      resume: { at: 9 },
    })
    expect(state.messages).toBe(before.messages)
  })
  test("[UI-CTX-7] without ids the open boundary is closed, and the next one is another", () => {
    const state = given(
      compaction("started", {}),
      compaction("completed", { summary: "1" }),
      compaction("started", {}),
      compaction("completed", { failed: true }),
    )
    expect([...state.compactions.values()].map((one) => one.state)).toEqual(["closed", "failed"])
  })
  test("[UI-EVT-17] permission.changed updates its scope and resolves no action", () => {
    const permission = (payload: object, more: object = {}) => ({
      type: "permission.changed",
      sessionId: "s1",
      payload,
      ...more,
    })
    const before = given(
      { type: "action.required", sessionId: "s1", actionId: "x1" },
      permission({ mode: "ask", risk: "low" }),
      permission({ mode: "deny" }, { agentId: "a1" }),
    )
    const state = after(
      before,
      permission({ sandbox: { enforced: true }, approval: "approved", waiver: { ref: "w" }, risk: "high" }),
    )
    expect(state.permissions.get("s1")).toMatchObject({
      mode: "ask",
      risk: "high",
      approval: "approved",
      waiver: { ref: "w" },
      sandbox: { enforced: true },
    })
    expect(state.permissions.get("a1")).toBe(before.permissions.get("a1"))
    expect(state.actions).toBe(before.actions)
  })
})

describe("what a payload may not say", () => {
  const asked = (payload: object) =>
    given({ type: "action.required", sessionId: "s1", runId: "r1", actionId: "a1", payload }).actions.get(
      "a1",
    )
  test.each(["resolved", "answering", "ended"])(
    "[UI-HITL-11] a request that says it is %s is pending",
    (state) => {
      expect(asked({ state, agentId: "other", taskId: "t" })).toMatchObject({ state: "pending" })
      expect(asked({ state, agentId: "other", taskId: "t" })).not.toHaveProperty("taskId")
    },
  )
  test("[UI-HITL-11] only action.resolved resolves, whatever a request claims", () => {
    expect(asked({ state: "resolved" })?.state).toBe("pending")
    const again = { type: "action.required", sessionId: "s1", actionId: "a1", payload: { state: "pending" } }
    const resolved = {
      type: "action.resolved",
      sessionId: "s1",
      actionId: "a1",
      payload: { decision: "allow" },
    }
    expect(given(again, resolved, again).actions.get("a1")?.state).toBe("resolved")
  })
  test("[UI-TOOL-11] a repeated start that says it runs does not reopen a call", () => {
    const state = given(tool("started"), tool("result"), tool("started", { status: "running" }))
    expect(state.tools.get("t1")?.status).toBe("output-available")
  })
  test("no entity takes another id from its payload", () => {
    const ids = { agentId: "x", taskId: "x", artifactId: "x", evidenceId: "x", toolCallId: "x" }
    const state = given(
      { type: "agent.changed", agentId: "a", payload: ids },
      { type: "task.changed", taskId: "t", payload: ids },
      { type: "artifact.created", artifactId: "f", payload: ids },
      { type: "evidence.changed", evidenceId: "e", payload: ids },
    )
    expect(state.agents.get("a")?.agentId).toBe("a")
    expect(state.tasks.get("t")?.taskId).toBe("t")
    expect(state.artifacts.get("f")?.artifactId).toBe("f")
    expect(state.evidence.get("e")?.evidenceId).toBe("e")
  })
})

describe("a source that names turns and no runs", () => {
  const at = { sessionId: "s1", turnId: "u1" }
  const begun = [
    { ...at, type: "run.started", payload: {} },
    { ...at, type: "text.delta", messageId: "m1", payload: { delta: "Hal" } },
    { ...at, type: "tool.started", toolCallId: "t1", payload: {} },
    { ...at, type: "action.required", actionId: "a1", payload: {} },
  ]
  const ended = { ...at, type: "run.finished", phase: "cancelled", payload: {} }
  test("[UI-LIFE-5] the end of its turn ends what the turn left open", () => {
    const state = given(...begun, ended)
    expect(partsOf(state)).toMatchObject([
      { state: "final", marker: "unfinished" },
      ...partsOf(state).slice(1),
    ])
    expect(state.tools.get("t1")?.status).toBe("cancelled")
    expect(state.actions.get("a1")?.state).toBe("ended")
  })
  test("what has a turn only is no run of its own where the source has runs", () => {
    const state = given({ ...at, type: "text.final", messageId: "m1", payload: { text: "Hi", role: "user" } })
    expect(state.runs.size).toBe(0)
  })
})

test("[UI-HITL-15] a request that comes after the end of its run waits for nobody", () => {
  const late = { type: "action.required", sessionId: "s1", runId: "r1", actionId: "a1", payload: {} }
  const state = given(run("started"), run("finished", { outcome: "success" }), late)
  expect(state.actions.get("a1")?.state).toBe("ended")
})

test.each(["cancelled", "canceled"])("a teammate that ends in phase %s was cancelled", (phase) => {
  const [agent] = given({ type: "agent.completed", agentId: "a", phase, payload: {} }).agents.values()
  expect(agent).toMatchObject({ outcome: "cancelled", status: "cancelled" })
})
test("artifacts and evidence of a task are linked and unlinked one by one", () => {
  const at = (payload: object) => ({ type: "task.changed", taskId: "k", payload })
  const state = given(
    at({ linked: ["a1"], links: "artifactRefs" }),
    at({ linked: ["a2"], links: "artifactRefs" }),
    at({ linked: ["e1"], links: "evidenceRefs" }),
    at({ linked: ["k0"] }),
    at({ unlinked: ["a1"], links: "artifactRefs" }),
  )
  expect(state.tasks.get("k")).toMatchObject({
    artifactRefs: ["a2"],
    evidenceRefs: ["e1"],
    dependencies: ["k0"],
  })
})
test("a lost connection is the known teammate's, and makes nobody one", () => {
  const link = (agentId: string, connection: string) => ({
    type: "agent.changed",
    agentId,
    payload: { connection },
  })
  const known = { type: "agent.changed", agentId: "a", payload: { connection: "connected", source: "a2a" } }
  const state = given(known, link("a", "disconnected"), link("page", "disconnected"))
  expect([...state.agents.values()]).toMatchObject([{ agentId: "a", connection: "disconnected" }])
  expect(after(state, link("a", "connected")).agents.get("a")?.connection).toBe("connected")
})
