import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
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
  changed_at?: string
}

export const limit = fold<Limit, LimitEvent>(
  { limit: "", kind: "unknown", unit: "unknown", value: "unknown", source: "unknown" },
  {
    "limit.changed": (_, e) => {
      const { limit, kind, unit, source } = e.payload
      return { limit, kind, unit, source, value: e.payload.new, changed_at: e.timestamp }
    },
  },
)

export const limits = family(limit, (e) => e.payload.limit)
