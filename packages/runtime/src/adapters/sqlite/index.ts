import { constants } from "node:fs"
import { access } from "node:fs/promises"
import { join } from "node:path"
import { type Clock, type Ids, systemClock, systemIds } from "../../ports/clock.ts"
import type { BlobStore, FactLog } from "../../ports/log.ts"
import { FileBlobs } from "./blobs.ts"
import { makeDirectory, makeFile } from "./directories.ts"
import { damaged, inspectFile } from "./inspect.ts"
import { SqliteLog } from "./log.ts"
import { type Owner, type Ownership, takeOwnership } from "./owner.ts"
import { startWriter } from "./thread.ts"

export { ownerOf } from "./owner.ts"

export type SqliteStore = {
  ok: true
  log: FactLog
  blobs: BlobStore
  runtime_id: string
  /** Why nothing can be written any more, should that happen: only a new start helps. */
  died: Promise<string>
  /** Tells a second host where the first one is. */
  setUrl(url: string): void
  /** A quota for the file, in pages of 4 KiB. */
  limitPages(pages: number): Promise<void>
}

export type NotOpened =
  | { ok: false; code: "owned"; message: string; owner: Owner | undefined }
  | { ok: false; code: "newer_version"; message: string; version: number }
  | { ok: false; code: "damaged"; message: string }
  | { ok: false; code: "not_writable"; message: string }

export type SqliteOptions = { clock?: Clock; ids?: Ids }

/** One directory, one owner: `factum.db` for facts, `blobs/` for large bytes. */
export async function openSqliteStore(
  directory: string,
  { clock = systemClock, ids = systemIds(clock) }: SqliteOptions = {},
): Promise<SqliteStore | NotOpened> {
  try {
    await makeDirectory(directory)
    await access(directory, constants.R_OK | constants.W_OK)
    const taken = await takeOwnership(directory)
    if (!taken.ok) return owned(directory, taken.owner)
    const opened = await openOwned(directory, taken.ownership, clock, ids).catch((error: unknown) =>
      notWritable(directory, error),
    )
    if (!opened.ok) taken.ownership.giveBack()
    return opened
  } catch (error) {
    return notWritable(directory, error)
  }
}

async function openOwned(directory: string, ownership: Ownership, clock: Clock, ids: Ids) {
  const path = join(directory, "factum.db")
  const inspection = await inspectFile(path)
  if (!inspection.ok) return inspection
  makeFile(path)
  const { writer, ready } = await startWriter({ path, runtimeId: ids.next("runtime") })
  if (!ready.ready) {
    await writer.worker.terminate()
    return ready.code === "damaged" ? damaged(path, ready.reason) : notWritable(directory, ready.reason)
  }
  const { incidents } = inspection
  const { died } = ownership
  if (died)
    incidents.unshift({ code: "owner_died", detail: `process ${died.pid} ended without closing the store` })
  try {
    const blobs = new FileBlobs(join(directory, "blobs"))
    const log = new SqliteLog({ path, writer, clock, incidents, release: ownership.release })
    const store: SqliteStore = {
      ok: true,
      log,
      blobs,
      runtime_id: ready.runtimeId,
      died: log.died,
      setUrl: ownership.setUrl,
      limitPages: (pages) => log.limitPages(pages),
    }
    return store
  } catch (error) {
    await writer.worker.terminate()
    throw error
  }
}

function owned(directory: string, owner: Owner | undefined): NotOpened {
  const who = owner ? `process ${owner.pid}${owner.url ? ` at ${owner.url}` : ""}` : "another process"
  return { ok: false, code: "owned", message: `${directory} is in use by ${who}.`, owner }
}

function notWritable(directory: string, error: unknown): NotOpened {
  const reason = error instanceof Error ? error.message : String(error)
  const isFull = /ENOSPC|EDQUOT|disk is full/.test(reason)
  const next = "Free some space there, then start again: what was acknowledged is kept."
  const message = isFull
    ? `There is no space left for ${directory}. ${next}`
    : `${directory} cannot be written: ${reason}`
  return { ok: false, code: "not_writable", message }
}
