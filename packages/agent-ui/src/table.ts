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

/** A persistent list in blocks: adding at either end costs the same at any length. */
export interface Chain<V> {
  readonly length: number
  at(index: number): V | undefined
  /** From `start` up to but not including `end`. */
  slice(start: number, end?: number): readonly V[]
  [Symbol.iterator](): Iterator<V>
}

/** Text in blocks: only the last one grows, so what was read before keeps its reference. */
export type TextBlocks = { readonly blocks: readonly string[]; readonly length: number }
