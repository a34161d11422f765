import { fits as fitsPattern } from "../wildcard.ts"
import { commandName, tameVariable, trustedName } from "./shell/names.ts"
import { split } from "./shell/split.ts"
import { isTalker } from "./shell/talkers.ts"
import type { ShellAssign, ShellWord, SimpleCommand } from "./shell/types.ts"

/** `maybe`: only running it would tell, so it is neither permitted nor forbidden. */
export type Match = "yes" | "maybe" | "no"

export const tokensOf = (pattern: string): readonly string[] => pattern.trim().split(/\s+/)

/**
 * For rules that permit: the words as they stand; more words only where the pattern ends with `*`, and before them only
 * variables that are tame or that the pattern names (`A=1 npm test`).
 */
export function permits(pattern: string, command: SimpleCommand): boolean {
  const all = tokensOf(pattern)
  const first = all.findIndex((token) => !/^\w+=/.test(token))
  const [variables, tokens] = first < 0 ? [[], all] : [all.slice(0, first), all.slice(first)]
  const isNamed = ({ name, value }: ShellAssign) =>
    tameVariable(name) || variables.some((wanted) => value !== undefined && fits(wanted, `${name}=${value}`))
  if (!command.assigns.every(isNamed)) return false
  const open = tokens.at(-1) === "*"
  const wanted = open ? tokens.slice(0, -1) : tokens
  const { words } = command
  if (words.length < wanted.length || (!open && words.length > wanted.length)) return false
  return wanted.every((token, i) => {
    const word = words[i]
    if (i === 0 && !token.includes("/")) return fits(token, trustedName(word))
    return fits(token, word?.glob ? undefined : word?.value)
  })
}

/** For rules that forbid or ask: any form in which the command could be meant. */
export function forbids(pattern: string, command: SimpleCommand): Match {
  const tokens = tokensOf(pattern)
  if (command.words.length === 0) return "no"
  const forms = [command.words, ...(command.plain ? [command.plain] : [])]
  let found: Match = "no"
  for (const words of forms) {
    for (const match of [prefix(tokens, words), byOptions(tokens, words)]) {
      if (match === "yes") return "yes"
      if (match === "maybe") found = "maybe"
    }
  }
  return found === "no" && !command.wrapper && startsInside(tokens, command) ? "maybe" : found
}

/** Word by word from the beginning; a `*` between words stands for any number of them. */
function prefix(tokens: readonly string[], words: readonly ShellWord[], first = true): Match {
  let maybe = false
  let states = closure([0], tokens)
  for (const [at, word] of words.entries()) {
    if (states.has(tokens.length)) return "yes"
    const next: number[] = []
    for (const state of states) {
      const token = tokens[state] ?? ""
      const name = first && at === 0
      const value = name ? commandName(word) : word.glob ? undefined : word.value
      if (token === "*") next.push(state)
      else if (value === undefined) maybe = true
      else if (name ? named(token, word) : fits(token, value, true)) next.push(state + 1)
    }
    states = closure(next, tokens)
    if (states.size === 0) break
  }
  return states.has(tokens.length) ? "yes" : maybe ? "maybe" : "no"
}

function closure(states: readonly number[], tokens: readonly string[]): Set<number> {
  const all = new Set(states)
  for (const state of all) if (tokens[state] === "*") all.add(state + 1)
  return all
}

const named = (token: string, word: ShellWord): boolean =>
  fits(token, commandName(word), true) || fits(token, word.value, true)

/** Options may stand anywhere, together or apart: `rm -rf` is also `rm x -f -r`. */
function byOptions(tokens: readonly string[], words: readonly ShellWord[]): Match {
  const [name, ...others] = tokens.filter((token) => token !== "*")
  const first = words[0]
  if (name === undefined || first === undefined || commandName(first) === undefined) return "no"
  if (!named(name, first)) return "no"
  const isOption = (value: string | undefined): boolean => value !== undefined && /^-./.test(value)
  const rest = words.slice(1)
  const options = rest.flatMap((word) => (isOption(word.value) ? [word.value ?? ""] : []))
  const unknown = rest.some((word) => word.value === undefined || word.glob)
  const wanted = others.filter(isOption)
  if (!wanted.every((option) => given(option, options))) return unknown && wanted.length > 0 ? "maybe" : "no"
  const positional = rest.filter((word) => !isOption(word.value))
  const targets = others.filter((token) => !isOption(token))
  const match = targets.length === 0 ? "yes" : prefix(targets, positional, false)
  // The options of git before its command are known, so no other word can be its command.
  if (match !== "no" || options.length === 0 || commandName(first) === "git") return match
  // An option may have taken the word before: `npm --prefix dir publish`.
  let at = 0
  for (const word of positional) if (fits(targets[at] ?? "", word.value, true)) at++
  return at >= targets.length ? "maybe" : "no"
}

function given(option: string, options: readonly string[]): boolean {
  if (option.includes("*")) return options.some((other) => fits(option, other, true))
  if (option.startsWith("--"))
    return options.some((other) => {
      const long = other.split("=")[0] ?? ""
      return other === option || long === option || (long.length > 3 && option.startsWith(long))
    })
  if (options.includes(option)) return true
  const letters = options.filter((other) => !other.startsWith("--")).join("")
  return [...option.slice(1)].every((letter) => letters.includes(letter))
}

/** A command that may start another one, of which the words stand among its own or inside one of them. */
function startsInside(tokens: readonly string[], command: SimpleCommand): boolean {
  const [name = "*"] = tokens
  const { words } = command
  if (name.includes("*") || command.harmless || isTalker(words) || onlySays(command)) return false
  const text = new RegExp(`(?:^|[^\\w.-])${name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?:$|[^\\w.-])`, "i")
  return words.slice(1).some((word, i) => {
    if (word.value === undefined) return false
    if (commandName(word) === name.toLowerCase()) return prefix(tokens, words.slice(i + 1, i + 65)) !== "no"
    if (!/[\s;|&`$("'\\]/.test(word.value)) return false
    return text.test(word.value) || runsAs(tokens, word.value)
  })
}

/** Whether the text, read as a command, holds the one that is meant. */
const runsAs = (tokens: readonly string[], text: string): boolean =>
  split(text, { cwd: "/", home: "/" }).commands.some(({ words }) => prefix(tokens, words) === "yes")

/** Its long words are messages. */
function onlySays(command: SimpleCommand): boolean {
  const words = command.plain ?? command.words
  return (
    command.opaque === undefined &&
    commandName(words[0]) === "git" &&
    /^(?:commit|tag|notes|merge)$/.test(words[1]?.value ?? "")
  )
}

function fits(token: string, value: string | undefined, loose = false): boolean {
  if (token === "*") return true
  if (value === undefined) return false
  const [a, b] = loose ? [token.toLowerCase(), value.toLowerCase()] : [token, value]
  if (!a.includes("*")) return a === b
  return fitsPattern(a, b)
}
