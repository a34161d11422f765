import type { ExpandRequest } from "./declaration/normalized.ts"
import { hasTerm, isError, located, mostTerms, passage, passages } from "./excerpt.ts"

/** A part of a text. `around` without terms means the lines with errors. */
export type Selection =
  | { kind: "all" }
  | { kind: "lines"; from: number; to: number }
  | { kind: "around"; terms: readonly string[]; context: number }

type Range = NonNullable<ExpandRequest["range"]>

/** The selections that a request may mean, best first. */
export function selectionsFor(range: Range | undefined, reason: string | undefined): readonly Selection[] {
  if (range === undefined) return [{ kind: "all" }]
  if (range.around_matches === true || range.match !== undefined) {
    const context = whole(range.context_lines, 0)
    if (range.match !== undefined && range.match !== "")
      return [{ kind: "around", terms: [range.match], context }]
    const terms = termsIn(reason ?? "")
    const errors = { kind: "around", terms: [], context } as const
    return terms.length === 0 ? [errors] : [{ kind: "around", terms, context }, errors]
  }
  if (range.from === undefined && range.to === undefined) return [{ kind: "all" }]
  return [{ kind: "lines", from: whole(range.from, 1), to: whole(range.to, Number.MAX_SAFE_INTEGER) }]
}

/** The selected text; undefined when no line is selected. */
export function selectText(text: string, selection: Selection): string | undefined {
  if (selection.kind === "all") return text
  const lines = text.split("\n")
  if (selection.kind === "around") {
    const { terms, context } = selection
    const found = passages(lines, terms.length === 0 ? isError : hasTerm(terms), context)
    return found.length === 0 ? undefined : located(found)
  }
  const from = Math.max(1, selection.from)
  const to = Math.min(lines.length, selection.to)
  return from > to ? undefined : passage(lines, from, to).text
}

/** What stands after `#` of a continuation: the selection, and where in it to go on. */
export function writeContinuation(selection: Selection, at: number): string {
  const key = new URLSearchParams()
  if (selection.kind === "lines") key.set("lines", `${selection.from}-${selection.to}`)
  if (selection.kind === "around") {
    key.set("context", String(selection.context))
    for (const term of selection.terms) key.append("around", term)
  }
  key.set("from", String(at))
  return key.toString()
}

export function readContinuation(fragment: string): { selection: Selection; at: number } {
  const key = new URLSearchParams(fragment)
  const at = number(key.get("from"), 0)
  const lines = /^(\d{1,15})-(\d{1,16})$/.exec(key.get("lines") ?? "")
  if (lines !== null)
    return { at, selection: { kind: "lines", from: Number(lines[1]), to: Number(lines[2]) } }
  const context = key.get("context")
  if (context === null) return { at, selection: { kind: "all" } }
  return {
    at,
    selection: {
      kind: "around",
      terms: key.getAll("around").slice(0, mostTerms),
      context: number(context, 0),
    },
  }
}

const number = (text: string | null, otherwise: number): number =>
  text !== null && /^\d{1,15}$/.test(text) ? Number(text) : otherwise

const whole = (value: number | undefined, otherwise: number): number =>
  value === undefined || !Number.isFinite(value) ? otherwise : Math.max(0, Math.floor(value))

const common = new Set(
  "about also because details does evidence exact from have more need needed needs that their there these they this what when where which with".split(
    " ",
  ),
)

/** The words of a reason that a text may be searched for. */
const termsIn = (reason: string): string[] =>
  reason
    .slice(0, 1000)
    .split(/[\s.,;:!?"'`()]+/)
    .filter((word) => word.length > 3 && !common.has(word.toLowerCase()))
