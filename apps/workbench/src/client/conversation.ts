export type Part = {
  key: string
  kind: "text" | "structured" | "reasoning" | "tool_call"
  text: string
  tool?: string
  /** The final text differed from what was streamed and replaced it. */
  corrected?: true
}

export type Tokens = { input: number; output: number }

export type RequestView = {
  request_id: string
  ended: boolean
  parts: readonly Part[]
  failure?: { category: string; reason: string }
  finish?: string
  /** Absent while a provider did not report it. */
  tokens?: Tokens
}

export type TurnStatus =
  | "unknown"
  | "sending"
  | "unsent"
  | "accepted"
  | "running"
  | "completed"
  | "failed"
  | "cancelled"
  | "timed_out"

export type TurnView = {
  turn_id: string
  status: TurnStatus
  /** Absent while the fact that carries it is outside the window. */
  text?: string
  run?: { phase: string; title: string; detail: string }
  requests: readonly RequestView[]
  outcome?: { category: string; reason: string; next?: string }
  submitted_at?: string
  started_at?: string
  ended_at?: string
}

export type Queued = { queued_turn_id: string; turn_id: string; thread_id: string }

export type Conversation = {
  title: string
  thread_id?: string
  turns: ReadonlyMap<string, TurnView>
  /** Turns in the order in which they got the floor: started, or ended without a start. */
  order: readonly string[]
  queue: readonly Queued[]
  removed: ReadonlySet<string>
}

export const emptyConversation: Conversation = {
  title: "",
  turns: new Map(),
  order: [],
  queue: [],
  removed: new Set(),
}

export const partsOf = (turn: TurnView): Part[] => turn.requests.flatMap((request) => request.parts)

export const ended = (turn: TurnView): boolean =>
  turn.status === "completed" ||
  turn.status === "failed" ||
  turn.status === "cancelled" ||
  turn.status === "timed_out"
