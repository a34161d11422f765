import type { AiSdkChunk } from "./wire.ts"

type Call = { toolName: string; sent: string; state: "streaming" | "available" | "ended" }

/** The one assistant message that a stream builds: what is open in it. */
export class OpenMessage {
  readonly texts = new Map<string, string>()
  readonly reasonings = new Map<string, string>()
  readonly ended = new Set<string>()
  readonly calls = new Map<string, Call>()
  /** Open approvals with their calls. */
  readonly approvals = new Map<string, string>()
  waiting = false
  #step: "none" | "open" | "answered" = "none"

  /** What a model says after tools answered is the next step. */
  step(): AiSdkChunk[] {
    if (this.#step === "open") return []
    const before: AiSdkChunk[] = this.#step === "answered" ? [{ type: "finish-step" }] : []
    this.#step = "open"
    return [...before, { type: "start-step" }]
  }

  answered(): void {
    if (this.#step === "open") this.#step = "answered"
  }

  endText(id: string): AiSdkChunk[] {
    if (!this.texts.delete(id)) return []
    this.ended.add(id)
    return [{ type: "text-end", id }]
  }

  endReasoning(id: string): AiSdkChunk[] {
    if (!this.reasonings.delete(id)) return []
    this.ended.add(id)
    return [{ type: "reasoning-end", id }]
  }

  closeAll(): AiSdkChunk[] {
    const wasIn = this.#step !== "none"
    this.#step = "none"
    return [
      ...[...this.texts.keys()].flatMap((id) => this.endText(id)),
      ...[...this.reasonings.keys()].flatMap((id) => this.endReasoning(id)),
      ...(wasIn ? [{ type: "finish-step" } as const] : []),
    ]
  }

  /** Nothing moves until a person approves or denies: every call that has not ended is one of those asked about. */
  get rests(): boolean {
    if (!this.waiting || this.approvals.size === 0) return false
    const asked = new Set(this.approvals.values())
    return [...this.calls].every(([id, call]) => call.state === "ended" || asked.has(id))
  }
}
