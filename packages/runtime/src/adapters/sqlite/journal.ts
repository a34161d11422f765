import type { DatabaseSync } from "node:sqlite"
import type { Appended, Claim, NotAppended } from "../../ports/log.ts"
import { integer, text } from "./columns.ts"
import type { Flight } from "./flight.ts"
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

  /** All in one commit; when one of them breaks it, each alone, so that none depends on its neighbours. */
  land(appends: readonly Planned[], flight: Flight): Outcome[] {
    try {
      return this.#commit(() => appends.map((append) => this.#place(append, flight)))
    } catch (error) {
      const [only] = appends
      if (appends.length === 1 && only) return [this.#explain(error, only, flight)]
      return appends.flatMap((append) => this.land([append], flight))
    }
  }

  saveStates(states: Flight["states"]) {
    this.#commit(() => {
      for (const s of states) this.#sql.saveState.run(s.stream, s.sequence, s.text, s.digest)
    })
  }

  /** At most `limit` facts in one commit, so that appends get their turn. */
  prune(before: number, limit: number): number {
    return this.#commit(() => {
      let pruned = 0
      for (const range of this.#sql.ranges.all()) {
        const [stream, first, last] = [
          integer(range, "stream"),
          integer(range, "first"),
          integer(range, "last"),
        ]
        const gone = Number(this.#sql.prune.run(stream, stream, first, last, before, limit - pruned).changes)
        pruned += gone
        if (pruned >= limit) return pruned
        if (integer(range, "position") < before) this.#sql.dropRange.run(stream, first, last)
      }
      return pruned
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
      for (const [name, place] of this.#changed) {
        this.#sql.place.run(place.id, name, place.sequence, place.position, place.at, place.owing)
      }
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

  #place(append: Planned, flight: Flight): Outcome {
    const known = this.#find(append.stream)
    const head = known?.sequence ?? 0
    if (head !== append.expected) return { ok: false, code: "conflict", head }
    for (const { key } of append.claims) {
      const taken = this.#sql.claimed.get(key)
      if (taken) return { ok: false, code: "claimed", key, value: text(taken, "value") }
    }

    for (const { key, value } of append.claims) this.#sql.claim.run(key, value)
    if (append.first === append.end) return { ok: true, sequence: head, position: known?.position ?? 0 }
    const id = known?.id ?? ++this.#streams
    let sequence = head
    for (let i = append.first; i < append.end; i++) {
      sequence++
      this.#sql.fact.run(id, sequence, ++this.#position, flight.prunable[i] ? 1 : 0, flight.texts[i] ?? "")
      this.#sql.eventId.run(flight.eventIds[i] ?? "", id, sequence)
    }
    for (const { from, to } of append.supersedes) {
      // Facts that are yet to come cannot have been superseded.
      this.#sql.supersede.run(id, from, Math.min(to, sequence), this.#position)
    }
    const owing = append.owing < 0 ? (known?.owing ?? 0) : append.owing
    this.#changed.set(append.stream, { id, sequence, position: this.#position, at: append.at, owing })
    return { ok: true, sequence, position: this.#position }
  }

  #find(stream: string): Place | undefined {
    const place = this.#changed.get(stream) ?? this.#places.get(stream)
    if (place) return place
    const row = this.#sql.find.get(stream)
    if (!row) return undefined
    const [id, sequence, position] = [integer(row, "id"), integer(row, "sequence"), integer(row, "position")]
    const found = { id, sequence, position, at: 0, owing: integer(row, "owing") }
    this.#places.set(stream, found)
    return found
  }

  #explain(error: unknown, append: Planned, flight: Flight): NotAppended {
    const eventIds = flight.eventIds.slice(append.first, append.end)
    const repeated = eventIds.find(
      (id, i) => eventIds.indexOf(id) < i || this.#sql.known.get(id) !== undefined,
    )
    if (isConstraint(error) && repeated !== undefined) {
      return { ok: false, code: "duplicate_event", event_id: repeated }
    }
    const twice = append.claims.find((claim, i) => append.claims.findIndex((c) => c.key === claim.key) < i)
    if (isConstraint(error) && twice) return { ok: false, code: "claimed", ...twice }
    return { ok: false, code: "write_failed", reason: error instanceof Error ? error.message : String(error) }
  }
}

function isConstraint(error: unknown) {
  return error instanceof Error && "errcode" in error && Number(error.errcode) % 256 === 19
}
