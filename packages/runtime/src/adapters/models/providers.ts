import { createAnthropic } from "@ai-sdk/anthropic"
import { createGoogle } from "@ai-sdk/google"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import type { Model, ModelCall } from "../../ports/model.ts"
import { type ProviderOptions, providerModel } from "./provider.ts"

export const providerKinds = ["anthropic", "openai", "google", "openai-compatible"] as const

export type ProviderConfig = {
  provider: (typeof providerKinds)[number]
  model: string
  /** The name in facts and prices; the kind of provider when not said. Two local servers need two names. */
  name?: string
  /** Needed for `openai-compatible`: the address up to `/v1`. */
  base_url?: string
  /** The value itself, which the host has read from where it is kept. Local servers need none. */
  api_key?: string
  headers?: Readonly<Record<string, string>>
  /** OpenAI's older interface, for proxies that have no Responses. */
  api?: "responses" | "chat"
  stall_ms?: number
}

export type Provided =
  | { ok: true; model: Model }
  | { ok: false; missing: "credential" | "address"; message: string }

/** Nothing is sent: whether key and address are right shows with the first request. */
export function createModel(config: ProviderConfig): Provided {
  const { provider, model, name = provider, api_key, base_url, headers = {}, stall_ms } = config
  if (provider === "openai-compatible" && base_url === undefined) {
    return {
      ok: false,
      missing: "address",
      message: `${name} needs base_url, for example http://localhost:11434/v1.`,
    }
  }
  // Packages look for a key in the environment when they get none; only the host says which key is used.
  if (provider !== "openai-compatible" && (api_key === undefined || api_key === "")) {
    return { ok: false, missing: "credential", message: `${name} needs an API key; none is set.` }
  }
  const options = {
    provider: name,
    name: model,
    files: files[provider],
    secrets: [api_key ?? "", ...Object.values(headers)].filter((value) => value.length >= 6),
    ...(stall_ms === undefined ? {} : { stall_ms }),
  }
  return { ok: true, model: build(config, options, { ...headers }) }
}

/** What the packages know how to send; whether the very model reads it shows in its answer. */
const files = {
  anthropic: /^(?:image\/(?:png|jpeg|gif|webp)|application\/pdf)$/,
  openai: /^(?:image\/(?:png|jpeg|gif|webp)|application\/pdf|audio\/(?:wav|mp3|mpeg))$/,
  google: /^(?:image|audio|video)\/|^application\/pdf$/,
  "openai-compatible": /^image\/(?:png|jpeg|gif|webp)$/,
} as const

const addresses = {
  anthropic: "https://api.anthropic.com/v1",
  openai: "https://api.openai.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
  "openai-compatible": "",
} as const

function build(config: ProviderConfig, options: ProviderOptions, headers: Record<string, string>): Model {
  const { model, base_url, api_key = "" } = config
  // Said in full: packages would take another address from the environment, and send the key there.
  const baseURL = base_url ?? addresses[config.provider]
  switch (config.provider) {
    case "anthropic":
      return providerModel(createAnthropic({ baseURL, apiKey: api_key, headers })(model), options)
    case "google":
      return providerModel(createGoogle({ baseURL, apiKey: api_key, headers })(model), {
        ...options,
        summarises: true,
        extra: (call) =>
          thinks(call) ? { google: { thinkingConfig: { includeThoughts: true } } } : undefined,
      })
    case "openai": {
      const openai = createOpenAI({ baseURL, apiKey: api_key, headers })
      const forced = (call: ModelCall) => (thinks(call) && !isOwnName(model) ? { forceReasoning: true } : {})
      if (config.api === "chat")
        return providerModel(openai.chat(model), { ...options, extra: (call) => ({ openai: forced(call) }) })
      return providerModel(openai.responses(model), {
        ...options,
        summarises: true,
        // The provider keeps nothing: the log is the only journal, and what a model wants back it gets from us.
        extra: (call) => ({
          openai: { store: false, ...(thinks(call) ? { reasoningSummary: "auto" } : {}), ...forced(call) },
        }),
      })
    }
    case "openai-compatible": {
      const settings = { name: "local", baseURL, headers, includeUsage: true }
      const compatible = createOpenAICompatible(api_key === "" ? settings : { ...settings, apiKey: api_key })
      return providerModel(compatible(model), options)
    }
  }
}

/** Of its own models the package knows which can think; of those of a proxy, whoever asks for it does. */
const isOwnName = (model: string): boolean => /^(?:gpt-|o\d|chatgpt-)/.test(model)

const thinks = (call: ModelCall): boolean => call.reasoning !== undefined && call.reasoning !== "none"
