/** Control characters that no text has, beside tab, line feed, form feed, carriage return, backspace and escape. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const noText = /[\u0000-\u0006\u000e-\u001a\u001c-\u001f]/

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })
/** A cluster that is longer than this is no character that anyone reads. */
const longestCharacter = 64

/** The bytes as text, or nothing when they are none. */
export function textOf(bytes: Uint8Array): string | undefined {
  const text = decoded(bytes)
  return text === undefined || noText.test(text) ? undefined : text
}

/** Any valid UTF-8, also with control characters. */
export function decoded(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes)
  } catch {
    return undefined
  }
}

/** How many bytes at the end are the beginning of a character whose rest is still to come. */
export function unfinished(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return back < sequenceLength(byte) ? back : 0
  }
  return 0
}

const sequenceLength = (first: number): number => (first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2)

/** The beginning of the text in at most so many bytes, without a part of a character. */
export function head(text: string, bytes: number): string {
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes))
  const from = Math.max(0, read - longestCharacter)
  const near = text.slice(from, read + longestCharacter)
  const at = graphemes.segment(near).containing(read - from)?.index ?? near.length
  return text.slice(0, at === 0 && from > 0 ? read : from + at)
}

/** Names the most common formats by their first bytes; the rest stays unnamed. */
export function mediaTypeOf(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 12)).toString("latin1")
  return signatures.find(([signature]) => start.startsWith(signature))?.[1] ?? "application/octet-stream"
}
const signatures: readonly (readonly [string, string])[] = [
  ["\x89PNG\r\n", "image/png"],
  ["\xff\xd8\xff", "image/jpeg"],
  ["GIF8", "image/gif"],
  ["%PDF-", "application/pdf"],
  ["PK\x03\x04", "application/zip"],
  ["\x1f\x8b", "application/gzip"],
  ["\x7fELF", "application/x-elf"],
]
