import type { ActionGraph } from "./action.ts"
import { checkInput } from "./check-executor.ts"
import type { Authority, Executor } from "./executor.ts"
import { checkGraph } from "./graph.ts"
import { issue, type ProtocolIssue } from "./issues.ts"
import { checkConflicts } from "./order.ts"
import { type Place, placeOf } from "./place.ts"
import { govern } from "./policy.ts"
import { checkOperation } from "./runtime-operations.ts"
import { type SelectionPolicy, selectExecutor } from "./select.ts"

export type Roster = {
  executors: readonly Executor[]
  authority: Authority
  policy?: SelectionPolicy
}

export type Admission = {
  /** Where the declaration has what a path of its list of actions names. */
  place?: Place
  /** Ids of completed actions, which are not executed again. */
  kept?: readonly string[]
}

/** All that stands against running a graph. Nothing of it starts unless this is empty. */
export function admissionIssues(
  graph: ActionGraph,
  registry: Roster,
  { place = placeOf(graph), kept = [] }: Admission = {},
): ProtocolIssue[] {
  if (!registry.authority.enabled) {
    const message = `${registry.authority.agent} may not use the protocol.`
    return [issue("not_enabled", "", message, "Answer in plain text.")]
  }
  const over = new Set(kept)
  const whole = [...checkGraph(graph), ...checkConflicts(graph, over)]
  const each = graph.actions.flatMap((action, index) => {
    if (over.has(action.id)) return []
    const path = `[${index}]`
    const selected = selectExecutor(action, registry.executors, registry.authority, registry.policy)
    if (!selected.ok) return selected.issues.map((found) => ({ ...found, path: `${path}.${found.path}` }))
    const { chosen } = selected.value
    return [
      ...checkInput(action, chosen, (field) => `${path}.${field}`),
      ...checkOperation(govern(action, chosen), `${path}.operation`),
    ]
  })
  return [...whole, ...each].map((found) => ({ ...found, path: place(found.path) }))
}

/** The graph as it will be treated, with the executors that would be chosen now. */
export function governGraph(graph: ActionGraph, registry: Roster): ActionGraph {
  const actions = graph.actions.map((action) => {
    const selected = selectExecutor(action, registry.executors, registry.authority, registry.policy)
    return selected.ok ? govern(action, selected.value.chosen) : action
  })
  return { ...graph, actions }
}
