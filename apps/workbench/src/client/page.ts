import {
  type AgentUiState,
  createAgentUiStore,
  isTimed,
  type LocalAction,
  type RunSummary,
  type SurfaceName,
  type ViewOf,
  type ViewScope,
} from "@factum/agent-ui"
import { useAgentUi } from "@factum/agent-ui/react"
import type { Reply } from "@factum/client"
import { createContext, useCallback, useContext, useSyncExternalStore } from "react"
import { useClock } from "./clock.ts"
import type { Shell, Workbench } from "./workbench.ts"

export const PageContext = createContext<Workbench | undefined>(undefined)

export function usePage(): Workbench {
  const page = useContext(PageContext)
  if (page === undefined) throw new Error("A surface stands outside of the page.")
  return page
}

export function useShell(): Shell {
  const { subscribe, shell } = usePage()
  return useSyncExternalStore(subscribe, shell)
}

/** What a surface shows: of the session that is open, unless the scope names another. Renders only when it changes. */
export function useSurface<S extends SurfaceName>(name: S, scope: ViewScope = {}): ViewOf<S> {
  const { bound } = usePage()
  const { session } = useShell().place
  const now = useClock(isTimed(name))
  const asked = JSON.stringify({
    ...(now !== undefined && { now }),
    ...(session !== undefined && { sessionId: session }),
    ...scope,
  })
  const select = useCallback(
    (state: AgentUiState): ViewOf<S> => bound.view(name, JSON.parse(asked) as ViewScope, state),
    [bound, name, asked],
  )
  return useAgentUi(bound.store, select)
}

const nothing = createAgentUiStore()

/** How one run ended, also where it is too far back for the view of the newest. */
export function useSummary(runId: string | undefined): RunSummary | undefined {
  const bound = useContext(PageContext)?.bound
  const select = useCallback(
    (state: AgentUiState) => {
      const sessionId = runId === undefined ? undefined : state.runs.get(runId)?.origin.sessionId
      if (runId === undefined || sessionId === undefined) return undefined
      return bound?.view("inline_process", { sessionId, runId }, state).archived[0]
    },
    [bound, runId],
  )
  return useAgentUi(bound?.store ?? nothing, select)
}

/** What a surface may do that is no intent: fold and unfold for this person alone, and read what a ref names. */
export type Reach = {
  local: (action: LocalAction) => void
  read: (ref: string) => Promise<Reply<Uint8Array<ArrayBuffer>>>
  /** Leads to a request, where it is shown in full and answered. */
  toRequest?: (actionId: string) => void
  /** Where a frame finds a page that somebody wrote, under a policy of its own; without it there is no such place. */
  preview?: (html: string) => Promise<Reply<{ path: string }>>
}
const nobody: Reply<never> = {
  ok: false,
  refusal: { code: "unreachable", message: "There is no host here." },
}
export const ReachContext = createContext<Reach>({ local: () => undefined, read: async () => nobody })
export const useReach = (): Reach => useContext(ReachContext)
