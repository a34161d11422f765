import { parseBlocks } from "./markdown-blocks.ts"

/** A heading of the model's output and the text under it. `id` is the normalised heading. */
export type Section = { id: string; heading: string; level: number; text: string }
export type Sections = readonly Section[]

/** A fenced block. `quoted`: inside a quotation or a list, where it is only being shown. */
export type Block = {
  info: string
  text: string
  complete: boolean
  quoted: boolean
  /** Lines of the message, the first included and the last excluded. */
  lines: readonly [number, number]
}

/** The word in a fence's info string that marks a declaration. */
export const fenceWord = "agent-protocol"

type Heading = { heading: string; level: number; from: number; to: number }

export function readMarkdown(text: string): { sections: Section[]; blocks: Block[] } {
  const lines = text.replace(/\r\n?/g, "\n").split("\n")
  const found = parseBlocks(lines)
  const blocks = found.flatMap(({ from, to, depth, ...block }): Block[] => {
    if (block.kind !== "fence") return []
    const { info, text, closed } = block
    return [{ info, text, complete: closed, quoted: depth > 0, lines: [from, to] }]
  })
  const headings = found.flatMap(({ from, to, depth, ...block }): Heading[] =>
    block.kind === "heading" && depth === 0 ? [{ heading: block.text, level: block.level, from, to }] : [],
  )
  const body = lines.slice()
  for (const block of blocks.filter(isProtocolBlock)) body.fill("", ...block.lines)
  return { sections: sectionsOf(headings, body), blocks }
}

export const isProtocolBlock = (block: Block): boolean =>
  !block.quoted && block.info.split(/\s+/).includes(fenceWord)

/** Trimmed, inline code unwrapped, spaces collapsed, case ignored. */
export function sectionId(heading: string): string {
  return heading.replaceAll("`", "").replace(/\s+/g, " ").trim().toLowerCase()
}

export function findSections(sections: Sections, name: string): Sections {
  const id = sectionId(name)
  return sections.filter((section) => section.id === id)
}

/** The section that is written for the user, and is part of no other one. */
export const noteSection = "user.visible"

/** A section ends at the next heading of its own or a higher level; the declaration itself is no part of it. */
function sectionsOf(headings: readonly Heading[], lines: readonly string[]): Section[] {
  const ends = endsOf(headings, lines.length)
  const note = new Uint8Array(lines.length)
  for (const [at, { heading, from }] of headings.entries())
    if (sectionId(heading) === noteSection) note.fill(1, from, ends[at])
  return headings.map(({ heading, level, to }, at) => {
    const id = sectionId(heading)
    const end = ends[at] ?? lines.length
    const own = lines.slice(to, end).filter((_, line) => id === noteSection || note[to + line] === 0)
    return { id, heading, level, text: trimmed(own) }
  })
}

function endsOf(headings: readonly Heading[], last: number): number[] {
  const next = Array<number>(7).fill(last)
  const ends = headings.toReversed().map(({ level, from }) => {
    const end = next[level] ?? last
    next.fill(from, level)
    return end
  })
  return ends.reverse()
}

function trimmed(lines: readonly string[]): string {
  let from = 0
  let to = lines.length
  while (from < to && lines[from]?.trim() === "") from++
  while (to > from && lines[to - 1]?.trim() === "") to--
  return lines.slice(from, to).join("\n")
}
