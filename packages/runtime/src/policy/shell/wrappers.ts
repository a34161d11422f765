import { commandName, readableShells, shells } from "./names.ts"
import { envForm, innerStart, strongForms, type WrapperForm, wrapperForms, xargsForm } from "./options.ts"
import { tameMode } from "./talkers.ts"
import { type ShellWord, unknownWord } from "./types.ts"

/** What a command starts. `elsewhere`: not in the folder where the wrapper stands. */
export type Inner =
  | { words: readonly ShellWord[]; elsewhere?: true }
  | { script: string; name?: string }
  | { opaque: string }

export type Opened = {
  /** It does nothing but start them. */
  only: boolean
  inner: readonly Inner[]
  plain?: readonly ShellWord[]
}

/** The standard input: a text that is known, something that is not, or nothing that was redirected. */
export type Input = { text: string } | "unknown" | undefined

export function open(words: readonly ShellWord[], input: Input): Opened | undefined {
  const name = commandName(words[0])
  if (name === undefined) return undefined
  if (shells.has(name)) return openShell(name, words, input)
  if (name === "command" && /^-[pvV]*[vV]/.test(words[1]?.value ?? "")) return undefined
  if (name === "env") return openEnv(words)
  if (Object.hasOwn(wrapperForms, name)) return openForm(words, wrapperForms[name] ?? {}, true)
  if (Object.hasOwn(strongForms, name)) return openForm(words, strongForms[name] ?? {}, false)
  switch (name) {
    case "xargs":
      return openXargs(words)
    case "find":
      return openFind(words)
    case "eval":
      return { only: true, inner: [joined(words.slice(1))] }
    case "trap":
      return {
        only: true,
        inner: words.length > 1 ? [scriptOf(words.find((w, i) => i > 0 && w.value !== "--"))] : [],
      }
    case "alias":
      return { only: true, inner: words.slice(1).flatMap(aliasOf) }
    case "git":
      return openGit(words)
    default:
      return undefined
  }
}

function openForm(words: readonly ShellWord[], form: WrapperForm, only: boolean): Opened {
  const at = innerStart(words, form)
  if (at === undefined)
    return { only: false, inner: [{ opaque: `what ${words[0]?.text} starts is not known` }] }
  const chdir = words.slice(1, at).some((word) => /^(?:-[a-zA-Z]*[CDR]|--ch)/.test(word.value ?? ""))
  const inner = words.slice(at)
  const asks = words.some((word) => /^(?:-[a-zA-Z]*[is]|--login|--shell)/.test(word.value ?? ""))
  if (!only && inner.length === 0 && asks)
    return { only, inner: [{ opaque: `${words[0]?.text} opens a shell` }] }
  return { only, inner: inner.length === 0 ? [] : [{ words: inner, ...(chdir ? { elsewhere: true } : {}) }] }
}

function openEnv(words: readonly ShellWord[]): Opened {
  const split = words.findIndex((word, i) => i > 0 && /^(?:-[a-z0-9]*S|--split)/.test(word.value ?? ""))
  if (split > 0) return { only: false, inner: [{ opaque: "env -S splits a text into a command" }] }
  const opened = openForm(words, envForm, true)
  // Alone it prints all variables, secrets among them.
  return opened.inner.length === 0 ? { only: false, inner: [] } : opened
}

function openShell(name: string, words: readonly ShellWord[], input: Input): Opened {
  const cannot = (opaque: string): Opened => ({ only: false, inner: [{ opaque }] })
  if (!readableShells.has(name)) return cannot(`the language of ${name} is not read`)
  let script = false
  for (let at = 1; at < words.length; at++) {
    const word = words[at]
    const value = word?.value
    if (value === undefined || word?.glob) return cannot(`what ${name} runs is not known`)
    if (value === "--version" || value === "--help") return { only: true, inner: [] }
    if (/^--(?:norc|noprofile|posix|login|verbose)$/.test(value)) continue
    if (/^[-+][a-zA-Z]+$/.test(value)) {
      if (value.startsWith("-") && value.includes("c")) script = true
      // Each `o` takes a word of its own, wherever it stands among the letters.
      for (const letter of value)
        if (/[oO]/.test(letter) && !tameMode(words[++at]))
          return cannot(`${name} may read its text in another way`)
      if (/k/.test(value)) return cannot(`${name} may read its text in another way`)
      continue
    }
    if (value === "--" || value === "-") {
      at++
    } else if (/^[-+]/.test(value)) return cannot(`the option ${value} of ${name} is not known`)
    const text = words[at]
    if (script) return { only: true, inner: [scriptOf(text)] }
    if (text !== undefined) return cannot(`${name} runs the file ${text.text}`)
    break
  }
  if (typeof input === "object") {
    // What it starts may read the lines that follow, which are then no commands.
    const lines = input.text.trim().includes("\n")
      ? [{ opaque: `${name} runs several lines that it reads` }]
      : []
    return { only: true, inner: [{ script: input.text }, ...lines] }
  }
  return cannot(`${name} runs what it reads`)
}

