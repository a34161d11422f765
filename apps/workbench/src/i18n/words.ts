import { createContext, useContext } from "react"
import { en as catalogEn } from "./catalog-en.ts"
import { zh as catalogZh } from "./catalog-zh.ts"
import * as runtime from "./runtime.ts"
import * as shell from "./shell.ts"
import * as space from "./space.ts"
import * as talk from "./talk.ts"
import * as team from "./team.ts"
import * as welcome from "./welcome.ts"

const en = {
  ...shell.en,
  ...runtime.en,
  catalog: catalogEn,
  talk: talk.en,
  space: space.en,
  team: team.en,
  welcome: welcome.en,
}
const zh: typeof en = {
  ...shell.zh,
  ...runtime.zh,
  catalog: catalogZh,
  talk: talk.zh,
  space: space.zh,
  team: team.zh,
  welcome: welcome.zh,
}

export const languages = { en, zh }
export type Language = keyof typeof languages
export type Words = typeof en

export const WordsContext = createContext<Words>(en)
export const useWords = (): Words => useContext(WordsContext)

/** What the runtime says, in the words of the page where it has its own; anything else as it is. */
export function told({ runtimeSays, runtimePhrases }: Words, text: string): string {
  const known = runtimeSays[text]
  if (known !== undefined) return known
  const phrase = runtimePhrases.find(([form]) => form.test(text))
  return phrase === undefined ? text : text.replace(...phrase)
}
