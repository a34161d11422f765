import type { Envelope } from "@factum/facts"
import type { Model, ModelChunk, RuntimeParts } from "../../src/index.ts"
import { type Offer, type Patience, patience, type ScopedLimit } from "../../src/routing/index.ts"
import { openRuntime } from "../harness.ts"

type Failing = Omit<Extract<ModelChunk, { kind: "error" }>, "kind">
/** What a model does with one request: says this, says this and breaks off, fails, or calls a tool. */
export type Take =
  | string
  | { cut: string }
  | { fails: Failing; after?: string }
  | { calls: string }
  | { usage: Extract<ModelChunk, { kind: "finish" }>["usage"] }

export const busy = (more: Partial<Failing> = {}): Take => ({
  fails: { category: "provider_error", reason: "It is busy.", retryable: true, ...more },
})
export const gone: Take = {
  fails: { category: "provider_error", reason: "It is gone.", retryable: false },
}
export const limited = (retry_after_ms?: number): Take => ({
  fails: {
    category: "rate_limited",
    reason: "Too many requests.",
    retryable: true,
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
  },
})
export const lacking = (missing: "credential" | "quota"): Take => ({
  fails: { category: "provider_error", reason: `No ${missing}.`, retryable: false, missing },
})

export type Played = Offer & { via: Model; asked: string[] }

/** A candidate that plays its takes; after them it says "Done.". `asked` are the last words it was given. */
export function played(model: string, takes: readonly Take[], more: Partial<Offer> = {}): Played {
  const asked: string[] = []
  const via: Model = {
    provider: more.provider ?? "p",
    name: model,
    async *stream({ messages }): AsyncIterable<ModelChunk> {
      const take = takes[asked.length] ?? "Done."
      asked.push(JSON.stringify(messages))
      if (typeof take === "string") yield { kind: "text", part_id: "a", text: take }
      else if ("cut" in take) return yield { kind: "text", part_id: "a", text: take.cut }
      else if ("fails" in take) {
        if (take.after !== undefined) yield { kind: "text", part_id: "a", text: take.after }
        return yield { kind: "error", ...take.fails }
      } else if ("calls" in take) {
        yield { kind: "tool_call", part_id: "c", call_id: "c", tool: take.calls, arguments: "{}" }
      }
      const usage =
        typeof take === "object" && "usage" in take ? take.usage : { input_tokens: 100, output_tokens: 10 }
      yield { kind: "finish", finish: "stop", usage }
    },
  }
  const known = { context_window: 100_000, capabilities: ["tools"] as const }
  return { provider: "p", model, ...known, ...more, via, asked } as Played
}

export const price = { currency: "USD", version: "2026-01", input: 1, output: 10 }

/** Three tries, without a wait that a test would notice. */
export const quick: Patience = { ...patience, first_wait_ms: 1, longest_wait_ms: 2 }
/** A first try, and then a wait that no test sees the end of. */
export const slow: Patience = { ...patience, first_wait_ms: 3_600_000, longest_wait_ms: 3_600_000 }

export const budget = (max: number, more: Partial<ScopedLimit> = {}): ScopedLimit => ({
  limit: "task",
  kind: "budget",
  unit: "requests",
  max,
  per: "session",
  ...more,
})

export function openModels(
  models: readonly Offer[],
  more: { directory?: string } & Partial<RuntimeParts> = {},
) {
  return openRuntime(played("unused", []).via, { models, patience: quick, ...more })
}

export const phase =
  (name: string, count = 1) =>
  (seen: readonly Envelope[]): boolean =>
    statuses(seen, name).length >= count

export const statuses = (seen: readonly Envelope[], name: string): Envelope["payload"][] =>
  seen
    .filter(({ type, payload }) => type === "run.status" && payload.phase === name)
    .map(({ payload }) => payload)
