import { createHash } from "node:crypto"
import { z } from "zod"
import type { ModelCall, ModelChunk } from "../../ports/model.ts"
import type { Redactor } from "../../redact.ts"
import { jsonLines, notJson } from "./json-lines.ts"

/**
 * JSON lines: `{"request": …}` opens a take, the lines after it are the chunks of the answer as the port gives them. A
 * take without `finish` or `error` was cut. Lines that are empty or begin with `//` are skipped, as in a script.
 */
const Heading = z.strictObject({
  request: z.strictObject({
    digest: z.string(),
    provider: z.string(),
    model: z.string(),
    /** For people who read the file. */
    asked: z.string().optional(),
    /** The types of the files that were part of it. */
    files: z.array(z.string()).optional(),
  }),
})
const Tokens = z.union([z.int().min(0), z.literal("unknown")])
const Chunk = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.enum(["text", "structured", "reasoning", "reasoning_summary", "final"]),
    part_id: z.string(),
    text: z.string(),
  }),
  z.strictObject({
    kind: z.literal("tool_call"),
    part_id: z.string(),
    call_id: z.string(),
    tool: z.string(),
    arguments: z.string(),
  }),
  z.strictObject({
    kind: z.literal("finish"),
    finish: z.enum(["stop", "length", "tool_calls", "content_filter", "other"]),
    usage: z.strictObject({
      input_tokens: Tokens,
      output_tokens: Tokens,
      cached_tokens: z.int().exactOptional(),
      cache_write_tokens: z.int().exactOptional(),
      reasoning_tokens: z.int().exactOptional(),
    }),
    replay: z.string().exactOptional(),
  }),
  z.strictObject({
    kind: z.literal("error"),
    category: z.enum(["provider_error", "rate_limited", "malformed"]),
    reason: z.string(),
    retryable: z.boolean(),
    retry_after_ms: z.number().exactOptional(),
    status: z.int().exactOptional(),
    missing: z.enum(["credential", "model", "quota", "context_window"]).exactOptional(),
  }),
])

export type Take = z.infer<typeof Heading>["request"] & { chunks: readonly ModelChunk[] }
export type ParsedCassette =
  | { ok: true; takes: readonly Take[] }
  | { ok: false; line: number; message: string }

export function parseCassette(text: string): ParsedCassette {
  const takes: (Take & { chunks: ModelChunk[] })[] = []
  for (const { line, value } of jsonLines(text)) {
    const fail = (message: string): ParsedCassette => ({ ok: false, line, message })
    if (value === undefined) return fail(notJson)
    const heading = Heading.safeParse(value)
    if (heading.success) {
      takes.push({ ...heading.data.request, chunks: [] })
      continue
    }
    const chunk = Chunk.safeParse(value)
    if (!chunk.success) return fail("This line is neither a request nor a chunk of an answer.")
    const take = takes.at(-1)
    if (take === undefined) return fail('A cassette begins with a line {"request": …}.')
    take.chunks.push(chunk.data)
  }
  return { ok: true, takes }
}

/** The same for the same question, whatever secrets stand in it and whenever it is asked. */
export function digestOf(call: ModelCall, redactor: Redactor): string {
  const { signal, messages, ...rest } = call
  // What a model wants back differs from take to take; it is no part of the question.
  const asked = { ...rest, messages: messages.map(({ replay, ...message }) => message) }
  const text = JSON.stringify(sorted(redactor.deep(sorted(asked)).value))
  return `sha256:${createHash("sha256").update(text).digest("hex")}`
}

/** Keys in order, bytes by their hash. */
function sorted(value: unknown): unknown {
  if (value instanceof Uint8Array) return createHash("sha256").update(value).digest("hex")
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, item]) => [name, sorted(item)]),
  )
}
