import { useContext } from "react"
import { wordOf } from "../i18n/catalog.ts"
import { useWords } from "../i18n/words.ts"
import { StaleContext, useStanding } from "./Stale.tsx"
import { State } from "./State.tsx"
import { stateWord } from "./status.ts"

/** An owner's status: the shape that it has everywhere, and the owner's own word for it. */
export function Status({ status, quiet = false }: { status: string; quiet?: boolean }) {
  const { catalog } = useWords()
  const standing = useStanding()
  const isStale = useContext(StaleContext)
  const said = standing(status === "unknown" ? catalog.state.unknown : wordOf(catalog.status, status))
  return <State state={isStale && isOpen(status) ? "stale" : stateWord(status)} said={said} quiet={quiet} />
}

/** What may have gone on since: an end stays what it was. */
const isOpen = (status: string): boolean => !["done", "failed", "cancelled"].includes(stateWord(status))
