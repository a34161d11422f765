import { z } from "zod"
import type { Model, ModelCall, ModelChunk } from "../../ports/model.ts"
import { jsonLines, notJson } from "./json-lines.ts"

const Step = z.union([
  z.strictObject({
    text: z.string(),
    part: z.string().optional(),
    chunk: z.int().min(1).optional(),
    every_ms: z.number().min(0).optional(),
  }),
  z.strictObject({ reasoning: z.string(), part: z.string().optional() }),
  z.strictObject({ reasoning_summary: z.string(), part: z.string().optional() }),
  z.strictObject({ structured: z.string(), part: z.string().optional() }),
  z.strictObject({ tool_call: z.strictObject({ tool: z.string(), arguments: z.unknown() }) }),
  z.strictObject({ final: z.string(), part: z.string() }),
  z.strictObject({ delay_ms: z.number().min(0) }),
  z.strictObject({
    error: z.string(),
    category: z.enum(["provider_error", "rate_limited", "malformed"]).optional(),
    retryable: z.boolean().optional(),
  }),
  z.strictObject({ malformed: z.string() }),
  z.strictObject({ cut: z.literal(true) }),
  z.strictObject({
    finish: z.enum(["stop", "length", "tool_calls", "content_filter", "other"]),
    usage: z.strictObject({ input_tokens: z.int(), output_tokens: z.int() }).optional(),
  }),
])
type Step = z.infer<typeof Step>
const Heading = z.strictObject({ on: z.string() })

export type Scene = { on: string; steps: readonly Step[] }
export type ParsedScript =
  | { ok: true; scenes: readonly Scene[] }
  | { ok: false; line: number; message: string }

/** JSON lines: `{"on": "<regular expression>"}` opens a scene, the lines after it are its steps. */
export function parseScript(text: string): ParsedScript {
  const scenes: { on: string; steps: Step[] }[] = []
  for (const { line, value } of jsonLines(text)) {
    const fail = (message: string): ParsedScript => ({ ok: false, line, message })
    if (value === undefined) return fail(notJson)
    const heading = Heading.safeParse(value)
    if (heading.success) {
      if (!isPattern(heading.data.on)) return fail(`${heading.data.on} is no regular expression.`)
      scenes.push({ on: heading.data.on, steps: [] })
      continue
    }
    const step = Step.safeParse(value)
    if (!step.success) return fail("This line is no step that the script format knows.")
    const scene = scenes.at(-1)
    if (scene === undefined) return fail('A script begins with a line {"on": "…"}.')
    scene.steps.push(step.data)
  }
  return { ok: true, scenes }
}

/**
 * Plays the first scene whose pattern fits the last user message. A scene has a round for each time that the model is
 * asked in a turn, each up to its `finish`; asked again after the last one, it has nothing to add. What tools told in
 * the turn can be quoted: `{{pattern}}` in a text or an argument stands for the first group of what fits last.
 */
export function scriptedModel(scenes: readonly Scene[], name = "demo"): Model {
  return {
    provider: "scripted",
    name,
    async *stream(call: ModelCall): AsyncIterable<ModelChunk> {
      const asked = lastUserText(call)
      const scene = scenes.find(({ on }) => new RegExp(on, "iu").test(asked))
      if (scene === undefined) {
        yield failure("provider_error", "The script has no scene for this message.")
        return
      }
      const { from, to } = roundOf(scene, call)
      for (const [index, step] of scene.steps.entries()) {
        if (index < from || index >= to) continue
        if (call.signal.aborted) return
        yield* play(quoting(step, call), index, call.signal)
        if ("cut" in step || "error" in step || "malformed" in step || "finish" in step) return
      }
      yield { kind: "finish", finish: "stop", usage: unknownUsage }
    },
  }
}

/** The steps of the scene that come next, after as many rounds as the model has spoken since the last user message. */
function roundOf({ steps }: Scene, { messages }: ModelCall): { from: number; to: number } {
  const since = messages.findLastIndex(({ role }) => role === "user")
  const spoken = messages.slice(since + 1).filter(({ role }) => role === "assistant").length
  const ends = steps.flatMap((step, index) => ("finish" in step ? [index + 1] : []))
  const bounds = [0, ...ends, ...(ends.at(-1) === steps.length ? [] : [steps.length])]
  return { from: bounds[spoken] ?? steps.length, to: bounds[spoken + 1] ?? steps.length }
}

