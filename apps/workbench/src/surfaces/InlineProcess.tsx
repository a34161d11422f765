import type { InlineProcessView, ProcessRow, RunSummary } from "@factum/agent-ui"
import { memo } from "react"
import { useReach } from "../client/page.ts"
import { useWords } from "../i18n/words.ts"
import { Fallback, Notice } from "../ui/Fallback.tsx"
import { duration } from "../ui/measures.ts"
import { ProcessLine } from "./ProcessLine.tsx"
import type { SurfaceProps } from "./props.ts"

/** The process of the active run, line by line, and the ended ones in one line each. */
export const InlineProcess = memo(function InlineProcess({
  view,
  onIntent,
}: SurfaceProps<InlineProcessView>) {
  const words = useWords()
  const { state, reason, said } = view
  const standing = state === "ready" || state === "empty" || state === "loading" ? undefined : state
  const why = said ?? (reason && words.catalog.reason[reason])
  return (
    <div data-surface="inline_process" data-state={state}>
      {view.archived.map((summary) => (
        <div key={summary.runId}>
          <StepsLine summary={summary} />
          <EarlierLines count={summary.earlier ?? 0} runId={summary.runId} onIntent={onIntent} />
          {summary.rows !== undefined && <ProcessRows rows={summary.rows} onIntent={onIntent} />}
        </div>
      ))}
      {view.runId === undefined ? (
        <Fallback
          state={state === "ready" ? "empty" : state}
          title={standing ? words.catalog.state[standing] : words.catalog.empty.inline_process}
          reason={why}
        />
      ) : (
        <>
          {standing !== undefined && <Notice state={standing}>{why}</Notice>}
          <EarlierLines count={view.earlier} runId={view.runId} onIntent={onIntent} />
          <ProcessRows rows={view.rows} onIntent={onIntent} />
        </>
      )}
    </div>
  )
})

type RowsProps = { rows: readonly ProcessRow[]; onIntent: SurfaceProps<InlineProcessView>["onIntent"] }

export const ProcessRows = memo(
  function ProcessRows({ rows, onIntent }: RowsProps) {
    return (
      <div className="my-2" data-process>
        {rows.map((row) => (
          <ProcessLine key={row.key} row={row} onIntent={onIntent} />
        ))}
      </div>
    )
  },
  (a, b) => a.onIntent === b.onIntent && sameRows(a.rows, b.rows),
)

/** Only the newest lines of a long process stand here; the timeline has them all. */
export function EarlierLines({
  count,
  runId,
  onIntent,
}: { count: number; runId: string } & Pick<RowsProps, "onIntent">) {
  const { talk } = useWords()
  if (count === 0) return null
  return (
    <button
      type="button"
      data-earlier={count}
      className="text-accent meta my-1 block hover:underline"
      onClick={() => onIntent({ control: "open_detail", target: { kind: "run", id: runId } })}
    >
      {talk.earlierRows(count)}
    </button>
  )
}

export const sameRows = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((row, at) => row === b[at])

/** What a run did, in one line that opens to its lines. */
export const StepsLine = memo(function StepsLine({ summary }: { summary: RunSummary }) {
  const words = useWords()
  const { local } = useReach()
  const { runId, entries, failed, files, durationMs, rows } = summary
  if (entries === 0) return null
  const expanded = rows !== undefined
  const toggle = () =>
    local(expanded ? { kind: "collapse", id: runId } : { kind: "expand", id: runId, where: "inline" })
  const figures = [
    words.talk.steps(entries),
    typeof durationMs === "number" && duration(durationMs / 1000, words.units),
    files.length > 0 && words.talk.files(files.length),
    failed > 0 && words.talk.failedSteps(failed),
  ].filter(Boolean)
  return (
    <button
      type="button"
      aria-expanded={expanded}
      data-steps={runId}
      title={expanded ? words.talk.hideSteps : words.talk.showSteps}
      onClick={toggle}
      className="meta hover:text-ink hover:bg-hover -ml-1 inline-flex items-center gap-1.5 rounded px-1 py-0.5 pointer-coarse:min-h-9"
    >
      <span aria-hidden="true" className={`transition-transform ${expanded ? "rotate-90" : ""}`}>
        ›
      </span>
      {figures.join(" · ")}
    </button>
  )
})
