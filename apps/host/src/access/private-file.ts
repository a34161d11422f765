import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"

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

/** How long another process may take to change a file. */
const PATIENCE_MS = 2000

/**
 * Runs `change` while no other process changes this file; the reason when that cannot be. SQLite's lock of an empty file
 * is given back by the system also when its holder was killed.
 */
export function alone(path: string, change: () => string | undefined): string | undefined {
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(`${path}.lock`, { timeout: PATIENCE_MS })
    lock.exec("begin exclusive")
    return change()
  } catch (error) {
    return `${path} cannot be changed: ${error instanceof Error ? error.message : String(error)}.`
  } finally {
    lock?.close()
  }
}

export function writePrivate(path: string, text: string): void {
  // One that was left behind would keep its own mode.
  rmSync(`${path}.new`, { force: true })
  writeFileSync(`${path}.new`, text, { mode: 0o600 })
  renameSync(`${path}.new`, path)
}
