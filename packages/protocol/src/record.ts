import type { Action, ActionStatus } from "./action.ts"
import { awaitsDecision } from "./conditions.ts"
import type { Observation } from "./observation.ts"
import type { ActionRun, RunRecord } from "./run.ts"

export type AgentProtocolResult = {
  type: "agent.protocol.result"
  version: "1"
  run_id: string
  status: AggregateStatus
  actions: readonly {
    id: string
    title: string
    description: string
    status: ActionStatus
    summary: string
  }[]
  next: NextStep
}

/** `running` only in the record of a run that has not come to a point of decision. */
export type AggregateStatus = "completed" | "blocked" | "failed" | "running"
export type NextStep = "final_answer" | "decide" | "wait"

/** The record for programs: logs, interfaces, export, recovery. It is not what a model reads. */
export function resultRecord(run: RunRecord): AgentProtocolResult {
  return {
    type: "agent.protocol.result",
    version: "1",
    run_id: run.run_id,
    status: aggregateStatus(run),
    actions: toldActions(run).map(({ id, action, status, observation, state }) => ({
      id,
      title: action?.title ?? id,
      description: action?.description ?? "",
      status,
      summary: observation?.summary ?? state?.reason?.message ?? "",
    })),
    next: nextStep(run),
  }
}

export function aggregateStatus(run: RunRecord): AggregateStatus {
  const { status } = run.state
  // A plan is done when it is made: its actions stay pending.
  if (run.declaration.intent === "plan" && (status === "running" || status === "waiting")) return "completed"
  return status === "waiting" ? "blocked" : status
}

export const decisionPoints = [
  "completed",
  "failed",
  "blocked",
  "permission_needed",
  "user_input_needed",
  "model_decision_needed",
] as const
export type DecisionPoint = (typeof decisionPoints)[number]

/** Where the run stands, if it stands where a model is told of it. Progress is no such place. */
export function decisionPoint(run: RunRecord): DecisionPoint | undefined {
  const status = aggregateStatus(run)
  if (status === "running") return undefined
  if (status !== "blocked") return status
  const actions = Object.values(run.state.actions)
  if (actions.some(awaitsDecision)) return "model_decision_needed"
  const asked = new Set(
    actions.map((action) => (action.status === "waiting" ? action.reason?.code : undefined)),
  )
  if (asked.has("needs_approval")) return "permission_needed"
  return asked.has("needs_input") ? "user_input_needed" : "blocked"
}

export function nextStep(run: RunRecord): NextStep {
  if (run.state.canceled !== undefined) return "final_answer"
  switch (decisionPoint(run)) {
    case "completed":
      return "final_answer"
    case "failed":
    case "blocked":
    case "model_decision_needed":
      return "decide"
    case "permission_needed":
    case "user_input_needed":
    case undefined:
      return "wait"
  }
}

export type ToldAction = {
  id: string
  /** Absent for what was answered without an action: the references of an expansion, a report. */
  action?: Action
  status: ActionStatus
  state?: ActionRun
  observation?: Observation
}

/** Every declared action once, in the order of the declaration, then what was answered beside them. */
export function toldActions(run: RunRecord): readonly ToldAction[] {
  const declared = new Set(run.graph.actions.map((action) => action.id))
  const beside = Object.keys(run.observations).filter((id) => !declared.has(id))
  return [
    ...run.graph.actions.map((action) => told(run, action.id, action)),
    ...beside.map((id) => told(run, id)),
  ]
}

function told(run: RunRecord, id: string, action?: Action): ToldAction {
  const state = own(run.state.actions, id)
  const observation = own(run.observations, id)
  return {
    id,
    ...(action && { action }),
    status: state?.status ?? observation?.status ?? "pending",
    ...(state && { state }),
    ...(observation && { observation }),
  }
}

/** An id may be `constructor`: only what was put there counts. */
const own = <T>(record: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined
