import { emptyChain } from "../chain.ts"
import { change, type Draft, open, report, reportEnded, supply, track } from "../draft.ts"
import type { RunPayload } from "../events/index.ts"
import { filled, picked } from "../given.ts"
import type { Entity, RunEntity, RunOutcome } from "../state.ts"
import { emptyTable } from "../table.ts"
import type { Reducers } from "./index.ts"
import { endRun } from "./run-end.ts"
import { addRun } from "./session.ts"

function firstRun(base: Entity, runId: string): RunEntity {
  return {
    ...base,
    runId,
    phase: "unknown",
    ended: false,
    process: emptyChain(),
    told: emptyTable(),
    messageIds: [],
    steered: [],
    queue: {},
    ephemeral: [],
  }
}

function openRun(draft: Draft): RunEntity | undefined {
  const { runId } = draft.event
  if (runId === undefined) return void report(draft, "missing_id", "It needs runId.")
  const isNew = !draft.state.runs.has(runId)
  const run = open(draft, "runs", runId, (base) => firstRun(base, runId))
  if (isNew) addRun(draft, runId)
  return run
}

/** The run of an event that an ended one has no use for. */
function openActive(draft: Draft): RunEntity | undefined {
  const run = openRun(draft)
  return run?.ended ? void reportEnded(draft, run.runId) : run
}

/** Text, tools and the like may come before their run's first event, or without one. */
export function joinRun(draft: Draft): RunEntity | undefined {
  const { runId } = draft.event
  if (runId === undefined) return undefined
  const known = change(draft, "runs", runId)
  if (known) return known
  const run = open(draft, "runs", runId, (base) => firstRun(base, runId))
  addRun(draft, runId)
  return run
}

const words = ["status", "title", "detail", "reason", "runtimeStatus", "attempt", "nextTryAt"] as const

function describe(run: RunEntity, payload: RunPayload): void {
  Object.assign(run, picked(payload, ...words))
  run.queue = { ...run.queue, ...queueFactsOf(payload) }
}

/** What keeps work from starting at once. */
export const limitNames = [
  "teamParallelBudget",
  "teamActiveCount",
  "teamQueuedCount",
  "providerConcurrencyGroup",
  "providerParallelBudget",
  "queueReason",
  "retryableOverload",
] as const
const queueNames = ["teamPhase", ...limitNames, "queuedTurnCount"] as const

export function queueFactsOf(payload: RunEntity["queue"]): RunEntity["queue"] | undefined {
  return filled(picked(payload, ...queueNames))
}

/** Said by the phase, then by the payload; never by the class alone. */
export function outcomeOf(...said: readonly (string | undefined)[]): RunOutcome {
  for (const word of said) {
    if (word === "completed" || word === "success" || word === "succeeded" || word === "done")
      return "success"
    if (word === "cancelled" || word === "canceled") return "cancelled"
    if (word === "interrupted" || word === "failed") return word
  }
  return said.slice(1).find((word) => word !== undefined) ?? "unknown"
}

export const runReducers: Reducers<"run.started" | "run.status" | "run.finished" | "run.failed"> = {
  "run.started": (draft, payload) => {
    const run = openRun(draft)
    if (!run) return
    describe(run, payload)
    const { phase, timestamp } = draft.event
    if (timestamp !== undefined) run.startedAt ??= timestamp
    if (!run.ended && run.phase === "unknown") run.phase = phase ?? "submitted"
    else if (!run.ended && phase !== undefined) run.phase = phase
  },
  "run.status": (draft, payload) => {
    const run = openActive(draft)
    if (!run) return
    describe(run, payload)
    const { phase } = draft.event
    if (phase !== undefined) run.phase = phase
    track(draft, "status", run.runId, { note: payload.status ?? phase ?? "unknown" })
  },
  "run.finished": (draft, payload) => {
    const run = openActive(draft)
    if (!run) return
    describe(run, payload)
    run.outcome = outcomeOf(draft.event.phase, payload.outcome, payload.status)
    if (payload.bookmark !== undefined) run.bookmark = payload.bookmark
    run.phase = draft.event.phase ?? phaseOf[run.outcome] ?? "unknown"
    endRun(draft, run)
  },
  "run.failed": (draft, payload) => {
    const run = openActive(draft)
    if (!run) return
    describe(run, payload)
    run.outcome = "failed"
    run.phase = "failed"
    run.failure = {}
    supply(run.failure, payload, [...words, ...queueNames])
    track(draft, "error", run.runId)
    endRun(draft, run)
  },
}
const phaseOf: Readonly<Record<string, string | undefined>> = {
  success: "completed",
  cancelled: "cancelled",
  interrupted: "interrupted",
  failed: "failed",
}
