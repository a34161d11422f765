import { lstat } from "node:fs/promises"
import path from "node:path"

/**
 * Where the work tree lies in which git stands; none when there is none; unknown when a folder on the way could be
 * taken for a repository although no `.git` keeps it apart: its settings may name programs that git then runs.
 */
export async function workTree(folder: string): Promise<string | "none" | "unknown"> {
  for (let at = folder; ; at = path.dirname(at)) {
    if (await exists(`${at}/HEAD`)) return "unknown"
    const found = await kindOf(`${at}/.git`)
    if (found === "file" || (found === "folder" && (await exists(`${at}/.git/HEAD`)))) return at
    if (at === path.dirname(at)) return "none"
  }
}

const exists = async (file: string): Promise<boolean> => (await kindOf(file)) !== undefined

async function kindOf(file: string): Promise<"file" | "folder" | undefined> {
  try {
    return (await lstat(file)).isDirectory() ? "folder" : "file"
  } catch {
    return undefined
  }
}
