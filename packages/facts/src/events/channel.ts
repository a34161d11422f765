import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { Id } from "../ids.ts"
import { Count, Text } from "../known.ts"
import { Preview, Ref } from "../refs.ts"
import { family } from "../state.ts"

const on = { version: 1, scope: "runtime" } as const
const onAction = {
  version: 1,
  scope: "session",
  ids: ["action_id"],
  optional: ["step_id", "tool_call_id"],
} as const
const where = { channel_id: Id, native_peer_id: Text }
const Mapping = z.object({ native_task_id: Text, task_id: Id })

export const ChannelConnected = defineEvent("channel.connected", {
  ...on,
  doc: "A remote peer is connected for the first time under this channel.",
  payload: z.object({
    ...where,
    kind: Text,
    peer_name: z.string().optional(),
    cursor: Count,
    mappings: z.array(Mapping).optional(),
  }),
})

export const ChannelDisconnected = defineEvent("channel.disconnected", {
  ...on,
  doc: "The connection was lost: a fact about the channel only, work goes on.",
  payload: z.object({ ...where, reason: Text, acknowledged: Count }),
})

export const ChannelResumed = defineEvent("channel.resumed", {
  ...on,
  doc: "The peer came back and gets exactly what follows its cursor.",
  payload: z.object({ ...where, cursor: Count, mappings: z.array(Mapping).optional() }),
})

export const ChannelMessage = defineEvent("channel.message", {
  ...on,
  doc: "A message passed the channel; under one native id it takes effect once.",
  payload: z.object({
    ...where,
    native_message_id: Text,
    direction: z.enum(["inbound", "outbound"]),
    native_task_id: z.string().optional(),
    preview: Preview,
    ref: Ref.optional(),
  }),
})

export const ChannelPermissionForwarded = defineEvent("channel.permission_forwarded", {
  ...onAction,
  doc: "An approval was shown to the remote peer under its own action id.",
  payload: z.object(where),
})

export const ChannelPermissionReturned = defineEvent("channel.permission_returned", {
  ...onAction,
  doc: "The peer answered; it counts only as an answer to that action, with all its refusals.",
  payload: z.object({
    ...where,
    decision: Text,
    accepted: z.boolean(),
    refusal: z.string().optional(),
  }),
})

export const channelEvents = [
  ChannelConnected,
  ChannelDisconnected,
  ChannelResumed,
  ChannelMessage,
  ChannelPermissionForwarded,
  ChannelPermissionReturned,
] as const
export type ChannelEvent = EventOf<(typeof channelEvents)[number]>

export type Channel = {
  channel_id: string
  status: "unknown" | "connected" | "disconnected"
  kind: string
  native_peer_id: string
  peer_name?: string | undefined
  cursor: Count
  acknowledged: Count
  mappings: readonly z.infer<typeof Mapping>[]
  messages: number
  /** Native ids of the latest inbound messages, to see a second delivery. */
  seen: readonly string[]
  /** Actions shown to the peer and not yet answered there. */
  forwarded: readonly string[]
  reason?: string | undefined
  updated_at?: string
}
const blank: Channel = {
  channel_id: "",
  status: "unknown",
  kind: "unknown",
  native_peer_id: "unknown",
  cursor: "unknown",
  acknowledged: "unknown",
  mappings: [],
  messages: 0,
  seen: [],
  forwarded: [],
}
const remembered = 256

function at(s: Channel, e: ChannelEvent): Channel {
  const { channel_id, native_peer_id } = e.payload
  return { ...s, channel_id, native_peer_id, updated_at: e.timestamp }
}

export const channel = fold<Channel, ChannelEvent>(blank, {
  "channel.connected": (s, e) => {
    const { kind, peer_name, cursor, mappings = s.mappings } = e.payload
    return { ...at(s, e), status: "connected", kind, peer_name, cursor, mappings, reason: undefined }
  },
  "channel.disconnected": (s, e) => {
    const { reason, acknowledged } = e.payload
    return { ...at(s, e), status: "disconnected", reason, acknowledged }
  },
  "channel.resumed": (s, e) => {
    const { cursor, mappings = s.mappings } = e.payload
    return { ...at(s, e), status: "connected", cursor, acknowledged: cursor, mappings, reason: undefined }
  },
  "channel.message": (s, e) => {
    const { native_message_id, direction } = e.payload
    if (direction === "outbound") return { ...at(s, e), messages: s.messages + 1 }
    if (s.seen.includes(native_message_id)) return s
    return { ...at(s, e), messages: s.messages + 1, seen: [...s.seen, native_message_id].slice(-remembered) }
  },
  "channel.permission_forwarded": (s, e) =>
    s.forwarded.includes(e.action_id) ? s : { ...at(s, e), forwarded: [...s.forwarded, e.action_id] },
  "channel.permission_returned": (s, e) => ({
    ...at(s, e),
    forwarded: s.forwarded.filter((id) => id !== e.action_id),
  }),
})

export const channels = family(channel, (e) => e.payload.channel_id)
