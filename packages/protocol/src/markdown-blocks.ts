import { endsAtBlank, endsHtml, htmlKind } from "./markdown-html.ts"
import { MarkdownLine } from "./markdown-line.ts"

/** Lines from the first to after the last. `depth`: in how many quotations and list items it stands. */
type Place = { from: number; to: number; depth: number }
export type Fence = Place & { kind: "fence"; info: string; text: string; closed: boolean }
export type Heading = Place & { kind: "heading"; level: number; text: string }
export type MarkdownBlock = Fence | Heading

/** Deeper quotations and items are taken for text: what stands in them is quoted in any case. */
const deepest = 20

type Container = { kind: "quotation" } | { kind: "item"; indent: number; empty: boolean }
/** What the last line left open in the innermost container. */
type Leaf =
  | { kind: "paragraph"; from: number; lines: string[] }
  | {
      kind: "fence"
      from: number
      mark: string
      length: number
      indent: number
      info: string
      lines: string[]
    }
  | { kind: "code" }
  | { kind: "html"; type: number }

/**
 * Fences and headings as CommonMark finds them. Each line is looked at once, against the containers that are open, so
 * no nesting makes the reading slow. Definitions of links are left as the paragraphs that they look like.
 */
export function parseBlocks(lines: readonly string[]): readonly MarkdownBlock[] {
  const reader = new BlockReader()
  // What follows the last line break is no line when it is empty.
  const count = lines.at(-1) === "" ? lines.length - 1 : lines.length
  for (let at = 0; at < count; at++) reader.read(new MarkdownLine(lines[at] ?? ""))
  return reader.end()
}

class BlockReader {
  readonly #found: MarkdownBlock[] = []
  readonly #open: Container[] = []
  #leaf: Leaf | undefined
  #at = 0

  read(line: MarkdownLine): void {
    const matched = this.#matched(line)
    const whole = matched === this.#open.length
    if (!(whole && this.#goesOn(line))) this.#begin(line, matched)
    this.#at++
  }

  end(): readonly MarkdownBlock[] {
    this.#close(0)
    return this.#found
  }

  /** How many of the open containers hold this line too; their marks are read. */
  #matched(line: MarkdownLine): number {
    const first = this.#open.findIndex((container) => !holds(container, line))
    return first < 0 ? this.#open.length : first
  }

  /** Whether the line belongs to the open fence, code or HTML, whatever it looks like. */
  #goesOn(line: MarkdownLine): boolean {
    const leaf = this.#leaf
    switch (leaf?.kind) {
      case "fence":
        if (closes(leaf, line)) this.#endLeaf(this.#at + 1, true)
        else {
          line.skipColumns(Math.min(leaf.indent, line.indent))
          leaf.lines.push(line.left)
        }
        return true
      case "html":
        if (line.blank && endsAtBlank(leaf.type)) break
        if (endsHtml(leaf.type, line.left)) this.#endLeaf(this.#at + 1)
        return true
      case "code":
        if (line.indented || line.blank) return true
        break
      default:
        return false
    }
    this.#endLeaf(this.#at)
    return false
  }

