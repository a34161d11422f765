import type { HereDoc, Redirection } from "unbash"
import { type Folders, names, type Place, scan, type Walk } from "./split.ts"
import { readWord } from "./words.ts"
import type { Input } from "./wrappers.ts"

const nowhere = /^\/dev\/(?:null|stdin|stdout|stderr|tty|fd\/\d+)$/

/** Notes the files of redirections; gives the standard input if one of them sets it. */
export function redirected(
  redirections: readonly Redirection[],
  at: Folders,
  walk: Walk,
  place: Place,
): Input {
  let input: Input
  for (const redirection of redirections) {
    scan(redirection, at, walk, place)
    const { descriptor } = redirection
    if (descriptor?.type === "FileDescriptorVariable") names(descriptor.name, walk)
    const isInput =
      descriptor === undefined || (descriptor.type === "FileDescriptor" && descriptor.value === 0)
    if (redirection.type === "HereDoc") {
      if (isInput) input = hereDocument(redirection)
      continue
    }
    if (redirection.target === undefined) {
      walk.problems.add("a redirection has no target")
      continue
    }
    const word = readWord(redirection.target, walk.known)
    if (redirection.type === "HereString") {
      if (isInput) input = word.value === undefined ? "unknown" : { text: word.value }
      continue
    }
    const { operator } = redirection
    if (isInput && operator.startsWith("<")) input = "unknown"
    if (operator.endsWith("&") && /^(?:\d+-?|-)$/.test(word.value ?? "")) continue
    if (nowhere.test(word.value ?? "")) continue
    walk.files.push({ kind: operator === "<" || operator === "<&" ? "read" : "write", word, cwds: at })
  }
  return input
}

function hereDocument({ delimiter, body }: HereDoc): Input {
  if (delimiter?.quoted) return { text: body.text }
  // A backslash before ``$`\`` and the end of a line is taken away before anybody reads the text.
  if (body.text.includes("\\")) return "unknown"
  if (body.parts === undefined) return { text: body.text }
  const pieces = body.parts.map((part) => (part.type === "Literal" ? part.value : undefined))
  return pieces.every((piece) => piece !== undefined) ? { text: pieces.join("") } : "unknown"
}
