import type { Delegate } from "../../src/delegation/child-agent.ts"
import type { Agent, Model, RuntimeParts, Tool } from "../../src/index.ts"
import type { ModelCall, ModelChunk } from "../../src/ports/model.ts"
import { openRuntime, submit } from "../harness.ts"
import { agentWith, type Line } from "../loop/given.ts"

export const scout: Delegate = {
  name: "scout",
  description: "Looks around.",
  instructions: "You are the scout.",
  capabilities: ["search"],
  protocol: false,
  rules: [],
}

/** Speaks by who it is and how often it has spoken, as a model does: a new process changes nothing. */
export function rolesModel(roles: { main: readonly Line[]; scout: readonly Line[] }) {
  const calls: { who: "main" | "scout"; call: ModelCall }[] = []
  const model: Model = {
    provider: "roles",
    name: "roles-1",
    async *stream(call): AsyncIterable<ModelChunk> {
      const who = (call.system ?? "").includes("the scout") ? "scout" : "main"
      calls.push({ who, call })
      const round = call.messages.filter(({ role }) => role === "assistant").length
      const said = roles[who][round] ?? { text: `${who} is done.` }
      if (said.text !== undefined) yield { kind: "text", part_id: "a", text: said.text }
      for (const { id, tool, args = {} } of said.calls ?? [])
        yield { kind: "tool_call", part_id: id, call_id: id, tool, arguments: JSON.stringify(args) }
      const finish = said.calls === undefined ? "stop" : "tool_calls"
      yield { kind: "finish", finish, usage: { input_tokens: 10, output_tokens: 5 } }
    },
  }
  return { model, calls }
}

export const hand = (task = "Look for it", id = "d"): Line => ({
  calls: [{ id, tool: "delegate", args: { agent: "scout", task } }],
})

export async function delegating(
  roles: Parameters<typeof rolesModel>[0],
  tools: readonly Tool[],
  more: Partial<Agent> = {},
  parts: Partial<RuntimeParts> & { directory?: string } = {},
) {
  const { model, calls } = rolesModel(roles)
  const agent = agentWith(tools, { delegates: [scout], ...more })
  const opened = await openRuntime(model, { agent, ...parts })
  const { session_id } = await submit(opened.runtime, "Find it")
  return { ...opened, session_id, calls, agent }
}
