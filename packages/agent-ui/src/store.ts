import { emptyState } from "./empty.ts"
import { reduce } from "./reduce.ts"
import type { AgentUiState } from "./state.ts"

export type Schedule = (publish: () => void) => () => void
export type StoreOptions = {
  state?: AgentUiState
  /** When to publish after the first of a burst of events; animation frames where there are any. */
  schedule?: Schedule | { everyMs: number }
  /** The client's time, to notice events from the future. */
  now?: () => number
  /** Told of what a listener threw; by default it is thrown again by itself, where the program sees it. */
  onError?: (error: unknown) => void
}
export type AgentUiStore = {
  /** Frames and events, ours or foreign; they are published together. */
  dispatch(inputs: readonly unknown[]): void
  /** A change of the state that is no event, such as what is local; published at once. */
  update(change: (state: AgentUiState) => AgentUiState): void
  subscribe(listener: () => void): () => void
  /** The last published state. */
  getSnapshot(): AgentUiState
  /** Publishes what waits. */
  flush(): void
  close(): void
}

/** Holds the state of one client. A burst of events is one batch: copied once, published once. */
export function createAgentUiStore({
  state = emptyState(),
  schedule,
  now,
  onError = throwApart,
}: StoreOptions = {}): AgentUiStore {
  let published = state
  let waiting: unknown[] = []
  let cancel: (() => void) | undefined
  const listeners = new Set<() => void>()
  const plan = typeof schedule === "function" ? schedule : everySoOften(schedule?.everyMs)

  const flush = () => {
    cancel?.()
    cancel = undefined
    if (waiting.length === 0) return
    const batch = waiting
    waiting = []
    publish(reduce(published, batch, now ? { now: now() } : {}))
  }
  const publish = (next: AgentUiState) => {
    if (next === published) return
    published = next
    for (const listener of [...listeners]) {
      try {
        listener()
      } catch (error) {
        onError(error)
      }
    }
  }
  return {
    dispatch: (inputs) => {
      for (const input of inputs) waiting.push(input)
      if (waiting.length === 0 || cancel) return
      const unplan = plan(flush)
      // A schedule may publish at once; then there is nothing to call off.
      if (waiting.length > 0) cancel = unplan
    },
    update: (change) => {
      flush()
      publish(change(published))
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    getSnapshot: () => published,
    flush,
    close: () => {
      cancel?.()
      cancel = undefined
      waiting = []
      listeners.clear()
    },
  }
}

function throwApart(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}

/** A page that nobody sees draws no frames: then a timer publishes. */
const mostWait = 500

function everySoOften(everyMs: number | undefined): Schedule {
  const isDrawn = everyMs === undefined && typeof requestAnimationFrame === "function"
  return (publish) => {
    const timer = setTimeout(publish, isDrawn ? mostWait : (everyMs ?? 16))
    const frame = isDrawn ? requestAnimationFrame(publish) : 0
    return () => {
      clearTimeout(timer)
      if (isDrawn) cancelAnimationFrame(frame)
    }
  }
}
