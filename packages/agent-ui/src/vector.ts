/** What one batch has made and may still change; everything else is shared and is copied first. */
export type Edit = Set<object>

const bits = 5
const mask = 31

/** A persistent array in a tree of 32: setting copies one path, and each node at most once in a batch. */
export class Vector<V> {
  size: number
  shift: number
  root: unknown[]
  constructor(size = 0, shift = 0, root: unknown[] = []) {
    this.size = size
    this.shift = shift
    this.root = root
  }

  get(index: number): V | undefined {
    if (index < 0 || index >= this.size) return undefined
    let node = this.root
    for (let shift = this.shift; shift > 0; shift -= bits) {
      const next = node[(index >>> shift) & mask]
      if (next === undefined) return undefined
      node = next as unknown[]
    }
    return node[index & mask] as V
  }
}

/** Sets a place, or adds one at or after the end; places that were never set hold nothing. */
export function put<V>(vector: Vector<V>, index: number, value: V, edit: Edit): Vector<V> {
  const to = edit.has(vector) ? vector : fresh(new Vector<V>(vector.size, vector.shift, vector.root), edit)
  if (index >= to.size) {
    while (index >= 1 << (to.shift + bits)) {
      to.root = fresh([to.root], edit)
      to.shift += bits
    }
    to.size = index + 1
  }
  let node = ownList(to.root, edit)
  to.root = node
  for (let shift = to.shift; shift > 0; shift -= bits) {
    const at = (index >>> shift) & mask
    const child = node[at] as unknown[] | undefined
    const next = child ? ownList(child, edit) : fresh<unknown[]>([], edit)
    node[at] = next
    node = next
  }
  node[index & mask] = value
  return to
}

/** Marks a thing that this batch made. */
export function fresh<T extends object>(thing: T, edit: Edit): T {
  edit.add(thing)
  return thing
}

/** A list that this batch may change: itself when it made it, else a copy. */
export function ownList<V>(list: readonly V[], edit: Edit): V[] {
  return edit.has(list) ? (list as V[]) : fresh(list.slice(), edit)
}

/** The list with one more; a list of one is made to measure, since most stay so. */
export function added<V>(list: readonly V[], value: V, edit: Edit): V[] {
  if (list.length === 0) return fresh([value], edit)
  const mine = ownList(list, edit)
  mine.push(value)
  return mine
}

/** An object that this batch may change: itself when it made it, else a copy. */
export function own<T extends object>(thing: T, edit: Edit): T {
  return edit.has(thing) ? thing : fresh({ ...thing }, edit)
}
