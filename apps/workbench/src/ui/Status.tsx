import { useContext } from "react"
import { wordOf } from "../i18n/catalog.ts"
import { useWords, type Words } from "../i18n/words.ts"
import { StaleContext, useStanding } from "./Stale.tsx"
import { State } from "./State.tsx"
import { stateWord } from "./status.ts"

/** An owner's word for a status, the runtime's own ones included. */
export const saidOf = ({ catalog, team }: Words, status: string): string =>
  status === "unknown" ? catalog.state.unknown : wordOf({ ...team.runtimeStates, ...catalog.status }, status)

/** An owner's status: the shape that it has everywhere, and the owner's own word for it. */
export function Status({ status, quiet = false }: { status: string; quiet?: boolean }) {
  const words = useWords()
  const standing = useStanding()
  const isStale = useContext(StaleContext)
  const said = standing(saidOf(words, status))
  return <State state={isStale && isOpen(status) ? "stale" : stateWord(status)} said={said} quiet={quiet} />
}

/** What may have gone on since: an end stays what it was. */
const isOpen = (status: string): boolean => !["done", "failed", "cancelled"].includes(stateWord(status))
