import type { Model, ModelCall } from "@factum/runtime"

/** A model as a function: what it is told in, text out, whole or piece by piece. */
export type SimpleModel = (call: ModelCall) => string | Promise<string> | AsyncIterable<string>

const unknown = { input_tokens: "unknown", output_tokens: "unknown" } as const

export function modelOf(model: Model | SimpleModel): Model {
  if (typeof model !== "function") return model
  return {
    provider: "program",
    name: model.name || "model",
    async *stream(call) {
      try {
        const said = model(call)
        const pieces = typeof said === "object" && Symbol.asyncIterator in said ? said : [await said]
        for await (const text of pieces) yield { kind: "text", part_id: "answer", text }
        yield { kind: "finish", finish: "stop", usage: unknown }
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        yield { kind: "error", category: "provider_error", reason, retryable: false }
      }
    },
  }
}
