import { describe, expect, test } from "vitest"
import { type AgentUiState, changeLocal, statuses } from "../../src/index.ts"
import { uiMessageParts } from "../../src/parts/index.ts"
import { after, fact, given, opened, see, started, told } from "./given.ts"
import { teamSession } from "./scenario.ts"

const team = teamSession()
const done = fact("run.finished", { outcome: "success" })
const answer = (state: AgentUiState) =>
  see("conversation", state)
    .messages.flatMap(({ text }) => text.flatMap(({ blocks }) => blocks))
    .join("")
const action = (payload: object, more: object = {}) =>
  fact("action.required", payload, { actionId: "a", ...more })
const card = (state: AgentUiState, now?: string) => {
  const view = see("hitl", state, { sessionId: "s1", ...(now !== undefined && { now }) })
  return [...view.pending, ...view.settled][0]
}
const offered = (state: AgentUiState) =>
  card(state)
    ?.controls.filter(({ enabled }) => enabled)
    .map(({ control }) => control)
const agent = (payload: object, agentId = "w", more: object = {}) =>
  told("agent.changed", payload, { agentId, ...more })

describe("core", () => {
  const mixed = given(
    opened,
    started,
    fact("tool.started", {}, { toolCallId: "a" }),
    fact("reasoning.delta", { delta: "x" }, { messageId: "m", partId: "p" }),
    fact("tool.started", {}, { toolCallId: "b" }),
    fact("text.delta", { delta: "y" }, { messageId: "m", partId: "q" }),
  )
  test("[UI-CORE-1] lines of a process stand in the order of the runtime's events", () => {
    expect(see("inline_process", mixed).rows.map(({ key }) => key)).toEqual([
      "tool:a",
      "reasoning:m:p",
      "tool:b",
      "text:m:q",
    ])
  })
  test("[UI-CORE-2] the answer holds the assistant's text only", () => {
    expect(answer(team)).toBe("Fix the failing login testThe token check compared…")
  })
  test("[UI-CORE-3] lines show while the run works and are one summary that opens again after it", () => {
    expect(see("inline_process", mixed)).toMatchObject({ rows: { length: 4 }, archived: [] })
    const ended = after(mixed, done)
    expect(see("inline_process", ended)).toMatchObject({
      state: "empty",
      rows: [],
      archived: [{ runId: "r1", entries: 3, status: "done" }],
    })
    expect(see("inline_process", ended).archived[0]?.rows).toBeUndefined()
    expect(
      see("inline_process", changeLocal(ended, { kind: "expand", id: "r1", where: "inline" })).archived[0]
        ?.rows,
    ).toHaveLength(4)
  })
  test("[UI-CORE-4] whoever did it is named wherever the fact shows", () => {
    const state = given(
      opened,
      started,
      agent({ agentName: "Ada" }),
      fact("tool.started", {}, { toolCallId: "t", agentId: "w" }),
      action({}, { agentId: "w" }),
    )
    const who = { name: "Ada", agentId: "w" }
    expect(see("tool_ui", state).calls[0]?.who).toMatchObject(who)
    expect(see("hitl", state).pending[0]?.requestedBy).toMatchObject(who)
    for (const row of see("inline_process", state).rows) expect(row.who).toMatchObject(who)
  })
  test.each([["mode"], ["model"]] as const)("[UI-CORE-6] a missing %s is unknown, not a default", (field) => {
    expect(see("composer", given(opened))[field]).toBe("unknown")
  })
  test("[UI-CORE-9] a fact is open in one place only", () => {
    const open = (where: "inline" | "timeline") => {
      const state = changeLocal(team, { kind: "expand", id: "tool1", where })
      return [
        see("inline_process", state).rows.find(({ id }) => id === "tool1")?.expanded,
        see("timeline_evidence", state).spans.find(({ id }) => id === "tool1")?.expanded,
      ]
    }
    expect([open("inline"), open("timeline")]).toEqual([
      [true, false],
      [false, true],
    ])
  })
  test.each([
    ["agentId", { agentId: "x" }, { agentId: "y" }],
    ["taskId", { taskId: "x", parentSessionId: "p" }, { taskId: "y", parentSessionId: "p" }],
    ["threadId", { threadId: "x", parentSessionId: "p" }, { threadId: "y", parentSessionId: "p" }],
  ])("[UI-CORE-13] workers that differ by %s never look like one", (_, one, other) => {
    const state = given(
      started,
      fact("tool.started", {}, { toolCallId: "1", ...one }),
      fact("tool.started", {}, { toolCallId: "2", ...other }),
    )
    const keys = see("tool_ui", state).calls.map(({ who }) => who?.key)
    expect(keys).not.toContain(undefined)
    expect(new Set(keys).size).toBe(2)
  })
  test("[UI-LIFE-6] a summary keeps counts, duration and refs", () => {
    expect(see("inline_process", after(team, done)).archived[0]).toMatchObject({
      counts: { tool: 2, plan: 1, action: 1 },
      files: ["auth.ts"],
      refs: ["blob:out"],
      durationMs: expect.any(Number),
      cost: 0.42,
      messageIds: ["m2"],
    })
  })
  test("[UI-TOOL-12] a call still open when its run succeeds is unknown", () => {
    expect(
      see("tool_ui", given(started, fact("tool.started", {}, { toolCallId: "t" }), done)).calls[0]?.status,
    ).toBe("unknown")
  })
  test("[UI-QUEUE-2] queued input is no message until it is started", () => {
    const asked = given(
      opened,
      told("text.final", { text: "next", role: "user" }, { messageId: "m", turnId: "r2" }),
    )
    const queue = (status: string) =>
      after(asked, told("queue.changed", { turns: [{ queuedTurnId: "q", turnId: "r2", status }] }))
    expect([answer(queue("queued")), see("composer", queue("queued")).queued.length]).toEqual(["", 1])
    expect([answer(queue("started")), see("composer", queue("started")).queued.length]).toEqual(["next", 0])
  })
})

