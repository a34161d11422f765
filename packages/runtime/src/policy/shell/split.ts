import {
  type AndOr,
  type CompoundCommand,
  type CompoundList,
  forEachChild,
  type ParsedScript,
  type Pipeline,
  type PipelineNode,
  parse,
  type Statement,
  type SyntaxNode,
} from "unbash"
import { commandName, commandsByVariable, computesItself, shells } from "./names.ts"
import { hiddenIndex } from "./opaque.ts"
import { redirected } from "./redirects.ts"
import { simple } from "./simple.ts"
import type { FileUse, SimpleCommand, Split } from "./types.ts"
import type { Known } from "./words.ts"
import type { Input } from "./wrappers.ts"

/** Linux starts no program with a longer argument, so nothing longer could be run by a shell tool. */
export const longestCommand = 131_072
export const deepest = 24
const most = 2_000

/** Folders in which a command may stand; none means that it is not known. */
export type Folders = readonly string[]
/** Where the shell stands after success and after failure: `cd x && y` is not `cd x; y`. */
export type Ends = { ok: Folders; fail: Folders }

export type Walk = {
  commands: SimpleCommand[]
  files: FileUse[]
  problems: Set<string>
  known: Known
  depth: number
  /** The text defines a command that would change the folder. */
  moved: boolean
  /** A number is computed from variables; a variable has a value that such a computation may run. */
  counts: boolean
  odd: boolean
}
/** `input` is what the command reads from its standard input. */
export type Place = { source: string; input: Input }

/** What a command text would do, as far as its words tell. It never throws, and it takes a bounded time. */
export function split(text: string, where: { cwd?: string | undefined; home: string }): Split {
  const walk: Walk = {
    commands: [],
    files: [],
    problems: new Set(),
    known: new Map([["HOME", where.home]]),
    depth: 0,
    moved: false,
    counts: false,
    odd: false,
  }
  try {
    runText(text, where.cwd === undefined ? [] : [where.cwd], walk, undefined)
  } catch {
    // The parser gives up on some kinds of nesting, such as `<<a$(<<a$(…`; what was found before stays.
    walk.problems.add("the command cannot be read")
  }
  if (walk.counts && walk.odd) hide(text, "a number is computed from text that may run a command", walk)
  return { commands: walk.commands, files: walk.files, problems: [...walk.problems] }
}

/** Whether a shell is started by it, which may then read more commands. */
export const startsShell = (text: string): boolean =>
  split(text, { home: "/" }).commands.some(({ words }) => shells.has(commandName(words[0]) ?? ""))

export function runText(text: string, at: Folders, walk: Walk, input: Input): Folders {
  if (text.length > longestCommand) walk.problems.add("the command is too long")
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  else if (/[\0-\x08\x0b-\x1f\x7f]/.test(text)) walk.problems.add("the command has control characters in it")
  else return runScript(parse(text), at, walk, { source: text, input })
  return []
}

export function runScript(script: ParsedScript, at: Folders, walk: Walk, place: Place): Folders {
  for (const error of script.errors ?? []) walk.problems.add(error.message)
  if (walk.depth >= deepest) {
    walk.problems.add("the command is nested too deeply")
    return []
  }
  walk.depth++
  const end = list(script.commands, at, walk, { ...place, source: script.source ?? place.source })
  walk.depth--
  return end
}

function list(statements: readonly Statement[], at: Folders, walk: Walk, place: Place): Folders {
  let folders = at
  for (const statement of statements) {
    const ends = run(statement.command, folders, walk, place)
    folders = statement.background ? folders : either(ends.ok, ends.fail)
  }
  return folders
}

export function run(node: PipelineNode | AndOr | CompoundList, at: Folders, walk: Walk, place: Place): Ends {
  if (walk.commands.length >= most) {
    walk.problems.add("the command has too many parts")
    return same([])
  }
  switch (node.type) {
    case "Command":
      return simple(node, at, walk, place)
    case "AndOr":
      return andOr(node, at, walk, place)
    case "Pipeline":
      return pipeline(node, at, walk, place)
    case "CompoundList":
      return same(list(node.commands, at, walk, place))
    case "BraceGroup":
      return run(node.body, at, walk, place)
    case "Subshell":
      run(node.body, at, walk, place)
      return same(at)
    case "Redirected": {
      const input = redirected(node.redirects, at, walk, place)
      // Who reads first takes what another one would have read.
      const read = input !== undefined && readsAlone(node.command) ? input : "unknown"
      return run(node.command, at, walk, input === undefined ? place : { ...place, input: read })
    }
    case "If": {
      const tested = run(node.clause, at, walk, place).ok
      const ends = [tested, run(node.then, tested, walk, place).ok]
      for (const branch of node.elif) {
        ends.push(run(branch.clause, tested, walk, place).ok)
        ends.push(run(branch.then, ends.at(-1) ?? [], walk, place).ok)
      }
      if (node.else) ends.push(run(node.else, ends.reduce(either), walk, place).ok)
      return same(ends.reduce(either))
    }
    case "While":
      return again(at, walk, (from) => run(node.body, run(node.clause, from, walk, place).ok, walk, place).ok)
    case "For":
    case "Select":
      names(node.name.text, walk)
      for (const word of node.wordlist ?? []) scan(word, at, walk, place)
      return again(at, walk, (from) => run(node.body, from, walk, place).ok)
    case "ArithmeticFor":
      for (const part of [node.initialize, node.test, node.update]) if (part) scan(part, at, walk, place)
      return again(at, walk, (from) => run(node.body, from, walk, place).ok)
    case "Case":
      scan(node.word, at, walk, place)
      for (const item of node.items) for (const pattern of item.pattern) scan(pattern, at, walk, place)
      // `;&` falls through from one to the next.
      return same(node.items.reduce((from, item) => either(from, run(item.body, from, walk, place).ok), at))
    case "TestCommand":
    case "ArithmeticCommand":
      if (node.expression === undefined) walk.counts = true
      else scan(node.expression, at, walk, place)
      return same(at)
    case "Function":
      // Called from anywhere, if at all; what it does is judged as if it were called.
      if (/^(?:cd|pushd|popd|builtin|command|eval)$/.test(node.name.value)) walk.moved = true
      run(node.body, [], walk, { ...place, input: "unknown" })
      return same(at)
    case "Coproc":
      run(node.body, at, walk, { ...place, input: "unknown" })
      return same(at)
  }
}

