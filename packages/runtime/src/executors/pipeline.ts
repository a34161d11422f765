import { type SideEffect, sideEffects } from "@factum/protocol"
import type { PipelineStep, Tool } from "../ports/tool.ts"

export type PipelineSpec = { name: string; description: string; steps: readonly PipelineStep[] }

/** A named sequence of calls. Each of them is a call of its own, with its own judgement. */
export function pipelineTool({ name, description, steps }: PipelineSpec, tools: readonly Tool[]): Tool {
  const used = steps.flatMap(({ tool }) => tools.find((one) => one.name === tool) ?? [])
  const effects = new Set<SideEffect>(used.flatMap(({ side_effects }) => side_effects))
  const fields = inputFields(steps)
  return {
    name,
    kind: "pipeline",
    owner: "pipeline",
    description: `${description} Steps: ${steps.map(({ id }) => id).join(", ")}.`,
    input_schema: {
      type: "object",
      properties: Object.fromEntries(fields.map((field) => [field, {}])),
      required: fields,
    },
    // What a repetition would do is known of its steps; the pipeline itself only takes up where it was.
    effect: "none",
    side_effects: sideEffects.filter((effect) => effects.has(effect)),
    capabilities: [...new Set(used.flatMap(({ capabilities }) => capabilities))],
    steps,
    check: (input) =>
      fields
        .filter((field) => typeof input !== "object" || input === null || !Object.hasOwn(input, field))
        .map((field) => ({ path: field, message: "is needed by the pipeline" })),
    touches: async () => [],
    run: async () => ({ ok: false, category: "tool_error", message: "A pipeline is executed by its steps." }),
  }
}

const ownInput = /\binput:([A-Za-z_][\w-]*)(?![\w.-])/g

/** What the steps take of the pipeline's own input, as `input:<name>`. */
function inputFields(steps: readonly PipelineStep[]): string[] {
  const found = [...JSON.stringify(steps.map(({ input }) => input)).matchAll(ownInput)]
  return [...new Set(found.map((match) => match[1] ?? ""))]
}

/** `summary` and `output` of an earlier step; `input` is a field of the pipeline's own input, `goal` what the user said. */
export type StepScope = {
  input: Readonly<Record<string, unknown>>
  goal: string
  outputs: Readonly<Record<string, string>>
}

/**
 * The input of a step with its references replaced: a text that is one reference becomes what it names, `{{…}}` within
 * a text becomes its words. What was put in is not looked at again.
 */
export function filled(value: unknown, scope: StepScope): unknown {
  if (typeof value === "string") return filledText(value, scope)
  if (Array.isArray(value)) return value.map((item) => filled(item, scope))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, scope)]))
}

function filledText(text: string, scope: StepScope): unknown {
  const whole = named(text, scope)
  if (whole !== undefined) return whole
  return text.replaceAll(/\{\{\s*([^{}\s]+)\s*\}\}/g, (all, reference: string) => {
    const found = named(reference, scope)
    if (found === undefined) return all
    return typeof found === "string" ? found : JSON.stringify(found)
  })
}

function named(reference: string, { input, goal, outputs }: StepScope): unknown {
  if (reference === "input:user.goal") return goal
  const field = /^input:([A-Za-z_][\w-]*)$/.exec(reference)?.[1]
  if (field !== undefined) return Object.hasOwn(input, field) ? input[field] : undefined
  const [, step = "", part] = /^action:([\w.-]+)\.(output|summary)$/.exec(reference) ?? []
  if (part === undefined || !Object.hasOwn(outputs, step)) return undefined
  const output = outputs[step] ?? ""
  return part === "output" ? output : (output.trim().split("\n", 1)[0] ?? "")
}