describe("parts", () => {
  test("[UI-PART-2] assistant text is in the conversation", () => expect(answer(team)).toContain("compared…"))
  test("[UI-PART-3] a reasoning summary is open while it runs and collapsed after", () => {
    const row = (state: AgentUiState) =>
      [...see("inline_process", state).rows, ...(see("inline_process", state).archived[0]?.rows ?? [])].find(
        ({ kind }) => kind === "reasoning",
      )
    expect(row(team)).toMatchObject({ expanded: true, reasoning: { summary: "Compare the tokens" } })
    expect(row(changeLocal(after(team, done), { kind: "expand", id: "r1", where: "inline" }))?.expanded).toBe(
      false,
    )
  })
  test.each([
    [true, true, true],
    [true, false, false],
    [false, true, false],
    [undefined, true, false],
  ])("[UI-PART-4] detail: provider %s, reader %s, shown %s", (visible, shown, seen) => {
    const state = changeLocal(
      given(
        started,
        fact(
          "reasoning.delta",
          { delta: "raw", ...(visible !== undefined && { visible }) },
          { messageId: "m", partId: "p" },
        ),
      ),
      { kind: "show_reasoning", shown },
    )
    expect("detail" in (see("inline_process", state).rows[0]?.reasoning ?? {})).toBe(seen)
  })
  test("[UI-PART-5] a plan shows in the process, and with its decision where one is needed", () => {
    expect(see("inline_process", team).rows.find(({ kind }) => kind === "plan")?.plan?.steps).toHaveLength(1)
    expect(
      card(given(action({ actionType: "plan_decision", plan: { steps: [{ title: "x" }] } })))?.plan,
    ).toEqual({ steps: [{ title: "x" }] })
  })
  test("[UI-PART-6] status is a word, never a message", () => {
    expect([see("runtime_status", team).status, answer(team).includes("routing")]).toEqual(["routing", false])
  })
  test("[UI-PART-7] a call shows a safe input and its state", () => {
    const secret = given(started, fact("tool.args", { delta: "key=1", sensitive: true }, { toolCallId: "t" }))
    expect(see("tool_ui", secret).calls[0]).toMatchObject({ status: "input-streaming", input: "unknown" })
    expect(JSON.stringify(see("tool_ui", secret))).not.toContain("key=1")
  })
  test("[UI-PART-8] a result shows a preview and a ref", () =>
    expect(see("tool_ui", team).calls[0]).toMatchObject({
      output: { text: "if (a == b)" },
      outputRefs: ["blob:out"],
    }))
  test("[UI-PART-9] a request shows under its own id", () => expect(card(team)?.actionId).toBe("a1"))
  test("[UI-PART-10] an artifact is a card in the message, its body in the workspace", () => {
    expect(see("conversation", team).messages[1]?.cards).toMatchObject([
      { artifactId: "art1", versionId: "v2" },
    ])
    expect(JSON.stringify(see("conversation", team))).not.toContain("blob:v2")
    expect(see("artifact_workspace", team).selected?.bodyRef).toBe("blob:v2")
  })
  test("[UI-PART-11] a citation needs its evidence", () => {
    expect(see("conversation", team).messages[1]?.citations).toEqual([
      { partId: "p4", evidenceId: "ev1", verdict: "passed" },
    ])
    const none = given(
      opened,
      told("messages.snapshot", {
        messages: [
          { messageId: "m", role: "assistant", parts: [{ partId: "p", kind: "evidence", ref: "gone" }] },
        ],
      }),
    )
    expect(see("conversation", none).messages[0]?.citations).toEqual([])
  })
  test("[UI-PART-12] context shows in the process", () =>
    expect(see("inline_process", team).rows.find(({ kind }) => kind === "context")?.context).toMatchObject({
      selected: 1,
      missing: [{ id: "f2" }],
    }))
  test("[UI-PART-13] a task shows as a capsule or on the board", () => {
    expect(see("task_capsule", team).capsules.map(({ id }) => id)).toContain("task-tester")
    expect(see("work_board", team).items.map(({ workItemId }) => workItemId)).toEqual(["w1"])
  })
  test("[UI-PART-14] the roster shows roles, status and capabilities", () =>
    expect(see("team_roster", team).teammates.find(({ agentId }) => agentId === "lead")).toMatchObject({
      role: "coordinator",
      status: "running",
      capabilities: ["delegate"],
    }))
  test("[UI-PART-15] a handoff changes no earlier author", () => {
    const before = see("conversation", team).messages
    expect(
      see(
        "conversation",
        after(
          team,
          told("agent.handoff", { from: "lead", to: "tester", status: "active" }, { agentId: "tester" }),
        ),
      ).messages,
    ).toEqual(before)
    expect(see("handoff_lane", team).handoffs).toHaveLength(1)
  })
  test("[UI-PART-16] a notification is in neither user nor answer text", () => {
    expect([
      see("worker_notifications", team).notifications[0]?.summary,
      answer(team).includes("found it"),
    ]).toEqual(["found it", false])
  })
  test("[UI-PART-17] a remote agent shows its state and need", () =>
    expect(see("remote_teammate", team).teammates[0]).toMatchObject({
      status: "auth_required",
      needs: "auth",
    }))
  test("[UI-PART-18] a changed file shows as a diff", () =>
    expect([
      see("artifact_workspace", team).files[0]?.diffRef,
      see("timeline_evidence", team).files[0]?.path,
    ]).toEqual(["blob:diff", "auth.ts"]))
  test.each([
    [
      "runtime_status",
      given(fact("run.failed", { message: "no", next: "ask again", retryable: true })),
      { failure: { message: "no", next: "ask again", retryable: true } },
    ],
    [
      "tool_ui",
      given(started, fact("tool.failed", { message: "no", next: "fix" }, { toolCallId: "t" })),
      { calls: [{ failure: { message: "no", next: "fix" } }] },
    ],
    [
      "task_capsule",
      given(told("task.changed", { status: "failed", failure: { message: "no" } }, { taskId: "t" })),
      { capsules: [{ failure: { message: "no" } }] },
    ],
  ] as const)("[UI-PART-19] an error shows in %s with its next step", (surface, state, expected) =>
    expect(see(surface, state)).toMatchObject(expected),
  )
  test("[UI-PART-20] a diagnostic is not in the transcript", () =>
    expect([
      see("diagnostics", team).rows[0]?.message,
      JSON.stringify(see("conversation", team)).includes("slow"),
    ]).toEqual(["slow model", false]))
  test("[UI-PART-22] encrypted reasoning stays behind its ref", () => {
    const state = changeLocal(
      given(
        started,
        fact(
          "reasoning.delta",
          { delta: "raw", visible: true, encryptedRef: "enc:1" },
          { messageId: "m", partId: "p" },
        ),
      ),
      { kind: "show_reasoning", shown: true },
    )
    expect(see("inline_process", state).rows[0]?.reasoning).toEqual({
      summary: "unknown",
      state: "streaming",
      encryptedRef: "enc:1",
    })
    expect(JSON.stringify([see("conversation", state), uiMessageParts(state, "m")])).not.toContain("raw")
  })
  test("[UI-PART-23] a message links by id and copies no output, body or diagnostic", () => {
    const state = given(
      started,
      fact("tool.result", { preview: { text: "OUTPUT" } }, { toolCallId: "t", messageId: "m" }),
      fact("diagnostic.changed", { diagnosticId: "d", message: "TRACE" }, { messageId: "m" }),
      fact(
        "artifact.created",
        { kind: "code", preview: { text: "BODY" } },
        { artifactId: "f", messageId: "m" },
      ),
    )
    expect(JSON.stringify([see("conversation", state), uiMessageParts(state, "m")])).not.toMatch(
      /OUTPUT|TRACE|BODY/,
    )
  })
  test("[UI-PART-24] a citation has a verdict only while its evidence has it", () => {
    const cite = (payload: object) =>
      see(
        "conversation",
        given(fact("evidence.changed", payload, { evidenceId: "e", messageId: "m", partId: "p" })),
      ).messages[0]?.citations
    expect([cite({}), cite({ verdict: "ok" })]).toEqual([
      [{ partId: "p", evidenceId: "e" }],
      [{ partId: "p", evidenceId: "e", verdict: "ok" }],
    ])
  })
})

