import type { ModelChoice, ModelRequest, Routing } from "@factum/facts"
import type { ModelChunk } from "../ports/model.ts"
import type { FactOf } from "./fact.ts"
import { isSame } from "./route.ts"

export type Failure = Pick<
  Extract<ModelChunk, { kind: "error" }>,
  "reason" | "retryable" | "retry_after_ms"
> & {
  category: "provider_error" | "rate_limited" | "malformed" | "cut_stream" | "time_limit"
  missing?: "credential" | "model" | "quota" | "context_window"
}

/** What is known of a routing after some tries. All of it can be read from the log, also after a restart. */
export type Tries = {
  routing_id: string
  /** Eligible ones, best first. */
  candidates: readonly ModelChoice[]
  choice: ModelChoice
  tried: readonly (ModelChoice & { times: number; ruled_out: boolean })[]
  fallbacks: number
}

export type Patience = {
  /** How often one candidate is tried, the first time counted. */
  tries: number
  first_wait_ms: number
  longest_wait_ms: number
  /** When a provider asks to wait longer than this and another candidate is left, that one is taken. */
  longest_before_switch_ms: number
}
export const patience: Patience = {
  tries: 3,
  first_wait_ms: 1_000,
  longest_wait_ms: 60_000,
  longest_before_switch_ms: 20_000,
}

export type Next =
  /** The same model again, at a time. The work is `retrying`, or `waiting_resource` when a rate limit is the cause. */
  | {
      kind: "retry"
      choice: ModelChoice
      attempt: number
      at: number
      state: "retrying" | "waiting_resource"
      cause: string
    }
  | {
      kind: "fallback"
      choice: ModelChoice
      attempt: number
      number: number
      fact: FactOf<"routing.fallback.applied">
    }
  /** `blocked` when someone can supply what is missing, `failed` otherwise. */
  | { kind: "stop"; state: "blocked" | "failed"; missing?: "credential" | "quota"; reason: string }

/** What follows a failed request. `request_id` is the one that the next try would have. */
export function fallback(
  tries: Tries,
  failure: Failure,
  request_id: string,
  now: number,
  allowed: Patience = patience,
): Next {
  const { choice } = tries
  const times = timesOf(tries, choice)
  const next = tries.candidates.find((one) => !isSame(one, choice) && isLeft(tries, one, allowed))
  const wait = waitOf(failure, times, allowed)
  const again = failure.retryable && isLeft(tries, choice, allowed)
  if (again && (next === undefined || wait <= allowed.longest_before_switch_ms)) {
    const state = failure.category === "rate_limited" ? "waiting_resource" : "retrying"
    return { kind: "retry", choice, attempt: times + 1, at: now + wait, state, cause: failure.reason }
  }
  if (next === undefined) return stop(tries, failure)
  const number = tries.fallbacks + 1
  const { routing_id } = tries
  const payload = { routing_id, from: choice, to: next, cause: failure.reason, number, request_id }
  const fact = { type: "routing.fallback.applied", payload } as const
  return { kind: "fallback", choice: next, attempt: timesOf(tries, next) + 1, number, fact }
}

function isLeft(tries: Tries, choice: ModelChoice, { tries: most }: Patience): boolean {
  const ruledOut = tries.tried.find((one) => isSame(one, choice))?.ruled_out ?? false
  return !ruledOut && timesOf(tries, choice) < most
}

const timesOf = ({ tried }: Tries, choice: ModelChoice): number =>
  tried.find((one) => isSame(one, choice))?.times ?? 0

/** Twice as long every time, but never less than the provider asks for. */
function waitOf({ retry_after_ms = 0 }: Failure, times: number, allowed: Patience): number {
  const doubled = allowed.first_wait_ms * 2 ** Math.max(0, times - 1)
  return Math.max(retry_after_ms, Math.min(doubled, allowed.longest_wait_ms))
}

function stop({ candidates, choice }: Tries, { missing, reason }: Failure): Next {
  const others = candidates.length - 1
  const left = others === 0 ? "No other model may take its place." : `The other ${others} were tried as well.`
  const said = `${choice.provider}/${choice.model}: ${reason} ${left}`
  if (missing === "credential" || missing === "quota")
    return { kind: "stop", state: "blocked", missing, reason: said }
  return { kind: "stop", state: "failed", reason: said }
}

/**
 * The tries of a routing so far. `requests` are those of its step; a request whose failure cannot be mended by trying
 * again rules its model out.
 */
export function triesOf(routing: Routing, requests: readonly ModelRequest[]): Tries | undefined {
  if (routing.choice === undefined || routing.candidates === "unknown") return undefined
  const candidates = routing.candidates.flatMap(({ eligible, provider, model }) =>
    eligible ? [{ provider, model }] : [],
  )
  const tried = candidates.flatMap((candidate) => {
    const mine = requests.filter((request) => isSame(request, candidate))
    const ruled_out = mine.some(({ failure }) => failure?.retryable === false)
    return mine.length === 0 ? [] : [{ ...candidate, times: mine.length, ruled_out }]
  })
  const { routing_id, choice, fallbacks } = routing
  return { routing_id, candidates, choice, tried, fallbacks: fallbacks.length }
}
