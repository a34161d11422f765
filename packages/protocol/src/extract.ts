import { hasTerm, isError, type Passage, passages } from "./excerpt.ts"

/** Kinds of content that `adaptive` can be told to prefer. */
export const priorityKinds = ["errors", "matching_lines", "file_paths", "diff"] as const
export type PriorityKind = (typeof priorityKinds)[number]

export const isKind = (kind: string): kind is PriorityKind => priorityKinds.some((known) => known === kind)

/** What of one kind a text holds; empty when it holds none. */
export function extract(kind: PriorityKind, text: string, terms: readonly string[]): string {
  const lines = text.split("\n")
  switch (kind) {
    case "errors":
      return numbered(passages(lines, isError, 0))
    case "matching_lines":
      return terms.length === 0 ? "" : numbered(passages(lines, hasTerm(terms), 0))
    case "file_paths":
      return filePaths(text).join("\n")
    case "diff":
      return diffOf(lines)
  }
}

const numbered = (found: readonly Passage[]): string =>
  found
    .flatMap(({ from, text }) => text.split("\n").map((line, index) => `${from + index}: ${line}`))
    .join("\n")

const extensions =
  /\.(?:[cm]?[jt]sx?|json|md|py|go|rs|java|kt|swift|c|h|cpp|hpp|cs|rb|php|vue|svelte|s?css|html?|ya?ml|toml|lock|sh|sql|txt|xml)$/i

/** Each path once, in the order of first mention. */
export function filePaths(text: string): string[] {
  const found = new Set<string>()
  for (const word of text.split(/[\s"'`()<>[\]{},;|=]+/)) {
    // Checked first: what follows looks at every place of the word.
    if (word.length > 400 || word.includes("://")) continue
    const path = word.replace(/[.:!?]+$/, "").replace(/(?::\d{1,9}){1,2}$/, "")
    if (/^[\w@.~+-]*(?:\/[\w@.+-]+)+$/.test(path) || (/^[\w@.+-]+$/.test(path) && extensions.test(path)))
      found.add(path)
  }
  return [...found]
}

const diffStart = /^(?:diff --git |@@ |--- |Index: )/
const diffLine =
  /^(?:[-+ \\@]|diff |index |Index: |new file |deleted file |similarity |rename |old mode |new mode )/

function diffOf(lines: readonly string[]): string {
  const kept: string[] = []
  let inside = false
  for (const [index, line] of lines.entries()) {
    // Three dashes alone may be a rule or a list; a diff goes on with three plus signs.
    if (diffStart.test(line))
      inside ||= !line.startsWith("--- ") || (lines[index + 1] ?? "").startsWith("+++ ")
    else inside &&= diffLine.test(line)
    if (inside) kept.push(line)
  }
  return kept.join("\n")
}
