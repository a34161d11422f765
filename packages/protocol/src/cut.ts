import type { Tokenizer } from "./observation.ts"

export type Amount = { tokens: number; characters: number }
export type Cut = { text: string; omitted?: Amount }

/**
 * The longest beginning of the text that fits, with a mark that says how much is left out. Never more than `max`
 * tokens, mark included. Where not even the mark fits there is no text at all.
 */
export function cutText(
  text: string,
  max: number,
  tokenizer: Tokenizer,
  mark: (left: Amount) => string,
): Cut {
  const tokens = tokenizer.encode(text)
  if (tokens.length <= max) return { text }
  const total = characters(text)
  let keep = Math.max(0, max - tokenizer.count(mark({ tokens: tokens.length, characters: total })))
  for (let step = 1; ; step *= 2) {
    const head = beginning(text, tokens, keep, tokenizer)
    const omitted = { tokens: tokens.length - tokenizer.count(head), characters: total - characters(head) }
    const cut = head + mark(omitted)
    if (tokenizer.count(cut) <= max) return { text: cut, omitted }
    if (keep === 0) return { text: "", omitted: { tokens: tokens.length, characters: total } }
    // A beginning of a text need not have the tokens that the whole text begins with, so this is tried, not computed.
    keep = Math.max(0, keep - step)
  }
}

/** The whole characters of the first tokens. */
function beginning(text: string, tokens: readonly number[], keep: number, tokenizer: Tokenizer): string {
  // A character in the middle of which the tokens end is decoded as replacement marks.
  const decoded = tokenizer.decode(tokens.slice(0, keep)).replace(/\uFFFD{1,4}$/, "")
  return text.slice(0, boundary(text, decoded.length))
}

const joins = /^(?:\p{M}|\u200d|[\u{1f3fb}-\u{1f3ff}])/u
const farthest = 32

/** The place at or before `at` where no character, accent or joined symbol is torn apart. */
export function boundary(text: string, at: number): number {
  let place = Math.min(at, text.length)
  if (place === text.length) return place
  for (let tries = 0; place > 0 && tries < farthest; tries++) {
    const torn = isLow(text, place) && isHigh(text, place - 1)
    if (!torn && !joins.test(text.slice(place, place + 2)) && text[place - 1] !== "\u200d") return place
    place--
  }
  if (place === 0) return 0
  // An endless pile of accents is torn; a pair of surrogates never is.
  const fallback = Math.min(at, text.length)
  return isLow(text, fallback) && isHigh(text, fallback - 1) ? fallback - 1 : fallback
}

/** How many Unicode characters the text has. */
export function characters(text: string): number {
  let count = text.length
  for (let at = 1; at < text.length; at++) if (isLow(text, at) && isHigh(text, at - 1)) count--
  return count
}

const isHigh = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xd800
const isLow = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00
