import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider"
import type { Model, ModelCall, ModelChunk, ModelUsage } from "../../ports/model.ts"
import { failureOf } from "./failure.ts"
import { Parts } from "./parts.ts"
import { callOptions } from "./prompt.ts"
import type { Author } from "./replay.ts"

export type ProviderOptions = {
  /** The names under which the model is known here; the package's own when not said. */
  provider?: string
  name?: string
  /** Never in a reason that a person or a log gets. */
  secrets?: readonly string[]
  /** Whether what the provider streams as reasoning is a summary of it. */
  summarises?: boolean
  /** Options that only this provider knows. */
  extra?: (call: ModelCall) => LanguageModelV4CallOptions["providerOptions"]
  /** How long a silent provider is waited for. */
  stall_ms?: number
  /** Types of files that it reads. */
  files?: RegExp
  now?: () => number
}

/** Any language model of the AI SDK. It tries once: whether to try again is decided, and recorded, by routing. */
export function providerModel(model: LanguageModelV4, options: ProviderOptions = {}): Model {
  const author: Author = {
    provider: options.provider ?? model.provider,
    name: options.name ?? model.modelId,
    dialect: model.provider,
  }
  const { stall_ms = 300_000, now = Date.now, secrets = [] } = options

  async function* stream(call: ModelCall): AsyncIterable<ModelChunk> {
    const stall = new AbortController()
    const signal = AbortSignal.any([call.signal, stall.signal])
    const within = <T>(work: PromiseLike<T>): Promise<T> => {
      const timer = setTimeout(() => stall.abort(), stall_ms)
      return Promise.resolve(work).finally(() => clearTimeout(timer))
    }
    const parts = new Parts(
      call.output_schema === undefined ? "text" : "structured",
      options.summarises ?? false,
    )
    let reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | undefined
    try {
      const providerOptions = options.extra?.(call)
      const asked = {
        ...callOptions({ ...call, signal }, author),
        ...(providerOptions ? { providerOptions } : {}),
      }
      reader = (await within(model.doStream(asked))).stream.getReader()
      for (;;) {
        const { done, value } = await within(reader.read())
        if (done || call.signal.aborted) return
        if (value.type === "error") throw value.error
        if (value.type === "finish") {
          const last = finished(value, parts, author)
          if (last !== undefined) yield last
          return
        }
        yield* parts.take(value)
      }
    } catch (error) {
      if (call.signal.aborted) return
      const failure = stall.signal.aborted ? silence(author, stall_ms) : failureOf(error, author, now())
      if (failure !== undefined) yield { ...failure, reason: masked(failure.reason, secrets) }
    } finally {
      // Ends the connection when the caller has enough; what it then says is of no interest.
      reader?.cancel().catch(() => undefined)
      stall.abort()
    }
  }

  const { files } = options
  const { provider, name } = author
  return { provider, name, stream, ...(files && { accepts: (media_type: string) => files.test(media_type) }) }
}

/** Undefined for an answer that has no end: a cut stream says nothing more. */
function finished(
  part: Extract<LanguageModelV4StreamPart, { type: "finish" }>,
  parts: Parts,
  author: Author,
): ModelChunk | undefined {
  const { unified } = part.finishReason
  if (unified === "interrupted") return undefined
  if (unified === "error") {
    const reason = `${author.provider} ended the answer with an error of its own.`
    return { kind: "error", category: "provider_error", reason, retryable: true }
  }
  const finish =
    unified === "tool-calls" ? "tool_calls" : unified === "content-filter" ? "content_filter" : unified
  const replay = parts.replay(author)
  return { kind: "finish", finish, usage: usageOf(part.usage), ...(replay === undefined ? {} : { replay }) }
}

function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): ModelUsage {
  return {
    input_tokens: inputTokens.total ?? "unknown",
    output_tokens: outputTokens.total ?? "unknown",
    ...(inputTokens.cacheRead === undefined ? {} : { cached_tokens: inputTokens.cacheRead }),
    ...(inputTokens.cacheWrite === undefined ? {} : { cache_write_tokens: inputTokens.cacheWrite }),
    ...(outputTokens.reasoning === undefined ? {} : { reasoning_tokens: outputTokens.reasoning }),
  }
}

function silence({ provider }: Author, stall_ms: number): Extract<ModelChunk, { kind: "error" }> {
  const reason = `Nothing came from ${provider} for ${Math.round(stall_ms / 1000)} seconds.`
  return { kind: "error", category: "provider_error", reason, retryable: true }
}

function masked(reason: string, secrets: readonly string[]): string {
  return secrets.reduce(
    (text, secret) => (secret === "" ? text : text.replaceAll(secret, "[redacted]")),
    reason,
  )
}
