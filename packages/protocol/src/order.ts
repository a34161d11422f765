import type { Action, ActionGraph } from "./action.ts"
import { dependenciesOf } from "./graph.ts"
import { issue, type ProtocolIssue } from "./issues.ts"

export type Order = {
  /** Every action after what it waits for, otherwise as declared. Actions on a cycle are left out. */
  actions: readonly Action[]
  /** What must have completed before an action may start. */
  needs: ReadonlyMap<string, readonly string[]>
}

// A graph never changes, and its order is asked for after every event of its run.
const known = new WeakMap<ActionGraph, Order>()

export function orderOf(graph: ActionGraph): Order {
  const found = known.get(graph)
  if (found !== undefined) return found
  const needs = new Map(graph.actions.map((action) => [action.id, needsOf(action)]))
  const order = { actions: sorted(graph.actions), needs }
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
  // The last comes first: the earliest declared is taken from the end.
  const ready = actions.flatMap((_, index) => (open[index] === 0 ? [index] : [])).reverse()
  const result: Action[] = []
  for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
    const action = actions[next]
    if (action !== undefined) result.push(action)
    for (const index of dependents[next] ?? []) {
      const left = (open[index] ?? 0) - 1
      open[index] = left
      if (left > 0) continue
      const at = ready.findIndex((other) => other < index)
      ready.splice(at < 0 ? ready.length : at, 0, index)
    }
  }
  return result
}

/**
 * Actions that write the same resource with nothing to say which comes first. Writers are compared with their
 * neighbours only: if each of these pairs is ordered, all are.
 */
export function findConflicts(
  graph: ActionGraph,
  /** Actions that are completed and write no more. */
  over: ReadonlySet<string> = new Set(),
): readonly { ids: [string, string]; resource: string }[] {
  const { actions } = orderOf(graph)
  const writers = new Map<string, string[]>()
  for (const { id, writes } of actions.filter((action) => !over.has(action.id)))
    for (const resource of new Set(writes)) {
      const ids = writers.get(resource)
      if (ids === undefined) writers.set(resource, [id])
      else ids.push(id)
    }
  const comesAfter = precedence(actions)
  return [...writers].flatMap(([resource, ids]) =>
    ids.flatMap((second, at): { ids: [string, string]; resource: string }[] => {
      const first = ids[at - 1]
      return first === undefined || comesAfter(second, first) ? [] : [{ ids: [first, second], resource }]
    }),
  )
}

/** Whether one action waits for another, directly or not. One bit for each pair, so that large graphs fit. */
function precedence(sorted: readonly Action[]): (later: string, earlier: string) => boolean {
  const place = new Map(sorted.map(({ id }, index) => [id, index]))
  const words = Math.ceil(sorted.length / 32)
  const rows = sorted.map(() => new Uint32Array(words))
  const bit = (index: number): number => 1 << (index & 31)
  for (const [index, action] of sorted.entries()) {
    const row = rows[index] ?? new Uint32Array(words)
    for (const id of dependenciesOf(action)) {
      const at = place.get(id) ?? index
      rows[at]?.forEach((reached, word) => {
        row[word] = (row[word] ?? 0) | reached
      })
      row[at >> 5] = (row[at >> 5] ?? 0) | bit(at)
    }
  }
  return (later, earlier) => {
    const at = place.get(earlier) ?? 0
    return ((rows[place.get(later) ?? 0]?.[at >> 5] ?? 0) & bit(at)) !== 0
  }
}

/** Only where the declaration asks for refusal; otherwise the writes are put in order. */
export function checkConflicts(graph: ActionGraph, over?: ReadonlySet<string>): ProtocolIssue[] {
  if (graph.conflicts === "order") return []
  return findConflicts(graph, over).map(({ ids: [first, second], resource }) =>
    issue(
      "conflicting_writes",
      `[${graph.actions.findIndex(({ id }) => id === second)}].writes`,
      `${first} and ${second} both write ${resource}, in no order.`,
      `Let ${second} depend on ${first}, or the other way round.`,
    ),
  )
}
