import type { FileChange } from "../events/index.ts"
import type { AvailablePorts } from "../ports.ts"
import type { AgentUiState, EvidenceEntity, ProcessEntry, RunEntity } from "../state.ts"
import { lookUp } from "../table.ts"
import { surfaceControls } from "../taxonomy.ts"
import { askedOf, titleOfRun } from "./asked-of.ts"
import { type RunSummary, summaryOf } from "./inline-process.ts"
import { kept } from "./memo.ts"
import { aim, offer } from "./offer.ts"
import { type ProcessRow, placesOf, processReads, processRowOf, reasoningParts } from "./process-row.ts"
import { runState } from "./runtime-status.ts"
import { assemble, inScope, ready } from "./standing.ts"
import {
  type ControlView,
  type Known,
  known,
  type Mark,
  type Surface,
  type View,
  type ViewScope,
} from "./view.ts"
import { type Doer, doerOf, given, picked, type Who, whoIs, whoOf } from "./who.ts"

/** A bar of the waterfall. */
export type Span = Mark & {
  key: string
  kind: "run" | ProcessEntry["kind"]
  id: string
  runId: string
  depth: number
  label: string
  status: string
  start: Known<string>
  end: Known<string>
  who?: Who
  /** Of the fact that began it. */
  sequence?: number
  /** Of a run: what its runtime said that it was doing, and since when. */
  phases?: readonly { at: string; note: string }[]
  /** What a search looks in. */
  search: string
  expanded: boolean
  row?: ProcessRow
}
export type EvidenceRow = Mark & {
  evidenceId: string
  kind: string
  title?: string
  verdict: Known<string>
  target?: { kind: string; id: string; version?: string }
  ref?: string
  sourceRef?: string
  digest?: string
  notes: readonly string[]
  missing: readonly string[]
  who?: Who
  at?: string
  controls: readonly ControlView[]
}
export type TimelineEvidenceView = View & {
  spans: readonly Span[]
  runs: readonly RunSummary[]
  evidence: readonly EvidenceRow[]
  files: readonly (FileChange & { toolCallId: string; runId: string; who?: Who })[]
  /** Runs before those that are shown, and after them. */
  earlierRuns: number
  laterRuns: number
}

/** Unless the scope's window says which ones, counted from the oldest known run. */
const runsShown = 20
/** Lines of all runs together, the newest of them. */
const linesShown = 400

function shownRuns(state: AgentUiState, { sessionId, window }: ViewScope) {
  const all = lookUp(state.sessions, sessionId)?.runIds
  const known = all?.length ?? 0
  const from = Math.min(known, Math.max(0, window?.from ?? known - runsShown))
  const ids = all?.slice(from, Math.min(known, window?.to ?? known)) ?? []
  return { ids, earlierRuns: from, laterRuns: known - from - ids.length }
}

export const timelineEvidence: Surface<TimelineEvidenceView> = {
  reads: [...processReads, "metrics"],
  inputs: (state, scope) => [
    ...reasoningParts(state, scope),
    ...shownRuns(state, scope).ids.map((id) => askedOf(state, id)),
  ],
  timed: true,
  select(state, scope, ports) {
    const { ids, earlierRuns, laterRuns } = shownRuns(state, scope)
    const runs = ids.flatMap((id) => state.runs.get(id) ?? [])
    const evidence = inScope(state, state.evidence, scope).map((entity) =>
      evidenceRow(entity, doerOf(state, entity.origin), currentVersion(state, entity), ports),
    )
    const spans = spansOf(state, runs, ports, scope)
    return assemble(
      "timeline_evidence",
      { state, scope, ports },
      {
        has: spans.length + evidence.length > 0,
        marks: evidence,
        aims: {
          export: aim(runs.length > 0 || evidence.length > 0, "evidence.export"),
          request_review: aim(runs.length > 0 || evidence.length > 0),
          open_detail: aim(spans.length + evidence.length > 0, "evidence.read", "session.read"),
        },
      },
      {
        spans,
        runs: runs.map((run) => summaryOf(state, run)),
        evidence,
        files: runs.flatMap((run) => filesOf(state, run)),
        earlierRuns,
        laterRuns,
      },
    )
  },
}

const evidenceRow = kept(
  (entity: EvidenceEntity, doer: Doer, current: string | undefined, ports: AvailablePorts): EvidenceRow => {
    return {
      ...picked(entity, "evidenceId", "title", "target", "ref", "sourceRef", "digest"),
      ...evidenceMark(entity, current),
      kind: entity.kind ?? "unknown",
      verdict: known(entity.verdict),
      notes: entity.notes ?? [],
      missing: entity.missing ?? [],
      ...given({ who: whoIs(doer), at: entity.origin.timestamp }),
      controls: offer(surfaceControls.timeline_evidence, ports, {
        export: aim(true, "evidence.export"),
        request_review: aim(true),
        open_detail: aim(true, "evidence.read"),
      }),
    }
  },
)

