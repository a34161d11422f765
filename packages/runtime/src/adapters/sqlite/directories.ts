import { mkdir, open } from "node:fs/promises"
import { dirname, resolve } from "node:path"

/** Makes a directory whose own entry survives a power cut. */
export async function makeDirectory(path: string) {
  const made = await mkdir(path, { recursive: true })
  if (made === undefined) return
  const above = dirname(resolve(made))
  for (let at = resolve(path); at !== above; at = dirname(at)) await syncDirectory(dirname(at))
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
