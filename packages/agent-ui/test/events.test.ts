import { describe, expect, test } from "vitest"
import { type AgentUiState, createViews, emptyState, readText } from "../src/index.ts"
import { entityTables, plainState } from "../src/plain.ts"
import { costByRun } from "../src/surfaces/meter.ts"
import { after, codes, delta, final, given, type Loose, partsOf, run, textsOf, tool } from "./given.ts"

const session = (step: string, payload: object = {}, more: object = {}) => ({
  type: `session.${step}`,
  sessionId: "s1",
  payload,
  ...more,
})
const artifact = (step: string, payload: object = {}) => ({
  type: `artifact.${step}`,
  sessionId: "s1",
  artifactId: "f1",
  payload,
})

/** The tables that differ between two states. */
const touched = (before: AgentUiState, next: AgentUiState) =>
  entityTables.filter((name) => before[name] !== next[name])

describe("sessions", () => {
  test("[UI-EVT-1] session.opened makes the session and its thread once, and starts no run", () => {
    const state = given(
      session("opened", { title: "Mine" }, { threadId: "t1" }),
      session("opened", {}, { threadId: "t1" }),
    )
    expect(state.sessions.size).toBe(1)
    expect(state.sessions.get("s1")).toMatchObject({ title: "Mine", threadIds: ["t1"], closed: false })
    expect(state.runs.size).toBe(0)
  })
  test("[UI-EVT-2] session.hydrated records window and cursor and ends hydrating of that session only", () => {
    const opening = given(session("opened", {}, { phase: "hydrating" }), {
      ...session("opened", {}, { phase: "hydrating" }),
      sessionId: "s2",
    })
    const state = after(
      opening,
      session("hydrated", { window: { from: 10, to: 20, count: 5 }, cursor: "c20", earlier: "c9" }),
    )
    expect(state.sessions.get("s1")).toMatchObject({
      hydrating: false,
      window: { from: 10, to: 20, count: 5 },
      cursor: "c20",
      earlier: "c9",
    })
    expect(state.sessions.get("s2")?.hydrating).toBe(true)
  })
  test.each([
    ["title", "New"],
    ["status", "busy"],
    ["unread", 3],
    ["pinned", true],
    ["stale", true],
    ["cursor", "c2"],
  ])("[UI-EVT-3] session.updated changes %s alone", (name, value) => {
    const before = given(
      session("updated", {
        title: "Old",
        status: "idle",
        unread: 1,
        pinned: false,
        stale: false,
        cursor: "c1",
      }),
    )
    const next = after(before, session("updated", { [name]: value })).sessions.get("s1")
    expect(next).toEqual({ ...before.sessions.get("s1"), origin: next?.origin, [name]: value })
  })
  test("[UI-EVT-4] session.closed freezes the tab, keeps history, and ends no run", () => {
    const state = given(run("started"), delta("hi"), session("closed"))
    expect(state.sessions.get("s1")?.closed).toBe(true)
    expect(textsOf(state)).toEqual(["hi"])
    expect(state.runs.get("r1")?.ended).toBe(false)
  })
})

