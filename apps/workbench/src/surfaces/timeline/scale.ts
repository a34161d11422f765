import { isTime, type Span } from "@factum/agent-ui"

/** A piece of a bar, as parts of its run's time from 0 to 1. */
export type Bar = { from: number; to: number; open: boolean }
export type Scale = { start: number; end: number }

/** The time of each run: from its first known moment to its last. Each has a scale of its own, however far apart they lie. */
export function scalesOf(spans: readonly Span[]): ReadonlyMap<string, Scale> {
  const scales = new Map<string, Scale>()
  for (const { runId, start, end } of spans) {
    for (const time of [start, end]) {
      const at = isTime(time) ? Date.parse(time) : Number.NaN
      if (Number.isNaN(at)) continue
      const before = scales.get(runId) ?? { start: at, end: at }
      scales.set(runId, { start: Math.min(before.start, at), end: Math.max(before.end, at) })
    }
  }
  return scales
}

export function barOf(
  { start, end }: Pick<Span, "start" | "end">,
  scale: Scale | undefined,
): Bar | undefined {
  if (scale === undefined || !isTime(start)) return undefined
  const long = scale.end - scale.start || 1
  const from = (Date.parse(start) - scale.start) / long
  const to = isTime(end) ? (Date.parse(end) - scale.start) / long : 1
  return { from, to: Math.max(from, to), open: !isTime(end) }
}

export function secondsOf({ start, end }: Span): number | undefined {
  if (!isTime(start) || !isTime(end)) return undefined
  return (Date.parse(end) - Date.parse(start)) / 1000
}
