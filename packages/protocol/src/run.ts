import type { ActionGraph, ActionStatus } from "./action.ts"
import type { Declaration } from "./declaration/normalized.ts"
import type { Observation } from "./observation.ts"

/** What ended or held up an action, in a word that programs can compare. */
export type ReasonCode =
  | "executor_failed"
  | "executor_threw"
  | "timed_out"
  | "dependency_failed"
  | "condition_not_met"
  | "unresolved_ref"
  | "no_executor"
  | "not_permitted"
  | "denied"
  | "budget_exceeded"
  | "aborted"
  | "canceled"
  | "superseded"
  | "needs_decision"
  | "needs_approval"
  | "needs_input"
  | "outcome_unknown"
export type Reason = { code: ReasonCode; message: string; action_id?: string }

export type ActionOutcome =
  | { status: "completed"; output: string; data?: unknown; summary?: string; artifacts?: readonly string[] }
  | { status: "failed"; reason: Reason; output?: string; data?: unknown }

export type ActionRun = {
  id: string
  status: ActionStatus
  /** Every attempt, in order; the last one may be running. */
  attempts: readonly { started: number; outcome?: ActionOutcome }[]
  /** Passes of a bounded loop that have ended. */
  passes: number
  reason?: Reason
  approved?: boolean
  /** The hash of the input that a person was asked about, or has approved. */
  input_hash?: string
  /** The executor really used, with what was asked for and why it was chosen. */
  executor?: { requested: string; chosen: string; reason: string }
}

export const runStatuses = ["running", "waiting", "blocked", "completed", "failed"] as const
export type RunStatus = (typeof runStatuses)[number]

/** Everything that happened in a run. The same events give the same run, and nothing else does. */
export type RunEvent =
  | { type: "run.accepted"; run_id: string; at: number }
  | { type: "action.started"; id: string; attempt: number; at: number; executor?: ActionRun["executor"] }
  | { type: "action.ended"; id: string; attempt: number; at: number; outcome: ActionOutcome }
  | { type: "action.waiting"; id: string; reason: Reason; input_hash?: string; at?: number }
  | {
      type: "action.answered"
      id: string
      at?: number
      answer: { approved: boolean; input_hash: string } | { output: string }
    }
  | { type: "action.settled"; id: string; status: "blocked" | "canceled" | "failed"; reason: Reason }
  | { type: "run.decided"; id: string; choice: "retry" | "continue" | "abort" }
  | { type: "run.canceled"; at: number; reason: string }
  | { type: "run.spent"; tokens?: number; cost?: number }
  | { type: "run.revised"; kept: readonly string[] }

export type RunState = {
  run_id: string
  status: RunStatus
  actions: Readonly<Record<string, ActionRun>>
  accepted_at: number
  canceled?: { reason: string }
  /** The action whose failure ended the run early, by its policy or by a decision. */
  aborted_by?: string
  spent: { tokens: number; cost: number; retries: number }
}

/** A run with all that is needed to tell about it: to the model, to a person, to a program. */
export type RunRecord = {
  run_id: string
  declaration: Declaration
  graph: ActionGraph
  state: RunState
  /** What the model may see of each action that has come to a point of decision. */
  observations: Readonly<Record<string, Observation>>
  /** The run that replaced the unfinished part of this one. */
  superseded_by?: string
}
