import { z } from "zod"
import { executorTypes, failureChoices, returnPolicies, sideEffects, visibilities } from "../action.ts"

/** Each custom error is the `fix` of the issue: it says what a correct value looks like. */
export const Id = z
  .string({ error: "Give an id of letters, digits, _ and -." })
  .regex(/^[A-Za-z0-9_-]{1,128}$/, { error: "Use only letters, digits, _ and -, at most 128." })
  // No object has it as a name like any other.
  .refine((id) => id !== "__proto__", { error: "Give another id." })

export const RunId = z
  .string({ error: "Name the run by its run_id." })
  .regex(/^[\w.-]{1,128}$/, { error: "Name the run by its run_id." })

export const Texts = z
  .array(z.string({ error: "Give a string." }), { error: "Give an array of strings." })
  .max(1000, { error: "Give at most 1000 entries." })

export const Input = z.looseObject({}, { error: "Give an object of named values." })

const Positive = z
  .int({ error: "Give a whole number above 0." })
  .min(1, { error: "Give a whole number above 0." })

const target = 'Give the name of an executor, or "auto".'

export const ExecutorSchema = z.strictObject(
  {
    type: z.enum(executorTypes),
    target: z.string({ error: target }).min(1, { error: target }).optional(),
    capabilities: Texts.optional(),
  },
  { error: 'Give { "type", "target", "capabilities" }; only the type is needed.' },
)

const Returns = z.enum(returnPolicies)

export const ResultPolicyObject = z.strictObject({
  return_to_model: Returns.optional(),
  priority: Texts.optional(),
  max_tokens: Positive.optional(),
  store_full: z.boolean().optional(),
  if_truncated: z.enum(["provide_ref_and_summary"]).optional(),
})

export const ResultPolicySchema = z.union([Returns, ResultPolicyObject], {
  error: `Give ${returnPolicies.join(", ")}, or an object with return_to_model.`,
})

const OnFailure = z.enum([...failureChoices, "ask-model"])
const retries = "Give a whole number from 0 to 10."

const FailurePolicyObject = z.strictObject({
  on_failure: OnFailure,
  max_retries: z.int({ error: retries }).min(0, { error: retries }).max(10, { error: retries }).optional(),
})

export const FailurePolicySchema = z.union([OnFailure, FailurePolicyObject], {
  error: `Give ${failureChoices.join(", ")}, or an object with on_failure.`,
})

const condition =
  'Compare one thing: { "action": id, "status": "completed" } or { "action": id, "field": name, "equals": literal }.'

/** Only states that last: a condition on a passing one would depend on chance. */
export const lastingStatuses = ["completed", "failed", "canceled", "blocked"] as const

export const ConditionSchema = z.union(
  [
    z.strictObject({ action: Id, status: z.enum(lastingStatuses) }),
    z.strictObject({
      action: Id,
      field: z
        .string()
        .regex(/^[A-Za-z_][\w-]{0,127}$/, { error: condition })
        .refine((name) => !(name in {}), { error: condition }),
      equals: z.union([z.string(), z.number(), z.boolean(), z.null()], { error: condition }),
    }),
  ],
  { error: condition },
)

export const RepeatSchema = z.strictObject(
  {
    max: Positive,
    until: ConditionSchema.optional(),
  },
  { error: 'Give { "max": passes, "until": condition }.' },
)

export const SideEffectsSchema = z
  .array(z.enum(sideEffects), { error: `Give an array of ${sideEffects.join(", ")}.` })
  .max(sideEffects.length, { error: "Give each effect once." })
export const VisibilitySchema = z.enum(visibilities)

export const BudgetSchema = z.strictObject({
  max_tokens: Positive.optional(),
  max_time_ms: Positive.optional(),
  max_cost: z.number().positive({ error: "Give a number above 0." }).optional(),
  max_retries: z.int().min(0, { error: "Give a whole number from 0." }).optional(),
  max_parallel: Positive.optional(),
})
