import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { Id } from "../ids.ts"
import { Amount, Count, KnownTime, Text } from "../known.ts"
import { late } from "../late.ts"
import { family } from "../state.ts"
import { Usage } from "./model.ts"

const on = { version: 1, scope: "session", optional: ["step_id"] } as const
const request_id = Id

export const CostUsage = Usage.extend({
  cached_tokens: Count.optional(),
  reasoning_tokens: Count.optional(),
})

export const CostEstimated = defineEvent("cost.estimated", {
  ...on,
  doc: "What a priced request was expected to cost, before it was sent.",
  payload: z.object({ request_id, amount: Amount, currency: Text, basis: z.string().optional() }),
})

export const CostRecorded = defineEvent("cost.recorded", {
  ...on,
  doc: "What one request cost, counted once, also when it failed; what is not known reads unknown.",
  payload: z.object({
    request_id,
    amount: Amount,
    currency: Text,
    usage: CostUsage,
    outcome: z.enum(["completed", "failed", "cancelled", "unknown"]),
    provider: z.string().optional(),
    model: z.string().optional(),
    price_version: z.string().optional(),
    /** Of a child's request that is told again where its parent works: where its own fact stands. */
    from: z.object({ session_id: Id, sequence: z.int().min(1) }).optional(),
  }),
})

export const RateLimitHit = defineEvent("rate_limit.hit", {
  ...on,
  doc: "A provider refused a request for its rate.",
  payload: z.object({ request_id: Id.optional(), provider: Text, limit: Text, next_try_at: KnownTime }),
})

export const QuotaLow = defineEvent("quota.low", {
  ...on,
  doc: "What remains fell below the threshold, once per crossing.",
  payload: z.object({ quota: Text, unit: Text, remaining: Amount, limit: Amount, threshold: z.number() }),
})

export const QuotaBlocked = defineEvent("quota.blocked", {
  ...on,
  doc: "A spent quota stopped a request before it was sent.",
  payload: z.object({
    quota: Text,
    unit: Text,
    used: Amount,
    limit: Amount,
    resets_at: KnownTime,
    request_id: Id.optional(),
  }),
})

export const costEvents = [CostEstimated, CostRecorded, RateLimitHit, QuotaLow, QuotaBlocked] as const
export type CostEvent = EventOf<(typeof costEvents)[number]>
type Of<T extends CostEvent["type"]> = Extract<CostEvent, { type: T }>

export type Cost = {
  request_id: string
  status: "unknown" | "estimated" | "recorded"
  estimated: Amount
  amount: Amount
  currency: string
  usage: z.infer<typeof CostUsage>
  outcome: Of<"cost.recorded">["payload"]["outcome"]
  thread_id?: string | undefined
  turn_id?: string | undefined
  task_id?: string | undefined
  late: number
}
const blank: Cost = {
  request_id: "",
  status: "unknown",
  estimated: "unknown",
  amount: "unknown",
  currency: "unknown",
  usage: { input_tokens: "unknown", output_tokens: "unknown" },
  outcome: "unknown",
  late: 0,
}

function placed(s: Cost, e: Of<"cost.estimated" | "cost.recorded">): Cost {
  const { thread_id, turn_id, task_id } = e
  const { request_id, currency } = e.payload
  return { ...s, request_id, currency, thread_id, turn_id, task_id }
}

export const cost = fold<Cost, Of<"cost.estimated" | "cost.recorded">>(blank, {
  "cost.estimated": (s, e) =>
    s.status === "unknown" ? { ...placed(s, e), status: "estimated", estimated: e.payload.amount } : late(s),
  "cost.recorded": (s, e) => {
    if (s.status === "recorded") return late(s)
    const { amount, usage, outcome } = e.payload
    return { ...placed(s, e), status: "recorded", amount, usage, outcome }
  },
})

/** Recorded requests, added up: a request leaves memory after a while, its cost does not. */
export type CostTotal = {
  currency: string
  known: number
  requests: number
  /** How many of the requests have no known price. */
  unpriced: number
  /** The latest requests counted, so that a second record of one adds nothing. */
  counted: readonly string[]
}
const remembered = 512

export const costTotal = fold<CostTotal, Of<"cost.recorded">>(
  { currency: "unknown", known: 0, requests: 0, unpriced: 0, counted: [] },
  {
    "cost.recorded": (s, e) => {
      const { amount, currency, request_id } = e.payload
      if (s.counted.includes(request_id)) return s
      const counted = [...s.counted, request_id].slice(-remembered)
      const known = amount === "unknown" ? s.known : s.known + amount
      const unpriced = amount === "unknown" ? s.unpriced + 1 : s.unpriced
      return { currency, known, requests: s.requests + 1, unpriced, counted }
    },
  },
)

export type Quota = {
  quota: string
  status: "unknown" | "low" | "blocked"
  unit: string
  limit: Amount
  remaining: Amount
  resets_at: KnownTime
  at?: string
}

export const quota = fold<Quota, Of<"quota.low" | "quota.blocked">>(
  {
    quota: "",
    status: "unknown",
    unit: "unknown",
    limit: "unknown",
    remaining: "unknown",
    resets_at: "unknown",
  },
  {
    "quota.low": (s, e) => {
      const { quota, unit, limit, remaining } = e.payload
      return { ...s, quota, status: "low", unit, limit, remaining, at: e.timestamp }
    },
    "quota.blocked": (s, e) => {
      const { quota, unit, limit, used, resets_at } = e.payload
      const remaining = limit === "unknown" || used === "unknown" ? "unknown" : Math.max(0, limit - used)
      return { ...s, quota, status: "blocked", unit, limit, remaining, resets_at, at: e.timestamp }
    },
  },
)

export type RateLimit = { provider: string; limit: string; hits: number; next_try_at: KnownTime; at?: string }

export const rateLimit = fold<RateLimit, Of<"rate_limit.hit">>(
  { provider: "", limit: "", hits: 0, next_try_at: "unknown" },
  {
    "rate_limit.hit": (s, e) => {
      const { provider, limit, next_try_at } = e.payload
      return { provider, limit, hits: s.hits + 1, next_try_at, at: e.timestamp }
    },
  },
)

export const costs = family(cost, (e) => e.payload.request_id, {
  ended: (s) => s.status === "recorded",
})
export const costTotals = family(costTotal, (e) => e.payload.currency)
export const quotas = family(quota, (e) => e.payload.quota)
export const rateLimits = family(rateLimit, (e) => `${e.payload.provider}|${e.payload.limit}`)
