import { z } from "zod"
import { Id } from "../ids.ts"
import { defineCommand, inThread } from "./define-command.ts"

const input = z.strictObject({ queued_turn_id: Id, ...inThread })
const order = z.array(Id)

export const queueCommands = {
  remove_queued_turn: defineCommand({
    doc: "Takes a turn out of the queue and ends it as cancelled.",
    mutates: true,
    input,
    result: z.object({ status: z.enum(["removed", "no_op"]), order }),
    refusals: ["not_found", "scope_mismatch", "wrong_state"],
    emits: ["queue.changed", "turn.failed"],
  }),

  promote_queued_turn: defineCommand({
    doc: "Puts a queued turn first; it never interrupts the active one.",
    mutates: true,
    input,
    result: z.object({ status: z.enum(["promoted", "no_op"]), order }),
    refusals: ["not_found", "scope_mismatch", "wrong_state"],
    emits: ["queue.changed"],
  }),
} as const