describe("human in the loop", () => {
  test.each([
    ["UI-HITL-1", "tool_approval", ["approve", "reject"]],
    ["UI-HITL-2", "plan_decision", ["approve", "reject", "edit"]],
    ["UI-HITL-4", "structured_input", ["answer", "reject"]],
    ["UI-HITL-5", "clarification", ["answer"]],
    ["UI-HITL-6", "permission_grant", ["approve", "reject"]],
    ["UI-HITL-7", "delegated_permission", ["approve", "reject"]],
    ["UI-HITL-9", "artifact_review", ["approve", "reject", "edit"]],
  ])("[%s] %s offers its answers", (_, actionType, expected) =>
    expect(offered(given(action({ actionType })))).toEqual(expected),
  )
  test("[UI-HITL-1] an approval shows tool, scope, risk and safe input", () =>
    expect(card(team)).toMatchObject({
      toolName: "shell",
      scope: "once",
      risk: "medium",
      input: { text: "npm test" },
    }))
  test("[UI-HITL-4] a form comes from the schema", () =>
    expect(
      card(
        given(action({ actionType: "structured_input", schema: { type: "object" }, options: [{ id: "x" }] })),
      ),
    ).toMatchObject({ schema: { type: "object" }, options: [{ id: "x" }] }))
  test("[UI-HITL-5] the run waits, it has not finished", () => {
    const state = given(
      started,
      action({ actionType: "clarification" }),
      fact("run.status", {}, { phase: "waiting" }),
    )
    expect(see("runtime_status", state)).toMatchObject({ status: "blocked", reason: "awaiting_user" })
  })
  test("[UI-HITL-6] a grant shows only once confirmed, and not as active once over", () => {
    const asked = given(action({ actionType: "permission_grant", expiresAt: "2026-05-01" }))
    const granted = after(
      asked,
      fact(
        "action.resolved",
        { decision: "allow", grant: { scope: "repo", expiresAt: "2026-06-01" } },
        { actionId: "a" },
      ),
    )
    expect(card(asked)?.grant).toBeUndefined()
    expect([
      card(granted, "2026-05-01")?.grant,
      card(granted, "2026-07-01")?.grant?.active,
      card(granted)?.grant?.active,
    ]).toEqual([{ scope: "repo", expiresAt: "2026-06-01", active: true }, false, "unknown"])
  })
  test("[UI-HITL-7] a delegated request names who asked and keeps its way back", () =>
    expect(
      card(
        given(
          action({
            actionType: "delegated_permission",
            policyScope: "repo",
            requestedBy: { agentId: "w", agentName: "Ada" },
            respondTo: { sessionId: "s1" },
          }),
        ),
      ),
    ).toMatchObject({
      requestedBy: { name: "Ada", agentId: "w" },
      policyScope: "repo",
      respondTo: { sessionId: "s1" },
    }))
  test("[UI-HITL-9] a review presents version, diff and export", () =>
    expect(
      card(
        after(
          team,
          fact("action.resolved", {}, { actionId: "a1" }),
          action({ actionType: "artifact_review", artifactId: "art1" }),
        ),
      )?.artifact,
    ).toMatchObject({ versionId: "v2", diffRef: "blob:d12", exports: [{ exportId: "x1" }] }))
  test("[UI-HITL-15] a request that its run left behind is neither open nor decided", () => {
    const state = given(started, action({ actionType: "tool_approval" }), done)
    expect([see("hitl", state).count, card(state)?.status, card(state)?.decision, offered(state)]).toEqual([
      0,
      "ended",
      undefined,
      [],
    ])
  })
})

