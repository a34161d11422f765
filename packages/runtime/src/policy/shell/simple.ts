import path from "node:path"
import type { Assignment, Command } from "unbash"
import { harmless, searchesHere } from "./harmless.ts"
import { here } from "./lookers.ts"
import { commandName, commandsByVariable, computesItself, tameVariable } from "./names.ts"
import { hidden } from "./opaque.ts"
import { isAssign, wrapperForms } from "./options.ts"
import { redirected } from "./redirects.ts"
import {
  deepest,
  type Ends,
  either,
  type Folders,
  hide,
  type Place,
  runText,
  same,
  scan,
  type Walk,
} from "./split.ts"
import { isTalker } from "./talkers.ts"
import { literal, type ShellAssign, type ShellWord, type SimpleCommand } from "./types.ts"
import { readArray, readWord } from "./words.ts"
import { type Input, open } from "./wrappers.ts"

export function simple(node: Command, at: Folders, walk: Walk, place: Place): Ends {
  const redirectedInput = redirected(node.redirects, at, walk, place)
  const assigns: ShellAssign[] = []
  for (const item of node.prefix) {
    if (item.type !== "Assignment") continue
    scan(item, at, walk, place)
    assigns.push(assignOf(item, walk))
  }
  const words: ShellWord[] = []
  if (node.name) {
    scan(node.name, at, walk, place)
    words.push(readWord(node.name, walk.known))
  }
  for (const item of node.args) {
    scan(item, at, walk, place)
    if (item.type === "Word") words.push(readWord(item, walk.known))
    else words.push(assignWord(item, walk))
  }
  const text = place.source.slice(node.pos, node.end)
  return start(words, { text, assigns, at, input: redirectedInput ?? place.input }, walk)
}

type Start = { text: string; assigns: readonly ShellAssign[]; at: Folders; input: Input }

/** One command, and everything that it starts. */
function start(words: readonly ShellWord[], of: Start, walk: Walk): Ends {
  const { text, assigns, at, input } = of
  if (words.length === 0) {
    for (const { name } of assigns)
      if (commandsByVariable(name)) hide(text, `${name} decides what runs`, walk)
    walk.commands.push({ text, words, assigns, wrapper: true, harmless: true })
    return same(at)
  }
  if (walk.depth > deepest) {
    walk.problems.add("the command is nested too deeply")
    return same([])
  }
  const opened = open(words, input)
  const opaques = opened?.inner.flatMap((inner) => ("opaque" in inner ? [inner.opaque] : [])) ?? []
  const commanding = [...assigns, ...setBy(words, walk)].find(({ name }) => commandsByVariable(name))
  const opaque =
    opaques[0] ?? hidden(words) ?? (commanding ? `${commanding.name} decides what runs` : undefined)
  const reads = opaque === undefined ? harmless(words) : undefined
  const tame = assigns.every(({ name }) => tameVariable(name))
  const command: SimpleCommand = {
    text,
    words,
    assigns,
    wrapper: opened?.only === true && opaque === undefined,
    harmless: reads !== undefined && tame,
    ...(opened?.plain ? { plain: opened.plain } : {}),
    ...(opaque === undefined ? {} : { opaque }),
  }
  walk.commands.push(command)
  const { folders, git } = reads ?? {}
  for (const word of reads?.words ?? [])
    walk.files.push({ kind: "read", word, cwds: at, of: command, ...(folders ? { folders } : {}) })
  if (reads === undefined && searchesHere(command.plain ?? words))
    walk.files.push({ kind: "mention", word: here, cwds: at, of: command })
  if (git) walk.files.push({ kind: "read", word: git.folder, cwds: at, of: command, git })
  if (!command.wrapper && !isTalker(words))
    for (const word of words.slice(1)) mention(word, command, at, walk)

  let end = at
  walk.depth++
  for (const inner of opened?.inner ?? []) {
    if ("opaque" in inner) continue
    if ("words" in inner) {
      const value = inner.words.map((word) => word.text).join(" ")
      const from = inner.elsewhere ? [] : at
      const name = commandName(words[0]) ?? ""
      const passes = name === "env" || Object.hasOwn(wrapperForms, name)
      const ends = start(
        inner.words,
        {
          text: value,
          at: from,
          assigns: [...assigns, ...assignsOf(words)],
          input: passes || input === undefined ? input : "unknown",
        },
        walk,
      )
      if (/^(?:command|builtin)$/.test(commandName(words[0]) ?? "")) end = either(ends.ok, ends.fail)
    } else {
      const after = runText(inner.script, at, walk, input === undefined ? input : "unknown")
      if (commandName(words[0]) === "eval") end = after
    }
  }
  walk.depth--
  return moves(words, opaque !== undefined, end, walk)
}

/** Where the shell stands after the command. */
function moves(words: readonly ShellWord[], opaque: boolean, at: Folders, walk: Walk): Ends {
  const name = commandName(words[0])
  if (name === undefined || name === "source" || name === ".") return same([])
  if (name !== "cd" && name !== "pushd" && name !== "popd") return same(at)
  const to = words.slice(1).find((word) => !/^-[LPe@]*$|^--$/.test(word.value ?? "") || word.value === "-")
  const target = words.length === 1 && name === "cd" ? walk.known.get("HOME") : to?.value
  if (walk.moved || opaque || name === "popd" || target === undefined || to?.glob || /^[-+]/.test(target))
    return same([])
  if (path.isAbsolute(target)) return { ok: both("", target), fail: at }
  return { ok: at.length === 0 ? [] : [...new Set(at.flatMap((from) => both(from, target)))], fail: at }
}

