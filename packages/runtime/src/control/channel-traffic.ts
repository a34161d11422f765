import type { CommandInput, CommandResult, InputPart, SessionState } from "@factum/facts"
import { accept, type Decision, type Draft, type Given, reject } from "../decision.ts"
import { noChannel } from "./channels.ts"
import { submitTurn } from "./turns.ts"

export type ChannelMessage = {
  native_message_id: string
  input: InputPart[]
  thread_id?: string
  native_task_id?: string
}
export type MessageTaken = { outcome: "taken" | "no_op"; turn: CommandResult<"submit_turn"> }
export type ChannelAnswer = Omit<CommandInput<"respond_action">, "session_id">

export const messageKey = (channel_id: string, native_id: string): string =>
  `message:${channel_id}:${native_id}`

/** A message of the peer becomes a turn, once for each native id: the claim travels with the facts. */
export function takeMessage(
  channel_id: string,
  session_id: string,
  message: ChannelMessage,
  state: SessionState,
  given: Given,
): Decision<MessageTaken> {
  const channel = state.entities.channels[channel_id]
  if (channel === undefined) return noChannel(channel_id)
  const { native_message_id, native_task_id, input, thread_id } = message
  const submitted = submitTurn(
    { session_id, input, source: channel.kind, ...(thread_id === undefined ? {} : { thread_id }) },
    session_id,
    state,
    given,
  )
  if (!submitted.ok) return submitted
  const fact: Draft = {
    type: "channel.message",
    session_id,
    payload: {
      channel_id,
      native_peer_id: channel.native_peer_id,
      native_message_id,
      direction: "inbound",
      ...(native_task_id === undefined ? {} : { native_task_id }),
      preview: previewOf(input),
    },
  }
  const value = JSON.stringify(submitted.result)
  const claim = { key: messageKey(channel_id, native_message_id), value }
  return accept(
    { outcome: "taken", turn: submitted.result },
    [fact, ...submitted.facts],
    [claim, ...submitted.claims],
  )
}

/** Shows an open action to the peer, once. */
export function forwardAction(
  channel_id: string,
  session_id: string,
  action_id: string,
  state: SessionState,
): readonly Draft[] {
  const channel = state.entities.channels[channel_id]
  const action = state.entities.actions[action_id]
  if (channel === undefined || action?.status !== "pending") return []
  if (action.request?.decided_by !== "human" || channel.forwarded.includes(action_id)) return []
  const payload = { channel_id, native_peer_id: channel.native_peer_id }
  return [{ type: "channel.permission_forwarded", session_id, action_id, payload }]
}

/** What the peer said counts only as an answer to that action; that it said so is recorded either way. */
export function takeAnswer(
  channel_id: string,
  session_id: string,
  answer: ChannelAnswer,
  state: SessionState,
  decide: () => Decision<CommandResult<"respond_action">>,
): { decision: Decision<CommandResult<"respond_action">>; returned: readonly Draft[] } {
  const channel = state.entities.channels[channel_id]
  if (channel === undefined) return { decision: noChannel(channel_id), returned: [] }
  const { action_id } = answer
  if (state.entities.actions[action_id] === undefined) {
    const more = { field: "action_id", id: action_id }
    const decision = reject("not_found", `No action ${action_id} is known in this session.`, more)
    return { decision, returned: [] }
  }
  const decision = decide()
  const returned = returnedAnswer(channel_id, channel.native_peer_id, session_id, answer, decision)
  return { decision, returned: [returned] }
}

function returnedAnswer(
  channel_id: string,
  native_peer_id: string,
  session_id: string,
  { action_id, decision }: ChannelAnswer,
  outcome: Decision,
): Draft {
  const refusal = outcome.ok ? {} : { refusal: outcome.refusal.code }
  const payload = { channel_id, native_peer_id, decision, accepted: outcome.ok, ...refusal }
  return { type: "channel.permission_returned", session_id, action_id, payload }
}

const previewLength = 500

function previewOf(input: readonly InputPart[]) {
  const text = input.map((part) => (part.kind === "text" ? part.text : `[${part.kind}]`)).join("\n")
  return { text: text.slice(0, previewLength), whole: text.length <= previewLength }
}
