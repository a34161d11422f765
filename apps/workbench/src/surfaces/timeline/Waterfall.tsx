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
import { barOf, type Scale, scaleOf, secondsOf } from "./scale.ts"

type Props = {
  spans: readonly Span[]
  /** The moment that is looked at; what came later is dimmed. */
  moment: string | undefined
  /** The one that the address names. */
  item: string | undefined
  link?: ((item: string) => string) | undefined
  onToggle: (span: Span) => void
}

/** The spans of all turns below each other on one scale of time. Only what is in sight is drawn. */
export const Waterfall = memo(function Waterfall({ spans, moment, item, link, onToggle }: Props) {
  const { catalog } = useWords()
  const place = useRef<HTMLDivElement>(null)
  const scale = useMemo(() => scaleOf(spans), [spans])
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
    if (wanted >= 0) scrollTo(wanted, { align: "auto" })
  }, [wanted, scrollTo])
  return (
    <div ref={place} className="thin-scroll min-h-0 flex-1 overflow-auto" data-waterfall>
      {scale !== undefined && <Axis scale={scale} />}
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
                scale={scale}
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

const indents = ["pl-0", "pl-4", "pl-8"]
/** The same columns in every line and above them, so that a moment has one place. */
const columns =
  "grid grid-cols-[minmax(0,1fr)_3.5rem] items-center gap-x-2 px-3 @sm:grid-cols-[minmax(0,3fr)_minmax(0,4fr)_3.5rem]"

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
        className={`hover:bg-hover h-7 w-full min-w-0 text-left pointer-coarse:h-9 ${columns}`}
      >
        <span className={`flex min-w-0 items-center gap-2 ${indents[span.depth] ?? "pl-8"}`}>
          {stood === undefined || stood === "over" ? (
            <Status status={span.status} quiet />
          ) : (
            <Status status={stood === "open" ? "running" : "scheduled"} quiet />
          )}
          <span className={`min-w-0 flex-1 truncate ${span.kind === "run" ? "font-medium" : ""}`}>
            {span.label === span.kind ? kind : span.label}
            {span.who !== undefined && <span className="meta ml-1.5">{nameOf(words, span.who)}</span>}
          </span>
          <span className="meta hidden w-18 shrink-0 truncate @xl:inline">{kind}</span>
        </span>
        <Bars span={span} scale={scale} />
        <span className="meta text-right">
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

/** When things began, and how long the folded pauses were. */
function Axis({ scale: { ticks, gaps } }: { scale: Scale }) {
  const { space, units } = useWords()
  return (
    <div
      aria-hidden="true"
      data-axis
      className={`border-line bg-page meta sticky top-0 z-10 hidden h-6 border-b text-[11px] @sm:grid ${columns}`}
    >
      <span className="truncate">{gaps.length > 0 && space.folded(gaps.length)}</span>
      <span className="relative h-full overflow-hidden">
        {ticks.map(({ at, time, first }) => (
          <span
            key={time}
            className="border-edge absolute inset-y-1 border-l pl-1 whitespace-nowrap"
            style={{ left: percent(at) }}
            data-tick={first ? "stretch" : "step"}
          >
            {at < 0.8 && clockAt(time)}
          </span>
        ))}
        {gaps.map(({ from, to, milliseconds }) => (
          <span
            key={from}
            data-gap={milliseconds}
            title={space.pause(duration(milliseconds / 1000, units))}
            className="bg-page absolute inset-y-1 overflow-hidden text-center"
            style={{ left: percent(from), width: percent(to - from) }}
          >
            ⋯
          </span>
        ))}
      </span>
    </div>
  )
}

const clockAt = (time: number): string => new Date(time).toLocaleTimeString(undefined, { hour12: false })

const percent = (part: number) => `${part * 100}%`

function Bars({ span, scale }: { span: Span; scale: Scale | undefined }) {
  const bar = barOf(span, scale)
  return (
    <span aria-hidden="true" className="relative hidden h-7 overflow-hidden @sm:block">
      {scale?.gaps.map(({ from, to }) => (
        <span
          key={from}
          className="border-line absolute inset-y-0 border-x border-dashed"
          style={{ left: percent(from), width: percent(to - from) }}
        />
      ))}
      {bar !== undefined && (
        <span
          className={`absolute inset-y-[9px] min-w-[3px] rounded-sm ${span.kind === "run" ? "bg-hover" : "bg-edge"} ${bar.open ? "border-accent border-r-2" : ""}`}
          style={{ left: `min(${percent(bar.from)}, 100% - 3px)`, width: percent(bar.to - bar.from) }}
        />
      )}
      {span.phases?.map(({ at, note }, index) => {
        const piece = barOf({ start: at, end: span.phases?.[index + 1]?.at ?? span.end }, scale)
        return piece === undefined ? null : (
          <span
            key={`${at} ${index}`}
            title={note}
            className="border-page bg-edge absolute inset-y-[11px] border-l"
            style={{ left: percent(piece.from), width: percent(piece.to - piece.from) }}
          />
        )
      })}
    </span>
  )
}
