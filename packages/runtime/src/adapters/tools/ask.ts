import { z } from "zod"
import { defineTool, failed } from "./define.ts"

const Field = z.strictObject({
  name: z.string().regex(/^[A-Za-z]\w{0,63}$/, "a name has letters, digits or _"),
  type: z.enum(["string", "number", "integer", "boolean"]),
  label: z.string().min(1).max(200).optional(),
  choices: z.array(z.string().min(1).max(200)).min(1).max(50).optional(),
  optional: z.boolean().optional(),
})

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
    fields: z.array(Field).min(1).max(20).optional().describe("If several values are needed, as a form."),
  }),
  effect: "none",
  side_effects: [],
  capabilities: ["human"],
  touches: async () => [],
  asks({ question, detail, choices = [], fields }) {
    const answer = choices.length === 0 ? { type: "string", minLength: 1 } : { type: "string", enum: choices }
    return {
      action_type: fields === undefined ? "clarification" : "structured_input",
      title: question,
      ...(detail === undefined ? {} : { detail }),
      decisions: [
        { id: "answer", label: "Answer", effect: "neutral" },
        { id: "decline", label: "Do not answer", effect: "deny" },
      ],
      answer_schema: fields === undefined ? closed({ answer }, ["answer"]) : formOf(fields),
    }
  },
  run: async () => failed("tool_error", "Nobody can be asked here."),
})

function formOf(fields: readonly z.infer<typeof Field>[]) {
  const properties = fields.map(({ name, type, label, choices }) => [
    name,
    { type, ...(label && { title: label }), ...(choices && type === "string" && { enum: choices }) },
  ])
  return closed(
    Object.fromEntries(properties),
    fields.filter(({ optional }) => optional !== true).map(({ name }) => name),
  )
}

const closed = (properties: Record<string, unknown>, required: readonly string[]) => ({
  type: "object",
  properties,
  required: [...required],
  additionalProperties: false,
})
