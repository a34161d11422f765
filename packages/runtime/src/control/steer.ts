import type { CommandInput, CommandResult, SessionState } from "@factum/facts"
import { accept, type Decision, type Given, type Refused, reject } from "../decision.ts"
import { wrongInput } from "./attachments.ts"
import { activeTurn, misplaced, queueOf } from "./thread-view.ts"

type Submit = CommandInput<"submit_turn">

/** Attaches input to the turn that is under way. It opens no turn and waits in no queue. */
export function steerTurn(
  command: Submit,
  session_id: string,
  state: SessionState,
  given: Given,
): Decision<CommandResult<"submit_turn">> {
  const thread_id = command.thread_id ?? Object.keys(state.entities.threads)[0]
  const wrong = misdirected(command, session_id, thread_id, state, given)
  if (wrong !== undefined) return wrong
  const turn = thread_id === undefined ? undefined : activeTurn(state, thread_id)
  if (thread_id === undefined || turn === undefined || isOther(command, turn.turn_id)) {
    return reject("wrong_state", notActive(command), {
      field: "when",
      state: turn === undefined ? "idle" : "active",
      fix: 'Leave "when" out to submit it as a turn of its own.',
    })
  }
  const { turn_id } = turn
  const { input, source = "client", metadata } = command
  const { order, policy } = queueOf(state, thread_id)
  const steer = { input, source, ...(metadata === undefined ? {} : { metadata }) }
  const payload = { change: "steered" as const, order: [...order], policy, steer }
  return accept({ session_id, thread_id, turn_id, status: "steered" }, [
    { type: "queue.changed", session_id, thread_id, turn_id, payload },
  ])
}

function misdirected(
  { create, context, options, input, thread_id: named, turn_id }: Submit,
  session_id: string,
  thread_id: string | undefined,
  state: SessionState,
  given: Given,
): Refused | undefined {
  if (create !== undefined)
    return reject("invalid_input", "What is being created has no turn to steer.", { field: "create" })
  if (context !== undefined) {
    const message = "Context is read when a turn begins, and this one has begun."
    return reject("invalid_input", message, { field: "context", fix: "Name the files in the text." })
  }
  if (Object.keys(options ?? {}).length > 0) {
    const message = "Options hold from the beginning of a turn, and this one has begun."
    return reject("invalid_input", message, {
      field: "options",
      fix: "Leave them out, or interrupt the turn.",
    })
  }
  const wrong = wrongInput(input, given)
  if (wrong !== undefined) return wrong
  if (state.entities.sessions[session_id] === undefined)
    return reject("not_found", `No session ${session_id} is known.`, { field: "session_id", id: session_id })
  return (
    (named === undefined ? undefined : misplaced(given, named, "thread_id", { session_id })) ??
    (turn_id === undefined ? undefined : misplaced(given, turn_id, "turn_id", { session_id, thread_id }))
  )
}

const isOther = (command: Submit, turn_id: string): boolean =>
  command.turn_id !== undefined && command.turn_id !== turn_id

const notActive = ({ turn_id }: Submit): string =>
  turn_id === undefined ? "No turn of the thread is active." : `${turn_id} is not the active turn.`

/** Whether the model has not been told all that was said to the turn. */
export function hasUnheard(state: SessionState, turn_id: string): boolean {
  const last = state.entities.turns[turn_id]?.steered.at(-1)
  if (last === undefined) return false
  const asked = Object.values(state.entities.modelRequests).filter(
    (request) => request.turn_id === turn_id && request.status === "completed",
  )
  return asked.every(({ opened }) => opened < last.sequence)
}
