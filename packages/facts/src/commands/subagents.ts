import { z } from "zod"
import { Isolation } from "../events/subagent.ts"
import { Id } from "../ids.ts"
import { InputPart } from "../input.ts"
import { Details, Text } from "../known.ts"
import { ChildView } from "../snapshots/subagent-job.ts"
import { defineCommand, fromParent } from "./define-command.ts"

const onChild = { ...fromParent, subagent_id: Id }
const found = ["not_found", "scope_mismatch"] as const

export const subagentCommands = {
  spawn_subagent: defineCommand({
    doc: "Gives a parent turn a child agent with a session of its own.",
    mutates: true,
    input: z.strictObject({
      ...fromParent,
      agent: Text,
      objective: Text,
      input: z.array(InputPart).min(1).optional(),
      isolation: z.strictObject(Isolation.shape).optional(),
      on_parent_interrupt: z.enum(["end", "detach"]).optional(),
      options: Details.optional(),
    }),
    result: z.object({ subagent_id: Id, child_session_id: Id, child_thread_id: Id }),
    refusals: [...found, "wrong_state", "not_permitted"],
    emits: ["subagent.spawned", "subagent.status"],
  }),

  send_subagent_input: defineCommand({
    doc: "Gives a child more input; a busy child takes it in order.",
    mutates: true,
    input: z.strictObject({ ...onChild, input: z.array(InputPart).min(1) }),
    result: z.object({ subagent_id: Id, number: z.int().min(1) }),
    refusals: [...found, "wrong_state"],
    emits: ["subagent.input"],
  }),

  wait_subagents: defineCommand({
    doc: "Answers when all children named have ended or the time is up; running out of time fails nobody.",
    mutates: false,
    input: z.strictObject({
      ...fromParent,
      subagent_ids: z.array(Id).min(1),
      time_limit_ms: z.int().min(0).optional(),
    }),
    result: z.object({ all_ended: z.boolean(), children: z.array(ChildView) }),
    refusals: found,
  }),

  resume_subagent: defineCommand({
    doc: "Continues the same child thread.",
    mutates: true,
    input: z.strictObject({ ...onChild, reason: Text.optional() }),
    result: z.object({ subagent_id: Id, outcome: z.enum(["resumed", "no_op"]) }),
    refusals: [...found, "wrong_state"],
    emits: ["subagent.status"],
  }),

  close_subagent: defineCommand({
    doc: "Stops a running child first, then closes it for good.",
    mutates: true,
    input: z.strictObject({ ...onChild, reason: Text.optional() }),
    result: z.object({ subagent_id: Id, outcome: z.enum(["closed", "no_op"]) }),
    refusals: found,
    emits: ["subagent.failed", "subagent.closed", "action.resolved"],
  }),

  list_subagents: defineCommand({
    doc: "The child graph of every depth, with states and recoverability.",
    mutates: false,
    input: z.strictObject({ session_id: Id, thread_id: Id.optional() }),
    result: z.object({ children: z.array(ChildView), sequence: z.int().min(0) }),
    refusals: found,
  }),
} as const
