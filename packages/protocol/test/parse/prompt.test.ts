import { describe, expect, it } from "vitest"
import { failureChoices, returnPolicies, sideEffects, visibilities } from "../../src/action.ts"
import { carrierSchemas } from "../../src/carriers/schemas.ts"
import { ActionSchema } from "../../src/declaration/action.ts"
import { EnvelopeSchema, granularities } from "../../src/declaration/envelope.ts"
import { BudgetSchema, lastingStatuses, ResultPolicyObject } from "../../src/declaration/fields.ts"
import { priorityKinds } from "../../src/extract.ts"
import { protocolPrompt, protocolTools } from "../../src/prompt.ts"
import { o200k } from "../../src/tokens/o200k.ts"

const refsIn = (value: unknown): string[] =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([key, entry]) => (key === "$ref" ? [String(entry)] : refsIn(entry)))

describe("what an agent is told", () => {
  it("[MP-CARRIER-10] an enabled agent is told that it may declare work, and is offered the native call", () => {
    const prompt = protocolPrompt({ enabled: true })
    expect(prompt).toContain("You may declare work with the Agent Protocol.")
    for (const word of [
      "AgentProtocolOutput",
      "json agent-protocol",
      '"kind":"act"',
      "action_graph",
      "expand_ref",
      "md:<heading>",
    ]) {
      expect(prompt).toContain(word)
    }
    expect(protocolTools({ enabled: true })).toEqual([
      {
        name: "AgentProtocolOutput",
        description:
          "Declares work for the runtime, answers the user or ends the turn. At most once in a response.",
        input_schema: carrierSchemas().flat,
      },
    ])
    expect(protocolTools({ enabled: true }, "items")[0]?.input_schema).toEqual(carrierSchemas().items)
  })

  it("[MP-CARRIER-10] every field of the full form and every value that is one of a list is in the prompt", () => {
    const prompt = protocolPrompt({ enabled: true })
    const words = [
      ...Object.keys(ActionSchema.shape),
      ...Object.keys(EnvelopeSchema.shape),
      ...Object.keys(ResultPolicyObject.shape),
      ...Object.keys(BudgetSchema.shape),
      ...["around_matches", "context_lines", "match", "from", "to", "equals", "until", "max_retries"],
      ...["run_id", "choice", "heading", "refs", "durable", "ephemeral", "dag", "sequential"],
      ...[...returnPolicies, ...failureChoices, ...sideEffects, ...visibilities, ...priorityKinds],
      ...[...lastingStatuses, ...granularities, "drain", "order", "refuse"],
    ]
    expect(words.filter((word) => !new RegExp(`\\b${word}\\b`).test(prompt))).toEqual([])
  })

  it("[MP-CARRIER-10] the prompt stays small", () => {
    for (const carrier of ["flat", "items", "dsl"] as const)
      expect(o200k.count(protocolPrompt({ enabled: true }, carrier))).toBeLessThan(1000)
  })

  it.each([
    ["flat", '{"kind":"act",', ['"version":"2"', "with the JSON of form 2"]],
    ["items", '{"version":"2",', ['"kind":"act"', "with the JSON of form 2"]],
    ["dsl", "with the JSON of form 2 as its arguments", ['"kind":"act"', '"version":"2"']],
  ] as const)(
    "[MP-CARRIER-10] the prompt tells the arguments that %s takes, and no others",
    (carrier, own, others) => {
      const prompt = protocolPrompt({ enabled: true }, carrier)
      expect(prompt).toContain(own)
      for (const other of others) expect(prompt).not.toContain(other)
      expect(prompt).toContain("\n1. A call of AgentProtocolOutput with")
      expect(prompt).toContain("\n2. One fenced block whose info string is `json agent-protocol`")
    },
  )

  it("[MP-CARRIER-10] another agent is told that it may not, and is offered nothing", () => {
    const prompt = protocolPrompt({ enabled: false })
    expect(prompt).toContain("You may not declare work with the Agent Protocol.")
    expect(prompt).not.toContain("AgentProtocolOutput")
    expect(protocolTools({ enabled: false })).toEqual([])
  })
})

describe("schemas for providers", () => {
  it.each(["flat", "dsl", "items"] as const)(
    "[MP-CARRIER-10] the schema of %s is one small object whose parts are all there",
    (carrier) => {
      const schema = carrierSchemas()[carrier]
      expect(JSON.stringify(schema).length).toBeLessThan(4000)
      expect(schema.type).toBe("object")
      const defs = Object.keys(schema.$defs ?? {})
      const used = new Set(refsIn(schema).map((ref) => ref.replace("#/$defs/", "")))
      expect([...used].sort()).toEqual(defs.sort())
      expect(JSON.stringify(schema)).not.toMatch(/\$schema|"pattern"|maxItems|additionalProperties/)
    },
  )

  it("[MP-CARRIER-10] the small form is offered exactly", () => {
    expect(carrierSchemas().flat).toEqual({
      type: "object",
      properties: {
        kind: { enum: ["act", "answer", "done"] },
        message: { type: "string" },
        calls: {
          type: "array",
          items: {
            type: "object",
            properties: {
              id: { type: "string" },
              type: { enum: ["tool", "agent"] },
              name: { type: "string" },
              args: { type: "object" },
              depends: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
              result: { enum: ["summary", "full", "structured", "on_failure", "on_demand", "adaptive"] },
              title: { type: "string" },
            },
            required: ["id", "type", "name"],
          },
        },
      },
      required: ["kind"],
    })
  })

  it("[MP-CARRIER-10] a name of the full form that is shared is defined once", () => {
    const { dsl } = carrierSchemas()
    expect(dsl).toMatchObject({
      required: ["type", "version", "intent", "payload"],
      properties: {
        version: { const: "1" },
        payload: { anyOf: [{ required: ["type", "actions"] }, {}, {}, {}] },
      },
    })
    expect(Object.values(dsl.$defs ?? {})).toContainEqual({ type: "array", items: { type: "string" } })
  })
})
