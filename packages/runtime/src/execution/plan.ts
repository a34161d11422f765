import type { ModelRequest } from "@factum/facts"
import {
  type Action,
  type ActionGraph,
  type Admission,
  type AssistantMessage,
  admissionIssues,
  approvalReason,
  type Declaration,
  govern,
  governGraph,
  type ProtocolIssue,
  plainAction,
  plainGraph,
  type Read,
  type ReportSpec,
  readOutput,
} from "@factum/protocol"
import type { Agent } from "../agent.ts"
import { executorOf, rosterOf } from "../executors/roster.ts"
import type { Tool } from "../ports/tool.ts"
import { type Cut, cutOf } from "./cut-answer.ts"
import { messageOf, toldText } from "./spoken.ts"

/** What a finished answer of the model asks for. The same answer always gives the same plan, also after a restart. */
export type Plan =
  /** Nothing more is asked: the answer is the end of the turn. `text` is what it is told as later. */
  | { kind: "answer" | "stop"; text: string }
  /** The end of the turn too, and not a good one. */
  | { kind: "cut"; by: Cut; calls: number }
  /** `revises` is the run whose completed actions it takes over. */
  | { kind: "run"; graph: ActionGraph; declaration?: Declaration; approvals: Approvals; revises?: string }
  /** A person decides on it; nothing of it is executed. */
  | { kind: "plan"; graph: ActionGraph; declaration: Declaration; shown: ActionGraph }
  | { kind: "decide"; declaration: Extract<Declaration, { intent: "decide" | "cancel" }> }
  | { kind: "expand"; declaration: Extract<Declaration, { intent: "expand_ref" }> }
  | { kind: "report"; declaration: Extract<Declaration, { intent: "execute" | "plan" }>; report: ReportSpec }
  | { kind: "refused"; issues: readonly ProtocolIssue[]; read?: Extract<Read, { kind: "refused" }> }

export type RunPlan = Extract<Plan, { kind: "run" }>

/** Why a person must be asked before an action, by its id. The gate asks, so the schedule does not wait for it. */
export type Approvals = ReadonlyMap<string, string>

const read = new WeakMap<Agent, WeakMap<ModelRequest, Plan>>()

/** Read once for each agent and answer: both are never changed in place. */
export function planOf(request: ModelRequest, agent: Agent): Plan {
  const known = read.get(agent) ?? new WeakMap<ModelRequest, Plan>()
  read.set(agent, known)
  const plan = known.get(request) ?? newPlan(request, agent)
  known.set(request, plan)
  return plan
}

function newPlan(request: ModelRequest, agent: Agent): Plan {
  const message = messageOf(request)
  const by = cutOf(request)
  if (by !== undefined) return { kind: "cut", by, calls: message.calls.length }
  if (agent.protocol) return declared(message, agent)
  if (message.calls.length === 0) return { kind: "answer", text: message.text }
  return { kind: "run", graph: directGraph(message, agent), approvals: new Map() }
}

function declared(message: AssistantMessage, agent: Agent): Plan {
  const roster = rosterOf(agent)
  const read = readOutput(message, roster)
  if (read.kind === "refused") return { kind: "refused", issues: read.issues, read }
  if (read.kind !== "declaration") return { kind: "answer", text: message.text }
  const { declaration } = read
  switch (declaration.intent) {
    case "answer":
      return { kind: "answer", text: toldText(declaration, message) }
    case "done":
    case "outcome":
      return { kind: "stop", text: toldText(declaration, message) }
    case "expand_ref":
      return { kind: "expand", declaration }
    case "decide":
    case "cancel":
      return { kind: "decide", declaration }
    case "revise":
      return {
        kind: "run",
        declaration,
        revises: declaration.run_id,
        graph: declaration.graph,
        approvals: new Map(),
      }
    case "execute":
    case "plan":
      if ("report" in declaration) return { kind: "report", declaration, report: declaration.report }
      return admitted(declaration, declaration.graph, agent)
  }
}

