import type { ArrayValue, Word, WordPart } from "unbash"
import type { ShellWord } from "./types.ts"

/** Values that are known before anything runs, such as HOME. */
export type Known = ReadonlyMap<string, string>

export function readWord(word: Word, known: Known): ShellWord {
  const { text } = word
  if (!word.parts) return { text, ...home(text, word.value, known) }
  let value = ""
  let glob = false
  for (const part of word.parts) {
    const piece = readPart(part, known)
    if (piece === undefined) return { text }
    // A sign that is quoted is no pattern; in a word with patterns it must not become one.
    if (part.type === "Glob") glob = true
    value += piece
  }
  if (!glob) return { text, ...home(text, value, known) }
  const quoted = word.parts.some((part) => part.type !== "Glob" && part.type !== "Literal")
  if (quoted || text.includes("\\")) return { text }
  return { text, ...home(text, value, known), glob: true }
}

export function readArray(value: ArrayValue, known: Known): string | undefined {
  const items = value.elements.map((element) => readWord(element, known).value)
  return items.every((item) => item !== undefined) ? items.join(" ") : undefined
}

function readPart(part: WordPart, known: Known): string | undefined {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return part.value
    case "Glob":
      return part.kind === "bracket" && part.parts.some((inner) => inner.type !== "Literal")
        ? undefined
        : part.text
    case "DoubleQuoted": {
      const pieces = part.parts.map((inner) => readPart(inner, known))
      return pieces.every((piece) => piece !== undefined) ? pieces.join("") : undefined
    }
    case "SimpleExpansion":
      return known.get(part.text.slice(1))
    case "ParameterExpansion":
      return part.prefix || part.index || part.operation ? undefined : known.get(part.parameter)
    // A translation may say anything; the others are known only when they run.
    case "LocaleString":
    case "CommandExpansion":
    case "ArithmeticExpansion":
    case "ProcessSubstitution":
    case "ExtendedGlob":
    case "BraceExpansion":
      return undefined
  }
}

/** `~` and `~/x` at the beginning of a word that was written without quotes. */
function home(text: string, value: string, known: Known): { value?: string } {
  if (!text.startsWith("~")) return { value }
  if (text !== "~" && !text.startsWith("~/")) return {}
  const folder = known.get("HOME")
  return folder === undefined ? {} : { value: folder + value.slice(1) }
}
