import { z } from "zod"
import { Envelope } from "../envelope.ts"
import { Id } from "../ids.ts"
import { Text } from "../known.ts"
import { ExecutionEnvironmentSnapshot } from "../snapshots/environment.ts"
import { SessionSnapshot } from "../snapshots/session.ts"
import { ThreadReadModel } from "../snapshots/thread.ts"
import { ToolInventorySnapshot } from "../snapshots/tools.ts"
import { defineCommand, inThread } from "./define-command.ts"

export const readCommands = {
  get_session: defineCommand({
    doc: "The session snapshot and a window of its history before a cursor.",
    mutates: false,
    input: z.strictObject({
      session_id: Id,
      before: Text.optional(),
      limit: z.int().min(1).max(1000).optional(),
    }),
    result: z.object({
      snapshot: SessionSnapshot.schema,
      history: z.array(Envelope),
      next_cursor: Text.optional(),
    }),
    refusals: ["not_found", "bad_cursor"],
  }),

  get_thread_read: defineCommand({
    doc: "The read model of a thread and the sequence that it reflects.",
    mutates: false,
    input: z.strictObject(inThread),
    result: z.object({ read_model: ThreadReadModel.schema, sequence: z.int().min(0) }),
    refusals: ["not_found", "scope_mismatch"],
  }),

  get_tool_inventory: defineCommand({
    doc: "The tools for exactly this scope, caller, policy and mode; a running turn keeps its own catalog.",
    mutates: false,
    input: z.strictObject({
      session_id: Id,
      thread_id: Id.optional(),
      turn_id: Id.optional(),
      caller: Text,
      policy: Text,
      mode: Text,
    }),
    result: z.object({ inventory: ToolInventorySnapshot.schema }),
    refusals: ["not_found", "scope_mismatch"],
  }),

  get_execution_environment: defineCommand({
    doc: "Where work runs; secret values are replaced by refs.",
    mutates: false,
    input: z.strictObject({ session_id: Id, thread_id: Id.optional(), turn_id: Id.optional() }),
    result: z.object({ environment: ExecutionEnvironmentSnapshot.schema }),
    refusals: ["not_found", "scope_mismatch"],
  }),
} as const