describe("runs", () => {
  test("[UI-EVT-5] run.started opens the run once, whoever submitted it", () => {
    const state = given(run("started"), run("started"), run("started", {}, { runId: "r2", owner: "session" }))
    expect([...state.runs.keys()]).toEqual(["r1", "r2"])
    expect([...(state.sessions.get("s1")?.runIds ?? [])]).toEqual(["r1", "r2"])
  })
  test("[UI-EVT-6] run.status changes its run and nothing else", () => {
    const before = given(run("started"), run("started", {}, { runId: "r2" }), delta("hi"), tool("started"))
    const next = after(before, run("status", { status: "compiling" }, { phase: "preparing" }))
    expect(touched(before, next)).toEqual(["runs"])
    expect(next.runs.get("r1")).toMatchObject({ phase: "preparing", status: "compiling" })
    expect(next.runs.get("r2")).toBe(before.runs.get("r2"))
  })
  test.each([
    ["success", { phase: "completed" }, {}],
    ["cancelled", { phase: "cancelled" }, {}],
    ["cancelled", {}, { outcome: "canceled" }],
    ["interrupted", { phase: "interrupted" }, { bookmark: "b7" }],
    ["interrupted", {}, { outcome: "interrupted", bookmark: "b7" }],
    ["success", {}, { outcome: "success" }],
    ["unknown", {}, {}],
    ["unknown", { phase: "acting" }, {}],
    ["paused_by_owner", {}, { outcome: "paused_by_owner" }],
  ])("[UI-EVT-7] run.finished reads %s from %j and %j", (outcome, more, payload) => {
    const ended = given(run("started"), run("finished", payload, more)).runs.get("r1")
    expect(ended).toMatchObject({
      ended: true,
      outcome,
      ...("bookmark" in payload ? { bookmark: "b7" } : {}),
    })
  })
  test("[UI-EVT-8] run.failed tells retryability and diagnostics only when they were given", () => {
    expect(given(run("failed")).runs.get("r1")).toMatchObject({ ended: true, outcome: "failed", failure: {} })
    expect(given(run("failed")).runs.get("r1")?.failure).toEqual({})
    const payload = { category: "timeout", message: "too slow", retryable: true, diagnosticsRef: "d:1" }
    expect(given(run("failed", payload)).runs.get("r1")?.failure).toEqual(payload)
  })
  test("[UI-LIFE-2] a submitted run is not accepted until the runtime says so", () => {
    const submitted = given(run("started", {}, { phase: "submitted" }))
    expect(submitted.runs.get("r1")?.phase).toBe("submitted")
    expect(given(run("started")).runs.get("r1")?.phase).toBe("submitted")
    expect(after(submitted, delta("hi")).runs.get("r1")?.phase).toBe("submitted")
    expect(after(submitted, run("status", {}, { phase: "accepted" })).runs.get("r1")?.phase).toBe("accepted")
  })
  test("[UI-LIFE-3] facts of one turn are one turn, also when two alternate", () => {
    const of = (turnId: string) => ({ turnId, runId: `r-${turnId}` })
    const state = given(
      delta("a", { ...of("u1"), messageId: "m1" }),
      delta("b", { ...of("u2"), messageId: "m2" }),
      tool("started", {}, { ...of("u1"), toolCallId: "t1" }),
      tool("started", {}, { ...of("u2"), toolCallId: "t2" }),
      tool("result", {}, { ...of("u1"), toolCallId: "t1" }),
    )
    const entries = (turnId: string) =>
      [...(state.turns.get(turnId)?.entries ?? [])].map(({ kind, id }) => [kind, id])
    expect(entries("u1")).toEqual([
      ["text", "m1"],
      ["tool", "t1"],
    ])
    expect(entries("u2")).toEqual([
      ["text", "m2"],
      ["tool", "t2"],
    ])
    expect(state.turns.get("u1")?.runIds).toEqual(["r-u1"])
  })
  test("[UI-LIFE-4] the loop of tools, actions and teammates may repeat within one run", () => {
    const loop = [1, 2, 3].flatMap((at): Loose[] => [
      tool("started", {}, { toolCallId: `t${at}`, turnId: "u1" }),
      { type: "action.required", sessionId: "s1", runId: "r1", turnId: "u1", actionId: `x${at}` },
      {
        type: "action.resolved",
        sessionId: "s1",
        runId: "r1",
        turnId: "u1",
        actionId: `x${at}`,
        payload: { decision: "approve" },
      },
      tool("result", {}, { toolCallId: `t${at}`, turnId: "u1" }),
      { type: "agent.spawned", sessionId: "s1", runId: "r1", turnId: "u1", agentId: `a${at}` },
      {
        type: "agent.completed",
        sessionId: "s1",
        runId: "r1",
        turnId: "u1",
        agentId: `a${at}`,
        phase: "completed",
      },
    ])
    const state = given(run("started", {}, { turnId: "u1" }), ...loop)
    expect([state.runs.size, state.turns.size, state.runs.get("r1")?.ended]).toEqual([1, 1, false])
    expect(state.runs.get("r1")?.process.length).toBe(9)
  })
})

