import type { Action, ActionGraph } from "./action.ts"
import type { Authority, Executor } from "./executor.ts"
import { checkGraph } from "./graph.ts"
import { issue, type ProtocolIssue } from "./issues.ts"
import { checkConflicts } from "./order.ts"
import { govern } from "./policy.ts"
import { checkOperation } from "./runtime-operations.ts"
import { type SelectionPolicy, selectExecutor } from "./select.ts"

export type Roster = {
  executors: readonly Executor[]
  authority: Authority
  policy?: SelectionPolicy
}

/** All that stands against running a graph. Nothing of it starts unless this is empty. */
export function admissionIssues(graph: ActionGraph, registry: Roster): ProtocolIssue[] {
  if (!registry.authority.enabled) {
    const message = `${registry.authority.agent} may not use the protocol.`
    return [issue("not_enabled", "", message, "Answer in plain text.")]
  }
  const under = (found: ProtocolIssue): ProtocolIssue => ({ ...found, path: `payload.actions${found.path}` })
  const whole = [...checkGraph(graph), ...checkConflicts(graph)].map(under)
  const each = graph.actions.flatMap((action, index) => {
    const path = `payload.actions[${index}]`
    const selected = selectExecutor(action, registry.executors, registry.authority, registry.policy)
    if (!selected.ok) return selected.issues.map((found) => ({ ...found, path: `${path}.${found.path}` }))
    const { chosen } = selected.value
    const wrong = inputProblems(chosen, action.input).map((problem) => {
      const at = problem.path === "" ? "" : `.${problem.path}`
      return issue("invalid_input", `${path}.input${at}`, problem.message, `Give what ${chosen.name} takes.`)
    })
    return [...wrong, ...checkOperation(govern(action, chosen), `${path}.operation`)]
  })
  return [...whole, ...each]
}

/** A checker that breaks has not said yes. */
function inputProblems(executor: Executor, input: Action["input"]) {
  try {
    return executor.check?.(input) ?? []
  } catch {
    return [{ path: "", message: `The input could not be checked.` }]
  }
}

/** The graph as it will be treated, with the executors that would be chosen now. */
export function governGraph(graph: ActionGraph, registry: Roster): ActionGraph {
  const actions = graph.actions.map((action) => {
    const selected = selectExecutor(action, registry.executors, registry.authority, registry.policy)
    return selected.ok ? govern(action, selected.value.chosen) : action
  })
  return { ...graph, actions }
}
