import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"

export type SourceFile = { path: string; text: string }

/** Who may import whom; a package that is not named here may not exist. */
export const allowed: Readonly<Record<string, readonly string[]>> = {
  facts: [],
  protocol: [],
  runtime: ["facts", "protocol"],
  "agent-ui": ["facts"],
  conformance: ["facts", "protocol", "agent-ui"],
  client: ["facts", "agent-ui"],
  host: ["facts", "protocol", "runtime", "agent-ui", "client", "conformance"],
  workbench: ["client", "agent-ui", "facts"],
}
/** What the packages that run anywhere may need of others. */
export const needs: Record<string, readonly string[]> = {
  facts: ["zod"],
  protocol: ["zod", "gpt-tokenizer"],
  "agent-ui": ["react"],
}
const withoutNode = ["facts", "protocol", "agent-ui", "client", "workbench"]

export const longest = 400
export const usual = 250
export const usualPercent = 90

/** Every source and test file of the packages, the apps, the scripts and the root tests. */
export function readSources(root: string): SourceFile[] {
  const folders = ["packages", "apps"].flatMap((kind) =>
    namesIn(join(root, kind)).flatMap((name) =>
      ["src", "test", "scripts"].map((folder) => `${kind}/${name}/${folder}`),
    ),
  )
  return [...folders, "scripts", "test", "bench"].flatMap((folder) =>
    filesIn(root, folder)
      .filter((path) => /\.(ts|tsx|mts|mjs)$/.test(path))
      .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") })),
  )
}

const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])

function filesIn(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.name !== "node_modules")
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`
      return entry.isDirectory() ? filesIn(root, path) : [path]
    })
}

/** The specifiers that a module imports, exports from, or loads by the URL of a module. */
export function importsOf(text: string): string[] {
  // Only comments that begin a line: a glob in a string looks like the start of one.
  const code = text.replace(/^[ \t]*\/\*[\s\S]*?\*\//gm, "").replace(/^[ \t]*\/\/.*$/gm, "")
  const statements = code.matchAll(/^[ \t]*(?:import|export)\b(?:[\w\s*{},$]*?\bfrom)?\s*["']([^"']+)["']/gm)
  const calls = code.matchAll(/\b(?:import|require)\s*\(\s*["'`]([^"'`]+)["'`]/g)
  const urls = code.matchAll(/\bnew\s+URL\(\s*["'`]([^"'`]+\.m?[jt]sx?)["'`]\s*,\s*import\.meta\.url/g)
  return [...statements, ...calls, ...urls].map((match) => match[1] ?? "")
}

export function importViolations(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const owner = /^(?:packages|apps)\/([^/]+)\/src\//.exec(file.path)
    if (!owner?.[1]) return []
    const name = owner[1]
    if (!allowed[name]) return [`${file.path}: package ${name} is not in the table of allowed imports`]
    return importsOf(file.text).flatMap((specifier) => {
      const reason = refusal(name, file.path, specifier)
      return reason ? [`${file.path}: ${specifier}: ${reason}`] : []
    })
  })
}

function refusal(name: string, path: string, specifier: string): string | undefined {
  if (specifier.startsWith(".")) return relativeRefusal(path, specifier)
  const target = /^@factum\/([^/]+)/.exec(specifier)?.[1]
  if (target) return packageRefusal(name, path, target)
  if (specifier.startsWith("node:") && withoutNode.includes(name)) return `${name} runs in a browser`
  const needed = needs[name]
  if (needed && !needed.some((library) => specifier === library || specifier.startsWith(`${library}/`))) {
    return `${name} needs only ${needed.join(", ")}`
  }
}

function relativeRefusal(path: string, specifier: string): string | undefined {
  const home = path.split("/").slice(0, 2).join("/")
  const target = posix.join(posix.dirname(path), specifier)
  return target === home || target.startsWith(`${home}/`) ? undefined : `leaves ${home}`
}

function packageRefusal(name: string, path: string, target: string): string | undefined {
  if (target === name) return undefined
  if (!allowed[name]?.includes(target)) return `${name} may not import ${target}`
  const translates = path.startsWith("packages/agent-ui/src/adapters/")
  if (name === "agent-ui" && !translates) return `agent-ui imports ${target} in its adapters only`
}

export function sizeViolations(files: readonly SourceFile[]): string[] {
  const counted = files
    .filter((file) => isBudgeted(file))
    .map(({ path, text }) => ({ path, lines: lines(text) }))
  const over = counted
    .filter((file) => file.lines > longest)
    .map((file) => `${file.path} has ${file.lines} lines; ${longest} is the most`)
  const large = counted.filter((file) => file.lines >= usual)
  if ((counted.length - large.length) * 100 >= counted.length * usualPercent) return over
  const named = large.map((file) => `${file.path} (${file.lines})`).join(", ")
  return [...over, `${large.length} of ${counted.length} files reach ${usual} lines: ${named}`]
}

function isBudgeted({ path, text }: SourceFile): boolean {
  const isTest = /(^|\/)test\//.test(path) || /\.test\.tsx?$/.test(path)
  const isGenerated = /^(\/\/|\/\*).*\bgenerated\b/i.test(text.split("\n", 1)[0] ?? "")
  return !isTest && !isGenerated
}

const lines = (text: string) => text.replace(/\n$/, "").split("\n").length

const leftovers = [/\.(?:only|skip|todo)\s*[(.]/, /\b(?:TODO|FIXME)\b/]

/** Tests that were switched off and work that was put off. */
export function leftoverViolations(files: readonly SourceFile[]): string[] {
  const scanned = files.filter(({ path }) => /(^|\/)(src|test)\//.test(path))
  return scanned.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, index) => {
      const found = leftovers.map((pattern) => pattern.exec(line)?.[0]).find(Boolean)
      return found ? [`${path}:${index + 1}: ${found}`] : []
    }),
  )
}

/** A program that is waited for without a bound stops everything when it hangs, also the timers of a test. */
export function waitingViolations(sources: readonly SourceFile[]): string[] {
  return sources.flatMap(({ path, text }) =>
    [...text.matchAll(/\b(?:spawnSync|execFileSync|execSync)(?=\()/g)]
      .filter(({ index, 0: name }) => !/\btimeout\b/.test(inParentheses(text, index + name.length)))
      .map(({ 0: name }) => `${path} waits for ${name} without a timeout`),
  )
}

function inParentheses(text: string, from: number): string {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    if (text[at] === "(") depth++
    if (text[at] === ")" && --depth === 0) return text.slice(from, at)
  }
  return text.slice(from)
}
