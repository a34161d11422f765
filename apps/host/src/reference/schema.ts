import { z } from "zod"

export type JsonSchema = Readonly<Record<string, unknown>>

/** OpenAPI 3.1 takes JSON Schema of this draft as it is. */
export function jsonSchema(schema: z.ZodType, io: "input" | "output" = "output"): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: "draft-2020-12", unrepresentable: "any", io })
  return rest
}

export const refTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

export const jsonBody = (schema: JsonSchema) => ({ "application/json": { schema } })

/** What every route answers when it carried something out. */
export const answered = (result: JsonSchema): JsonSchema => ({
  type: "object",
  properties: { ok: { const: true }, result },
  required: ["ok", "result"],
})
