import { z } from "zod"
import { Id } from "../ids.ts"
import { Details, Text } from "../known.ts"
import { Ref } from "../refs.ts"
import { defineCommand } from "./define-command.ts"

export const actionCommands = {
  respond_action: defineCommand({
    doc: "Answers an open action, once; the only way on for work that waits for a person.",
    mutates: true,
    input: z.strictObject({
      action_id: Id,
      session_id: Id.optional(),
      decision: Text,
      payload: Details.optional(),
      /** Where a secret went instead of into the payload. */
      payload_ref: Ref.optional(),
      note: z.string().optional(),
    }),
    result: z.object({ action_id: Id, status: z.literal("resolved"), decision: Text }),
    refusals: ["not_found", "scope_mismatch", "already_resolved", "action_expired", "wrong_state"],
    emits: ["action.resolved", "permission.resolved"],
  }),
} as const
