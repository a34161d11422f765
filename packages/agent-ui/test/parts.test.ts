import { describe, expect, test } from "vitest"
import { type AgentUiState, changeLocal, type LocalAction } from "../src/index.ts"
import { partKinds, processParts, uiMessageParts } from "../src/parts/index.ts"
import { entityTables } from "../src/plain.ts"
import { after, delta, given, run, tool } from "./given.ts"

const full = given(
  run("started"),
  run("status", {}, { phase: "acting" }),
  {
    type: "reasoning.summary",
    sessionId: "s1",
    runId: "r1",
    messageId: "m1",
    partId: "p1",
    payload: { summary: "Thought", encryptedRef: "enc:1" },
  },
  delta("Hello", { partId: "p2" }),
  tool("started", {}, { messageId: "m1", partId: "p3" }),
  tool("result", { outputRef: "out:1", files: [{ path: "a" }] }),
  {
    type: "artifact.version.created",
    sessionId: "s1",
    runId: "r1",
    messageId: "m1",
    partId: "p4",
    artifactId: "f1",
    payload: { versionId: "v1" },
  },
  {
    type: "evidence.changed",
    sessionId: "s1",
    runId: "r1",
    messageId: "m1",
    partId: "p5",
    evidenceId: "e1",
    payload: { verdict: "passed" },
  },
  {
    type: "diagnostic.changed",
    sessionId: "s1",
    messageId: "m1",
    partId: "p6",
    payload: { diagnosticId: "d1", message: "slow" },
  },
  { type: "action.required", sessionId: "s1", runId: "r1", actionId: "x1" },
  { type: "plan.final", sessionId: "s1", runId: "r1", payload: { planId: "n1", text: "do" } },
  { type: "context.changed", sessionId: "s1", runId: "r1", payload: { budget: { used: 1 } } },
  { type: "task.changed", sessionId: "s1", runId: "r1", taskId: "k1" },
  { type: "agent.spawned", sessionId: "s1", runId: "r1", agentId: "a1" },
  { type: "agent.spawned", sessionId: "s1", runId: "r1", agentId: "a2", payload: { remoteTaskId: "rt" } },
  { type: "agent.handoff", sessionId: "s1", runId: "r1", agentId: "a1", payload: { handoffId: "h1" } },
  {
    type: "worker.notification",
    sessionId: "s1",
    runId: "r1",
    agentId: "a1",
    payload: { notificationId: "w1" },
  },
  run("failed"),
)
const withoutOptional = given(
  { type: "reasoning.summary", sessionId: "s1", messageId: "m1", payload: { summary: "Thought" } },
  tool("started", {}, { messageId: "m1" }),
  { type: "artifact.created", sessionId: "s1", messageId: "m1", artifactId: "f1" },
  { type: "evidence.changed", sessionId: "s1", messageId: "m1", evidenceId: "e1" },
)

const members = {
  text: { type: "text", partId: "p2", messageId: "m1", text: "Hello", state: "final" },
  reasoning: { type: "reasoning", partId: "p1", summary: "Thought", encryptedRef: "enc:1" },
  "tool-preview": {
    type: "tool-preview",
    partId: "p3",
    toolCallId: "t1",
    outputRef: "out:1",
    status: "output-available",
  },
  "artifact-card": { type: "artifact-card", partId: "p4", artifactId: "f1", versionId: "v1" },
  "evidence-citation": { type: "evidence-citation", partId: "p5", evidenceId: "e1", verdict: "passed" },
  "diagnostic-ref": { type: "diagnostic-ref", partId: "p6", diagnosticId: "d1" },
}