/** Kinds that judge: one without a verdict is not known. */
const judging: readonly unknown[] = ["verification", "review", "audit"]

function evidenceMark(
  { kind, verdict, target, ref, sourceRef, missing }: EvidenceEntity,
  current: string | undefined,
): Mark {
  if (missing?.length && ref === undefined && sourceRef === undefined)
    return { state: "unavailable", reason: "ref_unavailable" }
  if (verdict === "refused" || verdict === "blocked") return { state: "blocked", reason: "unknown" }
  if (judging.includes(kind) && verdict === undefined) return { state: "unknown", reason: "verdict_unknown" }
  const old = target?.version !== undefined && current !== undefined && target.version !== current
  return old ? { state: "stale", reason: "older_than_target" } : ready
}

const currentVersion = (state: AgentUiState, { target }: EvidenceEntity) =>
  target?.kind === "artifact" ? state.artifacts.get(target.id)?.currentVersionId : undefined

function spansOf(
  state: AgentUiState,
  runs: readonly RunEntity[],
  ports: AvailablePorts,
  scope: ViewScope,
): Span[] {
  let left = linesShown
  const perRun = runs.toReversed().map((run) => {
    const places = placesOf(run, left)
    left -= places.length
    return [
      runSpan(state, run),
      ...places.flatMap((place) => lineSpan(state, run, place, ports, scope) ?? []),
    ]
  })
  return perRun.reverse().flat()
}

function runSpan(state: AgentUiState, run: RunEntity): Span {
  const status = runState(run)
  // What the runtime called its last step is no name of the whole.
  const label = titleOfRun(state, run.runId) ?? (run.ended ? undefined : run.title) ?? "run"
  const who = whoOf(state, run.origin)
  return {
    key: `run:${run.runId}`,
    kind: "run",
    id: run.runId,
    runId: run.runId,
    depth: 0,
    ...ready,
    label,
    status,
    start: known(run.startedAt),
    end: known(run.endedAt),
    search: searchText(label, status, who, run.runId),
    expanded: state.local.expanded.get(run.runId) === "timeline",
    ...given({ who, sequence: run.process.at(0)?.sequence }),
    phases: phasesOf(run),
  }
}

const phasesOf = kept(({ process }: RunEntity) =>
  [...process].flatMap(({ kind, at, note }) =>
    kind === "status" && at !== undefined && note !== undefined ? [{ at, note }] : [],
  ),
)

function lineSpan(
  state: AgentUiState,
  run: RunEntity,
  place: number,
  ports: AvailablePorts,
  { now }: ViewScope,
): Span | undefined {
  const entry = run.process.at(place)
  if (!entry || entry.kind === "status" || entry.kind === "text") return undefined
  const row = processRowOf(state, run, place, ports, now)
  if (!row) return undefined
  const label = row.title ?? row.note ?? row.who?.agentId ?? entry.kind
  const expanded = (state.local.expanded.get(row.key) ?? state.local.expanded.get(entry.id)) === "timeline"
  const { status, who } = row
  return {
    ...picked(row, "key", "kind", "id", "state", "reason", "said", "status", "who", "sequence"),
    runId: run.runId,
    depth: entry.agentId === undefined ? 1 : 2,
    label,
    start: known(row.tool?.startedAt ?? entry.at),
    end: endOf(state, entry),
    search: searchText(label, status, who, entry.kind, entry.id),
    expanded,
    ...(expanded && { row: { ...row, expanded: true } }),
  }
}

/** A point in time ends when it begins; a call ends when its owner says so. */
function endOf(state: AgentUiState, { kind, id, at }: ProcessEntry): Known<string> {
  if (kind === "tool") return known(state.tools.get(id)?.endedAt)
  if (kind === "action") return known(state.actions.get(id)?.resolution?.at)
  return known(at)
}

const searchText = (label: string, status: string, who: Who | undefined, ...more: readonly string[]) =>
  [label, status, who?.name, who?.role, ...more]
    .filter((word) => word !== undefined)
    .join(" ")
    .toLowerCase()

function filesOf(state: AgentUiState, run: RunEntity): TimelineEvidenceView["files"] {
  return run.process.slice(-linesShown).flatMap(({ kind, id }) => {
    const tool = kind === "tool" ? state.tools.get(id) : undefined
    return (tool?.files ?? []).map((file) => ({
      ...file,
      toolCallId: id,
      runId: run.runId,
      ...given({ who: tool && whoOf(state, tool.origin) }),
    }))
  })
}
