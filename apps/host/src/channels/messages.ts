import { Id, InputPart, Text } from "@factum/facts"
import { z } from "zod"

const Mappings = z.array(z.strictObject({ native_task_id: Text, task_id: Id })).max(1000)
/** Whether approvals are forwarded to this peer. */
const permissions = z.boolean().exactOptional()

/** What a peer may say over a channel. The first of it is `open` or `resume`. */
export const PeerMessage = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("open"),
    session_id: Id,
    native_peer_id: Text.max(200),
    peer_name: z.string().max(200).exactOptional(),
    mappings: Mappings.exactOptional(),
    permissions,
  }),
  z.strictObject({
    type: z.literal("resume"),
    channel_id: Id,
    resume_token: Text,
    /** Without it, what was acknowledged last. */
    cursor: z.int().min(0).exactOptional(),
    permissions,
  }),
  z.strictObject({ type: z.literal("ack"), cursor: z.int().min(0) }),
  z.strictObject({
    type: z.literal("message"),
    native_message_id: Text.max(200),
    input: z.array(InputPart).min(1),
    thread_id: Id.exactOptional(),
    native_task_id: Text.max(200).exactOptional(),
  }),
  z.strictObject({
    type: z.literal("answer"),
    action_id: Id,
    decision: Text,
    payload: z.record(z.string(), z.unknown()).exactOptional(),
    note: z.string().exactOptional(),
  }),
])
export type PeerMessage = z.infer<typeof PeerMessage>
export type Said<T extends PeerMessage["type"]> = Extract<PeerMessage, { type: T }>

/** Why a connection was closed by the host. */
export const closeCodes = {
  /** The host ends. */
  closing: 1001,
  /** Nothing was opened in time, or the message was not understood before that. */
  not_opened: 4000,
  /** The channel was resumed by another connection. */
  replaced: 4001,
  /** The peer takes nothing of what is sent. */
  behind: 4002,
  /** The token is no longer valid. */
  unauthorized: 4003,
} as const
