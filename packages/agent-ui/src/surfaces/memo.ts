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
  if (Array.isArray(last) !== Array.isArray(next)) return next
  const keys = Object.keys(next)
  const merged: unknown[] | Record<string, unknown> = Array.isArray(next) ? [] : {}
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

const absent = Symbol("absent")

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null
}
