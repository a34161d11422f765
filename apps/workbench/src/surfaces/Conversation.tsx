import type {
  Boundary,
  ConversationView,
  HitlView,
  InlineProcessView,
  RuntimeStatusView,
} from "@factum/agent-ui"
import type { Pending } from "@factum/client"
import { useVirtualizer } from "@tanstack/react-virtual"
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react"
import { useWords } from "../i18n/words.ts"
import { Button } from "../ui/Button.tsx"
import { Notice } from "../ui/Fallback.tsx"
import { Guard } from "../ui/Guard.tsx"
import { BoundaryLine } from "./Boundary.tsx"
import { ActionEntry } from "./Hitl.tsx"
import type { SurfaceProps } from "./props.ts"
import { Turn } from "./Turn.tsx"
import { type TurnItem, turnsOf } from "./turns.ts"
import { Unsent } from "./Unsent.tsx"

const near = 48

type Props = SurfaceProps<ConversationView> & {
  process: InlineProcessView
  status: RuntimeStatusView
  hitl: HitlView
  pending: readonly Pending[]
  /** What stands here when nothing was said yet. */
  empty: ReactNode
  /** The message or turn that the address names, and the address of any other. */
  named?: string | undefined
  linkTo?: ((at: string) => string) | undefined
  onEarlier: () => Promise<unknown>
  onResend: (turnId: string) => void
  onEdit: (pending: Pending) => void
  onDiscard: (turnId: string) => void
}
/** How long what was loaded may take to be measured. */
const settledMs = 300

type Row =
  | { kind: "turn"; key: string; turn: TurnItem }
  | { kind: "boundary"; key: string; boundary: Boundary }
  | { kind: "asked"; key: string; card: HitlView["pending"][number] }
  | { kind: "unsent"; key: string; pending: Pending }