describe("plans and reasoning", () => {
  const plan = (step: string, payload: object) => ({
    type: `plan.${step}`,
    sessionId: "s1",
    runId: "r1",
    payload: { planId: "p1", ...payload },
  })
  test("[UI-EVT-9] plan.delta extends text and steps, plan.final replaces them; the answer is untouched", () => {
    const streaming = given(
      delta("hi"),
      plan("delta", { delta: "First " }),
      plan("delta", { delta: "look", steps: [{ id: "1", title: "look" }] }),
      plan("delta", {
        steps: [
          { id: "2", title: "act" },
          { id: "1", title: "look", status: "done" },
        ],
      }),
    )
    const open = streaming.plans.get("p1")
    expect(open && readText(open.text)).toBe("First look")
    expect(open?.steps).toEqual([
      { id: "1", title: "look", status: "done" },
      { id: "2", title: "act" },
    ])
    const done = after(streaming, plan("final", { text: "Do it", steps: [{ title: "act" }] }))
    expect(done.plans.get("p1")).toMatchObject({ state: "final", steps: [{ title: "act" }] })
    expect(done.plans.get("p1")?.text.blocks).toEqual(["Do it"])
    expect(textsOf(done)).toEqual(["hi"])
    expect(codes(after(done, plan("delta", { delta: "x" })))).toEqual(["late_delta"])
  })
  test("[UI-EVT-10] reasoning extends a reasoning part only; its summary takes its place; neither is answer text", () => {
    const reason = (step: string, payload: object) => ({
      type: `reasoning.${step}`,
      sessionId: "s1",
      runId: "r1",
      messageId: "m1",
      payload,
    })
    const state = given(
      reason("delta", { delta: "hm" }),
      reason("delta", { delta: "mm", visible: true }),
      reason("summary", { summary: "Thought", encryptedRef: "enc:1" }),
      delta("Answer"),
    )
    expect(partsOf(state)).toMatchObject([
      {
        kind: "reasoning",
        state: "final",
        summary: "Thought",
        visible: true,
        encryptedRef: "enc:1",
        detail: { blocks: ["hmmm"] },
      },
      { kind: "text" },
    ])
    expect(textsOf(state)).toEqual(["Answer"])
  })
})

