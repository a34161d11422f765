import type { Line } from "@factum/conformance"
import type { Model, ModelChunk } from "../../src/index.ts"

/** Says its lines one by one, each agent its own. */
export function scriptModel(name: string, lines: readonly Line[], whoIs: (system: string) => string): Model {
  const spoken = new Map<string, number>()
  return {
    provider: "script",
    name,
    async *stream({ system = "", signal }): AsyncIterable<ModelChunk> {
      const who = whoIs(system)
      const own = lines.filter(({ as, by }) => as === who && by === name)
      const at = spoken.get(who) ?? 0
      spoken.set(who, at + 1)
      const line = own[at]
      if (line === undefined) {
        const reason = `The script has no line ${at + 1} for ${who}.`
        return yield { kind: "error", category: "provider_error", reason, retryable: false }
      }
      const { text, calls = [], fails, hangs } = line
      if (text !== undefined) yield { kind: "text", part_id: "text", text }
      for (const { id, tool, args } of calls)
        yield { kind: "tool_call", part_id: id, call_id: id, tool, arguments: JSON.stringify(args) }
      if (hangs === true && !signal.aborted)
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }))
      if (hangs === true) return
      if (fails !== undefined) return yield failure(fails)
      const finish = calls.length === 0 ? "stop" : "tool_calls"
      yield { kind: "finish", finish, usage: { input_tokens: 100, output_tokens: 10 } }
    },
  }
}

function failure({ retry_after_ms, missing, ...fails }: NonNullable<Line["fails"]>): ModelChunk {
  return {
    kind: "error",
    ...fails,
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
    ...(missing === undefined ? {} : { missing }),
  }
}
