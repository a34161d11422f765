import type { PlacedFact } from "@factum/runtime"
import type { Pace } from "./pace.ts"
import type { Source } from "./source.ts"
import type { View } from "./view.ts"

/** Where a subscriber's bytes go. */
export type Sink = {
  write(batch: Buffer, facts: readonly PlacedFact[]): void
  /** Bytes that the reader has not taken yet. */
  waiting(): number
  /** Says that the stream still stands; `at` is how far it has come. */
  beat(at: number): void
}

/** Why a subscriber is no longer served by its feed. */
export type Leaving = "behind" | "gone" | "ended" | "failed"

export type Subscriber = {
  sink: Sink
  cursor: number
  leave: (why: Leaving) => void
}

type Pending = { at: number; line: string | undefined; fact: PlacedFact }

/**
 * One reading of the log for all who want the same of it: each batch is encoded once and written to each of
 * them. What comes after a quiet time goes out at once; what follows shortly after shares one write.
 */
export class Feed {
  readonly #source: Source
  readonly #view: View
  readonly #pace: Pace
  readonly #subscribers = new Set<Subscriber>()
  readonly #stopping = new AbortController()
  readonly #onEmpty: () => void
  readonly #heartbeat: NodeJS.Timeout
  #cursor: number
  #pending: Pending[] = []
  #timer: NodeJS.Timeout | undefined
  #lastWrite = Number.NEGATIVE_INFINITY

  constructor(source: Source, view: View, pace: Pace, after: number, onEmpty: () => void) {
    this.#source = source
    this.#view = view
    this.#pace = pace
    this.#cursor = after
    this.#onEmpty = onEmpty
    this.#heartbeat = setInterval(() => this.#beat(), pace.heartbeatMs)
    void this.#run()
  }

  /** What was sent to all; who is not as far as this must catch up first. */
  get cursor(): number {
    return this.#cursor
  }

  join(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber)
  }

  leave(subscriber: Subscriber): void {
    if (!this.#subscribers.delete(subscriber) || this.#subscribers.size > 0) return
    this.#stop()
    this.#onEmpty()
  }

  /** Sends what waits and lets everybody go. */
  end(why: Leaving): void {
    this.#flush()
    this.#stop()
    for (const subscriber of [...this.#subscribers]) this.#dismiss(subscriber, why)
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    try {
      for await (const page of this.#source.tail(this.#cursor, signal)) {
        for (const fact of page) {
          const at = this.#source.at(fact)
          this.#pending.push({ at, line: this.#view.line(fact, at), fact })
        }
        this.#schedule()
      }
      if (!signal.aborted) this.end("ended")
    } catch (error) {
      console.error(error)
      this.end("failed")
    }
  }

  #schedule(): void {
    if (this.#timer) return
    const wait = this.#lastWrite + this.#pace.gapMs - performance.now()
    if (wait <= 0) this.#flush()
    else this.#timer = setTimeout(() => this.#flush(), wait)
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const pending = this.#pending
    const last = pending.at(-1)?.at
    if (last === undefined) return
    this.#pending = []
    const before = this.#cursor
    this.#cursor = last
    const batch = this.#encode(pending)
    if (batch !== undefined) this.#lastWrite = performance.now()
    const facts = pending.map(({ fact }) => fact)
    for (const subscriber of this.#subscribers) {
      const { sink, cursor } = subscriber
      // Who joined in the meantime may have read some of this already.
      const own = cursor <= before ? batch : this.#encode(pending.filter(({ at }) => at > cursor))
      if (own !== undefined)
        sink.write(own, cursor <= before ? facts : facts.filter((f) => this.#source.at(f) > cursor))
      subscriber.cursor = Math.max(cursor, last)
      if (sink.waiting() > this.#pace.waitingBytes) this.#dismiss(subscriber, "behind")
    }
  }

  #encode(pending: readonly Pending[]): Buffer | undefined {
    const lines = pending.flatMap(({ line }) => (line === undefined ? [] : [line]))
    return lines.length === 0 ? undefined : Buffer.from(this.#view.batch(lines))
  }

  #dismiss(subscriber: Subscriber, why: Leaving): void {
    this.leave(subscriber)
    subscriber.leave(why)
  }

  #beat(): void {
    if (performance.now() - this.#lastWrite < this.#pace.heartbeatMs) return
    for (const { sink, cursor } of this.#subscribers) if (sink.waiting() === 0) sink.beat(cursor)
  }

  #stop(): void {
    clearInterval(this.#heartbeat)
    clearTimeout(this.#timer)
    this.#stopping.abort()
  }
}
