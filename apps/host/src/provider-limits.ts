import type { ScopedLimit } from "@factum/runtime/routing"
import type { Config } from "./config/index.ts"
import type { ProviderLimit } from "./config/schema.ts"

/** What may be asked of each provider, in each session. */
export function providerLimits({ providers }: Config): ScopedLimit[] {
  return Object.entries(providers).flatMap(([provider, { limits = [] }]) =>
    limits.map((limit) => scoped(provider, limit)),
  )
}

function scoped(provider: string, limit: ProviderLimit): ScopedLimit {
  const { name, unit, max, every_ms, window = "sliding", low_below, model, strict } = limit
  const isRate = every_ms !== undefined && window === "sliding"
  return {
    limit: `${name} of ${provider}`,
    kind: isRate ? "rate" : "quota",
    unit,
    max,
    per: "session",
    of: { provider, ...(model === undefined ? {} : { model }) },
    ...(every_ms === undefined ? {} : { window: { every_ms, as: window } }),
    ...(low_below === undefined ? {} : { low_below }),
    ...(strict === undefined ? {} : { strict }),
  }
}
