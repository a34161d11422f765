import type { CommandName, SessionState } from "@factum/facts"
import type { Command } from "../commands.ts"
import { type Decision, type Given, reject } from "../decision.ts"
import { respondAction } from "./actions.ts"
import { ackEvents, reconnectChannel } from "./channels.ts"
import { promoteQueuedTurn, removeQueuedTurn } from "./queue.ts"
import { resumeThread } from "./resume.ts"
import { interruptTurn, submitTurn } from "./turns.ts"

/** The commands that this runtime decides; the others are refused as unavailable. */
const decided: ReadonlySet<CommandName> = new Set<CommandName>([
  "submit_turn",
  "interrupt_turn",
  "remove_queued_turn",
  "promote_queued_turn",
  "respond_action",
  "reconnect_channel",
  "ack_events",
  "resume_thread",
])
export const isDecided = (name: CommandName): boolean => decided.has(name)

/** The session whose line the command stands in, or nothing when none is named. */
export function sessionOf(command: Command, given: Given): string | undefined {
  if (command.name === "submit_turn") {
    const { session_id, turn_id, create } = command.input
    if (session_id !== undefined) return session_id
    // A creation that is sent again finds the session that it created before.
    const before = turn_id === undefined ? undefined : given.place(turn_id)?.session_id
    return before ?? (create === "session" ? given.id("session") : undefined)
  }
  if (command.name === "respond_action") {
    const { session_id, action_id } = command.input
    const place = given.place(action_id)
    // An action of a child is seen in its parent's session, and decided in its own.
    if (session_id !== undefined && session_id !== place?.parent_session_id) return session_id
    return place?.session_id
  }
  if (command.name === "reconnect_channel" || command.name === "ack_events") {
    return given.place(command.input.channel_id)?.session_id
  }
  return "session_id" in command.input ? command.input.session_id : undefined
}

export function decide(command: Command, session_id: string, state: SessionState, given: Given): Decision {
  switch (command.name) {
    case "submit_turn":
      return submitTurn(command.input, session_id, state, given)
    case "interrupt_turn":
      return interruptTurn(command.input, state, given)
    case "remove_queued_turn":
      return removeQueuedTurn(command.input, state, given)
    case "promote_queued_turn":
      return promoteQueuedTurn(command.input, state, given)
    case "respond_action":
      return respondAction(command.input, state, given)
    case "reconnect_channel":
      return reconnectChannel(command.input, state, given)
    case "ack_events":
      return ackEvents(command.input, state, given)
    case "resume_thread":
      return resumeThread(command.input, state, given)
    default:
      return unavailable(command.name)
  }
}

export function unavailable(name: CommandName) {
  return reject("unavailable", `This host does not carry out ${name}.`, { field: "name" })
}