describe("artifacts and evidence", () => {
  const versions = (state: AgentUiState) =>
    state.artifacts.get("f1")?.versions.map(({ versionId }) => versionId)
  test("[UI-EVT-18] artifact.created has kind unknown unless stated; updated keeps earlier versions", () => {
    const made = given(artifact("created", { title: "Report", versionId: "v1" }))
    expect(made.artifacts.get("f1")).toMatchObject({ kind: "unknown", title: "Report", gone: false })
    const next = after(made, artifact("updated", { kind: "document", versionId: "v2" }))
    expect(next.artifacts.get("f1")).toMatchObject({
      kind: "document",
      title: "Report",
      currentVersionId: "v2",
    })
    expect(versions(next)).toEqual(["v1", "v2"])
  })
  test("[UI-EVT-19] artifact.preview.ready makes the ref available and stores no body", () => {
    const state = given(artifact("preview.ready", { previewRef: "blob:p", body: "the whole body" }))
    expect(state.artifacts.get("f1")?.previewRef).toBe("blob:p")
    expect(JSON.stringify(plainState(state))).not.toContain("whole body")
  })
  test("[UI-EVT-20] versions append and become current; a diff names its versions", () => {
    const state = given(
      artifact("version.created", { versionId: "v1" }),
      artifact("version.created", { versionId: "v2", bodyRef: "b:2" }),
      artifact("diff.ready", { diffRef: "d:1", fromVersionId: "v1", toVersionId: "v2" }),
    )
    expect(versions(state)).toEqual(["v1", "v2"])
    expect(state.artifacts.get("f1")).toMatchObject({
      currentVersionId: "v2",
      diffs: [{ from: "v1", to: "v2", ref: "d:1" }],
    })
  })
  test("[UI-EVT-21] an export moves from running to done with its ref", () => {
    const started = given(artifact("export.started", { exportId: "e1", exportFormat: "pdf" }))
    expect(started.artifacts.get("f1")?.exports).toEqual([
      { exportId: "e1", state: "running", format: "pdf" },
    ])
    const done = after(started, artifact("export.completed", { exportId: "e1", exportRef: "x:1" }))
    expect(done.artifacts.get("f1")?.exports).toEqual([
      { exportId: "e1", state: "done", format: "pdf", ref: "x:1" },
    ])
  })
  test("[UI-EVT-22] artifact.failed shows the failure and keeps the last version", () => {
    const state = given(
      artifact("version.created", { versionId: "v1" }),
      artifact("failed", { message: "disk full" }),
    )
    expect(state.artifacts.get("f1")).toMatchObject({
      failure: { message: "disk full" },
      currentVersionId: "v1",
    })
  })
  test("[UI-EVT-23] artifact.deleted leaves a tombstone", () => {
    const state = given(artifact("created", { title: "Report", previewRef: "p" }), artifact("deleted"))
    expect(state.artifacts.get("f1")).toMatchObject({ gone: true, title: "Report" })
    expect(state.artifacts.get("f1")).not.toHaveProperty("previewRef")
  })
  test.each([
    ["created", "created", { title: "R", kind: "code" }],
    ["preview", "preview.ready", { previewRef: "p" }],
    ["version", "version.created", { versionId: "v1", bodyRef: "b" }],
    ["diff", "diff.ready", { diffRef: "d", fromVersionId: "v1" }],
    ["export", "export.completed", { exportId: "e1", exportRef: "x" }],
  ])("[UI-EVT-24] artifact.changed with the facts of a %s has the same effect", (_, step, payload) => {
    expect(given(artifact("changed", payload)).artifacts.get("f1")).toEqual(
      given(artifact(step, payload)).artifacts.get("f1"),
    )
  })
  test.each([
    ["failed", { failed: true, message: "no" }],
    ["deleted", { deleted: true }],
  ])("[UI-EVT-24] artifact.changed that says %s has the same effect", (step, payload) => {
    const { deleted: _, failed: __, ...rest } = { deleted: undefined, failed: undefined, ...payload }
    expect(given(artifact("changed", payload)).artifacts.get("f1")).toEqual(
      given(artifact(step, rest)).artifacts.get("f1"),
    )
  })
  test.each(["citation", "trace", "verification", "replay", "review", "audit", "source_map"])(
    "[UI-EVT-25] evidence of kind %s is made and merged by its id",
    (kind) => {
      const evidence = (payload: object) => ({
        type: "evidence.changed",
        sessionId: "s1",
        evidenceId: "e1",
        payload,
      })
      const state = given(evidence({ kind, title: "T" }), evidence({ verdict: "passed" }))
      expect(state.evidence.size).toBe(1)
      expect(state.evidence.get("e1")).toMatchObject({ kind, title: "T", verdict: "passed" })
    },
  )
})

