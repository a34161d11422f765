import type { AgentUiState, ContextEntity, RunEntity } from "../state.ts"
import { kept } from "./memo.ts"
import { inScope } from "./standing.ts"
import { type Known, known, type ViewScope } from "./view.ts"
import { given, picked } from "./who.ts"

/** How much of a limit is used. */
export type Meter = {
  used: Known<number>
  limit: Known<number>
  unit?: string
  reserved?: number
  low: boolean
}

/** The newest context facts of a scope, each kind from the event that last told it. */
export function contextOf(state: AgentUiState, scope: ViewScope): Partial<Omit<ContextEntity, "origin">> {
  const found: Partial<ContextEntity> = {}
  for (const context of inScope(state, state.contexts, scope)) Object.assign(found, given(context))
  return found
}

export function contextMeter(state: AgentUiState, scope: ViewScope): Meter | undefined {
  const { budget } = contextOf(state, scope)
  return (
    budget && {
      used: known(budget.used),
      limit: known(budget.limit),
      low: budget.low === true,
      ...picked(budget, "unit", "reserved"),
    }
  )
}

/** What the session has cost, and of how much, from the metrics that say so. */
export function costMeter(state: AgentUiState, scope: ViewScope): Meter | undefined {
  let used: number | undefined
  let limit: number | undefined
  let unit: string | undefined
  for (const metric of inScope(state, state.metrics, scope)) {
    if (!isCost(metric.name)) continue
    used = (used ?? 0) + metric.value
    limit = metric.limit ?? limit
    unit = metric.unit ?? unit
  }
  if (used === undefined) return undefined
  return { used, limit: known(limit), low: limit !== undefined && used >= limit, ...given({ unit }) }
}

const isCost = (name: string) => name === "cost" || name.startsWith("cost.")

/** What each run cost, in which currency. */
export const costByRun = kept(
  (metrics: AgentUiState["metrics"]): ReadonlyMap<string, { cost: number; currency?: string }> => {
    const costs = new Map<string, { cost: number; currency?: string }>()
    for (const { name, value, unit, origin } of metrics.values()) {
      if (origin.runId === undefined || !isCost(name)) continue
      const before = costs.get(origin.runId)
      const currency = unit ?? before?.currency
      costs.set(origin.runId, { cost: (before?.cost ?? 0) + value, ...given({ currency }) })
    }
    return costs
  },
)

/** How much each run's requests read and wrote, of those that say so. */
export const tokensByRun = kept(
  (metrics: AgentUiState["metrics"]): ReadonlyMap<string, { input: number; output: number }> => {
    const counts = new Map<string, { input: number; output: number }>()
    for (const { name, value, origin } of metrics.values()) {
      const side = /^tokens\.(input|output)(?:\.|$)/.exec(name)?.[1]
      if (origin.runId === undefined || side === undefined) continue
      const before = counts.get(origin.runId) ?? { input: 0, output: 0 }
      counts.set(origin.runId, {
        ...before,
        [side]: (side === "input" ? before.input : before.output) + value,
      })
    }
    return counts
  },
)

export function lasted(from: string | undefined, to: string | undefined): Known<number> {
  if (from === undefined || to === undefined) return "unknown"
  const ms = Date.parse(to) - Date.parse(from)
  return Number.isFinite(ms) && ms >= 0 ? ms : "unknown"
}
export const runLasted = (run: RunEntity) => lasted(run.startedAt, run.endedAt)
