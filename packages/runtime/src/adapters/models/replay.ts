import type { LanguageModelV4Message } from "@ai-sdk/provider"
import { z } from "zod"

/** Who gave an answer: signed reasoning is worth something to this model only. */
export type Author = {
  provider: string
  name: string
  /** The package's own name for it, such as `openai.responses`: a provider may be set up anew under its old name. */
  dialect: string
}
export type Content = Extract<LanguageModelV4Message, { role: "assistant" }>["content"]

const Options = z.record(z.string(), z.record(z.string(), z.json())).optional()
const Part = z.discriminatedUnion("type", [
  z.object({ type: z.literal(["text", "reasoning"]), text: z.string(), providerOptions: Options }),
  z.object({
    type: z.literal("tool-call"),
    toolCallId: z.string(),
    toolName: z.string(),
    input: z.unknown(),
    providerOptions: Options,
  }),
])
export type ReplayPart = z.infer<typeof Part>
const Replay = z.object({
  provider: z.string(),
  model: z.string(),
  dialect: z.string(),
  content: z.array(Part),
})

export function replayOf({ provider, name, dialect }: Author, content: readonly ReplayPart[]): string {
  return JSON.stringify({ provider, model: name, dialect, content })
}

/** Undefined when there is none, or another model's. */
export function replayed(text: string | undefined, author: Author): Content | undefined {
  if (text === undefined) return undefined
  const parsed = Replay.safeParse(jsonOf(text))
  if (!parsed.success) return undefined
  const { provider, model, dialect, content } = parsed.data
  if (provider !== author.provider || model !== author.name || dialect !== author.dialect) return undefined
  return content.map(({ providerOptions, ...part }) =>
    providerOptions === undefined ? part : { ...part, providerOptions },
  )
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
