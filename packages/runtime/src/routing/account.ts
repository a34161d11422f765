import type { OpenSpend, Spending, SpentLine } from "@factum/facts"
import { applies, type Limit, type Standing } from "./standing.ts"

/** What a limit without a window is measured by: sums, of which some are told twice and taken away once. */
export type Account = { added: readonly Spending[]; taken: readonly Spending[]; at_work_ms: number }

type Size = { used: number; unmeasured: number }
const none: Size = { used: 0, unmeasured: 0 }

/** `except` is a request under way that is left out. */
export function standingOf(limit: Limit, account: Account, except?: string): Standing {
  const plus = account.added.map((one) => sizeOf(limit, one, except))
  const minus = account.taken.map((one) => sizeOf(limit, one, except))
  const sum = (sizes: readonly Size[], field: keyof Size) =>
    sizes.reduce((total, size) => total + size[field], 0)
  const counted = Math.round((sum(plus, "used") - sum(minus, "used")) * 1e9) / 1e9
  const used = limit.unit === "ms" ? account.at_work_ms : Math.max(0, counted)
  const unmeasured = Math.max(0, sum(plus, "unmeasured") - sum(minus, "unmeasured"))
  return { used, unmeasured, remaining: Math.max(0, limit.max - used), resets_at: "never" }
}

function sizeOf(limit: Limit, { lines, open, calls }: Spending, except: string | undefined): Size {
  const { unit } = limit
  if (unit === "ms") return none
  if (unit === "calls") return { used: calls, unmeasured: 0 }
  // Which turn is meant was decided with the choice of the account.
  const { of: { turn_id: _, ...of } = {}, ...rest } = limit
  const mine = (one: { provider: string; model: string }) => applies({ ...rest, of }, one)
  const ended = Object.values(lines).filter(mine)
  const begun = Object.entries(open).filter(([id, one]) => one.sent && id !== except && mine(one))
  const sizes = [...ended.map((line) => ofLine(unit, line)), ...begun.map(([, one]) => ofOpen(unit, one))]
  return sizes.reduce((a, b) => ({ used: a.used + b.used, unmeasured: a.unmeasured + b.unmeasured }), none)
}

function ofLine(unit: string, { requests, tokens, uncounted, amounts }: SpentLine): Size {
  if (unit === "requests") return { used: requests, unmeasured: 0 }
  if (unit === "tokens") return { used: tokens, unmeasured: uncounted }
  const { known, unpriced } = amounts[unit] ?? { known: 0, unpriced: 0 }
  // Another currency is no part of this limit; a price that is not known may be.
  return { used: known, unmeasured: unpriced + (amounts.unknown?.unpriced ?? 0) }
}

function ofOpen(unit: string, { amount, currency }: OpenSpend): Size {
  if (unit === "requests") return { used: 1, unmeasured: 0 }
  if (unit === "tokens") return { used: 0, unmeasured: 1 }
  if (currency !== unit && currency !== "unknown") return none
  return amount === "unknown" ? { used: 0, unmeasured: 1 } : { used: amount, unmeasured: 0 }
}
