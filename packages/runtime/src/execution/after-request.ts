import type { ModelRequest, SessionState } from "@factum/facts"
import { endTurn, failedRequest } from "../control/loop.ts"
import type { Draft } from "../decision.ts"
import type { ModelUsage } from "../ports/model.ts"
import {
  costRecorded,
  type Failure,
  fallback,
  type Next,
  type Price,
  quotaLow,
  rateLimitHit,
} from "../routing/index.ts"
import { limitsOf, payerOf, standingsOf } from "./allowance.ts"
import { held, placed, type RoutingPorts } from "./routing-ports.ts"
import { stepTries } from "./tries.ts"

/** What a completed request used up, and the limits that run low with it. */
export function afterCompletion(
  ports: RoutingPorts,
  state: SessionState,
  request: ModelRequest,
  usage: ModelUsage,
  price: Price | undefined,
): Draft[] {
  const { request_id, turn_id, step_id, provider, model } = request
  const place = (fact: Pick<Draft, "type" | "payload">) => placed(state, turn_id, step_id, fact)
  const spent = costRecorded({ request_id, provider, model, outcome: "completed", usage }, price)
  const limits = limitsOf(ports, state, turn_id).filter(({ low_below }) => low_below !== undefined)
  if (limits.length === 0) return [place(spent)]
  const payer = payerOf(state, turn_id).turn_id
  const { input_tokens: sent, output_tokens: got } = usage
  const tokens = sent === "unknown" || got === "unknown" ? ("unknown" as const) : sent + got
  const { amount, currency } = spent.payload
  const use = {
    request_id,
    ...(payer === undefined ? {} : { turn_id: payer }),
    at: ports.now(),
    provider,
    model,
    tokens,
    amount,
    currency,
  }
  const before = standingsOf(ports, state, turn_id, request_id)
  const low = limits.flatMap((limit) => quotaLow(limit, before, use) ?? [])
  return [place(spent), ...low.map(place)]
}

/** A time that no calendar holds could not be written; whoever asks for more than this is asked again after it. */
const longestWaitMs = 30 * 86_400_000

function boundedWait({ retry_after_ms: wait, ...failure }: Failure): Failure {
  if (wait === undefined || Number.isNaN(wait)) return failure
  return { ...failure, retry_after_ms: Math.min(Math.max(0, wait), longestWaitMs) }
}

/** What follows a failed request: another try, a block that somebody can lift, or the end of the turn. */
export function afterFailure(
  ports: RoutingPorts,
  state: SessionState,
  request: ModelRequest,
  given: Failure,
): Draft[] {
  const { turn_id, step_id, request_id, provider } = request
  const failure = boundedWait(given)
  const { category, reason, retryable, retry_after_ms } = failure
  const now = ports.now()
  const closing = failedRequest(state, request, failure)
  if (category === "rate_limited") {
    const refusal = { request_id, provider, ...(retry_after_ms === undefined ? {} : { retry_after_ms }) }
    closing.push(placed(state, turn_id, step_id, rateLimitHit(refusal, now)))
  }
  const tries = stepTries(state, { ...request, status: "failed", failure: { category, reason, retryable } })
  const next = tries && fallback(tries, failure, request_id, now, ports.patience)
  if (next !== undefined && next.kind !== "stop") return [...closing, ...trying(state, turn_id, next, reason)]
  const said = next !== undefined && (tries?.candidates.length ?? 0) > 1 ? next.reason : reason
  if (next?.state === "blocked") {
    return [...closing, ...held(state, turn_id, "blocked", said, { missing: next.missing })]
  }
  const ending = { status: "failed", category, reason: said, next: nextFor(failure) } as const
  return endTurn(state, turn_id, ending, closing)
}

function trying(
  state: SessionState,
  turn_id: string,
  next: Exclude<Next, { kind: "stop" }>,
  cause: string,
): Draft[] {
  const { kind, choice, attempt } = next
  const named = `${choice.provider} ${choice.model}`
  if (kind === "fallback") {
    const detail = `Change of model ${next.number}, to ${named}: ${cause}`
    return held(state, turn_id, "retrying", detail, { kind, number: next.number, cause, to: choice })
  }
  const next_try_at = new Date(next.at).toISOString()
  const detail = `Try ${attempt} of ${named} at ${next_try_at}: ${cause}`
  const resource = next.state === "waiting_resource" ? { resource: "quota" } : {}
  return held(state, turn_id, next.state, detail, { kind, number: attempt, cause, next_try_at, ...resource })
}

function nextFor({ category, retryable }: Failure): string {
  if (category === "cut_stream") return "Send the message again."
  return retryable ? "Try again in a moment." : "Read the reason, then send the message again."
}
