import type { FactLog } from "./ports/log.ts"

/** Superseded deltas stay this long, counted in facts of the whole store, for readers that are a little behind. */
const keptPositions = 20_000
const everyMs = 10 * 60_000

/** Prunes superseded deltas from time to time. */
export function keepRetention(log: FactLog): { stop(): void } {
  const prune = () => {
    const newest = log.streams({ limit: 1 })[0]?.position ?? 0
    if (newest > keptPositions) void log.prune(newest - keptPositions)
  }
  prune()
  const timer = setInterval(prune, everyMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
