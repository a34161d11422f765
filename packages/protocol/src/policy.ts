import {
  type Action,
  type ActionGraph,
  type BudgetPolicy,
  type SideEffect,
  sideEffects,
  type Visibility,
} from "./action.ts"
import type { Authority, Executor } from "./executor.ts"
import { sha256 } from "./hash.ts"
import type { RunState } from "./run.ts"
import { stricter } from "./visibility.ts"

const gated: ReadonlySet<SideEffect> = new Set(["delete", "purchase", "publish"])

/** The action as the runtime will treat it: what it declares, made stricter by what its executor is known for. */
export function govern(action: Action, executor: Executor): Action {
  // What nobody knows the effects of may have some, whatever the model says of it.
  const effects = new Set([...action.side_effects, ...(executor.side_effects ?? ["external"])])
  return {
    ...action,
    executor: {
      type: executor.type,
      target: executor.name,
      capabilities: action.executor?.capabilities ?? [],
    },
    side_effects: sideEffects.filter((effect) => effects.has(effect)),
    idempotent: idempotencyOf(action, executor),
    visibility: visibilityOf(action, executor),
  }
}

/** The registry knows better than the model, except that nothing makes safe what the model calls unsafe. */
function idempotencyOf(action: Action, executor: Executor): boolean | "unknown" {
  if (action.idempotent === false || executor.idempotent === false) return false
  return executor.idempotent ?? action.idempotent
}

export function visibilityOf(action: Action, executor: Pick<Executor, "visibility">): Visibility {
  return executor.visibility === undefined
    ? action.visibility
    : stricter(action.visibility, executor.visibility)
}

/** Why a person must say yes before the action starts, or nothing. */
export function approvalReason(action: Action, graph: Pick<ActionGraph, "approvals">): string | undefined {
  if (action.requires_approval) return `${action.id} asks for approval.`
  if (graph.approvals.includes(action.id)) return `The permission policy names ${action.id}.`
  const effects = action.side_effects.filter((effect) => gated.has(effect))
  if (effects.length > 0) return `${action.id} may ${effects.join(", ")}.`
  return action.irreversible ? `${action.id} cannot be undone.` : undefined
}

/** What an approval is bound to. `text` is what the references of the action expand to. */
export function inputHash(action: Action, text = ""): string {
  const { id, operation, executor, input, prompt_ref, context_refs, description } = action
  return sha256(canonical({ id, operation, executor, input, prompt_ref, context_refs, description, text }))
}

/** Equal values give equal text, whatever the order of their keys. */
export function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_, item: unknown) =>
      typeof item === "object" && item !== null && !Array.isArray(item)
        ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
        : item,
    ) ?? ""
  )
}

const changesNothing = (action: Action): boolean => action.side_effects.every((e) => e === "read")

/** After a failure that was told: effects must be absent, or harmless to repeat. */
export const mayRepeat = (action: Action): boolean => action.idempotent === true || changesNothing(action)

/** After a crash nothing was told, so an action without any known effects is not taken for a harmless one. */
export const mayResume = (action: Action): boolean =>
  action.idempotent === true || (action.side_effects.length > 0 && changesNothing(action))

/** The tighter of each limit. */
export function tighter(a: BudgetPolicy, b: BudgetPolicy): BudgetPolicy {
  const names = ["max_tokens", "max_time_ms", "max_cost", "max_retries", "max_parallel"] as const
  return Object.fromEntries(
    names.flatMap((name) => {
      const limits = [a[name], b[name]].filter((limit) => limit !== undefined)
      return limits.length === 0 ? [] : [[name, Math.min(...limits)]]
    }),
  )
}

/** Which limit of the run is reached, in words; parallelism and retries are looked at where they apply. */
export function exhausted(state: RunState, limits: BudgetPolicy, now: number): string | undefined {
  const { max_tokens, max_time_ms, max_cost } = limits
  if (max_tokens !== undefined && state.spent.tokens >= max_tokens)
    return `The limit of ${max_tokens} tokens is reached.`
  if (max_time_ms !== undefined && now - state.accepted_at >= max_time_ms)
    return `The limit of ${max_time_ms} ms is reached.`
  if (max_cost !== undefined && state.spent.cost >= max_cost)
    return `The limit of ${max_cost} in cost is reached.`
}

/** What a child may do: never more than its parent, one level further down. */
export function intersect(parent: Authority, child: Authority): Authority {
  const executors =
    parent.executors === undefined
      ? child.executors
      : parent.executors.filter((name) => child.executors?.includes(name) ?? true)
  return {
    agent: child.agent,
    enabled: parent.enabled && child.enabled,
    ...(executors === undefined ? {} : { executors }),
    depth: parent.depth + 1,
  }
}

/** Replaces every known secret, also where one is part of another. */
export function redactor(secrets: readonly string[], mark = "[redacted]"): <T>(value: T) => T {
  const known = secrets.filter((secret) => secret !== "").sort((a, b) => b.length - a.length)
  const text = (value: string): string => known.reduce((all, secret) => all.replaceAll(secret, mark), value)
  const any = (value: unknown): unknown => {
    if (typeof value === "string") return text(value)
    if (Array.isArray(value)) return value.map(any)
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [text(key), any(item)]))
  }
  // The shape stays; only the words change.
  return (value) => any(value) as typeof value
}
