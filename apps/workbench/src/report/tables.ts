import { type ActionCard, isTime, type RunSummary, type Span, type ToolRow } from "@factum/agent-ui"
import { wordOf } from "../i18n/catalog.ts"
import { told, type Words } from "../i18n/words.ts"
import { askedOf } from "../surfaces/asked.ts"
import { count, duration, money } from "../ui/measures.ts"
import { nameOf } from "../ui/Name.tsx"
import { saidOf } from "../ui/Status.tsx"

/** Words, or text that is shown letter by letter. */
export type Cell = string | { code: string }

/** Each turn: what was asked, how it ended, and what it took. */
export function turnRow(span: Span, summary: RunSummary | undefined, words: Words): Cell[] {
  const { report } = words.space
  const { tokens, cost, currency, failure } = summary ?? {}
  return [
    span.label === span.kind ? words.space.run : span.label,
    [saidOf(words, span.status), failure?.message].filter(Boolean).join(": "),
    began(span.start, words),
    tookOf(span.start, span.end, words),
    summary === undefined ? "" : String(summary.entries),
    tokens === undefined ? "" : words.talk.tokens(count(tokens.input), count(tokens.output)),
    cost === undefined ? report.notTold : money(cost, currency),
  ]
}

/** Each call with what it was given and what it gave, as far as both were kept. */
export function callRow(call: ToolRow, words: Words): Cell[] {
  const { input, output, durationMs, failure } = call
  return [
    call.title ?? call.toolName,
    {
      code: typeof input === "string" ? words.space.notReported : clipped(input.text, input.truncated, words),
    },
    [wordOf(words.catalog.tool, call.status), failure?.message && told(words, failure.message)]
      .filter(Boolean)
      .join(": "),
    { code: typeof output === "string" ? "" : clipped(output.text, output.truncated, words) },
    began(call.startedAt ?? "unknown", words),
    typeof durationMs === "number" ? duration(durationMs / 1000, words.units) : words.space.notReported,
    call.who === undefined ? "" : nameOf(words, call.who),
  ]
}

/** Each request: what it was about, what was decided, by whom and when. */
export function decisionRow(card: ActionCard, words: Words): Cell[] {
  const { question, folder, body } = askedOf(card, words)
  const { status, decision, decidedBy, note, options, requestedBy, at } = card
  const said = options.find(({ id }) => id === decision)?.label
  const about = [
    question.before + (question.code ?? "") + question.after,
    folder && words.talk.inFolder(folder),
    body,
  ]
  return [
    { code: about.filter(Boolean).join("\n") },
    decision === undefined
      ? wordOf(words.catalog.action, status)
      : (words.talk.unanswered[decision] ?? told(words, said ?? decision)),
    [decidedBy && (words.talk.deciders[decidedBy] ?? decidedBy), note].filter(Boolean).join(": "),
    at ?? words.space.notReported,
    requestedBy === undefined ? "" : nameOf(words, requestedBy),
  ]
}

const longest = 4000
function clipped(text: string, truncated: boolean | undefined, { space }: Words): string {
  return text.length > longest || truncated === true ? `${text.slice(0, longest)}\n… ${space.part}` : text
}

const began = (start: string, { space }: Words) => (isTime(start) ? start : space.notReported)

function tookOf(start: string, end: string, { units, space }: Words): string {
  if (!isTime(start) || !isTime(end)) return space.notReported
  return duration((Date.parse(end) - Date.parse(start)) / 1000, units)
}

export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  if (rows.length === 0) return ""
  const cell = (one: Cell) => (typeof one === "string" ? escaped(one) : `<pre>${escaped(one.code)}</pre>`)
  const line = (tag: "th" | "td", row: readonly Cell[]) =>
    `<tr>${row.map((one) => `<${tag}>${cell(one)}</${tag}>`).join("")}</tr>`
  return `<div class="wide"><table><thead>${line("th", head)}</thead><tbody>${rows.map((row) => line("td", row)).join("")}</tbody></table></div>`
}

const signs: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => signs[sign] ?? sign)
