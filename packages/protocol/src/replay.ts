import { declarationRef, wasText } from "./call.ts"
import { sha256 } from "./hash.ts"
import type { HistoryEntry, Telling, TellingReason, ToldTurn } from "./history.ts"
import type { Artifact } from "./observation.ts"
import { toldActions } from "./record.ts"
import type { RunRecord } from "./run.ts"
import { boundaryOf, isTold, withContinued } from "./transcript.ts"

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

/**
 * The epoch of a history: it moves once in `every` entries, and to each revision. Who revises throws a plan away, and
 * is told no more of it from the next request on.
 */
export function epochOf(history: readonly HistoryEntry[], every: number): number {
  const revised = history.findLastIndex(
    (entry) => entry.kind === "run" && entry.run.declaration.intent === "revise",
  )
  return Math.max(epochAt(history.length, every), revised + 1)
}

/** An epoch that moves once in `every` entries: each step costs one miss of the prompt cache. */
export const epochAt = (entries: number, every: number): number => Math.floor(entries / every) * every

/**
 * Decides how each entry is told. Only the epoch rewrites an earlier turn: what was stale, repaired, revised or went on
 * in the entries before it is told in short. What follows the epoch is told as it was, whatever comes after.
 */
export function replay(history: readonly HistoryEntry[], options: ReplayOptions = {}): readonly ToldTurn[] {
  const chosen = { ...replayDefaults, ...options }
  const settled = history.slice(0, chosen.epoch)
  const latest = latestRuns(settled)
  const known = new Set(settled.flatMap((entry) => (entry.kind === "run" ? [entry.run.run_id] : [])))
  const lastRunBefore = lastRun(settled)
  const from = boundaryOf(history)
  const turns = history.flatMap((source, entry): ToldTurn[] => {
    if (entry < from || !isTold(source)) return []
    const turn = { entry, source, hidden: [] }
    if (source.kind === "refused" && entry < lastRunBefore)
      return [{ ...turn, telling: "line", why: "repaired" }]
    if (source.kind !== "run") return [{ ...turn, telling: "exact" }]
    const replaced = entry < settled.length ? replacedBy(source.run, entry, latest, known) : undefined
    if (replaced !== undefined) return [{ ...turn, ...replaced }]
    const why = shortened(source.run, entry, chosen)
    if (why !== undefined) return [{ ...turn, telling: "summary", why }]
    return [{ ...turn, telling: wasText(source.run.declaration.origin) ? "exact" : "calls" }]
  })
  return withContinued(turns)
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
  known: ReadonlySet<string>,
): { telling: Telling; hidden: readonly string[]; why: TellingReason } | undefined {
  const by = run.superseded_by
  const superseded = by !== undefined && known.has(by)
  const later = latest.get(superseded ? by : run.run_id)
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
