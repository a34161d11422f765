import type { ModelRequest } from "@factum/facts"
import {
  type Action,
  type ActionGraph,
  type AssistantMessage,
  type Authority,
  approvalReason,
  type Declaration,
  type Executor,
  govern,
  governGraph,
  type ProtocolIssue,
  plainAction,
  plainGraph,
  type Read,
  readOutput,
} from "@factum/protocol"
import type { Agent } from "../agent.ts"
import type { Tool } from "../ports/tool.ts"

/** What a finished answer of the model asks for. The same answer always gives the same plan, also after a restart. */
export type Plan =
  /** Nothing more is asked: the answer is the end of the turn. */
  | { kind: "answer" | "stop" }
  | { kind: "run"; graph: ActionGraph; declaration?: Declaration; approvals: Approvals }
  | { kind: "expand"; declaration: Extract<Declaration, { intent: "expand_ref" }> }
  | { kind: "refused"; issues: readonly ProtocolIssue[]; read?: Extract<Read, { kind: "refused" }> }

/** Why a person must be asked before an action, by its id. The gate asks, so the schedule does not wait for it. */
export type Approvals = ReadonlyMap<string, string>

export function planOf(request: ModelRequest, agent: Agent): Plan {
  const message = messageOf(request)
  if (agent.protocol) return declared(message, agent)
  if (message.calls.length === 0) return { kind: "answer" }
  return { kind: "run", graph: directGraph(message, agent), approvals: new Map() }
}

export function messageOf({ parts }: ModelRequest): AssistantMessage {
  const text = parts
    .map((part) => (part.kind === "text" || part.kind === "structured" ? part.text : ""))
    .join("")
  const calls = parts.flatMap((part) =>
    part.kind === "tool_call" ? [{ id: part.call_id, name: part.tool, arguments: part.arguments }] : [],
  )
  return { text, calls, complete: true }
}

function declared(message: AssistantMessage, agent: Agent): Plan {
  const roster = { executors: executorsOf(agent), authority: authorityOf(agent) }
  const read = readOutput(message, roster)
  if (read.kind === "refused") return { kind: "refused", issues: read.issues, read }
  if (read.kind !== "declaration") return { kind: "answer" }
  const { declaration } = read
  if (declaration.intent === "answer") return { kind: "answer" }
  if (declaration.intent === "done") return { kind: "stop" }
  if (declaration.intent === "expand_ref") return { kind: "expand", declaration }
  if (declaration.intent === "execute" && "graph" in declaration)
    return { kind: "run", declaration, ...gated(governGraph(declaration.graph, roster)) }
  return { kind: "refused", issues: [notHere(declaration.intent)] }
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

const notHere = (intent: string): ProtocolIssue => ({
  code: "unsupported_payload",
  path: "intent",
  message: `This runtime does not carry out ${intent} yet.`,
  fix: "Declare the work with intent execute, or answer.",
})

export const authorityOf = ({ name, protocol }: Agent): Authority => ({
  agent: name,
  enabled: protocol,
  depth: 0,
})

export const executorsOf = ({ tools }: Agent): Executor[] =>
  tools.flatMap((tool) => {
    const entry = executorOf(tool)
    return tool.asks === undefined ? [entry] : [entry, { ...entry, type: "human" as const }]
  })

function executorOf(tool: Tool): Executor {
  const { name, description, capabilities, side_effects, effect, time_limit_ms } = tool
  return {
    name,
    type: "tool",
    description,
    capabilities,
    side_effects,
    idempotent: effect !== "once",
    check: (input) => tool.check(input),
    ...(time_limit_ms === undefined ? {} : { time_limit_ms }),
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
      : { ...ungated(govern(action, executorOf(tool))), writes: writesOf(tool) }
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
