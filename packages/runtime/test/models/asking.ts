import { createModel, type ProviderConfig } from "../../src/adapters/models/providers.ts"
import type { Model, ModelCall, ModelChunk } from "../../src/index.ts"

export function modelOf(config: ProviderConfig): Model {
  const made = createModel(config)
  if (!made.ok) throw new Error(made.message)
  return made.model
}

export async function listen(model: Model, call: Partial<ModelCall> = {}): Promise<ModelChunk[]> {
  const chunks: ModelChunk[] = []
  const messages = [{ role: "user" as const, parts: "hi" }]
  const asked = { model: model.name, messages, signal: new AbortController().signal, ...call }
  for await (const chunk of model.stream(asked)) chunks.push(chunk)
  return chunks
}

type Folded = { kind: string; part_id: string; text: string; call_id?: string; tool?: string }

/** The parts of an answer: exact concatenation, in the order in which they began. */
export function folded(chunks: readonly ModelChunk[]): Folded[] {
  const parts: Folded[] = []
  for (const chunk of chunks) {
    if (chunk.kind === "finish" || chunk.kind === "error") continue
    if (chunk.kind === "final" || chunk.kind === "reasoning_summary") continue
    const text = chunk.kind === "tool_call" ? chunk.arguments : chunk.text
    const before = parts.find(({ kind, part_id }) => kind === chunk.kind && part_id === chunk.part_id)
    if (before !== undefined) before.text += text
    else if (chunk.kind !== "tool_call") parts.push({ kind: chunk.kind, part_id: chunk.part_id, text })
    else {
      const { kind, part_id, call_id, tool } = chunk
      parts.push({ kind, part_id, call_id, tool, text })
    }
  }
  return parts
}
