import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { Id } from "../ids.ts"
import { Text } from "../known.ts"
import { family } from "../state.ts"

export const LimitValue = z.union([z.number(), z.enum(["unknown", "unlimited"])])

export const LimitChanged = defineEvent("limit.changed", {
  version: 1,
  doc: "A limit itself changed; that one was met is told by the quota and rate-limit facts.",
  scope: "runtime",
  payload: z.object({
    limit: Text,
    kind: z.enum(["cost", "quota", "rate", "budget", "policy"]),
    unit: Text,
    old: LimitValue,
    new: LimitValue,
    source: Text,
    /** The answer of a person that raised it; for one turn where the fact names one, else for the session. */
    action_id: Id.optional(),
  }),
})

export const limitEvents = [LimitChanged] as const
export type LimitEvent = EventOf<(typeof limitEvents)[number]>

export type Limit = {
  limit: string
  kind: LimitEvent["payload"]["kind"] | "unknown"
  unit: string
  value: z.infer<typeof LimitValue>
  source: string
  /** What people allow beyond it, the latest last. */
  raised: readonly { value: number; action_id: string; turn_id?: string }[]
  changed_at?: string
}
const mostRaised = 32

export const limit = fold<Limit, LimitEvent>(
  { limit: "", kind: "unknown", unit: "unknown", value: "unknown", source: "unknown", raised: [] },
  {
    "limit.changed": (s, e) => {
      const { limit, kind, unit, source, action_id } = e.payload
      const value = e.payload.new
      if (action_id === undefined || typeof value !== "number")
        return { ...s, limit, kind, unit, source, value, changed_at: e.timestamp }
      const { turn_id } = e
      const more = { value, action_id, ...(turn_id === undefined ? {} : { turn_id }) }
      const raised = [...s.raised, more].slice(-mostRaised)
      return { ...(s.limit === "" ? { ...s, limit, kind, unit } : s), raised, changed_at: e.timestamp }
    },
  },
)

export const limits = family(limit, (e) => e.payload.limit)
