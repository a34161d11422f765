import type { AgentUiEnvelope } from "../../envelope.ts"
import { type Draft, given, isFields, listOf, textOf } from "../translation.ts"
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

/** The messages of AG-UI as a snapshot that corrects what is there. */
export function snapshotOf(messages: readonly unknown[]): AgentUiEnvelope {
  return {
    type: "messages.snapshot",
    owner: "session",
    scope: "thread",
    payload: { purpose: "repair", messages: messages.filter(isFields).map(entryOf) },
  }
}

function entryOf(message: Readonly<Record<string, unknown>>) {
  const messageId = textOf(message, "id") ?? "unknown"
  const calls = listOf(message, "toolCalls").flatMap((call) => textOf(call, "id") ?? [])
  const text = plainText(message.content)
  return {
    messageId,
    role: textOf(message, "role") ?? "unknown",
    ...given({ author: textOf(message, "name"), agentId: textOf(message, "subagentRunId") }),
    parts: [
      ...(text === "" ? [] : [{ partId: `${messageId}/text`, kind: "text", text, state: "final" }]),
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
