import blockquote from "markdown-it/lib/rules_block/blockquote.mjs"
import code from "markdown-it/lib/rules_block/code.mjs"
import fence from "markdown-it/lib/rules_block/fence.mjs"
import heading from "markdown-it/lib/rules_block/heading.mjs"
import hr from "markdown-it/lib/rules_block/hr.mjs"
import html from "markdown-it/lib/rules_block/html_block.mjs"
import lheading from "markdown-it/lib/rules_block/lheading.mjs"
import list from "markdown-it/lib/rules_block/list.mjs"
import paragraph from "markdown-it/lib/rules_block/paragraph.mjs"
import StateBlock, { type BlockToken } from "markdown-it/lib/rules_block/state_block.mjs"

type Rule = (state: StateBlock, line: number, end: number, silent: boolean) => boolean

/** Deeper quotations and lists are not looked into. */
const deepest = 20

/** The rules of CommonMark for blocks, in their order. Definitions of links are left as the paragraphs they look like. */
const all: readonly Rule[] = [code, fence, blockquote, hr, list, html, heading, lheading, paragraph]
/** Which of them end an open block of a kind. */
const ending: Readonly<Record<string, readonly Rule[]>> = {
  paragraph: [fence, blockquote, hr, list, html, heading],
  blockquote: [fence, blockquote, hr, list, html, heading],
  list: [fence, blockquote, hr],
}
const block = { ruler: { getRules: (kind: string) => ending[kind] ?? [] }, tokenize }
const library = { block, options: { html: true, maxNesting: deepest } }

/** Keeps only fences and headings: in hostile text everything else is millions of tokens. */
class FewTokens extends StateBlock {
  override push(type: string, tag: string, nesting: number): BlockToken {
    const before = this.tokens.at(-1)?.type
    const token = super.push(type, tag, nesting)
    const named = type === "inline" && before === "heading_open"
    if (type !== "fence" && type !== "heading_open" && !named) this.tokens.pop()
    return token
  }
}

/** Fences, and headings each followed by its text. Inline parsing is the costly part, and nothing here depends on it. */
export function parseBlocks(text: string): readonly BlockToken[] {
  const tokens: BlockToken[] = []
  const state = new FewTokens(text.replace(/\r\n?/g, "\n"), library, {}, tokens)
  tokenize(state, state.line, state.lineMax)
  return tokens
}

function tokenize(state: StateBlock, start: number, end: number): void {
  let loose = false
  for (let line = start; line < end; ) {
    line = state.skipEmptyLines(line)
    state.line = line
    if (line >= end || (state.sCount[line] ?? 0) < state.blkIndent) return
    if (state.level >= deepest) {
      state.line = end
      return
    }
    all.some((rule) => rule(state, line, end, false))
    state.tight = !loose
    loose ||= state.isEmpty(state.line - 1)
    // The last rule takes any line; going on by one keeps a surprise from standing still.
    line = Math.max(state.line, line + 1)
    if (line < end && state.isEmpty(line)) {
      loose = true
      line++
    }
    state.line = line
  }
}