describe("statuses", () => {
  const shows = (of: readonly string[], name: string, find: (status: string) => string | undefined) =>
    test.each(of.map((s) => [s]))(`[${name}] %s shows as itself`, (status) =>
      expect(find(status)).toBe(status),
    )
  shows(
    statuses.queued_turn,
    "UI-TASK-1",
    (status) =>
      see("task_capsule", given(told("queue.changed", { turns: [{ queuedTurnId: "q", status }] })))
        .capsules[0]?.status,
  )
  shows(
    statuses.work_item,
    "UI-TASK-2",
    (status) =>
      see("work_board", given(told("task.changed", { workItemId: "w", status }, { taskId: "w" }))).items[0]
        ?.status,
  )
  shows(
    statuses.background_job,
    "UI-TASK-3",
    (status) =>
      see(
        "background_teammate",
        given(told("task.changed", { runtimeEntity: "automation_job", status }, { taskId: "j" })),
      ).teammates[0]?.status,
  )
  shows(
    statuses.teammate,
    "UI-TASK-4",
    (status) => see("team_roster", given(agent({ status }))).teammates[0]?.status,
  )
  shows(statuses.team, "UI-TASK-5", (status) => {
    const state = given(told("team.changed", { teamId: "t", status }))
    const words = (["team_roster", "delegation_graph", "worker_notifications"] as const).map(
      (name) => see(name, state).teams[0]?.status,
    )
    return new Set(words).size === 1 ? words[0] : undefined
  })
  shows(
    statuses.handoff,
    "UI-TASK-6",
    (status) =>
      see("handoff_lane", given(told("agent.handoff", { status }, { agentId: "b" }))).handoffs[0]?.status,
  )
  shows(
    statuses.review,
    "UI-TASK-7",
    (status) =>
      see("review_lane", given(told("review.requested", { reviewId: "r", status }))).reviews[0]?.status,
  )
  shows(
    statuses.board_item,
    "UI-TASK-8",
    (status) =>
      see("work_board", given(told("task.changed", { workItemId: "w", status }, { taskId: "w" }))).items[0]
        ?.status,
  )
  shows(
    statuses.remote_task,
    "UI-TASK-9",
    (status) =>
      see("remote_teammate", given(agent({ cardRef: "c", remoteStatus: status }))).teammates[0]?.status,
  )
  test("[UI-TASK-8] a comment keeps the column", () => {
    const state = given(
      ...["claimed", "commented"].map((status) =>
        told("task.changed", { workItemId: "w", status }, { taskId: "w" }),
      ),
    )
    expect(see("work_board", state).items[0]).toMatchObject({ status: "commented", column: "claimed" })
  })
})

