import type { Amount, KnownTime } from "@factum/facts"
import type { FactOf } from "./fact.ts"
import { applies, isMeasured, type Limit, type Standing, sizeOf, standing, type Use } from "./standing.ts"

export { isMeasured, type Limit, type Standing, standing, type Use, useOf } from "./standing.ts"

/** A refusal for the rate that a provider gave before, with the time of the next try if it named one. */
export type Hit = { provider: string; limit: string; next_try_at: number | "unknown" }

export type Asked = {
  request_id: string
  turn_id?: string
  provider: string
  model: string
  estimate?: { tokens: Amount; amount: Amount; currency: string }
}

export type Gate =
  | { go: true }
  | { go: false; state: "waiting_resource"; resource: "quota"; until: number; reason: string; facts: Stop[] }
  | { go: false; state: "blocked"; missing: "quota"; reason: string; facts: Stop[] }
/** What was used, or who can say how a limit stands. */
export type Used = readonly Use[] | ((limit: Limit) => Standing)
type Stop = FactOf<"quota.blocked">

/** Asked before every request: a reached limit acts before the next one, not after it. */
export function gate(
  limits: readonly Limit[],
  used: Used,
  hits: readonly Hit[],
  asked: Asked,
  now: number,
): Gate {
  const at = typeof used === "function" ? used : (limit: Limit) => standing(limit, used, now)
  const reached = limits
    // Calls are counted where they are made: an answer needs none.
    .filter((limit) => limit.unit !== "calls" && applies(limit, asked))
    .map((limit) => ({ limit, at: at(limit) }))
    .filter(({ limit, at }) => isReached(limit, at, asked))
  const facts = reached.map(({ limit, at }) => stopped(limit, at, asked.request_id))
  const final = reached.find(({ limit, at }) => at.resets_at === "never" || neverFits(limit, asked))
  if (final !== undefined) {
    const reason = reasonOf(final.limit, final.at, asked)
    return { go: false, state: "blocked", missing: "quota", reason, facts }
  }
  const waits = [
    ...reached.map(({ limit, at }) => ({ until: Number(at.resets_at), reason: reasonOf(limit, at) })),
    ...hits.flatMap(({ provider, limit, next_try_at }) =>
      provider === asked.provider && next_try_at !== "unknown" && next_try_at > now
        ? [{ until: next_try_at, reason: `${provider} limits its ${limit}.` }]
        : [],
    ),
  ]
  const longest = waits.toSorted((a, b) => b.until - a.until)[0]
  if (longest === undefined) return { go: true }
  return { go: false, state: "waiting_resource", resource: "quota", ...longest, facts }
}

function isReached(limit: Limit, { used, unmeasured }: Standing, asked: Asked): boolean {
  if (used >= limit.max) return true
  if (limit.unmeasured === "block" && (unmeasured > 0 || isUnpriced(limit, asked))) return true
  return limit.strict === true && used + expected(limit, asked) > limit.max
}

const isUnpriced = ({ unit }: Limit, { estimate }: Asked): boolean =>
  !isMeasured(unit) && estimate?.amount === "unknown"

/** No reset makes room for a request that is larger than the whole limit. */
const neverFits = (limit: Limit, asked: Asked): boolean =>
  limit.max <= 0 || (limit.strict === true && expected(limit, asked) > limit.max)

function expected({ unit }: Limit, { estimate }: Asked): number {
  if (unit === "requests") return 1
  if (estimate === undefined) return 0
  const size = unit === "tokens" ? estimate.tokens : estimate.currency === unit ? estimate.amount : 0
  return size === "unknown" ? 0 : size
}

export function stopped(limit: Limit, { used, resets_at }: Standing, request_id?: string): Stop {
  const at: KnownTime = resets_at === "never" ? "unknown" : new Date(resets_at).toISOString()
  const payload = { quota: limit.limit, unit: limit.unit, used, limit: limit.max, resets_at: at }
  const of = request_id === undefined ? payload : { ...payload, request_id }
  return { type: "quota.blocked", payload: of }
}

export function reasonOf(of: Limit, { used, unmeasured }: Standing, asked?: Asked): string {
  const { limit, unit, max } = of
  const unknown = unmeasured === 0 ? "" : `; the size of ${unmeasured} more is not known`
  const next =
    of.unmeasured === "block" && used < max && asked !== undefined && isUnpriced(of, asked)
      ? `; what ${asked.provider}/${asked.model} costs is not known`
      : ""
  return `${limit}: ${used} of ${max} ${unit} are used${unknown}${next}.`
}

/** Told when a use brings what remains below the threshold: once on the way down, again only after it came back. */
export function quotaLow(limit: Limit, used: Used, use: Use): FactOf<"quota.low"> | undefined {
  const { low_below: threshold, unit, max } = limit
  if (threshold === undefined || !applies(limit, use)) return undefined
  const at = typeof used === "function" ? used(limit) : standing(limit, used, use.at)
  const size = sizeOf(unit, use)
  const after = Math.round((at.used + (size === "unknown" ? 0 : size)) * 1e9) / 1e9
  const [before, remaining] = [at.remaining, Math.max(0, max - after)]
  if (before < threshold || remaining >= threshold) return undefined
  return { type: "quota.low", payload: { quota: limit.limit, unit, remaining, limit: max, threshold } }
}

/** A provider refused a request for its rate. */
export function rateLimitHit(
  refusal: { request_id: string; provider: string; retry_after_ms?: number },
  now: number,
): FactOf<"rate_limit.hit"> {
  const { request_id, provider, retry_after_ms } = refusal
  const next_try_at = retry_after_ms === undefined ? "unknown" : new Date(now + retry_after_ms).toISOString()
  return { type: "rate_limit.hit", payload: { request_id, provider, limit: "rate of requests", next_try_at } }
}

/** One fact for every limit that is new, gone or of another size; nothing for one that stays. */
export function limitChanges(
  before: readonly Limit[],
  after: readonly Limit[],
  source: string,
): FactOf<"limit.changed">[] {
  const named = (limits: readonly Limit[], name: string) => limits.find(({ limit }) => limit === name)
  const names = new Set([...before, ...after].map(({ limit }) => limit))
  return [...names].flatMap((limit): FactOf<"limit.changed">[] => {
    const [old, now] = [named(before, limit), named(after, limit)]
    const shown = now ?? old
    if (shown === undefined || (old?.max === now?.max && old?.unit === now?.unit)) return []
    const comparable = old === undefined || now === undefined || old.unit === now.unit
    const payload = {
      limit,
      kind: shown.kind,
      unit: shown.unit,
      old: old === undefined ? ("unlimited" as const) : comparable ? old.max : ("unknown" as const),
      new: now?.max ?? ("unlimited" as const),
      source,
    }
    return [{ type: "limit.changed", payload }]
  })
}
