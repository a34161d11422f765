import { z } from "zod"
import { Id, Input } from "./fields.ts"
import { Depends, flatResults, Message, Name } from "./flat.ts"

const common = { id: Id, title: z.string().optional(), depends: Depends.optional() }
const call = { ...common, name: Name, args: Input.optional(), result: z.enum(flatResults).optional() }
const asked = { ...common, message: Message }
const outcome = {
  id: Id.optional(),
  action_id: Id.optional(),
  message: z.string().optional(),
  output: z.unknown().optional(),
}

export const itemSchemas = {
  tool: z.strictObject({ kind: z.literal("tool"), ...call }),
  agent: z.strictObject({ kind: z.literal("agent"), ...call }),
  input: z.strictObject({ kind: z.literal("input"), ...asked }),
  confirm: z.strictObject({ kind: z.literal("confirm"), ...asked }),
  answer: z.strictObject({ kind: z.literal("answer"), id: Id.optional(), message: Message }),
  done: z.strictObject({ kind: z.literal("done"), id: Id.optional(), message: z.string().optional() }),
  success: z.strictObject({ kind: z.literal("success"), ...outcome }),
  failure: z.strictObject({ kind: z.literal("failure"), ...outcome }),
  error: z.strictObject({ kind: z.literal("error"), ...outcome }),
  reply: z.strictObject({ kind: z.literal("reply"), ...outcome }),
  /** Older spellings, still read. */
  ask: z.strictObject({ kind: z.literal("ask"), ...asked }),
  wait: z.strictObject({
    kind: z.literal("wait"),
    ...common,
    message: z.string().optional(),
    args: Input.optional(),
  }),
} as const
export type ItemKind = keyof typeof itemSchemas

export const isItemKind = (kind: unknown): kind is ItemKind =>
  typeof kind === "string" && Object.hasOwn(itemSchemas, kind)

export const ItemsSchema = z.strictObject({
  type: z.literal("agent.protocol").optional(),
  version: z.literal("2", { error: 'Give the string "2".' }),
  title: z.string().optional(),
  strategy: z.enum(["dag", "sequential"]).optional(),
  items: z
    .array(z.looseObject({}, { error: "Give an object with a kind." }), { error: "Give an array of items." })
    .min(1, { error: "Give at least one item." }),
})
