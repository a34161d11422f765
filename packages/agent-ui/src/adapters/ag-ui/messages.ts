import type { AgentUiEnvelope } from "../../envelope.ts"
import { tool } from "../made.ts"
import { type Draft, fieldsOf, given, isFields, listOf, textOf } from "../translation.ts"
import type { AgUiEvent, AgUiMessage, ContentPart } from "./wire.ts"

/** AG-UI's snapshot is the whole thread, so a window of it may not pass for one. */
export function snapshotMessages({ payload }: AgentUiEnvelope): Draft<AgUiEvent> {
  const isWindow = payload?.purpose === "window" || payload?.from !== undefined || payload?.to !== undefined
  const given = listOf(payload, "messages")
  const messages = given.flatMap(messageOf)
  if (isWindow || messages.length < given.length) return { events: [] }
  return { events: [{ type: "MESSAGES_SNAPSHOT", messages }] }
}

function messageOf(value: unknown): AgUiMessage[] {
  const id = textOf(value, "messageId")
  const role = textOf(value, "role")
  if (id === undefined) return []
  const content = listOf(value, "parts")
    .map((part) => (textOf(part, "kind") === "text" ? (textOf(part, "text") ?? "") : ""))
    .join("")
  if (role === "assistant" || role === "user" || role === "system" || role === "developer") {
    return [{ id, role, content }]
  }
  return []
}

/** What a stream has already told: how often each text began, and which calls and results are known. */
export type Told = {
  texts: ReadonlyMap<string, number>
  calls: ReadonlySet<string>
  results: ReadonlySet<string>
}
type Fields = Readonly<Record<string, unknown>>

/** A text that begins again under its id is another part; the first one has the message's own id. */
export const textPart = (messageId: string, count: number) =>
  count > 1 ? `${messageId}/${count}` : messageId

/** The messages of AG-UI as a snapshot that corrects what is there; calls and results in it that are news are told first. */
export function snapshotOf(values: readonly unknown[], told: Told): AgentUiEnvelope[] {
  const messages = values.filter(isFields)
  const calls = messages.flatMap((message) =>
    listOf(message, "toolCalls").flatMap((call) => callOf(call, textOf(message, "id"), told)),
  )
  const results = messages.flatMap((message) => resultOf(message, told))
  const entries = messages.filter(({ role }) => role !== "tool" && role !== "activity")
  return [
    ...calls,
    ...results,
    {
      type: "messages.snapshot",
      owner: "session",
      scope: "thread",
      payload: { purpose: "repair", messages: entries.map((message) => entryOf(message, told)) },
    },
  ]
}

function callOf(call: unknown, messageId: string | undefined, told: Told): AgentUiEnvelope[] {
  const id = textOf(call, "id")
  if (id === undefined || told.calls.has(id)) return []
  const asked = fieldsOf(call, "function")
  const text = textOf(asked, "arguments")
  return [
    {
      ...tool("tool.started", id, given({ toolName: textOf(asked, "name") })),
      ...given({ messageId }),
      partId: id,
    },
    ...(text === undefined ? [] : [tool("tool.args", id, { input: { text }, complete: true })]),
  ]
}

function resultOf(message: Fields, told: Told): AgentUiEnvelope[] {
  const id = textOf(message, "toolCallId")
  if (message.role !== "tool" || id === undefined || told.results.has(id)) return []
  return [tool("tool.result", id, { preview: { text: plainText(message.content) }, success: "unknown" })]
}

function entryOf(message: Fields, told: Told) {
  const messageId = textOf(message, "id") ?? "unknown"
  const calls = listOf(message, "toolCalls").flatMap((call) => textOf(call, "id") ?? [])
  const text = plainText(message.content)
  const isThought = message.role === "reasoning"
  const kind = isThought ? "reasoning" : "text"
  // AG-UI joins what was said under one id.
  const joined = Array.from({ length: Math.max(0, (told.texts.get(messageId) ?? 1) - 1) }, (_, at) => ({
    partId: textPart(messageId, at + 2),
    kind,
    retracted: true,
  }))
  return {
    messageId,
    role: isThought ? "assistant" : (textOf(message, "role") ?? "unknown"),
    ...given({ author: textOf(message, "name"), agentId: textOf(message, "subagentRunId") }),
    parts: [
      ...(text === "" ? [] : [{ partId: messageId, kind, text, state: "final" }]),
      ...joined,
      ...calls.map((ref) => ({ partId: ref, kind: "tool", ref })),
    ],
  }
}

/** The text of content that is text or parts. */
export function plainText(content: unknown): string {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return ""
  return content.map((part: unknown) => textOf(part, "text") ?? "").join("")
}

export const mediaOf = (content: unknown): ContentPart["type"][] =>
  Array.isArray(content)
    ? content.flatMap((part: unknown) => {
        const type = textOf(part, "type")
        return type === "image" || type === "audio" || type === "video" || type === "document" ? [type] : []
      })
    : []
