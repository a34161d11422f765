import { createContext, useContext } from "react"
import { en as catalogEn } from "./catalog-en.ts"
import { zh as catalogZh } from "./catalog-zh.ts"
import { en as pageEn } from "./en.ts"
import * as team from "./team.ts"
import { zh as pageZh } from "./zh.ts"

const en = { ...pageEn, catalog: catalogEn, team: team.en }
const zh: typeof en = { ...pageZh, catalog: catalogZh, team: team.zh }

export const languages = { en, zh }
export type Language = keyof typeof languages
export type Words = typeof en

export const WordsContext = createContext<Words>(en)
export const useWords = (): Words => useContext(WordsContext)

/** What the runtime says, in the words of the page where it has its own; anything else as it is. */
export function told(
  { runtimeSays, runtimePhrases }: Pick<Words, "runtimeSays" | "runtimePhrases">,
  text: string,
): string {
  const known = runtimeSays[text]
  if (known !== undefined) return known
  const phrase = runtimePhrases.find(([form]) => form.test(text))
  return phrase === undefined ? text : text.replace(...phrase)
}
