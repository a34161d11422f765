import type { Fact } from "./facts.ts"
import { applyFact } from "./turns.ts"

export type Part = {
  key: string
  kind: "text" | "structured" | "reasoning" | "tool_call"
  text: string
  tool?: string
}

export type RequestView = {
  request_id: string
  ended: boolean
  parts: readonly Part[]
  failure?: { category: string; reason: string; retryable: boolean }
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
  started_at?: string
  ended_at?: string
}

export type Queued = { queued_turn_id: string; turn_id: string; state: "waiting" | "held" }
export type Range = { from: number; to: number }

export type Conversation = {
  /** The last sequence that is folded in. */
  head: number
  title: string
  thread_id?: string
  turns: ReadonlyMap<string, TurnView>
  /** Turns in the order in which they were shown first: started, or ended without a start. */
  order: readonly string[]
  queue: readonly Queued[]
  removed: ReadonlySet<string>
  /** Facts beyond a hole; they wait until the hole is filled, explained or given up. */
  waiting: readonly Fact[]
  /** Holes that the host could not fill either. */
  lost: readonly Range[]
}

/** A conversation whose first fact has the sequence `head + 1`. */
export const emptyConversation = (head = 0): Conversation => ({
  head,
  title: "",
  turns: new Map(),
  order: [],
  queue: [],
  removed: new Set(),
  waiting: [],
  lost: [],
})

/** Folds facts that may be repeated or come after a hole. Only the turns they touch change identity. */
export function project(before: Conversation, facts: readonly Fact[]): Conversation {
  const arrived = ordered(before, facts)
  if (arrived.length === 0) return before
  const pruned = arrived.flatMap(supersededBy)
  const turns = new Map(before.turns)
  let next: Conversation = { ...before, turns }
  let taken = 0
  for (const fact of arrived) {
    if (!covered({ from: next.head + 1, to: fact.sequence - 1 }, pruned)) break
    next = { ...applyFact(next, turns, fact), head: fact.sequence }
    taken++
  }
  return { ...next, waiting: arrived.slice(taken) }
}

/** The hole that holds the projection back, if any: the store fetches again from `head`. */
export function gapOf({ head, waiting }: Conversation): Range | undefined {
  const first = waiting[0]
  return first === undefined ? undefined : { from: head + 1, to: first.sequence - 1 }
}

/** Goes on without the facts of the hole, and says so in `lost`. */
export function giveUpGap(before: Conversation): Conversation {
  const gap = gapOf(before)
  if (gap === undefined) return before
  return project({ ...before, head: gap.to, lost: [...before.lost, gap] }, [])
}

function ordered(before: Conversation, facts: readonly Fact[]): Fact[] {
  const bySequence = new Map<number, Fact>()
  for (const fact of [...before.waiting, ...facts]) {
    if (fact.sequence > before.head && !bySequence.has(fact.sequence)) bySequence.set(fact.sequence, fact)
  }
  return [...bySequence.values()].sort((a, b) => a.sequence - b.sequence)
}

function supersededBy(fact: Fact): Range[] {
  switch (fact.type) {
    case "model.completed":
    case "model.failed":
    case "reasoning.summary":
      return fact.payload.supersedes === undefined ? [] : [fact.payload.supersedes]
    default:
      return []
  }
}

function covered({ from, to }: Range, ranges: readonly Range[]): boolean {
  let at = from
  while (at <= to) {
    const range = ranges.find((r) => r.from <= at && at <= r.to)
    if (range === undefined) return false
    at = range.to + 1
  }
  return true
}
