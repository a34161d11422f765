import type { Amount, CostRecorded, EventOf } from "@factum/facts"

/** `requests`, `tokens`, `calls`, `ms` of time at work, or a currency such as `USD`. */
export type Unit = string

export type Limit = {
  /** Its name, for people and facts. */
  limit: string
  kind: "cost" | "quota" | "rate" | "budget" | "policy"
  unit: Unit
  max: number
  /** `sliding`: the last so many milliseconds. `fixed`: it begins anew at every multiple. Without, it never does. */
  window?: { every_ms: number; as: "sliding" | "fixed" }
  /** `quota.low` is told when less than this remains, in the limit's unit. */
  low_below?: number
  /** Of which provider, model or turn it counts the requests; all of them when not said. */
  of?: { provider?: string; model?: string; turn_id?: string }
  /** A request whose estimate does not fit is stopped too, not only one after the limit. */
  strict?: boolean
  /** What a use of unknown size means; `go` counts it as nothing. */
  unmeasured?: "go" | "block"
}

/** One request: with its estimate from when it is sent, with what was recorded once it has ended. */
export type Use = {
  request_id: string
  at: number
  turn_id?: string
  provider: string
  model: string
  tokens: Amount
  amount: Amount
  currency: string
}

export type Standing = {
  used: number
  /** Uses whose size is not known. */
  unmeasured: number
  remaining: number
  /** When something of it comes back. */
  resets_at: number | "never"
}

export function standing(limit: Limit, uses: readonly Use[], now: number): Standing {
  const latest = new Map(uses.map((use) => [use.request_id, use]))
  const counted = [...latest.values()].filter((use) => applies(limit, use) && inWindow(limit, use.at, now))
  const sizes = counted.map((use) => sizeOf(limit.unit, use))
  const used = total(sizes)
  const unmeasured = sizes.filter((size) => size === "unknown").length
  return {
    used,
    unmeasured,
    remaining: Math.max(0, limit.max - used),
    resets_at: resetOf(limit, counted, now),
  }
}

/** Units that are no money. */
export const isMeasured = (unit: Unit): boolean => ["requests", "tokens", "calls", "ms"].includes(unit)

const total = (sizes: readonly Amount[]): number =>
  Math.round(sizes.reduce<number>((sum, size) => sum + (size === "unknown" ? 0 : size), 0) * 1e9) / 1e9

export function applies(
  { of = {} }: Limit,
  use: { provider: string; model: string; turn_id?: string },
): boolean {
  if (of.turn_id !== undefined && of.turn_id !== use.turn_id) return false
  if (of.provider !== undefined && of.provider !== use.provider) return false
  return of.model === undefined || of.model === use.model
}

function inWindow({ window }: Limit, at: number, now: number): boolean {
  if (window === undefined) return true
  if (window.as === "sliding") return at > now - window.every_ms
  return Math.floor(at / window.every_ms) >= Math.floor(now / window.every_ms)
}

/** Another currency is no part of this limit; a price that is not known may be. */
export function sizeOf(unit: Unit, use: Use): Amount {
  if (unit === "requests") return 1
  if (unit === "tokens") return use.tokens
  if (isMeasured(unit)) return 0
  return use.currency === unit || use.currency === "unknown" ? use.amount : 0
}

/** For a sliding window: when so much has left it that the limit is no longer reached. */
function resetOf({ window, max, unit }: Limit, counted: readonly Use[], now: number): number | "never" {
  if (window === undefined) return "never"
  if (window.as === "fixed") return (Math.floor(now / window.every_ms) + 1) * window.every_ms
  const inOrder = counted.toSorted((a, b) => a.at - b.at)
  let used = total(inOrder.map((use) => sizeOf(unit, use)))
  for (const use of inOrder) {
    const size = sizeOf(unit, use)
    used = Math.round((used - (size === "unknown" ? 0 : size)) * 1e9) / 1e9
    if (used < max) return use.at + window.every_ms
  }
  return now + window.every_ms
}

/** What a recorded cost uses up. */
export function useOf({ timestamp, payload }: Recorded): Use {
  const { request_id, provider = "unknown", model = "unknown", amount, currency, usage } = payload
  const { input_tokens, output_tokens } = usage
  const known = input_tokens !== "unknown" && output_tokens !== "unknown"
  const tokens = known ? input_tokens + output_tokens : "unknown"
  return { request_id, at: Date.parse(timestamp), provider, model, tokens, amount, currency }
}
type Recorded = Pick<EventOf<typeof CostRecorded>, "timestamp" | "payload">
