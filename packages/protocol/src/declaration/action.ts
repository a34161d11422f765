import { z } from "zod"
import {
  ConditionSchema,
  ExecutorSchema,
  FailurePolicySchema,
  Id,
  Input,
  RepeatSchema,
  ResultPolicySchema,
  SideEffectsSchema,
  Texts,
  VisibilitySchema,
} from "./fields.ts"

/** One unit of work in the full form. `type` never names a domain: that is what `operation` is for. */
export const ActionSchema = z.strictObject({
  type: z.literal("action", { error: 'Give "action"; say what to do in operation.' }),
  id: Id,
  title: z.string().optional(),
  description: z.string().optional(),
  reason: z.string().optional(),
  operation: z.string().optional(),
  executor: ExecutorSchema.optional(),
  input: Input.optional(),
  depends_on: Texts.optional(),
  context_refs: Texts.max(100, { error: "Give at most 100 references." }).optional(),
  prompt_ref: z.string().optional(),
  result_policy: ResultPolicySchema.optional(),
  failure_policy: FailurePolicySchema.optional(),
  persist: z.boolean().optional(),
  when: ConditionSchema.optional(),
  repeat: RepeatSchema.optional(),
  requires_approval: z.boolean().optional(),
  irreversible: z.boolean().optional(),
  side_effects: SideEffectsSchema.optional(),
  idempotency: z
    .union([z.boolean(), z.literal("unknown")], { error: 'Give true, false or "unknown".' })
    .optional(),
  writes: Texts.optional(),
  data_visibility: VisibilitySchema.optional(),
  privacy: z.boolean().optional(),
})
