/** One result per entity, as long as what else it was made of is the same. */
export function kept<E extends object, D extends readonly unknown[], R>(
  make: (entity: E, ...rest: D) => R,
): (entity: E, ...rest: D) => R {
  const results = new WeakMap<E, { rest: D; result: R }>()
  return (entity, ...rest) => {
    const last = results.get(entity)
    if (last && sameItems(last.rest, rest)) return last.result
    const result = last ? share(last.result, make(entity, ...rest)) : make(entity, ...rest)
    results.set(entity, { rest, result })
    return result
  }
}

export function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => Object.is(item, b[index]))
}

/** `next`, with every part of it that equals `last` taken from there: what did not change keeps its reference. */
export function share<T>(last: unknown, next: T): T
export function share(last: unknown, next: unknown): unknown {
  if (Object.is(last, next) || !isPlain(last) || !isPlain(next)) return next
  if (Array.isArray(last) && Array.isArray(next)) return shareItems(last, next)
  if (Array.isArray(last) !== Array.isArray(next)) return next
  const keys = Object.keys(next)
  const merged: Record<string, unknown> = {}
  let same = keys.length === Object.keys(last).length
  for (const key of keys) {
    // Assigning it would set the prototype; such an object is not worth sharing.
    if (key === "__proto__") return next
    const before = Object.hasOwn(last, key) ? Reflect.get(last, key) : absent
    const value = share(before, Reflect.get(next, key))
    Reflect.set(merged, key, value)
    same = same && Object.is(value, before)
  }
  return same ? last : merged
}

/** Lists are long, and most of their items are the same ones. They grow at their end, or before their beginning. */
function shareItems(last: readonly unknown[], next: readonly unknown[]): readonly unknown[] {
  const shift = Object.is(last.at(-1), standing(next.at(-1))) ? next.length - last.length : 0
  let same = last.length === next.length
  const merged = next.map((item, at) => {
    const before = at - shift in last ? last[at - shift] : absent
    const value = Object.is(before, item) ? item : shareItem(before, item)
    same = same && Object.is(value, before)
    return value
  })
  return same ? last : merged
}

/** What stands for an item of a list that was compared with another one before: it is compared once. */
const became = new WeakMap<object, unknown>()
const standing = (item: unknown): unknown => (isPlain(item) ? (became.get(item) ?? item) : item)

function shareItem(before: unknown, item: unknown): unknown {
  if (!isPlain(item)) return item
  const known = became.get(item)
  if (known !== undefined) return known
  const value = share(before, item)
  became.set(item, value)
  if (isPlain(value)) became.set(value, value)
  return value
}

const absent = Symbol("absent")

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null
}
