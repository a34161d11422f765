import type { AgentUiState } from "@factum/agent-ui"
import { useAgentUi } from "@factum/agent-ui/react"
import { useCallback, useEffect, useState } from "react"
import { usePage, useShell } from "../client/page.ts"
import { useWords } from "../i18n/words.ts"
import { Button } from "../ui/Button.tsx"
import { isHere } from "./found.ts"

/** An address may name what is not here: the page reads back to it, or says so and shows what it has. */
export function Missing() {
  const words = useWords()
  const page = usePage()
  const { place, connection } = useShell()
  const { session, pane, item, at, lost } = place
  const isRead = connection.state === "live"
  const name = item ?? at
  const has = useAgentUi(
    page.bound.store,
    useCallback(
      (state: AgentUiState) => session === undefined || isHere(state, session, { item, at }),
      [session, item, at],
    ),
  )
  const isAway = lost === undefined && isRead && !has && name !== undefined
  const search = useSearch(session, isAway ? name : undefined)
  if (session === undefined || (lost === undefined && !isAway)) return null
  const text =
    lost !== undefined
      ? words.noSuchPane(lost)
      : search.state === "over"
        ? words.noSuchFact(name ?? "")
        : search.state === "reading"
          ? words.lookingBack(name ?? "", search.windows)
          : words.notReadYet(name ?? "")
  return (
    <div
      role="status"
      data-missing={lost === undefined ? search.state : "over"}
      className="bg-warn border-line flex items-center gap-2 border-b px-4 py-1"
    >
      <p className="min-w-0 flex-1 [overflow-wrap:anywhere]">{text}</p>
      {lost === undefined && search.state === "resting" && (
        <Button look="plain" className="bg-transparent" onClick={search.goOn}>
          {words.lookFurther}
        </Button>
      )}
      <Button
        look="plain"
        className="bg-transparent"
        onClick={() => page.go({ session, ...(pane !== undefined && { pane }) }, true)}
      >
        {words.dismiss}
      </Button>
    </div>
  )
}

/** How many windows of older facts are read before a person is asked whether to go on. */
const patience = 20

/** Reads back, window by window, until nobody looks for this any more or there is nothing older. */
function useSearch(session: string | undefined, wanted: string | undefined) {
  const { bound, loadEarlier } = usePage()
  const cursor = useAgentUi(
    bound.store,
    useCallback((state: AgentUiState) => state.sessions.get(session ?? "")?.earlier, [session]),
  )
  const key = `${session} ${wanted}`
  const [read, setRead] = useState({ key, windows: 0, most: patience })
  const now = read.key === key ? read : { key, windows: 0, most: patience }
  const { windows, most } = now
  const isReading = wanted !== undefined && cursor !== undefined && windows < most
  useEffect(() => {
    if (!isReading) return
    let isLeft = false
    void loadEarlier().then((ok) => {
      // What could not be read is not asked for again by itself.
      if (!isLeft) setRead({ key, windows: ok ? windows + 1 : most, most })
    })
    return () => {
      isLeft = true
    }
  }, [isReading, key, windows, most, loadEarlier])
  return {
    state: cursor === undefined ? "over" : isReading ? "reading" : "resting",
    windows,
    goOn: () => setRead({ key, windows, most: windows + patience }),
  } as const
}
