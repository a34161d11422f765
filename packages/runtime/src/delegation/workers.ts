import { type SessionState, turnEnded } from "@factum/facts"
import type { Agent, World } from "../agent.ts"
import type { Cells } from "../cells.ts"
import { personTool, planTool } from "../executors/person.ts"
import { pipelineTool } from "../executors/pipeline.ts"
import { runtimeTool } from "../executors/runtime.ts"
import { policyIn } from "../policy/grants.ts"
import type { Tool } from "../ports/tool.ts"
import { childAgent } from "./child-agent.ts"
import type { Delegation } from "./delegation.ts"
import { parentOf, sessionIn } from "./link.ts"
import { delegationTools } from "./tools.ts"

type Ports = {
  world: World
  agent: (world: World, session_id: string) => Agent | Promise<Agent>
  cells: Cells
  delegation: Delegation
}

/** Who works in a session: the agent of the host, or in a child session the one that the work was handed to. */
export function workers({ world, agent, cells, delegation }: Ports) {
  return async (state: SessionState): Promise<Agent | undefined> => {
    const link = parentOf(state)
    // A child works where its parent does.
    const host = await agent(world, link?.session_id ?? sessionIn(state))
    if (link === undefined) return equip(host, world, delegation)
    const parent = cells.peek(link.session_id)
    const asking = parent.entities.turns[link.turn_id]
    const delegate = host.delegates?.find(({ name }) => name === link.agent)
    if (delegate === undefined || asking === undefined || turnEnded(asking)) return undefined
    const assignment = { action_id: link.tool_call_id }
    // What people granted to the parent holds for those who work for it, and no longer than for the parent.
    const policy = policyIn(host.policy, parent, link.turn_id, world.clock.now())
    return equip({ ...childAgent({ ...host, policy }, delegate), assignment }, world, delegation)
  }
}

/** The tools of an agent with all that the runtime itself can execute for it. */
function equip(agent: Agent, { clock }: World, { handOut }: Delegation): Agent {
  const { tools, pipelines = [], delegates = [], protocol } = agent
  const more: Tool[] = [
    ...pipelines.map((pipeline) => pipelineTool(pipeline, tools)),
    ...delegationTools(delegates, protocol, handOut),
    ...(protocol ? [runtimeTool(clock), personTool, planTool] : []),
  ]
  return more.length === 0 ? agent : { ...agent, tools: [...tools, ...more] }
}