/** `{{pattern ?? what stands there when nothing fits}}` */
const quotation = /\{\{(.+?)(?: \?\? (.*?))?\}\}/gu

function quoting(step: Step, call: ModelCall): Step {
  if ("text" in step) return { ...step, text: quoted(step.text, call) }
  if (!("tool_call" in step)) return step
  const { tool, arguments: input } = step.tool_call
  return { tool_call: { tool, arguments: quotedIn(input, call) } }
}

function quotedIn(value: unknown, call: ModelCall): unknown {
  if (typeof value === "string") return quoted(value, call)
  if (Array.isArray(value)) return value.map((one) => quotedIn(one, call))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, quotedIn(one, call)]))
}

function quoted(text: string, call: ModelCall): string {
  return text.replace(quotation, (whole, pattern: string, otherwise: string | undefined) => {
    if (!isPattern(pattern)) return whole
    const fits = new RegExp(pattern, "iu")
    const found = toldInTurn(call).findLast((output) => fits.test(output))
    return found === undefined ? (otherwise ?? "") : (fits.exec(found)?.[1] ?? "")
  })
}

function toldInTurn({ messages }: ModelCall): string[] {
  const since = messages.findLastIndex(({ role }) => role === "user")
  return messages
    .slice(since + 1)
    .flatMap(({ parts }) => (typeof parts === "string" ? [] : parts))
    .flatMap((part) => (part.kind === "tool_result" ? [part.output] : []))
}

const unknownUsage = { input_tokens: "unknown", output_tokens: "unknown" } as const

async function* play(step: Step, index: number, signal: AbortSignal): AsyncIterable<ModelChunk> {
  const part_id = ("part" in step ? step.part : undefined) ?? `p${index}`
  if ("text" in step) yield* paced(step, part_id, signal)
  else if ("reasoning" in step) yield { kind: "reasoning", part_id, text: step.reasoning }
  else if ("reasoning_summary" in step)
    yield { kind: "reasoning_summary", part_id, text: step.reasoning_summary }
  else if ("structured" in step) yield { kind: "structured", part_id, text: step.structured }
  else if ("final" in step) yield { kind: "final", part_id, text: step.final }
  else if ("tool_call" in step) {
    const { tool, arguments: input } = step.tool_call
    yield { kind: "tool_call", part_id, call_id: `call_${index}`, tool, arguments: JSON.stringify(input) }
  } else if ("delay_ms" in step) await pause(step.delay_ms, signal)
  else if ("error" in step) yield failure(step.category ?? "provider_error", step.error, step.retryable)
  else if ("malformed" in step)
    yield failure("malformed", `The provider sent ${JSON.stringify(step.malformed)}.`)
  else if ("finish" in step) yield { kind: "finish", finish: step.finish, usage: step.usage ?? unknownUsage }
}

async function* paced(
  step: { text: string; chunk?: number | undefined; every_ms?: number | undefined },
  part_id: string,
  signal: AbortSignal,
): AsyncIterable<ModelChunk> {
  const characters = [...step.text]
  const size = step.chunk ?? (characters.length || 1)
  for (let at = 0; at < characters.length; at += size) {
    if (signal.aborted) return
    if (at > 0 && step.every_ms !== undefined) await pause(step.every_ms, signal)
    yield { kind: "text", part_id, text: characters.slice(at, at + size).join("") }
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    signal.addEventListener("abort", done, { once: true })
  })
}

function failure(
  category: "provider_error" | "rate_limited" | "malformed",
  reason: string,
  retryable = category === "rate_limited",
): ModelChunk {
  return { kind: "error", category, reason, retryable }
}

function lastUserText(call: ModelCall): string {
  const last = call.messages.findLast((message) => message.role === "user")
  if (last === undefined) return ""
  if (typeof last.parts === "string") return last.parts
  return last.parts.map((part) => (part.kind === "text" ? part.text : "")).join("\n")
}

function isPattern(source: string): boolean {
  try {
    new RegExp(source, "iu")
    return true
  } catch {
    return false
  }
}
