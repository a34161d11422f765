import type { AgentUiEnvelope } from "../../envelope.ts"
import { type Draft, fieldsOf, given, textOf, thoughtOf } from "../translation.ts"
import type { OpenMessage } from "./open-message.ts"
import type { AiSdkChunk } from "./wire.ts"

type Drafted = Draft<AiSdkChunk>

export function text(event: AgentUiEnvelope, message: OpenMessage): Drafted {
  const { payload } = event
  // A stream builds one message of the assistant; what others say is not part of it.
  if ((textOf(payload, "role") ?? "assistant") !== "assistant") return { events: [] }
  const id = `${event.messageId ?? "text"}/${event.partId ?? "text"}`
  if (message.ended.has(id)) return { events: [] }
  const sent = message.texts.get(id)
  const step = message.step()
  const start: AiSdkChunk[] = sent === undefined ? [...step, { type: "text-start", id }] : step
  const whole = event.type === "text.final" ? textOf(payload, "text") : undefined
  const isCorrected = whole !== undefined && !whole.startsWith(sent ?? "")
  const delta = isCorrected ? "" : (whole?.slice(sent?.length ?? 0) ?? textOf(payload, "delta") ?? "")
  message.texts.set(id, (sent ?? "") + delta)
  const content: AiSdkChunk[] = delta === "" ? [] : [{ type: "text-delta", id, delta }]
  const end = event.type === "text.final" ? message.endText(id) : []
  const kept = ["partId", "payload.role", "payload.delta", ...(isCorrected ? [] : ["payload.text"])]
  return { events: [...start, ...content, ...end], kept, guessed: step.length > 0 ? ["step"] : [] }
}

/** What a provider does not let be read is never sent as text, only in the carrier. */
export function reasoning(event: AgentUiEnvelope, message: OpenMessage): Drafted {
  const id = `${event.messageId ?? "reasoning"}/${event.partId ?? "reasoning"}`
  const sent = message.reasonings.get(id)
  const thought = thoughtOf(event, sent)
  if (!thought || message.ended.has(id)) return { events: [] }
  const { delta, isEnd, kept } = thought
  const start: AiSdkChunk[] = sent === undefined ? [...message.step(), { type: "reasoning-start", id }] : []
  message.reasonings.set(id, (sent ?? "") + delta)
  const content: AiSdkChunk[] = delta === "" ? [] : [{ type: "reasoning-delta", id, delta }]
  const events = [...start, ...content, ...(isEnd ? message.endReasoning(id) : [])]
  return { events, kept: ["partId", kept, ...(event.payload?.visible === true ? ["payload.visible"] : [])] }
}

export function toolInput(event: AgentUiEnvelope, toolCallId: string, message: OpenMessage): Drafted {
  const { payload } = event
  const known = message.calls.get(toolCallId)
  const said = textOf(payload, "toolName")
  const toolName = said ?? known?.toolName ?? "unknown"
  const title = textOf(payload, "title")
  const named = { toolCallId, toolName, dynamic: true, ...given({ title }) }
  if (known && known.state !== "streaming") return { events: [] }
  const start: AiSdkChunk[] = known ? [] : [...message.step(), { type: "tool-input-start", ...named }]
  const input = fieldsOf(payload, "input")
  const delta = textOf(payload, "delta")
  const isComplete = payload?.complete === true || input !== undefined
  const sent = (known?.sent ?? "") + (delta ?? "")
  message.calls.set(toolCallId, { toolName, sent, state: isComplete ? "available" : "streaming" })
  const piece: AiSdkChunk[] = delta ? [{ type: "tool-input-delta", toolCallId, inputTextDelta: delta }] : []
  const whole = textOf(input, "text") ?? sent
  const available: AiSdkChunk[] = isComplete
    ? [{ type: "tool-input-available", ...named, input: parsedOr(whole) }]
    : []
  const kept = ["toolCallId", "payload.toolName", "payload.title", "payload.delta", "payload.complete"]
  return {
    events: [...start, ...piece, ...available],
    kept: [...kept, ...(input?.truncated === true ? [] : ["payload.input"])],
    guessed: !known && said === undefined ? ["payload.toolName"] : [],
  }
}

/** The reader throws on an answer to a call that it has not seen, so an unseen one is announced first. */
export function announced(event: AgentUiEnvelope, toolCallId: string, message: OpenMessage): Drafted {
  const known = message.calls.get(toolCallId)
  if (known && known.state !== "streaming") return { events: [] }
  const toolName = textOf(event.payload, "toolName") ?? known?.toolName ?? "unknown"
  const input = textOf(fieldsOf(event.payload, "input"), "text") ?? known?.sent ?? ""
  const step = message.step()
  message.calls.set(toolCallId, { toolName, sent: input, state: "available" })
  const chunk: AiSdkChunk = {
    type: "tool-input-available",
    toolCallId,
    toolName,
    dynamic: true,
    input: parsedOr(input),
  }
  return { events: [...step, chunk], guessed: known ? [] : ["payload.toolName", "payload.input"] }
}

export function toolOutput(event: AgentUiEnvelope, toolCallId: string, message: OpenMessage): Drafted {
  const { payload, type } = event
  const preview = fieldsOf(payload, "preview")
  const output = outputOf(event)
  if (type === "tool.progress" && preview === undefined) return { events: [] }
  const before = announced(event, toolCallId, message)
  const call = message.calls.get(toolCallId)
  if (call && type !== "tool.progress") {
    message.calls.set(toolCallId, { ...call, state: "ended" })
    message.answered()
  }
  const done = (chunk: AiSdkChunk, kept: string[]): Drafted => ({
    events: [...before.events, chunk],
    kept: ["toolCallId", ...kept],
    guessed: before.guessed ?? [],
  })
  if (type === "tool.progress") {
    const kept = ["payload.preview", "payload.preliminary"]
    return done({ type: "tool-output-available", toolCallId, output, preliminary: true, dynamic: true }, kept)
  }
  if (type === "tool.result") {
    const kept = [preview ? "payload.preview" : "payload.outputRef", "payload.success"]
    return done({ type: "tool-output-available", toolCallId, output, dynamic: true }, kept)
  }
  if (payload?.denied === true) return done({ type: "tool-output-denied", toolCallId }, ["payload.denied"])
  const errorText = textOf(payload, "message") ?? textOf(payload, "category") ?? "The tool failed."
  return done({ type: "tool-output-error", toolCallId, errorText, dynamic: true }, ["payload.message"])
}

function outputOf({ payload }: AgentUiEnvelope): unknown {
  const preview = fieldsOf(payload, "preview")
  return textOf(preview, "text") ?? textOf(payload, "outputRef") ?? ""
}

/** Tool input is JSON where it can be read as such, else its text. */
function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
