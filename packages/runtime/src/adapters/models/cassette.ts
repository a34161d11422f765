import type { Model, ModelCall, ModelChunk } from "../../ports/model.ts"
import type { Redactor } from "../../redact.ts"
import { digestOf, type Take } from "./tape.ts"

export { digestOf, type ParsedCassette, parseCassette, type Take } from "./tape.ts"

export type Recording = {
  redactor: Redactor
  /** Adds text to the cassette, for example to the end of a file. */
  write: (text: string) => Promise<void>
}

/** The model as it is; every answer is also written down, without secrets, before its last chunk is given. */
export function recordingModel(model: Model, { redactor, write }: Recording): Model {
  async function keep(call: ModelCall, chunks: readonly ModelChunk[]): Promise<ModelChunk | undefined> {
    const { provider, name } = model
    const asked = lastWords(call, redactor)
    const digest = digestOf(call, redactor)
    const files = fileTypes(call)
    const heading = {
      request: {
        digest,
        provider,
        model: name,
        ...(asked === "" ? {} : { asked }),
        ...(files.length === 0 ? {} : { files }),
      },
    }
    const lines = [heading, ...withoutSecrets(chunks, redactor)].map((line) => JSON.stringify(line))
    try {
      await write(`${lines.join("\n")}\n`)
      return undefined
    } catch (error) {
      const reason = `The cassette could not be written: ${error instanceof Error ? error.message : String(error)}`
      return { kind: "error", category: "provider_error", reason, retryable: false }
    }
  }
  const { accepts } = model
  return {
    provider: model.provider,
    name: model.name,
    ...(accepts === undefined ? {} : { accepts: (media_type: string) => accepts.call(model, media_type) }),
    async *stream(call) {
      const chunks: ModelChunk[] = []
      for await (const chunk of model.stream(call)) {
        chunks.push(chunk)
        if (chunk.kind !== "finish" && chunk.kind !== "error") yield chunk
        else {
          yield (await keep(call, chunks)) ?? chunk
          return
        }
      }
      // An answer that was stopped from here is no answer of the provider.
      if (call.signal.aborted) return
      const problem = await keep(call, chunks)
      if (problem !== undefined) yield problem
    },
  }
}

/** A secret may be cut by the borders of chunks: a part that holds one is written in one piece. */
function withoutSecrets(chunks: readonly ModelChunk[], redactor: Redactor): ModelChunk[] {
  const wholes = new Map<string, string>()
  for (const chunk of chunks) {
    const key = streamedKey(chunk)
    if (key !== undefined) wholes.set(key, (wholes.get(key) ?? "") + streamedText(chunk))
  }
  const masked = new Map(
    [...wholes].flatMap(([key, whole]): [string, string][] => {
      const { value } = redactor.text(whole)
      return value === whole ? [] : [[key, value]]
    }),
  )
  const written = new Set<string>()
  return chunks.flatMap((chunk): ModelChunk[] => {
    const key = streamedKey(chunk)
    const whole = key === undefined ? undefined : masked.get(key)
    if (key === undefined || whole === undefined) return [redactor.deep(chunk).value]
    if (written.has(key)) return []
    written.add(key)
    return [
      chunk.kind === "tool_call" ? { ...chunk, arguments: whole } : { ...chunk, text: whole },
    ] as ModelChunk[]
  })
}

function streamedKey(chunk: ModelChunk): string | undefined {
  if (chunk.kind === "finish" || chunk.kind === "error") return undefined
  if (chunk.kind === "final" || chunk.kind === "reasoning_summary") return undefined
  return `${chunk.kind} ${chunk.part_id}`
}

function streamedText(chunk: ModelChunk): string {
  if (chunk.kind === "tool_call") return chunk.arguments
  return "text" in chunk ? chunk.text : ""
}

/** What was sent as bytes: who plays the take must accept the same, or it is another question. */
function fileTypes({ messages }: ModelCall): string[] {
  const parts = messages.flatMap(({ parts }) => (typeof parts === "string" ? [] : parts))
  return [...new Set(parts.flatMap((part) => (part.kind === "file" ? [part.media_type] : [])))]
}

function lastWords(call: ModelCall, redactor: Redactor): string {
  const parts = call.messages.findLast(({ role }) => role === "user")?.parts ?? ""
  const text =
    typeof parts === "string" ? parts : parts.map((part) => ("text" in part ? part.text : "")).join(" ")
  return redactor.text(text).value.slice(0, 200)
}

export type Replaying = {
  redactor: Redactor
  /** `digest` finds the take of the same question; `order` plays take after take, whatever is asked. */
  match?: "digest" | "order"
  provider?: string
  name?: string
}

/** Plays takes without a network, each of them once. */
export function cassetteModel(
  takes: readonly Take[],
  { redactor, match = "digest", ...names }: Replaying,
): Model {
  const left = [...takes]
  const provider = names.provider ?? takes[0]?.provider ?? "cassette"
  const name = names.name ?? takes[0]?.model ?? "cassette"
  const files = new Set(takes.flatMap((take) => take.files ?? []))
  return {
    provider,
    name,
    accepts: (media_type) => files.has(media_type),
    async *stream(call) {
      const digest = digestOf(call, redactor)
      const at = match === "order" ? 0 : left.findIndex((take) => take.digest === digest)
      const take = left[at]
      if (take === undefined) {
        const reason = `The cassette has no take left for this request (${digest}). Record it again.`
        yield { kind: "error", category: "provider_error", reason, retryable: false }
        return
      }
      left.splice(at, 1)
      for (const chunk of take.chunks) {
        if (call.signal.aborted) return
        yield chunk
      }
    },
  }
}
