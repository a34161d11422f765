import { z } from "zod"
import { Count, Text } from "../known.ts"
import type { SessionState } from "../session-state.ts"
import { defineSnapshot, type Freshness, reflected, reflects } from "./define-snapshot.ts"

export const ChannelSummary = defineSnapshot("channel_summary", {
  version: 1,
  doc: "Remote peers, resume cursors, last acknowledged sequence and the state of the permission bridge.",
  schema: z.object({
    ...reflected,
    channels: z.array(
      z.object({
        channel_id: z.string(),
        kind: Text,
        native_peer_id: Text,
        peer_name: z.string().optional(),
        connection: z.enum(["connected", "disconnected", "unknown"]),
        /** A peer that is away is stale, not failed. */
        peer: z.enum(["current", "stale", "unknown"]),
        resume_cursor: Count,
        last_acknowledged: Count,
        mappings: z.array(z.object({ native_task_id: z.string(), task_id: z.string() })),
        permission_bridge: z.object({ pending_action_ids: z.array(z.string()) }),
      }),
    ),
  }),
})
export type ChannelSummary = z.infer<typeof ChannelSummary.schema>

/** `acknowledged` comes from the host: an acknowledgement moves a cursor and is no fact. */
export function channelSummary(
  state: SessionState,
  acknowledged: Readonly<Record<string, number>> = {},
  freshness?: Freshness,
): ChannelSummary {
  const channels = Object.values(state.entities.channels).map((channel) => ({
    channel_id: channel.channel_id,
    kind: channel.kind,
    native_peer_id: channel.native_peer_id,
    peer_name: channel.peer_name,
    connection: channel.status,
    peer: peerOf(channel.status),
    resume_cursor: channel.cursor,
    last_acknowledged: acknowledged[channel.channel_id] ?? channel.acknowledged,
    mappings: [...channel.mappings],
    permission_bridge: { pending_action_ids: [...channel.forwarded] },
  }))
  return { ...reflects(state, freshness), channels }
}

function peerOf(status: "connected" | "disconnected" | "unknown"): "current" | "stale" | "unknown" {
  if (status === "unknown") return "unknown"
  return status === "connected" ? "current" : "stale"
}
