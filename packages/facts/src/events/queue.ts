import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { InputPart } from "../input.ts"
import { family } from "../state.ts"

const QueuedTurn = z.object({
  queued_turn_id: z.string(),
  turn_id: z.string(),
  source: z.string(),
  state: z.enum(["waiting", "held"]),
})
export type QueuedTurn = z.infer<typeof QueuedTurn>

/** Input for a turn that is under way. */
const Steer = z.object({
  input: z.array(InputPart).min(1),
  source: z.string(),
  metadata: z.record(z.string(), z.unknown()).optional(),
})

const QueuePolicy = z.enum(["fifo", "paused"])

export const QueueChanged = defineEvent("queue.changed", {
  version: 1,
  doc: "Order, state or policy of the queued turns changed, or input was attached to the active turn instead of waiting; carries the full order after the change.",
  scope: "thread",
  optional: ["step_id"],
  payload: z.object({
    change: z.enum(["enqueued", "removed", "promoted", "dequeued", "policy", "steered"]),
    queued_turn_id: z.string().optional(),
    order: z.array(QueuedTurn),
    policy: QueuePolicy,
    /** What was attached to the turn that the fact names; it adds nothing to the order. */
    steer: Steer.optional(),
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
