import { describe, expect, test } from "vitest"
import {
  type AgentUiState,
  controls,
  emptyState,
  type SurfaceName,
  surfaceControls,
  surfaces,
  type ViewScope,
} from "../../src/index.ts"
import { after, allPorts, fact, given, noPorts, opened, see, started, told, withGap } from "./given.ts"
import { teamSession } from "./scenario.ts"

const scope: ViewScope = { sessionId: "s1", agentId: "researcher", now: "2026-01-01T00:00:00.000Z" }
const standing = (surface: SurfaceName, state: AgentUiState, at: ViewScope = scope) => {
  const { state: stands, reason, said } = see(surface, state, at)
  return { stands, reason, said }
}
const inSession = surfaces.filter((surface) => surface !== "session_tabs")

describe("[UI-SURF-22] no facts", () => {
  test.each(surfaces)("[UI-SURF-22] %s is empty, which is neither loading nor an error", (surface) => {
    const state = surface === "session_tabs" ? emptyState() : given(opened)
    expect(standing(surface, state, { sessionId: "s1" })).toEqual({ stands: "empty" })
  })
  test.each(inSession)("[UI-SURF-22] %s is loading while its session is brought back", (surface) => {
    const hydrating = given(told("session.opened", { title: "x" }, { phase: "hydrating" }))
    expect(standing(surface, hydrating, { sessionId: "s1" })).toEqual({ stands: "loading" })
  })
})

describe("[UI-SURF-23] what was never reported", () => {
  test.each(inSession)("[UI-SURF-23] %s of a session that nobody told of is unknown", (surface) => {
    expect(standing(surface, emptyState(), { sessionId: "s9" })).toEqual({
      stands: "unknown",
      reason: "not_reported",
    })
  })
  const agent = (payload: object, agentId = "a") => told("agent.changed", payload, { agentId })
  const rows: readonly [SurfaceName, AgentUiState, object][] = [
    ["composer", given(opened), { mode: "unknown", model: "unknown" }],
    [
      "conversation",
      given(told("session.hydrated", { window: { from: 5, to: 9 }, earlier: "cur" })),
      { earlier: "unloaded", earlierCursor: "cur" },
    ],
    [
      "inline_process",
      given(started, fact("tool.started", {}, { toolCallId: "x" }), fact("run.status", {}, { phase: "odd" })),
      { status: "unknown" },
    ],
    [
      "runtime_status",
      given(fact("run.status", {}, { phase: "odd" })),
      { state: "unknown", reason: "phase_unknown" },
    ],
    ["runtime_status", given(fact("run.finished")), { state: "unknown", reason: "outcome_unknown" }],
    [
      "tool_ui",
      given(
        started,
        fact("tool.started", {}, { toolCallId: "x" }),
        fact("run.finished", { outcome: "success" }),
      ),
      { state: "unknown", reason: "outcome_unknown" },
    ],
    [
      "tool_ui",
      given(started, fact("tool.result", {}, { toolCallId: "x" })),
      { state: "unavailable", reason: "output_unavailable" },
    ],
    [
      "hitl",
      given(fact("action.required", {}, { actionId: "a" })),
      { state: "unknown", reason: "kind_unknown" },
    ],
    [
      "task_capsule",
      given(told("task.changed", {}, { taskId: "t" })),
      { state: "unknown", reason: "status_unknown" },
    ],
    [
      "artifact_workspace",
      given(fact("artifact.created", {}, { artifactId: "a" })),
      { state: "unknown", reason: "kind_unknown" },
    ],
    [
      "artifact_workspace",
      given(fact("artifact.created", { kind: "code" }, { artifactId: "a" })),
      { state: "unavailable", reason: "preview_unavailable" },
    ],
    [
      "timeline_evidence",
      given(told("evidence.changed", { kind: "review" }, { evidenceId: "e" })),
      { state: "unknown", reason: "verdict_unknown" },
    ],
    [
      "timeline_evidence",
      given(told("evidence.changed", { kind: "trace", missing: ["x"] }, { evidenceId: "e" })),
      { state: "unavailable", reason: "ref_unavailable" },
    ],
    [
      "session_tabs",
      given({ type: "text.final", sessionId: "s1", messageId: "m", payload: { text: "x" } }),
      { tabs: [expect.objectContaining({ title: "unknown", status: "unknown", state: "unknown" })] },
    ],
    [
      "diagnostics",
      given(told("diagnostic.changed", { diagnosticId: "d" })),
      { state: "unavailable", reason: "ref_unavailable" },
    ],
    [
      "team_roster",
      given(agent({})),
      {
        state: "unknown",
        reason: "status_unknown",
        teammates: [
          expect.objectContaining({
            role: "unknown",
            model: "unknown",
            policy: "unknown",
            status: "unknown",
          }),
        ],
      },
    ],
    [
      "work_board",
      given(told("task.changed", { workItemId: "w" }, { taskId: "w" })),
      {
        state: "unknown",
        reason: "status_unknown",
        items: [expect.objectContaining({ assignee: "unknown" })],
      },
    ],
    [
      "delegation_graph",
      given(told("task.changed", { status: "running", parentTaskId: "far" }, { taskId: "t" })),
      { state: "unknown", reason: "parent_not_loaded" },
    ],
    [
      "handoff_lane",
      given(told("agent.handoff", { from: "a", to: "b", status: "active" }, { agentId: "b" })),
      { state: "unknown", reason: "reason_unknown" },
    ],
    [
      "worker_notifications",
      given(told("worker.notification", {}, { agentId: "a" })),
      {
        state: "unknown",
        reason: "status_unknown",
        notifications: [
          expect.objectContaining({ usage: "unknown", durationMs: "unknown", resultRef: "unavailable" }),
        ],
      },
    ],
    [
      "review_lane",
      given(told("review.completed", { reviewId: "r" })),
      { state: "unknown", reason: "verdict_unknown" },
    ],
    [
      "teammate_transcript",
      given(agent({ status: "running" }, "researcher")),
      { state: "unavailable", reason: "transcript_unavailable" },
    ],
    [
      "background_teammate",
      given(agent({ runtimeEntity: "automation_job" })),
      {
        state: "unknown",
        reason: "status_unknown",
        teammates: [expect.objectContaining({ schedule: "unknown", lastRunRef: "unknown" })],
      },
    ],
    [
      "remote_teammate",
      given(agent({ runtimeEntity: "external_task" })),
      {
        state: "unknown",
        reason: "status_unknown",
        teammates: [expect.objectContaining({ cardRef: "unavailable" })],
      },
    ],
    [
      "team_policy",
      given(told("permission.changed", {}, { agentId: "a" })),
      {
        state: "unknown",
        reason: "not_reported",
        policies: [expect.objectContaining({ mode: "unknown", budget: "unknown" })],
      },
    ],
  ]
  test.each(rows)("[UI-SURF-23] %s says what it does not know", (surface, state, expected) => {
    expect(see(surface, state, scope)).toMatchObject(expected)
  })
})