describe("synced state", () => {
  const snapshot = (state: unknown, more: object = {}) => ({
    type: "state.snapshot",
    sessionId: "s1",
    payload: { state },
    ...more,
  })
  const patch = (...steps: object[]) => ({ type: "state.delta", sessionId: "s1", payload: { patch: steps } })
  const synced = (state: AgentUiState) => state.synced.get("session:s1")
  test("[UI-EVT-26] a snapshot replaces the state of its scope alone", () => {
    const state = given(
      snapshot({ a: 1 }),
      snapshot({ b: 2 }, { scope: "run", runId: "r1" }),
      snapshot({ c: 3 }, { sessionId: "s2" }),
      snapshot({ a: 2 }),
    )
    expect([...state.synced.values()].map((one) => one.state)).toEqual([{ a: 2 }, { b: 2 }, { c: 3 }])
  })
  test.each([
    ["add", { op: "add", path: "/b", value: 2 }, { a: [1, 2], b: 2 }],
    ["add to a list", { op: "add", path: "/a/1", value: 9 }, { a: [1, 9, 2] }],
    ["add at the end", { op: "add", path: "/a/-", value: 9 }, { a: [1, 2, 9] }],
    ["remove", { op: "remove", path: "/a/0" }, { a: [2] }],
    ["replace", { op: "replace", path: "/a", value: 5 }, { a: 5 }],
    ["replace the whole", { op: "replace", path: "", value: 5 }, 5],
    ["move", { op: "move", from: "/a/0", path: "/z" }, { a: [2], z: 1 }],
    ["copy", { op: "copy", from: "/a/1", path: "/a/0" }, { a: [2, 1, 2] }],
    ["test", { op: "test", path: "/a", value: [1, 2] }, { a: [1, 2] }],
    ["an escaped name", { op: "add", path: "/x~1y~0", value: 1 }, { a: [1, 2], "x/y~": 1 }],
  ])("[UI-EVT-27] a patch can %s", (_, step, expected) => {
    expect(synced(given(snapshot({ a: [1, 2] }), patch(step)))).toMatchObject({
      state: expected,
      stale: false,
    })
  })
  test.each([
    ["a missing place", { op: "replace", path: "/none", value: 1 }],
    ["a place past the end", { op: "add", path: "/a/9", value: 1 }],
    ["a failed test", { op: "test", path: "/a", value: [1] }],
    ["an unknown step", { op: "grow", path: "/a" }],
    ["a path without slash", { op: "add", path: "a", value: 1 }],
    ["a move into itself", { op: "move", from: "/a", path: "/a/0" }],
    ["no value", { op: "add", path: "/q" }],
  ])("[UI-EVT-27] %s changes nothing, not even by the steps before, and marks it stale", (_, step) => {
    const state = given(snapshot({ a: [1, 2] }), patch({ op: "add", path: "/first", value: 1 }, step))
    expect(synced(state)).toMatchObject({ state: { a: [1, 2] }, stale: true })
    expect(codes(state)).toEqual(["patch_failed"])
    const later = after(state, patch({ op: "add", path: "/b", value: 1 }))
    expect(synced(later)).toMatchObject({ state: { a: [1, 2] }, stale: true })
    expect(synced(after(later, snapshot({ ok: 1 })))).toMatchObject({ state: { ok: 1 }, stale: false })
  })
  test("[UI-EVT-27] patches share what they do not touch", () => {
    const before = given(snapshot({ a: { x: 1 }, b: { y: 1 } }))
    const next = after(before, patch({ op: "add", path: "/a/x", value: 2 }))
    const [was, is] = [before, next].map((state) => synced(state)?.state as { a: object; b: object })
    expect(is?.b).toBe(was?.b)
    expect(was?.a).toEqual({ x: 1 })
  })
})

