import { declarationRef, wasText } from "./call.ts"
import { sha256 } from "./hash.ts"
import type { HistoryEntry, Telling, TellingReason, ToldTurn } from "./history.ts"
import type { Artifact } from "./observation.ts"
import { toldActions } from "./record.ts"
import type { RunRecord } from "./run.ts"
import { boundaryOf, isTold } from "./transcript.ts"

export const replayModes = ["full", "compressed", "hybrid"] as const
export type ReplayMode = (typeof replayModes)[number]

export type ReplayOptions = {
  mode?: ReplayMode
  /** A declaration of more characters is long, and told by its summary from the start. */
  long_after?: number
  /** A declaration is stale when at the epoch more entries than this had followed it, itself included. */
  stale_after?: number
  /**
   * How many entries there were when old turns were last compressed. Age is measured there and not at the end, so that
   * a new turn leaves the bytes before it alone until the epoch is moved on purpose.
   */
  epoch?: number
}

export const replayDefaults = { mode: "hybrid", long_after: 4000, stale_after: 8, epoch: 0 } as const

/** An epoch that moves once in `every` entries: each step costs one miss of the prompt cache. */
export const epochAt = (entries: number, every: number): number => Math.floor(entries / every) * every

/**
 * Decides how each entry is told. Beside the epoch only one thing rewrites an earlier turn: a later turn that revises
 * or continues the same run, because what it replaced would mislead.
 */
export function replay(history: readonly HistoryEntry[], options: ReplayOptions = {}): readonly ToldTurn[] {
  const chosen = { ...replayDefaults, ...options }
  const latest = latestRuns(history)
  const lastRunBefore = lastRun(history.slice(0, chosen.epoch))
  const from = boundaryOf(history)
  return history.flatMap((source, entry): ToldTurn[] => {
    if (entry < from || !isTold(source)) return []
    const turn = { entry, source, hidden: [] }
    if (source.kind === "refused" && entry < lastRunBefore)
      return [{ ...turn, telling: "line", why: "repaired" }]
    if (source.kind !== "run") return [{ ...turn, telling: "exact" }]
    const replaced = replacedBy(source.run, entry, latest)
    if (replaced !== undefined) return [{ ...turn, ...replaced }]
    const why = shortened(source.run, entry, chosen)
    if (why !== undefined) return [{ ...turn, telling: "summary", why }]
    return [{ ...turn, telling: wasText(source.run.declaration.origin) ? "exact" : "calls" }]
  })
}

/** The stored declaration that a summary's reference leads to. */
export function declarationArtifact(run: RunRecord): Artifact {
  const text = run.declaration.source
  return {
    ref: declarationRef(run),
    run_id: run.run_id,
    name: "declaration",
    text,
    hash: sha256(text),
    private: false,
    visibility: "future_runs",
  }
}

function shortened(
  run: RunRecord,
  entry: number,
  { mode, long_after, stale_after, epoch }: Required<ReplayOptions>,
): TellingReason | undefined {
  if (mode === "full") return undefined
  if (mode === "compressed") return "compressed"
  if (run.declaration.source.length > long_after) return "long"
  return epoch - entry > stale_after ? "stale" : undefined
}

type Latest = ReadonlyMap<string, { entry: number; run: RunRecord }>

/** Where each run is told as it was last. An expansion that names the run does not tell its state. */
function latestRuns(history: readonly HistoryEntry[]): Latest {
  const latest = new Map<string, { entry: number; run: RunRecord }>()
  for (const [entry, source] of history.entries())
    if (source.kind === "run" && isTold(source) && source.run.graph.actions.length > 0)
      latest.set(source.run.run_id, { entry, run: source.run })
  return latest
}

/** Of a replaced run only those results remain that the later turn does not tell. */
function replacedBy(
  run: RunRecord,
  entry: number,
  latest: Latest,
): { telling: Telling; hidden: readonly string[]; why: TellingReason } | undefined {
  const superseded = run.superseded_by !== undefined
  const later = latest.get(run.superseded_by ?? run.run_id)
  if (!superseded && (later === undefined || later.entry <= entry)) return undefined
  if (!superseded && run.graph.actions.length === 0) return undefined
  const again = new Set(later === undefined ? [] : toldActions(later.run).map(({ id }) => id))
  const told = toldActions(run)
  const hidden = told.filter(({ id, status }) => status !== "completed" || again.has(id)).map(({ id }) => id)
  return {
    telling: hidden.length === told.length ? "line" : "summary",
    hidden,
    why: superseded ? "superseded" : "told_later",
  }
}

function lastRun(history: readonly HistoryEntry[]): number {
  return history.findLastIndex((entry) => entry.kind === "run" && isTold(entry))
}