/** The facts of a view: what may be done about them is another matter. */
const withoutControls = (view: object): unknown =>
  JSON.parse(JSON.stringify(view, (key, value: unknown) => (key === "controls" ? undefined : value)))

describe("[UI-SURF-24] out of date", () => {
  const full = teamSession()
  test.each(inSession)("[UI-SURF-24] %s keeps the last facts and is stale when its session is", (surface) => {
    const stale = after(full, told("session.updated", { stale: true }))
    expect(standing(surface, stale)).toEqual({ stands: "stale", reason: "session_stale" })
    const { state: _, reason: __, said: ___, controls: c1, ...facts } = see(surface, full, scope)
    const { state: s, reason: r, said: w, controls: c2, ...kept } = see(surface, stale, scope)
    const marked = ["composer", "hitl", "inline_process", "timeline_evidence"].includes(surface)
    if (!marked) expect(withoutControls(kept)).toEqual(withoutControls(facts))
    expect(Object.keys(kept).sort()).toEqual(Object.keys(facts).sort())
  })
  test.each(inSession)("[UI-SURF-24] %s is stale while a part of its stream is missing", (surface) => {
    expect(standing(surface, withGap(full))).toEqual({ stands: "stale", reason: "stream_gap" })
  })
  test("[UI-SURF-24] session_tabs marks the tab whose session is stale", () => {
    const tabs = see("session_tabs", after(full, told("session.updated", { stale: true })))
    expect(tabs).toMatchObject({ stale: 1, tabs: [{ sessionId: "s1", stale: true, state: "stale" }, {}, {}] })
  })
  test.each([
    ["review_lane", "target_changed"],
    ["timeline_evidence", "older_than_target"],
  ] as const)("[UI-SURF-24] %s is stale when its target moved on", (surface, reason) => {
    expect(standing(surface, full)).toEqual({ stands: "stale", reason })
  })
  test("[UI-SURF-24] composer holds sending, hitl holds answering", () => {
    const stale = after(full, told("session.updated", { stale: true }))
    expect(see("composer", stale).controls[1]).toEqual({
      control: "queue",
      enabled: false,
      reason: "held_while_stale",
    })
    expect(see("hitl", stale).pending[0]?.controls[0]).toEqual({
      control: "approve",
      enabled: false,
      reason: "held_while_stale",
    })
  })
  test.each(surfaces)(
    "[UI-SURF-24] %s holds what writes, header and rows, while its session is stale",
    (surface) => {
      const stale = see(surface, after(full, told("session.updated", { stale: true })))
      const offered = JSON.stringify(stale).matchAll(/\{"control":"(\w+)","enabled":true/g)
      expect(
        [...offered].map(([, control]) => control).filter((control) => control !== "open_detail"),
      ).toEqual([])
      const again = see(
        surface,
        after(full, told("session.updated", { stale: true }), told("session.updated", { stale: false })),
      )
      expect(again.controls).toEqual(see(surface, full).controls)
    },
  )
  test("[UI-SURF-24] remote_teammate says when the connection is lost, background_teammate a missed wake", () => {
    const lost = given(
      told(
        "agent.changed",
        { cardRef: "c", remoteStatus: "working", connection: "disconnected" },
        { agentId: "a" },
      ),
    )
    expect(standing("remote_teammate", lost)).toEqual({ stands: "stale", reason: "connection_lost" })
    const missed = given(
      told(
        "agent.changed",
        { schedule: "x", status: "sleeping", nextWakeAt: "2025-12-31" },
        { agentId: "a" },
      ),
    )
    expect(standing("background_teammate", missed)).toEqual({ stands: "stale", reason: "missed_wake" })
    expect(see("background_teammate", missed, { sessionId: "s1" }).state).toBe("ready")
  })
})

describe("[UI-SURF-25] blocked", () => {
  test.each(inSession)("[UI-SURF-25] %s shows the reason that the session's owner gave", (surface) => {
    const state = after(teamSession(), told("session.updated", { blockedReason: "locked by admin" }))
    expect(standing(surface, state)).toEqual({
      stands: "blocked",
      reason: "owner_says",
      said: "locked by admin",
    })
  })
  const rows: readonly [SurfaceName, AgentUiState, object][] = [
    [
      "composer",
      given(told("permission.changed", { locked: "no key" })),
      { reason: "owner_says", said: "no key" },
    ],
    [
      "composer",
      given(told("context.changed", { missing: [{ id: "f", blocking: true, reason: "gone" }] })),
      { reason: "missing_context", said: "gone" },
    ],
    [
      "inline_process",
      given(started, fact("run.status", { reason: "later" }, { phase: "waiting" })),
      { reason: "owner_says", said: "later" },
    ],
    ["runtime_status", given(started, fact("run.status", {}, { phase: "waiting" })), { reason: "unknown" }],
    [
      "tool_ui",
      given(
        started,
        fact("tool.started", {}, { toolCallId: "x" }),
        fact("action.required", { toolCallId: "x" }, { actionId: "a" }),
      ),
      { reason: "awaiting_approval" },
    ],
    [
      "hitl",
      given(
        fact(
          "action.required",
          { actionType: "clarification", blockedReason: "decided by host" },
          { actionId: "a" },
        ),
      ),
      { reason: "owner_says", said: "decided by host" },
    ],
    [
      "task_capsule",
      given(told("task.changed", { status: "blocked", blocker: "no runner" }, { taskId: "t" })),
      { reason: "owner_says", said: "no runner" },
    ],
    [
      "artifact_workspace",
      given(
        fact(
          "artifact.changed",
          { kind: "code", status: "locked", message: "in review" },
          { artifactId: "a" },
        ),
      ),
      { reason: "owner_says", said: "in review" },
    ],
    [
      "timeline_evidence",
      given(told("evidence.changed", { kind: "audit", verdict: "refused" }, { evidenceId: "e" })),
      { reason: "unknown" },
    ],
    [
      "team_roster",
      given(told("agent.changed", { status: "blocked" }, { agentId: "a" })),
      { reason: "unknown" },
    ],
    [
      "work_board",
      given(told("task.changed", { workItemId: "w", status: "open", blocker: "legal" }, { taskId: "w" })),
      { reason: "owner_says", said: "legal" },
    ],
    [
      "delegation_graph",
      given(told("task.changed", { status: "blocked", waitsFor: ["u"] }, { taskId: "t" })),
      { reason: "awaiting_dependency" },
    ],
    [
      "handoff_lane",
      given(told("agent.handoff", { to: "b", status: "handoff_requested" }, { agentId: "b" })),
      { reason: "awaiting_acceptance" },
    ],
    [
      "worker_notifications",
      given(told("worker.notification", { status: "refused" }, { agentId: "a" })),
      { reason: "unknown" },
    ],
    [
      "review_lane",
      given(told("review.requested", { reviewId: "r", blockedReason: "reviewer away" })),
      { reason: "owner_says", said: "reviewer away" },
    ],
    [
      "background_teammate",
      given(told("agent.changed", { schedule: "x", paused: true, status: "sleeping" }, { agentId: "a" })),
      { reason: "paused" },
    ],
    [
      "remote_teammate",
      given(told("agent.changed", { cardRef: "c", remoteStatus: "input_required" }, { agentId: "a" })),
      { reason: "awaiting_input" },
    ],
    [
      "team_policy",
      given(told("permission.changed", { mode: "ask", locked: "org policy" })),
      { reason: "owner_says", said: "org policy" },
    ],
  ]
  test.each(rows)("[UI-SURF-25] %s is blocked by its own owner", (surface, state, expected) => {
    expect(see(surface, state, scope)).toMatchObject({ state: "blocked", ...expected })
  })
  test("[UI-SURF-25] session_tabs marks the locked session", () => {
    const state = given(told("session.updated", { blockedReason: "locked" }))
    expect(see("session_tabs", state).tabs).toMatchObject([{ state: "blocked", said: "locked" }])
  })
  test.each([
    ["awaiting_permission", fact("action.required", { actionType: "tool_approval" }, { actionId: "a" })],
    ["awaiting_user", fact("action.required", { actionType: "clarification" }, { actionId: "a" })],
    ["awaiting_queue", fact("run.status", { queueReason: "full" }, { phase: "waiting" })],
    ["awaiting_dependency", fact("task.changed", { status: "blocked", waitsFor: ["u"] }, { taskId: "t" })],
    ["awaiting_teammate", fact("agent.changed", { status: "running" }, { agentId: "w" })],
  ])("[UI-SURF-25] runtime_status names the cause %s", (reason, event) => {
    const state = given(started, event, fact("run.status", {}, { phase: "waiting" }))
    expect(see("runtime_status", state)).toMatchObject({ state: "blocked", status: "blocked", reason })
  })
})

describe("[UI-SURF-26] controls", () => {
  test.each(surfaces)("[UI-SURF-26] %s offers exactly its controls, none without a port", (surface) => {
    const view = see(surface, teamSession(), scope, noPorts)
    expect(view.controls).toEqual(
      surfaceControls[surface].map((control) => ({ control, enabled: false, reason: "no_port" })),
    )
  })
  test.each(surfaces)("[UI-SURF-26] %s enables none without a target", (surface) => {
    const view = see(surface, given(opened), { sessionId: "s1" }, allPorts)
    const free = ["composer send", "conversation open_detail", "session_tabs open_detail"]
    for (const { control, enabled, reason } of view.controls) {
      const expected = free.includes(`${surface} ${control}`) ? [true, undefined] : [false, "no_target"]
      expect([enabled, reason], control).toEqual(expected)
    }
  })
  test("[UI-SURF-26] there is no steer without an active run", () => {
    const enabled = (state: AgentUiState) =>
      see("composer", state)
        .controls.filter((c) => c.enabled)
        .map((c) => c.control)
    expect(enabled(given(opened))).toEqual(["send"])
    expect(enabled(given(opened, started))).toEqual(["queue", "steer", "interrupt"])
    expect(enabled(given(opened, started, fact("run.finished", { outcome: "success" })))).toEqual(["send"])
    expect(enabled(given(opened, started, told("session.closed")))).toEqual(["interrupt"])
  })
  test("[UI-SURF-26] every control has a surface", () => {
    const offered = new Set<string>(Object.values(surfaceControls).flat())
    expect(controls.filter((control) => !offered.has(control))).toEqual([])
  })
})
