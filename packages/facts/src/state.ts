import type { Fold } from "./define.ts"
import type { Envelope } from "./envelope.ts"

/** How one entity family finds its record for a fact, and how many ended records stay in memory. */
export type Family<S> = {
  types: readonly string[]
  key: (event: Envelope) => string | undefined
  initial: S
  // Methods, so that a table of families of different states can be typed.
  apply(state: S, event: Envelope): S
  ended(state: S): boolean
  keep: number
}

export function family<S, E extends { type: string }>(
  folded: Fold<S, E>,
  key: (event: E) => string | undefined,
  options: { ended?: (state: S) => boolean; keep?: number } = {},
): Family<S> {
  // Facts reach a family by their type, which is what makes them its events.
  const typed = folded as unknown as Fold<S, Envelope>
  return {
    types: folded.types,
    key: key as unknown as Family<S>["key"],
    initial: typed.initial,
    apply: typed.apply,
    ended: options.ended ?? (() => false),
    keep: options.keep ?? 64,
  }
}

export type Entities<F extends Record<string, Family<unknown>>> = {
  [K in keyof F]: Readonly<Record<string, F[K] extends Family<infer S> ? S : never>>
}

/** Joins families into one fold. Ended records beyond the family's limit leave memory, never the log. */
export function combine<F extends Record<string, Family<unknown>>>(families: F) {
  const byType = new Map<string, (keyof F & string)[]>()
  for (const name of Object.keys(families)) {
    for (const type of families[name]?.types ?? []) byType.set(type, [...(byType.get(type) ?? []), name])
  }
  const initial = Object.fromEntries(Object.keys(families).map((name) => [name, {}])) as Entities<F>

  function apply(state: Entities<F>, event: Envelope): Entities<F> {
    let next = state
    for (const name of byType.get(event.type) ?? []) {
      const one = families[name]
      const key = one?.key(event)
      if (one === undefined || key === undefined) continue
      const records = next[name] as Readonly<Record<string, unknown>>
      const before = Object.hasOwn(records, key) ? records[key] : undefined
      const after = one.apply(before ?? one.initial, event)
      // A fact that says nothing of a record that nobody opened does not open it.
      if (after === (before ?? one.initial)) continue
      const changed = { ...records, [key]: after }
      next = { ...next, [name]: before === undefined ? trimmed(changed, one) : changed }
    }
    return next
  }
  return { initial, apply, types: [...byType.keys()] }
}

function trimmed(records: Record<string, unknown>, of: Family<unknown>): Record<string, unknown> {
  const ended = Object.keys(records).filter((key) => of.ended(records[key]))
  if (ended.length <= of.keep) return records
  const drop = new Set(ended.slice(0, ended.length - of.keep))
  return Object.fromEntries(Object.entries(records).filter(([key]) => !drop.has(key)))
}
