import ranks from "gpt-tokenizer/bpeRanks/o200k_base"

const utf8 = new TextEncoder()
let byBytes: Map<string, number> | undefined

/** The bytes of a token that is in the table. */
export function bytesOf(token: number): Uint8Array {
  const entry = ranks[token] ?? ""
  return typeof entry === "string" ? utf8.encode(entry) : Uint8Array.from(entry)
}

/**
 * Byte pair merging of one piece with a heap, in n·log n. The usual way looks through all pairs for each merge,
 * which on one endless word takes minutes.
 */
export function mergePiece(piece: string): number[] {
  const table = rankTable()
  const text = binary(utf8.encode(piece))
  const end = text.length
  // A part begins at `at` and ends where the next begins; one that was merged into the part before has no next.
  const next = new Int32Array(end + 2)
  const before = new Int32Array(end + 2)
  const token = new Int32Array(end + 2)
  for (let at = 0; at <= end; at++) {
    next[at] = at + 1
    before[at] = at - 1
    token[at] = at < end ? (table.get(text[at] ?? "") ?? 0) : 0
  }
  const known = new Map<number, number>()
  /** The token that this part and the next one make together. */
  const joined = (at: number): number => {
    const second = next[at] ?? end
    if (second >= end) return unranked
    const pair = (token[at] ?? 0) * unranked + (token[second] ?? 0)
    const found = known.get(pair)
    if (found !== undefined) return found
    const rank = table.get(text.slice(at, next[second])) ?? unranked
    known.set(pair, rank)
    return rank
  }
  const pairs = new Float64Array(end)
  for (let at = 0; at < end; at++) pairs[at] = joined(at) * position + at
  // What is sorted is a heap; pairs that make no token are at its end.
  const heap = Array.from(pairs.sort())
  while ((heap.at(-1) ?? 0) >= unranked * position) heap.pop()
  const offer = (at: number) => {
    const rank = joined(at)
    if (rank !== unranked) push(heap, rank * position + at)
  }
  for (let top = pop(heap); top !== undefined; top = pop(heap)) {
    const at = top % position
    const rank = Math.floor(top / position)
    if (next[at] === merged || joined(at) !== rank) continue
    const second = next[at] ?? end
    const third = next[second] ?? end
    next[second] = merged
    next[at] = third
    before[third] = at
    token[at] = rank
    offer(at)
    if (at > 0) offer(before[at] ?? 0)
  }
  const tokens: number[] = []
  for (let at = 0; at < end; at = next[at] ?? end) tokens.push(token[at] ?? 0)
  return tokens
}

const position = 2 ** 32
const merged = -1
/** Above all ranks, and small enough that rank and position together stay exact. */
const unranked = 2 ** 20

function rankTable(): Map<string, number> {
  if (byBytes !== undefined) return byBytes
  byBytes = new Map()
  for (const [rank, entry] of ranks.entries()) {
    if (entry === undefined) continue
    const key = typeof entry === "string" ? binary(utf8.encode(entry)) : String.fromCharCode(...entry)
    byBytes.set(key, rank)
  }
  return byBytes
}

/** Bytes as a string of the same length, to be a key. */
function binary(bytes: Uint8Array): string {
  let text = ""
  for (let at = 0; at < bytes.length; at += 4096)
    text += String.fromCharCode(...bytes.subarray(at, at + 4096))
  return text
}

function push(heap: number[], value: number): void {
  let at = heap.push(value) - 1
  while (at > 0) {
    const parent = (at - 1) >> 1
    const above = heap[parent] ?? 0
    if (above <= value) break
    heap[at] = above
    at = parent
  }
  heap[at] = value
}

function pop(heap: number[]): number | undefined {
  const top = heap[0]
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return top
  let at = 0
  for (;;) {
    let child = at * 2 + 1
    if (child >= heap.length) break
    if ((heap[child + 1] ?? Number.POSITIVE_INFINITY) < (heap[child] ?? 0)) child++
    const below = heap[child] ?? 0
    if (below >= last) break
    heap[at] = below
    at = child
  }
  heap[at] = last
  return top
}
