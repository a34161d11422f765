import type { Declaration } from "./declaration/normalized.ts"
import type { Authority, Executor } from "./executor.ts"
import type { ProtocolIssue } from "./issues.ts"
import type { Limits } from "./limits.ts"
import type { ParseNote } from "./notes.ts"

/** The native call that carries a declaration. */
export const carrierName = "AgentProtocolOutput"

export type MessageCall = { id: string; name: string; arguments: string }

/** What a model said in one turn. `complete`: the provider ended it by itself, neither cut nor aborted. */
export type AssistantMessage = { text: string; calls: readonly MessageCall[]; complete: boolean }

export type Setup = {
  authority: Authority
  executors: readonly Executor[]
  limits?: Partial<Limits>
  /** Present for an agent that works on an action of another. */
  assignment?: { action_id: string }
  /** Whether clear violations may be recovered; absent: yes. */
  recover?: boolean
}

export type Read =
  | { kind: "declaration"; declaration: Declaration; log: readonly ParseNote[] }
  | { kind: "answer"; text: string }
  | { kind: "waiting" }
  /** `retry` tells the model what to correct. */
  | { kind: "refused"; issues: readonly ProtocolIssue[]; retry: string; log: readonly ParseNote[] }
