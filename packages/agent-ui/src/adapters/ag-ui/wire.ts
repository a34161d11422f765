/** The events of AG-UI 1.0 as they go over the wire; checked against the published types in the tests. */
type Base = { timestamp?: number; rawEvent?: unknown; metadata?: Record<string, unknown> }
type Attributed = Base & { subagentRunId?: string }

type InMessage<T> = Attributed & { type: T; messageId: string }
type InCall<T> = Attributed & { type: T; toolCallId: string }
export type TextRole = "developer" | "system" | "assistant" | "user"

type Texts =
  | (InMessage<"TEXT_MESSAGE_START"> & { role?: TextRole; name?: string })
  | (InMessage<"TEXT_MESSAGE_CONTENT"> & { delta: string })
  | InMessage<"TEXT_MESSAGE_END">
  | (Attributed & {
      type: "TEXT_MESSAGE_CHUNK"
      messageId?: string
      role?: TextRole
      delta?: string
      name?: string
    })

type Reasonings =
  | InMessage<"REASONING_START">
  | (InMessage<"REASONING_MESSAGE_START"> & { role: "reasoning" })
  | (InMessage<"REASONING_MESSAGE_CONTENT"> & { delta: string })
  | InMessage<"REASONING_MESSAGE_END">
  | (Attributed & { type: "REASONING_MESSAGE_CHUNK"; messageId?: string; delta?: string })
  | InMessage<"REASONING_END">
  | (Attributed & {
      type: "REASONING_ENCRYPTED_VALUE"
      subtype: "tool-call" | "message"
      entityId: string
      encryptedValue: string
    })

type Calls =
  | (InCall<"TOOL_CALL_START"> & { toolCallName: string; parentMessageId?: string })
  | (InCall<"TOOL_CALL_ARGS"> & { delta: string })
  | InCall<"TOOL_CALL_END">
  | (Attributed & {
      type: "TOOL_CALL_CHUNK"
      toolCallId?: string
      toolCallName?: string
      parentMessageId?: string
      delta?: string
    })
  | (InCall<"TOOL_CALL_RESULT"> & { messageId: string; content: string | ContentPart[]; role?: "tool" })

export type PartSource =
  | { type: "data"; value: string; mimeType: string }
  | { type: "url"; value: string; mimeType?: string }
  | { type: "file"; value: string; provider?: string; mimeType?: string }
export type ContentPart =
  | { type: "text"; id?: string; text: string; metadata?: unknown }
  | {
      type: "image" | "audio" | "video" | "document"
      id?: string
      source: PartSource
      metadata?: unknown
    }

export type JsonPatch = readonly { op: string; path: string; value?: unknown; from?: string }[]
type States =
  | (Attributed & { type: "STATE_SNAPSHOT"; snapshot: unknown })
  | (Attributed & { type: "STATE_DELTA"; delta: JsonPatch })
  | (Base & { type: "MESSAGES_SNAPSHOT"; messages: AgUiMessage[] })
  | (InMessage<"ACTIVITY_SNAPSHOT"> & {
      activityType: string
      content: Record<string, unknown>
      replace?: boolean
    })
  | (InMessage<"ACTIVITY_DELTA"> & { activityType: string; patch: JsonPatch })

type Said = { id: string; name?: string; metadata?: Record<string, unknown>; subagentRunId?: string }
export type AgUiMessage =
  | (Said & { role: "developer" | "system"; content: string })
  | (Said & { role: "assistant"; content?: string; toolCalls?: AgUiToolCall[] })
  | (Said & { role: "user"; content: string | ContentPart[] })
  | (Omit<Said, "name"> & {
      role: "tool"
      content: string | ContentPart[]
      toolCallId: string
      error?: string
    })
  | (Omit<Said, "name"> & { role: "activity"; activityType: string; content: Record<string, unknown> })
  | (Omit<Said, "name"> & { role: "reasoning"; content: string })
export type AgUiToolCall = { id: string; type: "function"; function: { name: string; arguments: string } }

export type Interrupt = {
  id: string
  reason: string
  message?: string
  toolCallId?: string
  responseSchema?: Record<string, unknown>
  expiresAt?: string
  subagentRunId?: string
  metadata?: Record<string, unknown>
}
export type ResumeEntry = { interruptId: string; status: "resolved" | "cancelled"; payload?: unknown }
export type RunOutcome =
  | { type: "success"; pendingToolCallIds?: string[] }
  | { type: "interrupt"; interrupts: Interrupt[] }
  | { type: "cancelled" }

type Runs =
  | (Base & {
      type: "RUN_STARTED"
      threadId: string
      runId: string
      protocolVersion?: string
      parentRunId?: string
    })
  | (Base & {
      type: "RUN_FINISHED"
      threadId: string
      runId: string
      result?: unknown
      outcome?: RunOutcome
      usage?: Record<string, unknown>[]
    })
  | (Base & { type: "RUN_ERROR"; message: string; code?: string; usage?: Record<string, unknown>[] })
  | (Attributed & { type: "STEP_STARTED" | "STEP_FINISHED"; stepName: string })
  | (Base & {
      type: "SUBAGENT_STARTED"
      subagentRunId: string
      name: string
      description?: string
      parentSubagentRunId?: string
      parentToolCallId?: string
      parentMessageId?: string
    })
  | (Base & {
      type: "SUBAGENT_FINISHED"
      subagentRunId: string
      result?: unknown
      outcome?: { type: "success" } | { type: "suspended"; interruptIds?: string[] }
    })
  | (Base & { type: "SUBAGENT_ERROR"; subagentRunId: string; message: string; code?: string })

type Others =
  | (Attributed & { type: "RAW"; event: unknown; source?: string })
  | (Attributed & { type: "CUSTOM"; name: string; value: unknown })

export type AgUiEvent = Texts | Reasonings | Calls | States | Runs | Others
export type AgUiType = AgUiEvent["type"]
