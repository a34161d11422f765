import type { ModelMessage, ModelPart } from "../ports/model.ts"
import { clipped, tokensOf } from "./window.ts"

/** A stretch of a conversation that is kept or summed up as a whole: what was said, and what the model did then. */
export type Passage = {
  /** The sequence of the request in it. */
  opened: number
  messages: readonly ModelMessage[]
}

export type Range = { from: number; to: number; passages: readonly Passage[] }

/**
 * What is to be summed up: all but the newest passages that fit into what is kept. `end` is the last sequence that may
 * be summed up. Nothing when all fits.
 */
export function rangeOf(
  passages: readonly Passage[],
  { after, end, keep }: { after: number; end: number; keep: number },
): Range | undefined {
  const ripe = passages.filter(({ opened }) => opened > after && opened <= end)
  let left = keep
  let kept = ripe.length
  while (kept > 0) {
    left -= tokensOf(ripe[kept - 1]?.messages)
    if (left < 0) break
    kept--
  }
  if (kept === 0) return undefined
  const next = ripe[kept]
  return {
    from: after + 1,
    to: next === undefined ? end : next.opened - 1,
    passages: ripe.slice(0, kept),
  }
}

/** Of one result or message no more than this is read by who sums up, less when there is much to read. */
const mostPart = 1_500
const leastPart = 24
/** How many requests a summary may take. */
const mostPieces = 12

/** The passages as texts of at most so many tokens each, in their order. */
export function piecesOf(passages: readonly Passage[], tokens: number): string[] {
  for (let part = mostPart; ; part = Math.floor(part / 2)) {
    const pieces = packed(
      passages.map(({ messages }) => passageText(messages, Math.min(part, tokens))),
      tokens,
    )
    if (pieces.length <= mostPieces || part <= leastPart) return pieces.slice(-mostPieces)
  }
}

function packed(texts: readonly string[], tokens: number): string[] {
  const pieces: string[] = []
  for (const text of texts.map((one) => clipped(one, tokens))) {
    const joined = [pieces.at(-1), text].filter(Boolean).join("\n\n")
    if (pieces.length > 0 && tokensOf(joined) <= tokens) pieces[pieces.length - 1] = joined
    else pieces.push(text)
  }
  return pieces
}

const speakers = { user: "Person", assistant: "Agent", tool: "Result" } as const

export function passageText(messages: readonly ModelMessage[], tokens: number): string {
  return messages
    .flatMap(({ role, parts }) => {
      const texts = typeof parts === "string" ? [parts] : parts.map(partText)
      return texts.filter(Boolean).map((text) => `${speakers[role]}: ${clipped(text, tokens)}`)
    })
    .join("\n")
}

function partText(part: ModelPart): string {
  switch (part.kind) {
    case "text":
      return part.text
    case "tool_call":
      return `calls ${part.tool} ${part.arguments}`
    case "tool_result":
      return `${part.tool}${part.failed === true ? " failed" : ""}: ${part.output}`
    case "file":
      return `[${part.media_type} ${part.name ?? ""}]`
    default:
      return `[${part.kind}: ${part.ref.uri}]`
  }
}
