import { readdir, readlink, stat } from "node:fs/promises"
import path from "node:path"
import picomatch from "picomatch"

const mostLinks = 64
const mostFiles = 2_000

/**
 * The place that the system would open, link by link, also for a file that does not exist yet. Undefined when that
 * cannot be told: a loop of links, a folder that may not be looked into, or a name that differs for every process.
 */
export async function realPath(file: string): Promise<string | undefined> {
  if (!path.isAbsolute(file) || file.includes("\0")) return undefined
  const left = file.split("/").reverse()
  let at = "/"
  let links = 0
  while (left.length > 0) {
    const name = left.pop()
    if (name === undefined || name === "" || name === ".") continue
    if (name === "..") {
      at = path.dirname(at)
      continue
    }
    const next = at === "/" ? `/${name}` : `${at}/${name}`
    if (/^\/proc\/(?:self|thread-self|\d+)(?:\/|$)/.test(next)) return undefined
    const target = await linkAt(next)
    if (target === "unknown") return undefined
    if (target === undefined) at = next
    else {
      if (++links > mostLinks) return undefined
      if (path.isAbsolute(target.to)) at = "/"
      left.push(...target.to.split("/").reverse())
    }
  }
  return at
}

async function linkAt(file: string): Promise<{ to: string } | "unknown" | undefined> {
  try {
    return { to: await readlink(file) }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined
    return code === "EINVAL" || code === "ENOENT" || code === "ENOTDIR" || code === "UNKNOWN"
      ? undefined
      : "unknown"
  }
}

export async function isFolder(file: string): Promise<boolean> {
  try {
    return (await stat(file)).isDirectory()
  } catch {
    return false
  }
}

/** The files that a pattern of the shell stands for; undefined when they are too many or could be options. */
export async function expandGlob(pattern: string, cwd: string): Promise<readonly string[] | undefined> {
  // Of brackets only plain lists and ranges mean the same here as in every shell.
  const brackets = pattern.match(/\[[^\]]*\]?/g) ?? []
  if (pattern.includes("**") || brackets.some((one) => !/^\[[\w.-]+\]$/.test(one))) return undefined
  let found: readonly string[] = [path.isAbsolute(pattern) ? "" : cwd]
  for (const [i, segment] of pattern.split("/").entries()) {
    if (segment === "") continue
    if (!/[*?[]/.test(segment)) {
      found = found.map((folder) => `${folder}/${segment}`)
      continue
    }
    const matches = picomatch(segment, { dot: true, nobrace: true, noextglob: true, nonegate: true })
    const next: string[] = []
    for (const folder of found) {
      for (const name of await namesIn(folder === "" ? "/" : folder)) {
        if (!matches(name)) continue
        if (i === 0 && name.startsWith("-")) return undefined
        next.push(`${folder}/${name}`)
      }
      if (next.length > mostFiles) return undefined
    }
    found = next
  }
  // A pattern that matches nothing is passed on as it is.
  return found.length > 0 ? found : [path.isAbsolute(pattern) ? pattern : `${cwd}/${pattern}`]
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch {
    return []
  }
}

export const inside = (file: string, folder: string): boolean =>
  file === folder || file.startsWith(folder === "/" ? "/" : `${folder}/`)
