import type { Fact } from "@factum/client"
import { type Conversation, emptyConversation } from "./conversation.ts"
import { applyFact, type Turns } from "./turns.ts"

export type Range = { from: number; to: number }
/** Where deltas may have been pruned; those of the request, once it has ended, are of no use. */
type Superseded = Range & { request_id?: string }

/**
 * The facts held of one session and the conversation that they tell. However they come (split, repeated,
 * out of order), the same facts tell the same conversation.
 */
export class Ledger {
  #held = new Map<number, Fact>()
  /** Sequences up to here are before the window. */
  #start = 0
  /** Sequences up to here are in the conversation. */
  #head = 0
  #top = 0
  #superseded: Superseded[] = []
  #lost: Range[] = []
  #conversation = emptyConversation

  get conversation(): Conversation {
    return this.#conversation
  }

  /** Where to resume. */
  get head(): number {
    return this.#head
  }

  /** Whether facts are missing that the host could not give again. */
  get incomplete(): boolean {
    return this.#lost.some(({ from, to }) => {
      for (let at = from; at <= to; at++) if (!this.#held.has(at)) return true
      return false
    })
  }

  /** The hole that holds the conversation back, if any. A pruned range is none. */
  get gap(): Range | undefined {
    if (this.#top <= this.#head) return undefined
    let to = this.#head + 1
    while (to < this.#top && !this.#held.has(to + 1)) to++
    return { from: this.#head + 1, to }
  }

  /** A window of history, oldest first, that reaches to what is held, or to `sequence` when nothing is. */
  load(history: readonly Fact[], sequence: number): void {
    const first = history[0]
    if (this.#held.size === 0) this.#start = sequence
    if (first !== undefined) this.#start = Math.min(this.#start, first.sequence - 1)
    for (const fact of history) this.#hold(fact)
    this.#rebuild()
  }

  take(facts: readonly Fact[]): void {
    const fresh = facts.filter((fact) => this.#isNew(fact))
    if (fresh.length === 0) return
    for (const fact of fresh) this.#hold(fact)
    if (fresh.some((fact) => fact.sequence <= this.#head)) this.#rebuild()
    else this.#advance()
  }

  /** Goes on without the facts of the hole, and says so. They are taken in if they come after all. */
  giveUpGap(): void {
    const { gap } = this
    if (gap === undefined) return
    this.#lost.push(gap)
    this.#advance()
  }

  #isNew(fact: Fact): boolean {
    const { sequence } = fact
    if (sequence <= this.#start || this.#held.has(sequence)) return false
    return !this.#superseded.some((range) => covers(range, fact))
  }

  #hold(fact: Fact): void {
    this.#held.set(fact.sequence, fact)
    this.#top = Math.max(this.#top, fact.sequence)
    const range = supersededBy(fact)
    if (range === undefined) return
    this.#superseded.push(range)
    for (let at = range.from; at <= range.to; at++) {
      const delta = this.#held.get(at)
      if (delta !== undefined && covers(range, delta)) this.#held.delete(at)
    }
  }

  #rebuild(): void {
    this.#head = this.#start
    this.#conversation = emptyConversation
    this.#advance()
  }

  #advance(): void {
    const turns: Turns = new Map(this.#conversation.turns)
    let next: Conversation = { ...this.#conversation, turns }
    while (this.#head < this.#top) {
      const at = this.#head + 1
      const fact = this.#held.get(at)
      if (fact !== undefined) next = applyFact(next, turns, fact)
      else if (!explained(this.#superseded, at) && !explained(this.#lost, at)) break
      this.#head = at
    }
    this.#conversation = next
  }
}

const explained = (ranges: readonly Range[], at: number): boolean =>
  ranges.some(({ from, to }) => from <= at && at <= to)

function covers({ from, to, request_id }: Superseded, fact: Fact): boolean {
  if (fact.type !== "model.delta" && fact.type !== "reasoning.delta") return false
  return from <= fact.sequence && fact.sequence <= to && fact.payload.request_id === request_id
}

function supersededBy({ type, payload }: Fact): Superseded | undefined {
  switch (type) {
    case "model.completed":
    case "model.failed":
      return payload.supersedes && { ...payload.supersedes, request_id: payload.request_id }
    case "reasoning.summary":
      // The first delta of the part still tells its place among the others.
      return payload.supersedes
    case "tool.args":
      return payload.final ? payload.supersedes : undefined
    case "tool.result":
    case "tool.failed":
      return payload.supersedes
    case "action.resolved":
      return payload.reason === "answered" ? payload.supersedes : undefined
    default:
      return undefined
  }
}
