import type { Amount, ModelChoice } from "@factum/facts"
import { type Price, priceOf } from "./cost.ts"
import type { FactOf } from "./fact.ts"
import type { Gate } from "./limits.ts"

export const capabilities = [
  "tools",
  "images",
  "audio",
  "documents",
  "reasoning",
  "structured_output",
] as const
export type Capability = (typeof capabilities)[number]

export type Candidate = ModelChoice & {
  context_window: number | "unknown"
  capabilities: readonly Capability[] | "unknown"
  price?: Price
  /** Why it cannot be used at all: no key, switched off. */
  unavailable?: string
}

export type TaskProfile = {
  /** Such as `answer`, `coding`, `summary`. */
  profile: string
  needs: readonly Capability[]
  input_tokens: number | "unknown"
  output_tokens: number | "unknown"
  /** What one request may cost. */
  most?: { amount: number; currency: string }
  /** `order` takes the first that fits, as configured; `cheapest` the one with the lowest known estimate. */
  prefer?: "order" | "cheapest"
  pinned?: ModelChoice & { replaceable: boolean }
}

export type RoutingFact = FactOf<
  | "task.profile.resolved"
  | "routing.candidates.resolved"
  | "routing.single_candidate"
  | "routing.decided"
  | "routing.not_possible"
  | "quota.blocked"
>

export type Routed =
  | { kind: "decided"; choice: ModelChoice; facts: readonly RoutingFact[] }
  /** No model is called; the work is blocked until someone changes what excludes the candidates. */
  | { kind: "not_possible"; reason: string; facts: readonly RoutingFact[] }
  /** Someone fits, but later: nothing is decided yet, and routing is asked again at that time. */
  | { kind: "wait"; until: number; reason: string; facts: readonly RoutingFact[] }

type Excluded = ModelChoice & { reason: string }

/** Which model answers one request. The facts come in the order in which they are to be recorded. */
export function route(
  ids: { routing_id: string; request_id: string },
  profile: TaskProfile,
  candidates: readonly Candidate[],
  gateOf: (candidate: Candidate) => Gate = () => ({ go: true }),
): Routed {
  const { routing_id, request_id } = ids
  const fits: Candidate[] = []
  const excluded: Excluded[] = unconfigured(profile, candidates)
  const waits: { until: number; reason: string }[] = []
  const stops: RoutingFact[] = []
  for (const candidate of unique(candidates)) {
    const reason = exclusion(profile, candidate)
    const limit: Gate = reason === undefined ? gateOf(candidate) : { go: true }
    if (reason === undefined && limit.go) fits.push(candidate)
    else if (reason !== undefined) excluded.push({ ...named(candidate), reason })
    else if (!limit.go) {
      excluded.push({ ...named(candidate), reason: limit.reason })
      stops.push(...limit.facts.filter(({ payload }) => !isTold(stops, payload.quota)))
      if (limit.state === "waiting_resource") waits.push({ until: limit.until, reason: limit.reason })
    }
  }
  const soonest = waits.toSorted((a, b) => a.until - b.until)[0]
  if (fits.length === 0 && soonest !== undefined) return { kind: "wait", ...soonest, facts: stops }

  const ranked = fits.toSorted((a, b) => rank(profile, a) - rank(profile, b))
  const eligible = ranked.map((candidate) => ({ ...named(candidate), eligible: true as const }))
  const facts: RoutingFact[] = [
    { type: "task.profile.resolved", payload: { routing_id, ...told(profile) } },
    {
      type: "routing.candidates.resolved",
      payload: {
        routing_id,
        candidates: [...eligible, ...excluded.map((one) => ({ ...one, eligible: false as const }))],
      },
    },
  ]
  const [best] = ranked
  if (best === undefined) {
    const reason = noneFits(excluded)
    const payload = { routing_id, reason, exclusions: excluded }
    facts.push({ type: "routing.not_possible", payload }, ...stops)
    return { kind: "not_possible", reason, facts }
  }
  const choice = named(best)
  if (ranked.length === 1) {
    facts.push({ type: "routing.single_candidate", payload: { routing_id, choice, exclusions: excluded } })
  }
  const reason = reasonOf(profile, best, ranked.length)
  facts.push({ type: "routing.decided", payload: { routing_id, choice, reason, request_id } })
  return { kind: "decided", choice, facts }
}

/** One limit may stop several candidates of the same request. */
const isTold = (facts: readonly RoutingFact[], quota: string): boolean =>
  facts.some((fact) => fact.type === "quota.blocked" && fact.payload.quota === quota)

