import type { AnswerCode } from "../refusal-status.ts"
import type { Operation } from "./document.ts"
import { refusalResponses } from "./refusals.ts"
import type { JsonSchema } from "./schema.ts"

export const text = { type: "string" }
export const count = { type: "integer", minimum: 0 }
export const inPath = (name: string, schema: JsonSchema = text) => ({
  name,
  in: "path",
  required: true,
  schema,
})
export const inQuery = (name: string, description: string, schema: JsonSchema = text) => ({
  name,
  in: "query",
  description,
  schema,
})
export const session = inPath("session_id")
export const always = [
  "unauthorized",
  "not_permitted",
  "rate_limited",
  "unavailable",
  "internal_error",
] as const
export const bytes = { "application/octet-stream": {} }

/** A route that answers with such content, or refuses with one of these codes or of those that every route has. */
export function reading(
  operationId: string,
  tag: string,
  summary: string,
  parameters: readonly JsonSchema[],
  content: JsonSchema,
  refusals: readonly AnswerCode[],
): Operation {
  const responses = { 200: { description: "Done.", content }, ...refusalResponses([...refusals, ...always]) }
  return { operationId, summary, tags: [tag], parameters, responses }
}

/** The same for one that is sent something. */
export const taking = (input: JsonSchema, made: Operation): Operation => ({
  ...made,
  requestBody: { required: true, content: input },
})

/** Server-sent events, of which each carries this. */
export const events = (what: string) => ({
  "text/event-stream": { schema: { ...text, description: `id: the cursor, data: ${what}` } },
})
