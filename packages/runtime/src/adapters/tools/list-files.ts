import { readdir, stat } from "node:fs/promises"
import { join, relative } from "node:path"
import picomatch from "picomatch"
import { z } from "zod"
import { because, defineTool, failed } from "./define.ts"
import { ignoresFor, isAlwaysIgnored, isIgnored } from "./ignore.ts"
import { toRead, touching } from "./paths.ts"
import { entriesOf, filesBelow } from "./walk.ts"

const mostEntries = 1_000

export const listFiles = defineTool({
  name: "list_files",
  description:
    "Lists one folder: folders end with /, files have their size. Ignored entries are marked. For a search below it use glob.",
  input: z.strictObject({ path: z.string().min(1).optional().describe("The working folder, if not said.") }),
  effect: "none",
  side_effects: ["read"],
  capabilities: ["files.read"],
  touches: touching("read"),
  async run({ path = "." }, run) {
    const place = await toRead(path, run)
    if (!place.ok) return place.failure
    try {
      await readdir(place.path)
    } catch (error) {
      return failed("tool_error", `${place.path}: ${because(error)}`)
    }
    const ignores = await ignoresFor(place.path, run.cwd)
    const entries = await entriesOf(place.path)
    const lines = await Promise.all(
      entries.slice(0, mostEntries).map(async (entry) => {
        const full = join(place.path, entry.name)
        const hidden = isAlwaysIgnored(entry.name) || isIgnored(ignores, full, entry.isDirectory())
        const size = entry.isFile() ? `\t${(await stat(full).catch(() => undefined))?.size ?? "unknown"}` : ""
        const kind = entry.isDirectory() ? "/" : entry.isSymbolicLink() ? "@" : ""
        return `${entry.name}${kind}${size}${hidden ? "\t(ignored)" : ""}`
      }),
    )
    if (entries.length > mostEntries) lines.push(`(${mostEntries} of ${entries.length} entries)`)
    return {
      ok: true,
      output: lines.join("\n") || "(empty folder)",
      data: { path: place.path, entries: entries.length },
    }
  },
})

export const glob = defineTool({
  name: "glob",
  description:
    "Finds files by a pattern such as src/**/*.ts, in the order of their paths. What .gitignore names is left out.",
  input: z.strictObject({
    pattern: z
      .string()
      .min(1)
      .describe("Relative to path. Without a slash it is looked for in every folder."),
    path: z.string().min(1).optional().describe("Where to look; the working folder, if not said."),
    limit: z.int().min(1).max(mostEntries).optional(),
  }),
  effect: "none",
  side_effects: ["read"],
  capabilities: ["files.read", "search"],
  touches: touching("read"),
  async run({ pattern, path = ".", limit = 200 }, run) {
    const place = await toRead(path, run)
    if (!place.ok) return place.failure
    const matches = picomatch(pattern.includes("/") ? pattern.replace(/^\.?\//, "") : `**/${pattern}`, {
      dot: true,
    })
    const found: string[] = []
    let more = false
    for await (const file of filesBelow(place.path, run.cwd, run.signal)) {
      if (!matches(relative(place.path, file))) continue
      if (found.length === limit) {
        more = true
        break
      }
      found.push(relative(run.cwd, file))
    }
    const lines = more ? [...found, `(the first ${limit}; narrow the pattern for others)`] : found
    return { ok: true, output: lines.join("\n") || "(no file matches)", data: { files: found.length, more } }
  },
})
