import { type CommandInput, type CommandResult, reflects, type SessionState } from "@factum/facts"
import type { Agent } from "./agent.ts"
import { type CatalogPayload, catalogOf } from "./catalog.ts"
import { misplaced } from "./control/thread-view.ts"
import { accept, type Decision, type Given, reject } from "./decision.ts"
import { childAgent } from "./delegation/child-agent.ts"
import { modes, type Policy } from "./policy/types.ts"
import { noSession } from "./reads.ts"

/** The tools that an agent has under a policy. */
export function inventoryOf(
  { name, only, tools, protocol, unavailable = [] }: Agent,
  policy: Policy,
): CatalogPayload {
  return catalogOf(tools, {
    caller: { name, ...(only === undefined ? {} : { tools: only }) },
    policy,
    mode: policy.mode,
    context: { name: protocol ? "protocol" : "tools" },
    plan_ends: tools.some(({ capabilities }) => capabilities.includes("plan_decision")),
    unavailable,
  })
}

/** What one of the agents of a session would find in a turn that began now. A turn that runs keeps its own. */
export async function getToolInventory(
  { session_id, thread_id, turn_id, caller, policy, mode: asked }: CommandInput<"get_tool_inventory">,
  state: SessionState,
  given: Given,
  agent: (state: SessionState) => Promise<Agent>,
): Promise<Decision<CommandResult<"get_tool_inventory">>> {
  if (state.entities.sessions[session_id] === undefined) return noSession(session_id)
  const wrong =
    (thread_id === undefined ? undefined : misplaced(given, thread_id, "thread_id", { session_id })) ??
    (turn_id === undefined ? undefined : misplaced(given, turn_id, "turn_id", { session_id, thread_id }))
  if (wrong !== undefined) return wrong
  const host = await agent(state)
  const callers = [host, ...(host.delegates ?? []).map((delegate) => childAgent(host, delegate))]
  const who = callers.find(({ name }) => name === caller)
  if (who === undefined) {
    const fix = `One of: ${callers.map(({ name }) => name).join(", ")}.`
    return reject("not_found", `No agent ${caller} works in this session.`, {
      field: "caller",
      id: caller,
      fix,
    })
  }
  if (who.policy.version !== policy) {
    const fix = `The policy of ${caller} is ${who.policy.version}.`
    return reject("not_found", `The policy ${policy} is not in force.`, { field: "policy", id: policy, fix })
  }
  const mode = modes.find((one) => one === asked)
  if (mode === undefined) {
    const fix = `One of: ${modes.join(", ")}.`
    return reject("not_found", `There is no mode ${asked}.`, { field: "mode", id: asked, fix })
  }
  const { tools, context = "unknown" } = inventoryOf(who, { ...who.policy, mode })
  return accept({ inventory: { ...reflects(state), caller, policy, context, mode, tools } })
}
