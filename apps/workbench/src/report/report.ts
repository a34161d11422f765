import type { MessageRow, SurfaceName, ViewOf } from "@factum/agent-ui"
import { wordOf } from "../i18n/catalog.ts"
import type { Words } from "../i18n/words.ts"
import { amountIn } from "../ui/Limit.tsx"
import { nameOf } from "../ui/Name.tsx"
import { htmlOf } from "../ui/sanitize.ts"
import { look } from "./look.ts"
import { callRow, decisionRow, escaped, table, turnRow } from "./tables.ts"

export type ReportParts = {
  of: <S extends SurfaceName>(surface: S, scope?: { runId: string }) => ViewOf<S>
  words: Words
  sessionId: string
  title: string
  now: string
  /** Older facts of the session could not be read, or were too many. */
  isCut?: boolean
}

/** A session as one page that needs nothing else: no script, no address, its own style; to keep, send or print. */
export function reportOf({ of, words, sessionId, title, now, isCut = false }: ReportParts): string {
  const { report } = words.space
  const timeline = of("timeline_evidence")
  const runs = timeline.spans.filter(({ kind }) => kind === "run")
  const summaries = new Map(timeline.runs.map((summary) => [summary.runId, summary]))
  const calls = runs.flatMap(({ runId }) => of("tool_ui", { runId }).calls)
  const requests = [...of("hitl").settled.toReversed(), ...of("hitl").pending]
  const { cost, context } = of("team_policy")
  const { what, state, began, took, by, version } = report.columns
  const { input, output, steps, tokens, spent, decision, decider, when } = report.columns
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
    part(
      report.process,
      (timeline.earlierRuns > 0 ? `<p>${escaped(words.space.earlierRuns(timeline.earlierRuns))}</p>` : "") +
        table(
          [what, state, began, took, steps, tokens, spent],
          runs.map((span) => turnRow(span, summaries.get(span.runId), words)),
        ),
      report.none,
    ),
    part(
      report.tools,
      table(
        [what, input, state, output, began, took, by],
        calls.map((call) => callRow(call, words)),
      ),
      report.none,
    ),
    part(
      report.approvals,
      table(
        [what, decision, decider, when, by],
        requests.map((card) => decisionRow(card, words)),
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
<body><header><h1>${escaped(title)}</h1><p>${escaped(report.made(now))} <code>${escaped(sessionId)}</code></p>${isCut ? `<p><strong>${escaped(report.cut)}</strong></p>` : ""}</header>
${parts.join("\n")}
</body></html>
`
}

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
