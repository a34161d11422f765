import type { AgentUiState, RunEntity, TaskEntity } from "../state.ts"
import type { Reason, RunState } from "../words.ts"
import { isAsking } from "../words.ts"
import { contextMeter, costMeter, type Meter } from "./meter.ts"
import { aim } from "./offer.ts"
import { assemble, ready, runOf, said } from "./standing.ts"
import type { Mark, Surface, View } from "./view.ts"
import { given, picked, type Who, whoOf } from "./who.ts"

export type RuntimeStatusView = View & {
  status: RunState
  runId?: string
  phase?: string
  /** In the runtime's own words, beside the phase. */
  runtimeStatus?: string
  title?: string
  detail?: string
  /** When the phase was told: a reader works its age out of it. */
  since?: string
  who?: Who
  outcome?: string
  bookmark?: string
  failure?: NonNullable<RunEntity["failure"]>
  attempt?: number
  nextTryAt?: string
  queuedTurnCount?: number
  queue?: RunEntity["queue"]
  cost?: Meter
  context?: Meter
}

const byPhase: Readonly<Record<string, RunState>> = {
  submitted: "submitted",
  accepted: "accepted",
  routing: "routing",
  preparing: "preparing",
  planning: "streaming",
  reasoning: "streaming",
  acting: "streaming",
  producing: "streaming",
  reviewing: "streaming",
  reconciling: "streaming",
  waiting: "blocked",
  completed: "done",
  archived: "done",
  failed: "failed",
  cancelled: "cancelled",
  interrupted: "interrupted",
}
const byOutcome: Readonly<Record<string, RunState>> = {
  success: "done",
  failed: "failed",
  cancelled: "cancelled",
  canceled: "cancelled",
  interrupted: "interrupted",
}

export const runtimeStatus: Surface<RuntimeStatusView> = {
  reads: ["runs", "agents", "actions", "contexts", "metrics", "tasks"],
  select(state, scope, ports) {
    const run = runOf(state, scope)
    const status = run ? runState(run) : "idle"
    const active = run !== undefined && !run.ended
    const retry = run?.outcome === "failed" && run.failure?.retryable === true
    return assemble(
      "runtime_status",
      { state, scope, ports },
      {
        has: run !== undefined,
        marks: run ? [markOf(state, run, status)] : [],
        aims: { interrupt: aim(active), retry: aim(retry, "runtime.retry") },
      },
      {
        status,
        ...(run && factsOf(state, run)),
        ...given({ cost: costMeter(state, scope), context: contextMeter(state, scope) }),
      },
    )
  },
}

/** A word for the run, each from its own fact; `retrying` only where the runtime says so. */
export function runState({ phase, ended, outcome, runtimeStatus, status }: RunEntity): RunState {
  if (ended) return byOutcome[outcome ?? "unknown"] ?? "unknown"
  if (runtimeStatus === "retrying" || status === "retrying") return "retrying"
  return byPhase[phase] ?? "unknown"
}

function factsOf(state: AgentUiState, run: RunEntity) {
  const { queue } = run
  return {
    ...picked(run, "runId", "phase", "runtimeStatus", "title", "detail", "outcome", "bookmark", "failure"),
    ...picked(run, "attempt", "nextTryAt"),
    ...given({
      since: run.origin.timestamp,
      who: whoOf(state, run.origin),
      queuedTurnCount: queue.queuedTurnCount,
    }),
    ...(Object.keys(queue).length > 0 && { queue }),
  }
}

function markOf(state: AgentUiState, run: RunEntity, status: RunState): Mark {
  if (status === "blocked") return waitingFor(state, run)
  if (status !== "unknown") return ready
  return { state: "unknown", reason: run.ended ? "outcome_unknown" : "phase_unknown" }
}

/** What a run waits for, from the facts that are open; the runtime's reason goes beside. */
export function waitingFor(state: AgentUiState, run: RunEntity): Mark {
  const reason = cause(state, run)
  return reason ? { state: "blocked", reason, ...given({ said: run.reason }) } : said("blocked", run.reason)
}

function cause(state: AgentUiState, run: RunEntity): Reason | undefined {
  for (const { state: at, origin, actionType } of state.actions.values()) {
    if (origin.runId !== run.runId || !isAsking(at)) continue
    return actionType.includes("permission") || actionType === "tool_approval"
      ? "awaiting_permission"
      : "awaiting_user"
  }
  if (run.queue.queueReason !== undefined || run.queue.retryableOverload) return "awaiting_queue"
  const blocked = (task: TaskEntity) =>
    task.origin.runId === run.runId && !isDone(task) && (task.waitsFor?.length ?? 0) > 0
  if ([...state.tasks.values()].some(blocked)) return "awaiting_dependency"
  const mine = [...state.agents.values()].some(({ origin, ended }) => origin.runId === run.runId && !ended)
  return mine ? "awaiting_teammate" : undefined
}

const isDone = ({ status }: TaskEntity) => status === "done" || status === "completed"
