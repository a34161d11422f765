import type { AgentUiEnvelope } from "../../envelope.ts"

type Kind = "text" | "reasoning" | "tool"
type Part = { partId: string; kind: Kind; pieces: string[]; step: number; ended: boolean }
type Fields = Readonly<Record<string, unknown>>

/** The parts of the message that a stream builds, by the step that added them. */
export class MessageParts {
  readonly messageId: string
  /** Every part by an id of its own: a stream may use the id of an ended part again. */
  readonly #parts = new Map<string, Part>()
  /** The part that an id of the stream means now. */
  readonly #meant = new Map<string, Part>()
  #step = 0
  #files = 0

  constructor(messageId: string) {
    this.messageId = messageId
  }

  step(): void {
    this.#step += 1
  }

  nextFile(): string {
    this.#files += 1
    return `${this.messageId}/file/${this.#files}`
  }

  /** Adds to the part that the id means, or opens one. */
  add(id: string, kind: "text" | "reasoning", delta: string): { partId: string; isFirst: boolean } {
    const known = this.#meant.get(`${kind}/${id}`)
    const part = known && !known.ended ? known : this.#open(id, kind)
    part.pieces.push(delta)
    return { partId: part.partId, isFirst: part !== known }
  }

  end(id: string, kind: "text" | "reasoning"): { partId: string; text: string } {
    const part = this.#meant.get(`${kind}/${id}`)
    if (part) part.ended = true
    return { partId: part?.partId ?? id, text: part?.pieces.join("") ?? "" }
  }

  /** Whether the call is new to the message. */
  call(id: string): boolean {
    if (this.#meant.has(`tool/${id}`)) return false
    this.#open(id, "tool")
    return true
  }

  callEnded(id: string): void {
    const part = this.#meant.get(`tool/${id}`)
    if (part) part.ended = true
  }

  said(type: string, partId: string, phase: string, payload: Fields): AgentUiEnvelope {
    const { messageId } = this
    return { type, messageId, partId, owner: "model", scope: "part", phase, surface: "conversation", payload }
  }

  /** Takes back what this step added; a call of it that still runs is no longer waited for. */
  resetStep(): AgentUiEnvelope[] {
    const gone = [...this.#parts.values()].filter((part) => part.step === this.#step)
    for (const [id, part] of this.#meant) if (part.step === this.#step) this.#meant.delete(id)
    for (const { partId } of gone) this.#parts.delete(partId)
    const cut = gone.filter((part) => part.kind === "tool" && !part.ended)
    return [...cut.map(({ partId }) => this.#cancelled(partId)), this.#snapshot(gone)]
  }

  #open(id: string, kind: Kind): Part {
    const partId = this.#parts.has(id) ? `${id}/${kind}/${this.#parts.size}` : id
    const part: Part = { partId, kind, pieces: [], step: this.#step, ended: false }
    this.#parts.set(partId, part)
    this.#meant.set(`${kind}/${id}`, part)
    return part
  }

  #cancelled(toolCallId: string): AgentUiEnvelope {
    const { messageId } = this
    const payload = { cancelled: true, category: "cancelled", message: "The step was taken back." }
    return {
      type: "tool.failed",
      toolCallId,
      messageId,
      partId: toolCallId,
      owner: "tool",
      scope: "tool_call",
      payload,
    }
  }

  #snapshot(gone: readonly Part[]): AgentUiEnvelope {
    const retracted = gone.map(({ partId, kind }) => ({ partId, kind, retracted: true }))
    const kept = [...this.#parts.values()].map(({ partId, kind, pieces, ended }) =>
      kind === "tool"
        ? { partId, kind, ref: partId }
        : { partId, kind, text: pieces.join(""), state: ended ? "final" : "streaming" },
    )
    const messages = [{ messageId: this.messageId, role: "assistant", parts: [...kept, ...retracted] }]
    return { type: "messages.snapshot", owner: "session", payload: { purpose: "repair", messages } }
  }
}
