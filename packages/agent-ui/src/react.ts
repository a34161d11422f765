import { useCallback, useRef, useSyncExternalStore } from "react"
import type { AgentUiState } from "./state.ts"
import type { AgentUiStore } from "./store.ts"

/** What `select` gives of the store's state; the component renders again only when that changes. */
export function useAgentUi<T>(
  store: AgentUiStore,
  select: (state: AgentUiState) => T,
  isEqual = Object.is,
): T {
  const last = useRef<{ state: AgentUiState; select: unknown; value: T } | undefined>(undefined)
  const read = useCallback(() => {
    const state = store.getSnapshot()
    const known = last.current
    if (known?.state === state && known.select === select) return known.value
    const value = select(state)
    const kept = known && isEqual(known.value, value) ? known.value : value
    last.current = { state, select, value: kept }
    return kept
  }, [store, select, isEqual])
  return useSyncExternalStore(store.subscribe, read, read)
}
