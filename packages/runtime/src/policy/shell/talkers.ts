import { tameVariable, trustedName } from "./names.ts"
import type { ShellWord } from "./types.ts"

/** Their words are text, not files, and may be unknown. */
const talkers = new Set(
  "echo printf true false : pwd whoami id groups uname nproc uptime arch hostname tty sleep test [ basename dirname seq expr which type exit return break continue shift wait jobs read local export declare typeset readonly unset let getopts set shopt umask times cal".split(
    " ",
  ),
)
export const isTalker = (words: readonly ShellWord[]): boolean => talkers.has(trustedName(words[0]) ?? "")

/** Whether it only talks when it is given these words. */
export function talks(name: string, args: readonly ShellWord[]): boolean {
  switch (name) {
    case "arch":
    case "hostname":
      return args.length === 0
    case "jobs":
      return args.every((word) => /^(?:-[lnprs]+|%[\w%+-]*)$/.test(word.value ?? ""))
    case "set":
    case "shopt":
      // Alone it tells all variables, secrets among them.
      return name === "shopt" || args.length > 0
    case "declare":
    case "typeset":
    case "local":
    case "readonly":
      return args.length > 0 && args.every((word) => /^(?:-[aAgilu]+$|\w)/.test(word.value ?? word.text))
    case "export":
      return args.length > 0 && args.every((word) => tameVariable(nameIn(word)))
    default:
      return true
  }
}

const nameIn = (word: ShellWord): string => /^\w+/.exec(word.value ?? word.text)?.[0] ?? ""

/** Options of a shell that change neither which program a name means nor how later words are read. */
const tameModes =
  /^(?:allexport|errexit|errtrace|functrace|ignoreeof|monitor|noclobber|noexec|noglob|notify|nounset|pipefail|verbose|xtrace|failglob|inherit_errexit|lastpipe|nullglob|extglob)$/

export const tameMode = (word: ShellWord | undefined): boolean =>
  word?.value !== undefined && !word.glob && tameModes.test(word.value)

/** Why `set` or `shopt` changes what later commands mean, or nothing. */
export function changesMeaning(words: readonly ShellWord[]): string | undefined {
  const name = trustedName(words[0])
  const changes = `${words[0]?.text} may change what later commands mean`
  if (name === "shopt") {
    const args = words.slice(1)
    const known = (word: ShellWord) => /^-[pqsuo]+$/.test(word.value ?? "") || tameMode(word)
    return args.every(known) ? undefined : changes
  }
  if (name !== "set") return undefined
  for (let at = 1; at < words.length; at++) {
    const word = words[at]
    const value = word?.glob ? undefined : word?.value
    if (value === undefined) return changes
    if (value === "--" || value === "-" || !/^[-+]/.test(value)) return undefined
    if (!/^[-+][abefhmnoptuvxBCEHT]+$/.test(value)) return changes
    for (const letter of value) if (letter === "o" && words[at + 1] && !tameMode(words[++at])) return changes
  }
  return undefined
}
