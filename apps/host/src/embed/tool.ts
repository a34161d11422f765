import { answerProblems } from "@factum/agent-ui"
import type { Tool } from "@factum/runtime"

/** A tool in a few words. What it does beyond looking is asked for, unless the mode or a rule says otherwise. */
export type SimpleTool = {
  name: string
  description: string
  /** JSON Schema of an object. */
  input: Readonly<Record<string, unknown>>
  /** Whether it changes anything; then a person is asked, and a call that a crash cut off is not repeated. */
  changes?: boolean
  /** Text, or anything that JSON can hold; an error that it throws is a failed call. */
  run(input: Readonly<Record<string, unknown>>, signal: AbortSignal): unknown
}

export function toolOf({ name, description, input: schema, changes = false, run }: SimpleTool): Tool {
  return {
    name,
    description,
    owner: "program",
    input_schema: schema,
    effect: changes ? "once" : "none",
    side_effects: changes ? ["external"] : ["read"],
    capabilities: [],
    check: (input) =>
      answerProblems(schema, input).map(({ path, keyword }) => ({
        path,
        message: `does not fit ${keyword}`,
      })),
    touches: async () => (changes ? [{ kind: "other", name }] : []),
    async run(input, { signal }) {
      try {
        const output = await run(input, signal)
        if (typeof output === "string") return { ok: true, output }
        return {
          ok: true,
          output: JSON.stringify(output) ?? "",
          media_type: "application/json",
          data: output,
        }
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        return { ok: false, category: "tool_error", message }
      }
    },
  }
}
