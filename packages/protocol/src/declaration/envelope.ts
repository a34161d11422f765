import { z } from "zod"
import { ActionSchema } from "./action.ts"
import { BudgetSchema, Id, RunId, Texts } from "./fields.ts"

export const intents = ["execute", "plan", "expand_ref", "cancel", "revise", "decide"] as const
export type Intent = (typeof intents)[number]

export const payloadTypes = ["action_graph", "expand_ref", "decision", "final_report_spec"] as const
export type PayloadType = (typeof payloadTypes)[number]

export const payloadsOf: Readonly<Record<Intent, readonly PayloadType[]>> = {
  execute: ["action_graph", "final_report_spec"],
  plan: ["action_graph", "final_report_spec"],
  revise: ["action_graph"],
  expand_ref: ["expand_ref"],
  cancel: ["decision"],
  decide: ["decision"],
}

export const granularities = ["summary", "structured", "excerpt", "full"] as const

const LineCount = z
  .int({ error: "Give a whole number from 0." })
  .min(0, { error: "Give a whole number from 0." })
  .max(100_000, { error: "Give at most 100000." })

export const payloadSchemas = {
  action_graph: z.strictObject({
    type: z.literal("action_graph"),
    /** Only with `revise`. */
    run_id: RunId.optional(),
    actions: z.array(ActionSchema, { error: "Give an array of actions; it may be empty." }),
  }),
  expand_ref: z.strictObject({
    type: z.literal("expand_ref").optional(),
    refs: z
      .array(
        z.strictObject({
          ref: z.string().min(1, { error: "Give the reference as it was shown." }),
          reason: z.string().optional(),
          range: z
            .strictObject({
              around_matches: z.boolean().optional(),
              context_lines: LineCount.optional(),
              match: z.string().optional(),
              from: LineCount.optional(),
              to: LineCount.optional(),
            })
            .optional(),
        }),
        { error: "Give an array of { ref, reason?, range? }." },
      )
      .min(1, { error: "Name at least one reference." })
      .max(100, { error: "Name at most 100 references." }),
  }),
  decision: z.strictObject({
    type: z.literal("decision"),
    run_id: RunId,
    action_id: Id.optional(),
    /** May be left out with `cancel`, where it can only be `abort`. */
    choice: z.enum(["retry", "continue", "abort"]).optional(),
    reason: z.string().optional(),
  }),
  final_report_spec: z.strictObject({
    type: z.literal("final_report_spec"),
    title: z.string(),
    sections: z
      .array(z.strictObject({ heading: z.string(), refs: Texts, text: z.string().optional() }))
      .max(200, { error: "Give at most 200 sections." }),
  }),
} as const

/** The payload is looked at separately, so that its problems are told beside those of the envelope. */
export const EnvelopeSchema = z.strictObject({
  type: z.literal("agent.protocol"),
  version: z.literal("1", { error: 'Give the string "1".' }),
  intent: z.enum(intents),
  persist: z.boolean().optional(),
  title: z.string().optional(),
  response_policy: z.strictObject({ result_granularity: z.enum(granularities).optional() }).optional(),
  execution: z
    .strictObject({
      mode: z.enum(["durable", "ephemeral"]).optional(),
      strategy: z.enum(["dag", "sequential"]).optional(),
    })
    .optional(),
  permission_policy: z.strictObject({ requires_approval: Texts }).optional(),
  approval_gates: Texts.optional(),
  budget_policy: BudgetSchema.optional(),
  cancellation_policy: z.enum(["drain", "abort"]).optional(),
  conflict_resolution: z.enum(["order", "refuse"]).optional(),
  payload: z.looseObject({}, { error: `Give an object with the type ${payloadTypes.join(", ")}.` }),
})
