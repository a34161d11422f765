import type { Envelope } from "./envelope.ts"
import { actions } from "./events/action.ts"
import { artifacts } from "./events/artifact.ts"
import { channels } from "./events/channel.ts"
import { contexts } from "./events/context.ts"
import { costs, costTotals, quotas, rateLimits } from "./events/cost.ts"
import { evidences } from "./events/evidence.ts"
import { rebuilds, rollbacks } from "./events/history.ts"
import { hookRuns, policies } from "./events/hook.ts"
import { jobItems, jobs } from "./events/job.ts"
import { limits } from "./events/limit.ts"
import { outputs } from "./events/output.ts"
import { evaluations, permissionRequests } from "./events/permission.ts"
import { processes } from "./events/process.ts"
import { queues } from "./events/queue.ts"
import { modelRequests, summaryRequests } from "./events/reasoning.ts"
import { routings } from "./events/routing.ts"
import { runs } from "./events/run.ts"
import { incidents } from "./events/runtime.ts"
import { boundaries } from "./events/sandbox.ts"
import { sessions } from "./events/session.ts"
import { snapshotRecords } from "./events/snapshot.ts"
import { childSpendings, sessionSpendings, turnSpendings, workTimes } from "./events/spending.ts"
import { subagents } from "./events/subagent.ts"
import { tasks } from "./events/task.ts"
import { attempts, delegations, edges } from "./events/task-orchestration.ts"
import { threads } from "./events/thread.ts"
import { catalogs, toolCalls } from "./events/tool.ts"
import { turns } from "./events/turn.ts"
import type { SequenceRange } from "./known.ts"
import { rolledBack } from "./roll-back.ts"
import { combine, type Entities } from "./state.ts"

const families = {
  sessions,
  threads,
  turns,
  queues,
  runs,
  modelRequests,
  summaryRequests,
  contexts,
  tasks,
  attempts,
  edges,
  delegations,
  toolCalls,
  catalogs,
  actions,
  artifacts,
  evidences,
  subagents,
  limits,
  snapshotRecords,
  incidents,
  evaluations,
  permissionRequests,
  boundaries,
  hookRuns,
  policies,
  processes,
  routings,
  costs,
  costTotals,
  sessionSpendings,
  turnSpendings,
  childSpendings,
  workTimes,
  quotas,
  rateLimits,
  channels,
  jobs,
  jobItems,
  outputs,
  rebuilds,
  rollbacks,
}
const folds = combine(families)

export type SessionEntities = Entities<typeof families>
/** Families see their own facts; a rollback reaches across them. */
export const sessionState = {
  ...folds,
  apply: (entities: SessionEntities, fact: Envelope): SessionEntities =>
    rolledBack(folds.apply(entities, fact), fact),
}

export type SessionState = { sequence: number; entities: SessionEntities }
export type Gap = SequenceRange
export type Applied = { state: SessionState; gap?: Gap }

export const emptySession: SessionState = { sequence: 0, entities: sessionState.initial }

/** Takes the next fact. One seen before changes nothing; one that comes too early changes nothing and tells the gap. */
export function applyFact(
  state: SessionState,
  fact: Envelope,
  pruned: readonly SequenceRange[] = [],
): Applied {
  if (fact.sequence <= state.sequence) return { state }
  const gap = { from: state.sequence + 1, to: fact.sequence - 1 }
  if (gap.from <= gap.to && !covers(pruned, gap)) return { state, gap }
  return { state: { sequence: fact.sequence, entities: sessionState.apply(state.entities, fact) } }
}

/** Applies facts until the end or the first gap. */
export function applyFacts(
  state: SessionState,
  facts: Iterable<Envelope>,
  pruned: readonly SequenceRange[] = [],
): Applied {
  let current = state
  for (const fact of facts) {
    const applied = applyFact(current, fact, pruned)
    if (applied.gap) return applied
    current = applied.state
  }
  return { state: current }
}

/** By sequence, each fact once: how delivery is put right before it is applied. */
export function inOrder<F extends { sequence: number }>(facts: readonly F[]): F[] {
  const bySequence = new Map<number, F>()
  for (const fact of facts) if (!bySequence.has(fact.sequence)) bySequence.set(fact.sequence, fact)
  return [...bySequence.values()].sort((a, b) => a.sequence - b.sequence)
}

/** Whether final facts say that the missing range was superseded, so that it is no gap. */
export function explains(gap: Gap, facts: Iterable<{ payload: Record<string, unknown> }>): boolean {
  return covers(supersededBy(facts), gap)
}

/** The ranges that final facts declare superseded. */
export function supersededBy(facts: Iterable<{ payload: Record<string, unknown> }>): SequenceRange[] {
  const ranges: SequenceRange[] = []
  for (const { payload } of facts) if (isRange(payload.supersedes)) ranges.push(payload.supersedes)
  return ranges
}

function covers(ranges: readonly SequenceRange[], gap: Gap): boolean {
  let next = gap.from
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    if (range.from > next) break
    next = Math.max(next, range.to + 1)
  }
  return next > gap.to
}

function isRange(value: unknown): value is SequenceRange {
  if (typeof value !== "object" || value === null || !("from" in value) || !("to" in value)) return false
  return typeof value.from === "number" && typeof value.to === "number"
}
