import type { AgentUiEnvelope, AgentUiEvent } from "../../envelope.ts"
import {
  activityOf,
  type Carry,
  type Draft,
  exact,
  given,
  type Loss,
  type Translation,
  textOf,
  unkept,
} from "../translation.ts"
import { announced, reasoning, text, toolInput, toolOutput } from "./draft.ts"
import { OpenMessage } from "./open-message.ts"
import type { AiSdkChunk } from "./wire.ts"

/** The chunk in which our own events travel. It covers the chunks after it, which say the same in other words. */
export const DATA_CARRIER = "data-factum"

export type AiSdkWriterOptions = {
  /** The id of the assistant's message; an id that the reader has continues that message. */
  messageId?: string
  /** Calls and approvals that the message has already. */
  known?: { toolCallIds: readonly string[]; approvals: readonly { actionId: string; toolCallId: string }[] }
  carry?: Carry
  /** The caller says by `rest` that nothing more is known: what was waited for in the past may be answered since. */
  replays?: boolean
}

/** Agent UI events out as one AI SDK UI message stream, which builds one message of the assistant. */
export class AiSdkWriter {
  readonly #carry: Carry
  readonly #replays: boolean
  readonly #messageId: string | undefined
  readonly #message = new OpenMessage()
  #started = false
  #over = false
  #session: string | undefined
  #own: string | undefined

  constructor({ messageId, known, carry = "all", replays = false }: AiSdkWriterOptions = {}) {
    this.#replays = replays
    this.#carry = carry
    this.#messageId = messageId
    for (const id of known?.toolCallIds ?? [])
      this.#message.calls.set(id, { toolName: "unknown", sent: "", state: "available" })
    for (const { actionId, toolCallId } of known?.approvals ?? []) {
      this.#message.approvals.set(actionId, toolCallId)
    }
  }

  /** The message is finished, or waits for approval: the stream ends here. */
  get over(): boolean {
    return this.#over
  }

