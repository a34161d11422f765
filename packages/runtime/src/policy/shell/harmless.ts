import { gitReads } from "./git.ts"
import { trustedName } from "./names.ts"
import { onlyVersion } from "./opaque.ts"
import type { ShellWord } from "./types.ts"

/** The files that a harmless command looks at; undefined when the command is not known to be harmless. */
export type Reads = { words: readonly ShellWord[]; deep: boolean }
type Look = {
  /** Options that make it write or run something. */
  not?: RegExp
  /** Short options that take a value which is no file. */
  takes?: string
  /** Options whose value is a file. */
  files?: RegExp
  /** Positional words before the files: the pattern of grep. */
  skips?: number
  /** With this option there is no pattern before the files. */
  given?: RegExp
  most?: number
  /** True if it goes down into folders. */
  deep?: RegExp | true
  /** Without a file it looks at the folder where it stands. */
  here?: true
}

/** Their words are text, not files, and may be unknown. */
const talkers = new Set(
  "echo printf true false : pwd whoami id groups uname nproc uptime arch tty sleep test [ basename dirname seq expr which type exit return break continue shift wait jobs read local export declare typeset readonly unset let getopts set shopt umask times cal".split(
    " ",
  ),
)
export const isTalker = (words: readonly ShellWord[]): boolean => talkers.has(trustedName(words[0]) ?? "")

const plain: Look = {}
const lookers: Readonly<Record<string, Look>> = {
  ls: { here: true, takes: "ITw" },
  cat: plain,
  head: { takes: "nc" },
  tail: { takes: "ncs" },
  wc: { files: /^--files0-from/ },
  nl: { takes: "bdfhilnsvw" },
  tac: { takes: "s" },
  rev: plain,
  cut: { takes: "bcdf" },
  paste: { takes: "d" },
  fold: { takes: "w" },
  fmt: { takes: "wgp" },
  expand: { takes: "t" },
  unexpand: { takes: "t" },
  column: { takes: "cstNRTHEOorW" },
  comm: plain,
  join: { takes: "aeijotv12" },
  cmp: { takes: "in" },
  diff: { takes: "CUWFIxXL", not: /^--to-file|^--from-file|^-[a-zA-Z]*r|^--rec/ },
  md5sum: plain,
  sha1sum: plain,
  sha256sum: plain,
  sha512sum: plain,
  cksum: { takes: "al" },
  b2sum: { takes: "l" },
  shasum: { takes: "a" },
  sort: { takes: "kSt", not: /^-[a-zA-Z]*[oT]|^--(?:o|co|t|f)/ },
  uniq: { takes: "fsw", most: 1 },
  tr: { skips: 99, most: 99 },
  grep: {
    takes: "ABCDdem",
    skips: 1,
    given: /^-[a-zA-Z]*[ef]|^--(?:regexp|file)/,
    not: /^-[a-zA-Z]*[fR]|^--(?:file|deref)/,
    deep: /^-[a-zA-Z]*r|^--recursive|^--directories/,
  },
  rg: {
    takes: "ABCegjmMtTE",
    skips: 1,
    given: /^-[a-zA-Z]*e|^--(?:regexp|files)/,
    not: /^-[a-zA-Z]*f|^--(?:pre|file$|file=|hostname-bin|search-zip|ignore-file|follow)|^-[a-zA-Z]*[zL]/,
    deep: true,
    here: true,
  },
  file: { takes: "eFP", not: /^-[a-zA-Z]*[Cfm]|^--(?:c|f|m)/ },
  stat: { takes: "cf" },
  readlink: plain,
  realpath: plain,
  strings: { takes: "neTt" },
  od: { takes: "AjNStw" },
  hexdump: { takes: "en s", not: /^-[a-zA-Z]*f/ },
  xxd: { takes: "cglos", not: /^-r|^-i/, most: 1 },
  tree: { takes: "LPI", not: /^-[a-zA-Z]*[ol]|^--fromfile/, deep: true, here: true },
  du: { takes: "dBt", not: /^--files0|^-[a-zA-Z]*[XL]|^--exc/, deep: true, here: true },
  df: { takes: "Bt" },
  jq: { takes: "", skips: 1, not: /^-[a-zA-Z]*[fL]|^--(?:from|slurpfile|rawfile|arg|jsonargs)/ },
  base64: { takes: "w" },
  zcat: plain,
  cd: plain,
}

