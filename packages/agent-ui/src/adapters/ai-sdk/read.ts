import type { AgentUiEnvelope } from "../../envelope.ts"
import { action, evidence, run, tool } from "../made.ts"
import {
  carriedIn,
  diagnostic,
  exact,
  given,
  isEnvelope,
  isFields,
  listOf,
  type Translation,
  textOf,
  unread,
} from "../translation.ts"
import { MessageParts } from "./message-parts.ts"
import type { ChunkType } from "./wire.ts"
import { DATA_CARRIER } from "./write.ts"

type Fields = Readonly<Record<string, unknown>>
type Read = { events: AgentUiEnvelope[]; read?: readonly string[]; guessed?: readonly string[] }

export type AiSdkReaderOptions = {
  sessionId?: string
  threadId?: string
  runId?: string
  messageId?: string
  /** For messages that the stream gives no id. */
  newId?: () => string
}

/** AI SDK UI message streams in as Agent UI events: it remembers the parts of the message, which `reset-step` takes back. */
export class AiSdkReader {
  readonly #place: AiSdkReaderOptions
  readonly #newId: () => string
  #started = false
  #parts: MessageParts
  #runId: string | undefined
  /** Chunks that say again what a carrier said. */
  #covered = 0
  readonly #approvals = new Map<string, string>()

  constructor(place: AiSdkReaderOptions = {}) {
    this.#place = place
    this.#runId = place.runId
    this.#newId = place.newId ?? (() => crypto.randomUUID())
    this.#parts = new MessageParts(place.messageId ?? this.#newId())
  }

