import type { Amount } from "@factum/facts"
import type { ModelUsage } from "../ports/model.ts"
import type { FactOf } from "./fact.ts"

/** For a million tokens. Cached tokens and those written to a cache cost what input costs, where not said. */
export type Price = {
  currency: string
  /** Which list this is from, so that a recorded amount can be explained later. */
  version: string
  input: number
  output: number
  cached_input?: number
  cache_write?: number
}

/** Amounts are whole billionths inside, so that a sum does not depend on the order of its parts. */
const unit = 1e9
const rounded = (amount: number): number => Math.round(amount * unit) / unit

/** Unknown stays unknown; only what is known to be free costs 0 whatever its usage. */
export function priceOf(price: Price | undefined, usage: ModelUsage): Amount {
  if (price === undefined) return "unknown"
  const { input, output, cached_input = input, cache_write = input } = price
  if (Math.max(input, output, cached_input, cache_write) === 0) return 0
  const { input_tokens, output_tokens, cached_tokens = 0, cache_write_tokens = 0 } = usage
  if (input_tokens === "unknown" || output_tokens === "unknown") return "unknown"
  const plain = Math.max(0, input_tokens - cached_tokens - cache_write_tokens)
  const tokens = plain * input + cached_tokens * cached_input + cache_write_tokens * cache_write
  return rounded((tokens + output_tokens * output) / 1e6)
}

export type Expected = { input_tokens: number | "unknown"; output_tokens: number | "unknown" }

export function costEstimated(
  request_id: string,
  price: Price | undefined,
  expected: Expected,
): FactOf<"cost.estimated"> {
  const { input_tokens, output_tokens } = expected
  const amount = priceOf(price, expected)
  const basis = `About ${input_tokens} tokens in, ${output_tokens} out; prices ${price?.version ?? "unknown"}.`
  const payload = { request_id, amount, currency: price?.currency ?? "unknown", basis }
  return { type: "cost.estimated", payload }
}

export type Spent = {
  request_id: string
  provider: string
  model: string
  outcome: "completed" | "failed" | "cancelled" | "unknown"
  /** Left out when the request ended without a word about it. */
  usage?: ModelUsage
}

export function costRecorded(spent: Spent, price: Price | undefined): FactOf<"cost.recorded"> {
  const { request_id, provider, model, outcome } = spent
  const usage = spent.usage ?? { input_tokens: "unknown", output_tokens: "unknown" }
  const { input_tokens, output_tokens, cached_tokens, reasoning_tokens } = usage
  return {
    type: "cost.recorded",
    payload: {
      request_id,
      amount: priceOf(price, usage),
      currency: price?.currency ?? "unknown",
      usage: {
        input_tokens,
        output_tokens,
        ...(cached_tokens === undefined ? {} : { cached_tokens }),
        ...(reasoning_tokens === undefined ? {} : { reasoning_tokens }),
      },
      outcome,
      provider,
      model,
      ...(price === undefined ? {} : { price_version: price.version }),
    },
  }
}
