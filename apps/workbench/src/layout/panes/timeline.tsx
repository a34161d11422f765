import type { AgentUiState } from "@factum/agent-ui"
import { useAgentUi } from "@factum/agent-ui/react"
import { type ComponentType, useCallback, useState } from "react"
import { usePage, useShell, useSurface } from "../../client/page.ts"
import { fetched } from "../../ui/fetched.tsx"
import { addressOf } from "../address.ts"
import { runNamed } from "../found.ts"

const Timeline = fetched(async () => ({
  default: (await import("../../surfaces/TimelineEvidence.tsx")).TimelineEvidence,
}))

/** How many turns stand below each other. */
const page = 20
/** Of those, how many come after the one that an address names. */
const after = 3

/** The newest turns, those around what the address names, or those that a person went back to. */
export const TimelinePane: ComponentType = () => {
  const { bound, go, intent, loadEarlier } = usePage()
  const { item, session } = useShell().place
  const [chosen, setChosen] = useState<{ item: string | undefined; run: string }>()
  const run = chosen !== undefined && chosen.item === item ? chosen.run : undefined
  const from = useAgentUi(
    bound.store,
    useCallback((state: AgentUiState) => firstShown(state, session, run, item), [session, run, item]),
  )
  const isUnread = useAgentUi(
    bound.store,
    useCallback((state: AgentUiState) => earlierOf(state, session) !== undefined, [session]),
  )
  const view = useSurface(
    "timeline_evidence",
    from === undefined ? {} : { window: { from, to: from + page } },
  )
  const onItem = useCallback(
    (named: string | undefined) => {
      if (session === undefined) return
      // The turns that are shown stay, whatever of them is opened or closed.
      const first = view.spans.find(({ kind }) => kind === "run")?.runId
      setChosen(from === undefined || first === undefined ? undefined : { item: named, run: first })
      go({ session, pane: "timeline", ...(named !== undefined && { item: named }) }, true)
    },
    [go, session, from, view],
  )
  const onEarlier = async () => {
    const first = view.spans.find(({ kind }) => kind === "run")?.runId
    if (view.earlierRuns === 0) await loadEarlier()
    const runs = runsOf(bound.store.getSnapshot(), session)
    const at = first === undefined ? runs.length : runs.indexOf(first)
    const earlier = runs[Math.max(0, at - page)]
    if (earlier !== undefined) setChosen({ item, run: earlier })
  }
  const onLatest = () => {
    setChosen(undefined)
    if (item !== undefined) go({ ...(session !== undefined && { session }), pane: "timeline" }, true)
  }
  const link = (named: string) =>
    addressOf({ ...(session !== undefined && { session }), pane: "timeline", item: named })
  return (
    <Timeline
      view={view}
      onIntent={intent}
      item={item}
      link={link}
      sessionId={session}
      onItem={onItem}
      isUnread={isUnread}
      onEarlier={onEarlier}
      onLatest={onLatest}
    />
  )
}

const runsOf = (state: AgentUiState, session = ""): readonly string[] => [
  ...(state.sessions.get(session)?.runIds ?? []),
]
const earlierOf = (state: AgentUiState, session = "") => state.sessions.get(session)?.earlier

/** The place of the first turn to show; none while the newest are. */
function firstShown(state: AgentUiState, session: string | undefined, run?: string, item?: string) {
  const named = run ?? (item === undefined ? undefined : runNamed(state, item))
  if (named === undefined) return undefined
  const runs = runsOf(state, session)
  const at = runs.indexOf(named)
  const from = Math.max(0, run === undefined ? at + 1 + after - page : at)
  return at < 0 || from >= runs.length - page ? undefined : from
}