describe("team", () => {
  test.each(["needs_input", "plan_ready"])("[UI-TEAM-4] %s stands above those that run", (status) => {
    expect(
      see("team_roster", given(agent({ status: "running" }, "a"), agent({ status }, "b"))).teammates.map(
        ({ agentId }) => agentId,
      ),
    ).toEqual(["b", "a"])
  })
  test("[UI-TEAM-5] limits read as waiting, not as failure", () =>
    expect(
      see(
        "team_roster",
        given(
          agent({
            status: "running",
            queueReason: "full",
            runtimeStatus: "queued",
            latestTurnStatus: "queued",
            queueCounts: { queued: 2 },
          }),
        ),
      ).teammates[0],
    ).toMatchObject({
      status: "running",
      group: "queued",
      limits: { queueReason: "full" },
      runtimeStatus: "queued",
      latestTurnStatus: "queued",
      queueCounts: { queued: 2 },
    }))
  test("[UI-TEAM-6] a transcript is bounded and comes with tools and pending input", () => {
    const events = Array.from({ length: 60 }, (_, i) => ({
      type: "text.final",
      sessionId: "s2",
      messageId: `m${i}`,
      payload: { text: "x", role: "assistant" },
    }))
    const state = given(agent({ childSessionId: "s2" }), ...events, {
      type: "queue.changed",
      sessionId: "s2",
      payload: { turns: [{ queuedTurnId: "q", status: "queued" }] },
    })
    expect(see("teammate_transcript", state, { agentId: "w" })).toMatchObject({
      messages: { length: 50 },
      earlier: 10,
      pendingInput: [{ queuedTurnId: "q" }],
    })
  })
  test("a transcript without a named teammate is of the one that was called last", () => {
    const state = given(
      agent({ childSessionId: "s2" }),
      { ...agent({ childSessionId: "s3" }), agentId: "later" },
      { ...agent({}), agentId: "without words" },
    )
    expect(see("teammate_transcript", state)).toMatchObject({ who: { agentId: "later" }, sessionId: "s3" })
  })
  test("[UI-TEAM-12] after the synthesis each worker's result stays", () => {
    expect(see("team_roster", team).teams[0]?.synthesis?.messageId).toBe("m2")
    expect([
      see("worker_notifications", team).notifications[0]?.resultRef,
      see("team_roster", team).teammates.find(({ agentId }) => agentId === "researcher")?.transcriptRef,
    ]).toEqual(["blob:res", "blob:tr"])
  })
  test("[UI-TOPO-1] a solo run has no team", () =>
    expect(
      ["team_roster", "delegation_graph", "work_board"].map(
        (name) => see(name as "team_roster", given(opened, started)).state,
      ),
    ).toEqual(["empty", "empty", "empty"]))
  test("[UI-TOPO-2] a coordinator team shows roster, results and synthesis", () =>
    expect(see("team_roster", team)).toMatchObject({
      topology: "coordinator_team",
      teams: [{ coordinatorId: "lead", synthesis: { taskIds: ["task-researcher"] } }],
    }))
  test("[UI-TOPO-3] one failed worker leaves the others as they are", () => {
    const state = given(agent({ status: "running" }, "a"), agent({ status: "running" }, "b"))
    const failed = after(state, told("agent.completed", { status: "failed" }, { agentId: "b" }))
    expect(see("delegation_graph", failed)).toMatchObject({
      partial: { done: 0, failed: 1, open: 1 },
      controls: [{ control: "wait", enabled: true }, { control: "retry", enabled: true }, {}, {}],
    })
    expect(see("team_roster", failed).teammates.find(({ agentId }) => agentId === "a")?.status).toBe(
      "running",
    )
  })
  test("[UI-TOPO-4] a handoff shows owner, reason, resume target and boundary", () =>
    expect(see("handoff_lane", team)).toMatchObject({
      activeOwner: { agentId: "reviewer" },
      handoffs: [{ reasonGiven: "needs a review", resumeTarget: "lead", memoryBoundary: "thread" }],
    }))
  test("[UI-TOPO-5] a review team shows verdict, evidence and fixes", () =>
    expect(see("review_lane", team).reviews[0]).toMatchObject({
      verdict: "changes_requested",
      evidence: [{ evidenceId: "ev1" }, {}],
      requestedFixes: ["use timingSafeEqual"],
    }))
  test("[UI-TOPO-6] a board shows people with comments and claims", () =>
    expect(see("work_board", team)).toMatchObject({
      people: expect.arrayContaining([{ id: "mia", kind: "human", name: "Mia" }]),
      items: [{ comments: [{ text: "mine" }], status: "claimed" }],
    }))
  test("[UI-TOPO-7] a background teammate shows wake, schedule and sleep", () =>
    expect(see("background_teammate", team).teammates[0]).toMatchObject({
      wakeReason: "cron",
      schedule: "0 2 * * *",
      lastRunRef: "run:9",
      sleeping: true,
    }))
  test("[UI-TOPO-8] a remote teammate shows card, needs and messages", () =>
    expect(see("remote_teammate", team).teammates[0]).toMatchObject({
      cardRef: "card:1",
      needs: "auth",
      messages: [{ messageId: "m10" }],
    }))
})

