import type { Authority, Executor, ExecutorType } from "@factum/protocol"
import type { Agent } from "../agent.ts"
import type { Tool } from "../ports/tool.ts"

/** All that a declaration of the agent may name. */
export const executorsOf = ({ tools }: Agent): Executor[] => tools.filter(isNameable).map(executorOf)

/** The review of a plan follows from the intent, and is no work that one declares. */
export const isNameable = ({ name }: Tool): boolean => name !== "review_plan"

export const kindOf = (tool: Tool): ExecutorType => tool.kind ?? "tool"

export function executorOf(tool: Tool): Executor {
  const { name, description, capabilities, side_effects, effect, time_limit_ms } = tool
  return {
    name,
    type: kindOf(tool),
    description,
    capabilities,
    side_effects,
    idempotent: effect !== "once",
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
