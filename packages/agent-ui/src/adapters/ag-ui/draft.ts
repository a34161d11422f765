import type { AgentUiEnvelope } from "../../envelope.ts"
import { activityOf, type Draft, fieldsOf, given, textOf, thoughtOf } from "../translation.ts"
import type { OpenRun } from "./open-run.ts"
import type { AgUiEvent, TextRole } from "./wire.ts"

const roles: readonly string[] = ["developer", "system", "assistant", "user"]

export function activity(event: AgentUiEnvelope): Draft<AgUiEvent> {
  const about = activityOf(event)
  if (!about) return { events: [] }
  const { kind, id } = about
  const activityType = `factum.${kind}`
  const content = { ...event }
  return {
    whole: true,
    events: [{ type: "ACTIVITY_SNAPSHOT", messageId: id, activityType, content, replace: true }],
  }
}

/** Each part is a message of its own: AG-UI would join the texts before and after a call. */
export function text(event: AgentUiEnvelope, run: OpenRun): Draft<AgUiEvent> {
  const { partId, payload } = event
  const role = textOf(payload, "role") ?? "assistant"
  if (!roles.includes(role)) return { events: [] }
  const message = event.messageId ?? `text/${event.runId ?? run.runId}`
  const messageId = partId === undefined ? message : `${message}/${partId}`
  if (run.ended.has(messageId)) return { events: [] }
  const open = run.texts.get(messageId)
  const { sent, tag } = open ?? { sent: "", tag: run.tag(event) }
  const start: AgUiEvent[] = open
    ? []
    : [{ type: "TEXT_MESSAGE_START", messageId, role: role as TextRole, ...tag }]
  const whole = event.type === "text.final" ? textOf(payload, "text") : undefined
  const delta =
    whole === undefined
      ? (textOf(payload, "delta") ?? "")
      : whole.startsWith(sent)
        ? whole.slice(sent.length)
        : ""
  const isCorrected = whole !== undefined && !whole.startsWith(sent)
  run.texts.set(messageId, { sent: sent + delta, tag })
  const content: AgUiEvent[] =
    delta === "" ? [] : [{ type: "TEXT_MESSAGE_CONTENT", messageId, delta, ...tag }]
  const end = event.type === "text.final" ? run.endText(messageId) : []
  const guessed = [
    ...(event.messageId === undefined ? ["messageId"] : []),
    ...(textOf(payload, "role") === undefined && !open ? ["role"] : []),
  ]
  const kept = [
    "messageId",
    "partId",
    "payload.role",
    "payload.delta",
    ...(isCorrected ? [] : ["payload.text"]),
  ]
  return { events: [...start, ...content, ...end], kept, guessed }
}

/** What a provider does not let be read is never sent as text, only in the carrier. */
export function reasoning(event: AgentUiEnvelope, run: OpenRun): Draft<AgUiEvent> {
  const { payload } = event
  const messageId = `${event.messageId ?? run.runId}/${event.partId ?? "reasoning"}`
  const open = run.reasonings.get(messageId)
  const thought = thoughtOf(event, open?.sent)
  if (!thought || run.ended.has(messageId)) return { events: [] }
  const { delta, isEnd, kept } = thought
  const tag = open?.tag ?? run.tag(event)
  run.reasonings.set(messageId, { sent: (open?.sent ?? "") + delta, tag })
  const start: AgUiEvent[] = open
    ? []
    : [
        { type: "REASONING_START", messageId, ...tag },
        { type: "REASONING_MESSAGE_START", messageId, role: "reasoning", ...tag },
      ]
  const content: AgUiEvent[] =
    delta === "" ? [] : [{ type: "REASONING_MESSAGE_CONTENT", messageId, delta, ...tag }]
  const events = [...start, ...content, ...(isEnd ? run.endReasoning(messageId) : [])]
  return {
    events,
    kept: ["messageId", "partId", kept, ...(payload?.visible === true ? ["payload.visible"] : [])],
  }
}

export function toolInput(event: AgentUiEnvelope, toolCallId: string, run: OpenRun): Draft<AgUiEvent> {
  const { payload } = event
  const name = textOf(payload, "toolName")
  const tag = run.inputs.get(toolCallId)?.tag ?? run.tag(event)
  const start: AgUiEvent[] = []
  if (!run.begun.has(toolCallId)) {
    run.begun.add(toolCallId)
    run.unfinished.add(toolCallId)
    run.inputs.set(toolCallId, { sent: "", tag })
    start.push({ type: "TOOL_CALL_START", toolCallId, toolCallName: name ?? "unknown", ...tag })
  }
  const input = fieldsOf(payload, "input")
  const whole = input?.truncated === true ? undefined : textOf(input, "text")
  const open = run.inputs.get(toolCallId)
  const delta = textOf(payload, "delta") ?? (open?.sent === "" ? whole : undefined)
  if (open && delta) run.inputs.set(toolCallId, { sent: open.sent + delta, tag })
  const args: AgUiEvent[] = open && delta ? [{ type: "TOOL_CALL_ARGS", toolCallId, delta, ...tag }] : []
  const isComplete = payload?.complete === true || (event.type === "tool.args" && input !== undefined)
  return {
    events: [...start, ...args, ...(isComplete ? run.endInput(toolCallId) : [])],
    kept: [
      "toolCallId",
      "payload.toolName",
      ...(args.length > 0 || whole === open?.sent ? ["payload.delta", "payload.input"] : []),
      ...(isComplete && open ? ["payload.complete"] : []),
    ],
    guessed: start.length > 0 && name === undefined ? ["payload.toolName"] : [],
  }
}

/** AG-UI cannot say that a call failed; its text says so, and the loss report. */
export function toolOutput(event: AgentUiEnvelope, toolCallId: string, run: OpenRun): Draft<AgUiEvent> {
  const { payload } = event
  run.unfinished.delete(toolCallId)
  const preview = textOf(fieldsOf(payload, "preview"), "text")
  const message = textOf(payload, "message")
  const content = preview ?? message ?? textOf(payload, "outputRef") ?? ""
  const result: AgUiEvent = {
    type: "TOOL_CALL_RESULT",
    messageId: `${toolCallId}/result`,
    toolCallId,
    content,
  }
  const from =
    preview !== undefined
      ? "payload.preview"
      : message !== undefined
        ? "payload.message"
        : "payload.outputRef"
  return {
    events: [...run.endInput(toolCallId), { ...result, role: "tool", ...run.tag(event) }],
    kept: ["toolCallId", from],
  }
}

export function agentEnd(event: AgentUiEnvelope, subagentRunId: string): Draft<AgUiEvent> {
  const failure = fieldsOf(event.payload, "failure")
  const outcome = textOf(event.payload, "outcome")
  if (!failure && (outcome === undefined || outcome === "success")) {
    const kept = ["agentId", "payload.outcome"]
    return { events: [{ type: "SUBAGENT_FINISHED", subagentRunId, outcome: { type: "success" } }], kept }
  }
  const message = textOf(failure, "message") ?? outcome ?? "It failed."
  const code = textOf(failure, "category")
  return {
    events: [{ type: "SUBAGENT_ERROR", subagentRunId, message, ...given({ code }) }],
    kept: ["agentId", ...(failure ? ["payload.failure"] : ["payload.outcome"])],
  }
}
