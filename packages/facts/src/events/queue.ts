import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { family } from "../state.ts"

const QueuedTurn = z.object({
  queued_turn_id: z.string(),
  turn_id: z.string(),
  source: z.string(),
  state: z.enum(["waiting", "held"]),
})
export type QueuedTurn = z.infer<typeof QueuedTurn>

const QueuePolicy = z.enum(["fifo", "paused"])

export const QueueChanged = defineEvent("queue.changed", {
  version: 1,
  doc: "Order, state or policy of the queued turns changed; carries the full order after the change.",
  scope: "thread",
  payload: z.object({
    change: z.enum(["enqueued", "removed", "promoted", "dequeued", "policy"]),
    queued_turn_id: z.string().optional(),
    order: z.array(QueuedTurn),
    policy: QueuePolicy,
  }),
})

export const queueEvents = [QueueChanged] as const
export type QueueEvent = EventOf<(typeof queueEvents)[number]>

export type Queue = {
  thread_id: string
  order: readonly QueuedTurn[]
  policy: z.infer<typeof QueuePolicy>
  /** Where each turn that left the queue went, so that a repeated removal is told from a false id. */
  left: Readonly<Record<string, "removed" | "started">>
}

const remembered = 64

export const queue = fold<Queue, QueueEvent>(
  { thread_id: "", order: [], policy: "fifo", left: {} },
  {
    "queue.changed": (s, e) => {
      const { change, queued_turn_id: id, order, policy } = e.payload
      const gone = change === "removed" ? "removed" : change === "dequeued" ? "started" : undefined
      if (gone === undefined || id === undefined) return { ...s, thread_id: e.thread_id, order, policy }
      const left = Object.entries({ ...s.left, [id]: gone } as const).slice(-remembered)
      return { thread_id: e.thread_id, order, policy, left: Object.fromEntries(left) }
    },
  },
)

export const queues = family(queue, (e) => e.thread_id)