describe("surfaces", () => {
  test("[UI-SURF-2] the conversation has people's and assistants' messages and nothing else", () => {
    const state = after(
      team,
      ...["system", "tool", "notification"].map((role) =>
        told("text.final", { text: role, role }, { messageId: role }),
      ),
    )
    expect(see("conversation", state).messages.map(({ role }) => role)).toEqual(["user", "assistant"])
  })
  test("[UI-SURF-3] the process shows reasoning, tools, actions and status", () =>
    expect(see("inline_process", team).rows.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["status", "reasoning", "tool", "action"]),
    ))
  test.each([
    ["accepted", "accepted"],
    ["routing", "routing"],
    ["preparing", "preparing"],
    ["reasoning", "streaming"],
    ["acting", "streaming"],
    ["producing", "streaming"],
    ["waiting", "blocked"],
  ])("[UI-SURF-4] phase %s reads %s", (phase, status) =>
    expect(see("runtime_status", given(fact("run.status", {}, { phase }))).status).toBe(status),
  )
  test.each([
    ["retrying", fact("run.status", { runtimeStatus: "retrying" }, { phase: "acting" })],
    ["failed", fact("run.failed")],
    ["done", done],
    ["cancelled", fact("run.finished", { outcome: "cancelled" })],
    ["interrupted", fact("run.finished", { outcome: "interrupted", bookmark: "b" })],
  ])("[UI-SURF-4] %s comes from its own fact", (status, event) =>
    expect(see("runtime_status", given(started, event)).status).toBe(status),
  )
  test.each(["needs_input", "blocked", "running", "queued", "failed", "idle", "done"] as const)(
    "[UI-SURF-7] capsules count %s",
    (group) => expect(see("task_capsule", team).counts[group]).toBeGreaterThan(0),
  )
  test.each(["citation", "trace", "verification", "replay", "review", "audit", "source_map"])(
    "[UI-SURF-9] the timeline shows %s",
    (kind) =>
      expect(
        see(
          "timeline_evidence",
          given(told("evidence.changed", { kind, verdict: "ok" }, { evidenceId: "e" })),
        ).evidence[0]?.kind,
      ).toBe(kind),
  )
  test("[UI-SURF-10] tabs show active, pinned, unread, hydrated and running", () => {
    const state = changeLocal(
      given(
        opened,
        started,
        told("session.updated", { unread: 2, pinned: true }),
        told("session.hydrated", { step: 4 }),
      ),
      { kind: "select_session", id: "s1" },
    )
    expect(see("session_tabs", state)).toMatchObject({
      running: 1,
      unread: 1,
      tabs: [{ active: true, pinned: true, unread: 2, hydrated: 4, running: true }],
    })
  })
  test("[UI-SURF-10] what waits in a session that is not in front is counted as its owner lists it", () => {
    const row = (sessionId: string, openActions: number, parentSessionId?: string) => ({
      ...told("session.updated", { openActions }),
      sessionId,
      ...(parentSessionId !== undefined && { parentSessionId }),
    })
    const listed = given(row("s1", 0), row("s2", 2), row("s3", 1, "s2"))
    const state = changeLocal(listed, { kind: "select_session", id: "s1" })
    const { tabs, needsYou } = see("session_tabs", state)
    expect(tabs.map((tab) => [tab.sessionId, tab.needsYou])).toEqual([
      ["s1", 0],
      ["s2", 2],
      ["s3", 1],
    ])
    // What a session below asks is counted above it, once.
    expect(needsYou).toBe(2)
  })
  test("[UI-SURF-11] diagnostics show payload, metrics and raw refs", () =>
    expect(see("diagnostics", team)).toMatchObject({
      rows: [{ code: "slow" }],
      metrics: [{ name: "cost.q1" }],
      rawEventRefs: ["raw:1"],
      dropped: 0,
    }))
  test("[UI-SURF-12] the roster shows people and agents", () =>
    expect(see("team_roster", team).teammates.filter(({ human }) => human)).toMatchObject([
      { agentId: "mia", role: "owner" },
    ]))
  test("[UI-SURF-13] the board shows assignee, priority, blocker, progress and dependency", () =>
    expect(
      see(
        "work_board",
        given(
          told(
            "task.changed",
            {
              workItemId: "w",
              status: "open",
              assignee: { id: "a" },
              priority: 1,
              blocker: "x",
              progress: { done: 1 },
              dependencies: ["d"],
            },
            { taskId: "w" },
          ),
        ),
      ).items[0],
    ).toMatchObject({
      assignee: { id: "a" },
      priority: 1,
      blocker: "x",
      progress: { done: 1 },
      dependencies: ["d"],
    }))
  test("[UI-SURF-13] what stood in the way of finished work no longer does", () => {
    const work = (status: string) =>
      see(
        "work_board",
        given(told("task.changed", { workItemId: "w", status, blocker: "x" }, { taskId: "w" })),
      )
    expect(work("done")).toMatchObject({ state: "ready", items: [{ state: "ready" }] })
    expect(work("open")).toMatchObject({ state: "blocked", items: [{ state: "blocked", said: "x" }] })
  })
  test("[UI-SURF-15] a handoff keeps why it was given beside why it came back", () => {
    const move = (payload: object) =>
      told(
        "agent.handoff",
        { handoffId: "h", from: "a", to: "b", resumeTarget: "a", ...payload },
        { agentId: "b" },
      )
    const asked = move({ status: "handoff_requested", reason: "needs bank access" })
    const returned = move({ status: "returned", reason: "refunded" })
    expect(see("handoff_lane", given(asked, returned)).handoffs).toMatchObject([
      { reasonGiven: "needs bank access", returnReason: "refunded", status: "returned" },
    ])
    expect(see("handoff_lane", given(returned)).handoffs).toMatchObject([
      { reasonGiven: "unknown", returnReason: "refunded" },
    ])
  })
  test("[UI-SURF-14] every edge of the graph ends at nodes", () => {
    const { nodes, edges } = see("delegation_graph", team)
    const ids = new Set(nodes.map(({ id }) => id))
    expect(edges.flatMap(({ from, to }) => [from, to]).filter((id) => !ids.has(id))).toEqual([])
    expect([...new Set(edges.map(({ kind }) => kind))].sort()).toEqual([
      "delegates",
      "depends",
      "handoff",
      "parent",
      "waits",
      "works_on",
    ])
  })
  test("[UI-SURF-15] the lane shows the transfer", () =>
    expect(see("handoff_lane", team).handoffs[0]).toMatchObject({
      from: { agentId: "lead" },
      to: { agentId: "reviewer" },
    }))
  test.each(["completed", "failed", "killed"])(
    "[UI-SURF-16] a %s worker's summary shows with refs and usage",
    (status) =>
      expect(
        see(
          "worker_notifications",
          given(
            told(
              "worker.notification",
              { status, summary: "s", resultRef: "r", durationMs: 1, usage: { inputTokens: 1 } },
              { agentId: "w" },
            ),
          ),
        ).notifications[0],
      ).toMatchObject({ status, summary: "s", resultRef: "r", durationMs: 1, usage: { inputTokens: 1 } }),
  )
  test("[UI-SURF-17] the lane shows who judged", () =>
    expect(see("review_lane", team).reviews[0]?.reviewer).toMatchObject({ agentId: "reviewer" }))
  test("[UI-SURF-19] a background teammate shows its record", () =>
    expect(see("background_teammate", team).teammates[0]?.nextWakeAt).toBe("2026-01-02T02:00:00.000Z"))
  test("[UI-SURF-20] a remote teammate shows capability and task", () =>
    expect(see("remote_teammate", team).teammates[0]).toMatchObject({
      capabilities: ["search"],
      remoteTaskId: "rt1",
    }))
  test("[UI-SURF-21] policy shows per teammate", () =>
    expect(see("team_policy", team).policies[0]).toMatchObject({
      mode: "ask",
      approval: "required",
      planMode: false,
      sandbox: { profile: "workspace" },
      budget: { limit: 5 },
    }))
  test("[UI-SURF-21] many facts about one subject are one policy, each part as it was told last", () => {
    const call = (toolCallId: string, payload: object) =>
      told(
        "permission.changed",
        { subject: { kind: "tool_call", id: toolCallId }, ...payload },
        { toolCallId },
      )
    const { policies } = see(
      "team_policy",
      given(
        told("permission.changed", { mode: "ask", policyVersion: "1" }),
        call("t1", { verdict: "allow", explanation: [{ source: "mode", verdict: "allow" }] }),
        call("t2", { verdict: "ask", approval: "pending", escalation: { reason: "human" } }),
        call("t2", { approval: "allowed", sandbox: { enforced: true }, policyVersion: "2" }),
        agent({}),
        told("permission.changed", { subject: { kind: "agent", id: "w" }, mode: "plan" }),
      ),
    )
    expect(policies).toMatchObject([
      {
        mode: "ask",
        approval: "allowed",
        verdict: "ask",
        explanation: [],
        sandbox: { enforced: true },
        policyVersion: "2",
      },
      { who: { agentId: "w" }, mode: "plan", approval: "unknown", differs: true },
    ])
    expect(policies[0]).not.toHaveProperty("escalation")
  })
})

