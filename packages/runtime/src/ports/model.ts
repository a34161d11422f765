import type { InputPart } from "@factum/facts"

export type ModelMessage = { role: "user" | "assistant"; parts: readonly InputPart[] | string }
export type ModelCall = { model: string; messages: readonly ModelMessage[]; signal: AbortSignal }

/** What a provider gives, in order. The last chunk is `finish` or `error`; a stream that just ends was cut. */
export type ModelChunk =
  | { kind: "text" | "structured" | "reasoning"; part_id: string; text: string }
  | { kind: "reasoning_summary"; part_id: string; text: string }
  | { kind: "tool_call"; part_id: string; call_id: string; tool: string; arguments: string }
  /** The provider's own final text of a part, where it gives one. */
  | { kind: "final"; part_id: string; text: string }
  | {
      kind: "finish"
      finish: "stop" | "length" | "tool_calls" | "content_filter" | "other"
      usage: { input_tokens: number | "unknown"; output_tokens: number | "unknown" }
    }
  | {
      kind: "error"
      category: "provider_error" | "rate_limited" | "malformed"
      reason: string
      retryable: boolean
    }

/** A model does not throw: it ends with `finish` or `error`. */
export interface Model {
  readonly provider: string
  readonly name: string
  stream(call: ModelCall): AsyncIterable<ModelChunk>
}
