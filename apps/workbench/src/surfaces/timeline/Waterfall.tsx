import { type Span, standAt } from "@factum/agent-ui"
import { useVirtualizer } from "@tanstack/react-virtual"
import { memo, useEffect, useMemo, useRef } from "react"
import { wordOf } from "../../i18n/catalog.ts"
import { useWords } from "../../i18n/words.ts"
import { duration } from "../../ui/measures.ts"
import { nameOf } from "../../ui/Name.tsx"
import { Status } from "../../ui/Status.tsx"
import { moveFocus } from "../move-focus.ts"
import { SpanDetail } from "./SpanDetail.tsx"
import { barOf, type Scale, scalesOf, secondsOf } from "./scale.ts"

type Props = {
  spans: readonly Span[]
  /** The moment that is looked at; what came later is dimmed. */
  moment: string | undefined
  /** The one that the address names. */
  item: string | undefined
  link?: ((item: string) => string) | undefined
  onToggle: (span: Span) => void
}

/** The spans of the runs below each other, each run on its own scale. Only what is in sight is drawn. */
export const Waterfall = memo(function Waterfall({ spans, moment, item, link, onToggle }: Props) {
  const { catalog } = useWords()
  const place = useRef<HTMLDivElement>(null)
  const scales = useMemo(() => scalesOf(spans), [spans])
  const virtual = useVirtualizer({
    count: spans.length,
    getScrollElement: () => place.current,
    estimateSize: () => 28,
    getItemKey: (index) => spans[index]?.key ?? index,
    overscan: 8,
    initialRect: { width: 600, height: 600 },
  })
  const wanted = item === undefined ? -1 : spans.findIndex(({ key, id }) => key === item || id === item)
  const scrollTo = virtual.scrollToIndex
  useEffect(() => {
    if (wanted >= 0) scrollTo(wanted, { align: "center" })
  }, [wanted, scrollTo])
  return (
    <div ref={place} className="thin-scroll min-h-0 flex-1 overflow-auto" data-waterfall>
      <ul
        aria-label={catalog.surface.timeline_evidence}
        className="relative"
        style={{ height: virtual.getTotalSize() }}
        onKeyDown={moveFocus}
      >
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const span = spans[index]
          if (span === undefined) return null
          return (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              className="absolute inset-x-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              <Line
                span={span}
                scale={scales.get(span.runId)}
                moment={moment}
                named={index === wanted}
                link={link?.(span.key)}
                onToggle={onToggle}
              />
            </li>
          )
        })}
      </ul>
    </div>
  )
})

const indents = ["pl-3", "pl-7", "pl-11"]

const Line = memo(function Line({
  span,
  scale,
  moment,
  named,
  link,
  onToggle,
}: {
  span: Span
  scale: Scale | undefined
  moment: string | undefined
  named: boolean
  link: string | undefined
  onToggle: (span: Span) => void
}) {
  const words = useWords()
  const { catalog, space, units } = words
  const stood = moment === undefined ? undefined : standAt(span, moment)
  const seconds = secondsOf(span)
  const kind = span.kind === "run" ? space.run : wordOf(catalog.process, span.kind)
  return (
    <div
      data-span={span.kind}
      data-key={span.key}
      data-stood={stood}
      data-named={named || undefined}
      className="border-line data-named:bg-raised border-b data-[stood=later]:opacity-60"
    >
      <button
        type="button"
        data-row
        aria-expanded={span.expanded}
        onClick={() => onToggle(span)}
        className={`hover:bg-hover flex h-7 w-full min-w-0 items-center gap-2 pr-3 text-left ${indents[span.depth] ?? "pl-11"}`}
      >
        {stood === undefined || stood === "over" ? (
          <Status status={span.status} quiet />
        ) : (
          <Status status={stood === "open" ? "running" : "scheduled"} quiet />
        )}
        <span className={`min-w-0 flex-[3] truncate ${span.kind === "run" ? "font-medium" : ""}`}>
          {span.label === span.kind ? kind : span.label}
          {span.who !== undefined && <span className="meta ml-1.5">{nameOf(words, span.who)}</span>}
        </span>
        <span className="meta hidden w-20 shrink-0 truncate @md:inline">{kind}</span>
        <Bars span={span} scale={scale} />
        <span className="meta w-14 shrink-0 text-right">
          {stood === "later"
            ? space.notYet
            : seconds === undefined || seconds === 0
              ? ""
              : duration(seconds, units)}
        </span>
      </button>
      {span.expanded && (
        <div className="bg-raised px-3 py-2 pl-11">
          <SpanDetail span={span} link={link} />
        </div>
      )}
    </div>
  )
})

const percent = (part: number) => `${part * 100}%`

function Bars({ span, scale }: { span: Span; scale: Scale | undefined }) {
  const bar = barOf(span, scale)
  return (
    <span aria-hidden="true" className="relative hidden h-3 flex-[4] overflow-hidden @sm:block">
      {bar !== undefined && (
        <span
          className={`absolute inset-y-[3px] min-w-[3px] rounded-sm ${span.kind === "run" ? "bg-hover" : "bg-edge"} ${bar.open ? "border-accent border-r-2" : ""}`}
          style={{ left: `min(${percent(bar.from)}, 100% - 3px)`, width: percent(bar.to - bar.from) }}
        />
      )}
      {span.phases?.map(({ at, note }, index) => {
        const piece = barOf({ start: at, end: span.phases?.[index + 1]?.at ?? span.end }, scale)
        return piece === undefined ? null : (
          <span
            key={`${at} ${index}`}
            title={note}
            className="border-page bg-edge absolute inset-y-[5px] border-l"
            style={{ left: percent(piece.from), width: percent(piece.to - piece.from) }}
          />
        )
      })}
    </span>
  )
}