function openXargs(words: readonly ShellWord[]): Opened {
  const at = innerStart(words, xargsForm)
  if (at === undefined) return { only: false, inner: [{ opaque: "what xargs starts is not known" }] }
  const given = optionValues(words.slice(1, at))
  // With a file it is xargs that reads, not what it starts.
  const only = !given.has("a") && !given.has("arg-file")
  if (at >= words.length) return { only, inner: [] }
  const sign = given.get("I") ?? given.get("replace")
  const inner = words.slice(at)
  if (sign === undefined) return { only, inner: [{ words: [...inner, unknownWord("…")] }] }
  // Of several such options the last one counts, and some others take it back.
  const both =
    (given.has("I") && given.has("replace")) || ["n", "L", "max-args", "max-lines"].some((x) => given.has(x))
  const filled = inner.map((word) => without(word, sign || "{}"))
  return { only, inner: [{ words: both ? [...filled, unknownWord("…")] : filled }] }
}

/** The options of xargs with their values; of several the last. */
function optionValues(options: readonly ShellWord[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (let at = 0; at < options.length; at++) {
    const value = options[at]?.value ?? ""
    if (value.startsWith("--")) {
      const [name = "", given] = value.slice(2).split(/=(.*)/s)
      found.set(name, given ?? (xargsForm.longTakes?.includes(name) ? (options[++at]?.value ?? "") : ""))
      continue
    }
    for (let i = 1; i < value.length; i++) {
      const letter = value[i] ?? ""
      const takes = xargsForm.takes?.includes(letter) ?? false
      const attached = value.slice(i + 1)
      found.set(letter, takes ? attached || (options[++at]?.value ?? "") : "")
      if (takes) break
    }
  }
  return found
}

function openFind(words: readonly ShellWord[]): Opened | undefined {
  const inner: Inner[] = []
  for (let at = 1; at < words.length; at++) {
    const value = words[at]?.value
    if (value === undefined || !/^-(?:exec|execdir|ok|okdir)$/.test(value)) continue
    const rest = words.slice(at + 1)
    const end = rest.findIndex((word) => word.value === ";" || word.value === "+")
    const command = (end < 0 ? rest : rest.slice(0, end)).map((word) => without(word, "{}"))
    if (command.length > 0)
      inner.push({ words: command, ...(value.endsWith("dir") ? { elsewhere: true } : {}) })
    at += command.length
  }
  return { only: false, inner }
}

/** Options of git that come before its command; the ones that can run something stay opaque. */
function openGit(words: readonly ShellWord[]): Opened | undefined {
  let at = 1
  const inner: Inner[] = []
  for (; at < words.length; at++) {
    const value = words[at]?.value
    if (value === undefined || words[at]?.glob)
      return { only: false, inner: [{ opaque: "what git does is not known" }] }
    if (!value.startsWith("-")) break
    if (/^(?:-c|--config-env|--exec-path)(?:=|$)/.test(value) || /^-c./.test(value)) {
      inner.push({ opaque: `git ${value} may run another program` })
      if (!value.includes("=") && value !== "--exec-path") at++
    } else if (/^(?:-C|--git-dir|--work-tree|--namespace|--super-prefix)$/.test(value)) at++
  }
  const plain = [words[0], ...words.slice(at)].filter((word) => word !== undefined)
  return { only: false, inner, ...(at > 1 ? { plain } : {}) }
}

function aliasOf(word: ShellWord): readonly Inner[] {
  if (word.value === undefined) return [{ opaque: "what the alias stands for is not known" }]
  const at = word.value.indexOf("=")
  return at < 0 ? [] : [{ script: word.value.slice(at + 1) }]
}

function joined(words: readonly ShellWord[]): Inner {
  const values = words.map((word) => (word.glob ? undefined : word.value))
  if (values.some((value) => value === undefined)) return { opaque: "what eval runs is not known" }
  return { script: values.join(" ") }
}

function scriptOf(word: ShellWord | undefined): Inner {
  if (word === undefined) return { script: "" }
  return word.value === undefined || word.glob
    ? { opaque: "the text that is run is not known" }
    : { script: word.value }
}

const without = (word: ShellWord, sign: string): ShellWord =>
  word.value?.includes(sign) ? unknownWord(word.text) : word
