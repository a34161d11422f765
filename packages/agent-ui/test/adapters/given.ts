import { type AgentUiEnvelope, type EventClass, eventClasses } from "../../src/index.ts"

export const place = { sessionId: "ses_1", threadId: "thr_1", runId: "run_1", turnId: "trn_1" }

/** An event of the class with every place filled in, so that a loss has something to lose. */
export function eventOf(type: EventClass, sequence: number): AgentUiEnvelope {
  return {
    ...place,
    type,
    sequence,
    timestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, 0, sequence)).toISOString(),
    owner: "runtime",
    scope: "run",
    phase: "acting",
    ...rest[type],
    messageId: "msg_1",
    partId: `prt_${type}`,
    rawEventRef: `evt_${sequence}`,
  }
}

const tool = { toolCallId: "tcl_1" }
const act = { actionId: "act_1", toolCallId: "tcl_1" }
const rest: Partial<Record<EventClass, Partial<AgentUiEnvelope>>> = {
  "text.delta": { payload: { delta: "Hel", role: "assistant" } },
  "text.final": { payload: { text: "Hello", role: "assistant" } },
  "reasoning.delta": { payload: { delta: "Hm", visible: true } },
  "reasoning.summary": { payload: { summary: "It thought." } },
  "tool.started": { ...tool, payload: { toolName: "shell", title: "List files" } },
  "tool.args": { ...tool, payload: { input: { text: '{"command":"ls"}' }, complete: true } },
  "tool.progress": { ...tool, payload: { note: "half", preview: { text: "a" } } },
  "tool.output.delta": { ...tool, payload: { channel: "stdout", delta: "a" } },
  "tool.result": { ...tool, payload: { preview: { text: "a\nb" }, success: true, durationMs: 4 } },
  "tool.failed": { ...tool, payload: { category: "timeout", message: "Too slow.", retryable: true } },
  "action.required": { ...act, payload: { actionType: "tool_approval", summary: "Run ls?" } },
  "action.resolved": { ...act, payload: { decision: "approve", decidedBy: "person" } },
  "agent.spawned": { agentId: "agt_1", payload: { agentName: "Ada" } },
  "agent.completed": { agentId: "agt_1", payload: { outcome: "success", summary: "Done." } },
  "agent.changed": { agentId: "agt_1", payload: { status: "running" } },
  "task.changed": { taskId: "tsk_1", payload: { status: "running", title: "Look" } },
  "artifact.created": { artifactId: "art_1", payload: { kind: "document", title: "Plan" } },
  "plan.final": { payload: { planId: "pln_1", steps: [{ title: "One" }] } },
  "state.snapshot": { payload: { state: { a: 1 }, version: 1 } },
  "state.delta": { payload: { patch: [{ op: "add", path: "/b", value: 2 }] } },
  "messages.snapshot": {
    payload: {
      messages: [{ messageId: "msg_0", role: "user", parts: [{ partId: "p", kind: "text", text: "Hi" }] }],
    },
  },
  "run.failed": { payload: { category: "provider_error", message: "The model does not answer." } },
  "run.finished": { payload: { outcome: "success" } },
}

/** Every class once, in a run that begins and ends. */
export function oneOfEach(): AgentUiEnvelope[] {
  const inside = eventClasses.filter((type) => type !== "run.started" && type !== "run.finished")
  const order: EventClass[] = [
    "run.started",
    ...inside.filter((type) => type !== "run.failed"),
    "run.finished",
  ]
  return [...order.map((type, index) => eventOf(type, index + 1))]
}

const at = (
  type: string,
  payload: AgentUiEnvelope["payload"],
  more: Partial<AgentUiEnvelope> = {},
): AgentUiEnvelope => ({
  ...place,
  type,
  ...more,
  ...(payload && { payload }),
})

export const started = () => at("run.started", { status: "running" })
export const delta = (partId: string, delta: string) =>
  at("text.delta", { delta, role: "assistant" }, { messageId: "msg_1", partId })
export const final = (partId: string, text: string) =>
  at("text.final", { text, role: "assistant" }, { messageId: "msg_1", partId })
export const call = (toolCallId: string, toolName = "shell") =>
  at("tool.started", { toolName }, { toolCallId })
export const args = (toolCallId: string, text: string) =>
  at("tool.args", { input: { text }, complete: true }, { toolCallId })
export const result = (toolCallId: string, text: string) =>
  at("tool.result", { preview: { text }, success: true }, { toolCallId })
export const failed = (toolCallId: string, payload: AgentUiEnvelope["payload"]) =>
  at("tool.failed", payload, { toolCallId })
export const asks = (actionId: string, toolCallId: string) =>
  at(
    "action.required",
    { actionType: "tool_approval", summary: "May it run?", toolCallId },
    { actionId, toolCallId },
  )
export const answered = (actionId: string, decision: string) =>
  at("action.resolved", { decision }, { actionId })
export const waiting = () => at("run.status", { status: "waiting" }, { phase: "waiting" })
export const finished = (outcome = "success") => at("run.finished", { outcome }, { phase: "completed" })
export const runFailed = () =>
  at("run.failed", { message: "The model does not answer.", category: "provider_error" })

/** A turn that speaks, asks for a tool, speaks again and ends. */
export const turn = (): AgentUiEnvelope[] => [
  started(),
  delta("p1", "Hel"),
  delta("p1", "lo"),
  final("p1", "Hello"),
  call("tcl_1"),
  args("tcl_1", '{"command":"ls"}'),
  result("tcl_1", "a.txt"),
  delta("p2", "One file."),
  final("p2", "One file."),
  finished(),
]
