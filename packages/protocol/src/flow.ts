import type { Action, ActionGraph } from "./action.ts"
import { outputRef } from "./artifacts.ts"
import { runOf } from "./conditions.ts"
import { type Checked, issue, refuse } from "./issues.ts"
import type { RunEvent, RunState } from "./run.ts"

/** A step of a workflow: an action whose edges are called `after`, and which is always stored. */
export type WorkflowNode = Omit<Action, "depends_on" | "persist" | "origin"> & { after: readonly string[] }

export type Workflow = Pick<ActionGraph, "budget" | "cancellation" | "conflicts" | "approvals"> & {
  title?: string
  nodes: readonly WorkflowNode[]
}

/** The boundary between workflows and the protocol. Only who calls it starts a workflow. */
export type WorkflowAdapter = {
  toGraph(workflow: Workflow): ActionGraph
  fromGraph(graph: ActionGraph): Checked<Workflow>
}

export const workflowAdapter: WorkflowAdapter = {
  toGraph({ nodes, ...rest }) {
    const actions = nodes.map(
      ({ after, ...node }): Action => ({ ...node, depends_on: after, persist: true, origin: "workflow" }),
    )
    return { ...rest, persist: true, mode: "durable", strategy: "dag", actions }
  },
  fromGraph(graph) {
    const { persist, mode, strategy, actions, ...rest } = graph
    const fits = persist && mode === "durable" && strategy === "dag" && actions.every((a) => a.persist)
    if (!fits) {
      const fix = 'Give persist: true, execution.mode "durable" and execution.strategy "dag".'
      return refuse(issue("invalid_field", "execution", "A workflow is a durable dag.", fix))
    }
    const nodes = actions.map(
      ({ depends_on, persist: _, origin: __, ...node }): WorkflowNode => ({ ...node, after: depends_on }),
    )
    return { ok: true, value: { ...rest, nodes } }
  },
}

/** The workflow as a declaration in the full form, for sending it through the protocol. */
export function workflowDeclaration(workflow: Workflow): Readonly<Record<string, unknown>> {
  return {
    type: "agent.protocol",
    version: "1",
    intent: "execute",
    persist: true,
    ...(workflow.title === undefined ? {} : { title: workflow.title }),
    execution: { mode: "durable", strategy: "dag" },
    permission_policy: { requires_approval: workflow.approvals },
    budget_policy: workflow.budget,
    cancellation_policy: workflow.cancellation,
    conflict_resolution: workflow.conflicts,
    payload: { type: "action_graph", actions: workflow.nodes.map(declared) },
  }
}

function declared(node: WorkflowNode): Readonly<Record<string, unknown>> {
  const { after, idempotent, visibility, private: hidden, extensions, ...same } = node
  return {
    ...extensions,
    type: "action",
    ...same,
    depends_on: after,
    idempotency: idempotent,
    data_visibility: visibility,
    privacy: hidden,
  }
}

/** What the adapter keeps on its side of the boundary. */
export type WorkflowRecord = {
  run_id: string
  nodes: readonly { id: string; status: string; artifacts: readonly string[] }[]
  recovery: readonly { node: string; choice: "retry" | "continue" | "abort" }[]
}

export function workflowRecord(
  workflow: Workflow,
  state: RunState,
  events: readonly RunEvent[],
): WorkflowRecord {
  return {
    run_id: state.run_id,
    nodes: workflow.nodes.map(({ id }) => {
      const run = runOf(state, id)
      const outcome = run?.attempts.at(-1)?.outcome
      const made = outcome?.status === "completed" ? (outcome.artifacts ?? []) : []
      const own = outcome?.status === "completed" ? [outputRef(state.run_id, id)] : []
      return { id, status: run?.status ?? "pending", artifacts: [...own, ...made] }
    }),
    recovery: events.flatMap((event) =>
      event.type === "run.decided" ? [{ node: event.id, choice: event.choice }] : [],
    ),
  }
}
