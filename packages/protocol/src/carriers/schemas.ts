import { z } from "zod"
import { failureChoices } from "../action.ts"
import { ActionSchema } from "../declaration/action.ts"
import { EnvelopeSchema, payloadSchemas } from "../declaration/envelope.ts"
import { ResultPolicyObject } from "../declaration/fields.ts"
import { CallSchema, flatKinds } from "../declaration/flat.ts"
import { ItemsSchema, itemSchemas } from "../declaration/items.ts"

export type JsonSchema = Readonly<Record<string, unknown>>
export type Carrier = "flat" | "dsl" | "items"

const { tool, input, answer, done, success } = itemSchemas

/** Of several spellings of one thing only one is offered. */
const OfferedEnvelope = EnvelopeSchema.omit({ approval_gates: true }).extend({
  payload: z.union([
    payloadSchemas.action_graph.extend({
      actions: z.array(
        ActionSchema.extend({
          result_policy: ResultPolicyObject.optional(),
          failure_policy: z.enum(failureChoices).optional(),
          idempotency: z.boolean().optional(),
        }),
      ),
    }),
    payloadSchemas.expand_ref,
    payloadSchemas.decision,
    payloadSchemas.final_report_spec,
  ]),
})

/** Kinds with the same fields are offered together. */
const OfferedItems = ItemsSchema.extend({
  items: z.array(
    z.union([
      tool.extend({ kind: z.enum(["tool", "agent"]) }),
      input.extend({ kind: z.enum(["input", "confirm"]) }),
      answer,
      done,
      success.extend({ kind: z.enum(["success", "failure", "error", "reply"]) }),
    ]),
  ),
})

/** Providers take one object at the top, so the three kinds are offered as one. */
const OfferedFlat = z.strictObject({
  kind: z.enum(flatKinds),
  message: z.string().optional(),
  calls: z.array(CallSchema).optional(),
})

/** The schemas that a provider is given with the native call, made from those that its arguments are checked with. */
export function carrierSchemas(): Readonly<Record<Carrier, JsonSchema>> {
  return {
    flat: schemaOf(OfferedFlat),
    dsl: schemaOf(OfferedEnvelope),
    items: schemaOf(OfferedItems),
  }
}

function schemaOf(schema: z.ZodType): JsonSchema {
  const { $defs, ...top } = z.toJSONSchema(schema, { reused: "ref" })
  const defs = new Map(Object.entries($defs ?? {}))
  const uses = new Map<string, number>()
  JSON.stringify([top, $defs], (key, value) => {
    if (key === "$ref") uses.set(value, (uses.get(value) ?? 0) + 1)
    return value
  })
  const shared: Record<string, unknown> = {}
  const slimmed = slim(top)
  return Object.keys(shared).length === 0 ? slimmed : { ...slimmed, $defs: shared }

  function slim(node: object): JsonSchema {
    if ("$ref" in node) return named(String(node.$ref))
    const kept: Record<string, unknown> = {}
    const listed = "enum" in node || "const" in node
    for (const [key, value] of Object.entries(node)) {
      const empty = key === "properties" && Object.keys(value).length === 0
      if (!dropped.has(key) && !empty && !(listed && key === "type")) kept[key] = slimValue(value)
    }
    return kept
  }

  /** What is used once, or is shorter than its name, stands where it is used. */
  function named(ref: string): JsonSchema {
    const key = ref.slice(ref.lastIndexOf("/") + 1)
    const name = key.replace("__schema", "s")
    const plain = slim(defs.get(key) ?? {})
    if (uses.get(ref) === 1 || JSON.stringify(plain).length < 30) return plain
    shared[name] = plain
    return { $ref: `#/$defs/${name}` }
  }

  function slimValue(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(slimValue)
    return typeof value === "object" && value !== null ? slim(value) : value
  }
}

/** What costs tokens and tells a model nothing: these bounds are held by the checks after parsing. */
const dropped: ReadonlySet<string> = new Set([
  "$schema",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "minLength",
  "pattern",
  "additionalProperties",
])
