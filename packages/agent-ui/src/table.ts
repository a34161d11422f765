import { type Edit, fresh, put, Vector } from "./vector.ts"

/** A persistent map by id: an update shares everything that it does not touch. Ids are any text, also hostile ones. */
export interface Table<V> {
  readonly size: number
  get(id: string): V | undefined
  has(id: string): boolean
  /** In the order in which ids were first set. */
  values(): Iterable<V>
  keys(): Iterable<string>
  entries(): Iterable<[string, V]>
}

/**
 * Which place each id has, in the order of the places. They are only ever added, so that all versions of a table share
 * one index; a version sees the places below its own length. A second successor of the same version takes a copy.
 */
type Index = Map<string, number>

class IdTable<V> implements Table<V> {
  size = 0
  length = 0
  index: Index = new Map()
  slots: Vector<V | undefined> = new Vector()

  get(id: string): V | undefined {
    const place = this.index.get(id)
    return place === undefined || place >= this.length ? undefined : this.slots.get(place)
  }
  has(id: string): boolean {
    return this.get(id) !== undefined
  }
  *entries(): Generator<[string, V]> {
    for (const [id, place] of this.index) {
      if (place >= this.length) return
      const value = this.slots.get(place)
      if (value !== undefined) yield [id, value]
    }
  }
  *values(): Generator<V> {
    for (let place = 0; place < this.length; place++) {
      const value = this.slots.get(place)
      if (value !== undefined) yield value
    }
  }
  *keys(): Generator<string> {
    for (const [id] of this.entries()) yield id
  }
}

const empty = new IdTable<never>()
export function emptyTable<V>(): Table<V> {
  return empty
}

export function tableOf<V>(entries: Iterable<readonly [string, V]>): Table<V> {
  const edit: Edit = new Set()
  let table = emptyTable<V>()
  for (const [id, value] of entries) table = setIn(table, id, value, edit)
  return table
}

/** The table with this value; the same table where the batch made it. */
export function setIn<V>(table: Table<V>, id: string, value: V, edit: Edit): Table<V> {
  return assign(table, id, value, edit)
}

/** The table without this id, which keeps its place should it come back. */
export function removeFrom<V>(table: Table<V>, id: string, edit: Edit): Table<V> {
  return table.has(id) ? assign(table, id, undefined, edit) : table
}

function assign<V>(table: Table<V>, id: string, value: V | undefined, edit: Edit): Table<V> {
  const to = ownTable(table, edit)
  let place = to.index.get(id)
  if (place === undefined || place >= to.length) {
    if (to.index.size !== to.length) to.index = forkIndex(to.index, to.length)
    place = to.length++
    to.index.set(id, place)
  }
  const had = to.slots.get(place) !== undefined
  to.size += Number(value !== undefined) - Number(had)
  to.slots = put(to.slots, place, value, edit)
  return to
}

function ownTable<V>(table: Table<V>, edit: Edit): IdTable<V> {
  if (!(table instanceof IdTable)) throw new TypeError("Not of this package.")
  if (edit.has(table)) return table
  const to = fresh(new IdTable<V>(), edit)
  to.size = table.size
  to.length = table.length
  // The empty table is shared by all, and must not become the index of one.
  if (table.length > 0) to.index = table.index
  to.slots = table.slots
  return to
}

function forkIndex(index: Index, length: number): Index {
  return new Map([...index].slice(0, length))
}
