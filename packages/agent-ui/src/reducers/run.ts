import { emptyChain } from "../chain.ts"
import { change, type Draft, open, report, supply, track } from "../draft.ts"
import type { RunPayload } from "../events/index.ts"
import type { Entity, RunEntity, RunOutcome } from "../state.ts"
import { emptyTable } from "../table.ts"
import type { Reducers } from "./index.ts"
import { endRun } from "./run-end.ts"
import { addRun } from "./session.ts"

/** The run of an event: a turn stands for it where the source has no runs. */
export const runIdOf = ({ event }: Draft): string | undefined => event.runId ?? event.turnId

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
  const runId = runIdOf(draft)
  if (runId === undefined) return void report(draft, "missing_id", "It needs runId.")
  const isNew = !draft.state.runs.has(runId)
  const run = open(draft, "runs", runId, (base) => firstRun(base, runId))
  if (isNew) addRun(draft, runId)
  return run
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
  for (const name of words) if (payload[name] !== undefined) Object.assign(run, { [name]: payload[name] })
  const facts = queueFactsOf(payload)
  if (facts) run.queue = { ...run.queue, ...facts }
}

const queueNames = [
  "teamPhase",
  "teamParallelBudget",
  "teamActiveCount",
  "teamQueuedCount",
  "providerConcurrencyGroup",
  "providerParallelBudget",
  "queueReason",
  "retryableOverload",
  "queuedTurnCount",
] as const

export function queueFactsOf(payload: RunEntity["queue"]): RunEntity["queue"] | undefined {
  const named = queueNames.filter((name) => payload[name] !== undefined)
  return named.length > 0 ? Object.fromEntries(named.map((name) => [name, payload[name]])) : undefined
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
    const run = openRun(draft)
    if (!run) return
    if (run.ended) return report(draft, "late_terminal", "It had ended before.", run.runId)
    describe(run, payload)
    const { phase } = draft.event
    if (phase !== undefined) run.phase = phase
    track(draft, "status", run.runId, { note: payload.status ?? phase ?? "unknown" })
  },
  "run.finished": (draft, payload) => {
    const run = openRun(draft)
    if (!run) return
    if (run.ended) return report(draft, "late_terminal", "It had ended before.", run.runId)
    describe(run, payload)
    run.outcome = outcomeOf(draft.event.phase, payload.outcome, payload.status)
    if (payload.bookmark !== undefined) run.bookmark = payload.bookmark
    run.phase = draft.event.phase ?? phaseOf[run.outcome] ?? "unknown"
    endRun(draft, run)
  },
  "run.failed": (draft, payload) => {
    const run = openRun(draft)
    if (!run) return
    if (run.ended) return report(draft, "late_terminal", "It had ended before.", run.runId)
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
