import { z } from "zod"
import { Operation, PermissionEvaluated, Verdict } from "../events/permission.ts"
import { Id } from "../ids.ts"
import { Text, Time } from "../known.ts"
import { defineCommand } from "./define-command.ts"

export const permissionCommands = {
  evaluate_permission: defineCommand({
    doc: "Judges an operation and explains the verdict; opens no request and runs nothing.",
    mutates: true,
    input: z.strictObject({
      session_id: Id,
      thread_id: Id.optional(),
      turn_id: Id.optional(),
      tool_call_id: Id.optional(),
      action_id: Id.optional(),
      operation: z.strictObject(Operation.shape),
    }),
    result: z.object({ verdict: Verdict, explanation: PermissionEvaluated.payload }),
    refusals: ["not_found", "scope_mismatch"],
    emits: ["permission.evaluated"],
  }),

  resolve_permission: defineCommand({
    doc: "Lets a policy or host authority decide an open request; a human one is refused here.",
    mutates: true,
    input: z.strictObject({
      request_id: Id,
      session_id: Id.optional(),
      decision: z.enum(["allow", "deny"]),
      authority: z.strictObject({ kind: z.enum(["policy", "host"]), id: Text }),
      reason: Text.optional(),
      grant: z.strictObject({ scope: Text, expires_at: Time.optional() }).optional(),
    }),
    result: z.object({ request_id: Id, outcome: z.enum(["allowed", "denied"]) }),
    refusals: ["not_found", "scope_mismatch", "already_resolved", "wrong_state", "not_permitted"],
    emits: ["permission.resolved", "action.resolved"],
  }),
} as const
