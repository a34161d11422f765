import { isTime, type Span } from "@factum/agent-ui"

/** A piece of a bar, as parts of the whole width from 0 to 1. */
export type Bar = { from: number; to: number; open: boolean }
/** A stretch of time in which something ran, and where it lies. */
type Stretch = { start: number; end: number; from: number; to: number }
export type Gap = { from: number; to: number; milliseconds: number }
export type Tick = { at: number; time: number; first: boolean }
/** One scale for all turns: time runs evenly while something happens, and what lies between is folded. */
export type Scale = { stretches: readonly Stretch[]; gaps: readonly Gap[]; ticks: readonly Tick[] }

/** A pause is folded when it is longer than this, and than this part of all that ran. */
const leastPause = 1000
const leastPart = 0.1
/** All folds together take no more than this part of the width. */
const mostFolded = 0.3
const foldWidth = 0.04
const ticksWanted = 4
/** Labels that would stand closer than this are left out. */
const labelWidth = 0.24

export function scaleOf(spans: readonly Span[]): Scale | undefined {
  const known = spans.flatMap(({ start, end }) => timesOf(start, end))
  if (known.length === 0) return undefined
  const last = Math.max(...known.map(({ end }) => end))
  const busy = merged(known, 0)
  const ran = lengthOf(busy) || 1
  const stretches = merged(busy, Math.max(leastPause, ran * leastPart))
  const fold = Math.min(foldWidth, mostFolded / Math.max(1, stretches.length - 1))
  const shown = lengthOf(stretches) || 1
  const room = 1 - fold * (stretches.length - 1)
  let from = 0
  const placed = stretches.map(({ start, end }) => {
    const to = from + ((end - start) / shown) * room
    const stretch = { start, end, from, to }
    from = to + fold
    return stretch
  })
  // Of a single moment there is no length to share out.
  const whole = placed.map((one) => (one.end === last ? { ...one, to: 1 } : one))
  const gaps = whole.slice(1).map((next, at) => {
    const before = whole[at] ?? next
    return { from: before.to, to: next.from, milliseconds: next.start - before.end }
  })
  return { stretches: whole, gaps, ticks: ticksOf(whole, shown) }
}

function timesOf(start: string, end: string): { start: number; end: number }[] {
  if (!isTime(start)) return []
  const from = Date.parse(start)
  const to = isTime(end) ? Date.parse(end) : from
  return Number.isNaN(from) || Number.isNaN(to) ? [] : [{ start: from, end: Math.max(from, to) }]
}

function merged(times: readonly { start: number; end: number }[], pause: number) {
  const all: { start: number; end: number }[] = []
  for (const { start, end } of times.toSorted((a, b) => a.start - b.start)) {
    const before = all.at(-1)
    if (before !== undefined && start <= before.end + pause) before.end = Math.max(before.end, end)
    else all.push({ start, end })
  }
  return all
}

const lengthOf = (times: readonly { start: number; end: number }[]): number =>
  times.reduce((sum, { start, end }) => sum + end - start, 0)

/** Steps that people count in, in milliseconds. */
const steps = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200].map((seconds) => seconds * 1000),
]

function ticksOf(stretches: readonly Stretch[], shown: number): Tick[] {
  const step = steps.find((nice) => nice >= shown / ticksWanted) ?? shown
  const ticks: Tick[] = []
  for (const { start, end, from, to } of stretches) {
    for (let time = start; time <= end; time += step) {
      const at = end === start ? from : from + ((time - start) / (end - start)) * (to - from)
      const before = ticks.at(-1)
      if (before === undefined || at - before.at >= labelWidth)
        ticks.push({ at, time, first: time === start })
    }
  }
  return ticks
}

/** Where a moment lies; one between two stretches lies in their fold. */
export function placeOf({ stretches }: Scale, time: number): number {
  const at = stretches.findIndex(({ end }) => time <= end)
  const stretch = stretches[at]
  if (stretch === undefined) return 1
  if (time < stretch.start) return stretches[at - 1]?.to ?? stretch.from
  const { start, end, from, to } = stretch
  return end === start ? from : from + ((time - start) / (end - start)) * (to - from)
}

export function barOf(
  { start, end }: Pick<Span, "start" | "end">,
  scale: Scale | undefined,
): Bar | undefined {
  if (scale === undefined || !isTime(start)) return undefined
  const from = placeOf(scale, Date.parse(start))
  const to = isTime(end) ? placeOf(scale, Date.parse(end)) : 1
  return { from, to: Math.max(from, to), open: !isTime(end) }
}

export function secondsOf({ start, end }: Span): number | undefined {
  if (!isTime(start) || !isTime(end)) return undefined
  return (Date.parse(end) - Date.parse(start)) / 1000
}
