import {
  type CommandInput,
  type CommandResult,
  executionEnvironmentSnapshot,
  type SessionState,
} from "@factum/facts"
import { childEnvironment } from "./adapters/processes/environment.ts"
import type { Agent } from "./agent.ts"
import { misplaced } from "./control/thread-view.ts"
import type { Credentials } from "./credentials.ts"
import { accept, type Decision, type Given } from "./decision.ts"
import { noSession } from "./reads.ts"

export type EnvironmentPorts = { agent: (state: SessionState) => Promise<Agent>; credentials: Credentials }
type Input = CommandInput<"get_execution_environment">

/** Where work runs. Of the variables only names and refs are told, also of those that hold no secret. */
export async function getExecutionEnvironment(
  { session_id, thread_id, turn_id }: Input,
  state: SessionState,
  given: Given,
  { agent, credentials }: EnvironmentPorts,
): Promise<Decision<CommandResult<"get_execution_environment">>> {
  if (state.entities.sessions[session_id] === undefined) return noSession(session_id)
  const wrong =
    (thread_id === undefined ? undefined : misplaced(given, thread_id, "thread_id", { session_id })) ??
    (turn_id === undefined ? undefined : misplaced(given, turn_id, "turn_id", { session_id, thread_id }))
  if (wrong !== undefined) return wrong
  const { workspace, most_calls, most_requests, most_parallel, boundary } = await agent(state)
  const own = Object.keys(childEnvironment(process.env)).map((name) => ({ name, ref: `environment:${name}` }))
  const gifts = Object.keys(credentials.environment(session_id, state))
  const whole = executionEnvironmentSnapshot(state, {
    cwd: workspace.cwd,
    workspace_roots: [...workspace.roots],
    env_refs: [...own, ...gifts.map((name) => ({ name, ref: `credential:${name}` }))],
    process_limits: {
      sandbox: boundary.profile,
      calls_per_turn: most_calls,
      requests_per_turn: most_requests,
      calls_at_once: most_parallel,
    },
  })
  const active_processes = whole.active_processes.filter(
    (process) =>
      (thread_id === undefined || process.thread_id === thread_id) &&
      (turn_id === undefined || process.turn_id === turn_id),
  )
  return accept({ environment: { ...whole, active_processes } })
}
