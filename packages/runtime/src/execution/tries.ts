import type { ModelRequest, SessionState } from "@factum/facts"
import { type Failure, type Tries, triesOf } from "../routing/index.ts"

/** All requests of a turn, failed ones too, in their order. */
export function askedOf(state: SessionState, turn_id: string): ModelRequest[] {
  return Object.values(state.entities.modelRequests)
    .filter((request) => request.turn_id === turn_id)
    .sort((a, b) => a.opened - b.opened)
}

export function routingOf(state: SessionState, turn_id: string) {
  return Object.values(state.entities.routings).findLast((routing) => routing.turn_id === turn_id)
}

/** The tries of the step that a request belongs to, with the request as it is given. */
export function stepTries(state: SessionState, last: ModelRequest): Tries | undefined {
  const { turn_id, step_id, request_id } = last
  const routing = routingOf(state, turn_id)
  if (routing === undefined) return undefined
  const others = askedOf(state, turn_id).filter(
    (one) => one.step_id === step_id && one.request_id !== request_id,
  )
  return triesOf(routing, [...others, last])
}

const mendable = ["provider_error", "rate_limited", "malformed", "cut_stream", "time_limit"] as const

/** Why a request failed, as the log tells it; nothing when the failure was not the provider's. */
export function failureOf(state: SessionState, request: ModelRequest, since: number): Failure | undefined {
  const { failure, provider } = request
  const category = mendable.find((one) => one === failure?.category)
  if (failure === undefined || category === undefined) return undefined
  const { reason, retryable } = failure
  const limit = Object.values(state.entities.rateLimits).findLast((one) => one.provider === provider)
  const next = category === "rate_limited" ? Date.parse(limit?.next_try_at ?? "") : Number.NaN
  const asked = Number.isNaN(next) ? {} : { retry_after_ms: Math.max(0, next - since) }
  return { category, reason, retryable, ...asked }
}
