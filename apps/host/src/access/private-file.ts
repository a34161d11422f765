import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs"

export type PrivateFile = { ok: true; text: string; changed: string } | { ok: false; message: string }

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
    return { ok: true, text: readFileSync(path, "utf8"), changed: versionOf(path) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { ok: false, message: `${path} cannot be read: ${reason}.` }
  }
}

/** Differs whenever content or mode of the file may: times alone are too coarse for two writes in a row. */
export function versionOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found === undefined ? "" : `${found.ino} ${found.ctimeNs} ${found.size}`
}

export function writePrivate(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
