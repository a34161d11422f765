import path from "node:path"
import picomatch from "picomatch"
import { fits } from "../wildcard.ts"
import { forbids, type Match, permits } from "./match-command.ts"
import type { Part, Where } from "./parts.ts"
import { inside, realPath } from "./paths.ts"
import type { Rule } from "./types.ts"

export const ruleName = (rule: Rule): string =>
  `${rule.layer}: ${rule.effect} ${rule.tool}${rule.match === undefined ? "" : `(${rule.match})`}`

/** Tools by which the same thing can be done: what forbids one way forbids the others. */
const commandTools = ["shell", "bash", "process", "process_start"]
const fileTools = {
  read: ["read", "read_file", "list_files", "grep", "glob"],
  write: ["write", "write_file", "edit", "edit_file"],
  delete: ["write", "write_file", "edit", "edit_file", "delete"],
}
const networkTools = ["fetch", "web_fetch"]
/** Tools that give what stands in a file, or change it. */
const contentTools = { read: ["read", "read_file"], write: fileTools.write, delete: fileTools.delete }
/** Short names that stand for a tool in rules. */
const aliases: Readonly<Record<string, string>> = {
  read: "read_file",
  write: "write_file",
  edit: "edit_file",
  fetch: "web_fetch",
  process: "process_start",
}

/** Whether a rule for this name or pattern is about the tool. */
export const speaksOf = (pattern: string, tool: string): boolean =>
  fits(pattern, tool) || (Object.hasOwn(aliases, pattern) && aliases[pattern] === tool)

/** Whether a rule for this name or pattern is about any of these tools, or about what they do. */
export const speaksOfAny = (pattern: string, tools: readonly string[]): boolean =>
  [...tools, ...everyWay].some((tool) => speaksOf(pattern, tool))

/** Whether a rule speaks about this part of a call of `tool`. */
export function ruleMatch(rule: Rule, tool: string, part: Part, where: Where): Match {
  const own = speaksOf(rule.tool, tool)
  const strict = rule.effect !== "allow"
  if (rule.match === undefined) return own || (strict && sameEffect(rule.tool, part)) ? "yes" : "no"
  if (!own && !(strict && sameWay(rule.tool, part))) return "no"
  const about = aboutOf(rule)
  switch (part.kind) {
    case "command":
      if (about === "path") return "no"
      if (strict) return forbids(rule.match, part.command)
      return permits(rule.match, part.command) ? "yes" : "no"
    case "file":
      if (about === "command") return "no"
      return strict ? forbidsFile(rule, part, where) : permitsFile(rule, part, where)
    case "network":
      if (part.host === undefined) return strict ? "maybe" : "no"
      return domainMatch(rule.match, part.host, strict) ? "yes" : "no"
    case "other":
      return fits(rule.match, part.text) || (strict && part.text.startsWith(rule.match)) ? "yes" : "no"
    case "unreadable":
      return "no"
  }
}

/** Whether a call that goes through a folder may also tell what stands in this file of it. */
export function mayTell(
  path: string,
  {
    rules,
    tool,
    where,
    parts,
  }: { rules: readonly Rule[]; tool: string; where: Where; parts: readonly Part[] },
): boolean {
  const file: Part = { kind: "file", use: "read", text: path, path }
  const speaks = (rule: Rule, part: Part) =>
    rule.match !== undefined && ruleMatch(rule, tool, part, where) !== "no"
  return !rules.some(
    (rule) =>
      rule.effect !== "allow" &&
      speaks(rule, file) &&
      // What is asked about the whole call was answered for all of it.
      !(rule.effect === "ask" && parts.some((part) => speaks(rule, part))),
  )
}

/** A pattern with a blank is a command; one with a slash is a path, unless its rule is about commands alone. */
function aboutOf({ tool, match = "" }: Rule): "command" | "path" | "either" {
  if (/\s/.test(match)) return "command"
  const pathlike = /[/]|\*\*|^[~.]/.test(match)
  if (commandTools.includes(tool)) return pathlike ? "either" : "command"
  return pathlike ? "path" : "either"
}

/** Whether a command that hides what it does could do what the rule forbids or asks about. */
export function couldHide(rule: Rule, tool: string): boolean {
  if (rule.effect === "allow" || rule.match === undefined) return false
  return speaksOf(rule.tool, tool) || everyWay.some((name) => fits(rule.tool, name))
}

const everyWay = [...commandTools, ...Object.values(fileTools).flat(), ...networkTools]

function sameWay(pattern: string, part: Part): boolean {
  const tools =
    part.kind === "command"
      ? commandTools
      : part.kind === "network"
        ? networkTools
        : part.kind !== "file"
          ? []
          : part.use === "mention"
            ? Object.values(fileTools).flat()
            : fileTools[part.use]
  return tools.some((name) => fits(pattern, name))
}

