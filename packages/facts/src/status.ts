import { z } from "zod"

/** The sixteen states of the specification. `stale` marks a snapshot and is no state of work. */
export const states = [
  "accepted",
  "queued",
  "preparing",
  "running",
  "waiting_input",
  "waiting_permission",
  "waiting_resource",
  "blocked",
  "streaming",
  "retrying",
  "lost",
  "timed_out",
  "completed",
  "failed",
  "cancelled",
  "stale",
] as const
export type State = (typeof states)[number]

/** What a missing fact reads. Marks are never states of work. */
export const marks = ["unknown", "unavailable"] as const
export type Mark = (typeof marks)[number]

export const waits = ["waiting_input", "waiting_permission", "waiting_resource"] as const
export const stops = ["failed", "cancelled", "timed_out"] as const

/** What work can be in: every state but `stale`, and the hold that only tasks know. */
export const workStates = [
  "accepted",
  "queued",
  "preparing",
  "running",
  "waiting_input",
  "waiting_permission",
  "waiting_resource",
  "blocked",
  "streaming",
  "retrying",
  "lost",
  "timed_out",
  "completed",
  "failed",
  "cancelled",
  "paused",
] as const
export type WorkState = (typeof workStates)[number]
export const WorkState = z.enum(workStates)

export type WorkKind = "turn" | "task"

export const terminalStates: ReadonlySet<string> = new Set(["completed", ...stops])

/** RT-STAT-19 as data. What only tasks may do is in `taskOnly`. */
export const transitions: Readonly<Record<WorkState | "new", readonly WorkState[]>> = {
  new: ["accepted"],
  accepted: ["queued", "preparing", "blocked", ...stops],
  queued: ["preparing", "waiting_resource", "blocked", ...stops],
  preparing: ["running", ...waits, "blocked", "retrying", "lost", ...stops],
  running: ["streaming", ...waits, "blocked", "retrying", "lost", "completed", ...stops],
  streaming: ["running", ...waits, "blocked", "retrying", "lost", ...stops],
  waiting_input: ["preparing", "running", "blocked", ...stops],
  waiting_permission: ["preparing", "running", "blocked", ...stops],
  waiting_resource: ["queued", "preparing", "running", "retrying", "blocked", "lost", ...stops],
  blocked: ["queued", "preparing", "running", ...waits, ...stops],
  retrying: ["preparing", "running", ...waits, "blocked", "lost", ...stops],
  lost: ["running", "retrying", ...stops],
  failed: [],
  timed_out: [],
  cancelled: [],
  completed: [],
  paused: ["queued", ...stops],
}

const holdable: readonly WorkState[] = [
  "accepted",
  "queued",
  "preparing",
  "running",
  "streaming",
  ...waits,
  "blocked",
  "retrying",
]

export const taskOnly: Readonly<Partial<Record<WorkState, readonly WorkState[]>>> = {
  ...Object.fromEntries(holdable.map((state) => [state, ["paused"]])),
  failed: ["retrying"],
  timed_out: ["retrying"],
  cancelled: ["retrying"],
}

/** `held` is the state before the pause, to which a paused task may return. */
export function canMove(from: WorkState | "new", to: WorkState, kind: WorkKind, held?: WorkState): boolean {
  if (kind === "turn" && (from === "paused" || to === "paused")) return false
  if (transitions[from].includes(to)) return true
  if (kind === "turn" || from === "new") return false
  return from === "paused" ? to === held : (taskOnly[from]?.includes(to) ?? false)
}
