import type { Action, ActionGraph } from "./action.ts"
import { issue, type ProtocolIssue } from "./issues.ts"
import { parseReference } from "./references.ts"

/** The ids that must have completed before this action may start: said outright, or through a reference. */
export const dependenciesOf = (action: Action): readonly string[] => [...dependencyPaths(action).keys()]

/** Each id that an action waits for, with the field that says so first. */
function dependencyPaths({ depends_on, context_refs, prompt_ref, when }: Action): Map<string, string> {
  const paths = new Map<string, string>()
  const add = (id: string, path: string) => paths.has(id) || paths.set(id, path)
  const addReferred = (ref: string, path: string) => {
    const parsed = parseReference(ref, path)
    if (parsed.ok && parsed.value.kind === "action") add(parsed.value.action_id, path)
  }
  for (const [index, id] of depends_on.entries()) add(id, `depends_on[${index}]`)
  for (const [index, ref] of context_refs.entries()) addReferred(ref, `context_refs[${index}]`)
  if (prompt_ref !== undefined) addReferred(prompt_ref, "prompt_ref")
  if (when !== undefined) add(when.action, "when.action")
  return paths
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
    const named = dependencyPaths(action)
    const until = action.repeat?.until?.action
    if (until !== undefined) named.set(until, named.get(until) ?? "repeat.until.action")
    for (const [id, path] of named) {
      if (known.has(id)) continue
      issues.push(
        issue(
          "unknown_dependency",
          `[${index}].${path}`,
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
