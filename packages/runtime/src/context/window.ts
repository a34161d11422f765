/** What a conversation may take of a model's window. What is not said follows from the window itself. */
export type Window = {
  /** Where the model's own is not known, or less of it should be used. */
  tokens?: number
  /** Kept free for the answer, and for a summary to be made at all. */
  reserve_tokens?: number
  /** What stays word for word when older parts are summed up. */
  keep_tokens?: number
}

export type Room = {
  window: number
  /** More than this is not sent. */
  limit: number
  keep: number
  /** The most that a summary takes. */
  summary: number
  /** The most that goals and outcomes take beside it. */
  carried: number
  /** The most that one request for a summary is given to read. */
  piece: number
}

/** With a window that nobody knows, a summary is asked for in pieces that most models can take. */
const assumed = 16_384
const mostReserve = 20_000
const mostSummary = 2_000
const leastPiece = 128

export function roomOf(window: Window, known: number | undefined): Room {
  const { tokens = known ?? assumed } = window
  const summary = Math.max(64, Math.min(mostSummary, Math.floor(tokens / 8)))
  const reserve = window.reserve_tokens ?? Math.min(mostReserve, Math.floor(tokens / 4))
  const limit = Math.max(1, tokens - reserve)
  return {
    window: tokens,
    limit,
    keep: Math.min(window.keep_tokens ?? Math.floor(tokens / 4), limit),
    summary,
    carried: summary,
    // A summary so far is read with each piece, and the answer needs as much again.
    piece: Math.max(leastPiece, Math.floor((tokens - 3 * summary) * 0.75)),
  }
}

const bytesPerToken = 3.5

/** A rough measure that errs on the high side, so that a window is not overrun. */
export function tokensOf(value: unknown): number {
  const text = typeof value === "string" ? value : (JSON.stringify(value, withoutBytes) ?? "")
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken)
}

/** Bytes are counted by models in ways of their own; what is common for a picture stands for all. */
const withoutBytes = (_: string, value: unknown): unknown =>
  value instanceof Uint8Array ? "x".repeat(4_000) : value

/** At most so many tokens of a text: its beginning and its end, with a mark of what is left out between. */
export function clipped(text: string, tokens: number): string {
  if (tokensOf(text) <= tokens) return text
  const room = Math.max(0, Math.floor(tokens * bytesPerToken) - Buffer.byteLength(leftOut(text.length)))
  const head = prefix(text, Math.ceil((room * 2) / 3))
  const tail = suffix(text, Math.floor(room / 3))
  const left = text.length - head.length - tail.length
  return room === 0 ? "" : `${head}${leftOut(left)}${tail}`
}

const leftOut = (characters: number): string => ` […${characters} characters…] `

function prefix(text: string, bytes: number): string {
  let used = 0
  let end = 0
  for (const character of text) {
    used += Buffer.byteLength(character)
    if (used > bytes) break
    end += character.length
  }
  return text.slice(0, end)
}

function suffix(text: string, bytes: number): string {
  let used = 0
  let start = text.length
  for (const character of [...text.slice(-bytes)].reverse()) {
    used += Buffer.byteLength(character)
    if (used > bytes) break
    start -= character.length
  }
  // A pair that the cut has split begins with its second half, which stands for nothing.
  return text.slice(start).replace(/^[\udc00-\udfff]/, "")
}