  /** Whether the AI SDK has chunks of this type. */
  knows(type: string): boolean {
    return Object.hasOwn(this.#table, type) || type.startsWith("data-")
  }

  read(value: unknown): Translation<AgentUiEnvelope> {
    if (!isFields(value) || typeof value.type !== "string") {
      const events = [diagnostic("ai-sdk.unreadable", "Something came that is no chunk of the AI SDK.", {})]
      return { events, loss: { lost: ["type"], guessed: [] } }
    }
    const own = this.#own(value)
    if (own) return { events: own, loss: exact, own: true }
    const table: Readonly<Record<string, (chunk: Fields) => Read>> = this.#table
    const read = Object.hasOwn(table, value.type) ? table[value.type]?.(value) : kept(value)
    if (!read) return { events: [], loss: exact }
    return {
      events: read.events.map((event) => this.#placed(event)),
      loss: { lost: unread(value, read.read ?? []), guessed: read.guessed ?? [] },
    }
  }

  #own(chunk: Fields): readonly AgentUiEnvelope[] | undefined {
    if (chunk.type === DATA_CARRIER) {
      const events = carriedIn(chunk.data)
      const covers = isFields(chunk.data) ? chunk.data.covers : 0
      if (events) this.#covered = typeof covers === "number" ? covers : 0
      return events
    }
    if (this.#covered > 0) {
      this.#covered -= 1
      return []
    }
    const isOurs = typeof chunk.type === "string" && chunk.type.startsWith(`${DATA_CARRIER}-`)
    return isOurs && isEnvelope(chunk.data) ? [chunk.data] : undefined
  }

  #placed(event: AgentUiEnvelope): AgentUiEnvelope {
    const { sessionId, threadId } = this.#place
    return { ...given({ sessionId, threadId, runId: this.#runId }), ...event }
  }

  #table: Record<ChunkType, (chunk: Fields) => Read> = {
    start: (c) => {
      // After an answer the message goes on, with or without its id.
      const goesOn = !this.#started || this.#approvals.size > 0
      const messageId = textOf(c, "messageId") ?? (goesOn ? this.#parts.messageId : this.#newId())
      this.#started = true
      if (messageId !== this.#parts.messageId) this.#parts = new MessageParts(messageId)
      this.#runId = this.#place.runId ?? this.#parts.messageId
      const guessed = [
        ...(this.#place.runId === undefined ? ["runId"] : []),
        ...(textOf(c, "messageId") === undefined && this.#place.messageId === undefined ? ["messageId"] : []),
      ]
      return { events: [run("run.started", "accepted", {})], read: ["messageId"], guessed }
    },
    "start-step": () => {
      this.#parts.step()
      return step("step_started")
    },
    "finish-step": () => step("step_finished"),
    "reset-step": () => ({ events: this.#parts.resetStep(), guessed: ["payload.messages"] }),
    finish: (c) => this.#finish(c),
    abort: (c) => {
      const payload = { outcome: "cancelled", ...given({ reason: textOf(c, "reason") }) }
      return { events: [run("run.finished", "cancelled", payload)], read: ["reason"] }
    },
    error: (c) => ({
      events: [run("run.failed", "failed", given({ message: textOf(c, "errorText") }))],
      read: ["errorText"],
    }),
    "message-metadata": (c) => kept(c),
    custom: (c) => kept(c),

    "text-start": (c) => this.#text(c, ""),
    "text-delta": (c) => this.#text(c, textOf(c, "delta") ?? ""),
    "text-end": (c) => {
      const { partId, text } = this.#parts.end(textOf(c, "id") ?? "unknown", "text")
      const final = this.#parts.said("text.final", partId, "completed", { text })
      const citations = listOf(c, "citations").map((citation, at) =>
        evidence(
          `${partId}/citation/${at}`,
          given({ title: textOf(citation, "title"), sourceRef: textOf(citation, "url") }),
        ),
      )
      const guessed = citations.length > 0 ? ["evidenceId"] : []
      return { events: [final, ...citations], read: ["id", "citations"], guessed }
    },
    "reasoning-start": (c) => this.#reasoning(c),
    "reasoning-delta": (c) => this.#reasoning(c),
    "reasoning-end": (c) => {
      const { partId } = this.#parts.end(textOf(c, "id") ?? "unknown", "reasoning")
      const event = this.#parts.said("reasoning.summary", partId, "reasoning", { visible: true })
      return { events: [event], read: ["id"], guessed: ["payload.visible"] }
    },

    "tool-input-start": (c) => {
      const id = callId(c)
      this.#parts.call(id)
      const payload = given({ toolName: textOf(c, "toolName"), title: textOf(c, "title") })
      return { events: [this.#tool("tool.started", id, payload)], read: named }
    },
    "tool-input-delta": (c) => {
      const delta = textOf(c, "inputTextDelta") ?? ""
      return {
        events: [this.#tool("tool.args", callId(c), { delta })],
        read: ["toolCallId", "inputTextDelta"],
      }
    },
    "tool-input-available": (c) => {
      const input = { text: written(c.input), mediaType: "application/json" }
      return {
        events: this.#begun(c, this.#tool("tool.args", callId(c), { input, complete: true })),
        read: [...named, "input"],
      }
    },
    "tool-input-error": (c) => {
      const failure = { category: "invalid_input", ...given({ message: textOf(c, "errorText") }) }
      const failed = this.#ended(this.#tool("tool.failed", callId(c), failure))
      return { events: this.#begun(c, failed), read: [...named, "errorText"], guessed: ["payload.category"] }
    },
    "tool-output-available": (c) => {
      const preview = { text: written(c.output) }
      const read = ["toolCallId", "output", "preliminary", "dynamic"]
      if (c.preliminary === true) {
        return { events: [this.#tool("tool.progress", callId(c), { preview, preliminary: true })], read }
      }
      const result = this.#tool("tool.result", callId(c), { preview, success: true })
      return { ...this.#answered(c, "approve", result), read }
    },
    "tool-output-error": (c) => {
      const failed = this.#tool("tool.failed", callId(c), given({ message: textOf(c, "errorText") }))
      return { ...this.#answered(c, "approve", failed), read: ["toolCallId", "errorText", "dynamic"] }
    },
    "tool-output-denied": (c) => {
      const failed = this.#tool("tool.failed", callId(c), { denied: true, category: "denied" })
      return { ...this.#answered(c, "reject", failed), read: ["toolCallId"] }
    },
    "tool-approval-request": (c) => {
      const actionId = textOf(c, "approvalId") ?? "unknown"
      const toolCallId = callId(c)
      if (c.isAutomatic !== true) this.#approvals.set(actionId, toolCallId)
      const payload = { actionType: "tool_approval", toolCallId, ...given({ summary: textOf(c, "reason") }) }
      return {
        events: [action("action.required", actionId, { toolCallId, phase: "waiting", payload })],
        read: ["approvalId", "toolCallId", "reason"],
      }
    },
    "tool-approval-response": (c) => {
      const actionId = textOf(c, "approvalId") ?? "unknown"
      this.#approvals.delete(actionId)
      const payload = {
        decision: c.approved === true ? "approve" : "reject",
        ...given({ reason: textOf(c, "reason") }),
      }
      return {
        events: [action("action.resolved", actionId, { payload })],
        read: ["approvalId", "approved", "reason"],
      }
    },

    "source-url": (c) => {
      const payload = given({ title: textOf(c, "title"), sourceRef: textOf(c, "url") })
      return {
        events: [evidence(textOf(c, "sourceId") ?? "unknown", payload)],
        read: ["sourceId", "url", "title"],
      }
    },
    "source-document": (c) => {
      const payload = given({ title: textOf(c, "title"), sourceRef: textOf(c, "filename") })
      const read = ["sourceId", "title", "filename"]
      return { events: [evidence(textOf(c, "sourceId") ?? "unknown", payload)], read }
    },
    file: (c) => this.#file(c, "file"),
    "reasoning-file": (c) => this.#file(c, "reasoning_file"),
    "steering-message": (c) => {
      const text = listOf(c, "parts")
        .map((part) => textOf(part, "text") ?? "")
        .join("")
      const steer = { state: "accepted", text, ...given({ clientId: textOf(c, "id") }) }
      const files = listOf(c, "parts").some((part) => textOf(part, "type") === "file")
      const event = { type: "queue.changed", owner: "runtime", surface: "composer", payload: { steer } }
      return { events: [event], read: ["id", ...(files ? [] : ["parts"])], guessed: ["payload.steer.state"] }
    },
  }

  #finish(c: Fields): Read {
    const reason = textOf(c, "finishReason")
    // A message that ends with open approvals is not the end of the work.
    if (this.#approvals.size > 0) {
      return {
        events: [run("run.status", "waiting", { status: "waiting", reason: "approval" })],
        read: ["finishReason"],
      }
    }
    if (reason === "error") {
      return { events: [run("run.failed", "failed", { category: "error" })], read: ["finishReason"] }
    }
    const payload = { outcome: "success", ...given({ reason }) }
    return {
      events: [run("run.finished", "completed", payload)],
      read: ["finishReason"],
      guessed: reason === "stop" ? [] : ["payload.outcome"],
    }
  }

  #text(c: Fields, delta: string): Read {
    const { partId, isFirst } = this.#parts.add(textOf(c, "id") ?? "unknown", "text", delta)
    const payload = { delta, ...(isFirst && { role: "assistant" }) }
    return { events: [this.#parts.said("text.delta", partId, "producing", payload)], read: ["id", "delta"] }
  }

  #reasoning(c: Fields): Read {
    const delta = textOf(c, "delta") ?? ""
    const { partId } = this.#parts.add(textOf(c, "id") ?? "unknown", "reasoning", delta)
    const event = this.#parts.said("reasoning.delta", partId, "reasoning", { delta, visible: true })
    return { events: [event], read: ["id", "delta"], guessed: ["payload.visible"] }
  }

  #file(c: Fields, kind: string): Read {
    const url = textOf(c, "url") ?? ""
    // Bytes do not belong in an event: only an address is kept.
    const bodyRef = url.startsWith("data:") ? undefined : url
    const artifactId = this.#parts.nextFile()
    const payload = { kind, ...given({ mediaType: textOf(c, "mediaType"), bodyRef }) }
    const event = {
      type: "artifact.created",
      artifactId,
      owner: "artifact",
      surface: "artifact_workspace",
      payload,
    }
    return {
      events: [event],
      read: ["mediaType", ...(bodyRef === undefined ? [] : ["url"])],
      guessed: ["artifactId"],
    }
  }

  #tool(type: string, toolCallId: string, payload: Fields): AgentUiEnvelope {
    return { ...tool(type, toolCallId, payload), messageId: this.#parts.messageId, partId: toolCallId }
  }

  /** A page answers in the message that it posts: what became of the call is the first that the stream says of it. */
  #answered(c: Fields, decision: string, ended: AgentUiEnvelope): Read {
    const open = [...this.#approvals].filter(([, toolCallId]) => toolCallId === callId(c))
    const answers = open.map(([actionId]) => action("action.resolved", actionId, { payload: { decision } }))
    for (const [actionId] of open) this.#approvals.delete(actionId)
    return { events: [...answers, this.#ended(ended)], guessed: answers.length > 0 ? ["decision"] : [] }
  }

  #ended(event: AgentUiEnvelope): AgentUiEnvelope {
    if (event.toolCallId !== undefined) this.#parts.callEnded(event.toolCallId)
    return event
  }

  /** A call whose input did not stream begins with it. */
  #begun(c: Fields, event: AgentUiEnvelope): AgentUiEnvelope[] {
    const payload = given({ toolName: textOf(c, "toolName"), title: textOf(c, "title") })
    return this.#parts.call(callId(c)) ? [this.#tool("tool.started", callId(c), payload), event] : [event]
  }
}

const named = ["toolCallId", "toolName", "title", "dynamic"]
const callId = (c: Fields): string => textOf(c, "toolCallId") ?? "unknown"
const written = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "")

const step = (status: string): Read => ({
  events: [run("run.status", "acting", { status })],
  guessed: ["phase"],
})

/** What Agent UI has no word for stays readable as a diagnostic. */
function kept(chunk: Fields): Read {
  const { type, ...about } = chunk
  return {
    events: [diagnostic(`ai-sdk.${type}`, `A ${type} came.`, { chunk: about })],
    read: Object.keys(about),
  }
}
