import { z } from "zod"
import { ContextWish } from "../events/turn.ts"
import { Id } from "../ids.ts"
import { InputPart } from "../input.ts"
import { Details, Text } from "../known.ts"
import { defineCommand, inThread } from "./define-command.ts"

export const turnCommands = {
  submit_turn: defineCommand({
    doc: "Submits input to a thread, or creates thread or session for it; answers before any long work.",
    mutates: true,
    input: z.strictObject({
      session_id: Id.optional(),
      thread_id: Id.optional(),
      create: z.enum(["session", "thread"]).optional(),
      /** `queue`: a turn of its own, which waits while another one is active. `steer`: input for the active turn. */
      when: z.enum(["queue", "steer"]).optional(),
      /** Chosen by the caller, it makes the submission repeatable. Of a `steer`: the turn that is meant. */
      turn_id: Id.optional(),
      input: z.array(InputPart).min(1),
      source: Text.optional(),
      /** Files of the workspace and refs to be read for this turn, as far as its budget reaches. */
      context: z.array(ContextWish).max(64).optional(),
      options: Details.optional(),
      metadata: Details.optional(),
      title: z.string().optional(),
    }),
    result: z.object({
      session_id: Id,
      thread_id: Id,
      turn_id: Id,
      status: z.enum(["accepted", "queued", "steered"]),
      queued_turn_id: Id.optional(),
    }),
    refusals: ["not_found", "scope_mismatch", "wrong_state"],
    emits: ["session.created", "thread.started", "turn.submitted", "turn.started", "queue.changed"],
  }),

  interrupt_turn: defineCommand({
    doc: "Stops every active turn in the scope named, with its calls, processes and open actions.",
    mutates: true,
    input: z.strictObject({
      session_id: Id,
      thread_id: Id.optional(),
      turn_id: Id.optional(),
      reason: Text,
    }),
    result: z.object({ status: z.enum(["accepted", "no_op"]), turn_ids: z.array(Id) }),
    refusals: ["not_found", "scope_mismatch"],
    emits: ["tool.failed", "model.failed", "process.terminated", "action.resolved", "turn.failed"],
  }),

  resume_thread: defineCommand({
    doc: "Takes a thread up again after a stop; it never answers an open action.",
    mutates: true,
    input: z.strictObject({ ...inThread, resume_token: Text.optional() }),
    result: z.object({
      status: z.enum(["resumed", "still_waiting", "nothing_to_resume", "not_possible", "no_op"]),
      reason: Text,
    }),
    refusals: ["not_found", "scope_mismatch", "bad_cursor"],
    emits: ["thread.updated", "history.window.loaded", "history.reconstructed"],
  }),
} as const
