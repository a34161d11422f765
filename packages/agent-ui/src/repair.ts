import { reduce } from "./reduce.ts"
import type { AgentUiState } from "./state.ts"
import type { AgentUiStore } from "./store.ts"

/** What is missing of one stream. */
export type RepairRequest = { stream: string; from: number; to: number }
export type RepairPort = {
  /** The frames from `from` to `to` that the log has. What it leaves out in that range is not there. */
  fetch(request: RepairRequest, signal: AbortSignal): Promise<readonly unknown[]>
}

/** One request for each stream with a gap. */
export function repairsOf(state: AgentUiState): RepairRequest[] {
  return [...state.streams.values()].flatMap(({ stream, gap }) => (gap ? [{ stream, ...gap }] : []))
}

/** The log does not have the missing ones: what waited for them follows. */
export function acceptGap(state: AgentUiState, { stream, to }: RepairRequest): AgentUiState {
  const gap = state.streams.get(stream)?.gap
  if (!gap || gap.to > to) return state
  // An empty frame stands for them, so that what else may still come keeps its place.
  return reduce(state, [{ stream, sequence: gap.to, events: [], supersedes: gap }])
}

const firstWait = 500
const longestWait = 30_000

/** Watches a store and asks once for each gap. A failed request is made again later, and at once on `retry`. */
export function createRepairer(store: AgentUiStore, port: RepairPort): { retry(): void; close(): void } {
  /** The streams that were asked for, with the timers of those that are asked for again. */
  const asked = new Map<string, ReturnType<typeof setTimeout> | undefined>()
  const ending = new AbortController()
  let failures = 0
  const look = () => {
    for (const request of repairsOf(store.getSnapshot())) {
      if (asked.has(request.stream)) continue
      asked.set(request.stream, undefined)
      void mend(request)
    }
  }
  const mend = async (request: RepairRequest) => {
    const { stream } = request
    try {
      const frames = await port.fetch(request, ending.signal)
      if (ending.signal.aborted) return
      failures = 0
      asked.delete(stream)
      store.dispatch(frames)
      store.flush()
      store.update((state) => acceptGap(state, request))
    } catch {
      if (ending.signal.aborted) return
      // The stream stays marked; asking at once again would only repeat the failure.
      const wait = Math.min(longestWait, firstWait * 2 ** failures++)
      asked.set(stream, setTimeout(again, wait, stream))
    }
  }
  const again = (stream: string) => {
    asked.delete(stream)
    look()
  }
  const stop = store.subscribe(look)
  look()
  return {
    retry: () => {
      failures = 0
      for (const [stream, timer] of asked) {
        clearTimeout(timer)
        if (timer !== undefined) asked.delete(stream)
      }
      look()
    },
    close: () => {
      ending.abort()
      stop()
      for (const timer of asked.values()) clearTimeout(timer)
    },
  }
}