describe("diagnostics and others", () => {
  test("[UI-EVT-29] diagnostic.changed changes diagnostics only, metric.changed metrics only", () => {
    const before = given(run("started"), delta("hi"))
    const diagnosed = after(before, {
      type: "diagnostic.changed",
      payload: { code: "slow", severity: "warning" },
    })
    expect(touched(before, diagnosed)).toEqual([])
    expect([...diagnosed.diagnostics]).toMatchObject([{ code: "slow", severity: "warning" }])
    const measured = after(before, { type: "metric.changed", payload: { name: "fps", value: 60 } })
    expect(touched(before, measured)).toEqual(["metrics"])
    expect(measured.diagnostics).toBe(before.diagnostics)
    expect(measured.metrics.get("fps")).toMatchObject({ value: 60 })
  })
  test("[UI-EVT-30] a class outside the baseline is kept and listed, and changes no entity", () => {
    const before = given(run("started"))
    const event = { type: "acme.rocket", sessionId: "s1", runId: "r1", payload: { fuel: 5 } }
    const next = after(before, event)
    expect(touched(before, next)).toEqual([])
    expect([...next.unlisted]).toEqual([event])
    expect([...next.findings]).toEqual([
      expect.objectContaining({ code: "unlisted_class", type: "acme.rocket" }),
    ])
  })
  test.each([
    ["text.delta", "messageId"],
    ["text.final", "messageId"],
    ["reasoning.delta", "messageId"],
    ["reasoning.summary", "messageId"],
    ["tool.started", "toolCallId"],
    ["tool.args", "toolCallId"],
    ["tool.progress", "toolCallId"],
    ["tool.output.delta", "toolCallId"],
    ["tool.result", "toolCallId"],
    ["tool.failed", "toolCallId"],
    ["action.required", "actionId"],
    ["action.resolved", "actionId"],
    ["artifact.created", "artifactId"],
    ["artifact.deleted", "artifactId"],
    ["artifact.changed", "artifactId"],
    ["evidence.changed", "evidenceId"],
    ["task.changed", "taskId"],
    ["agent.changed", "agentId"],
    ["agent.spawned", "agentId"],
    ["agent.completed", "agentId"],
    ["agent.handoff", "agentId"],
  ])("[UI-ENV-4] %s without %s is a diagnostic and attached to nothing", (type, name) => {
    const state = given({ type, sessionId: "s1", runId: "r1", payload: { delta: "x", text: "x" } })
    expect([...state.findings]).toEqual([
      expect.objectContaining({ code: "missing_id", type, message: expect.stringContaining(name) }),
    ])
    expect(plainState(state)).toEqual(plainState(emptyState()))
  })
  test.each([
    ["rejected event", { payload: {} }, "rejected_event"],
    ["missing id", delta("secret body", { messageId: undefined }), "missing_id"],
    ["gap", { stream: "s", sequence: 9, events: [delta("secret body")] }, "gap"],
    ["unlisted class", { type: "acme", sequence: 1, payload: { x: "secret body" } }, "unlisted_class"],
    ["leak risk", { type: "run.status", runId: "r", payload: { password: "secret body" } }, "leak_risk"],
    [
      "oversize payload",
      tool("result", { preview: { text: "secret body".repeat(9000) } }, { sequence: 5 }),
      "oversize",
    ],
  ])("[UI-DIAG-1] a %s has a stable code and a position, not its body", (_, input, code) => {
    const [finding] = given(input).findings
    expect(finding?.code).toBe(code)
    if (typeof input === "object" && "sequence" in input) expect(finding).toHaveProperty("sequence")
    expect(JSON.stringify(finding)).not.toContain("secret body")
  })
  test("[UI-DIAG-1] a conflict too", () => {
    const at = (text: string) => ({ stream: "s", sequence: 1, events: [delta(text)] })
    const findings = [...given(at("one body"), at("two body")).findings]
    expect(findings).toMatchObject([{ code: "conflict", stream: "s", sequence: 1 }])
    expect(JSON.stringify(findings)).not.toContain("body")
  })
  test("[UI-DIAG-2] what work cost is summed up exactly, however many requests it took", () => {
    const told = Array.from({ length: 30_000 }, (_, at) => ({
      type: "metric.changed",
      sessionId: "s1",
      runId: `r.${Math.floor(at / 7)}`,
      payload: { name: `cost.req_${at}`, value: 1, unit: "USD", limit: 100_000 },
    }))
    const state = given(...told.slice(0, 20_000))
    const cost = (of: typeof state) =>
      createViews().of("runtime_status", of, { sessionId: "s1" }, new Set()).cost
    expect(cost(state)).toMatchObject({ used: 20_000, limit: 100_000, unit: "USD" })
    expect(state.metrics.size).toBeLessThanOrEqual(2000)
    expect(state.dropped).toBe(0)
    expect(costByRun(state.metrics).get("r.2856")).toEqual({ cost: 7, currency: "USD" })
    const one = told.slice(20_000).reduce((known, event) => after(known, event), state)
    expect(cost(one)).toMatchObject({ used: 30_000 })
  })
  test("[UI-DIAG-2] diagnostics, metrics and findings are bounded, and the number dropped is told", () => {
    const many = Array.from({ length: 3000 }, (_, at) => [
      { type: "diagnostic.changed", payload: { code: `d${at}` } },
      { type: "metric.changed", payload: { name: `m${at}`, value: at } },
      { type: "acme" },
    ]).flat()
    const state = given(...many)
    const kept = state.diagnostics.length + state.metrics.size + state.findings.length + state.unlisted.length
    expect(state.diagnostics.length).toBeLessThanOrEqual(1000)
    expect(state.findings.length).toBeLessThanOrEqual(1000)
    expect(state.metrics.size).toBeLessThanOrEqual(2000)
    expect(kept + state.dropped).toBe(4 * 3000)
    expect([...state.diagnostics].at(-1)?.code).toBe("d2999")
  })
})

