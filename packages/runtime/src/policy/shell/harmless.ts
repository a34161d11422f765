import { gitReads, tellsFiles } from "./git.ts"
import { here, lookers, looksAt, type Reads } from "./lookers.ts"
import { commandName, trustedName } from "./names.ts"
import { onlyVersion } from "./opaque.ts"
import { isTalker, talks } from "./talkers.ts"
import type { ShellWord } from "./types.ts"

/** Programs that tell their version without asking a file of the folder which program they are. */
const versioned = new Set(
  "node npm npx python python3 pip pip3 go java javac ruby gcc clang make cmake docker git tsc deno bun jq rg bash".split(
    " ",
  ),
)
const nothing: Reads = { words: [] }

export function harmless(words: readonly ShellWord[]): Reads | undefined {
  const name = trustedName(words[0])
  if (name === undefined) return undefined
  const args = words.slice(1)
  const values = args.map((word) => (word.glob ? undefined : word.value))
  if (versioned.has(name) && onlyVersion(name, values)) return nothing
  if (isTalker(words)) return talks(name, args) ? nothing : undefined
  if (name === "date") return args.every((word) => /^(?:-u$|\+)/.test(word.value ?? "")) ? nothing : undefined
  if (name === "command") return /^-[vV]$/.test(args[0]?.value ?? "") ? nothing : undefined
  if (name === "sed") return sedReads(args)
  if (name === "find") return findReads(args)
  if (name === "git") return gitReads(args)
  const look = Object.hasOwn(lookers, name) ? lookers[name] : undefined
  return look && looksAt(args, look)
}

/** A command that is not known to look only, but searches folders without being told which. */
export function searchesHere(words: readonly ShellWord[]): boolean {
  const name = commandName(words[0]) ?? ""
  if (name === "git") return tellsFiles(words)
  if (/^[efz]?grep$/.test(name))
    return words.some(({ value = "-r" }, i) => i > 0 && /^-[a-zA-Z]*[rRd]|^--[rd]/.test(value))
  return /^(?:rg|ag|ack|rgrep)$/.test(name)
}

/** Printing lines, and plain substitutions that only print. */
function sedReads(args: readonly ShellWord[]): Reads | undefined {
  const options = args.filter((word) => word.value?.startsWith("-"))
  if (!options.every((word) => /^-[nErsuz]+$/.test(word.value ?? "") && !word.glob)) return undefined
  const [script, ...files] = args.filter((word) => !options.includes(word))
  if (script?.value === undefined || script.glob || files.some((word) => word.value === undefined))
    return undefined
  const safe = /^(?:\$|\d+)?(?:,(?:\$|\d+))?[pdq]$|^s\/(?:\\.|[^/\\\n])*\/(?:\\.|[^/\\\n])*\/[gpI\d]*$/
  return safe.test(script.value) ? { words: files } : undefined
}

const findTests =
  /^-(?:name|iname|path|ipath|wholename|regex|iregex|type|maxdepth|mindepth|size|mtime|mmin|atime|ctime|amin|cmin|perm|user|group|regextype|printf)$/
const findFlags =
  /^(?:-(?:print|print0|empty|prune|not|a|and|o|or|ls|true|false|xdev|mount|depth|readable|writable|executable|quit)|[()!])$/

function findReads(args: readonly ShellWord[]): Reads | undefined {
  const first = args.findIndex((word) => /^[-(!]/.test(word.value ?? ""))
  const roots = first < 0 ? args : args.slice(0, first)
  if (roots.some((word) => word.value === undefined)) return undefined
  for (let at = roots.length; at < args.length; at++) {
    const word = args[at]
    // A word that is not known, or a pattern, may be more words than one.
    if (word?.value === undefined || word.glob) return undefined
    if (!findTests.test(word.value)) {
      if (!findFlags.test(word.value)) return undefined
      continue
    }
    const next = args[++at]
    if (next?.value === undefined || next.glob) return undefined
  }
  // Names only: what is in the files stays unseen.
  return { words: roots.length === 0 ? [here] : roots }
}
