import { capsuleGroups } from "../words.ts"

/** How a status weighs for a person, whatever kind of item it is of; one that is not listed is not judged. */
export type StatusGroup = (typeof capsuleGroups)[number]

const groups: Readonly<Record<string, StatusGroup>> = {
  needs_input: "needs_input",
  plan_ready: "needs_input",
  input_required: "needs_input",
  auth_required: "needs_input",
  waiting_input: "needs_input",
  waiting_permission: "needs_input",
  blocked: "blocked",
  paused: "blocked",
  running: "running",
  working: "running",
  active: "running",
  waking: "running",
  spawning: "running",
  claimed: "running",
  reviewing: "running",
  merging: "running",
  forming: "running",
  retrying: "running",
  accepted: "running",
  resumed: "running",
  commented: "running",
  queued: "queued",
  promoted: "queued",
  scheduled: "queued",
  submitted: "queued",
  waiting: "queued",
  open: "queued",
  assigned: "queued",
  requested: "queued",
  handoff_requested: "queued",
  idle: "idle",
  sleeping: "idle",
  shutdown_requested: "idle",
  failed: "failed",
  rejected: "failed",
  lost: "failed",
  timed_out: "failed",
  changes_requested: "failed",
  completed: "done",
  done: "done",
  passed: "done",
  returned: "done",
  closed: "done",
  killed: "done",
  canceled: "done",
  cancelled: "done",
  removed: "done",
  started: "done",
  archived: "done",
}

export const groupOf = (status: string): StatusGroup =>
  Object.hasOwn(groups, status) ? (groups[status] ?? "unknown") : "unknown"

/** Those that need a person first, then what works, then what has ended; equals keep their order. */
export function byAttention<T extends { group: StatusGroup }>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => capsuleGroups.indexOf(a.group) - capsuleGroups.indexOf(b.group))
}

export function countGroups(items: readonly { group: StatusGroup }[]): Record<StatusGroup, number> {
  const counts = {
    needs_input: 0,
    blocked: 0,
    running: 0,
    queued: 0,
    failed: 0,
    idle: 0,
    done: 0,
    unknown: 0,
  }
  for (const { group } of items) counts[group] += 1
  return counts
}
