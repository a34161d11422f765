/** Time as the harness knows it. */
export type Clock = {
  now(): number
  /** Calls back once; the returned function takes that back. */
  after(ms: number, callback: () => void): () => void
}

export type ManualClock = Clock & { advance(ms: number): void }

/** Stands still until it is moved. Callbacks come in the order of their times. */
export function manualClock(start = 0): ManualClock {
  let now = start
  let waiting: { at: number; callback: () => void }[] = []
  return {
    now: () => now,
    after(ms, callback) {
      const entry = { at: now + ms, callback }
      waiting.push(entry)
      return () => {
        waiting = waiting.filter((other) => other !== entry)
      }
    },
    advance(ms) {
      const end = now + ms
      for (;;) {
        const [next] = waiting.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
        if (next === undefined) break
        waiting = waiting.filter((other) => other !== next)
        now = next.at
        next.callback()
      }
      now = end
    },
  }
}
