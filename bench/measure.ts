import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** One line of the table: what we measured beside what it is held against in the same run. */
export type Figure = {
  name: string
  value: number
  unit: string
  /** The peer or limit, in the same unit. */
  against: number
  peer: string
  /** value / against. */
  ratio: number
  /** What the ratio must be. */
  target: { at_least: number } | { at_most: number }
  ok: boolean
}

export function figure(
  name: string,
  unit: string,
  value: number,
  peer: string,
  against: number,
  target: Figure["target"],
): Figure {
  const ratio = value / against
  const ok = "at_least" in target ? ratio >= target.at_least : ratio <= target.at_most
  return { name, value, unit, against, peer, ratio, target, ok }
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

export function quantile(values: readonly number[], at: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? Number.NaN
}

export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Runs both by turns, so that a busy moment of the machine meets both; gives the medians of the rates. */
export async function sideBySide(
  rounds: number,
  count: number,
  peer: () => unknown,
  ours: () => unknown,
): Promise<{ peer: number; ours: number; ratio: number }> {
  const pairs: { peer: number; ours: number }[] = []
  for (let round = 0; round < rounds + 1; round++) {
    const pair = { peer: count / (await timed(peer)), ours: count / (await timed(ours)) }
    // The first round warms up.
    if (round > 0) pairs.push(pair)
  }
  const ratio = median(pairs.map((pair) => pair.ours / pair.peer))
  const against = median(pairs.map((pair) => pair.peer))
  return { peer: against * 1000, ours: against * ratio * 1000, ratio }
}

export async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "factum-bench-"))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
