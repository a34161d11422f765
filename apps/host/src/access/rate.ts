export type Rate = { perSecond: number; burst: number }

const mostKeys = 10_000

/** A bucket for each key that fills at a rate and is emptied by asking. */
export class RateLimit {
  readonly #rate: Rate
  readonly #now: () => number
  readonly #buckets = new Map<string, { level: number; at: number }>()

  constructor(rate: Rate, now: () => number = () => performance.now()) {
    this.#rate = rate
    this.#now = now
  }

  /** How many milliseconds to wait; 0 when it may be done now. */
  take(key: string): number {
    const { perSecond, burst } = this.#rate
    const [now, known] = [this.#now(), this.#buckets.get(key)]
    const level =
      known === undefined ? burst : Math.min(burst, known.level + ((now - known.at) / 1000) * perSecond)
    if (level < 1) return Math.ceil(((1 - level) / perSecond) * 1000)
    // Moved to the end: the first ones are those not heard of for longest.
    this.#buckets.delete(key)
    if (this.#buckets.size >= mostKeys) this.#buckets.delete(this.#buckets.keys().next().value ?? "")
    this.#buckets.set(key, { level: level - 1, at: now })
    return 0
  }
}
