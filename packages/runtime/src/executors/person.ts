import { z } from "zod"
import { defineTool, failed } from "../adapters/tools/define.ts"
import type { Question, Tool } from "../ports/tool.ts"

const choices = z.array(z.string().min(1).max(200)).min(2).max(10)

/** The person as an executor of declared work: the question is the action's own text. */
const asking = defineTool({
  name: "ask_user",
  description: "Asks the user for a clarification, an approval or a decision; the answer is the result.",
  input: z.strictObject({
    question: z.string().max(2_000).optional(),
    detail: z.string().max(16_000).optional(),
    choices: choices.optional(),
    /** `approve` asks for yes or no. */
    operation: z.string().optional(),
  }),
  effect: "none",
  side_effects: [],
  capabilities: ["clarification", "approval"],
  touches: async () => [],
  asks: ({ question = "The work needs an answer of yours.", detail, choices = [], operation }): Question => {
    const told = { title: question, ...(detail === undefined ? {} : { detail }) }
    if (operation === "approve") return { action_type: "structured_input", ...told, decisions: yesOrNo }
    const answer = choices.length === 0 ? { type: "string", minLength: 1 } : { type: "string", enum: choices }
    return {
      action_type: "clarification",
      ...told,
      decisions: [
        { id: "answer", label: "Answer", effect: "neutral" },
        { id: "decline", label: "Do not answer", effect: "deny" },
      ],
      answer_schema: {
        type: "object",
        properties: { answer },
        required: ["answer"],
        additionalProperties: false,
      },
    }
  },
  run: async () => failed("tool_error", "Nobody can be asked here."),
})

const yesOrNo: Question["decisions"] = [
  { id: "approve", label: "Approve", effect: "allow" },
  { id: "reject", label: "Reject", effect: "deny" },
]

export const personTool: Tool = { ...asking, kind: "human" }

/** A plan is shown and decided on; nothing of it is executed. */
const planning = defineTool({
  name: "review_plan",
  description: "Shows a plan to the user, who approves or rejects it.",
  input: z.strictObject({ title: z.string(), steps: z.array(z.string()) }),
  effect: "none",
  side_effects: [],
  capabilities: ["approval"],
  touches: async () => [],
  asks: ({ title, steps }): Question => ({
    action_type: "plan_decision",
    title,
    detail: steps.map((step, at) => `${at + 1}. ${step}`).join("\n"),
    decisions: yesOrNo,
  }),
  run: async () => failed("tool_error", "Nobody can be asked here."),
})

export const planTool: Tool = { ...planning, kind: "human" }
