/**
 * Keeps told text from being read as the transcript's own structure. `<turn` and `</turn` are escaped everywhere, also
 * inside fences, so that a turn's end is found without understanding what the turn holds. One backslash more hides
 * them, one less brings them back, so nothing is lost.
 */
const tag = /(?<!\\)\\*<(?=\/?turn\b)/gi
const hiddenTag = /(?<!\\)\\(?=\\*<\/?turn\b)/gi

const names =
  "User request|Earlier turns, summed up|Assistant protocol request|Assistant answer|Protocol |Output requirements|Declaration|Call |Result for "
const reserved = `#{1,6}[ \\t]+(?:${names.replaceAll(" ", "[ \\t]+")})`
const heading = new RegExp(`^( {0,3})(?=\\\\*${reserved})`, "gim")
const hiddenHeading = new RegExp(`^( {0,3})\\\\(?=\\\\*${reserved})`, "gim")

export const escapeTags = (text: string): string => text.replace(tag, (found) => `\\${found}`)
export const unescapeTags = (text: string): string => text.replace(hiddenTag, "")

/** For text that stands in a turn without a fence. */
export const escapeText = (text: string): string =>
  escapeTags(text).replace(heading, (spaces) => `${spaces}\\`)
export const unescapeText = (text: string): string =>
  unescapeTags(text.replace(hiddenHeading, (found) => found.slice(0, -1)))

/** A block that nothing inside can close. */
export function fenced(info: string, text: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1))
  return `${fence}${info}\n${escapeTags(text)}\n${fence}`
}

/** JSON has its own escape for `<`, which keeps the block valid JSON. */
export const jsonText = (value: unknown): string =>
  (JSON.stringify(value, null, 2) ?? "null").replace(/<(?=\/?turn\b)/gi, "\\u003c")

/** One line, whatever the text: for labels, where the line break itself says nothing. */
export const oneLine = (text: string): string => escapeTags(plainLine(text))
export const plainLine = (text: string): string => text.replace(/\s+/g, " ").trim()

export function cut(text: string, characters: number): string {
  const points = [...text.slice(0, characters * 2)]
  return points.length <= characters && text.length <= characters * 2
    ? text
    : `${points.slice(0, characters).join("")}…`
}

export function codeSpan(text: string): string {
  const line = oneLine(text)
  const run = longestRun(line)
  if (run === 0) return `\`${line}\``
  const fence = "`".repeat(run + 1)
  return `${fence} ${line} ${fence}`
}

function longestRun(text: string): number {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}
