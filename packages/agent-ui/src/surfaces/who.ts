import { given } from "../given.ts"
import type { AgentEntity, AgentUiState, Origin } from "../state.ts"
import { kept } from "./memo.ts"
import { type Known, known } from "./view.ts"

export { given }

/** Who did it: a teammate by name, or what else is known of it; two of them never look like one. */
export type Who = {
  key: string
  name: Known<string>
  agentId?: string
  taskId?: string
  sessionId?: string
  threadId?: string
  teamName?: string
  role?: string
  color?: string
  avatar?: string
  human?: true
  remote?: true
}

/** Something that stands for the one who did it, by reference or by name, so that a change of it is seen. */
export type Doer = AgentEntity | string | undefined

/** The teammate of a fact; else its task, thread or session where it has one of its own; else nobody: the lead. */
export function doerOf(state: AgentUiState, origin: Origin): Doer {
  if (origin.agentId !== undefined) return state.agents.get(origin.agentId) ?? `agent\n${origin.agentId}`
  const owner = origin.sessionId === undefined ? undefined : ownersOf(state.agents).get(origin.sessionId)
  if (owner) return owner
  if (origin.parentSessionId === undefined && origin.parentThreadId === undefined) return undefined
  if (origin.taskId !== undefined) return `task\n${origin.taskId}`
  if (origin.threadId !== undefined) return `thread\n${origin.threadId}`
  return origin.sessionId === undefined ? undefined : `session\n${origin.sessionId}`
}

/** Which teammate's own session is which. */
const ownersOf = kept((agents: AgentUiState["agents"]): ReadonlyMap<string, AgentEntity> => {
  const owners = new Map<string, AgentEntity>()
  for (const agent of agents.values())
    if (agent.childSessionId !== undefined) owners.set(agent.childSessionId, agent)
  return owners
})

export function whoIs(doer: Doer): Who | undefined {
  if (doer === undefined) return undefined
  return typeof doer === "string" ? stranger(doer) : teammate(doer)
}

export const whoOf = (state: AgentUiState, origin: Origin) => whoIs(doerOf(state, origin))
export function agentWho(state: AgentUiState, agentId: string): Who {
  const agent = state.agents.get(agentId)
  return agent ? teammate(agent) : { key: `agent:${agentId}`, name: "unknown", agentId }
}

function stranger(doer: string): Who {
  const cut = doer.indexOf("\n")
  const [kind, id] = [doer.slice(0, cut), doer.slice(cut + 1)]
  return { key: `${kind}:${id}`, name: "unknown", [`${kind}Id`]: id }
}

const teammate = kept((agent: AgentEntity): Who => {
  const { agentId, agentName, teamName, role, color, avatar, origin } = agent
  return {
    key: `agent:${agentId}`,
    name: known(agentName),
    agentId,
    ...given({ taskId: origin.taskId, sessionId: agent.childSessionId, threadId: agent.childThreadId }),
    ...given({ teamName, role, color, avatar }),
    ...(agent.human && { human: true as const }),
    ...(isRemote(agent) && { remote: true as const }),
  }
})

export const isRemote = (agent: AgentEntity) =>
  agent.runtimeEntity === "external_task" || agent.remoteTaskId !== undefined || agent.cardRef !== undefined