/** What stands against running a graph as a whole: nobody who could do an action, a conflict that is to be refused. */
export const notAdmitted = (graph: ActionGraph, agent: Agent, of?: Admission): readonly ProtocolIssue[] =>
  admissionIssues(graph, rosterOf(agent), of)

/** Nothing of a graph runs, or is shown to be decided on, while anything stands against all of it. */
function admitted(
  declaration: Extract<Declaration, { intent: "execute" | "plan" }>,
  graph: ActionGraph,
  agent: Agent,
): Plan {
  const issues = notAdmitted(graph, agent)
  if (issues.length > 0) return { kind: "refused", issues }
  if (declaration.intent === "plan") return reviewed(declaration, graph)
  return { kind: "run", declaration, ...governed(graph, agent) }
}

/** The graph as its executors demand it, with what a person must be asked about. */
export const governed = (graph: ActionGraph, agent: Agent): { graph: ActionGraph; approvals: Approvals } =>
  gated(governGraph(graph, rosterOf(agent)))

function reviewed(declaration: Declaration, shown: ActionGraph): Plan {
  const steps = shown.actions.map(({ id, title, description }) => title ?? description ?? id)
  const review: Action = {
    ...plainAction,
    id: "review",
    executor: { type: "tool", target: "review_plan", capabilities: [] },
    input: { title: declaration.title ?? "Is this plan all right?", steps },
    result_policy: { return_to_model: "full", priority: [], store_full: true },
  }
  return { kind: "plan", declaration, shown, graph: { ...plainGraph, actions: [review] } }
}

function gated(graph: ActionGraph): { graph: ActionGraph; approvals: Approvals } {
  const reasons = graph.actions.flatMap((action) => {
    const reason = approvalReason(action, graph)
    return reason === undefined ? [] : [[action.id, reason] as const]
  })
  const actions = graph.actions.map(ungated)
  return { graph: { ...graph, actions, approvals: [] }, approvals: new Map(reasons) }
}

/** For the schedule, which would wait for people itself. That the action changes something stays known. */
function ungated(action: Action): Action {
  const changes = action.side_effects.some((effect) => effect !== "read")
  const { executor } = action
  return {
    ...action,
    ...(executor?.type === "human" ? { executor: { ...executor, type: "tool" as const } } : {}),
    requires_approval: false,
    irreversible: false,
    side_effects: changes ? ["write"] : action.side_effects,
  }
}

/** More calls than the state remembers would be taken for calls that never began. */
export const mostCalls = 128

/** Calls of the usual kind: each by itself; those that change something one after another, in their order. */
function directGraph(message: AssistantMessage, agent: Agent): ActionGraph {
  const actions = message.calls.slice(0, mostCalls).map((call, index) => {
    const tool = agent.tools.find(({ name }) => name === call.name)
    const twin = message.calls.findIndex(({ id }) => id === call.id) !== index
    const action = directAction(twin ? `${call.id}.${index}` : call.id, call.name, call.arguments)
    return tool === undefined
      ? action
      : { ...ungated(govern(action, executorOf(tool, agent.tools))), writes: writesOf(tool) }
  })
  return { ...plainGraph, mode: "durable", cancellation: "abort", actions }
}

const writesOf = ({ side_effects }: Tool): string[] =>
  side_effects.every((effect) => effect === "read") ? [] : ["workspace"]

function directAction(id: string, target: string, text: string): Action {
  return {
    ...plainAction,
    id,
    executor: { type: "tool", target, capabilities: [] },
    input: argumentsOf(text) ?? {},
    result_policy: { return_to_model: "full", priority: [], store_full: true },
    visibility: "model",
    origin: "recovered_call",
  }
}

/** The arguments as an object, or nothing when they are none. An empty text is an empty object. */
export function argumentsOf(text: string): Record<string, unknown> | undefined {
  if (text.trim() === "") return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
