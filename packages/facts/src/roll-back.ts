import type { Envelope } from "./envelope.ts"
import type { ContextBoundary } from "./events/context.ts"
import type { HistoryEvent } from "./events/history.ts"
import type { SessionEntities } from "./session-state.ts"

type Completed = Extract<HistoryEvent, { type: "history.rollback.completed" }>
type Records = Readonly<Record<string, { turn_id?: string | undefined }>>

/** What a turn leads to inside of the runtime. Money spent, processes, artifacts and evidence are no history. */
const conversational = [
  "turns",
  "runs",
  "modelRequests",
  "toolCalls",
  "catalogs",
  "routings",
  "actions",
  "evaluations",
  "permissionRequests",
  "hookRuns",
] as const satisfies readonly (keyof SessionEntities)[]

/** The read model without what came after the boundary in the thread; the log keeps it. */
export function rolledBack(entities: SessionEntities, fact: Envelope): SessionEntities {
  if (!isCompleted(fact)) return entities
  const { thread_id } = fact
  const { sequence } = fact.payload.boundary
  const left = new Set(
    Object.values(entities.turns)
      .filter((turn) => turn.thread_id === thread_id && (turn.ended_sequence ?? fact.sequence) > sequence)
      .map(({ turn_id }) => turn_id),
  )
  const kept = conversational.map((name) => [name, without(entities[name], left)])
  const contexts = { ...entities.contexts }
  const context = contexts[thread_id]
  if (context !== undefined) contexts[thread_id] = boundaryBefore(context, sequence)
  return { ...entities, ...Object.fromEntries(kept), contexts }
}

function without(records: Records, left: ReadonlySet<string>): Records {
  return Object.fromEntries(
    Object.entries(records).filter(([, { turn_id }]) => turn_id === undefined || !left.has(turn_id)),
  )
}

/** A summary of what has left is no longer in force. What was chosen for the last turn left with it. */
function boundaryBefore(context: ContextBoundary, sequence: number): ContextBoundary {
  const compactions = context.compactions.filter(({ to }) => to <= sequence)
  return { ...context, compactions, selected: [], missing: [], warnings: [] }
}

/** Facts reach the fold validated. */
function isCompleted(fact: Envelope): fact is Envelope & Completed {
  return fact.type === "history.rollback.completed"
}
