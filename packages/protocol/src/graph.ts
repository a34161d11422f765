import type { Action, ActionGraph } from "./action.ts"
import { issue, type ProtocolIssue } from "./issues.ts"
import { parseReference } from "./references.ts"

/** The ids that must have completed before this action may start: said outright, or through a reference. */
export function dependenciesOf(action: Action): readonly string[] {
  const ids = new Set(action.depends_on)
  for (const ref of [
    ...action.context_refs,
    ...(action.prompt_ref === undefined ? [] : [action.prompt_ref]),
  ]) {
    const parsed = parseReference(ref, "")
    if (parsed.ok && parsed.value.kind === "action") ids.add(parsed.value.action_id)
  }
  for (const condition of [action.when]) if (condition !== undefined) ids.add(condition.action)
  return [...ids]
}

/** What is wrong with the graph as a whole. Paths are relative to the list of actions, e.g. `[2].depends_on[0]`. */
export function checkGraph(graph: ActionGraph): ProtocolIssue[] {
  const known = new Set(graph.actions.map((action) => action.id))
  const issues: ProtocolIssue[] = []
  const seen = new Set<string>()
  for (const [index, action] of graph.actions.entries()) {
    if (seen.has(action.id)) {
      issues.push(
        issue(
          "duplicate_id",
          `[${index}].id`,
          `The id ${action.id} is used twice.`,
          "Give each action its own id.",
        ),
      )
    }
    seen.add(action.id)
    for (const id of dependenciesOf(action)) {
      if (known.has(id)) continue
      const at = action.depends_on.indexOf(id)
      const path = at < 0 ? `[${index}].context_refs` : `[${index}].depends_on[${at}]`
      issues.push(
        issue(
          "unknown_dependency",
          path,
          `No action has the id ${JSON.stringify(id)}.`,
          "Name the id of an action of this declaration, or leave it out.",
        ),
      )
    }
  }
  const cycle = findCycle(graph.actions)
  if (cycle !== undefined) {
    const message = `These actions wait for each other: ${[...cycle, cycle[0]].join(" → ")}.`
    issues.push(issue("cycle", "", message, "Remove one of these dependencies."))
  }
  return issues
}

/** The ids on one cycle, found without recursion so that a long chain cannot exhaust the stack. */
export function findCycle(actions: readonly Action[]): readonly string[] | undefined {
  const edges = new Map(actions.map((action) => [action.id, dependenciesOf(action)]))
  const done = new Set<string>()
  for (const { id: start } of actions) {
    const path: string[] = []
    const onPath = new Set<string>()
    const stack: { id: string; leave: boolean }[] = [{ id: start, leave: false }]
    for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
      if (top.leave) {
        path.pop()
        onPath.delete(top.id)
        done.add(top.id)
        continue
      }
      if (onPath.has(top.id)) return path.slice(path.indexOf(top.id))
      if (done.has(top.id)) continue
      path.push(top.id)
      onPath.add(top.id)
      stack.push({ id: top.id, leave: true })
      for (const next of edges.get(top.id) ?? []) if (edges.has(next)) stack.push({ id: next, leave: false })
    }
  }
}
