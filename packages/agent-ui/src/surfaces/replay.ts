import type { Span } from "./timeline-evidence.ts"

/** How a span stood at a moment: not begun, under way, or over. One whose times were not told was always there. */
export type Standing = "later" | "open" | "over"

/** The moments at which something began or ended, oldest first, each once. */
export function momentsOf(spans: readonly Span[]): string[] {
  const moments = new Set<string>()
  for (const { start, end } of spans) {
    if (isTime(start)) moments.add(start)
    if (isTime(end)) moments.add(end)
  }
  return [...moments].sort()
}

export function standAt({ start, end }: Span, moment: string): Standing {
  if (isTime(start) && start > moment) return "later"
  if (isTime(end)) return end > moment ? "open" : "over"
  return isTime(start) ? "open" : "over"
}

export const isTime = (time: string): boolean => time !== "unknown" && time !== "unavailable"
