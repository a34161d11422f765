import { readFile } from "node:fs/promises"
import { dirname, join, relative } from "node:path"
import picomatch from "picomatch"
import { isInside } from "../../sandbox/bubblewrap.ts"

type Line = { matches: (path: string) => boolean; again: boolean; foldersOnly: boolean }
/** The lines of one .gitignore, which speak of paths below its folder. */
type Sheet = { folder: string; lines: readonly Line[] }
export type Ignores = readonly Sheet[]

/** Never listed unless they are asked for by name. */
const always: ReadonlySet<string> = new Set([".git", "node_modules", ".hg", ".svn"])
export const isAlwaysIgnored = (name: string): boolean => always.has(name)

/** What the folders above, up to and with `top`, say about a folder's content. */
export async function ignoresFor(folder: string, top: string): Promise<Ignores> {
  const above = folder !== top && isInside(folder, top) ? await ignoresFor(dirname(folder), top) : []
  return withSheet(above, folder)
}

export async function withSheet(ignores: Ignores, folder: string): Promise<Ignores> {
  try {
    const text = await readFile(join(folder, ".gitignore"), "utf8")
    return [...ignores, { folder, lines: text.split(/\r?\n/).flatMap(parse) }]
  } catch {
    return ignores
  }
}

export function isIgnored(ignores: Ignores, path: string, isFolder: boolean): boolean {
  let ignored = false
  for (const { folder, lines } of ignores) {
    const below = relative(folder, path)
    // The last line that matches has the word, and a deeper file speaks after a higher one.
    for (const line of lines) {
      if ((isFolder || !line.foldersOnly) && line.matches(below)) ignored = !line.again
    }
  }
  return ignored
}

function parse(written: string): Line[] {
  const text = written.replace(/(?<!\\)\s+$/, "")
  if (text === "" || text.startsWith("#")) return []
  const again = text.startsWith("!")
  const pattern = text.slice(again ? 1 : 0).replace(/^\\/, "")
  const bare = pattern.replace(/\/$/, "")
  const glob = bare.includes("/") ? bare.replace(/^\//, "") : `**/${bare}`
  return [{ matches: picomatch(glob, { dot: true }), again, foldersOnly: pattern.endsWith("/") }]
}
