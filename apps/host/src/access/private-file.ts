import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs"

export type PrivateFile = { ok: true; text: string; changed: number } | { ok: false; message: string }

/** A file that only its owner may read; one that others may read is refused, for it may have been. */
export function readPrivate(path: string): PrivateFile | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  // Windows has no such modes.
  const others = process.platform === "win32" ? 0 : found.mode & 0o077
  if (others !== 0) {
    const mode = (found.mode & 0o777).toString(8)
    const message = `${path} has mode ${mode}, so that others may read it: change what it holds, then chmod 600 ${path}.`
    return { ok: false, message }
  }
  try {
    return { ok: true, text: readFileSync(path, "utf8"), changed: found.mtimeMs }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { ok: false, message: `${path} cannot be read: ${reason}.` }
  }
}

export function writePrivate(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
