import { setImmediate as nextTurn } from "node:timers/promises"
import type { PlacedFact } from "@factum/runtime"
import { Feed, type Leaving, type Sink, type Subscriber } from "./feed.ts"
import type { Pace } from "./pace.ts"
import type { Source } from "./source.ts"
import type { View } from "./view.ts"

const PAGE = 256
const BATCH_CHARACTERS = 64 * 1024

export type FollowedSink = Sink & {
  /** Resolves when the reader has taken something of what waits. */
  drained(signal: AbortSignal): Promise<void>
}

/** How following ended, and the cursor to resume after. */
export type Followed = { why: Exclude<Leaving, "behind"> | "slow"; cursor: number }

/** All feeds of a host: who wants the same from the same source shares one. */
export class Feeds {
  readonly #pace: Pace
  readonly #feeds = new Map<string, Feed>()
  readonly #closing: AbortSignal

  constructor(pace: Pace, closing: AbortSignal) {
    this.#pace = pace
    this.#closing = closing
    closing.addEventListener("abort", () => {
      for (const feed of [...this.#feeds.values()]) feed.end("ended")
    })
  }

  get count(): number {
    return this.#feeds.size
  }

  /** History by reading the log, then live in the shared feed; back to reading when the reader is slow. */
  async follow(
    source: Source,
    view: View,
    after: number,
    sink: FollowedSink,
    gone: AbortSignal,
  ): Promise<Followed> {
    let cursor = after
    for (;;) {
      const caughtUp = await this.#catchUp(source, view, cursor, sink, gone)
      cursor = caughtUp.cursor
      if (caughtUp.why !== "caught up") return { why: caughtUp.why, cursor }
      const left = await this.#live(source, view, cursor, sink, gone)
      cursor = left.cursor
      if (left.why === "behind") {
        if (!(await this.taken(sink, gone))) return { why: gone.aborted ? "gone" : "slow", cursor }
      } else if (left.why !== "again") return { why: left.why, cursor }
    }
  }

  async #catchUp(source: Source, view: View, after: number, sink: FollowedSink, gone: AbortSignal) {
    let cursor = after
    let waiting: { lines: string[]; facts: PlacedFact[]; characters: number } = blank()
    const send = () => {
      if (waiting.lines.length > 0) sink.write(Buffer.from(view.batch(waiting.lines)), waiting.facts)
      waiting = blank()
    }
    for (;;) {
      if (gone.aborted) return { why: "gone" as const, cursor }
      const page = source.read(cursor, PAGE)
      for (const fact of page) {
        cursor = source.at(fact)
        const line = view.line(fact, cursor)
        if (line === undefined) continue
        waiting.lines.push(line)
        waiting.facts.push(fact)
        waiting.characters += line.length
        if (waiting.characters >= BATCH_CHARACTERS) {
          send()
          if (!(await this.taken(sink, gone))) {
            return { why: gone.aborted ? ("gone" as const) : ("slow" as const), cursor }
          }
        }
      }
      if (page.length < PAGE) {
        send()
        return { why: this.#closing.aborted ? ("ended" as const) : ("caught up" as const), cursor }
      }
      await nextTurn()
    }
  }

  /** Resolves when the subscriber is no longer served; "again" when it has to read on before it can join. */
  #live(source: Source, view: View, cursor: number, sink: Sink, gone: AbortSignal) {
    return new Promise<{ why: Leaving | "again"; cursor: number }>((resolve) => {
      if (gone.aborted) return resolve({ why: "gone", cursor })
      const feed = this.#feed(source, view, cursor)
      if (feed.cursor > cursor) return resolve({ why: "again", cursor })
      const onGone = () => {
        feed.leave(subscriber)
        subscriber.leave("gone")
      }
      const subscriber: Subscriber = {
        sink,
        cursor,
        leave(why) {
          gone.removeEventListener("abort", onGone)
          resolve({ why, cursor: subscriber.cursor })
        },
      }
      gone.addEventListener("abort", onGone)
      feed.join(subscriber)
    })
  }

  #feed(source: Source, view: View, after: number): Feed {
    const key = `${source.key} ${view.name}`
    const known = this.#feeds.get(key)
    if (known !== undefined) return known
    const feed: Feed = new Feed(source, view, this.#pace, after, () => {
      if (this.#feeds.get(key) === feed) this.#feeds.delete(key)
    })
    this.#feeds.set(key, feed)
    return feed
  }

  isFull(sink: Pick<Sink, "waiting">): boolean {
    return sink.waiting() > this.#pace.waitingBytes
  }

  /** Whether the reader takes what waits before its time is over. */
  async taken(sink: Pick<FollowedSink, "waiting" | "drained">, gone: AbortSignal): Promise<boolean> {
    while (this.isFull(sink)) {
      const before = sink.waiting()
      await sink.drained(AbortSignal.any([gone, AbortSignal.timeout(this.#pace.stallMs)]))
      if (gone.aborted || sink.waiting() >= before) return false
    }
    return true
  }
}

const blank = () => ({ lines: [], facts: [], characters: 0 })
