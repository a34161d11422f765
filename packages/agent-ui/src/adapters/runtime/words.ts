import type { WorkState } from "@factum/facts"
import type { Phase } from "../../taxonomy.ts"

/** The phase in which work of each state is. */
export const phaseOf: Readonly<Record<WorkState, Phase>> = {
  accepted: "accepted",
  queued: "waiting",
  preparing: "preparing",
  running: "acting",
  waiting_input: "waiting",
  waiting_permission: "waiting",
  waiting_resource: "waiting",
  blocked: "waiting",
  streaming: "producing",
  retrying: "preparing",
  lost: "reconciling",
  timed_out: "failed",
  completed: "completed",
  failed: "failed",
  cancelled: "cancelled",
  paused: "waiting",
}

/** The word of a board for each state; where boards have none, the state speaks for itself. */
export const boardStatus: Readonly<Record<WorkState, string>> = {
  accepted: "open",
  queued: "queued",
  preparing: "running",
  running: "running",
  waiting_input: "blocked",
  waiting_permission: "blocked",
  waiting_resource: "blocked",
  blocked: "blocked",
  streaming: "running",
  retrying: "running",
  lost: "lost",
  timed_out: "timed_out",
  completed: "done",
  failed: "failed",
  cancelled: "cancelled",
  paused: "paused",
}

/** The word of a roster for each state. A child that finished a round is there for the next one. */
export const teammateStatus: Readonly<Record<WorkState, string>> = {
  accepted: "spawning",
  queued: "waiting",
  preparing: "running",
  running: "running",
  waiting_input: "needs_input",
  waiting_permission: "needs_input",
  waiting_resource: "waiting",
  blocked: "waiting",
  streaming: "running",
  retrying: "running",
  lost: "lost",
  timed_out: "failed",
  completed: "idle",
  failed: "failed",
  cancelled: "killed",
  paused: "idle",
}
