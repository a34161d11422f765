import { createContext, useContext } from "react"
import { en, type Words } from "./en.ts"
import { zh } from "./zh.ts"

export const languages = { en, zh }
export type Language = keyof typeof languages

export const WordsContext = createContext<Words>(en)
export const useWords = (): Words => useContext(WordsContext)
