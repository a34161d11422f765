import { hash } from "node:crypto"
import {
  type Channel,
  type CommandInput,
  type CommandResult,
  type SessionState,
  sessionSnapshot,
} from "@factum/facts"
import {
  accept,
  claimPlace,
  type Decision,
  type Draft,
  type Given,
  type Refused,
  reject,
} from "../decision.ts"
import { noSession } from "../reads.ts"

/** How many facts a peer may have missed and still get them one by one. */
export const keptWindow = 1000

export type OpenChannel = {
  session_id: string
  kind: string
  native_peer_id: string
  peer_name?: string
  /** The peer's own task ids and what they stand for here. */
  mappings?: readonly { native_task_id: string; task_id: string }[]
  /** Chosen by the host, known to it and the peer only. */
  resume_token: string
}

export const tokenDigest = (token: string): string => hash("sha256", token)

/** A peer that was never here before; it begins at the newest fact and is given a snapshot first. */
export function openChannel(
  { session_id, resume_token, mappings, ...peer }: OpenChannel,
  state: SessionState,
  given: Given,
): Decision<{ channel_id: string; cursor: number }> {
  if (state.entities.sessions[session_id] === undefined) return noSession(session_id)
  const channel_id = given.id("channel")
  const cursor = state.sequence
  const more = mappings === undefined ? {} : { mappings: [...mappings] }
  const payload = { channel_id, ...peer, cursor, ...more }
  const digest = tokenDigest(resume_token)
  const place = { kind: "channel" as const, session_id, thread_id: "", digest }
  return accept(
    { channel_id, cursor },
    [{ type: "channel.connected", session_id, payload }],
    [claimPlace(channel_id, place)],
  )
}

/** Gives exactly what follows the cursor, or a snapshot when that is more than is kept for a peer. */
export function reconnectChannel(
  { channel_id, cursor, resume_token }: CommandInput<"reconnect_channel">,
  state: SessionState,
  given: Given,
): Decision<CommandResult<"reconnect_channel">> {
  const channel = state.entities.channels[channel_id]
  const place = given.place(channel_id)
  if (channel === undefined || place?.kind !== "channel") return noChannel(channel_id)
  if (place.digest !== tokenDigest(resume_token)) {
    const fix = "Use the token that was given when the channel was opened, or open a new one."
    return reject("not_permitted", "The resume token is not that of the channel.", {
      field: "resume_token",
      fix,
    })
  }
  const { session_id } = place
  if (cursor > state.sequence) return beyond(cursor, state)
  const events = given.factsAfter(session_id, cursor, keptWindow + 1)
  const resumed = (from: number): Draft => ({
    type: "channel.resumed",
    session_id,
    payload: { channel_id, native_peer_id: channel.native_peer_id, cursor: from },
  })
  const { sequence } = state
  if (events.length <= keptWindow) {
    return accept({ outcome: "resumed", events, cursor: sequence }, [resumed(cursor)])
  }
  const repaired: Draft = {
    type: "snapshot.repaired",
    session_id,
    payload: {
      snapshot: "session_snapshot",
      reflects: sequence,
      cause: "cursor_out_of_window",
      missing: { from: cursor + 1, to: sequence },
      kept: openActions(state),
    },
  }
  const snapshot = structuredClone(sessionSnapshot(state))
  return accept({ outcome: "repaired", snapshot, cursor: sequence }, [repaired, resumed(sequence)])
}

/** Moves a cursor that the host keeps; a fact of it would itself need an acknowledgement. */
export function ackEvents(
  { channel_id, cursor }: CommandInput<"ack_events">,
  state: SessionState,
  given: Given,
): Decision<CommandResult<"ack_events">> {
  const channel = state.entities.channels[channel_id]
  if (channel === undefined) return noChannel(channel_id)
  if (cursor > state.sequence) return beyond(cursor, state)
  const acknowledged = given.acknowledged(channel_id) ?? acknowledgedBy(channel)
  if (cursor <= acknowledged) return accept({ outcome: "no_op", acknowledged })
  return accept({ outcome: "moved", acknowledged: cursor })
}

/** A lost connection says nothing about the work. */
export function dropChannel(
  channel_id: string,
  session_id: string,
  reason: string,
  state: SessionState,
  given: Given,
): readonly Draft[] {
  const channel = state.entities.channels[channel_id]
  if (channel?.status !== "connected") return []
  const acknowledged = given.acknowledged(channel_id) ?? acknowledgedBy(channel)
  const { native_peer_id } = channel
  const payload = { channel_id, native_peer_id, reason, acknowledged }
  return [{ type: "channel.disconnected", session_id, payload }]
}

export function acknowledgedBy({ acknowledged, cursor }: Channel): number {
  if (acknowledged !== "unknown") return acknowledged
  return cursor === "unknown" ? 0 : cursor
}

export function noChannel(channel_id: string): Refused {
  return reject("not_found", `No channel ${channel_id} is known.`, { field: "channel_id", id: channel_id })
}

function beyond(cursor: number, { sequence }: SessionState): Refused {
  const fix = `Name a sequence from 0 to ${sequence}.`
  return reject("bad_cursor", `The session ends at ${sequence}, before ${cursor}.`, { field: "cursor", fix })
}

const openActions = ({ entities }: SessionState): string[] =>
  Object.values(entities.actions)
    .filter(({ status }) => status === "pending")
    .map(({ action_id }) => action_id)
