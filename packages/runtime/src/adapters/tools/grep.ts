import { stat } from "node:fs/promises"
import { dirname, relative } from "node:path"
import { createContext, Script } from "node:vm"
import picomatch from "picomatch"
import { z } from "zod"
import { textOf } from "../../outputs/text.ts"
import type { ToolOutcome } from "../../ports/tool.ts"
import { because, defineTool, failed } from "./define.ts"
import { toRead, touching } from "./paths.ts"
import { linesOf, readBytes } from "./read-file.ts"
import { filesBelow } from "./walk.ts"

const mostMatches = 500
const longestLine = 500
/** A pattern that takes longer on one file would take for ever. */
const perFileMs = 1_000

export const grep = defineTool({
  name: "grep",
  description:
    "Searches the lines of text files by a JavaScript regular expression. " +
    "Gives path:line: text. What .gitignore names, and bytes that are no text, are left out.",
  input: z.strictObject({
    pattern: z.string().min(1).max(1_000).describe("A regular expression, without slashes."),
    path: z.string().min(1).optional().describe("A file or folder; the working folder, if not said."),
    glob: z.string().min(1).optional().describe("Only files like this, for example *.ts."),
    ignore_case: z.boolean().optional(),
    context: z.int().min(0).max(10).optional().describe("Lines shown before and after a match."),
    limit: z.int().min(1).max(mostMatches).optional(),
  }),
  effect: "none",
  side_effects: ["read"],
  capabilities: ["files.read", "search"],
  time_limit_ms: 30_000,
  touches: touching("read"),
  async run({ pattern, path = ".", glob, ignore_case = false, context = 0, limit = 100 }, run) {
    const place = await toRead(path, run)
    if (!place.ok) return place.failure
    const search = searcher(pattern, ignore_case)
    if (typeof search === "string") return failed("tool_error", search, "Escape what is meant literally.")
    let isFile: boolean
    try {
      isFile = (await stat(place.path)).isFile()
    } catch (error) {
      return failed("tool_error", `${place.path}: ${because(error)}`)
    }
    const wanted =
      glob === undefined ? () => true : picomatch(glob.includes("/") ? glob : `**/${glob}`, { dot: true })
    const base = isFile ? dirname(place.path) : place.path
    const files = isFile ? [place.path] : filesBelow(place.path, run.cwd, run.signal)
    let closed = 0
    const found: Found = { lines: [], matches: 0, files: 0, more: false }
    for await (const file of files) {
      if (!wanted(relative(base, file))) continue
      if (run.mayRead?.(file) === false) {
        closed++
        continue
      }
      const problem = await searchFile(file, relative(run.cwd, file), search, context, limit, found)
      if (problem !== undefined) return problem
      if (found.more) break
      if (run.signal.aborted) return stopped(found)
    }
    if (run.signal.aborted) return stopped(found)
    const { matches, more } = found
    if (more) found.lines.push(`(the first ${limit} matches; narrow the search for others)`)
    const told = found.lines.length > 0 ? found.lines : ["(no match)"]
    if (closed > 0) told.push(`(${closed} files left out that may not be read)`)
    return {
      ok: true,
      output: told.join("\n"),
      data: { matches, files: found.files, more },
    }
  },
})

const stopped = ({ lines }: Found): ToolOutcome => ({
  ...failed(
    "interrupted",
    "Not all files were searched.",
    "Search in fewer files, or with a simpler pattern.",
  ),
  ...(lines.length === 0 ? {} : { output: lines.join("\n") }),
})

type Found = { lines: string[]; matches: number; files: number; more: boolean }
type Search = (lines: readonly string[]) => readonly number[]

/** A search that can be stopped from outside: a bad pattern must not hold up the whole runtime. */
function searcher(pattern: string, ignoreCase: boolean): Search | string {
  try {
    const given = { pattern: new RegExp(pattern, ignoreCase ? "i" : ""), lines: [] as readonly string[] }
    const context = createContext(given)
    const script = new Script("lines.flatMap((line, at) => (pattern.test(line) ? [at] : [])).join()")
    return (lines) => {
      given.lines = lines
      const places = String(script.runInContext(context, { timeout: perFileMs }))
      return places === "" ? [] : places.split(",").map(Number)
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

async function searchFile(
  file: string,
  name: string,
  search: Search,
  context: number,
  limit: number,
  found: Found,
): Promise<ToolOutcome | undefined> {
  const bytes = await readBytes(file)
  const text = typeof bytes === "string" ? undefined : textOf(bytes)
  if (text === undefined) return undefined
  const lines = linesOf(text)
  let places: readonly number[]
  try {
    places = search(lines)
  } catch {
    return failed("time_limit", `The pattern takes too long on ${name}.`, "Use a simpler pattern.")
  }
  if (places.length === 0) return undefined
  found.files++
  const shown = new Set<number>()
  for (const place of places) {
    if (found.matches === limit) {
      found.more = true
      break
    }
    found.matches++
    for (let at = Math.max(0, place - context); at <= Math.min(lines.length - 1, place + context); at++)
      shown.add(at)
  }
  const hits = new Set(places)
  let last = -1
  for (const at of [...shown].sort((a, b) => a - b)) {
    if (context > 0 && last >= 0 && at > last + 1) found.lines.push("--")
    found.lines.push(
      `${name}:${at + 1}${hits.has(at) ? ":" : "-"} ${(lines[at] ?? "").slice(0, longestLine)}`,
    )
    last = at
  }
  return undefined
}
