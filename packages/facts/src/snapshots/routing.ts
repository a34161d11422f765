import { z } from "zod"
import { LimitValue } from "../events/limit.ts"
import { ModelChoice } from "../events/routing.ts"
import { Amount, Count, KnownTime, Text } from "../known.ts"
import type { SessionState } from "../session-state.ts"
import { defineSnapshot, type Freshness, reflected, reflects } from "./define-snapshot.ts"

export const RoutingLimitSummary = defineSnapshot("routing_limit_summary", {
  version: 1,
  doc: "Task profile, candidate count, routing decision, cost state and the state of quotas and rate limits.",
  schema: z.object({
    ...reflected,
    task_profile: Text,
    candidate_count: Count,
    eligible_count: Count,
    decision: z.object({
      status: z.enum(["unknown", "resolving", "decided", "not_possible"]),
      choice: ModelChoice.optional(),
      reason: z.string().optional(),
      single_candidate: z.boolean(),
      fallbacks: z.int().min(0),
    }),
    cost: z.array(
      z.object({
        currency: Text,
        /** Unknown as soon as one request has no known price. */
        total: Amount,
        known_part: z.number(),
        requests: z.int().min(0),
        unpriced: z.int().min(0),
      }),
    ),
    quotas: z.array(
      z.object({
        quota: Text,
        status: Text,
        unit: Text,
        remaining: Amount,
        limit: Amount,
        resets_at: KnownTime,
      }),
    ),
    rate_limits: z.array(
      z.object({ provider: Text, limit: Text, hits: z.int().min(0), next_try_at: KnownTime }),
    ),
    limits: z.array(z.object({ limit: Text, kind: Text, unit: Text, value: LimitValue, source: Text })),
  }),
})
export type RoutingLimitSummary = z.infer<typeof RoutingLimitSummary.schema>

export function routingLimitSummary(state: SessionState, freshness?: Freshness): RoutingLimitSummary {
  const { routings, costTotals, quotas, rateLimits, limits } = state.entities
  const latest = Object.values(routings).at(-1)
  const candidates = latest?.candidates ?? "unknown"
  return {
    ...reflects(state, freshness),
    task_profile: latest?.profile?.profile ?? "unknown",
    candidate_count: candidates === "unknown" ? "unknown" : candidates.length,
    eligible_count: candidates === "unknown" ? "unknown" : candidates.filter((one) => one.eligible).length,
    decision: {
      status: latest?.status ?? "unknown",
      choice: latest?.choice,
      reason: latest?.reason,
      single_candidate: latest?.single_candidate ?? false,
      fallbacks: latest?.fallbacks.length ?? 0,
    },
    cost: Object.values(costTotals).map(({ currency, known, requests, unpriced }) => ({
      currency,
      total: unpriced > 0 ? "unknown" : known,
      known_part: known,
      requests,
      unpriced,
    })),
    quotas: Object.values(quotas).map(({ quota, status, unit, remaining, limit, resets_at }) => {
      return { quota, status, unit, remaining, limit, resets_at }
    }),
    rate_limits: Object.values(rateLimits).map(({ provider, limit, hits, next_try_at }) => {
      return { provider, limit, hits, next_try_at }
    }),
    limits: Object.values(limits).map(({ limit, kind, unit, value, source, raised }) => {
      const more = raised.findLast(({ turn_id }) => turn_id === undefined)?.value
      const most = more === undefined || typeof value !== "number" ? value : Math.max(value, more)
      return { limit, kind, unit, value: most, source }
    }),
  }
}
