import type { Span } from "@factum/agent-ui"
import { describe, expect, test } from "vitest"
import { barOf, scaleOf } from "../src/surfaces/timeline/scale.ts"

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString()
const span = (start: number, end?: number): Span => ({
  key: `${start}`,
  kind: "run",
  id: `${start}`,
  runId: `${start}`,
  depth: 0,
  state: "ready",
  label: "",
  status: "done",
  start: at(start),
  end: end === undefined ? "unknown" : at(end),
  search: "",
  expanded: false,
})

describe("one scale for all turns", () => {
  test("a turn twice as long has a bar twice as long, wherever it lies", () => {
    const [short, long] = [span(0, 2), span(600, 604)]
    const scale = scaleOf([short, long])
    const [a, b] = [barOf(short, scale), barOf(long, scale)]
    expect(((b?.to ?? 0) - (b?.from ?? 0)) / ((a?.to ?? 0) - (a?.from ?? 0))).toBeCloseTo(2)
    expect([a?.from, b?.to]).toEqual([0, 1])
  })

  test("a long pause is folded and told, a short one keeps its length", () => {
    expect(scaleOf([span(0, 2), span(600, 604)])?.gaps).toMatchObject([{ milliseconds: 598_000 }])
    expect(scaleOf([span(0, 10), span(10.5, 20)])?.gaps).toEqual([])
  })

  test("what lies in a turn lies under its bar, in order", () => {
    const turn = span(600, 610)
    const scale = scaleOf([span(0, 5), turn, span(602, 604), span(604, 604)])
    const [outer, inner, point] = [turn, span(602, 604), span(604, 604)].map((one) => barOf(one, scale))
    expect(inner?.from).toBeGreaterThan(outer?.from ?? 1)
    expect(inner?.to).toBeLessThan(outer?.to ?? 0)
    expect(point?.from).toBe(inner?.to)
  })

  test("what still runs is open to the end, and what nobody timed has no bar", () => {
    const scale = scaleOf([span(0, 5), span(3)])
    expect(barOf(span(3), scale)).toMatchObject({ to: 1, open: true })
    expect(barOf({ ...span(0), start: "unknown" }, scale)).toBeUndefined()
    expect(scaleOf([{ ...span(0), start: "unknown" }])).toBeUndefined()
  })

  test("ticks keep their distance, and many folds leave room", () => {
    const scale = scaleOf(Array.from({ length: 40 }, (_, n) => span(n * 600, n * 600 + 3)))
    const places = scale?.ticks.map((tick) => tick.at) ?? []
    expect(places.length).toBeGreaterThan(2)
    for (const [n, place] of places.entries())
      if (n > 0) expect(place - (places[n - 1] ?? 0)).toBeGreaterThan(0.12)
    const folded = scale?.gaps.reduce((sum, { from, to }) => sum + to - from, 0)
    expect(folded).toBeLessThanOrEqual(0.301)
  })
})
