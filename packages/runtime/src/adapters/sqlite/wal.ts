/** What SQLite would recover from a write-ahead log, computed without touching it. */
export type WalReading = {
  /** Bytes up to the last whole commit. */
  committed: number
  /** Bytes of an unfinished write after it. */
  torn: number
  commits: number
  /** The database header as of the last commit, when the log holds the first page. */
  header?: Uint8Array
}

const MAGIC = 0x377f0682
const HEADER = 32
const FRAME_HEADER = 24
const DATABASE_HEADER = 100

/** Format: https://sqlite.org/fileformat2.html#walformat */
export function readWal(bytes: Uint8Array): WalReading {
  if (bytes.length === 0) return { committed: 0, torn: 0, commits: 0 }
  if (bytes.length < HEADER) return { committed: 0, torn: bytes.length, commits: 0 }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint32(0) >>> 1 !== MAGIC >>> 1) return { committed: 0, torn: bytes.length, commits: 0 }
  const littleEndian = (view.getUint32(0) & 1) === 0
  const pageSize = view.getUint32(8)
  const sum: Checksum = { a: 0, b: 0 }
  add(sum, view, 0, 24, littleEndian)
  if (sum.a !== view.getUint32(24) || sum.b !== view.getUint32(28))
    return { committed: 0, torn: bytes.length, commits: 0 }

  const reading: WalReading = { committed: HEADER, torn: 0, commits: 0 }
  let header: Uint8Array | undefined
  let offset = HEADER
  for (; offset < bytes.length; offset += FRAME_HEADER + pageSize) {
    const left = bytes.length - offset
    // Frames of an earlier round of the log stay behind the newest ones; their salt tells them apart.
    if (left >= 16 && !sameSalt(view, offset)) break
    if (left < FRAME_HEADER + pageSize) return { ...reading, torn: bytes.length - reading.committed }
    add(sum, view, offset, 8, littleEndian)
    add(sum, view, offset + FRAME_HEADER, pageSize, littleEndian)
    if (sum.a !== view.getUint32(offset + 16) || sum.b !== view.getUint32(offset + 20)) {
      return { ...reading, torn: offset + FRAME_HEADER + pageSize - reading.committed }
    }
    const page = offset + FRAME_HEADER
    if (view.getUint32(offset) === 1) header = bytes.subarray(page, page + DATABASE_HEADER)
    const isCommit = view.getUint32(offset + 4) !== 0
    if (isCommit) {
      reading.committed = offset + FRAME_HEADER + pageSize
      reading.commits++
      if (header) reading.header = header
    }
  }
  return { ...reading, torn: Math.min(offset, bytes.length) - reading.committed }
}

type Checksum = { a: number; b: number }

function add(sum: Checksum, view: DataView, from: number, length: number, littleEndian: boolean) {
  let { a, b } = sum
  for (let at = from; at < from + length; at += 8) {
    a = (a + view.getUint32(at, littleEndian) + b) >>> 0
    b = (b + view.getUint32(at + 4, littleEndian) + a) >>> 0
  }
  sum.a = a
  sum.b = b
}

function sameSalt(view: DataView, frame: number) {
  return view.getUint32(frame + 8) === view.getUint32(16) && view.getUint32(frame + 12) === view.getUint32(20)
}
