import { type Draft, reportLate } from "../draft.ts"
import type { MessageRole } from "../events/index.ts"
import { given } from "../given.ts"
import { redactKeys } from "../redact.ts"
import type { MessageEntity, MessagePart, TextMarker } from "../state.ts"
import { appendText, noText, readText, textFrom } from "../text.ts"
import { fresh, ownList } from "../vector.ts"
import type { Reducers } from "./index.ts"
import { findPart, openMessage, openPart } from "./message.ts"

type TextPart = Extract<MessagePart, { kind: "text" }>

const firstText = (partId: string, opened: number): TextPart => ({
  kind: "text",
  partId,
  text: noText,
  state: "streaming",
  opened,
})

function openTextMessage(draft: Draft, payload: { role?: MessageRole; clientId?: string; author?: string }) {
  const message = openMessage(draft, payload.clientId)
  if (!message) return undefined
  if (payload.role !== undefined) message.role = payload.role
  else if (message.role === "unknown") message.role = "assistant"
  if (payload.clientId !== undefined) message.clientId = payload.clientId
  return message
}

export const textReducers: Reducers<"text.delta" | "text.final" | "reasoning.delta" | "reasoning.summary"> = {
  "text.delta": (draft, payload) => {
    const message = openTextMessage(draft, payload)
    if (!message) return
    const part = openPart(draft, message, "text", firstText)
    if (part.state === "final") return reportLate(draft, part.partId)
    part.text = appendText(part.text, payload.delta ?? payload.text ?? "", draft.edit)
  },
  "text.final": (draft, payload) => {
    const message = openTextMessage(draft, payload)
    if (!message) return
    if (payload.inputs !== undefined) message.inputs = payload.inputs
    const texts = message.parts.filter((part): part is TextPart => part.kind === "text")
    const named = draft.event.partId !== undefined || texts.length === 0
    if (named) finish(openPart(draft, message, "text", firstText), payload.text, draft.partial)
    else finishAll(draft, message, texts, payload.text)
  },
  "reasoning.delta": (draft, payload) => {
    const part = openReasoning(draft)
    if (!part) return
    if (payload.text !== undefined) {
      // A summary speaks for the whole, so that nothing is put in its place.
      if (part.state === "streaming") part.detail = textFrom(payload.text)
      part.state = "final"
      return describe(part, payload)
    }
    if (part.state === "final") return reportLate(draft, part.partId)
    part.detail = appendText(part.detail, payload.delta ?? "", draft.edit)
    describe(part, payload)
  },
  "reasoning.summary": (draft, payload) => {
    const part = openReasoning(draft)
    if (!part) return
    part.state = "final"
    describe(part, payload)
  },
}

type ReasoningPart = Extract<MessagePart, { kind: "reasoning" }>

function openReasoning(draft: Draft): ReasoningPart | undefined {
  const message = openTextMessage(draft, {})
  if (!message) return undefined
  return openPart(draft, message, "reasoning", (partId, opened) => ({
    kind: "reasoning",
    partId,
    detail: noText,
    state: "streaming",
    opened,
  }))
}

function describe(
  part: ReasoningPart,
  payload: Pick<ReasoningPart, "summary" | "visible" | "encryptedRef">,
): void {
  const { summary, visible, encryptedRef } = payload
  Object.assign(part, given({ summary, visible, encryptedRef }))
}

/** The final text of one part confirms, corrects or replaces what was streamed. */
export function finish(part: TextPart, final: string | undefined, partial = false): void {
  const streamed = readText(part.text)
  const wasOpen = streamed !== "" || part.marker !== undefined
  part.state = "final"
  if (final === undefined || final === streamed) {
    // What was not seen whole is neither right nor wrong.
    const judged = wasOpen && (!partial || final !== undefined)
    if (judged && part.marker !== "corrected" && part.marker !== "replaced") part.marker = "confirmed"
    const clean = redactKeys(streamed)
    if (clean !== streamed) part.text = textFrom(clean)
    return
  }
  part.text = textFrom(final)
  if (wasOpen && !partial) part.marker = compare(streamed, final)
}

/** A final for the whole message: each part is confirmed in place, or the text is shown once, in the last one. */
function finishAll(
  draft: Draft,
  message: MessageEntity,
  texts: readonly TextPart[],
  final: string | undefined,
): void {
  const shown = texts.filter((part) => part.marker !== "superseded")
  const joined = shown.map((part) => readText(part.text)).join("")
  const parts = ownList(message.parts, draft.edit)
  message.parts = parts
  const last = shown.at(-1)
  for (const part of shown) {
    const mine = fresh({ ...part }, draft.edit)
    parts[findPart(message, "text", part.partId)] = mine
    if (final === undefined || final === joined) finish(mine, undefined, draft.partial && final === undefined)
    else if (part === last) {
      mine.state = "final"
      mine.text = textFrom(final)
      if (!draft.partial) mine.marker = compare(joined, final)
    } else {
      mine.state = "final"
      mine.marker = "superseded"
    }
  }
}

/** A correction keeps at least half of what was shown, at its beginning and end; else it is another text. */
function compare(streamed: string, final: string): TextMarker {
  const most = Math.min(streamed.length, final.length)
  let same = 0
  while (same < most && streamed.charCodeAt(same) === final.charCodeAt(same)) same++
  let tail = 0
  while (
    tail < most - same &&
    streamed.charCodeAt(streamed.length - 1 - tail) === final.charCodeAt(final.length - 1 - tail)
  )
    tail++
  return (same + tail) * 2 >= streamed.length && same + tail > 0 ? "corrected" : "replaced"
}
