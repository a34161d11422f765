/** What the tests use of the reference implementation, which comes without types. */
declare module "commonmark" {
  export type Node = {
    readonly type: string
    readonly level: number
    readonly info: string | null
    readonly literal: string | null
    readonly sourcepos: readonly [readonly [number, number], readonly [number, number]]
    readonly parent: Node | null
    walker(): { next(): { entering: boolean; node: Node } | null }
  }
  export class Parser {
    parse(text: string): Node
  }
}