/** Without a match a rule is about what its tool does, not about every word that could be a file or an address. */
function sameEffect(pattern: string, part: Part): boolean {
  if (pattern === "*") return false
  if (part.kind === "file")
    return part.use !== "mention" && contentTools[part.use].some((name) => fits(pattern, name))
  return !(part.kind === "network" && part.mention) && sameWay(pattern, part)
}

type FilePart = Extract<Part, { kind: "file" }>

function permitsFile(rule: Rule, part: FilePart, where: Where): Match {
  const file = part.path
  if (file === undefined) return "no"
  return patternsOf(rule).some((pattern) => globMatch(pattern, file, where, false)) ? "yes" : "no"
}

function forbidsFile(rule: Rule, part: FilePart, where: Where): Match {
  const file = part.path
  if (file === undefined) return "maybe"
  const patterns = patternsOf(rule)
  if (patterns.some((pattern) => globMatch(pattern, file, where, true))) return "yes"
  const concerned = part.deep || part.use === "write" || part.use === "delete"
  return concerned && patterns.some((pattern) => holds(pattern, file, part.deep === true, where))
    ? "maybe"
    : "no"
}

const patternsOf = (rule: Rule): readonly string[] => [rule.match ?? "", ...(rule.real ?? [])]

/** A path through its links against a glob that is absolute, below `~`, or relative to the workspace. */
export function globMatch(pattern: string, file: string, where: Where, strict: boolean): boolean {
  const glob = pattern === "~" || pattern.startsWith("~/") ? where.home + pattern.slice(1) : pattern
  if (glob.length > 4_000) return strict
  const test = (wanted: string, value: string): boolean =>
    matcher(wanted, strict)(value) || (strict && matcher(`${wanted}/**`, strict)(value))
  if (path.isAbsolute(glob)) return test(trim(glob), file)
  const relative = trim(glob.replace(/^(?:\.\/)+/, "")) || "**"
  // Without a slash a name is forbidden in every folder, as in .gitignore.
  const anywhere = strict && !relative.includes("/") && relative !== ".." ? `**/${relative}` : relative
  return basesOf(where).some((base) => {
    let folder = base
    let rest = anywhere
    for (; rest.startsWith("../"); rest = rest.slice(3)) folder = path.dirname(folder)
    return inside(file, folder) && test(rest, path.relative(folder, file) || ".")
  })
}

const matchers = new Map<string, (value: string) => boolean>()

function matcher(glob: string, nocase: boolean): (value: string) => boolean {
  const key = `${nocase} ${glob}`
  const known = matchers.get(key)
  if (known) return known
  if (matchers.size > 2_000) matchers.clear()
  const made = picomatch(glob, { dot: true, nocase, nonegate: true })
  matchers.set(key, made)
  return made
}

/** Whether a folder may hold what the pattern names. */
export function holds(pattern: string, folder: string, deep: boolean, where: Where): boolean {
  const { base, glob } = picomatch.scan(pattern)
  const spread = deep && (glob.includes("**") || !pattern.includes("/"))
  const fixed = glob === "" ? pattern : base
  const starts = fixed.startsWith("~/")
    ? [where.home + fixed.slice(1)]
    : path.isAbsolute(fixed)
      ? [fixed]
      : basesOf(where).map((from) => path.join(from, fixed))
  return starts.some((start) => inside(start, folder) || (spread && inside(folder, start)))
}

const basesOf = (where: Where): readonly string[] => [...new Set([where.cwd, ...where.roots])]
const trim = (glob: string): string => (glob.length > 1 ? glob.replace(/\/+$/, "") : glob)

/** `example.org` is that host; `*.example.org` the hosts below it, and for what forbids also itself. */
export function domainMatch(pattern: string, host: string, strict: boolean): boolean {
  const wanted = pattern.toLowerCase().replace(/\.$/, "")
  if (wanted === "*" || wanted === host) return true
  if (!wanted.startsWith("*.")) return false
  return host.endsWith(wanted.slice(1)) || (strict && host === wanted.slice(2))
}

/** Adds to every rule the place where its own folder really is: a link must not hide what it names. */
export async function realRules(rules: readonly Rule[], where: Where): Promise<readonly Rule[]> {
  return await Promise.all(
    rules.map(async (rule) => {
      if (rule.match === undefined || /\s/.test(rule.match)) return rule
      const { base, glob } = picomatch.scan(rule.match)
      const fixed = glob === "" ? rule.match : base
      const from = fixed.startsWith("~/") ? [where.home + fixed.slice(1)] : absolute(fixed, where)
      const real: string[] = []
      for (const place of from) {
        const found = await realPath(place)
        if (found === undefined || found === path.normalize(place) || /[*?[\]{}()!]/.test(found)) continue
        real.push(glob === "" ? found : `${found}/${glob}`)
      }
      return real.length === 0 ? rule : { ...rule, real }
    }),
  )
}

function absolute(file: string, where: Where): readonly string[] {
  if (file === "") return []
  return path.isAbsolute(file) ? [file] : basesOf(where).map((base) => path.join(base, file))
}
