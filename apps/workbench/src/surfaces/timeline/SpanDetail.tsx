import type { ProcessRow, Span } from "@factum/agent-ui"
import { wordOf } from "../../i18n/catalog.ts"
import { useWords } from "../../i18n/words.ts"
import { type Fact, Facts } from "../../ui/Facts.tsx"
import { MarkLine } from "../../ui/SurfacePanel.tsx"
import { At } from "../../ui/Time.tsx"
import { Excerpt } from "../Excerpt.tsx"

/** All that is known of one span; what is large is read when it is asked for. */
export function SpanDetail({ span, link }: { span: Span; link: string | undefined }) {
  const { catalog, space, team } = useWords()
  const { row } = span
  const facts: Fact[] = [
    [
      space.field.status,
      wordOf(
        { ...team.runtimeStates, ...catalog.run, ...catalog.status, ...catalog.tool, ...catalog.action },
        span.status,
      ),
    ],
    [space.field.start, span.start === "unknown" ? "unknown" : <At key="s" time={span.start} />],
    [space.field.end, span.end === "unknown" ? "unknown" : <At key="e" time={span.end} />],
    [space.field.sequence, span.sequence === undefined ? undefined : String(span.sequence)],
    [space.field.id, <code key="id">{span.id}</code>],
    ...phaseFacts(span, space.field.phase, { ...catalog.phase, ...catalog.run }),
    ...(row === undefined ? [] : noteFacts(row, space.field)),
  ]
  return (
    <div className="flex flex-col gap-1" data-detail={span.key}>
      <MarkLine mark={span} />
      <Facts facts={facts} />
      {row?.tool !== undefined && (
        <>
          <Excerpt
            name={space.input}
            preview={typeof row.tool.input === "object" ? row.tool.input : undefined}
            refs={row.tool.inputRef === undefined ? [] : [row.tool.inputRef]}
          />
          <Excerpt
            name={space.output}
            preview={typeof row.tool.output === "object" ? row.tool.output : undefined}
            refs={row.tool.outputRefs}
          />
        </>
      )}
      {link !== undefined && (
        <a href={link} className="text-accent meta self-start underline underline-offset-2" data-permalink>
          {space.permalink}
        </a>
      )}
    </div>
  )
}

function phaseFacts({ phases = [] }: Span, label: string, words: Readonly<Record<string, string>>): Fact[] {
  if (phases.length === 0) return []
  return [[label, phases.map(({ note }) => wordOf(words, note)).join(" → ")]]
}

type Fields = {
  note: string
  summary: string
  decision: string
  failure: string
  verdict: string
  ref: string
}
function noteFacts(row: ProcessRow, field: Fields): Fact[] {
  const { action, reasoning, plan, failure, tool, evidence, compaction } = row
  return [
    [field.note, row.note],
    [field.summary, action?.summary ?? compaction?.summary ?? reasoning?.summary],
    [field.summary, plan?.steps.map(({ title }) => title).join(" · ")],
    [field.decision, action?.decision],
    [field.verdict, evidence?.verdict],
    [field.failure, tool?.failure?.message ?? failure?.message],
    [field.ref, row.ref],
  ]
}
