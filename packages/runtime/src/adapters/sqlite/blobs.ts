import { createHash, hash, randomUUID } from "node:crypto"
import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync, rmSync } from "node:fs"
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { BlobRef, BlobStore, NotReceived } from "../../ports/log.ts"
import { makeDirectory, syncDirectory } from "./directories.ts"

const VERIFIED_KEPT = 10_000
const PIECE_BYTES = 1024 * 1024

// Files, not a table: large bytes would pass through the write-ahead log twice and hold up every append.
export class FileBlobs implements BlobStore {
  readonly #directory: string
  /** Digests whose whole content was checked, with the change time it had: a range needs no second full read. */
  readonly #verified = new Map<string, number>()

  /** The caller owns the directory: unfinished files in it are the remains of a process that died. */
  constructor(directory: string) {
    this.#directory = directory
    for (const name of existsSync(directory) ? readdirSync(directory) : []) {
      if (name.endsWith(".new")) rmSync(join(directory, name), { force: true })
    }
  }

  async put(bytes: Uint8Array): Promise<BlobRef | { ok: false; reason: string }> {
    const digest = `sha256:${hash("sha256", bytes)}`
    const path = this.#path(digest)
    if (!path) return { ok: false, reason: "the digest cannot be a file name" }
    if (await this.read(digest, { from: 0, to: 0 })) return { digest, bytes: bytes.byteLength }
    const temporary = join(this.#directory, `${randomUUID()}.new`)
    try {
      await makeDirectory(dirname(path))
      await writeDurably(temporary, bytes)
      await rename(temporary, path)
      await syncDirectory(dirname(path))
      this.#verify(digest, (await stat(path)).mtimeMs)
      return { digest, bytes: bytes.byteLength }
    } catch (error) {
      await rm(temporary, { force: true })
      return { ok: false, reason: error instanceof Error ? error.message : String(error) }
    }
  }

  async receive(chunks: AsyncIterable<Uint8Array>, limit: number): Promise<BlobRef | NotReceived> {
    const temporary = join(this.#directory, `${randomUUID()}.new`)
    try {
      await makeDirectory(this.#directory)
      const written = await writeArriving(temporary, chunks, limit)
      if ("code" in written) return written
      const { digest } = written
      const path = this.#path(digest) ?? ""
      if (await this.read(digest, { from: 0, to: 0 })) return written
      await makeDirectory(dirname(path))
      await rename(temporary, path)
      await syncDirectory(dirname(path))
      this.#verify(digest, (await stat(path)).mtimeMs)
      return written
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      return { ok: false, code: "write_failed", reason }
    } finally {
      await rm(temporary, { force: true })
    }
  }

  /** The bytes from `from` up to but not including `to`; nothing when they are not there or not what they were. */
  get(digest: string, range?: { from: number; to: number }): Uint8Array | undefined {
    const path = this.#path(digest)
    if (!path || !existsSync(path)) return undefined
    let file: number | undefined
    try {
      file = openSync(path, "r")
      const { size, mtimeMs } = fstatSync(file)
      const wanted = clamp(range ?? { from: 0, to: size }, size)
      if (this.#verified.get(digest) === mtimeMs) return readRange(file, wanted)
      const bytes = readRange(file, { from: 0, to: size })
      if (`sha256:${hash("sha256", bytes)}` !== digest) return undefined
      this.#verify(digest, mtimeMs)
      return bytes.subarray(wanted.from, wanted.to)
    } catch {
      return undefined
    } finally {
      if (file !== undefined) closeSync(file)
    }
  }

  async read(digest: string, range?: { from: number; to: number }): Promise<Uint8Array | undefined> {
    const path = this.#path(digest)
    if (!path || !existsSync(path)) return undefined
    let file: FileHandle | undefined
    try {
      file = await open(path, "r")
      const { size, mtimeMs } = await file.stat()
      const wanted = clamp(range ?? { from: 0, to: size }, size)
      if (this.#verified.get(digest) !== mtimeMs) {
        const hashed = createHash("sha256")
        for await (const piece of pieces(file, { from: 0, to: size })) hashed.update(piece)
        if (`sha256:${hashed.digest("hex")}` !== digest) return undefined
        this.#verify(digest, mtimeMs)
      }
      const found: Uint8Array[] = []
      for await (const piece of pieces(file, wanted)) found.push(Buffer.from(piece))
      return Buffer.concat(found)
    } catch {
      return undefined
    } finally {
      await file?.close()
    }
  }

  #verify(digest: string, mtimeMs: number) {
    if (this.#verified.size >= VERIFIED_KEPT) this.#verified.clear()
    this.#verified.set(digest, mtimeMs)
  }

  #path(digest: string): string | undefined {
    const name = /^sha256:([0-9a-f]{64})$/.exec(digest)?.[1]
    return name && join(this.#directory, name.slice(0, 2), name.slice(2))
  }
}

function clamp({ from, to }: { from: number; to: number }, size: number) {
  const start = Math.min(Math.max(from, 0), size)
  return { from: start, to: Math.min(Math.max(to, start), size) }
}

function readRange(file: number, { from, to }: { from: number; to: number }): Uint8Array {
  const bytes = new Uint8Array(to - from)
  let done = 0
  while (done < bytes.length) {
    const read = readSync(file, bytes, done, bytes.length - done, from + done)
    if (read === 0) break
    done += read
  }
  return bytes.subarray(0, done)
}

/** One after the other in the same buffer, with room for others between them. */
async function* pieces(file: FileHandle, { from, to }: { from: number; to: number }) {
  const buffer = Buffer.alloc(Math.min(PIECE_BYTES, to - from))
  for (let at = from; at < to; ) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, to - at), at)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
}

async function writeArriving(path: string, chunks: AsyncIterable<Uint8Array>, limit: number) {
  const file = await open(path, "wx")
  const hashed = createHash("sha256")
  let bytes = 0
  try {
    const arriving = chunks[Symbol.asyncIterator]()
    for (;;) {
      const next = await arriving.next().catch(() => undefined)
      if (next === undefined) return { ok: false, code: "cut_off" } as const
      if (next.done) break
      bytes += next.value.byteLength
      if (bytes > limit) {
        await arriving.return?.()
        return { ok: false, code: "too_large" } as const
      }
      hashed.update(next.value)
      await file.writeFile(next.value)
    }
    await file.sync()
    return { digest: `sha256:${hashed.digest("hex")}`, bytes }
  } finally {
    await file.close()
  }
}

async function writeDurably(path: string, bytes: Uint8Array) {
  const file = await open(path, "wx")
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}