/** Nothing but one plain command reads the input of the group. */
function readsAlone(node: CompoundCommand): boolean {
  if (node.type !== "BraceGroup" && node.type !== "Subshell") return false
  const [only, ...others] = node.body.commands
  if (only?.command.type !== "Command" || others.length > 0) return false
  const { prefix, name, suffix } = only.command
  return prefix.length === 0 && suffix.length === 0 && name?.parts === undefined
}

function andOr(node: AndOr, at: Folders, walk: Walk, place: Place): Ends {
  let ends: Ends = same(at)
  for (const [i, command] of node.commands.entries()) {
    const operator = i === 0 ? undefined : node.operators[i - 1]
    const next = run(command, operator === "||" ? ends.fail : ends.ok, walk, place)
    if (operator === undefined) ends = next
    else if (operator === "&&") ends = { ok: next.ok, fail: either(ends.fail, next.fail) }
    else ends = { ok: either(ends.ok, next.ok), fail: next.fail }
  }
  return ends
}

function pipeline(node: Pipeline, at: Folders, walk: Walk, place: Place): Ends {
  let last: Ends = same(at)
  for (const [i, command] of node.commands.entries())
    last = run(command, at, walk, i === 0 ? place : { ...place, input: "unknown" })
  if (node.commands.length > 1) return same(either(at, either(last.ok, last.fail)))
  return node.prefixes.some((prefix) => prefix.type === "Negation") ? { ok: last.fail, fail: last.ok } : last
}

/** A body that moves stands somewhere else the second time, so it is read again as standing anywhere. */
function again(at: Folders, walk: Walk, body: (from: Folders) => Folders): Ends {
  const before = { commands: walk.commands.length, files: walk.files.length }
  const end = body(at)
  if (end.join("\0") === at.join("\0")) return same(at)
  walk.commands.length = before.commands
  walk.files.length = before.files
  body([])
  return same([])
}

/** Everything that runs inside a word: substitutions, also in indexes, defaults and arithmetic. */
export function scan(node: SyntaxNode, at: Folders, walk: Walk, place: Place): void {
  switch (node.type) {
    case "CommandExpansion":
    case "ProcessSubstitution":
    case "ArithmeticCommandExpansion":
      if (node.script) runScript(node.script, at, walk, { ...place, input: "unknown" })
      else walk.problems.add("a substitution cannot be read")
      return
    case "ArithmeticExpansion":
      if (node.expression === undefined) walk.counts = true
      nested(node, at, walk, place)
      return
    case "ArithmeticWord":
      if (/[a-zA-Z_$]/.test(node.value)) walk.counts = true
      for (const [name] of node.value.matchAll(/[a-zA-Z_]\w*/g)) computed(name, walk)
      break
    case "TestUnary":
      if (node.operator === "-v" || node.operator === "-R") walk.counts = true
      break
    case "TestBinary":
      if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator)) walk.counts = true
      break
    case "ParameterExpansion":
      if (node.prefix === "!" || node.index || node.operation?.type === "Slice") walk.counts = true
      if (node.operation?.type === "Transform" || node.operation?.type === "Unknown")
        hide(node.text, "the expansion may run a command", walk)
      if (node.operation?.type === "Default" && node.operation.operator.endsWith("="))
        names(node.parameter, walk)
      nested(node, at, walk, place)
      return
    case "Word":
      if (hiddenIndex(node.value) && !node.parts?.some((part) => part.type === "CommandExpansion"))
        walk.odd = true
      // Where it is read as a number it sets the variable.
      for (const [, name = ""] of node.value.matchAll(/([a-zA-Z_]\w*)(?:[-+*/%&|^<>]{0,3}=|\+\+|--)/g))
        if (commandsByVariable(name)) walk.odd = true
      break
  }
  forEachChild(node, (child) => scan(child, at, walk, place))
}

/** Each level of expansions is parsed anew when it is looked at, so the levels are counted. */
function nested(node: SyntaxNode, at: Folders, walk: Walk, place: Place): void {
  if (walk.depth >= deepest) {
    walk.problems.add("the command is nested too deeply")
    return
  }
  walk.depth++
  forEachChild(node, (child) => scan(child, at, walk, place))
  walk.depth--
}

/** A variable gets a value that is not looked at. */
export function names(variable: string, walk: Walk): void {
  walk.odd = true
  if (computesItself(variable)) walk.counts = true
  if (commandsByVariable(variable)) hide(variable, `${variable} decides what runs`, walk)
}

/** A number is computed with the variable, which may set it. */
function computed(variable: string, walk: Walk): void {
  if (commandsByVariable(variable)) hide(variable, `${variable} decides what runs`, walk)
}

export function hide(text: string, opaque: string, walk: Walk): void {
  walk.commands.push({ text, words: [], assigns: [], wrapper: true, harmless: false, opaque })
}

export const same = (at: Folders): Ends => ({ ok: at, fail: at })

export function either(a: Folders, b: Folders): Folders {
  if (a.length === 0 || b.length === 0) return []
  const all = [...new Set([...a, ...b])]
  return all.length > 8 ? [] : all
}
