import { z } from "zod"
import { defineTool, failed } from "./define.ts"

/** Executed by a person: the runtime asks the question and the answer is the result. */
export const ask = defineTool({
  name: "ask",
  description:
    "Asks the person a question and waits for the answer. Only for what you cannot find out or decide yourself.",
  input: z.strictObject({
    question: z.string().min(1).max(500),
    detail: z.string().max(4_000).optional().describe("What the person should know to answer."),
    choices: z
      .array(z.string().min(1).max(200))
      .min(2)
      .max(10)
      .optional()
      .describe("If it is a choice between these."),
  }),
  effect: "none",
  side_effects: [],
  capabilities: ["human"],
  touches: async () => [],
  asks({ question, detail, choices = [] }) {
    const answer = choices.length === 0 ? { type: "string", minLength: 1 } : { type: "string", enum: choices }
    return {
      action_type: "clarification",
      title: question,
      ...(detail === undefined ? {} : { detail }),
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
