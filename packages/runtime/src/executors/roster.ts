import type { Authority, Executor, ExecutorType } from "@factum/protocol"
import type { Agent } from "../agent.ts"
import type { Tool } from "../ports/tool.ts"

/** All that a declaration of the agent may name. */
export const executorsOf = ({ tools }: Agent): Executor[] =>
  tools.filter(isNameable).map((tool) => executorOf(tool, tools))

/** The review of a plan follows from the intent, and is no work that one declares. */
export const isNameable = ({ name }: Tool): boolean => name !== "review_plan"

export const kindOf = (tool: Tool): ExecutorType => tool.kind ?? "tool"

/** Whether a second call of it, under a key of its own, is as good as the first. A pipeline is as its worst step. */
export function isRepeatable({ kind, effect, steps = [] }: Tool, tools: readonly Tool[]): boolean {
  if (kind === "agent" || effect === "once" || effect === "keyed") return false
  return steps.every((step) => {
    const tool = tools.find(({ name }) => name === step.tool)
    return tool !== undefined && isRepeatable(tool, tools)
  })
}

export function executorOf(tool: Tool, tools: readonly Tool[]): Executor {
  const { name, description, capabilities, time_limit_ms } = tool
  // What a child does is judged in the child, and a second one knows nothing of what the first has done.
  const side_effects = tool.kind === "agent" ? (["external"] as const) : tool.side_effects
  return {
    name,
    type: kindOf(tool),
    description,
    capabilities,
    side_effects,
    idempotent: isRepeatable(tool, tools),
    check: (input) => tool.check(input),
    ...(time_limit_ms === undefined ? {} : { time_limit_ms }),
  }
}

/** All that an output of the agent is read against. */
export const rosterOf = (agent: Agent) => ({
  executors: executorsOf(agent),
  authority: authorityOf(agent),
  ...(agent.assignment === undefined ? {} : { assignment: agent.assignment }),
})

export const authorityOf = ({ name, protocol }: Agent): Authority => ({
  agent: name,
  enabled: protocol,
  depth: 0,
})
