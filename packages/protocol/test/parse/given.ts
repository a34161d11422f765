import type { Action } from "../../src/action.ts"
import type { Declaration } from "../../src/declaration/normalized.ts"
import type { Executor } from "../../src/executor.ts"
import { type AssistantMessage, carrierName, type Read, type Setup } from "../../src/message.ts"
import { readOutput } from "../../src/parse.ts"

const wantsText =
  (key: string): NonNullable<Executor["check"]> =>
  (input) =>
    typeof input[key] === "string" ? [] : [{ path: key, message: `${key} must be a string.` }]

export const executors: readonly Executor[] = [
  {
    name: "read",
    type: "tool",
    description: "Reads a file.",
    capabilities: ["filesystem"],
    side_effects: ["read"],
    check: wantsText("filePath"),
  },
  {
    name: "glob",
    type: "tool",
    description: "Finds files.",
    capabilities: ["search"],
    side_effects: ["read"],
  },
  { name: "shell", type: "tool", description: "Runs a command.", capabilities: ["shell"] },
  { name: "drop", type: "tool", description: "Deletes.", capabilities: [], side_effects: ["read", "delete"] },
  { name: "broken", type: "tool", description: "Listed only.", capabilities: [], can_execute: false },
  { name: "secret", type: "tool", description: "Not for all.", capabilities: [], side_effects: ["read"] },
  {
    name: "reviewer",
    type: "agent",
    description: "Reviews.",
    capabilities: ["code_review"],
    side_effects: ["read"],
  },
]

export const setup: Setup = {
  authority: {
    agent: "planner",
    enabled: true,
    executors: executors.map(({ name }) => name).filter((name) => name !== "secret"),
    depth: 0,
  },
  executors,
}
export const disabled: Setup = { ...setup, authority: { ...setup.authority, enabled: false } }

export const said = (text: string): AssistantMessage => ({ text, calls: [], complete: true })
export const called = (name: string, args: unknown, id = "call_a"): AssistantMessage => ({
  text: "",
  calls: [{ id, name, arguments: typeof args === "string" ? args : JSON.stringify(args) }],
  complete: true,
})
export const native = (value: unknown, text = ""): AssistantMessage => ({
  ...called(carrierName, value),
  text,
})
export const fence = (value: unknown, info = "json agent-protocol"): string =>
  `\`\`\`${info}\n${typeof value === "string" ? value : JSON.stringify(value, null, 2)}\n\`\`\`\n`
export const fenced = (value: unknown, after = ""): AssistantMessage => said(fence(value) + after)

export const envelope = (payload: unknown, fields: object = {}) => ({
  type: "agent.protocol",
  version: "1",
  intent: "execute",
  ...fields,
  payload,
})
export const graph = (actions: unknown, fields: object = {}) =>
  envelope({ type: "action_graph", actions }, fields)
export const action = (id: string, fields: object = {}) => ({ type: "action", id, ...fields })
export const act = (...calls: unknown[]) => ({ kind: "act", calls })
export const glob = (id: string, fields: object = {}) => ({ id, type: "tool", name: "glob", ...fields })

export function accepted(message: AssistantMessage, given: Setup = setup): Declaration {
  const read = readOutput(message, given)
  if (read.kind !== "declaration") throw new Error(`not a declaration: ${JSON.stringify(read)}`)
  return read.declaration
}

export function actionsOf(message: AssistantMessage, given: Setup = setup): readonly Action[] {
  const declaration = accepted(message, given)
  if (!("graph" in declaration)) throw new Error("no graph")
  return declaration.graph.actions
}

export function graphOf(message: AssistantMessage, given: Setup = setup) {
  const declaration = accepted(message, given)
  if (!("graph" in declaration)) throw new Error("no graph")
  return declaration.graph
}

export function refusal(message: AssistantMessage, given: Setup = setup): Extract<Read, { kind: "refused" }> {
  const read = readOutput(message, given)
  if (read.kind !== "refused") throw new Error(`not refused: ${JSON.stringify(read)}`)
  return read
}

/** Each issue as `code path`, in order. */
export const faults = (message: AssistantMessage, given: Setup = setup): string[] =>
  refusal(message, given).issues.map(({ code, path }) => `${code} ${path}`)
