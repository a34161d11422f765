export const stepKinds = ["status", "message", "tool", "artifact", "action"] as const
export type StepKind = (typeof stepKinds)[number]

type Opener = {
  type: string
  payload: Readonly<Record<string, unknown>>
  step_id?: string | undefined
  turn_id?: string | undefined
  task_id?: string | undefined
  run_id?: string | undefined
}

const kinds: Readonly<Record<string, StepKind>> = {
  "run.status": "status",
  "turn.submitted": "message",
  "model.requested": "message",
  "tool.started": "tool",
  "artifact.changed": "artifact",
  "action.required": "action",
}

/** What kind of step a fact stands at the beginning of; most facts stand inside of one, or in none. */
export function stepKind({ type, payload }: Opener): StepKind | undefined {
  if (type === "queue.changed") return payload.steer === undefined ? undefined : "message"
  if (type === "model.requested" && payload.compaction_id !== undefined) return undefined
  return kinds[type]
}

/** Whether a fact opens a step that its writer did not name. A step belongs to a turn, a task or a run; without one there is none. */
export function opensStep(fact: Opener): boolean {
  if (fact.step_id !== undefined || stepKind(fact) === undefined) return false
  return (fact.turn_id ?? fact.task_id ?? fact.run_id) !== undefined
}
