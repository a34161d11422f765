import type { FactOf } from "@factum/client"
import type { ActionRequest, Preview } from "@factum/facts"

export type Part = {
  key: string
  kind: "text" | "structured" | "reasoning" | "tool_call"
  text: string
  tool?: string
  /** The model's own name for the call that it proposes. */
  call_id?: string
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

/** A preview, and how large the whole is when that is known. */
export type Excerpt = Preview & { bytes?: number }

export type CallView = {
  tool_call_id: string
  status: "running" | "done" | "failed"
  /** Absent while the fact that names it is outside the window. */
  tool?: string
  /** The request and the name of the call in it. */
  cause?: { request_id: string; call_id: string }
  /** A permission was asked for and is not given yet. */
  asked: boolean
  input?: Excerpt
  output?: Excerpt
  progress?: { note?: string; done?: number; total?: number }
  failure?: { category: string; message: string; next?: string }
  seconds?: number
}

export type ActionView = {
  action_id: string
  tool_call_id?: string
  /** Absent while the fact that asks is outside the window. */
  request?: ActionRequest
  required_at?: string
  resolution?: FactOf<"action.resolved">["payload"]
  resolved_at?: string
}

/** What a turn did, in the order of its first facts. */
export type Step = { kind: "request" | "call" | "action"; id: string }

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
  calls: readonly CallView[]
  actions: readonly ActionView[]
  steps: readonly Step[]
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
  /** Those that belong to no turn. */
  actions: readonly ActionView[]
}

export const emptyConversation: Conversation = {
  title: "",
  turns: new Map(),
  order: [],
  queue: [],
  removed: new Set(),
  actions: [],
}

export const newTurn = (turn_id: string, status: TurnStatus): TurnView => ({
  turn_id,
  status,
  requests: [],
  calls: [],
  actions: [],
  steps: [],
})

export const partsOf = (turn: TurnView): Part[] => turn.requests.flatMap((request) => request.parts)

export const ended = (turn: TurnView): boolean =>
  turn.status === "completed" ||
  turn.status === "failed" ||
  turn.status === "cancelled" ||
  turn.status === "timed_out"

/** Open, and nobody but a person can settle it. */
export const isWaiting = ({ request, resolution }: ActionView): boolean =>
  resolution === undefined && request?.decided_by === "human"

export const waitingActions = (turn: TurnView): ActionView[] => turn.actions.filter(isWaiting)

export const hasAction = ({ turns, actions }: Conversation, action_id: string): boolean =>
  [{ actions }, ...turns.values()].some((of) => of.actions.some((action) => action.action_id === action_id))
