import { type CommandInput, type CommandName, isCommandName, type SessionState } from "@factum/facts"
import type { Command, CommandOf } from "../commands.ts"
import { type Decision, type Given, reject } from "../decision.ts"
import { respondAction } from "./actions.ts"
import { ackEvents, reconnectChannel } from "./channels.ts"
import { promoteQueuedTurn, removeQueuedTurn } from "./queue.ts"
import { resumeThread } from "./resume.ts"
import { interruptTurn, submitTurn } from "./turns.ts"

type Decider<N extends CommandName> = (
  input: CommandInput<N>,
  session_id: string,
  state: SessionState,
  given: Given,
) => Decision
type Deciders<N extends CommandName> = { readonly [K in N]: Decider<K> }

/** The commands that are decided from a session's state alone. */
const deciders = {
  submit_turn: submitTurn,
  interrupt_turn: (input, _, state, given) => interruptTurn(input, state, given),
  remove_queued_turn: (input, _, state, given) => removeQueuedTurn(input, state, given),
  promote_queued_turn: (input, _, state, given) => promoteQueuedTurn(input, state, given),
  respond_action: (input, _, state, given) => respondAction(input, state, given),
  reconnect_channel: (input, _, state, given) => reconnectChannel(input, state, given),
  ack_events: (input, _, state, given) => ackEvents(input, state, given),
  resume_thread: (input, _, state, given) => resumeThread(input, state, given),
} satisfies Partial<Deciders<CommandName>>
export type DecidedName = keyof typeof deciders

export const isDecided = (command: Command): command is CommandOf<DecidedName> =>
  Object.hasOwn(deciders, command.name)
export const decidedNames = Object.keys(deciders).filter(isCommandName)

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

export function decide<N extends DecidedName>(
  { name, input }: CommandOf<N>,
  session_id: string,
  state: SessionState,
  given: Given,
): Decision {
  const table: Deciders<DecidedName> = deciders
  const decider: Decider<N> = table[name]
  return decider(input, session_id, state, given)
}

export function unavailable(name: CommandName) {
  return reject("unavailable", `This host does not carry out ${name}.`, { field: "name" })
}
