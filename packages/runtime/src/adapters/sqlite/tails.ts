import { setImmediate as nextTurn } from "node:timers/promises"
import type { PlacedFact } from "../../ports/log.ts"

type Order = "sequence" | "position"
type Read = (after: number, limit: number) => PlacedFact[]
type Followed = {
  order: Order
  wakers: Set<() => void>
  recent: PlacedFact[]
  characters: number
  head: number
}

const PAGE = 256
const RECENT_FACTS = 1024
const RECENT_CHARACTERS = 1024 * 1024

/**
 * Tails share the newest facts of a stream, or of all, and hold none of their own:
 * one that fell behind what is shared reads the log again.
 */
export class Tails {
  readonly #streams = new Map<string, Followed>()
  #all: Followed | undefined
  #closed = false

  /** Called once for each append, in the order of the log. */
  publish(stream: string, facts: () => PlacedFact[]) {
    const followed = this.#streams.get(stream)
    if (!followed && !this.#all) return
    const fresh = facts()
    if (followed) share(followed, fresh)
    if (this.#all) share(this.#all, fresh)
  }

  async *tail(stream: string, read: Read, after: number, signal: AbortSignal) {
    const followed = this.#streams.get(stream) ?? nobody("sequence")
    this.#streams.set(stream, followed)
    yield* this.#follow(followed, read, after, signal, () => this.#streams.delete(stream))
  }

  async *tailAll(read: Read, after: number, signal: AbortSignal) {
    this.#all ??= nobody("position")
    yield* this.#follow(this.#all, read, after, signal, () => {
      this.#all = undefined
    })
  }

  async *#follow(
    followed: Followed,
    read: Read,
    after: number,
    signal: AbortSignal,
    forget: () => void,
  ): AsyncGenerator<PlacedFact[], void> {
    let wake = () => {}
    const onHint = () => wake()
    followed.wakers.add(onHint)
    signal.addEventListener("abort", onHint)
    try {
      let cursor = after
      while (!this.#closed && !signal.aborted) {
        const { page, whole } = next(followed, read, cursor)
        if (page.length > 0) {
          cursor = page.at(-1)?.[followed.order] ?? cursor
          yield page
        }
        if (whole) {
          await nextTurn()
          continue
        }
        // What was published while the consumer was busy gave no hint that is still to come.
        if (followed.head > cursor || this.#closed || signal.aborted) continue
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    } finally {
      signal.removeEventListener("abort", onHint)
      followed.wakers.delete(onHint)
      if (followed.wakers.size === 0) forget()
    }
  }

  close() {
    this.#closed = true
    for (const { wakers } of this.#streams.values()) for (const wake of wakers) wake()
    for (const wake of this.#all?.wakers ?? []) wake()
  }
}

const nobody = (order: Order): Followed => ({ order, wakers: new Set(), recent: [], characters: 0, head: 0 })

function share(followed: Followed, facts: readonly PlacedFact[]) {
  for (const fact of facts) {
    followed.recent.push(fact)
    followed.characters += fact.text.length
    followed.head = fact[followed.order]
  }
  while (followed.recent.length > RECENT_FACTS || followed.characters > RECENT_CHARACTERS) {
    // Half at a time: dropping one by one moves the whole list for each fact.
    const dropped = followed.recent.splice(0, Math.ceil(followed.recent.length / 2))
    for (const fact of dropped) followed.characters -= fact.text.length
  }
  for (const wake of followed.wakers) wake()
}

function next({ recent, order }: Followed, read: Read, cursor: number) {
  const oldest = recent[0]?.[order]
  if (oldest !== undefined && cursor + 1 >= oldest) {
    const start = cursor + 1 - oldest
    return { page: recent.slice(start, start + PAGE), whole: recent.length > start + PAGE }
  }
  const page = read(cursor, PAGE)
  return { page, whole: page.length === PAGE }
}
