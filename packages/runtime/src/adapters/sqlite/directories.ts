import { closeSync, openSync } from "node:fs"
import { mkdir, open } from "node:fs/promises"
import { dirname, resolve } from "node:path"

/** What people say to their agents is not for the machine's other users, whatever the umask. */
const ofOwner = { directory: 0o700, file: 0o600 }

/** Makes a directory whose own entry survives a power cut. One that exists keeps its mode. */
export async function makeDirectory(path: string) {
  const made = await mkdir(path, { recursive: true, mode: ofOwner.directory })
  if (made === undefined) return
  const above = dirname(resolve(made))
  for (let at = resolve(path); at !== above; at = dirname(at)) await syncDirectory(dirname(at))
}

/**
 * SQLite gives its journals the mode of the file that they belong to. One that exists is never opened: closing any
 * descriptor of a file drops all locks that the process has on it.
 */
export function makeFile(path: string) {
  try {
    closeSync(openSync(path, "ax", ofOwner.file))
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
  }
}

/** A new name in a directory must survive a power cut too. Windows has no such call. */
export async function syncDirectory(path: string) {
  if (process.platform === "win32") return
  const directory = await open(path, "r")
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
