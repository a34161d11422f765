/** The chunks of an AI SDK UI message stream as they go over the wire; checked against the published types in the tests. */
type ProviderMetadata = Record<string, Record<string, unknown>>
type Provided = { providerMetadata?: ProviderMetadata }
type Part<T> = Provided & { type: T; id: string }
type Call<T> = { type: T; toolCallId: string }
type Described = Provided & {
  providerExecuted?: boolean
  toolMetadata?: Record<string, unknown>
  dynamic?: boolean
}
type Named = Described & { toolName: string; title?: string }

type Texts =
  | Part<"text-start">
  | (Part<"text-delta"> & { delta: string })
  | (Part<"text-end"> & { citations?: readonly unknown[] })
  | Part<"reasoning-start">
  | (Part<"reasoning-delta"> & { delta: string })
  | Part<"reasoning-end">

type Calls =
  | (Call<"tool-input-start"> & Named & { inputEncoding?: "json" | "text" })
  | (Call<"tool-input-delta"> & { inputTextDelta: string })
  | (Call<"tool-input-available"> & Named & { input: unknown })
  | (Call<"tool-input-error"> & Named & { input: unknown; errorText: string })
  | (Call<"tool-approval-request"> & {
      approvalId: string
      approvalDescriptor?: unknown
      inputSchemaInput?: unknown
      reason?: string
      isAutomatic?: boolean
      signature?: string
    })
  | (Provided & {
      type: "tool-approval-response"
      approvalId: string
      approved: boolean
      reason?: string
      providerExecuted?: boolean
    })
  | (Call<"tool-output-available"> & Described & { output: unknown; preliminary?: boolean })
  | (Call<"tool-output-error"> & Described & { errorText: string })
  | Call<"tool-output-denied">

type Things =
  | (Provided & { type: "source-url"; sourceId: string; url: string; title?: string })
  | (Provided & {
      type: "source-document"
      sourceId: string
      mediaType: string
      title: string
      filename?: string
    })
  | (Provided & { type: "file" | "reasoning-file"; url: string; mediaType: string })
  | (Provided & { type: "custom"; kind: `${string}.${string}` })
  | { type: `data-${string}`; id?: string; data: unknown; transient?: boolean }
  | { type: "steering-message"; id: string; parts: readonly Record<string, unknown>[] }

export type FinishReason = "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other"
type Course =
  | { type: "start"; messageId?: string; messageMetadata?: unknown }
  | { type: "start-step" | "finish-step" | "reset-step" }
  | { type: "finish"; finishReason?: FinishReason; messageMetadata?: unknown }
  | { type: "abort"; reason?: string }
  | { type: "error"; errorText: string }
  | { type: "message-metadata"; messageMetadata: unknown }

export type AiSdkChunk = Texts | Calls | Things | Course
/** Every type that is not `data-*`. */
export type ChunkType = Exclude<AiSdkChunk["type"], `data-${string}`>
