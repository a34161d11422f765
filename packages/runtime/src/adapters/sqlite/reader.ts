import { hash } from "node:crypto"
import { DatabaseSync } from "node:sqlite"
import type { PlacedFact, SavedState, StoredFact, StreamHead } from "../../ports/log.ts"
import { ByPosition } from "./by-position.ts"
import { integer, type Row, text } from "./columns.ts"
import { eraOf, SPAN } from "./schema.ts"

/** The reading side of the file, on the main thread. In WAL mode it never waits for the writer. */
export class Reader {
  readonly #db: DatabaseSync
  readonly #sql: ReturnType<typeof prepare>
  readonly #byPosition: ByPosition

  constructor(path: string) {
    this.#db = new DatabaseSync(path, { readOnly: true, timeout: 5000 })
    this.#sql = prepare(this.#db)
    this.#byPosition = new ByPosition(this.#db)
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

  readAll(after: number, limit: number): PlacedFact[] {
    return this.#byPosition.read(after, limit)
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
    claimed: db.prepare("select value from claims where key = ?"),
    owing: db.prepare("select name from streams where owing = 1 order by position"),
    streams: db.prepare(
      `select name, sequence, position, updated_at from streams
       where era <= ? and position < ? order by era desc, position desc limit ?`,
    ),
    state: db.prepare("select sequence, text, digest from states where stream = ?"),
  }
}
