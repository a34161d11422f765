import type { EventClass, PayloadOf } from "./events/index.ts"
import type { Control, Owner, Persistence, Phase, Scope, SurfaceName, Topology } from "./taxonomy.ts"

/** The 27 portable fields. A source may add others; they survive with name and value. */
export type AgentUiEnvelope = {
  type: string
  sequence?: number
  timestamp?: string
  sessionId?: string
  threadId?: string
  runId?: string
  turnId?: string
  messageId?: string
  partId?: string
  taskId?: string
  agentId?: string
  parentSessionId?: string
  parentThreadId?: string
  toolCallId?: string
  actionId?: string
  artifactId?: string
  evidenceId?: string
  owner?: Owner
  scope?: Scope
  phase?: Phase
  surface?: SurfaceName | (string & {})
  persistence?: Persistence
  control?: Control | (string & {})
  topology?: Topology
  payload?: Readonly<Record<string, unknown>>
  refs?: UiRefs
  rawEventRef?: string
}

/** An id or ref under a name; arrays and maps are read by the same accessor. */
export type UiRef = { kind: string; ref: string } & Readonly<Record<string, unknown>>
export type UiRefs = readonly (string | UiRef)[] | Readonly<Record<string, unknown>>

/** An event of a baseline class, with the payload of that class. */
export type AgentUiEventOf<T extends EventClass> = Omit<AgentUiEnvelope, "type" | "payload"> & {
  type: T
  payload?: PayloadOf<T>
}
export type StandardEvent = { [T in EventClass]: AgentUiEventOf<T> }[EventClass]
export type AgentUiEvent = StandardEvent | AgentUiEnvelope

/**
 * What one fact of a source became: some events, or none where it is not shown. The frame carries the source's
 * sequence, so that a fact that nobody sees is no gap, and one that became several events takes effect once.
 */
export type UiFrame = {
  /** The sequence space; for the runtime, the session. */
  stream: string
  /** Below zero where the source gave none: then its events take effect as they come. */
  sequence: number
  events: readonly AgentUiEvent[]
  /** Sequences that this frame stands for: missing ones of them are no gap. */
  supersedes?: { from: number; to: number }
}

/** How a stream counts: contiguous ones have gaps, sparse ones do not. */
export type StreamKind = "contiguous" | "sparse"
