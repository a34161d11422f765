import type { Envelope } from "@factum/facts"
import type { Model } from "../../src/index.ts"
import { type Agent, type ModelChunk, speaker, type Tool, type ToolOutcome } from "../../src/index.ts"
import type { ModelCall } from "../../src/ports/model.ts"

/** What the model says, request by request. */
export type Line = { text?: string; calls?: readonly { id: string; tool: string; args?: unknown }[] }

export function linesModel(lines: readonly (Line | ((call: ModelCall) => Line))[]) {
  const calls: ModelCall[] = []
  const model: Model = {
    provider: "lines",
    name: "lines-1",
    async *stream(call): AsyncIterable<ModelChunk> {
      const line = lines[calls.length]
      calls.push(call)
      const said = typeof line === "function" ? line(call) : (line ?? { text: "Done." })
      if (said.text !== undefined) yield { kind: "text", part_id: "a", text: said.text }
      for (const { id, tool, args = {} } of said.calls ?? []) {
        const text = typeof args === "string" ? args : JSON.stringify(args)
        yield { kind: "tool_call", part_id: id, call_id: id, tool, arguments: text }
      }
      const finish = said.calls === undefined ? "stop" : "tool_calls"
      yield { kind: "finish", finish, usage: { input_tokens: 1, output_tokens: 1 } }
    },
  }
  return { model, calls }
}

export type FakeTool = Tool & { runs: Readonly<Record<string, unknown>>[] }

export function fakeTool(
  name: string,
  more: Partial<Tool> & {
    does?: (
      input: Readonly<Record<string, unknown>>,
      run: Parameters<Tool["run"]>[1],
    ) => ToolOutcome | Promise<ToolOutcome>
  } = {},
): FakeTool {
  const runs: Readonly<Record<string, unknown>>[] = []
  const { does = () => ({ ok: true, output: `${name} done` }), ...rest } = more
  return {
    name,
    description: `The tool ${name}.`,
    owner: "builtin",
    input_schema: { type: "object" },
    effect: "once",
    side_effects: ["write"],
    capabilities: [],
    check: () => [],
    touches: async () => [],
    async run(input, run) {
      runs.push(input)
      return does(input, run)
    },
    ...rest,
    runs,
  }
}

/** Looks, changes nothing. */
export const reader = (name: string, more: Parameters<typeof fakeTool>[1] = {}): FakeTool =>
  fakeTool(name, { effect: "none", side_effects: ["read"], ...more })

export function agentWith(tools: readonly Tool[], more: Partial<Agent> = {}): () => Agent {
  const policy = { version: "1", mode: "full" as const, rules: [] }
  return () => ({ ...speaker, tools, policy, ...more })
}

export const asking = { policy: { version: "1", mode: "ask" as const, rules: [] } }

export const of = (facts: readonly Envelope[], type: string): Envelope[] =>
  facts.filter((fact) => fact.type === type)

/** What the model was told that its last calls gave. */
export function outputs(call: ModelCall | undefined): string[] {
  const parts = call?.messages.at(-1)?.parts ?? []
  if (typeof parts === "string") return []
  return parts.flatMap((part) => (part.kind === "tool_result" ? [part.output] : []))
}
