import type { SessionState } from "@factum/facts"
import { type Actor, actorRef } from "./actor.ts"
import type { Processes } from "./adapters/processes/index.ts"
import { answer, claimOf, notWritten, reasonOf, usedOtherwise } from "./answers.ts"
import type { Cells } from "./cells.ts"
import type { Command } from "./commands.ts"
import { accept, type Decision, type Draft, type Given, reject } from "./decision.ts"
import type { Claim, NotAppended } from "./ports/log.ts"
import type { Outcome } from "./runtime.ts"

export type ProcessCommand = Extract<Command, { name: "write_process_stdin" | "terminate_process" }>
export type ProcessPorts = {
  cells: Cells
  given: Given
  processes: Processes
  /** The answer to a command that was carried out before under the same id. */
  answered: (command: Command) => Outcome | undefined
}

/** A process is no state of the log: it is told what to do, and what came of it becomes facts. */
export function createProcessCommands({ cells, given, processes, answered }: ProcessPorts) {
  /** Those that have no answer yet, by their id: one that is sent several times at once is carried out once. */
  const underWay = new Map<string, { digest: string; outcome: Promise<Outcome> }>()

  return async (command: ProcessCommand, by: Actor | undefined): Promise<Outcome> => {
    const { command_id, digest } = command
    const running = command_id === undefined ? undefined : underWay.get(command_id)
    if (running !== undefined) return running.digest === digest ? running.outcome : usedOtherwise()
    const earlier = answered(command)
    if (earlier !== undefined) return earlier
    const outcome = tell(command, by)
    if (command_id === undefined) return outcome
    underWay.set(command_id, { digest, outcome })
    return outcome.finally(() => underWay.delete(command_id))
  }

  async function tell(command: ProcessCommand, by: Actor | undefined): Promise<Outcome> {
    const { process_id, session_id } = command.input
    const more = { field: "process_id", id: process_id }
    const place = given.place(process_id)
    if (place?.kind !== "process") {
      return answer(reject("not_found", `No process ${process_id} is known.`, more))
    }
    if (session_id !== undefined && place.session_id !== session_id) {
      const message = `${process_id} does not belong to the session that was named.`
      return answer(reject("scope_mismatch", message, more))
    }
    // Not in the session's line: the process tells what it took in there.
    const commit = (notes: readonly Draft[], claims: readonly Claim[]) =>
      cells.inLine(place.session_id, (cell) => cells.commit(cell, notes, claims))
    const intent = intentOf(command, processes)
    const begun = await commit([], intent)
    if (!begun.ok) return begun.code === "claimed" ? inDoubt(command, begun.value) : notWritten(begun)
    const decision = await processCommand(command, processes, cells.peek(place.session_id))
    const outcome = answer(decision)
    // A refusal leaves no trace, unless it was begun.
    if (!decision.ok && intent.length === 0) return outcome
    const notes = by === undefined || !decision.ok ? [] : [commanded(command, place.session_id, by)]
    const done = await commit(notes, claimOf(command, outcome))
    return done.ok ? outcome : notRecorded(process_id, done)
  }
}

/** That input is about to be written is in the log before it is: a repeat after a crash must not write it again. */
function intentOf({ name, command_id, digest, input }: ProcessCommand, processes: Processes): Claim[] {
  if (name !== "write_process_stdin" || command_id === undefined) return []
  const takes = processes
    .list()
    .some(({ process_id, stdin }) => process_id === input.process_id && stdin === "open")
  return takes ? [{ key: `begun:${command_id}`, value: digest }] : []
}

function inDoubt({ digest }: ProcessCommand, begun: string): Outcome {
  if (begun !== digest) return usedOtherwise()
  return reject("conflict", "This was begun before; whether the input reached the process is not known.", {
    field: "command_id",
    fix: "See what the process did with it; use a new command_id to write again.",
  })
}

function notRecorded(process_id: string, done: NotAppended): Outcome {
  return reject("write_failed", `The process was told, but that could not be recorded: ${reasonOf(done)}.`, {
    field: "input.process_id",
    id: process_id,
    fix: "See what the process did with it before you tell it again.",
  })
}

/** A process writes its own facts, so that who commanded it is told beside them. */
function commanded({ name, input }: ProcessCommand, session_id: string, by: Actor): Draft {
  const payload = { command: name, process_id: input.process_id }
  // A class of our own stands in no table that a draft's type could come from.
  return { type: "x-factum.commanded", session_id, payload, refs: [actorRef(by)] } as unknown as Draft
}

async function processCommand(
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
