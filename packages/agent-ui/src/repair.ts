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

/** Watches a store and asks once for each gap. A failed request is made again when the gap has changed or on `retry`. */
export function createRepairer(store: AgentUiStore, port: RepairPort): { retry(): void; close(): void } {
  const asked = new Map<string, string>()
  const ending = new AbortController()
  const look = () => {
    for (const request of repairsOf(store.getSnapshot())) {
      const range = `${request.from}-${request.to}`
      if (asked.get(request.stream) !== undefined) continue
      asked.set(request.stream, range)
      void mend(request)
    }
  }
  const mend = async (request: RepairRequest) => {
    try {
      const frames = await port.fetch(request, ending.signal)
      if (ending.signal.aborted) return
      asked.delete(request.stream)
      store.dispatch(frames)
      store.flush()
      store.update((state) => acceptGap(state, request))
    } catch {
      // The stream stays marked; asking at once again would only repeat the failure.
    }
  }
  const stop = store.subscribe(look)
  look()
  return {
    retry: () => {
      asked.clear()
      look()
    },
    close: () => {
      ending.abort()
      stop()
    },
  }
}
