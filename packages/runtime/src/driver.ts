/** Who advances a session: at least once, one at a time, fairly among sessions. */
export interface Driver {
  wake(session: string): void
  at(session: string, time: number): void
  stop(): Promise<void>
}

/** A timer of the platform cannot wait longer; one that fires too early is set again by who waits. */
const longestMs = 2 ** 31 - 1

type Advance = (session: string) => Promise<void>

/** In process: a queue in which each session stands at most once. */
export function createDriver(advance: Advance, now: () => number, width = 16): Driver {
  const waiting = new Set<string>()
  const busy = new Set<string>()
  const again = new Set<string>()
  /** The earliest that each session asked for: who is woken asks again for what is still to come. */
  const timers = new Map<string, { time: number; timer: NodeJS.Timeout }>()
  let stopped = false
  let idle: (() => void) | undefined

  function pump(): void {
    while (!stopped && busy.size < width) {
      const next = waiting.values().next()
      if (next.done) break
      waiting.delete(next.value)
      void run(next.value)
    }
    if (busy.size === 0) idle?.()
  }

  async function run(session: string): Promise<void> {
    busy.add(session)
    try {
      await advance(session)
    } finally {
      busy.delete(session)
      if (again.delete(session)) waiting.add(session)
      pump()
    }
  }

  function wake(session: string): void {
    if (stopped) return
    if (busy.has(session)) again.add(session)
    else waiting.add(session)
    pump()
  }

  return {
    wake,
    at(session, time) {
      const known = timers.get(session)
      if (stopped || (known !== undefined && known.time <= time)) return
      clearTimeout(known?.timer)
      const ring = () => {
        timers.delete(session)
        wake(session)
      }
      const timer = setTimeout(ring, Math.min(Math.max(0, time - now()), longestMs))
      timers.set(session, { time, timer })
    },
    stop() {
      stopped = true
      for (const { timer } of timers.values()) clearTimeout(timer)
      if (busy.size === 0) return Promise.resolve()
      return new Promise((resolve) => {
        idle = resolve
      })
    },
  }
}
