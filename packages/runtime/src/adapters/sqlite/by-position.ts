import type { DatabaseSync } from "node:sqlite"
import type { PlacedFact } from "../../ports/log.ts"
import { integer, type Row, text } from "./columns.ts"
import { eraOf, SPAN } from "./schema.ts"

/** The next fact of a stream that is to be read. */
type Ahead = { id: number; name: string; sequence: number; position: number }
/** Where the streams stand at a cursor. What comes after `through` was not there when it was looked up. */
type Standing = { through: number; ahead: readonly Ahead[] }

/** Cursors of readers that are on their way through the log; looking one up anew costs a search in every stream. */
const mostStandings = 8

/**
 * Facts of all streams in the order of their positions, which have no index, since every append would pay for it. The
 * streams that moved since the cursor are searched once; the next page goes on where the last one has left them.
 */
export class ByPosition {
  readonly #sql: ReturnType<typeof prepare>
  readonly #standings = new Map<number, Standing>()

  constructor(db: DatabaseSync) {
    this.#sql = prepare(db)
  }

  read(after: number, limit: number): PlacedFact[] {
    const found: PlacedFact[] = []
    let cursor = after
    let standing = this.#standings.get(after) ?? this.#lookUp(after)
    while (found.length < limit) {
      if (standing.through <= cursor) standing = this.#lookUp(cursor)
      const next = standing.ahead.reduce(
        (least, { position }) => Math.min(least, position),
        standing.through + 1,
      )
      if (next > standing.through) {
        if (cursor === standing.through) break
        cursor = standing.through
        continue
      }
      // No more positions than there is room for facts, so that the page ends where the cursor does.
      cursor = Math.min(next + limit - found.length - 1, standing.through)
      const window = this.#take(standing, cursor)
      found.push(...window.facts.sort((a, b) => a.position - b.position))
      standing = window.standing
    }
    const end = found.at(-1)?.position
    if (end !== undefined) this.#keep(end, standing)
    return found
  }

  /** The facts up to a position, and where that leaves the streams. */
  #take({ through, ahead }: Standing, to: number): { facts: PlacedFact[]; standing: Standing } {
    const facts: PlacedFact[] = []
    const left = ahead.flatMap((one) => {
      if (one.position > to) return one
      const start = one.id * SPAN
      for (const row of this.#sql.onward.iterate(start + one.sequence, start + SPAN)) {
        const [sequence, position] = [integer(row, "sequence"), integer(row, "position")]
        if (position > to) return { ...one, sequence, position }
        facts.push({ stream: one.name, sequence, position, text: text(row, "text") })
      }
      return []
    })
    return { facts, standing: { through, ahead: left } }
  }

  #lookUp(after: number): Standing {
    const rows = this.#sql.moved.all(eraOf(after), after)
    const through = rows.reduce((most, row) => Math.max(most, integer(row, "position")), after)
    return { through, ahead: rows.flatMap((row) => this.#firstAfter(row, after) ?? []) }
  }

  /** Positions rise within a stream. */
  #firstAfter(row: Row, after: number): Ahead | undefined {
    const [id, name] = [integer(row, "id"), text(row, "name")]
    const start = id * SPAN
    let [low, high] = [1, integer(row, "first") > after ? 1 : integer(row, "sequence")]
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const fact = this.#sql.place.get(start + middle, start + SPAN)
      if (fact !== undefined && integer(fact, "position") <= after) low = integer(fact, "sequence") + 1
      else high = middle
    }
    const first = this.#sql.place.get(start + low, start + SPAN)
    return first && { id, name, sequence: integer(first, "sequence"), position: integer(first, "position") }
  }

  #keep(cursor: number, standing: Standing) {
    this.#standings.delete(cursor)
    this.#standings.set(cursor, standing)
    const [oldest] = this.#standings.keys()
    if (this.#standings.size > mostStandings && oldest !== undefined) this.#standings.delete(oldest)
  }
}

function prepare(db: DatabaseSync) {
  const place = `select id % ${SPAN} as sequence, position`
  const range = "from facts where id >= ? and id < ? order by id"
  return {
    moved: db.prepare(
      `select id, name, sequence, position,
         (select facts.position from facts where facts.id > streams.id * ${SPAN} order by facts.id limit 1) as first
       from streams where era >= ? and position > ?`,
    ),
    place: db.prepare(`${place} ${range} limit 1`),
    onward: db.prepare(`${place}, text ${range}`),
  }
}
