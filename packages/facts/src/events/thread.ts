import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { family } from "../state.ts"

const ThreadStatus = z.enum(["idle", "active", "waiting", "blocked"])

export const ThreadStarted = defineEvent("thread.started", {
  version: 1,
  doc: "An ordered execution context opened in its session, before its first turn.",
  scope: "thread",
  payload: z.object({ title: z.string().optional() }),
})

export const ThreadUpdated = defineEvent("thread.updated", {
  version: 1,
  doc: "The thread's lifecycle or read-model state changed.",
  scope: "thread",
  payload: z.object({
    status: ThreadStatus,
    previous: ThreadStatus,
    active_turn_id: z.string().optional(),
    reason: z.string(),
  }),
})

export const threadEvents = [ThreadStarted, ThreadUpdated] as const
export type ThreadEvent = EventOf<(typeof threadEvents)[number]>

export type Thread = {
  thread_id: string
  status: z.infer<typeof ThreadStatus> | "unknown"
  started_at: string
  active_turn_id?: string
  /** How often it was updated: a resume is asked for from the last one. */
  changes: number
}

export const thread = fold<Thread, ThreadEvent>(
  { thread_id: "", status: "unknown", started_at: "unknown", changes: 0 },
  {
    "thread.started": (s, e) =>
      s.started_at === "unknown"
        ? { thread_id: e.thread_id, status: "idle", started_at: e.timestamp, changes: s.changes }
        : s,
    "thread.updated": (s, e) => {
      const { thread_id, payload } = e
      const { started_at, changes } = s
      const next: Thread = { thread_id, status: payload.status, started_at, changes: changes + 1 }
      return e.payload.active_turn_id === undefined
        ? next
        : { ...next, active_turn_id: e.payload.active_turn_id }
    },
  },
)

export const threads = family(thread, (e) => e.thread_id)
