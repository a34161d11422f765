import type { InputPart } from "@factum/facts"

/**
 * A piece of a message. References of `InputPart` are read by the caller and given as `file`; one that still is a
 * reference is only named to the model.
 */
export type ModelPart =
  | InputPart
  | { kind: "file"; media_type: string; bytes: Uint8Array; name?: string }
  | { kind: "tool_call"; call_id: string; tool: string; arguments: string }
  /** Of a `tool` message: one for each call of the assistant's message before it. */
  | {
      kind: "tool_result"
      call_id: string
      tool: string
      output: string
      failed?: boolean
      files?: readonly { media_type: string; bytes: Uint8Array; name?: string }[]
    }

export type ModelMessage = {
  role: "user" | "assistant" | "tool"
  parts: readonly ModelPart[] | string
  /**
   * Of an assistant: `finish.replay` of the answer that the parts came from. The model that gave it gets its own words
   * back, with signed reasoning; another model gets the parts.
   */
  replay?: string
}

export type ToolDefinition = {
  name: string
  description: string
  /** JSON Schema of an object. */
  input_schema: Readonly<Record<string, unknown>>
}

/** How much to think, for models that can. */
export const reasonings = ["none", "low", "medium", "high"] as const
export type Reasoning = (typeof reasonings)[number]

export type ModelCall = {
  model: string
  messages: readonly ModelMessage[]
  signal: AbortSignal
  system?: string
  tools?: readonly ToolDefinition[]
  /** `auto` when not said. */
  tool_choice?: "auto" | "none" | "required" | { tool: string }
  max_output_tokens?: number
  temperature?: number
  /** The provider's own default when not said. */
  reasoning?: Reasoning
  /** JSON Schema that the answer must fit; the text then comes as `structured`. */
  output_schema?: Readonly<Record<string, unknown>>
}

/** `input_tokens` holds the cached ones, `output_tokens` those of reasoning. A count not given is not known. */
export type ModelUsage = {
  input_tokens: number | "unknown"
  output_tokens: number | "unknown"
  cached_tokens?: number
  cache_write_tokens?: number
  reasoning_tokens?: number
}

/**
 * What a provider gives, in order. The last chunk is `finish` or `error`; a stream that just ends was cut.
 * A call may come in several `tool_call` chunks of one `call_id`, `part_id` and `tool`: its arguments are the exact
 * concatenation of theirs, JSON only when whole. Chunks of parallel calls may alternate. Part ids are unique in a
 * stream.
 */
export type ModelChunk =
  | { kind: "text" | "structured" | "reasoning"; part_id: string; text: string }
  | { kind: "reasoning_summary"; part_id: string; text: string }
  | { kind: "tool_call"; part_id: string; call_id: string; tool: string; arguments: string }
  /** The provider's own final text of a part, where it gives one. */
  | { kind: "final"; part_id: string; text: string }
  | {
      kind: "finish"
      finish: "stop" | "length" | "tool_calls" | "content_filter" | "other"
      usage: ModelUsage
      /** For `ModelMessage.replay`. Only the model can read it: not for people, not for facts. */
      replay?: string
    }
  | {
      kind: "error"
      category: "provider_error" | "rate_limited" | "malformed"
      /** For a person; says what to do where that is known. */
      reason: string
      retryable: boolean
      /** What the provider asks to wait. */
      retry_after_ms?: number
      /** HTTP. */
      status?: number
      /** What is missing when someone must act: a key, a model, money. */
      missing?: "credential" | "model" | "quota" | "context_window"
    }

/** A model does not throw: it ends with `finish` or `error`. */
export interface Model {
  readonly provider: string
  readonly name: string
  /** Whether files of this type may be part of a message; without it, none. */
  accepts?(media_type: string): boolean
  stream(call: ModelCall): AsyncIterable<ModelChunk>
}
