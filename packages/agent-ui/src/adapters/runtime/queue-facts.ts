import type { QueueFacts } from "../../events/index.ts"
import { type Fields, given, isFields } from "./given.ts"

const texts = {
  team_phase: "teamPhase",
  provider_concurrency_group: "providerConcurrencyGroup",
  queue_reason: "queueReason",
} as const
const counts = {
  team_parallel_budget: "teamParallelBudget",
  team_active_count: "teamActiveCount",
  team_queued_count: "teamQueuedCount",
  provider_parallel_budget: "providerParallelBudget",
  queued_turn_count: "queuedTurnCount",
} as const
const flags = { retryable_overload: "retryableOverload" } as const

/** Queue and parallelism facts, wherever a payload gives them: beside its own fields or among its free ones. */
export function queueFacts(payload: Fields): QueueFacts & { queuedTurnCount?: number } {
  const free = [payload.metadata, payload.profile, payload.constraints].filter(isFields)
  const read = (name: string) => [payload, ...free].find((fields) => fields[name] !== undefined)?.[name]
  const of = (names: Readonly<Record<string, string>>, type: string) =>
    Object.entries(names).map(([name, as]) => {
      const value = read(name)
      return [as, typeof value === type ? value : undefined]
    })
  return given(Object.fromEntries([...of(texts, "string"), ...of(counts, "number"), ...of(flags, "boolean")]))
}
