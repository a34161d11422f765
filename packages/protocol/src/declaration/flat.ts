import { z } from "zod"
import { Id, Input, Texts } from "./fields.ts"

export const flatKinds = ["act", "answer", "done"] as const
export const flatResults = ["summary", "full", "structured", "on_failure", "on_demand", "adaptive"] as const

export const Depends = z.union([z.string(), Texts], { error: "Give one id or an array of ids." })
const exactName = "Give the exact name from the list of executors."
export const Name = z.string({ error: exactName }).min(1, { error: exactName })
const userReads = "Write the text that the user reads."
export const Message = z
  .string({ error: userReads })
  .refine((text) => text.trim() !== "", { error: userReads })

export const CallSchema = z.strictObject({
  id: Id,
  type: z.enum(["tool", "agent"]),
  name: Name,
  args: Input.optional(),
  depends: Depends.optional(),
  result: z.enum(flatResults).optional(),
  title: z.string().optional(),
})

const none = 'Leave calls out, or use kind "act".'

export const flatSchemas = {
  act: z.strictObject({
    kind: z.literal("act"),
    message: z.string().optional(),
    calls: z
      .array(CallSchema, { error: "Give an array of calls, also for one call." })
      .min(1, { error: "Give at least one call." }),
  }),
  answer: z.strictObject({
    kind: z.literal("answer"),
    message: Message,
    calls: z.never({ error: none }).optional(),
  }),
  done: z.strictObject({
    kind: z.literal("done"),
    message: z.string().optional(),
    calls: z.never({ error: none }).optional(),
  }),
} as const
