import type { ModelRequest, SessionState } from "@factum/facts"
import { costRecorded, type Spent } from "../routing/cost.ts"

/** The cost of a request that ended without a word about its usage: unknown, unless it was known to be free. */
export function costUnknown(
  state: SessionState,
  { request_id, provider, model }: Pick<ModelRequest, "request_id" | "provider" | "model">,
  outcome: Spent["outcome"],
): ReturnType<typeof costRecorded> {
  const fact = costRecorded({ request_id, provider, model, outcome }, undefined)
  const estimate = state.entities.costs[request_id]
  if (estimate === undefined) return fact
  const amount = estimate.estimated === 0 ? 0 : "unknown"
  return { ...fact, payload: { ...fact.payload, amount, currency: estimate.currency } }
}
