import type { Gate } from "./admission.ts"
import type { Grant } from "./grant.ts"

const EVERY_MS = 1000

/** Streams and channels that were opened with a token end when it does. */
export class Leases {
  readonly #gate: Gate
  readonly #held = new Map<object, { grant: Grant; end: () => void }>()
  #timer: NodeJS.Timeout | undefined

  constructor(gate: Gate) {
    this.#gate = gate
  }

  /** Gives back what to call when the stream has ended by itself. */
  take(grant: Grant, end: () => void): () => void {
    const key = {}
    this.#held.set(key, { grant, end })
    this.#timer ??= setInterval(() => this.check(), EVERY_MS).unref()
    return () => {
      this.#held.delete(key)
      if (this.#held.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  check(): void {
    // Many streams may have been opened with one token, and each look asks the file system.
    const grants = new Map([...this.#held.values()].map(({ grant }) => [grant.id, grant]))
    const lost = new Set([...grants.values()].filter((one) => !this.#gate.holds(one)).map(({ id }) => id))
    for (const { grant, end } of [...this.#held.values()]) if (lost.has(grant.id)) end()
  }
}
