import { createModel } from "@factum/runtime/providers"
import type { Offer, Price, ScopedLimit } from "@factum/runtime/routing"
import type { Config } from "./config/index.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** Where the keys of the known providers are usually kept. */
export const usualKeys: Readonly<Record<string, string>> = {
  anthropic: "ANTHROPIC_API_KEY",
  openai: "OPENAI_API_KEY",
  google: "GOOGLE_GENERATIVE_AI_API_KEY",
}

/** The configured model and those that may take its place, in this order; then what agents are pinned to. */
export function offersOf(config: Config, env: Environment): Offer[] {
  const { model, fallbacks } = config
  if (model === undefined) return []
  const usual = [model, ...fallbacks]
  const pinned = new Set(config.agents.flatMap((agent) => agent.model ?? []))
  return [
    ...usual.map((named) => offerOf(config, named, env)),
    ...[...pinned]
      .filter((named) => !usual.includes(named))
      .map((named): Offer => ({ ...offerOf(config, named, env), reserved: true })),
  ]
}

function offerOf({ providers, reasoning: usual }: Config, named: string, env: Environment): Offer {
  const [name = "", ...rest] = named.split("/")
  const model = rest.join("/")
  const provider = providers[name]
  const kind = (provider?.kind ?? name).replace("_", "-")
  const held = provider === undefined && usualKeys[kind] === undefined
  const variable = provider?.api_key_env ?? usualKeys[kind] ?? ""
  const key = env[variable]
  const made = createModel({
    provider: kind as Parameters<typeof createModel>[0]["provider"],
    name,
    model,
    ...(provider?.base_url === undefined ? {} : { base_url: provider.base_url }),
    ...(provider?.api === undefined ? {} : { api: provider.api }),
    ...(provider?.headers === undefined ? {} : { headers: provider.headers }),
    ...(provider?.stall_ms === undefined ? {} : { stall_ms: provider.stall_ms }),
    ...(key === undefined || key === "" ? {} : { api_key: key }),
  })
  const own = provider?.models?.[model] ?? {}
  const { context_tokens, output_tokens, reasoning = usual, usd_per_million: price } = own
  const known = {
    provider: name,
    model,
    context_window: context_tokens ?? ("unknown" as const),
    capabilities: "unknown" as const,
    ...(output_tokens === undefined ? {} : { output_tokens }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(price === undefined ? {} : { price: priceOf(price) }),
  }
  if (held) return { ...known, unavailable: `${named} cannot be asked: its provider is not in use here.` }
  if (made.ok) return { ...known, via: made.model }
  const naming = `Say with "api_key_env" of providers.${name} in which variable it is, set that one and start again.`
  const supply = variable === "" ? naming : `Set ${variable} and start again.`
  const fix = made.missing === "credential" ? ` ${supply}` : ""
  return { ...known, unavailable: `${named} cannot be asked: ${made.message}${fix}` }
}

const priceOf = (price: Omit<Price, "currency" | "version">): Price => ({
  currency: "USD",
  version: "configuration",
  ...price,
})

/** What a turn and a session may use up. */
export function limitsOf({ budgets }: Config): ScopedLimit[] {
  return (["turn", "session"] as const).flatMap((per) => {
    const { steps, tool_calls, tokens, cost_usd, time_ms, unpriced } = budgets[per]
    const budget = (name: string, unit: string, max: number | undefined): ScopedLimit[] =>
      max === undefined ? [] : [{ limit: `${name} of the ${per}`, kind: "budget", unit, max, per }]
    const cost = budget("cost", "USD", cost_usd)
    return [
      ...(unpriced === "block" ? cost.map((limit) => ({ ...limit, unmeasured: unpriced })) : cost),
      ...budget("tokens", "tokens", tokens),
      ...budget("steps", "requests", steps),
      ...budget("tool calls", "calls", tool_calls),
      ...budget("time", "ms", time_ms),
    ]
  })
}

/** A budget of money cannot count a model without a price. */
export function unpricedNotes(offers: readonly Offer[], { budgets }: Config): string[] {
  const named = (["turn", "session"] as const).filter((per) => budgets[per].cost_usd !== undefined)
  if (named.length === 0) return []
  return offers
    .filter(({ price, via }) => price === undefined && via !== undefined)
    .map(({ provider, model }) => {
      const where = `providers.${provider}.models["${model}"].usd_per_million`
      return `What ${provider}/${model} costs is not known, so that the budget of cost_usd for a ${named.join(" and a ")} does not count it. Give ${where}, or say "unpriced": "block" beside it.`
    })
}
