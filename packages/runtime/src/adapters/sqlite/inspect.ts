import { existsSync, readFileSync } from "node:fs"
import { open } from "node:fs/promises"
import { APPLICATION_ID, FORMAT_VERSION } from "./schema.ts"
import { readWal } from "./wal.ts"

export type Incident = { code: string; detail: string }
export type Inspection =
  | { ok: true; incidents: Incident[] }
  | { ok: false; code: "newer_version"; message: string; version: number }
  | { ok: false; code: "damaged"; message: string }

/** Looks at the bytes before SQLite may change them. The caller holds the store, so nobody else writes. */
export async function inspectFile(path: string): Promise<Inspection> {
  const wal = readWal(existsSync(`${path}-wal`) ? readFileSync(`${path}-wal`) : new Uint8Array())
  const incidents: Incident[] = []
  if (wal.torn > 0) {
    incidents.push({ code: "torn_tail", detail: `${wal.torn} bytes of an unfinished write were dropped` })
  }
  // A hot journal is the trace of a first start that was cut short; SQLite rolls it back.
  if (!existsSync(path) || existsSync(`${path}-journal`)) return { ok: true, incidents }

  const { header, size } = await readHeader(path)
  if (size === 0) return { ok: true, incidents }
  if (size < 100 || header.toString("latin1", 0, 16) !== "SQLite format 3\0") {
    return damaged(path, "it is not a SQLite file")
  }
  const newest = wal.header ? Buffer.from(wal.header) : header
  const version = newest.readUInt32BE(60)
  if (version > FORMAT_VERSION && newest.readUInt32BE(68) === APPLICATION_ID) {
    const message = `The store has format ${version}, this program knows ${FORMAT_VERSION}. Use a newer program.`
    return { ok: false, code: "newer_version", message, version }
  }
  // A first start that was cut short leaves a file without a schema: its cookie has never changed.
  const blank = newest.readUInt32BE(40) === 0
  if (newest.readUInt32BE(68) !== APPLICATION_ID && !blank) return foreign(path)
  const stored = header.readUInt16BE(16)
  const pageSize = stored === 1 ? 65536 : stored
  const pages = header.readUInt32BE(28)
  if (wal.commits === 0 && pages * pageSize > size) {
    return damaged(path, `${pages * pageSize - size} bytes are missing at its end`)
  }
  return { ok: true, incidents }
}

export function damaged(path: string, reason: string): Inspection & { ok: false } {
  const message = `${path} is damaged: ${reason}. Restore it from a backup, or move it away to start anew.`
  return { ok: false, code: "damaged", message }
}

function foreign(path: string): Inspection & { ok: false } {
  const message = `${path} belongs to another program. Move it away, or choose another directory.`
  return { ok: false, code: "damaged", message }
}

async function readHeader(path: string) {
  const file = await open(path, "r")
  try {
    const header = Buffer.alloc(100)
    await file.read(header, 0, 100, 0)
    return { header, size: (await file.stat()).size }
  } finally {
    await file.close()
  }
}
