import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import {
  type Agent,
  type Model,
  type ModelCall,
  type ModelChunk,
  speaker,
  type Tool,
  type World,
} from "@factum/runtime"
import { builtinTools } from "@factum/runtime/tools"
import { startHost } from "../../host/src/index.ts"

/** The product's host with an agent that has tools, and a model that says its lines one request after another. */
export type Line = {
  /** Said piece by piece. At a piece that names something to wait for, the model waits until it is released. */
  text?: string | readonly (string | { wait: string })[]
  calls?: readonly { tool: string; input: Readonly<Record<string, unknown>> }[]
}
/** By the message that is sent. */
export type Lines = Readonly<Record<string, readonly Line[]>>

const { values } = parseArgs({
  options: {
    port: { type: "string" },
    data: { type: "string" },
    script: { type: "string" },
    "no-open": { type: "boolean" },
  },
})
const lines: Lines = JSON.parse(readFileSync(values.script ?? "", "utf8"))

const model: Model = {
  provider: "lines",
  name: "lines",
  async *stream({ messages, signal }: ModelCall): AsyncIterable<ModelChunk> {
    const asked = messages.findLastIndex(({ role }) => role === "user")
    const at = messages.slice(asked).filter(({ role }) => role === "assistant").length
    const line = lines[textOf(messages[asked])]?.[at] ?? { text: "Done." }
    for (const piece of typeof line.text === "string" ? [line.text] : (line.text ?? [])) {
      if (typeof piece === "string") yield { kind: "text", part_id: "text", text: piece }
      else await Promise.race([released(piece.wait), abortOf(signal)])
      if (signal.aborted) return
    }
    for (const [index, { tool, input }] of (line.calls ?? []).entries()) {
      const id = `call_${at}_${index}`
      yield { kind: "tool_call", part_id: id, call_id: id, tool, arguments: JSON.stringify(input) }
    }
    const finish = line.calls === undefined ? "stop" : "tool_calls"
    yield { kind: "finish", finish, usage: { input_tokens: 100, output_tokens: 20 } }
  },
}

const releases = new Map<string, PromiseWithResolvers<void>>()
function releaseOf(name: string): PromiseWithResolvers<void> {
  const known = releases.get(name) ?? Promise.withResolvers<void>()
  releases.set(name, known)
  return known
}
const released = (name: string): Promise<void> => releaseOf(name).promise
process.on("message", (name) => releaseOf(String(name)).resolve())
process.on("disconnect", () => process.exit())

const abortOf = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve()))

function textOf(message: ModelCall["messages"][number] | undefined): string {
  const parts = message?.parts ?? ""
  if (typeof parts === "string") return parts
  return parts.map((part) => (part.kind === "text" ? part.text : "")).join("")
}

const tool = (name: string, more: Partial<Tool> & Pick<Tool, "run">): Tool => ({
  name,
  description: `The tool ${name}.`,
  owner: "builtin",
  input_schema: { type: "object" },
  effect: "none",
  side_effects: ["read"],
  capabilities: [],
  check: () => [],
  touches: async () => [],
  ...more,
})

const tools: readonly Tool[] = [
  tool("read", { run: async ({ path }) => ({ ok: true, output: `The text of ${path}.` }) }),
  tool("search", { run: async () => ({ ok: true, output: "src/auth.ts: a line that fits\n".repeat(1000) }) }),
  tool("fetch", {
    run: async () => ({ ok: false, category: "tool_error", message: "The address did not answer." }),
  }),
  tool("write", {
    effect: "once",
    side_effects: ["write"],
    run: async ({ path }) => ({ ok: true, output: `Wrote ${path}.` }),
  }),
  tool("ask", {
    run: async () => ({ ok: false, category: "tool_error", message: "A person is asked instead." }),
    asks: (input) => ({
      action_type: "structured_input",
      title: "Where should it be deployed?",
      detail: "The release is built. Nothing is deployed before this is answered.",
      decisions: [
        { id: "answer", label: "Answer", effect: "neutral" },
        { id: "skip", label: "Not now", effect: "deny" },
      ],
      answer_schema: input.free === true ? free : places,
    }),
  }),
]

const places = {
  type: "object",
  properties: {
    place: { type: "string", title: "Environment", enum: ["staging", "production"] },
    machines: { type: "integer", title: "Machines", minimum: 1, maximum: 9 },
    version: { type: "string", title: "Version", pattern: "^v\\d+$", description: "As it is tagged: v12" },
    notify: { type: "boolean", title: "Tell the team" },
  },
  required: ["place", "machines"],
}
const free = { type: "object", properties: { places: { type: "array", items: { type: "string" } } } }

const agent = (world: World): Agent => ({
  ...speaker,
  tools: [...tools, ...builtinTools(world).filter(({ name }) => name === "write_artifact")],
  delegates: [
    {
      name: "scout",
      description: "Looks around.",
      instructions: "You look around.",
      capabilities: ["search"],
      protocol: false,
      rules: [],
    },
  ],
  policy: { version: "1", mode: "ask", rules: [] },
})

const host = await startHost({ directory: values.data ?? "", port: Number(values.port), model, agent })
if (!host.ok) throw new Error(JSON.stringify(host))
console.log(`Factum is running at ${host.page}`)