  /** Opens what the line begins; a line that begins nothing goes on a paragraph, even out of its containers. */
  #begin(line: MarkdownLine, matched: number): void {
    let inside = matched
    let paragraph = this.#leaf?.kind === "paragraph" ? this.#leaf : undefined
    const leave = () => {
      this.#close(inside)
      paragraph = undefined
    }
    /** The paragraph that this line would go on by its place, and not for want of anything else. */
    const own = () => (inside === this.#open.length ? paragraph : undefined)
    if (line.blank) {
      if (inside < this.#open.length || paragraph !== undefined) leave()
      return
    }
    while (!line.indented) {
      const container = this.#container(line, own() !== undefined, inside)
      if (container === undefined) break
      leave()
      this.#enter(container)
      inside++
      if (line.blank) return
    }
    if (line.indented) {
      if (paragraph === undefined) {
        leave()
        this.#enterLeaf({ kind: "code" })
        return
      }
    } else if (this.#beginLeaf(line, own(), paragraph !== undefined, leave)) return
    if (paragraph === undefined) {
      leave()
      this.#enterLeaf({ kind: "paragraph", from: this.#at, lines: [line.rest] })
    } else paragraph.lines.push(line.rest)
  }

  #container(line: MarkdownLine, interrupts: boolean, depth: number): Container | undefined {
    if (depth >= deepest) return undefined
    if (line.text[line.next] === ">") {
      line.skipSpace()
      line.skipCharacters(1)
      line.skipOneSpace()
      return { kind: "quotation" }
    }
    return isRule(line.rest) || (interrupts && underline.test(line.rest)) ? undefined : item(line, interrupts)
  }

  #beginLeaf(
    line: MarkdownLine,
    own: Extract<Leaf, { kind: "paragraph" }> | undefined,
    lazy: boolean,
    leave: () => void,
  ): boolean {
    const { rest } = line
    const hashes = /^#{1,6}(?=[ \t]|$)/.exec(rest)?.[0]
    if (hashes !== undefined) {
      leave()
      this.#filled()
      this.#heading(this.#at, hashes.length, headingText(rest.slice(hashes.length)))
      return true
    }
    const fence = /^(`{3,})[^`]*$|^(~{3,})/.exec(rest)
    if (fence !== null) {
      const mark = fence[1] ?? fence[2] ?? ""
      leave()
      const info = rest.slice(mark.length).trim()
      this.#enterLeaf({
        kind: "fence",
        from: this.#at,
        mark: mark[0] ?? "",
        length: mark.length,
        indent: line.indent,
        info,
        lines: [],
      })
      return true
    }
    const html = rest[0] === "<" ? htmlKind(rest, lazy) : undefined
    if (html !== undefined) {
      leave()
      if (endsHtml(html, rest)) this.#filled()
      else this.#enterLeaf({ kind: "html", type: html })
      return true
    }
    if (own !== undefined && underline.test(rest)) {
      this.#leaf = undefined
      this.#heading(own.from, rest[0] === "=" ? 1 : 2, own.lines.join("\n").trim())
      return true
    }
    if (!isRule(rest)) return false
    leave()
    this.#filled()
    return true
  }

  #heading(from: number, level: number, text: string): void {
    this.#found.push({ kind: "heading", from, to: this.#at + 1, depth: this.#open.length, level, text })
  }

  #enter(container: Container): void {
    this.#filled()
    this.#open.push(container)
  }

  #enterLeaf(leaf: Leaf): void {
    this.#filled()
    this.#leaf = leaf
  }

  /** An item that holds nothing yet ends at a blank line. */
  #filled(): void {
    const last = this.#open.at(-1)
    if (last?.kind === "item") last.empty = false
  }

  /** Leaves all containers but the outer ones, and what was open in them. */
  #close(outer: number): void {
    this.#endLeaf(this.#at)
    this.#open.length = outer
  }

  #endLeaf(to: number, closed = false): void {
    const leaf = this.#leaf
    this.#leaf = undefined
    if (leaf?.kind !== "fence") return
    const { from, info, lines } = leaf
    const text = lines.map((one) => `${one}\n`).join("")
    this.#found.push({ kind: "fence", from, to, depth: this.#open.length, info, text, closed })
  }
}

/** Whether the line stands in an open container; reads the mark or the indent that says so. */
function holds(container: Container, line: MarkdownLine): boolean {
  if (container.kind === "item") {
    if (line.blank) {
      line.skipSpace()
      return !container.empty
    }
    if (line.indent < container.indent) return false
    line.skipColumns(container.indent)
    return true
  }
  if (line.indented || line.text[line.next] !== ">") return false
  line.skipSpace()
  line.skipCharacters(1)
  line.skipOneSpace()
  return true
}

/** A list item with its marker read. One that breaks into a paragraph holds something, and counts from 1. */
function item(line: MarkdownLine, interrupts: boolean): Container | undefined {
  const { rest, indent } = line
  const found = /^(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|$)/.exec(rest)
  if (found === null) return undefined
  const [marker, number] = found
  if (
    interrupts &&
    ((number !== undefined && Number(number) !== 1) || rest.slice(marker.length).trim() === "")
  )
    return undefined
  line.skipSpace()
  line.skipCharacters(marker.length)
  // Five columns and more are one, and the rest of them the indent of code.
  const space = line.blank || line.indent > 4 ? 1 : line.indent
  line.skipColumns(space)
  return { kind: "item", indent: indent + marker.length + space, empty: true }
}

function closes({ mark, length }: Extract<Leaf, { kind: "fence" }>, line: MarkdownLine): boolean {
  if (line.indented || line.text[line.next] !== mark) return false
  const found = /^(`+|~+)[ \t]*$/.exec(line.rest)?.[1]
  return found !== undefined && found.length >= length
}

const underline = /^(?:=+|-+)[ \t]*$/
const isRule = (rest: string): boolean => /^(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/.test(rest)

/** Without the number signs that may close it. */
function headingText(rest: string): string {
  const text = rest.trim()
  let end = text.length
  while (text[end - 1] === "#") end--
  const closed = end === 0 || text[end - 1] === " " || text[end - 1] === "\t"
  return closed ? text.slice(0, end).trim() : text
}
