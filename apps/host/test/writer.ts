import { type Agent, type Model, speaker, type Tool } from "@factum/runtime"

/** Calls a tool, once. */
export function writer(tool = "write", args: object = {}): Model {
  let asked = 0
  return {
    provider: "test",
    name: "writer",
    async *stream() {
      const isFirst = asked++ === 0
      if (isFirst)
        yield { kind: "tool_call", part_id: "c", call_id: "c", tool, arguments: JSON.stringify(args) }
      else yield { kind: "text", part_id: "t", text: "Yes." }
      const usage = { input_tokens: 1, output_tokens: 1 }
      yield { kind: "finish", finish: isFirst ? "tool_calls" : "stop", usage }
    },
  }
}

const write: Tool = {
  name: "write",
  description: "Writes.",
  owner: "builtin",
  input_schema: { type: "object" },
  effect: "once",
  side_effects: ["write"],
  capabilities: [],
  check: () => [],
  touches: async () => [],
  run: async () => ({ ok: true, output: "written" }),
}
/** May write when a person allows it. */
export const asking = (): Agent => ({
  ...speaker,
  tools: [write],
  policy: { version: "1", mode: "ask", rules: [] },
})
