import type { Clock } from "../../ports/clock.ts"
import type {
  Append,
  Appended,
  FactLog,
  NotAppended,
  PlacedFact,
  SavedState,
  StoredFact,
} from "../../ports/log.ts"
import type { Pruned } from "./flight.ts"
import type { Incident } from "./inspect.ts"
import { Reader, stateDigest } from "./reader.ts"
import { Tails } from "./tails.ts"
import { type Writer, WriterThread } from "./thread.ts"

export type LogParts = {
  path: string
  writer: Writer
  clock: Clock
  incidents: Incident[]
  /** Gives the directory back, after the last byte is written. */
  release: () => void
}

export class SqliteLog implements FactLog {
  readonly #parts: LogParts
  readonly #reader: Reader
  readonly #tails: Tails
  readonly #writer: WriterThread
  #closing: Promise<void> | undefined
  readonly #death = Promise.withResolvers<string>()
  /** Why nothing can be written any more; settled only when the writer ends without having been asked to. */
  readonly died: Promise<string> = this.#death.promise

  constructor(parts: LogParts) {
    this.#parts = parts
    this.#reader = new Reader(parts.path)
    this.#tails = new Tails()
    this.#writer = new WriterThread(
      parts.writer,
      (batch, { sequence, position }) =>
        this.#tails.publish(batch.stream, () => storedFacts(batch, sequence, position)),
      this.#death.resolve,
    )
  }

  get incidents(): readonly Incident[] {
    return this.#parts.incidents
  }

  append(batch: Append): Promise<Appended | NotAppended> {
    if (this.#closing) return Promise.resolve({ ok: false, code: "closed" })
    return new Promise((done) =>
      this.#writer.add({ kind: "append", batch, at: this.#parts.clock.now(), done }),
    )
  }

  head(stream: string): number {
    return this.#reader.head(stream)
  }

  read(stream: string, after: number, limit: number): StoredFact[] {
    return this.#reader.read(stream, after, limit)
  }

  readBefore(stream: string, before: number, limit: number): StoredFact[] {
    return this.#reader.readBefore(stream, before, limit)
  }

  tail(stream: string, after: number, signal: AbortSignal) {
    const read = (from: number, limit: number) =>
      this.#reader.read(stream, from, limit).map((fact) => ({ ...fact, stream }))
    return this.#tails.tail(stream, read, after, signal)
  }

  readAll(after: number, limit: number): PlacedFact[] {
    return this.#reader.readAll(after, limit)
  }

  tailAll(after: number, signal: AbortSignal) {
    return this.#tails.tailAll((from, limit) => this.#reader.readAll(from, limit), after, signal)
  }

  claimed(key: string) {
    return this.#reader.claimed(key)
  }

  owing() {
    return this.#reader.owing()
  }

  async saveState({ stream, sequence, text }: SavedState): Promise<boolean> {
    if (this.#closing) return false
    const state = { stream, sequence, text, digest: stateDigest({ stream, sequence, text }) }
    return new Promise((done) => this.#writer.add({ kind: "state", state, done }))
  }

  loadState(stream: string): SavedState | undefined {
    const state = this.#reader.loadState(stream)
    if (state !== "damaged") return state
    const detail = `the saved state of ${stream} was discarded; it is rebuilt from the log`
    const { incidents } = this.#parts
    if (!incidents.some((known) => known.detail === detail)) incidents.push({ code: "state_damaged", detail })
    return undefined
  }

  streams(options: { limit: number; before?: number }) {
    return this.#reader.streams(options)
  }

  async prune(before: number): Promise<number> {
    let total = 0
    let after: number | undefined = 0
    while (after !== undefined && !this.#closing) {
      const part: Pruned = await this.#pruneAfter(before, after)
      total += part.pruned
      after = part.next
    }
    return total
  }

  #pruneAfter(before: number, after: number): Promise<Pruned> {
    return new Promise((done) => this.#writer.add({ kind: "prune", before, after, done }))
  }

  /** The room that the file may take; appends beyond it answer `write_failed`. */
  limitPages(pages: number): Promise<void> {
    return new Promise<void>((done) => this.#writer.add({ kind: "pages", pages, done }))
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close() {
    this.#tails.close()
    // What waits is written first. The writer closes last, since the last one to close empties the WAL.
    await new Promise<void>((done) => this.#writer.add({ kind: "drain", done }))
    this.#reader.close()
    await this.#writer.close()
    this.#parts.release()
  }
}

function storedFacts({ stream, facts }: Append, sequence: number, position: number): PlacedFact[] {
  const [firstSequence, firstPosition] = [sequence - facts.length + 1, position - facts.length + 1]
  return facts.map(({ text }, i) => ({
    stream,
    sequence: firstSequence + i,
    position: firstPosition + i,
    text,
  }))
}