export function Conversation(props: Props) {
  const { view, process, status, hitl, pending, onIntent } = props
  const words = useWords()
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useMemo(() => rowsOf(view, process, hitl, pending), [view, process, hitl, pending])
  const { left, fresh, latest, atBottom } = useBottom(scroller, blocksIn(view, process), rows.length > 0)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (at) => rows[at]?.key ?? at,
    estimateSize: () => 160,
    overscan: 3,
    anchorTo: "end",
    followOnAppend: false,
    paddingEnd: 24,
    // What a person fills in must not be lost when it scrolls away.
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) => {
      const from = Math.max(0, startIndex - overscan)
      const to = Math.min(count - 1, endIndex + overscan)
      const shown = Array.from({ length: to - from + 1 }, (_, at) => from + at)
      const open = rows.flatMap((row, at) => (holdsForm(row, process) && (at < from || at > to) ? [at] : []))
      return [...shown, ...open].sort((a, b) => a - b)
    },
  })
  const size = virtual.getTotalSize()
  // What a frame adds must not be below the edge first.
  useLayoutEffect(() => {
    const element = scroller.current
    // The first page is read from its top; only what was said has an end to follow.
    if (element !== null && rows.length > 0 && atBottom.current && size >= 0)
      element.scrollTop = element.scrollHeight
  }, [size, rows, atBottom])

  // Older messages may complete the turn at the top, which then grows: what stands below it keeps its place.
  const held = useRef<{ key: string; top: number; rows: readonly Row[] }>(undefined)
  const above = (key: string): number | undefined => {
    const start = virtual.measurementsCache[rows.findIndex((row) => row.key === key)]?.start
    return start === undefined ? undefined : start - (scroller.current?.scrollTop ?? 0)
  }
  useLayoutEffect(() => {
    const { current: hold } = held
    const top = hold && above(hold.key)
    if (hold === undefined || top === undefined) return
    // Until something came, it is the reader who moves the page.
    if (hold.rows === rows) hold.top = top
    else if (scroller.current !== null && Math.abs(top - hold.top) >= 1)
      scroller.current.scrollTop += top - hold.top
  })
  const onEarlier = async () => {
    const key = rows[1]?.key
    const top = key === undefined ? undefined : above(key)
    if (key !== undefined && top !== undefined) held.current = { key, top, rows }
    await props.onEarlier()
    // Rows are measured when they are drawn; from then on the reader moves the page.
    setTimeout(() => {
      held.current = undefined
    }, settledMs)
  }

  const place = props.named === undefined ? -1 : rows.findIndex((row) => holds(row, props.named))
  const shown = useRef<string>(undefined)
  // An address leads to its place once; from there the reader goes on.
  useLayoutEffect(() => {
    if (place < 0 || shown.current === props.named) return
    shown.current = props.named
    atBottom.current = false
    virtual.scrollToIndex(place, { align: "start" })
  }, [place, props.named, atBottom, virtual])

  const onWaiting = () => {
    const at = rows.findIndex((row) => holdsForm(row, process))
    if (at >= 0) virtual.scrollToIndex(at, { align: "center" })
    focusCard(hitl.pending[0]?.actionId)
  }
  const newest = rows.findLast(({ kind }) => kind === "turn")?.key
  const standing = view.state === "stale" || view.state === "blocked" || view.state === "unavailable"
  return (
    <div
      className="relative flex min-h-0 flex-1 flex-col"
      data-surface="conversation"
      data-state={view.state}
    >
      {standing && view.state !== "stale" && (
        <Notice state={view.state === "blocked" ? "blocked" : "unavailable"}>
          {view.said ?? (view.reason && words.catalog.reason[view.reason])}
        </Notice>
      )}
      <section
        ref={scroller}
        aria-label={words.catalog.surface.conversation}
        aria-busy={view.state === "loading"}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        tabIndex={0}
        className="thin-scroll min-h-0 flex-1 overflow-y-auto px-4 focus-visible:outline-offset-[-2px] max-sm:px-3"
      >
        <div className="mx-auto max-w-3xl">
          {/* Its place stays when it goes, so that nothing below it moves. */}
          <div className="h-9 pt-1">{view.earlier === "unloaded" && <Earlier onEarlier={onEarlier} />}</div>
          {view.state === "loading" && rows.length === 0 && (
            <p className="meta pt-6" data-fallback="loading" role="status">
              {words.talk.loading}
            </p>
          )}
          {rows.length === 0 && view.state !== "loading" && props.empty}
          <div className="relative" style={{ height: size }}>
            {virtual.getVirtualItems().map(({ index, key, start }) => {
              const row = rows[index]
              return (
                row !== undefined && (
                  <div
                    key={key}
                    ref={virtual.measureElement}
                    data-index={index}
                    className="absolute inset-x-0 top-0"
                    style={{ transform: `translateY(${start}px)` }}
                  >
                    <Guard name={words.talk.entry}>
                      {row.kind === "turn" ? (
                        <Turn
                          turn={row.turn}
                          status={row.turn.live ? status : undefined}
                          waiting={row.turn.live ? hitl.count : 0}
                          isLast={row.key === newest}
                          named={holds(row, props.named) ? props.named : undefined}
                          linkTo={props.linkTo}
                          onIntent={onIntent}
                        />
                      ) : row.kind === "boundary" ? (
                        <BoundaryLine
                          id={row.boundary.boundaryId}
                          state={row.boundary.state}
                          summary={row.boundary.summary}
                        />
                      ) : row.kind === "asked" ? (
                        <ActionEntry card={row.card} onIntent={onIntent} />
                      ) : (
                        <Unsent
                          pending={row.pending}
                          onResend={props.onResend}
                          onEdit={props.onEdit}
                          onDiscard={props.onDiscard}
                        />
                      )}
                    </Guard>
                  </div>
                )
              )
            })}
          </div>
        </div>
      </section>
      {left && (
        <div className="my-2 flex justify-center gap-2">
          {hitl.count > 0 && (
            <Button look="primary" className="px-4" onClick={onWaiting}>
              {words.talk.waitingForYou(hitl.count)}
            </Button>
          )}
          <Button look={hitl.count > 0 ? "plain" : "primary"} className="px-4" onClick={latest}>
            <span aria-hidden="true">↓ </span>
            {fresh > 0 ? words.talk.fresh(fresh) : words.talk.latest}
          </Button>
        </div>
      )}
    </div>
  )
}

function Earlier({ onEarlier }: { onEarlier: () => Promise<unknown> }) {
  const words = useWords()
  const [busy, setBusy] = useState(false)
  const load = async () => {
    setBusy(true)
    await onEarlier()
    setBusy(false)
  }
  return (
    <Button look="bare" disabled={busy} onClick={() => void load()}>
      {words.talk.earlier}
    </Button>
  )
}

/** Brings a card into sight and gives it the keyboard. */
export function focusCard(actionId: string | undefined): void {
  const find = () => document.querySelector<HTMLElement>(`[data-action="${actionId}"][data-open]`)
  const card = find()
  card?.scrollIntoView({ block: "center" })
  card?.focus({ preventScroll: true })
}

