import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider"
import type { ModelChunk } from "../../ports/model.ts"
import { inputOf } from "./prompt.ts"
import { type Author, type ReplayPart, replayOf } from "./replay.ts"

type Kind = "text" | "structured" | "reasoning" | "tool_call"
type Part = {
  part_id: string
  kind: Kind
  text: string
  call_id: string
  tool: string
  meta?: SharedV4ProviderMetadata
}

/**
 * The parts of one answer, in the order in which they began. Packages reuse the ids of parts, and some go on with the
 * same text after a tool call: here that is a new part, because order is part of what the model said.
 */
export class Parts {
  readonly #prose: "text" | "structured"
  readonly #summarises: boolean
  readonly #parts: Part[] = []
  readonly #open = new Map<string, Part>()

  constructor(prose: "text" | "structured", summarises: boolean) {
    this.#prose = prose
    this.#summarises = summarises
  }

  *take(piece: LanguageModelV4StreamPart): Iterable<ModelChunk> {
    switch (piece.type) {
      case "text-delta":
      case "reasoning-delta": {
        const kind = piece.type === "text-delta" ? this.#prose : "reasoning"
        const part = piece.delta === "" ? this.#existing(kind, piece.id) : this.#prosePart(kind, piece.id)
        this.#note(part, piece.providerMetadata)
        if (part === undefined || piece.delta === "") return
        part.text += piece.delta
        yield { kind, part_id: part.part_id, text: piece.delta }
        return
      }
      case "text-start":
      case "reasoning-start": {
        // A block that only carries the provider's own marks, such as hidden reasoning, is kept for replay alone.
        const kind = piece.type === "text-start" ? this.#prose : "reasoning"
        this.#open.delete(`${kind} ${piece.id}`)
        if (piece.providerMetadata !== undefined)
          this.#note(this.#begin(kind, piece.id), piece.providerMetadata)
        return
      }
      case "text-end":
      case "reasoning-end": {
        const kind = piece.type === "text-end" ? this.#prose : "reasoning"
        const part = this.#existing(kind, piece.id)
        this.#note(part, piece.providerMetadata)
        this.#open.delete(`${kind} ${piece.id}`)
        if (part === undefined || part.text === "" || kind !== "reasoning" || !this.#summarises) return
        yield { kind: "reasoning_summary", part_id: part.part_id, text: part.text }
        return
      }
      case "tool-input-start": {
        if (piece.providerExecuted === true) return
        const part = this.#begin("tool_call", piece.id, piece.toolName)
        this.#note(part, piece.providerMetadata)
        yield callChunk(part, "")
        return
      }
      case "tool-input-delta": {
        const part = this.#existing("tool_call", piece.id)
        if (part === undefined || piece.delta === "") return
        part.text += piece.delta
        yield callChunk(part, piece.delta)
        return
      }
      case "tool-call": {
        if (piece.providerExecuted === true) return
        const known = this.#existing("tool_call", piece.toolCallId)
        const part = known ?? this.#begin("tool_call", piece.toolCallId, piece.toolName)
        this.#note(part, piece.providerMetadata)
        yield* completed(part, piece.input, known === undefined)
        return
      }
      default:
        return
    }
  }

  /** What the same model wants to hear again; undefined when the parts alone say as much. */
  replay(author: Author): string | undefined {
    if (!this.#parts.some(({ meta }) => meta !== undefined)) return undefined
    return replayOf(author, this.#parts.map(replayPart))
  }

  #existing(kind: Kind, id: string): Part | undefined {
    return this.#open.get(`${kind} ${id}`)
  }

  #prosePart(kind: Kind, id: string): Part {
    const part = this.#existing(kind, id)
    if (part === undefined) return this.#begin(kind, id)
    const since = this.#parts.slice(this.#parts.indexOf(part) + 1)
    return since.some((later) => later.kind !== kind) && part.text !== "" ? this.#begin(kind, id) : part
  }

  #begin(kind: Kind, id: string, tool = ""): Part {
    const part = { part_id: `p${this.#parts.length + 1}`, kind, text: "", call_id: id, tool }
    this.#parts.push(part)
    this.#open.set(`${kind} ${id}`, part)
    return part
  }

  #note(part: Part | undefined, meta: SharedV4ProviderMetadata | undefined): void {
    if (part === undefined || meta === undefined) return
    const merged: SharedV4ProviderMetadata = { ...part.meta }
    for (const [name, values] of Object.entries(meta)) merged[name] = { ...merged[name], ...values }
    part.meta = merged
  }
}

function callChunk({ part_id, call_id, tool }: Part, text: string): ModelChunk {
  return { kind: "tool_call", part_id, call_id, tool, arguments: text }
}

/** The whole arguments come last: what the stream left out is added, what it said differently is corrected. */
function* completed(part: Part, input: string, isNew: boolean): Iterable<ModelChunk> {
  const said = part.text
  part.text = input
  if (input.startsWith(said)) {
    if (isNew || input !== said) yield callChunk(part, input.slice(said.length))
  } else yield { kind: "final", part_id: part.part_id, text: input }
}

function replayPart({ kind, text, call_id, tool, meta }: Part): ReplayPart {
  const options = meta === undefined ? {} : { providerOptions: JSON.parse(JSON.stringify(meta)) as Meta }
  if (kind === "tool_call") {
    return { type: "tool-call", toolCallId: call_id, toolName: tool, input: inputOf(text), ...options }
  }
  return { type: kind === "reasoning" ? "reasoning" : "text", text, ...options }
}
type Meta = NonNullable<ReplayPart["providerOptions"]>
