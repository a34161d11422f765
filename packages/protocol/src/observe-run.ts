import type { ActionGraph } from "./action.ts"
import { isSettled, runOf } from "./conditions.ts"
import { type Observing, observe } from "./result-policy.ts"
import type { ActionRun, RunRecord } from "./run.ts"

/** Ended, or held up until somebody acts. What only waits for its turn, or runs, is progress. */
export const isObserved = (run: ActionRun): boolean =>
  isSettled(run) || run.status === "waiting" || run.status === "blocked"

type Means = Pick<Observing, "artifacts" | "tokenizer" | "budget" | "summarizer">

/** A governed run with all that can be told of it now. Outputs that are to be kept go to the artifacts. */
export function observeRun(of: Omit<RunRecord, "observations">, means: Means): RunRecord {
  const { run_id, declaration, state } = of
  const observations = of.graph.actions.flatMap((action) => {
    const run = runOf(state, action.id)
    if (run === undefined || !isObserved(run)) return []
    return [[action.id, observe({ run_id, action, run, ...means })] as const]
  })
  const graph = "graph" in declaration ? asAsked(of.graph, declaration.graph) : of.graph
  return { ...of, graph, observations: Object.fromEntries(observations) }
}

/** The graph as it is told: with the limits that its executors set, and the executors that the model asked for. */
export function asAsked(governed: ActionGraph, declared: ActionGraph): ActionGraph {
  const asked = new Map(declared.actions.map(({ id, executor }) => [id, executor]))
  const actions = governed.actions.map((action) => {
    if (!asked.has(action.id)) return action
    const { executor: _, ...rest } = action
    const executor = asked.get(action.id)
    return executor === undefined ? rest : { ...rest, executor }
  })
  return { ...governed, actions }
}
