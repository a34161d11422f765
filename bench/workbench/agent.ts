import { type Agent, type Model, type ModelCall, type ModelChunk, speaker, type Tool } from "@factum/runtime"
import { answer, pieces } from "./words.ts"

/** What is said to a session of the bench: `turn 7` is answered at once, `stream` at the pace of a stream. */
export const said = { turn: (at: number) => `turn ${at}: what is done with it?`, stream: "stream" }

export const streamed = {
  perSecond: 1000,
  seconds: 30,
  /** After so many pieces the model calls a tool and is asked again, as agents do. */
  perRequest: 2500,
  /** How often the pieces that are due come. */
  everyMs: 40,
}

const usage = { input_tokens: 1000, output_tokens: 200 }

/** Speaks by what it was told; knows nothing but its messages. */
export const model: Model = {
  provider: "bench",
  name: "bench",
  async *stream({ messages, signal }: ModelCall): AsyncIterable<ModelChunk> {
    const asked = messages.findLastIndex(({ role }) => role === "user")
    const text = textOf(messages[asked])
    const round = messages.slice(asked).filter(({ role }) => role === "assistant").length
    if (text === said.stream) yield* stream(round, signal)
    else yield* turn(Number(/\d+/.exec(text)?.[0]), round)
  },
}

/** A turn of two calls and an answer, in chunks as they come from a provider. */
function* turn(at: number, round: number): Generator<ModelChunk> {
  if (round === 0) {
    yield { kind: "text", part_id: "first", text: "I look at the files first.\n" }
    yield* call(round, 0, "read", { path: `src/part${at}.ts` })
    yield* call(round, 1, "search", { for: `part${at}` })
    yield { kind: "finish", finish: "tool_calls", usage }
    return
  }
  for (const piece of answer(at).match(/[\s\S]{1,64}/g) ?? [])
    yield { kind: "text", part_id: "answer", text: piece }
  yield { kind: "finish", finish: "stop", usage }
}

function* call(round: number, at: number, tool: string, input: object): Generator<ModelChunk> {
  const id = `call_${round}_${at}`
  yield { kind: "tool_call", part_id: id, call_id: id, tool, arguments: JSON.stringify(input) }
}

/**
 * Two parts by turns: the runtime joins what waits of one part, so that chunks of one part alone would be fewer facts.
 * What is late is made up for, so that the pace holds over time.
 */
async function* stream(round: number, signal: AbortSignal): AsyncGenerator<ModelChunk> {
  const { perSecond, seconds, perRequest, everyMs } = streamed
  const all = perSecond * seconds
  const from = round * perRequest
  const to = Math.min(from + perRequest, all)
  const parts = [pieces(from), pieces(from + 1)]
  const began = performance.now()
  for (let at = from; at < to; ) {
    const due = Math.min(to, from + Math.floor(((performance.now() - began) / 1000) * perSecond))
    for (; at < due; at++) {
      const text = parts[at % 2]?.next().value
      if (text !== undefined) yield { kind: "text", part_id: `part${at % 2}`, text }
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs))
    if (signal.aborted) return
  }
  if (to < all) yield* call(round, 0, "read", { path: `src/round${round}.ts` })
  yield { kind: "finish", finish: to < all ? "tool_calls" : "stop", usage }
}

function textOf(message: ModelCall["messages"][number] | undefined): string {
  const parts = message?.parts ?? ""
  if (typeof parts === "string") return parts
  return parts.map((part) => (part.kind === "text" ? part.text : "")).join("")
}

const tool = (name: string, run: Tool["run"]): Tool => ({
  name,
  description: `The tool ${name}.`,
  owner: "builtin",
  input_schema: { type: "object" },
  effect: "none",
  side_effects: ["read"],
  capabilities: [],
  check: () => [],
  touches: async () => [],
  run,
})

export const agent = (): Agent => ({
  ...speaker,
  tools: [
    tool("read", async ({ path }) => ({ ok: true, output: `// ${path}\n${answer(7)}` })),
    tool("search", async () => ({ ok: true, output: "src/part.ts: a line that fits\n".repeat(20) })),
  ],
})