/** Follows the end until the reader goes up, and counts what came since. */
function useBottom(scroller: React.RefObject<HTMLDivElement | null>, blocks: number, hasRows: boolean) {
  const atBottom = useRef(true)
  const known = useRef(blocks)
  known.current = blocks
  /** How many blocks there were when the reader left the end. */
  const [from, setFrom] = useState<number>()
  useEffect(() => {
    const element = scroller.current
    if (element === null || !hasRows) return
    let top = element.scrollTop
    const onScroll = () => {
      const gap = element.scrollHeight - element.scrollTop - element.clientHeight
      const wentUp = element.scrollTop < top - 1
      top = element.scrollTop
      // Text that grows moves the end away too; only going up leaves it.
      const isAt = gap < near || (atBottom.current && !wentUp)
      if (isAt === atBottom.current) return
      atBottom.current = isAt
      setFrom(isAt ? undefined : known.current)
    }
    const stay = () => {
      if (atBottom.current) element.scrollTop = element.scrollHeight
    }
    const sizes = new ResizeObserver(stay)
    sizes.observe(element)
    element.addEventListener("scroll", onScroll, { passive: true })
    return () => {
      sizes.disconnect()
      element.removeEventListener("scroll", onScroll)
      // What comes next begins at its end, unless an address leads elsewhere.
      atBottom.current = true
    }
  }, [scroller, hasRows])
  const latest = useCallback(() => {
    atBottom.current = true
    setFrom(undefined)
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight })
  }, [scroller])
  return {
    left: from !== undefined,
    fresh: from === undefined ? 0 : Math.max(0, blocks - from),
    latest,
    atBottom,
  }
}

/** Turns, then questions that no turn here asked, then what the host does not have yet. */
function rowsOf(
  view: ConversationView,
  process: InlineProcessView,
  hitl: HitlView,
  pending: readonly Pending[],
): Row[] {
  const turns = turnsOf(view, process)
  const shown = new Set(turns.flatMap(({ pieces }) => pieces.flatMap(actionsIn)))
  const known = new Set(view.messages.flatMap(({ clientId }) => clientId ?? []))
  const unsent = pending
    .filter(({ turn_id, behind }) => !behind && !known.has(turn_id))
    .map((one): Row => ({ kind: "unsent", key: one.turn_id, pending: one }))
  const boundaries = view.boundaries.map(
    (boundary): Row => ({ kind: "boundary", key: boundary.boundaryId, boundary }),
  )
  const said = turns.map((turn): Row => ({ kind: "turn", key: turn.key, turn }))
  return [
    ...[...said, ...boundaries, ...unsent].toSorted(byTime),
    ...hitl.pending
      .filter(({ actionId }) => !shown.has(actionId))
      .map((card): Row => ({ kind: "asked", key: card.actionId, card })),
  ]
}

/** What waited in a queue stands where it began, and a refused message where it was sent; one on its way is last. */
function byTime(a: Row, b: Row): number {
  const [left, right] = [timeOf(a), timeOf(b)]
  return left === right ? 0 : left < right ? -1 : 1
}
const last = "~"
/** What runs is the newest there is, whatever a clock says. */
const running = "}"
function timeOf(row: Row): string {
  if (row.kind === "unsent") return row.pending.refusal === undefined ? last : row.pending.sent_at
  if (row.kind === "boundary") return row.boundary.at ?? last
  if (row.kind !== "turn") return last
  return row.turn.live ? running : (row.turn.at ?? last)
}

const actionsIn = (piece: TurnItem["pieces"][number]) =>
  piece.kind === "rows" ? piece.rows.flatMap(({ action }) => action?.actionId ?? []) : []

function holds(row: Row, named: string | undefined): boolean {
  if (row.kind !== "turn" || named === undefined) return false
  const { key, asked, answers } = row.turn
  return key === named || [...asked, ...answers].some(({ messageId }) => messageId === named)
}

function holdsForm(row: Row, process: InlineProcessView): boolean {
  if (row.kind !== "turn") return row.kind === "asked"
  return row.turn.live && process.rows.some(({ action }) => action?.status === "pending")
}

/** What a reader would count: messages, parts of text, lines of the process, and that a run ended. */
function blocksIn(view: ConversationView, process: InlineProcessView): number {
  const said = view.messages.reduce((sum, { text }) => sum + 1 + text.length, 0)
  const done = process.archived.reduce((sum, { entries }) => sum + entries + 1, 0)
  return said + done + process.rows.filter(({ kind }) => kind !== "status" && kind !== "text").length
}
