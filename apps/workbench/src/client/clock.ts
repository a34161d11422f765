import { useCallback, useSyncExternalStore } from "react"

/** How fine the clock of what is shown is, in milliseconds. */
const step = 5000

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let now = rounded()

function rounded(): string {
  return new Date(Math.floor(Date.now() / step) * step).toISOString()
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = rounded()
    for (const one of listeners) one()
  }, step)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The time, in steps, for who asks for it; the others are not rendered again by it. */
export function useClock(isAsked: boolean): string | undefined {
  const subscribe = useCallback(
    (listener: () => void) => (isAsked ? listen(listener) : () => undefined),
    [isAsked],
  )
  const read = useCallback(() => {
    if (!isAsked) return undefined
    if (timer === undefined) now = rounded()
    return now
  }, [isAsked])
  return useSyncExternalStore(subscribe, read)
}
