import { Lexer, Marked, type Token, type Tokens } from "marked"

/** Blocks of Markdown with their raw text: the same text gives the same block, so only the last one is read again. */
export type Block = {
  raw: string
  kind: "code" | "other"
  language?: string
  text?: string
  /** Where links of the whole text lead that this block defines. */
  defines?: readonly Definition[]
  /** What stands in brackets, which may be defined in any other block. */
  names?: readonly string[]
}
export type Definition = { name: string; href: string; title?: string | undefined }

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
  if (token.type === "code") {
    const { lang, text } = token as Tokens.Code
    return { raw, kind: "code", text, ...(lang ? { language: lang } : {}) }
  }
  const defines: Definition[] = []
  marked.walkTokens([token], (inner) => {
    if (inner.type !== "def") return
    const { tag, href, title } = inner as Tokens.Def
    defines.push({ name: tag, href, title })
  })
  const names = raw.match(/\[[^[\]]+\]/g)?.map(nameIn)
  return {
    raw,
    kind: "other",
    ...(defines.length > 0 && { defines }),
    ...(names !== undefined && { names: [...new Set(names)] }),
  }
}
/** As the parser compares names. */
const nameIn = (bracketed: string) => bracketed.slice(1, -1).toLowerCase().replace(/\s+/g, " ")

/** For each block the definitions that it needs, wherever in the text they stand; the first of a name counts. */
export function definitionsFor(blocks: readonly Block[]): (readonly Definition[])[] {
  const known = new Map<string, Definition>()
  for (const one of blocks.flatMap(({ defines = [] }) => defines))
    if (!known.has(one.name)) known.set(one.name, one)
  return blocks.map(({ names }) =>
    known.size === 0 || names === undefined ? none : names.flatMap((name) => known.get(name) ?? []),
  )
}
const none: readonly Definition[] = []

export function toHtml(raw: string, definitions: readonly Definition[] = none): string {
  const lexer = new Lexer(marked.defaults)
  for (const { name, href, title } of definitions) lexer.tokens.links[name] = { href, title: title ?? null }
  return marked.parser(lexer.lex(raw))
}
