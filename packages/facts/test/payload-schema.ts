import { z } from "zod"
import { definitions, type EventType } from "../src/index.ts"
import { samples } from "./samples.ts"

export type JsonSchema = {
  type?: string
  const?: unknown
  enum?: unknown[]
  required?: string[]
  properties?: Record<string, JsonSchema>
  oneOf?: JsonSchema[]
}

/** The JSON Schema of the payload; of a union, the branch that the sample is in. */
export function payloadSchema(type: EventType): JsonSchema {
  const definition = definitions.get(type)
  if (!definition) throw new Error(type)
  const schema = z.toJSONSchema(definition.payload, { io: "input" }) as JsonSchema
  if (schema.oneOf === undefined) return schema
  const payload: Record<string, unknown> = samples[type].payload
  const branch = schema.oneOf.find((one) => Object.entries(one.properties ?? {}).every(admits(payload)))
  if (!branch) throw new Error(`${type} has no branch for its sample`)
  return branch
}

const admits =
  (payload: Record<string, unknown>) =>
  ([name, field]: [string, JsonSchema]): boolean => {
    if ("const" in field) return payload[name] === field.const
    return field.enum === undefined || payload[name] === undefined || field.enum.includes(payload[name])
  }

export const requiredOf = (type: EventType): readonly string[] => payloadSchema(type).required ?? []

/** A value that no field which holds `value` may hold. */
export function otherType(value: unknown): unknown {
  if (typeof value === "string") return [5]
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return "text"
  return { other: true }
}