describe("message parts", () => {
  test.each(Object.entries(members))("[UI-PART-21] %s has exactly its fields", (type, expected) => {
    expect(uiMessageParts(full, "m1").find((part) => part.type === type)).toStrictEqual(expected)
  })
  test("[UI-PART-21] what is optional is left out, not empty", () => {
    expect(uiMessageParts(withoutOptional, "m1")).toStrictEqual([
      { type: "reasoning", partId: "m1/0", summary: "Thought" },
      { type: "tool-preview", partId: "m1/1", toolCallId: "t1", status: "running" },
      { type: "artifact-card", partId: "m1/2", artifactId: "f1" },
      { type: "evidence-citation", partId: "m1/3", evidenceId: "e1" },
    ])
  })
  test.each([
    ["tool status", "tools"],
    ["approval result", "actions"],
    ["artifact kind", "artifacts"],
    ["evidence verdict", "evidence"],
    ["routing state", "runs"],
  ] as const)("[UI-PART-25] editing a part changes no %s", (_, table) => {
    const parts = ["tool", "artifact", "evidence", "text"].map((kind, at) => ({
      partId: `p${at + 2}`,
      kind,
      text: "approved, passed, succeeded",
      ref: "other",
      status: "output-available",
      verdict: "failed",
    }))
    const state = after(full, {
      type: "messages.snapshot",
      sessionId: "s1",
      payload: { purpose: "repair", messages: [{ messageId: "m1", role: "assistant", parts }] },
    })
    expect(state[table]).toBe(full[table])
    expect(state.messages).not.toBe(full.messages)
  })
  test("[UI-PART-25] a part tells the status that its entity has now", () => {
    const state = after(withoutOptional, tool("failed"))
    expect(uiMessageParts(state, "m1")).toContainEqual({
      type: "tool-preview",
      partId: "m1/1",
      toolCallId: "t1",
      status: "output-error",
    })
    expect(state.messages.get("m1")?.parts).toBe(withoutOptional.messages.get("m1")?.parts)
  })
  test("[UI-PART-26] no part has a field for collapse, focus or selected tab", () => {
    const local = changeLocal(changeLocal(full, { kind: "collapse", id: "m1" }), {
      kind: "expand",
      id: "p3",
      where: "inline",
    })
    const names = new Set(
      [...(local.messages.get("m1")?.parts ?? []), ...uiMessageParts(local, "m1")].flatMap(Object.keys),
    )
    for (const name of names) expect(name).not.toMatch(/collapse|expand|focus|select|tab|open$/i)
  })
  test("the parts of a process are in the order of its events", () => {
    expect(processParts(full, "r1").map(({ part }) => part)).toEqual([
      "runtime_status",
      "reasoning_summary",
      "assistant_text",
      "tool_call",
      "tool_result",
      "file_change",
      "artifact_ref",
      "evidence_ref",
      "action_required",
      "plan",
      "context_event",
      "agent_task",
      "agent_roster",
      "remote_agent_status",
      "agent_handoff",
      "worker_notification",
      "error",
    ])
    expect(Object.keys(partKinds)).toHaveLength(20)
  })
})

const actions: LocalAction[] = [
  { kind: "collapse", id: "t1" },
  { kind: "expand", id: "t1", where: "timeline" },
  { kind: "select_session", id: "s2" },
  { kind: "select_artifact", id: "f1" },
  { kind: "select_agent", id: "a1" },
  { kind: "show_reasoning", shown: true },
  { kind: "draft", id: "s1", text: "hm" },
  { kind: "edit_artifact", id: "f1", text: "my edit" },
  { kind: "edit_saved", id: "f2", text: "sent" },
]
const factsOf = ({ local: _, revision: __, ...facts }: AgentUiState) => facts

describe("local state", () => {
  test.each(actions.map((action) => [action.kind, action] as const))(
    "[UI-CORE-11] %s leaves every fact untouched",
    (_, action) => {
      const before = changeLocal(full, { kind: "edit_artifact", id: "f2", text: "sent" })
      const next = changeLocal(before, action)
      expect(next.local).not.toBe(before.local)
      for (const name of entityTables) expect(next[name]).toBe(full[name])
      expect(factsOf(next)).toEqual(factsOf(full))
    },
  )
  test("[UI-EVT-22] a failed artifact keeps the person's unsaved edits", () => {
    const edited = changeLocal(full, { kind: "edit_artifact", id: "f1", text: "my edit" })
    expect(after(edited, { type: "artifact.failed", artifactId: "f1" }).local.edits.get("f1")).toEqual({
      text: "my edit",
    })
  })
})
