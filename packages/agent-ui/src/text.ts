import { redactSeam } from "./redact.ts"
import { type Edit, fresh, ownList } from "./vector.ts"

/** Text in blocks: only the last one grows, so what was read before keeps its reference. */
export type TextBlocks = {
  readonly blocks: readonly string[]
  readonly length: number
  /** Characters at the beginning that were let go to stay bounded. */
  readonly dropped?: number
}

const blockLength = 4096
export const noText: TextBlocks = { blocks: [], length: 0 }

/** Adds text at the end, without a key that came in pieces. The piece is not split; a block that is full is closed where no character is halved. */
export function appendText(text: TextBlocks, piece: string, edit: Edit): TextBlocks {
  if (piece === "") return text
  if (text.length === 0) return fresh({ blocks: fresh(split(piece), edit), length: piece.length }, edit)
  const blocks = ownList(text.blocks, edit)
  const last = blocks.length - 1
  const open = blocks[last] ?? ""
  const seam = redactSeam(open, piece)
  if (seam !== undefined) blocks[last] = seam
  else if (isFull(open)) blocks.push(...split(piece))
  else if (piece.length < blockLength) blocks[last] = open + piece
  else blocks.splice(last, 1, ...split(open + piece))
  const length = text.length + (seam === undefined ? piece.length : seam.length - open.length)
  if (edit.has(text)) {
    // Made by this batch, so nobody has seen it yet.
    const mine = text as { blocks: readonly string[]; length: number }
    mine.blocks = blocks
    mine.length = length
    return text
  }
  const { dropped } = text
  return fresh(dropped === undefined ? { blocks, length } : { blocks, length, dropped }, edit)
}

export function textFrom(whole: string): TextBlocks {
  return whole === "" ? noText : { blocks: split(whole), length: whole.length }
}

export function readText(text: TextBlocks): string {
  return text.blocks.length === 1 ? (text.blocks[0] ?? "") : text.blocks.join("")
}

/** Lets whole blocks at the beginning go until at most `limit` characters are left, but never the last one. */
export function keepTail(text: TextBlocks, limit: number): TextBlocks {
  if (text.length <= limit) return text
  let { length } = text
  let first = 0
  while (length > limit && first < text.blocks.length - 1) length -= text.blocks[first++]?.length ?? 0
  if (first === 0) return text
  return { blocks: text.blocks.slice(first), length, dropped: (text.dropped ?? 0) + text.length - length }
}

function split(whole: string): string[] {
  if (whole.length <= blockLength * 2) return [whole]
  const blocks: string[] = []
  for (let from = 0; from < whole.length; ) {
    let to = Math.min(whole.length, from + blockLength)
    if (to < whole.length && isHigh(whole, to - 1)) to++
    blocks.push(whole.slice(from, to))
    from = to
  }
  return blocks
}

// A piece of a pair may still be missing: its block stays open.
const isFull = (block: string) => block.length >= blockLength && !isHigh(block, block.length - 1)
const isHigh = (text: string, at: number) => (text.charCodeAt(at) & 0xfc00) === 0xd800
