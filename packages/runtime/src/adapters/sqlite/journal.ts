import type { DatabaseSync } from "node:sqlite"
import type { Appended, Claim, NotAppended } from "../../ports/log.ts"
import { integer, text } from "./columns.ts"
import type { Flight, Prune, Pruned } from "./flight.ts"
import { eraOf, factId, SPAN } from "./schema.ts"
import { statements } from "./statements.ts"

type Place = { id: number; sequence: number; position: number; at: number; owing: number }
export type Planned = {
  stream: string
  expected: number
  at: number
  /** Where its facts lie in the flight's columns. */
  first: number
  end: number
  owing: number
  claims: readonly Claim[]
  supersedes: readonly { from: number; to: number }[]
}
export type Outcome = Appended | NotAppended

const PLACES_KEPT = 50_000
const RANGES_A_COMMIT = 256
const CONSTRAINT = 19
const FULL = 13

/** The writing side of the file. Runs in the worker only. */
export class Journal {
  readonly #db: DatabaseSync
  readonly #sql: ReturnType<typeof statements>
  #places = new Map<string, Place>()
  #changed = new Map<string, Place>()
  #position: number
  #streams: number

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#sql = statements(db)
    const last = db.prepare("select max(position) as position, max(id) as id from streams").get()
    this.#position = integer(last, "position")
    this.#streams = integer(last, "id")
  }

  /** All in one commit. When one of them breaks it, each stands for itself: none depends on its neighbours. */
  land(appends: readonly Planned[], flight: Flight): Outcome[] {
    try {
      return this.#commit(() => appends.map((append) => this.#place(append, flight)))
    } catch (error) {
      if (codeOf(error) === CONSTRAINT) return this.#landApart(appends, flight)
      // What is too large for the room that is left must not keep out what still fits.
      if (codeOf(error) === FULL && appends.length > 1)
        return appends.flatMap((append) => this.land([append], flight))
      return appends.map(() => failed(error))
    }
  }

  saveStates(states: Flight["states"]) {
    this.#commit(() => {
      for (const s of states) this.#sql.saveState.run(s.stream, s.sequence, s.text, s.digest)
    })
  }

  /** A bounded part of the work in one commit, so that appends get their turn; `next` says where to go on. */
  prune({ before, after, limit }: Prune): Pruned {
    return this.#commit(() => {
      const ranges = this.#sql.ranges.all(after, before, before, RANGES_A_COMMIT)
      let pruned = 0
      for (const range of ranges) {
        const [id, stream] = [integer(range, "id"), integer(range, "stream")]
        const [first, last] = [
          factId(stream, integer(range, "first")),
          factId(stream, integer(range, "last")),
        ]
        pruned += Number(this.#sql.prune.run(first, last, before, limit - pruned).changes)
        if (pruned >= limit) return { pruned, next: id - 1 }
        if (integer(range, "position") < before) this.#sql.dropRange.run(id)
      }
      return ranges.length < RANGES_A_COMMIT ? { pruned } : { pruned, next: integer(ranges.at(-1), "id") }
    })
  }

  limitPages(pages: number) {
    this.#db.exec(`pragma max_page_count = ${Math.trunc(pages)}`)
  }

  close() {
    this.#db.exec("pragma wal_checkpoint(truncate)")
    this.#db.close()
  }

  #commit<T>(write: () => T): T {
    const before = { position: this.#position, streams: this.#streams }
    try {
      this.#sql.begin.run()
      const result = write()
      for (const [name, place] of this.#changed) this.#keep(name, place)
      this.#sql.commit.run()
      if (this.#places.size > PLACES_KEPT) this.#places.clear()
      for (const [name, place] of this.#changed) this.#places.set(name, place)
      return result
    } catch (error) {
      this.#position = before.position
      this.#streams = before.streams
      // A full disk makes SQLite roll back by itself.
      if (this.#db.isTransaction) this.#sql.rollback.run()
      throw error
    } finally {
      this.#changed.clear()
    }
  }

  #keep(name: string, { id, sequence, position, at, owing }: Place) {
    const known = this.#places.get(name)
    const era = eraOf(position)
    if (known && known.owing === owing && eraOf(known.position) === era) {
      this.#sql.move.run(sequence, position, at, id)
    } else this.#sql.place.run(id, name, sequence, position, at, era, owing)
  }

  #landApart(appends: readonly Planned[], flight: Flight): Outcome[] {
    try {
      return this.#commit(() => appends.map((append) => this.#attempt(append, flight)))
    } catch (error) {
      if (appends.length === 1) return [failed(error)]
      return appends.flatMap((append) => this.#landApart([append], flight))
    }
  }

  #attempt(append: Planned, flight: Flight): Outcome {
    const before = { position: this.#position, streams: this.#streams }
    this.#sql.savepoint.run()
    try {
      return this.#place(append, flight)
    } catch (error) {
      if (!this.#db.isTransaction) throw error
      this.#sql.undo.run()
      this.#position = before.position
      this.#streams = before.streams
      return this.#explain(error, append, flight)
    } finally {
      if (this.#db.isTransaction) this.#sql.release.run()
    }
  }

  #place(append: Planned, flight: Flight): Outcome {
    const known = this.#find(append.stream)
    const head = known?.sequence ?? 0
    if (head !== append.expected) return { ok: false, code: "conflict", head }
    if (head + append.end - append.first >= SPAN) return failed("the stream is full")
    for (const { key } of append.claims) {
      const taken = this.#sql.claimed.get(key)
      if (taken) return { ok: false, code: "claimed", key, value: text(taken, "value") }
    }

    for (const { key, value } of append.claims) this.#sql.claim.run(key, value)
    const owing = append.owing < 0 ? (known?.owing ?? 0) : append.owing
    if (append.first === append.end) {
      if (known && known.owing !== owing) this.#changed.set(append.stream, { ...known, owing })
      return { ok: true, sequence: head, position: known?.position ?? 0 }
    }
    const id = known?.id ?? ++this.#streams
    let sequence = head
    for (let i = append.first; i < append.end; i++) {
      sequence++
      const prunable = flight.prunable[i] ? 1 : 0
      this.#sql.fact.run(factId(id, sequence), ++this.#position, prunable, flight.texts[i] ?? "")
      this.#sql.eventId.run(flight.eventIds[i] ?? "", id, sequence)
    }
    for (const { from, to } of append.supersedes) {
      // Facts that are yet to come cannot have been superseded.
      this.#sql.supersede.run(id, Math.max(from, 1), Math.min(to, sequence), this.#position)
    }
    this.#changed.set(append.stream, { id, sequence, position: this.#position, at: append.at, owing })
    return { ok: true, sequence, position: this.#position }
  }

  #find(stream: string): Place | undefined {
    const place = this.#changed.get(stream) ?? this.#places.get(stream)
    if (place) return place
    const row = this.#sql.find.get(stream)
    if (!row) return undefined
    const found = {
      id: integer(row, "id"),
      sequence: integer(row, "sequence"),
      position: integer(row, "position"),
      at: integer(row, "updated_at"),
      owing: integer(row, "owing"),
    }
    this.#places.set(stream, found)
    return found
  }

  #explain(error: unknown, append: Planned, flight: Flight): NotAppended {
    if (codeOf(error) !== CONSTRAINT) return failed(error)
    const eventIds = flight.eventIds.slice(append.first, append.end)
    const repeated = eventIds.find(
      (id, i) => eventIds.indexOf(id) < i || this.#sql.known.get(id) !== undefined,
    )
    if (repeated !== undefined) return { ok: false, code: "duplicate_event", event_id: repeated }
    const earlier = append.claims.find(({ key }, i) => append.claims.some((c, j) => j > i && c.key === key))
    return earlier ? { ok: false, code: "claimed", ...earlier } : failed(error)
  }
}

function failed(error: unknown): NotAppended {
  return { ok: false, code: "write_failed", reason: error instanceof Error ? error.message : String(error) }
}

function codeOf(error: unknown): number | undefined {
  return error instanceof Error && "errcode" in error ? Number(error.errcode) % 256 : undefined
}
