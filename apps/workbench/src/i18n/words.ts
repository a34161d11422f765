import { createContext, useContext } from "react"
import { en, type Words } from "./en.ts"
import { zh } from "./zh.ts"

export const languages = { en, zh }
export type Language = keyof typeof languages

export const WordsContext = createContext<Words>(en)
export const useWords = (): Words => useContext(WordsContext)

/** What the runtime says, in the words of the page where it has its own; anything else as it is. */
export function told({ runtimeSays, runtimePhrases }: Words, text: string): string {
  const known = runtimeSays[text]
  if (known !== undefined) return known
  const phrase = runtimePhrases.find(([form]) => form.test(text))
  return phrase === undefined ? text : text.replace(...phrase)
}
