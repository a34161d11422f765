/** Waits before attempt n (0, 1, 2 …): doubling to 4 s, with up to a quarter off so that clients do not march. */
export const backoff = (attempt: number, random = Math.random()): number =>
  Math.round(Math.min(4000, 250 * 2 ** attempt) * (1 - random / 4))

/** Ends early when the machine comes back online or `signal` aborts. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", end)
      globalThis.removeEventListener?.("online", end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal.addEventListener("abort", end)
    globalThis.addEventListener?.("online", end)
  })
}