/** A shell takes `link/..` by its letters, the system by its links: either may be meant. */
function both(from: string, target: string): readonly string[] {
  const joined = from === "" ? target : `${from}/${target}`
  return joined.includes("..") ? [path.normalize(joined), joined] : [path.normalize(joined)]
}

/** A word that may be a file, in each of the ways in which a command could take it. */
function mention(word: ShellWord, of: SimpleCommand, at: Folders, walk: Walk): void {
  const { value } = word
  if (value === undefined || word.glob) {
    walk.files.push({ kind: "mention", word, cwds: at, of })
    return
  }
  const forms = new Set([value, value.slice(value.indexOf("=") + 1), value.slice(value.lastIndexOf(":") + 1)])
  if (/^-[a-zA-Z].*[/.~]/.test(value)) forms.add(value.slice(2))
  // `curl -d@file`, `-F a=@file`, `-F a=<file`, in a cluster or not, with more behind a `;`.
  for (const form of [...forms]) for (const [, file = ""] of form.matchAll(/[@<]([^@<;]+)/g)) forms.add(file)
  // The shell fills in the home also behind the first `=`, many a program itself.
  const home = walk.known.get("HOME")
  for (const form of [...forms])
    if (home !== undefined && /^~(?:\/|$)/.test(form)) forms.add(home + form.slice(1))
  for (const form of forms) {
    if (form === "" || (form.startsWith("-") && form === value)) continue
    walk.files.push({ kind: "mention", word: form === value ? word : literal(form), cwds: at, of })
  }
}

function assignOf(item: Assignment, walk: Walk): ShellAssign {
  const value =
    item.value.type === "Word" ? readWord(item.value, walk.known).value : readArray(item.value, walk.known)
  if (value === undefined || /[[(`$]/.test(value)) walk.odd = true
  if (item.index || computesItself(item.name)) walk.counts = true
  return { name: item.name, ...(value === undefined || item.append ? {} : { value }) }
}

function assignWord(item: Assignment, walk: Walk): ShellWord {
  const { name, value } = assignOf(item, walk)
  return value === undefined ? { text: item.text } : { text: item.text, value: `${name}=${value}` }
}

const setters =
  /^(?:export|declare|typeset|readonly|local|read|printf|mapfile|readarray|getopts|unset|let|set)$/

/** Variables that a built-in command sets. */
function setBy(words: readonly ShellWord[], walk: Walk): readonly ShellAssign[] {
  const name = commandName(words[0]) ?? ""
  if (/^(?:env|sudo|doas)$/.test(name)) return assignsOf(words)
  if (/^(?:test|\[|wait)$/.test(name)) return readsNames(name, words, walk)
  if (!setters.test(name)) return []
  if (name === "let" || computes(name, words)) walk.counts = true
  if (words.slice(1).some((word) => word.glob)) hide(name, "which variable it sets is not known", walk)
  if (name === "printf" && words[1]?.value !== undefined && !words[1].value.startsWith("-v")) return []
  if (name !== "export") walk.odd = true
  if (name === "set") return []
  if (name === "unset" && words.some((word) => word.value === undefined)) walk.counts = true
  if (words.some((word) => /^-[a-zA-Z]*n/.test(word.value ?? "") && /^(?:declare|typeset|local)$/.test(name)))
    hide(words.map((word) => word.text).join(" "), "one variable may stand for another", walk)
  return words.slice(1).flatMap((word) => {
    const variable = /^(?:-v)?(\w+)/.exec(word.value ?? /^\w+\+?=/.exec(word.text)?.[0] ?? "")?.[1]
    if (variable !== undefined && computesItself(variable)) walk.counts = true
    if (word.value === undefined && variable === undefined)
      hide(word.text, "which variable it sets is not known", walk)
    return variable === undefined ? [] : [{ name: variable }]
  })
}

/** The variables that `env` and the like set for what they start. */
const assignsOf = (words: readonly ShellWord[]): readonly ShellAssign[] =>
  /^(?:env|sudo|doas)$/.test(commandName(words[0]) ?? "")
    ? words.slice(1).flatMap((word) => {
        const [name = "", value] = (word.value ?? "").split(/=(.*)/s)
        return isAssign(word) ? [{ name, ...(value === undefined ? {} : { value }) }] : []
      })
    : []

/** A variable that is an integer computes whatever it is given, and a list the indexes in what it is given. */
function computes(name: string, words: readonly ShellWord[]): boolean {
  if (!/^(?:declare|typeset|local|readonly|export)$/.test(name)) return false
  const args = words.slice(1)
  const isUnknown = args.some((word) => word.value === undefined && !/^\w+=/.test(word.text))
  const given = args.some(({ value }) => value === undefined || value.includes("("))
  const has = (letter: RegExp) => args.some(({ value }) => letter.test(value ?? ""))
  return isUnknown || has(/^-\w*i/) || (given && has(/^-\w*[aA]/))
}

/** `test -v` and `wait -p` look into an index; an unknown word may be such an option. */
function readsNames(name: string, words: readonly ShellWord[], walk: Walk): readonly ShellAssign[] {
  const args = words.slice(1)
  if (args.some((word) => word.glob)) hide(name, "which variable it looks at is not known", walk)
  const unknown = (word: ShellWord | undefined) => word !== undefined && word.value === undefined
  const loose = (word: ShellWord, i: number) =>
    unknown(word) && (name === "wait" || !/^".*"$/s.test(word.text) || unknown(args[i + 1]))
  const option = name === "wait" ? /^-\w*p/ : /^-[vR]$/
  if (args.some((word, i) => option.test(word.value ?? "") || loose(word, i))) walk.counts = true
  return []
}
