/** Payloads of sessions, runs, plans, text and reasoning. Every field may be missing: what is not said is not known. */
export type SessionPayload = {
  title?: string
  status?: string
  unread?: number | boolean
  pinned?: boolean
  /** How many requests wait for a person, as its owner lists it. */
  openActions?: number
  stale?: boolean
  cursor?: string
  /** Why the session cannot be used, when it cannot. */
  blockedReason?: string
  /** Turns that are no part of the conversation any more. */
  left?: LeftTurns
}
/** What ended from one sequence to another in a thread, but for the turn that was gone back to. */
export type LeftTurns = { threadId?: string; from: number; to: number; kept?: string }
export type SessionHydratedPayload = {
  /** The window that was applied. */
  window?: { from?: number; to?: number; count?: number }
  cursor?: string
  /** The cursor to what is older, when there is more. */
  earlier?: string
  step?: 1 | 2 | 3 | 4 | 5
}

export type RunPayload = {
  status?: string
  title?: string
  detail?: string
  reason?: string
  /** How a status is worded by the runtime, where it differs from the phase. */
  runtimeStatus?: string
  runtimeEntity?: string
  queuedTurnCount?: number
  attempt?: number
  nextTryAt?: string
  checkpoints?: readonly string[]
} & QueueFacts
export type RunFinishedPayload = RunPayload & {
  outcome?: "success" | "cancelled" | "interrupted" | (string & {})
  bookmark?: string
}
export type RunFailedPayload = RunPayload & {
  category?: string
  message?: string
  retryable?: boolean
  next?: string
  diagnosticsRef?: string
}

/** Queue and parallelism facts, kept wherever they come. */
export type QueueFacts = {
  teamPhase?: string
  teamParallelBudget?: number
  teamActiveCount?: number
  teamQueuedCount?: number
  providerConcurrencyGroup?: string
  providerParallelBudget?: number
  queueReason?: string
  retryableOverload?: boolean
}

export type PlanStep = { id?: string; title: string; status?: string }
export type PlanPayload = {
  planId?: string
  delta?: string
  text?: string
  steps?: readonly PlanStep[]
}

export type TextDeltaPayload = { delta?: string; text?: string; role?: MessageRole; clientId?: string }
export type TextFinalPayload = {
  text?: string
  role?: MessageRole
  clientId?: string
  finish?: string
  /** What a person gave with the text, in the person's order. */
  inputs?: readonly InputPartView[]
}
export type MessageRole = "user" | "assistant" | "system" | "tool" | "notification" | (string & {})

export type ReasoningPayload = {
  delta?: string
  /** The whole detail, which replaces what was streamed of it. */
  text?: string
  summary?: string
  /** Whether the provider lets it be read; without it, it is not shown in detail. */
  visible?: boolean
  encryptedRef?: string
}

/** What a person gave beside text: a ref, never bytes. */
export type InputPartView =
  | { kind: "text"; text: string }
  | {
      kind: "image" | "audio" | "video" | "document" | "file"
      ref: string
      mediaType?: string
      name?: string
      bytes?: number
    }
  | { kind: "business"; ref: string; refKind?: string; label?: string; resolved?: boolean }
  | { kind: "capability"; ref: string; label?: string }

export type MessageSnapshot = {
  messageId: string
  role: MessageRole
  author?: string
  agentId?: string
  turnId?: string
  runId?: string
  clientId?: string
  sequence?: number
  timestamp?: string
  parts: readonly MessageSnapshotPart[]
  inputs?: readonly InputPartView[]
}
export type MessageSnapshotPart = {
  partId: string
  kind: string
  text?: string
  state?: "streaming" | "final"
  ref?: string
  /** Its source took it back: it is no part of the message any more. */
  retracted?: boolean
}
export type MessagesSnapshotPayload = {
  messages: readonly MessageSnapshot[]
  /** The window that it covers; messages outside stay. */
  from?: number
  to?: number
  earlier?: string
  /** `repair` corrects what is there, `window` adds what was not loaded. */
  purpose?: "window" | "repair"
}

export type StateSnapshotPayload = { state: unknown; version?: number }
export type StateDeltaPayload = {
  /** RFC 6902, applied whole or not at all. */
  patch: readonly { op: string; path: string; value?: unknown; from?: string }[]
  version?: number
}

export type DiagnosticPayload = {
  diagnosticId?: string
  code?: string
  severity?: "debug" | "info" | "warning" | "error"
  message?: string
  affected?: readonly { kind: string; id: string }[]
  ref?: string
}
export type MetricPayload = { name: string; value: number; unit?: string; limit?: number }