describe("hints and persistence", () => {
  test("[UI-TAX-4] surface is a hint: it changes nothing in owner or entity", () => {
    const shown = (surface?: string) =>
      given(
        tool("started", { toolName: "read" }, { owner: "tool", ...(surface ? { surface } : {}) }),
      ).tools.get("t1")
    const { origin, ...rest } = shown("timeline_evidence") ?? { origin: undefined }
    const { origin: plain, ...same } = shown() ?? { origin: undefined }
    expect(rest).toEqual(same)
    expect({ ...origin, surface: undefined }).toEqual({ ...plain, surface: undefined })
  })
  test.each([
    "solo_run",
    "coordinator_team",
    "parallel_workers",
    "specialist_handoff",
    "review_team",
    "human_agent_board",
    "background_teammate",
    "remote_teammate",
  ])("[UI-TAX-5] topology %s changes no other classification", (topology) => {
    const more = {
      owner: "agent",
      scope: "agent",
      phase: "acting",
      surface: "team_roster",
      persistence: "snapshot",
    }
    const agent = given({
      type: "agent.changed",
      sessionId: "s1",
      agentId: "a1",
      ...more,
      topology,
    }).agents.get("a1")
    expect(agent?.origin).toMatchObject({ ...more, topology })
  })
  test.each(["finished", "failed"])(
    "[UI-TAX-6] an ephemeral fact is dropped when its run is %s, and is in no snapshot",
    (step) => {
      const live = { persistence: "ephemeral_live" }
      const state = given(
        run("started"),
        tool("progress", { note: "passing" }, live),
        delta("passing", { ...live, messageId: "m9" }),
        delta("stays"),
      )
      expect(state.tools.size).toBe(1)
      expect(JSON.stringify(plainState(state).tools)).not.toContain("passing")
      const ended = after(state, run(step))
      expect(ended.tools.size).toBe(0)
      expect([...(ended.sessions.get("s1")?.messageIds ?? [])]).toEqual(["m1"])
      expect([...(ended.runs.get("r1")?.process ?? [])].map(({ id }) => id)).not.toContain("t1")
      expect(textsOf(ended)).toEqual(["stays"])
    },
  )
  test("[UI-TAX-6] one durable event makes a fact durable", () => {
    const live = { persistence: "ephemeral_live" }
    const state = given(
      run("started"),
      delta("a", live),
      final("ab"),
      tool("started"),
      tool("progress", {}, live),
      run("finished"),
    )
    expect(textsOf(state)).toEqual(["ab"])
    expect(state.tools.size).toBe(1)
  })
})
