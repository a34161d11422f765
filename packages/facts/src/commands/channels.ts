import { z } from "zod"
import { Envelope } from "../envelope.ts"
import { Id } from "../ids.ts"
import { Text } from "../known.ts"
import { SessionSnapshot } from "../snapshots/session.ts"
import { defineCommand } from "./define-command.ts"

const cursor = z.int().min(0)

export const channelCommands = {
  reconnect_channel: defineCommand({
    doc: "Gives exactly the events after the cursor, or a snapshot when the cursor is out of the kept window.",
    mutates: true,
    input: z.strictObject({ channel_id: Id, cursor, resume_token: Text }),
    result: z.discriminatedUnion("outcome", [
      z.object({ outcome: z.literal("resumed"), events: z.array(Envelope), cursor }),
      z.object({ outcome: z.literal("repaired"), snapshot: SessionSnapshot.schema, cursor }),
    ]),
    refusals: ["not_found", "bad_cursor", "not_permitted"],
    emits: ["channel.resumed", "snapshot.repaired"],
  }),

  ack_events: defineCommand({
    doc: "Moves the last acknowledged sequence forward only, and makes no event of it.",
    mutates: true,
    input: z.strictObject({ channel_id: Id, cursor }),
    result: z.object({ outcome: z.enum(["moved", "no_op"]), acknowledged: cursor }),
    refusals: ["not_found", "bad_cursor"],
  }),
} as const
