import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as pause } from "node:timers/promises"
import { z } from "zod"
import { makeFile } from "./directories.ts"

const Owner = z.object({ pid: z.number(), url: z.string().optional() })
export type Owner = { pid: number; url?: string }

export type Ownership = {
  /** Who held the store before and never gave it back. */
  died?: Owner
  setUrl(url: string): void
  release(): void
  /** Leaves everything as it was found, also the name of one who died. */
  giveBack(): void
}

/** SQLite's lock on a file of its own: the operating system drops it with the process, also after kill -9. */
export async function takeOwnership(
  directory: string,
): Promise<{ ok: true; ownership: Ownership } | { ok: false; owner: Owner | undefined }> {
  const lockPath = join(directory, "owner.db")
  makeFile(lockPath)
  const lock = new DatabaseSync(lockPath, { timeout: 0 })
  try {
    lock.exec("begin exclusive")
  } catch (error) {
    lock.close()
    if (!isBusy(error)) throw error
    return { ok: false, owner: await namedOwner(directory) }
  }
  const path = join(directory, "owner.json")
  const died = readOwner(path)
  try {
    writeOwner(path, { pid: process.pid })
  } catch (error) {
    // Nobody could tell who has it, and the one who died is still named.
    lock.close()
    throw error
  }
  return {
    ok: true,
    ownership: {
      ...(died && { died }),
      setUrl: (url) => writeOwner(path, { pid: process.pid, url }),
      release() {
        rmSync(path, { force: true })
        lock.close()
      },
      giveBack() {
        if (died) writeOwner(path, died)
        else rmSync(path, { force: true })
        lock.close()
      },
    },
  }
}

/**
 * Who has the store now. A name that was left behind by a kill is nobody's: the lock went with the process, and what
 * answers at its address may be anybody.
 */
export function ownerOf(directory: string): Owner | undefined {
  if (!isHeld(join(directory, "owner.db"))) return undefined
  const owner = readOwner(join(directory, "owner.json"))
  return owner && isAlive(owner.pid) ? owner : undefined
}

function isHeld(lockPath: string): boolean {
  if (!existsSync(lockPath)) return false
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(lockPath, { timeout: 0, readOnly: true })
    lock.prepare("select count(*) from sqlite_schema").get()
    return false
  } catch (error) {
    return isBusy(error)
  } finally {
    lock?.close()
  }
}

/** The lock is taken an instant before its owner is written down. */
async function namedOwner(directory: string): Promise<Owner | undefined> {
  for (let attempt = 0; attempt < 10; attempt++) {
    const owner = readOwner(join(directory, "owner.json"))
    if (owner && isAlive(owner.pid)) return owner
    await pause(20)
  }
  return undefined
}

function readOwner(path: string): Owner | undefined {
  if (!existsSync(path)) return undefined
  try {
    const { pid, url } = Owner.parse(JSON.parse(readFileSync(path, "utf8")))
    return url === undefined ? { pid } : { pid, url }
  } catch {
    return undefined
  }
}

function writeOwner(path: string, owner: Owner) {
  writeFileSync(`${path}.new`, JSON.stringify(owner), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

function isAlive(pid: number) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

function isBusy(error: unknown) {
  return error instanceof Error && "errcode" in error && error.errcode === 5
}
