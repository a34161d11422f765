import type { DiagnosticRow, DiagnosticsView, MetricSeries } from "@factum/agent-ui"
import { memo, useState } from "react"
import { wordOf } from "../i18n/catalog.ts"
import { useWords } from "../i18n/words.ts"
import { Acts, Frame } from "../ui/Frame.tsx"
import { amountIn } from "../ui/Limit.tsx"
import { Name } from "../ui/Name.tsx"
import { Sparkline } from "../ui/Sparkline.tsx"
import { State } from "../ui/State.tsx"
import { MarkLine } from "../ui/SurfacePanel.tsx"
import type { StateWord } from "../ui/status.ts"
import { Ago } from "../ui/Time.tsx"
import { Excerpt } from "./Excerpt.tsx"
import type { SurfaceProps } from "./props.ts"

const page = 50
const glyphs: Readonly<Record<string, StateWord>> = {
  error: "failed",
  fatal: "failed",
  warning: "blocked",
  info: "done",
}

/** What the machinery says of itself; none of it is part of the conversation. */
export const Diagnostics = memo(function Diagnostics({ view, onIntent }: SurfaceProps<DiagnosticsView>) {
  const { catalog, space } = useWords()
  const { rows, findings, series, gaps, context, dropped, hidden } = view
  const [shown, setShown] = useState(page)
  const counted = [
    dropped > 0 && space.dropped(dropped),
    hidden > 0 && space.hidden(hidden),
    context.retrieved > 0 && space.retrieved(context.retrieved),
    context.missing > 0 && space.missingContext(context.missing),
    ...context.warnings,
  ].filter((line) => line !== false)
  const first = rows.findLast(({ ref, rawEventRef }) => (ref ?? rawEventRef) !== undefined)
  return (
    <Frame
      view={view}
      has={rows.length + findings.length + series.length + gaps.length + dropped > 0}
      hint={space.diagnosticsHint}
      marks={rows}
      bar={
        <Acts
          className="px-3 py-1.5"
          offered={view.controls}
          about={catalog.surface.diagnostics}
          onAct={() =>
            first &&
            void onIntent({
              control: "open_detail",
              target: { kind: "diagnostic", id: first.diagnosticId },
            })
          }
        />
      }
    >
      <div
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
        className="thin-scroll min-h-0 flex-1 overflow-auto"
      >
        {counted.length > 0 && (
          <p className="meta border-line border-b px-3 py-1.5" data-counts>
            {counted.join(" · ")}
          </p>
        )}
        {rows.length > 0 && (
          <Part title={space.diagnosticsPart} count={rows.length}>
            {rows
              .toReversed()
              .slice(0, shown)
              .map((row) => (
                <Row key={row.diagnosticId} row={row} />
              ))}
          </Part>
        )}
        {rows.length > shown && (
          <button type="button" className="text-accent meta px-3 py-1" onClick={() => setShown(shown + page)}>
            {space.more(Math.min(page, rows.length - shown))}
          </button>
        )}
        {findings.length > 0 && (
          <Part title={space.findings} count={findings.length}>
            {findings.slice(-shown).map(({ code, message, type, id, sequence }, at) => (
              <li
                key={at}
                data-finding={code}
                className="flex min-w-0 flex-wrap items-baseline gap-x-2 px-3 py-1"
              >
                <code className="text-[13px]">{code}</code>
                <span className="min-w-0 flex-1 basis-48 break-words">{message}</span>
                <span className="meta break-all">
                  {[type, id, sequence].filter((one) => one !== undefined).join(" · ")}
                </span>
              </li>
            ))}
          </Part>
        )}
        {gaps.length > 0 && (
          <Part title={space.gaps} count={gaps.length}>
            {gaps.map(({ stream, from, to, waiting }) => (
              <li key={stream} className="px-3 py-1" data-gap={stream}>
                {space.gap(stream, from, to, waiting)}
              </li>
            ))}
          </Part>
        )}
        {series.length > 0 && (
          <Part title={space.metrics} count={series.length}>
            {series.map((one) => (
              <Metric key={one.name} series={one} />
            ))}
          </Part>
        )}
      </div>
    </Frame>
  )
})

function Part({ title, count, children }: { title: string; count: number; children: React.ReactNode }) {
  return (
    <div className="border-line border-b pb-1">
      <h3 className="meta px-3 pt-2 pb-1 font-medium">
        {title} {count}
      </h3>
      <ul>{children}</ul>
    </div>
  )
}

function Row({ row }: { row: DiagnosticRow }) {
  const { space } = useWords()
  const refs = [row.ref, row.rawEventRef].filter((ref) => ref !== undefined)
  return (
    <li data-diagnostic={row.diagnosticId} className="px-3 py-1">
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-2">
        <span className="self-center">
          <State
            state={glyphs[row.severity] ?? "unknown"}
            said={wordOf(space.severity, row.severity)}
            quiet
          />
        </span>
        <code className="text-[13px]">{row.code ?? space.noCode}</code>
        <span className="min-w-0 flex-1 basis-48 break-words">{row.message}</span>
        {row.who !== undefined && <Name who={row.who} />}
        {row.at !== undefined && <Ago time={row.at} />}
      </div>
      <MarkLine mark={row} />
      {row.affected.length > 0 && (
        <p className="meta break-all">
          {space.affects(row.affected.map(({ kind, id }) => `${kind} ${id}`).join(", "))}
        </p>
      )}
      {refs.length > 0 && (
        <details data-raw>
          <summary className="meta hover:text-ink">{space.raw}</summary>
          {refs.map((ref) => (
            <Excerpt key={ref} name={ref} refs={[ref]} />
          ))}
        </details>
      )}
    </li>
  )
}

function Metric({ series: { name, unit, total, points } }: { series: MetricSeries }) {
  const { space } = useWords()
  return (
    <li data-metric={name} className="flex min-w-0 items-center gap-3 px-3 py-1">
      <code className="min-w-0 flex-1 truncate text-[13px]">{name}</code>
      {points.length > 1 && (
        <Sparkline label={space.trend(name, points.length)} values={points.map(({ value }) => value)} />
      )}
      <span className="meta text-ink w-24 text-right">{amountIn(total, unit)}</span>
    </li>
  )
}
