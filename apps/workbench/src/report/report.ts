import { isTime, type MessageRow, type Span, type SurfaceName, type ViewOf } from "@factum/agent-ui"
import { wordOf } from "../i18n/catalog.ts"
import type { Words } from "../i18n/words.ts"
import { amountIn } from "../ui/Limit.tsx"
import { duration } from "../ui/measures.ts"
import { nameOf } from "../ui/Name.tsx"
import { htmlOf } from "../ui/sanitize.ts"
import { look } from "./look.ts"

export type ReportParts = {
  of: <S extends SurfaceName>(surface: S) => ViewOf<S>
  words: Words
  sessionId: string
  title: string
  now: string
}

/** A session as one page that needs nothing else: no script, no address, its own style; to keep, send or print. */
export function reportOf({ of, words, sessionId, title, now }: ReportParts): string {
  const { report } = words.space
  const timeline = of("timeline_evidence")
  const [runs, tools] = [timeline.spans.filter(isRun), timeline.spans.filter(({ kind }) => kind === "tool")]
  const requests = [...of("hitl").pending, ...of("hitl").settled]
  const { cost, context } = of("team_policy")
  const { what, state, began, took, by, version } = report.columns
  const spanRow = (span: Span) => [
    span.label,
    wordOf({ ...words.catalog.run, ...words.catalog.tool }, span.status),
    isTime(span.start) ? span.start : words.space.notReported,
    tookOf(span, words),
    span.who === undefined ? "" : nameOf(words, span.who),
  ]
  const meters = [
    cost && ([words.space.cost, cost] as const),
    context && ([words.space.context, context] as const),
  ]
  const parts = [
    part(
      report.conversation,
      of("conversation")
        .messages.map((message) => messageOf(message, words))
        .join(""),
      report.none,
    ),
    part(report.process, table([what, state, began, took, by], runs.map(spanRow)), report.none),
    part(report.tools, table([what, state, began, took, by], tools.map(spanRow)), report.none),
    part(
      report.approvals,
      table(
        [what, state, by],
        requests.map(({ title: asked, summary, status, decision, decidedBy, requestedBy }) => [
          asked ?? summary ?? "",
          [wordOf(words.catalog.action, status), decision, decidedBy].filter(Boolean).join(" · "),
          requestedBy === undefined ? "" : nameOf(words, requestedBy),
        ]),
      ),
      report.none,
    ),
    part(
      report.cost,
      table(
        [what, ""],
        meters.flatMap((one) => (one ? [[one[0], amounts(one[1])]] : [])),
      ),
      report.none,
    ),
    part(
      report.artifacts,
      table(
        [what, version, state],
        of("artifact_workspace").artifacts.map(({ title: name, artifactId, versions, state: stood }) => [
          name === "unknown" ? artifactId : name,
          versions.at(-1)?.label ?? "",
          words.catalog.state[stood],
        ]),
      ),
      report.none,
    ),
    part(
      report.evidence,
      table(
        [what, state],
        timeline.evidence.map(({ title: name, evidenceId, verdict }) => [
          name ?? evidenceId,
          wordOf(words.catalog.status, verdict),
        ]),
      ),
      report.none,
    ),
  ]
  return `<!doctype html>
<html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escaped(report.title(title))}</title><style>${look}</style></head>
<body><header><h1>${escaped(title)}</h1><p>${escaped(report.made(now))} <code>${escaped(sessionId)}</code></p></header>
${parts.join("\n")}
</body></html>
`
}

const isRun = ({ kind }: Span) => kind === "run"

function messageOf({ role, text, inputs, who, at = "" }: MessageRow, words: Words): string {
  const { report } = words.space
  const name = who === undefined ? (role === "user" ? report.you : report.agent) : nameOf(words, who)
  const said = text.map(({ blocks }) => blocks.join("")).join("\n\n")
  const given = inputs
    .map((input) => ("text" in input && typeof input.text === "string" ? input.text : ""))
    .join("\n")
  const body =
    role === "user"
      ? `<p class="said">${escaped(said === "" ? given : said)}</p>`
      : htmlOf(said, words.imageNotLoaded)
  return `<article><h3>${escaped(name)} <time>${escaped(at)}</time></h3>${body}</article>`
}

const part = (title: string, html: string, none: string) =>
  `<section><h2>${escaped(title)}</h2>${html === "" ? `<p>${escaped(none)}</p>` : html}</section>`

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ""
  const cells = (tag: "th" | "td", row: readonly string[]) =>
    `<tr>${row.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join("")}</tr>`
  return `<table><thead>${cells("th", head)}</thead><tbody>${rows.map((row) => cells("td", row)).join("")}</tbody></table>`
}

function tookOf({ start, end }: Span, { units, space }: Words): string {
  if (!isTime(start) || !isTime(end)) return space.notReported
  return duration((Date.parse(end) - Date.parse(start)) / 1000, units)
}

function amounts({
  used,
  limit,
  unit,
}: {
  used: number | string
  limit: number | string
  unit?: string
}): string {
  const one = (value: number | string) => (typeof value === "number" ? amountIn(value, unit) : value)
  return limit === "unknown" ? one(used) : `${one(used)} / ${one(limit)}`
}

const signs: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}
const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => signs[sign] ?? sign)
