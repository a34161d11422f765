import type { SessionState } from "@factum/facts"
import type { Processes } from "./adapters/processes/index.ts"
import type { Command } from "./commands.ts"
import { accept, type Decision, reject } from "./decision.ts"

export type ProcessCommand = Extract<Command, { name: "write_process_stdin" | "terminate_process" }>

export async function processCommand(
  command: ProcessCommand,
  processes: Processes,
  state: SessionState,
): Promise<Decision> {
  const { process_id } = command.input
  const more = { field: "process_id", id: process_id }
  if (command.name === "write_process_stdin") {
    const { input, encoding = "utf8", close = false } = command.input
    const written = await processes.write(process_id, Buffer.from(input, encoding), close)
    if (written.ok) return accept({ process_id, bytes: written.bytes })
    // It is known, so a manager that does not have it has seen it end, or was started after its end.
    const message = written.code === "not_found" ? "The process has ended." : written.message
    return reject("wrong_state", message, {
      ...more,
      state: state.entities.processes[process_id]?.status ?? "unknown",
    })
  }
  const done = await processes.terminate(process_id, { reason: command.input.reason, by: "user" })
  if (done.ok) {
    const { status, exit_code } = done.end
    return accept({ process_id, outcome: done.outcome, status, exit_code })
  }
  const known = state.entities.processes[process_id]
  const status =
    known?.status === "unknown" || known?.status === "running" ? "failed" : (known?.status ?? "failed")
  return accept({ process_id, outcome: "no_op", status, exit_code: known?.ended?.exit_code ?? "unknown" })
}
