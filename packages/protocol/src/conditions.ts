import type { Condition } from "./action.ts"
import type { ActionRun, RunState } from "./run.ts"

/** By own key only: an id such as `constructor` is not found on every object. */
export function runOf(state: RunState, id: string): ActionRun | undefined {
  return Object.hasOwn(state.actions, id) ? state.actions[id] : undefined
}

/** A model must say how the run goes on. */
export function awaitsDecision(run: ActionRun): boolean {
  return (
    run.status === "blocked" &&
    (run.reason?.code === "needs_decision" || run.reason?.code === "outcome_unknown")
  )
}

/** Nothing more will happen to it. */
export function isSettled(run: ActionRun): boolean {
  switch (run.status) {
    case "completed":
    case "failed":
    case "canceled":
      return true
    case "blocked":
      return !awaitsDecision(run)
    default:
      return false
  }
}

/** Whether a condition holds now. A field is one of the structured result, never read out of prose. */
export function holds(condition: Condition, run: ActionRun | undefined): boolean {
  if (run === undefined) return false
  if ("status" in condition) return run.status === condition.status
  const data = run.attempts.at(-1)?.outcome?.data
  if (typeof data !== "object" || data === null || !Object.hasOwn(data, condition.field)) return false
  return new Map(Object.entries(data)).get(condition.field) === condition.equals
}
