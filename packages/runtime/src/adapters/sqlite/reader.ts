import { hash } from "node:crypto"
import { DatabaseSync } from "node:sqlite"
import type { PlacedFact, SavedState, StoredFact, StreamHead } from "../../ports/log.ts"
import { integer, type Row, text } from "./columns.ts"
import { eraOf, SPAN } from "./schema.ts"

/** The reading side of the file, on the main thread. In WAL mode it never waits for the writer. */
export class Reader {
  readonly #db: DatabaseSync
  readonly #sql: ReturnType<typeof prepare>

  constructor(path: string) {
    this.#db = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
    this.#sql = prepare(this.#db)
  }

  head(stream: string): number {
    return integer(this.#sql.head.get(stream), "sequence")
  }

  read(stream: string, after: number, limit: number): StoredFact[] {
    return this.#sql.after.all(stream, Math.max(after, 0), stream, limit).map(storedFact)
  }

  readBefore(stream: string, before: number, limit: number): StoredFact[] {
    return this.#sql.before.all(stream, Math.min(before, SPAN), stream, limit).map(storedFact).reverse()
  }

  /**
   * Positions have no index, since every append would pay for it: the streams that moved since are searched
   * one by one, window by window. Positions rise within a stream and have few holes.
   */
  readAll(after: number, limit: number): PlacedFact[] {
    const moved = this.#sql.moved.all(eraOf(after), after)
    const newest = moved.reduce((most, row) => Math.max(most, integer(row, "position")), 0)
    const found: PlacedFact[] = []
    for (let from = after; found.length < limit && from < newest; from += limit) {
      const window = moved.flatMap((row) => this.#between(row, from, from + limit))
      found.push(...window.sort((a, b) => a.position - b.position))
    }
    return found.slice(0, limit)
  }

  /** The facts of a stream whose position is after `from` and not after `to`. */
  #between(row: Row, from: number, to: number): PlacedFact[] {
    if (integer(row, "position") <= from) return []
    const [start, stream] = [integer(row, "id") * SPAN, text(row, "name")]
    const found: PlacedFact[] = []
    const first = this.#firstAfter(start, integer(row, "sequence"), from)
    for (const fact of this.#sql.onward.iterate(start + first, start + SPAN)) {
      if (integer(fact, "position") > to) break
      found.push({ ...storedFact(fact), stream })
    }
    return found
  }

  /** The first sequence that may have a position after `from`. */
  #firstAfter(start: number, head: number, from: number): number {
    let [low, high] = [1, head]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const fact = this.#sql.onward.get(start + middle, start + SPAN)
      if (fact !== undefined && integer(fact, "position") <= from) low = integer(fact, "sequence") + 1
      else high = middle
    }
    return low
  }

  claimed(key: string): string | undefined {
    const row = this.#sql.claimed.get(key)
    return row && text(row, "value")
  }

  owing(): string[] {
    return this.#sql.owing.all().map((row) => text(row, "name"))
  }

  streams({ limit, before }: { limit: number; before?: number }): StreamHead[] {
    const end = before ?? Number.MAX_SAFE_INTEGER
    return this.#sql.streams.all(eraOf(end), end, limit).map((row) => ({
      stream: text(row, "name"),
      sequence: integer(row, "sequence"),
      position: integer(row, "position"),
      updated_at: integer(row, "updated_at"),
    }))
  }

  /** A state is believed when its digest fits and the log reaches as far as it does. */
  loadState(stream: string): SavedState | "damaged" | undefined {
    const row = this.#sql.state.get(stream)
    if (!row) return undefined
    const state = { stream, sequence: integer(row, "sequence"), text: text(row, "text") }
    if (stateDigest(state) !== text(row, "digest") || state.sequence > this.head(stream)) return "damaged"
    return state
  }

  close() {
    this.#db.close()
  }
}

export function stateDigest({ stream, sequence, text }: SavedState): string {
  return hash("sha256", `${stream}\n${sequence}\n${text}`)
}

function storedFact(row: Row): StoredFact {
  return { sequence: integer(row, "sequence"), position: integer(row, "position"), text: text(row, "text") }
}

function prepare(db: DatabaseSync) {
  const facts = `select id % ${SPAN} as sequence, position, text from facts`
  const start = `(select id from streams where name = ?) * ${SPAN}`
  return {
    head: db.prepare("select sequence from streams where name = ?"),
    after: db.prepare(`${facts} where id > ${start} + ? and id < ${start} + ${SPAN} order by id limit ?`),
    before: db.prepare(`${facts} where id < ${start} + ? and id > ${start} order by id desc limit ?`),
    moved: db.prepare("select id, name, sequence, position from streams where era >= ? and position > ?"),
    onward: db.prepare(`${facts} where id >= ? and id < ? order by id`),
    claimed: db.prepare("select value from claims where key = ?"),
    owing: db.prepare("select name from streams where owing = 1 order by position"),
    streams: db.prepare(
      `select name, sequence, position, updated_at from streams
       where era <= ? and position < ? order by era desc, position desc limit ?`,
    ),
    state: db.prepare("select sequence, text, digest from states where stream = ?"),
  }
}
