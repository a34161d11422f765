import { unescapeTags, unescapeText } from "../../src/escape.ts"

export type ReadTurn =
  | { kind: "user" | "answer" | "boundary"; index: number; text: string }
  | {
      kind: "protocol"
      index: number
      head: string[]
      declaration?: string
      parts: { kind: "call" | "result"; id: string; lines: string[]; block?: string }[]
      tail: string[]
    }

/** Reads a transcript back with nothing but its own structure: tags first, then headings outside fences. */
export function readTranscript(text: string): { turns: ReadTurn[]; closing: string } {
  const turns: ReadTurn[] = []
  const lines = text.split("\n")
  let at = 0
  for (;;) {
    const opened = /^<turn index="(\d+)">$/.exec(lines[at] ?? "")
    if (opened === null) break
    const end = lines.indexOf("</turn>", at)
    turns.push(readTurn(Number(opened[1]), lines.slice(at + 1, end)))
    at = end + 2
  }
  return { turns, closing: lines.slice(at).join("\n") }
}

function readTurn(index: number, lines: string[]): ReadTurn {
  const [heading, , ...body] = lines
  if (heading === "## User request") return { kind: "user", index, text: unescapeText(body.join("\n")) }
  if (heading === "## Earlier turns, summed up")
    return { kind: "boundary", index, text: unescapeText(body.join("\n")) }
  if (heading === "## Assistant answer") return { kind: "answer", index, text: unescapeText(body.join("\n")) }
  if (heading !== "## Assistant protocol request and runtime observations") throw new Error(`${heading}`)
  const turn: Extract<ReadTurn, { kind: "protocol" }> = {
    kind: "protocol",
    index,
    head: [],
    parts: [],
    tail: [],
  }
  let lead = turn.head
  let inDeclaration = false
  for (let at = 0; at < body.length; at++) {
    const line = body[at] ?? ""
    const part = /^### (Call|Result for) (.*)$/.exec(line)
    const fence = /^(`{3,})[a-z]*$/.exec(line)?.[1]
    if (part !== null) {
      const read = {
        kind: part[1] === "Call" ? ("call" as const) : ("result" as const),
        id: part[2] ?? "",
        lines: [],
      }
      turn.parts.push(read)
      lead = read.lines
      inDeclaration = false
    } else if (line === "### Declaration") inDeclaration = true
    else if (fence !== undefined) {
      const end = body.indexOf(fence, at + 1)
      const block = unescapeTags(body.slice(at + 1, end).join("\n"))
      const last = turn.parts.at(-1)
      if (inDeclaration) turn.declaration = block
      else if (last !== undefined) last.block = block
      lead = turn.tail
      at = end
    } else if (line.startsWith("Next: ")) turn.tail.push(line)
    else if (line !== "") lead.push(line)
  }
  return turn
}
