import type { Dirent } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { type Ignores, ignoresFor, isAlwaysIgnored, isIgnored, withSheet } from "./ignore.ts"

export const mostVisited = 100_000

/** The plain files below a folder, in a stable order; links are not followed, what is ignored is left out. */
export async function* filesBelow(
  folder: string,
  top: string,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  let visited = 0
  async function* walk(current: string, ignores: Ignores): AsyncGenerator<string, void> {
    for (const entry of await entriesOf(current)) {
      if (signal.aborted || ++visited > mostVisited) return
      const path = join(current, entry.name)
      if (isAlwaysIgnored(entry.name) || isIgnored(ignores, path, entry.isDirectory())) continue
      if (entry.isDirectory()) yield* walk(path, await withSheet(ignores, path))
      else if (entry.isFile()) yield path
    }
  }
  yield* walk(folder, await ignoresFor(folder, top))
}

export async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}
