import { encode as encodeShort } from "gpt-tokenizer/encoding/o200k_base"
import { O200K_TOKEN_SPLIT_REGEX as pieces } from "gpt-tokenizer/encodingParams/constants"
import type { Tokenizer } from "../observation.ts"
import { bytesOf, mergePiece } from "./merge.ts"

/** Words that steer a model are plain text here: nothing that a tool printed may steer, or make this throw. */
const plain = { disallowedSpecial: new Set<string>() }
/** Above this the library's merging is too slow. */
const longPiece = 400

/** The encoding of current models, exact for any text in nearly linear time. */
export const o200k: Tokenizer = {
  count: (text) => encode(text).length,
  encode,
  decode(tokens) {
    const parts = tokens.map(bytesOf)
    const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
    let at = 0
    for (const part of parts) {
      bytes.set(part, at)
      at += part.length
    }
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
  },
}

function encode(text: string): readonly number[] {
  if (text.length <= longPiece) return encodeShort(text, plain)
  const parts: (readonly number[])[] = []
  let from = 0
  for (const { 0: piece, index } of text.matchAll(pieces)) {
    if (piece.length <= longPiece) continue
    parts.push(encodeShort(text.slice(from, index), plain), mergePiece(piece))
    from = index + piece.length
  }
  parts.push(encodeShort(text.slice(from), plain))
  return parts.flat()
}