describe("context and permission", () => {
  test("[UI-CTX-1] a reference is a chip", () =>
    expect(see("composer", team).chips[0]).toEqual({
      id: "f1",
      kind: "file",
      label: "auth.ts",
      ref: "file:auth.ts",
      tokens: 120,
      state: "ready",
    }))
  test.each([[false], [true]])("[UI-CTX-2] a budget is a meter, low only when its owner says so: %s", (low) =>
    expect(
      see("runtime_status", given(told("context.changed", { budget: { used: 99, limit: 100, low } })))
        .context,
    ).toEqual({ used: 99, limit: 100, low }),
  )
  test.each([
    [true, "blocked"],
    [false, "unknown"],
  ])("[UI-CTX-3] missing context that blocks (%s) reads %s", (blocking, state) =>
    expect(
      see(
        "composer",
        given(told("context.changed", { selection: [{ id: "f" }], missing: [{ id: "f", blocking }] })),
      ).chips,
    ).toEqual([{ id: "f", state }]),
  )
  test.each([
    [true, 1],
    [false, 0],
  ])("[UI-CTX-5] a memory write that may be seen (%s) has %s lines", (visible, lines) =>
    expect(
      see("inline_process", given(started, fact("context.changed", { memory: { op: "write", visible } })))
        .rows,
    ).toHaveLength(lines),
  )
  test("[UI-CTX-6] team memory shows refs, what wins first", () =>
    expect(see("team_roster", team).memory.map(({ ref }) => ref)).toEqual([
      "mem:high",
      "mem:team",
      "mem:other",
    ]))
  test.each([
    ["ask", "high"],
    ["allow", undefined],
  ])("[UI-PERM-1] risk under verdict %s shows %s", (verdict, risk) =>
    expect(
      see("team_policy", given(told("permission.changed", { mode: "x", risk: "high", verdict }))).policies[0]
        ?.risk,
    ).toBe(risk),
  )
  test("[UI-PERM-2] the sandbox shows its constraints and an escalation", () =>
    expect(
      see(
        "team_policy",
        given(
          told("permission.changed", {
            sandbox: { network: "off", enforced: true },
            escalation: { reason: "net" },
          }),
        ),
      ).policies[0],
    ).toMatchObject({ sandbox: { network: "off", enforced: true }, escalation: { reason: "net" } }))
  test("[UI-PERM-3] a mode shows only where it differs from the coordinator's", () => {
    const mode = (of: string) =>
      see(
        "team_roster",
        given(
          told("permission.changed", { mode: "ask" }),
          agent({}),
          told("permission.changed", { subject: { kind: "agent", id: "w" }, mode: of }),
        ),
      ).teammates[0]?.mode
    expect([mode("ask"), mode("plan")]).toEqual([undefined, "plan"])
  })
  test.each([
    ["a ref", { ref: "ev:1" }, {}, true],
    ["a durable fact", {}, { persistence: "snapshot" }, true],
    ["neither", {}, {}, false],
  ])("[UI-PERM-4] a waiver with %s", (_, waiver, more, shown) =>
    expect(
      "waiver" in
        (see("team_policy", given(told("permission.changed", { mode: "x", waiver }, more))).policies[0] ??
          {}),
    ).toBe(shown),
  )
})
