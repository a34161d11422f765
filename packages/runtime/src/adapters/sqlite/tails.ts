import { setImmediate as nextTurn } from "node:timers/promises"
import type { StoredFact } from "../../ports/log.ts"

type Read = (stream: string, after: number, limit: number) => StoredFact[]
type Followed = { wakers: Set<() => void>; recent: StoredFact[]; characters: number; head: number }

const PAGE = 256
const RECENT_FACTS = 1024
const RECENT_CHARACTERS = 1024 * 1024

/**
 * Tails share the newest facts of a stream and hold none of their own:
 * one that fell behind what is shared reads the log again.
 */
export class Tails {
  readonly #read: Read
  readonly #followed = new Map<string, Followed>()
  #closed = false

  constructor(read: Read) {
    this.#read = read
  }

  /** Called once for each append, in the order of the stream. */
  publish(stream: string, facts: () => StoredFact[]) {
    const followed = this.#followed.get(stream)
    if (!followed) return
    for (const fact of facts()) {
      followed.recent.push(fact)
      followed.characters += fact.text.length
      followed.head = fact.sequence
    }
    while (followed.recent.length > RECENT_FACTS || followed.characters > RECENT_CHARACTERS) {
      // Half at a time: dropping one by one moves the whole list for each fact.
      const dropped = followed.recent.splice(0, Math.ceil(followed.recent.length / 2))
      for (const fact of dropped) followed.characters -= fact.text.length
    }
    for (const wake of followed.wakers) wake()
  }

  async *tail(stream: string, after: number, signal: AbortSignal): AsyncGenerator<StoredFact[], void> {
    let wake = () => {}
    const onHint = () => wake()
    const followed = this.#follow(stream, onHint)
    signal.addEventListener("abort", onHint)
    try {
      let cursor = after
      while (!this.#closed && !signal.aborted) {
        const { page, whole } = this.#next(stream, followed, cursor)
        if (page.length > 0) {
          cursor = page.at(-1)?.sequence ?? cursor
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
      if (followed.wakers.size === 0) this.#followed.delete(stream)
    }
  }

  close() {
    this.#closed = true
    for (const { wakers } of this.#followed.values()) for (const wake of wakers) wake()
  }

  #next(stream: string, { recent }: Followed, cursor: number): { page: StoredFact[]; whole: boolean } {
    const oldest = recent[0]?.sequence
    if (oldest !== undefined && cursor + 1 >= oldest) {
      const start = cursor + 1 - oldest
      return { page: recent.slice(start, start + PAGE), whole: recent.length > start + PAGE }
    }
    const page = this.#read(stream, cursor, PAGE)
    return { page, whole: page.length === PAGE }
  }

  #follow(stream: string, hint: () => void): Followed {
    const followed = this.#followed.get(stream) ?? { wakers: new Set(), recent: [], characters: 0, head: 0 }
    followed.wakers.add(hint)
    this.#followed.set(stream, followed)
    return followed
  }
}