  push(event: AgentUiEvent): Translation<AiSdkChunk> {
    if (this.#over) return this.#after(event)
    this.#session ??= event.sessionId
    const draft = this.#draft(event)
    const own = draft.events.length === 0 ? [] : [...this.#start(event), ...draft.events]
    const events = this.#carried(own, event, draft)
    if (!this.#replays) events.push(...this.rest().events)
    return { events, loss: this.#loss(event, draft, own.length === 0) }
  }

  /** Finishes the message when nothing in it moves until a person approves or denies. */
  rest(): Translation<AiSdkChunk> {
    if (this.#over || !this.#message.rests) return { events: [], loss: exact }
    this.#over = true
    const events: AiSdkChunk[] = [...this.#message.closeAll(), { type: "finish", finishReason: "tool-calls" }]
    // No event of ours says this, so the carrier covers it with none.
    return { events: [...(this.#carry === "all" ? [covering([], events)] : []), ...events], loss: exact }
  }

  /** Ends the stream because the source ended. */
  close(): Translation<AiSdkChunk> {
    if (this.#over) return { events: [], loss: { lost: [], guessed: [] } }
    this.#over = true
    const reason = "The source ended before the run did."
    const events: AiSdkChunk[] = [...this.#message.closeAll(), { type: "abort", reason }]
    const cover = this.#carry === "all" ? [covering([], events)] : []
    return { events: [...cover, ...events], loss: { lost: [], guessed: ["phase"] } }
  }

  /** The message takes nothing more, but its stream still takes data that no page draws. */
  #after(event: AgentUiEvent): Translation<AiSdkChunk> {
    if (this.#carry !== "none") return { events: [covering([event], [])], loss: exact }
    return { events: [], loss: { lost: ["type", ...unkept(event)], guessed: [] } }
  }

  #start({ messageId }: AgentUiEnvelope): AiSdkChunk[] {
    if (this.#started) return []
    this.#started = true
    return [{ type: "start", ...given({ messageId: this.#messageId ?? messageId }) }]
  }

  #carried(chunks: readonly AiSdkChunk[], event: AgentUiEvent, draft: Draft<AiSdkChunk>): AiSdkChunk[] {
    const isCarried = this.#carry === "all" || (this.#carry === "unmapped" && chunks.length === 0)
    if (!isCarried || (draft.whole && chunks.length === 1)) return [...chunks]
    return [covering([event], chunks), ...chunks]
  }

  #loss(event: AgentUiEvent, { kept, guessed = [], whole }: Draft<AiSdkChunk>, unmapped: boolean): Loss {
    const travels = whole || this.#carry === "all" || (this.#carry === "unmapped" && unmapped)
    return { lost: travels ? [] : unkept(event, kept), guessed }
  }

  #draft(event: AgentUiEnvelope): Draft<AiSdkChunk> {
    const { payload, toolCallId, sessionId } = event
    // Another session is another agent's: it has no part in this message.
    if (sessionId !== undefined && sessionId !== this.#session) return activity(event)
    switch (event.type) {
      case "run.started":
        if (this.#own !== undefined && this.#own !== event.runId) return { events: [] }
        this.#own = event.runId
        return { events: this.#start(event).concat(this.#message.step()) }
      case "run.status":
        this.#message.waiting = event.phase === "waiting"
        return { events: [] }
      case "run.finished":
      case "run.failed":
        return this.#ended(event)
      case "text.delta":
      case "text.final":
        return text(event, this.#message)
      case "reasoning.delta":
      case "reasoning.summary":
        return reasoning(event, this.#message)
      case "tool.started":
      case "tool.args":
        return toolCallId === undefined ? { events: [] } : toolInput(event, toolCallId, this.#message)
      case "tool.progress":
      case "tool.result":
      case "tool.failed":
        return toolCallId === undefined ? { events: [] } : toolOutput(event, toolCallId, this.#message)
      case "action.required":
        return this.#asked(event)
      case "action.resolved":
        return this.#answered(event)
      case "state.snapshot": {
        const data = payload?.state ?? null
        return { events: [{ type: "data-factum-state", id: "state", data }], kept: ["payload.state"] }
      }
      default:
        return activity(event)
    }
  }

  #asked(event: AgentUiEnvelope): Draft<AiSdkChunk> {
    const { actionId, payload } = event
    const toolCallId = event.toolCallId ?? textOf(payload, "toolCallId")
    if (actionId === undefined) return { events: [] }
    // The AI SDK asks for approval of tools only; any other question is a part to be drawn.
    if (toolCallId === undefined) return { ...activity(event, `action/${actionId}`) }
    const before = announced(event, toolCallId, this.#message)
    this.#message.approvals.set(actionId, toolCallId)
    const reason = textOf(payload, "summary") ?? textOf(payload, "title")
    return {
      events: [
        ...before.events,
        { type: "tool-approval-request", approvalId: actionId, toolCallId, ...given({ reason }) },
      ],
      kept: ["actionId", "toolCallId", "payload.toolCallId", "payload.summary"],
      guessed: before.guessed ?? [],
    }
  }

  #answered(event: AgentUiEnvelope): Draft<AiSdkChunk> {
    const { actionId, payload } = event
    if (actionId === undefined || !this.#message.approvals.delete(actionId)) {
      return actionId === undefined ? { events: [] } : activity(event, `action/${actionId}`)
    }
    const decision = textOf(payload, "decision")
    const reason = textOf(payload, "reason")
    const approved = decision !== undefined && /^(approve|allow|grant|yes)/i.test(decision)
    return {
      events: [{ type: "tool-approval-response", approvalId: actionId, approved, ...given({ reason }) }],
      kept: [
        "actionId",
        "payload.reason",
        ...(decision === "approve" || decision === "reject" ? ["payload.decision"] : []),
      ],
      guessed: decision === "approve" || decision === "reject" ? [] : ["approved"],
    }
  }

  #ended(event: AgentUiEnvelope): Draft<AiSdkChunk> {
    if (this.#own !== undefined && event.runId !== undefined && this.#own !== event.runId)
      return { events: [] }
    const { payload } = event
    const opening = this.#start(event)
    this.#over = true
    const before = [...opening, ...this.#message.closeAll()]
    if (event.type === "run.failed") {
      const errorText = textOf(payload, "message") ?? "The run failed."
      const end: AiSdkChunk[] = [
        { type: "error", errorText },
        { type: "finish", finishReason: "error" },
      ]
      return { events: [...before, ...end], kept: ["payload.message"] }
    }
    const outcome = textOf(payload, "outcome") ?? "success"
    const reason = textOf(payload, "reason")
    const end: AiSdkChunk =
      outcome === "success"
        ? { type: "finish", finishReason: "stop" }
        : { type: "abort", ...given({ reason }) }
    const said = outcome === "success" || outcome === "cancelled" ? ["payload.outcome"] : []
    return { events: [...before, end], kept: [...said, ...(outcome === "success" ? [] : ["payload.reason"])] }
  }
}

function covering(events: readonly AgentUiEvent[], covered: readonly AiSdkChunk[]): AiSdkChunk {
  return { type: DATA_CARRIER, data: { events, covers: covered.length }, transient: true }
}

/** Drawn as a part that is replaced in place. */
function activity(event: AgentUiEnvelope, at?: string): Draft<AiSdkChunk> {
  const id = at ?? activityOf(event)?.id
  const kind = id?.split("/", 1)[0]
  return id === undefined
    ? { events: [] }
    : { whole: true, events: [{ type: `data-factum-${kind}`, id, data: event }] }
}
