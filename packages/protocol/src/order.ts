import type { Action, ActionGraph } from "./action.ts"
import { dependenciesOf } from "./graph.ts"
import { issue, type ProtocolIssue } from "./issues.ts"

export type Order = {
  /** Every action after what it waits for, otherwise as declared. Actions on a cycle are left out. */
  actions: readonly Action[]
  /** What must have completed before an action may start. */
  needs: ReadonlyMap<string, readonly string[]>
  /** Earlier writers of the same resource, which must have ended. */
  after: ReadonlyMap<string, readonly string[]>
}

// A graph never changes, and its order is asked for after every event of its run.
const known = new WeakMap<ActionGraph, Order>()

export function orderOf(graph: ActionGraph): Order {
  const found = known.get(graph)
  if (found !== undefined) return found
  const needs = new Map(graph.actions.map((action) => [action.id, needsOf(action)]))
  const actions = sorted(graph.actions)
  const order = { actions, needs, after: writersBefore(actions) }
  known.set(graph, order)
  return order
}

/** A condition waits for its action to end, whatever the end; all else waits for completion. */
function needsOf(action: Action): readonly string[] {
  const { when: _, ...rest } = action
  return dependenciesOf(rest)
}

function sorted(actions: readonly Action[]): readonly Action[] {
  const place = new Map(actions.map(({ id }, index) => [id, index]))
  const open = actions.map((action) => dependenciesOf(action).filter((id) => place.has(id)).length)
  const dependents = actions.map((): number[] => [])
  for (const [index, action] of actions.entries())
    for (const id of dependenciesOf(action)) dependents[place.get(id) ?? -1]?.push(index)
  const ready = actions.flatMap((_, index) => (open[index] === 0 ? [index] : []))
  const result: Action[] = []
  while (ready.length > 0) {
    const next = Math.min(...ready)
    ready.splice(ready.indexOf(next), 1)
    const action = actions[next]
    if (action !== undefined) result.push(action)
    for (const index of dependents[next] ?? []) {
      const left = (open[index] ?? 0) - 1
      open[index] = left
      if (left === 0) ready.push(index)
    }
  }
  return result
}

/** Following the sorted order, so that putting writes in order can never make a cycle. */
function writersBefore(actions: readonly Action[]): ReadonlyMap<string, readonly string[]> {
  const last = new Map<string, string>()
  const before = new Map<string, readonly string[]>()
  for (const { id, writes } of actions) {
    const earlier = new Set(writes.flatMap((resource) => last.get(resource) ?? []))
    if (earlier.size > 0) before.set(id, [...earlier])
    for (const resource of writes) last.set(resource, id)
  }
  return before
}

/** Actions that write the same resource with nothing to say which comes first. */
export function findConflicts(graph: ActionGraph): readonly { ids: [string, string]; resource: string }[] {
  const reach = new Map<string, ReadonlySet<string>>()
  for (const action of orderOf(graph).actions) {
    const all = new Set<string>()
    for (const id of dependenciesOf(action)) for (const far of [id, ...(reach.get(id) ?? [])]) all.add(far)
    reach.set(action.id, all)
  }
  const writers = new Map<string, string[]>()
  for (const { id, writes } of graph.actions)
    for (const resource of new Set(writes)) writers.set(resource, [...(writers.get(resource) ?? []), id])
  return [...writers].flatMap(([resource, ids]) =>
    ids.flatMap((first, index) =>
      ids
        .slice(index + 1)
        .filter((second) => !reach.get(first)?.has(second) && !reach.get(second)?.has(first))
        .map((second) => ({ ids: [first, second] as [string, string], resource })),
    ),
  )
}

/** Only where the declaration asks for refusal; otherwise the writes are put in order. */
export function checkConflicts(graph: ActionGraph): ProtocolIssue[] {
  if (graph.conflicts === "order") return []
  return findConflicts(graph).map(({ ids: [first, second], resource }) =>
    issue(
      "conflicting_writes",
      `[${graph.actions.findIndex(({ id }) => id === second)}].writes`,
      `${first} and ${second} both write ${resource}, in no order.`,
      `Let ${second} depend on ${first}, or the other way round.`,
    ),
  )
}
