import type { Envelope, ScopeId, WorkId } from "./envelope.ts"

/** The fact that opens each kind of parent. Steps have none of their own. */
const openers = {
  session_id: ["session.created"],
  thread_id: ["thread.started"],
  turn_id: ["turn.submitted"],
  task_id: ["task.created"],
  attempt_id: ["task.attempt.started"],
  run_id: ["task.attempt.started"],
  tool_call_id: ["tool.started"],
  action_id: ["action.required"],
  subagent_id: ["subagent.spawned"],
} as const satisfies Partial<Record<ScopeId | WorkId, readonly string[]>>

type ParentId = keyof typeof openers
const parents = Object.keys(openers) as ParentId[]

export type Correlated = {
  fact: Envelope
  /** The ids of the fact that name nothing which the facts before it have opened. */
  missing_correlation: readonly ParentId[]
}

/** Keeps every fact and marks those without a known parent. Ids alone join; time and text never do. */
export function correlate(facts: readonly Envelope[]): Correlated[] {
  const known = new Set<string>()
  return facts.map((fact) => {
    for (const id of parents) if (opens(fact, id)) known.add(`${id} ${fact[id]}`)
    const missing = parents.filter((id) => fact[id] !== undefined && !known.has(`${id} ${fact[id]}`))
    return { fact, missing_correlation: missing }
  })
}

const opens = ({ type }: Envelope, id: ParentId): boolean =>
  openers[id].some((opener: string) => opener === type)
