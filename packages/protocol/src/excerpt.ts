import type { Action } from "./action.ts"

/** Consecutive lines of a text; the first line is line 1. */
export type Passage = { from: number; to: number; text: string }

/** The lines that match, with some lines on each side. Passages that touch or overlap are one. */
export function passages(
  lines: readonly string[],
  matches: (line: string) => boolean,
  context: number,
): Passage[] {
  const ranges: { from: number; to: number }[] = []
  for (const [index, line] of lines.entries()) {
    if (!matches(line)) continue
    const from = Math.max(1, index + 1 - context)
    const to = Math.min(lines.length, index + 1 + context)
    const last = ranges.at(-1)
    if (last !== undefined && from <= last.to + 1) last.to = to
    else ranges.push({ from, to })
  }
  return ranges.map((range) => passage(lines, range.from, range.to))
}

export const passage = (lines: readonly string[], from: number, to: number): Passage => ({
  from,
  to,
  text: lines.slice(from - 1, to).join("\n"),
})

/** Passages as the model reads them, each below its place. */
export const located = (found: readonly Passage[]): string =>
  found
    .map(({ from, to, text }) => `${from === to ? `line ${from}` : `lines ${from}-${to}`}:\n${text}`)
    .join("\n\n")

/** Whether a line has one of the terms, as plain text and in any case: a pattern is never run as one. */
export function hasTerm(terms: readonly string[]): (line: string) => boolean {
  const wanted = terms.map((term) => term.toLowerCase())
  return (line) => {
    const text = line.toLowerCase()
    return wanted.some((term) => text.includes(term))
  }
}

const queryFields = ["pattern", "query", "match", "search", "keyword", "text"] as const

/** Each is looked for in every line. */
export const mostTerms = 250

/** What the action itself was looking for. */
export function termsOf(action: Action): string[] {
  const terms = queryFields.flatMap((field) => {
    const value = Object.hasOwn(action.input, field) ? action.input[field] : undefined
    return typeof value === "string" ? value.split("|").filter((term) => term.trim() !== "") : []
  })
  return terms.slice(0, mostTerms)
}

export const isError = (line: string): boolean =>
  /(?<![a-z])(?:error|exception)\b|\bfatal\b|\bpanic\b|\bfail(?:ed|ure|s)?\b|\btraceback\b|错误|失败/i.test(
    line,
  ) || /(?:Error|Exception)\b/.test(line)

const around = 2
const headLines = 20
const tailLines = 10

/** The passages most likely wanted: what was looked for, else errors, else the beginning and the end. */
export function excerpt(text: string, terms: readonly string[]): Passage[] {
  const lines = text.split("\n")
  const wanted = terms.length === 0 ? [] : passages(lines, hasTerm(terms), around)
  if (wanted.length > 0) return wanted
  const errors = passages(lines, isError, around)
  if (errors.length > 0) return errors
  if (lines.length <= headLines + tailLines) return [passage(lines, 1, lines.length)]
  return [passage(lines, 1, headLines), passage(lines, lines.length - tailLines + 1, lines.length)]
}
