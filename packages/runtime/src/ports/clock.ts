import { formatId, type IdKind } from "@factum/facts"

/** Time and identity come from outside, so that every test is deterministic. */
export interface Clock {
  now(): number
}
export interface Ids {
  next(kind: IdKind): string
}

export const systemClock: Clock = { now: () => Date.now() }

/** Ids of one process rise strictly, also within one millisecond. */
export function systemIds(clock: Clock): Ids {
  const random = new Uint8Array(16)
  let last = 0
  return {
    next(kind) {
      const now = clock.now()
      if (now > last) {
        crypto.getRandomValues(random)
        last = now
      } else {
        let i = 15
        while (i > 0 && (random[i] ?? 0) % 32 === 31) random[i--] = 0
        random[i] = (random[i] ?? 0) + 1
      }
      return formatId(kind, last, random)
    },
  }
}
