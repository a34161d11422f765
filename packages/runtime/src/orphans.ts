import type { SessionState } from "@factum/facts"
import { endOrphan } from "./adapters/processes/index.ts"
import type { Draft } from "./decision.ts"

/** A process of a former runtime, ended if it is still there; its output cannot be taken up again, so it is not kept alive. */
export async function orphaned(state: SessionState, process_id: string): Promise<Draft[]> {
  const process = state.entities.processes[process_id]
  if (process === undefined) return []
  const { thread_id, turn_id, tool_call_id, started } = process
  const session_id = Object.keys(state.entities.sessions)[0] ?? ""
  const scope = {
    session_id,
    thread_id,
    ...(turn_id === undefined ? {} : { turn_id }),
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
  }
  const found = started?.os === undefined ? "not_found" : await endOrphan(started.os, undefined, process_id)
  const ended = { process_id, exit_code: "unknown" as const, duration_ms: "unknown" as const }
  if (found === "ended") {
    const reason = "The runtime that started it is gone."
    return [{ type: "process.terminated", ...scope, payload: { ...ended, reason, by: "runtime" } }]
  }
  const message =
    found === "alive"
      ? "It is left over from a runtime that is gone and could not be ended."
      : "It ended while no runtime watched it."
  return [{ type: "process.failed", ...scope, payload: { ...ended, cause: "lost", message } }]
}
