declare module "markdown-it/lib/rules_block/state_block.mjs" {
  export type BlockToken = {
    type: string
    tag: string
    level: number
    info: string
    content: string
    markup: string
    map: [number, number] | null
  }
  export default class StateBlock {
    constructor(src: string, md: object, env: object, tokens: BlockToken[])
    tokens: BlockToken[]
    line: number
    readonly lineMax: number
    level: number
    tight: boolean
    readonly blkIndent: number
    readonly sCount: readonly number[]
    skipEmptyLines(from: number): number
    isEmpty(line: number): boolean
    push(type: string, tag: string, nesting: number): BlockToken
  }
}

declare module "markdown-it/lib/rules_block/*" {
  import type StateBlock from "markdown-it/lib/rules_block/state_block.mjs"
  export default function rule(state: StateBlock, line: number, end: number, silent: boolean): boolean
}

declare module "markdown-it" {
  import type { BlockToken } from "markdown-it/lib/rules_block/state_block.mjs"
  export default class MarkdownIt {
    constructor(preset: "commonmark")
    disable(rule: string): this
    parse(text: string, env: object): BlockToken[]
  }
}
