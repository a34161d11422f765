import { Marked, type Token, type Tokens } from "marked"

/** Blocks of Markdown with their raw text: the same text gives the same block, so only the last one is read again. */
export type Block = { raw: string; kind: "code" | "other"; language?: string; text?: string }

const marked = new Marked({ gfm: true, breaks: false })

/**
 * The blocks of a text. While it streams, everything but the last block is settled, so `before` is what was found for
 * an earlier part of the same text: its blocks are kept and only what follows the last settled one is read.
 */
export function blocksOf(text: string, before: readonly Block[] = []): readonly Block[] {
  const settled = settledPart(text, before)
  const from = settled.reduce((sum, { raw }) => sum + raw.length, 0)
  return [...settled, ...fresh(text.slice(from))]
}

/** What stands between two blocks counts to the first, so that the raw texts together are the text. */
function fresh(text: string): Block[] {
  const blocks: Block[] = []
  for (const token of marked.lexer(text)) {
    const last = blocks.at(-1)
    if (token.type === "space" && last !== undefined) last.raw += token.raw
    else blocks.push(blockOf(token))
  }
  return blocks
}

function settledPart(text: string, before: readonly Block[]): readonly Block[] {
  const kept: Block[] = []
  let at = 0
  for (const block of before.slice(0, -1)) {
    if (!text.startsWith(block.raw, at)) break
    at += block.raw.length
    kept.push(block)
  }
  return kept
}

function blockOf(token: Token): Block {
  const { raw } = token
  if (token.type !== "code") return { raw, kind: "other" }
  const { lang, text } = token as Tokens.Code
  return { raw, kind: "code", text, ...(lang ? { language: lang } : {}) }
}

export const toHtml = (raw: string): string => marked.parse(raw, { async: false })
