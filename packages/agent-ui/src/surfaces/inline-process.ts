import type { AgentUiState, ProcessEntry, RunEntity, ToolEntity } from "../state.ts"
import { lookUp } from "../table.ts"
import type { RunState } from "../words.ts"
import { kept } from "./memo.ts"
import { costByRun, runLasted, tokensByRun } from "./meter.ts"
import { aim } from "./offer.ts"
import { type ProcessRow, placesOf, processReads, processRowOf, reasoningParts } from "./process-row.ts"
import { runState, waitingFor } from "./runtime-status.ts"
import { assemble, runOf } from "./standing.ts"
import type { Known, Mark, Surface, View, ViewScope } from "./view.ts"
import { given, picked } from "./who.ts"

/** A run that ended, in one line; every line of it can be opened again. */
export type RunSummary = {
  runId: string
  turnId?: string
  status: RunState
  outcome?: string
  entries: number
  counts: Partial<Record<ProcessEntry["kind"], number>>
  failed: number
  durationMs: Known<number>
  files: readonly string[]
  messageIds: readonly string[]
  refs: readonly string[]
  cost?: number
  currency?: string
  tokens?: { input: number; output: number }
  /** Why it ended as it did, in the runtime's words. */
  reason?: string
  failure?: NonNullable<RunEntity["failure"]>
  startedAt?: string
  endedAt?: string
  /** Its lines, once a reader asks for them. */
  rows?: readonly ProcessRow[]
  /** Lines before those that are shown, where there are any. */
  earlier?: number
  /** Where a person spoke into it: those words and its texts, in their order. They stand whether its lines are open or not. */
  spoken?: readonly ProcessRow[]
}
export type InlineProcessView = View & {
  runId?: string
  turnId?: string
  status: RunState
  /** The active run's lines, in the order of the runtime's events. */
  rows: readonly ProcessRow[]
  /** Lines before those that are shown. */
  earlier: number
  startedAt?: string
  archived: readonly RunSummary[]
}

const rowsShown = 400
const runsShown = 50

export const inlineProcess: Surface<InlineProcessView> = {
  reads: [...processReads, "metrics"],
  inputs: reasoningParts,
  timed: true,
  select(state, scope, ports) {
    const newest = runOf(state, scope)
    const run = newest && !newest.ended ? newest : undefined
    const rowsOf = (of: RunEntity) =>
      placesOf(of, rowsShown).flatMap((place) => processRowOf(state, of, place, ports, scope.now) ?? [])
    const rows = run ? rowsOf(run) : []
    const archived = endedRuns(state, scope).map((ended) => {
      const summary = summaryOf(state, ended)
      const open = state.local.expanded.get(ended.runId) === "inline"
      if (open) return { ...summary, rows: rowsOf(ended), ...given({ earlier: before(ended) || undefined }) }
      return ended.steered.length > 0 ? { ...summary, spoken: rowsOf(ended).filter(isSpoken) } : summary
    })
    const status = run ? runState(run) : "idle"
    return assemble(
      "inline_process",
      { state, scope, ports },
      {
        has: run !== undefined,
        marks: run ? marksOf(state, run, status, rows) : [],
        aims: {
          interrupt: aim(run !== undefined),
          open_detail: aim(rows.length + archived.length > 0, "session.read"),
        },
      },
      {
        status,
        rows,
        earlier: run ? before(run) : 0,
        archived,
        ...given({ runId: run?.runId, turnId: run?.origin.turnId, startedAt: run?.startedAt }),
      },
    )
  },
}

const before = ({ process }: RunEntity) => Math.max(0, process.length - rowsShown)
const isSpoken = ({ kind }: ProcessRow) => kind === "steer" || kind === "text"

function marksOf(state: AgentUiState, run: RunEntity, status: RunState, rows: readonly ProcessRow[]): Mark[] {
  const unknown = rows.filter((row) => row.state !== "stale" && row.state !== "unavailable")
  return status === "blocked" ? [waitingFor(state, run), ...unknown] : unknown
}

/** The newest, or the one that the scope names, however long ago it was. */
function endedRuns(state: AgentUiState, { sessionId, runId }: ViewScope): RunEntity[] {
  const ids = lookUp(state.sessions, sessionId)?.runIds
  const recent = runId === undefined ? (ids?.slice(-runsShown) ?? []) : [runId]
  return recent.flatMap((id) => state.runs.get(id) ?? []).filter(({ ended }) => ended)
}

/** A summary, made anew only when the run, one of its calls or its cost changed. */
export function summaryOf(state: AgentUiState, run: RunEntity): RunSummary {
  const calls = toolIds(run).map((id) => state.tools.get(id))
  const { cost, currency } = costByRun(state.metrics).get(run.runId) ?? {}
  return summary(run, cost, currency, tokensByRun(state.metrics).get(run.runId), ...calls)
}

const toolIds = kept((run: RunEntity) =>
  [...run.process].filter(({ kind }) => kind === "tool").map(({ id }) => id),
)

const summary = kept(
  (
    run: RunEntity,
    cost: number | undefined,
    currency: string | undefined,
    tokens: RunSummary["tokens"],
    ...calls: readonly (ToolEntity | undefined)[]
  ): RunSummary => {
    const counts: Partial<Record<ProcessEntry["kind"], number>> = {}
    const shown = [...run.process].filter(
      ({ kind }) => kind !== "status" && kind !== "text" && kind !== "steer",
    )
    for (const { kind } of shown) counts[kind] = (counts[kind] ?? 0) + 1
    return {
      ...picked(run, "runId", "outcome", "startedAt", "endedAt", "messageIds", "reason", "failure"),
      status: runState(run),
      entries: shown.length,
      counts,
      failed: calls.filter((call) => call?.status === "output-error").length,
      durationMs: runLasted(run),
      files: [...new Set(calls.flatMap((call) => call?.files.map(({ path }) => path) ?? []))],
      refs: [...new Set(calls.flatMap((call) => call?.outputRefs ?? []))],
      ...given({ turnId: run.origin.turnId, cost, currency, tokens }),
    }
  },
)