const versioned = new Set(
  "node npm npx pnpm yarn python python3 pip pip3 go cargo rustc java javac ruby gcc clang make cmake docker git tsc deno bun jq rg bash".split(
    " ",
  ),
)

export function harmless(words: readonly ShellWord[]): Reads | undefined {
  const name = trustedName(words[0])
  if (name === undefined) return undefined
  const args = words.slice(1)
  if (versioned.has(name) && onlyVersion(args.map((word) => word.value))) return nothing
  if (talkers.has(name)) return nothing
  if (name === "date") return args.every((word) => word.value?.startsWith("+")) ? nothing : undefined
  if (name === "hostname") return args.length === 0 ? nothing : undefined
  if (name === "command") return /^-[vV]$/.test(args[0]?.value ?? "") ? nothing : undefined
  if (name === "sed") return sedReads(args)
  if (name === "find") return findReads(args)
  if (name === "git") return gitReads(args)
  const look = Object.hasOwn(lookers, name) ? lookers[name] : undefined
  return look && looksAt(args, look)
}

const nothing: Reads = { words: [], deep: false }
const here: ShellWord = { text: ".", value: "." }

export function looksAt(args: readonly ShellWord[], look: Look): Reads | undefined {
  const files: ShellWord[] = []
  let skips = look.skips ?? 0
  let deep = look.deep === true
  let options = true
  for (let at = 0; at < args.length; at++) {
    const word = args[at]
    const value = word?.value
    if (word === undefined || value === undefined) return undefined
    if (options && value === "--") options = false
    else if (options && value.startsWith("-") && value !== "-") {
      if (word.glob || look.not?.test(value)) return undefined
      if (look.given?.test(value)) skips = 0
      if (look.deep instanceof RegExp && look.deep.test(value)) deep = true
      if (look.files?.test(value)) return undefined
      if (takesNext(value, look.takes ?? "")) at++
    } else if (skips > 0) skips--
    else if (value !== "-") files.push(word)
  }
  if (files.length > (look.most ?? Number.POSITIVE_INFINITY)) return undefined
  return { words: files.length === 0 && (look.here || deep) ? [here] : files, deep }
}

/** `-n 5`, but not `-n5`, and not `-5`. */
function takesNext(option: string, takes: string): boolean {
  if (option.startsWith("--")) return false
  const at = [...option].findIndex((letter, i) => i > 0 && takes.includes(letter))
  return at > 0 && at === option.length - 1
}

/** Printing lines, and plain substitutions that only print. */
function sedReads(args: readonly ShellWord[]): Reads | undefined {
  const options = args.filter((word) => word.value?.startsWith("-"))
  if (!options.every((word) => /^-[nErsuz]+$/.test(word.value ?? "") && !word.glob)) return undefined
  const [script, ...files] = args.filter((word) => !options.includes(word))
  if (script?.value === undefined || files.some((word) => word.value === undefined)) return undefined
  const safe = /^(?:\$|\d+)?(?:,(?:\$|\d+))?[pdq]$|^s\/(?:\\.|[^/\\\n])*\/(?:\\.|[^/\\\n])*\/[gpI\d]*$/
  return safe.test(script.value) ? { words: files, deep: false } : undefined
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
    const value = args[at]?.value ?? ""
    if (findTests.test(value)) at++
    else if (!findFlags.test(value)) return undefined
  }
  // Names only: what is in the files stays unseen.
  return { words: roots.length === 0 ? [here] : roots, deep: false }
}
