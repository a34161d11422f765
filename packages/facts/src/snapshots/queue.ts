import { z } from "zod"
import type { SessionState } from "../session-state.ts"
import { defineSnapshot, type Freshness, reflected, reflects } from "./define-snapshot.ts"

export const QueueSnapshot = defineSnapshot("queue_snapshot", {
  version: 1,
  doc: "Queued turn ids in order, with source, policy and resume state.",
  schema: z.object({
    ...reflected,
    thread_id: z.string(),
    queued: z.array(
      z.object({ queued_turn_id: z.string(), turn_id: z.string(), source: z.string(), state: z.string() }),
    ),
    policy: z.string(),
    /** Whether the next turn starts by itself when the thread is free. */
    resume_state: z.enum(["ready", "held", "unknown"]),
  }),
})
export type QueueSnapshot = z.infer<typeof QueueSnapshot.schema>

export function queueSnapshot(state: SessionState, thread_id: string, freshness?: Freshness): QueueSnapshot {
  const queue = state.entities.queues[thread_id]
  return {
    ...reflects(state, freshness),
    thread_id,
    queued: [...(queue?.order ?? [])],
    policy: queue?.policy ?? "unknown",
    resume_state: queue === undefined ? "unknown" : queue.policy === "paused" ? "held" : "ready",
  }
}
