import { z } from "zod"
import { ExitCode } from "../events/process.ts"
import { Id } from "../ids.ts"
import { Text } from "../known.ts"
import { defineCommand } from "./define-command.ts"

const onProcess = { process_id: Id, session_id: Id.optional() }

export const processCommands = {
  write_process_stdin: defineCommand({
    doc: "Writes to stdin and answers after the bytes are accepted.",
    mutates: true,
    input: z.strictObject({
      ...onProcess,
      input: z.string(),
      encoding: z.enum(["utf8", "base64"]).optional(),
      close: z.boolean().optional(),
    }),
    result: z.object({ process_id: Id, bytes: z.int().min(0) }),
    refusals: ["not_found", "scope_mismatch", "wrong_state"],
    emits: ["process.input"],
  }),

  terminate_process: defineCommand({
    doc: "Ends the whole process group; an ended process answers with its known end.",
    mutates: true,
    input: z.strictObject({ ...onProcess, reason: Text }),
    result: z.object({
      process_id: Id,
      outcome: z.enum(["terminated", "no_op"]),
      status: z.enum(["completed", "failed", "terminated"]),
      exit_code: ExitCode,
    }),
    refusals: ["not_found", "scope_mismatch"],
    emits: ["process.terminated"],
  }),
} as const
