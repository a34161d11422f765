import { type Edit, fresh, put, Vector } from "./vector.ts"

/** A persistent list in blocks: adding at either end costs the same at any length. */
export interface Chain<V> {
  readonly length: number
  at(index: number): V | undefined
  /** From `start` up to but not including `end`. */
  slice(start: number, end?: number): readonly V[]
  [Symbol.iterator](): Iterator<V>
}

/** Two vectors, the first one backwards. */
class BlockChain<V> implements Chain<V> {
  front: Vector<V>
  back: Vector<V>
  constructor(front: Vector<V>, back: Vector<V>) {
    this.front = front
    this.back = back
  }
  get length(): number {
    return this.front.size + this.back.size
  }
  at(index: number): V | undefined {
    const ahead = this.front.size
    const place = index < 0 ? index + this.length : index
    return place < ahead ? this.front.get(ahead - 1 - place) : this.back.get(place - ahead)
  }
  slice(start: number, end: number = this.length): V[] {
    const values: V[] = []
    const from = Math.max(0, start < 0 ? start + this.length : start)
    const to = Math.min(this.length, end < 0 ? end + this.length : end)
    for (let index = from; index < to; index++) values.push(this.at(index) as V)
    return values
  }
  *[Symbol.iterator](): Generator<V> {
    const { length } = this
    for (let index = 0; index < length; index++) yield this.at(index) as V
  }
}

const empty = new BlockChain<never>(new Vector(), new Vector())
export function emptyChain<V>(): Chain<V> {
  // It holds nothing, and every change copies it first.
  return empty as unknown as Chain<V>
}

export function chainOf<V>(values: Iterable<V>): Chain<V> {
  const edit: Edit = new Set()
  let chain = emptyChain<V>()
  for (const value of values) chain = push(chain, value, edit)
  return chain
}

export function push<V>(chain: Chain<V>, value: V, edit: Edit): Chain<V> {
  const to = ownChain(chain, edit)
  to.back = put(to.back, to.back.size, value, edit)
  return to
}

export function unshift<V>(chain: Chain<V>, value: V, edit: Edit): Chain<V> {
  const to = ownChain(chain, edit)
  to.front = put(to.front, to.front.size, value, edit)
  return to
}

export function setAt<V>(chain: Chain<V>, index: number, value: V, edit: Edit): Chain<V> {
  const to = ownChain(chain, edit)
  const ahead = to.front.size
  if (index < ahead) to.front = put(to.front, ahead - 1 - index, value, edit)
  else to.back = put(to.back, index - ahead, value, edit)
  return to
}

function ownChain<V>(chain: Chain<V>, edit: Edit): BlockChain<V> {
  if (!(chain instanceof BlockChain)) throw new TypeError("Not of this package.")
  return edit.has(chain) ? chain : fresh(new BlockChain<V>(chain.front, chain.back), edit)
}