export const isSame = (a: ModelChoice, b: ModelChoice): boolean =>
  a.provider === b.provider && a.model === b.model

function named({ provider, model }: ModelChoice): ModelChoice {
  return { provider, model }
}

function unique(candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.filter((one, at) => candidates.findIndex((other) => isSame(one, other)) === at)
}

function unconfigured({ pinned }: TaskProfile, candidates: readonly Candidate[]): Excluded[] {
  if (pinned === undefined || candidates.some((one) => isSame(one, pinned))) return []
  return [{ ...named(pinned), reason: "It is pinned, but not configured." }]
}

function exclusion(profile: TaskProfile, candidate: Candidate): string | undefined {
  const { pinned, needs, input_tokens, output_tokens, most } = profile
  if (pinned !== undefined && !pinned.replaceable && !isSame(pinned, candidate)) {
    return `${pinned.provider}/${pinned.model} is pinned, and may not be replaced.`
  }
  if (candidate.unavailable !== undefined) return candidate.unavailable || "It is not available."
  const { capabilities: able, context_window: window } = candidate
  const lacks = able === "unknown" ? [] : needs.filter((need) => !able.includes(need))
  if (lacks.length > 0) return `It has no ${lacks.join(", ")}.`
  const tokens = sum(input_tokens, output_tokens)
  if (window !== "unknown" && tokens > window) {
    return `Its window of ${window} tokens is too small for about ${tokens}.`
  }
  return most === undefined ? undefined : tooDear(most, candidate, profile)
}

function tooDear(
  most: { amount: number; currency: string },
  candidate: Candidate,
  profile: TaskProfile,
): string | undefined {
  const allowed = `${most.amount} ${most.currency}`
  const { amount, currency } = estimate(profile, candidate)
  if (amount === "unknown") return `Its cost is not known, and a request may cost ${allowed} at most.`
  if (amount > 0 && currency !== most.currency)
    return `Its price is in ${currency}, the limit in ${most.currency}.`
  return amount > most.amount ? `About ${amount} ${currency} is more than the ${allowed} allowed.` : undefined
}

export function estimate(profile: TaskProfile, { price }: Candidate): { amount: Amount; currency: string } {
  return { amount: priceOf(price, profile), currency: price?.currency ?? "unknown" }
}

const sum = (a: number | "unknown", b: number | "unknown"): number =>
  (a === "unknown" ? 0 : a) + (b === "unknown" ? 0 : b)

/** The pinned first, then those known to fit, then by price where asked; else the configured order stays. */
function rank(profile: TaskProfile, candidate: Candidate): number {
  if (profile.pinned !== undefined && isSame(profile.pinned, candidate)) return -1
  const doubtful = isDoubtful(profile, candidate) ? 1e12 : 0
  if (profile.prefer !== "cheapest") return doubtful
  const { amount } = estimate(profile, candidate)
  return doubtful + (amount === "unknown" ? 1e9 : amount)
}

function isDoubtful({ needs }: TaskProfile, candidate: Candidate): boolean {
  return candidate.context_window === "unknown" || (candidate.capabilities === "unknown" && needs.length > 0)
}

function told({ profile, needs, pinned, ...rest }: TaskProfile) {
  const { input_tokens, output_tokens, most, prefer = "order" } = rest
  const constraints = { input_tokens, output_tokens, prefer, ...(most === undefined ? {} : { most }) }
  return { profile, needs: [...needs], ...(pinned === undefined ? {} : { pinned }), constraints }
}

function reasonOf(profile: TaskProfile, best: Candidate, count: number): string {
  const doubt = isDoubtful(profile, best) ? " Whether it can do all that is needed is not known." : ""
  if (profile.pinned !== undefined && isSame(profile.pinned, best)) return `It is pinned.${doubt}`
  if (count === 1) return `It is the only one that fits.${doubt}`
  if (profile.prefer !== "cheapest")
    return `It is the first of ${count} that fit, in the configured order.${doubt}`
  const { amount, currency } = estimate(profile, best)
  const about = amount === "unknown" ? "no price is known" : `about ${amount} ${currency}`
  return `It is the cheapest of ${count} that fit: ${about}.${doubt}`
}

function noneFits(excluded: readonly Excluded[]): string {
  if (excluded.length === 0) return "No model is configured. Add one to the configuration."
  const each = excluded.map(({ provider, model, reason }) => `${provider}/${model}: ${reason}`)
  return `No model can take this work. ${each.join(" ")}`
}
