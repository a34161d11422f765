import { createContext, useContext } from "react"
import { useWords } from "../i18n/words.ts"

/** Whether what stands here may be out of date, so that a status is only the last known one. */
export const StaleContext = createContext(false)

/** A status word, as far as it is known now. */
export function useStanding(): (word: string) => string {
  const { talk } = useWords()
  const isStale = useContext(StaleContext)
  return isStale ? talk.lastKnown : (word) => word
}
