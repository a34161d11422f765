import { hash } from "node:crypto"
import { open } from "node:fs/promises"
import { z } from "zod"
import { mediaTypeOf, textOf } from "../../outputs/text.ts"
import { because, defineTool, failed } from "./define.ts"
import { toRead, touching } from "./paths.ts"

export const largestFile = 10_485_760
const mostLines = 2_000
const mostText = 65_536
const longestLine = 2_000

export const readFile = defineTool({
  name: "read_file",
  description:
    "Reads a file of the workspace. Text comes with line numbers, at most 2000 lines at a time; " +
    "use offset and limit for the rest. Bytes that are no text are stored and described.",
  input: z.strictObject({
    path: z.string().min(1).describe("Relative to the working folder, or absolute."),
    offset: z.int().min(1).optional().describe("First line, from 1."),
    limit: z.int().min(1).max(mostLines).optional().describe("How many lines."),
  }),
  effect: "none",
  side_effects: ["read"],
  capabilities: ["files.read"],
  touches: touching("read"),
  async run({ path, offset = 1, limit = mostLines }, run) {
    const place = await toRead(path, run)
    if (!place.ok) return place.failure
    const bytes = await readBytes(place.path)
    if (typeof bytes === "string") return failed("tool_error", `${place.path}: ${bytes}`)
    const digest = `sha256:${hash("sha256", bytes)}`
    const told = { path: place.path, bytes: bytes.byteLength, digest }
    const text = textOf(bytes)
    if (text === undefined) {
      return { ok: true, output: bytes, media_type: mediaTypeOf(bytes), data: { ...told, binary: true } }
    }
    const lines = linesOf(text)
    if (offset > Math.max(1, lines.length)) {
      return failed("tool_error", `The file has ${lines.length} lines; line ${offset} is not there.`)
    }
    const { output, last } = numbered(lines, offset, Math.min(lines.length, offset - 1 + limit))
    return { ok: true, output, data: { ...told, lines: lines.length, from: offset, to: last } }
  },
})

/** The content of a plain file, or why there is none. */
export async function readBytes(path: string): Promise<Uint8Array | string> {
  try {
    await using file = await open(path, "r")
    const stat = await file.stat()
    if (stat.isDirectory()) return "It is a folder."
    if (!stat.isFile()) return "It is no plain file."
    if (stat.size > largestFile)
      return `It has ${stat.size} bytes; the largest that is read has ${largestFile}.`
    return await file.readFile()
  } catch (error) {
    return because(error)
  }
}

/** The lines of a text; a line feed at the end begins no further one. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === "") lines.pop()
  return lines
}

function numbered(lines: readonly string[], from: number, to: number): { output: string; last: number } {
  if (lines.length === 0) return { output: "(empty file)", last: 0 }
  const shown: string[] = []
  let size = 0
  let last = from - 1
  while (last < to && size < mostText) {
    const line = `${last + 1}\t${shortened(lines[last] ?? "")}`
    shown.push(line)
    size += line.length + 1
    last++
  }
  if (last < lines.length)
    shown.push(`(lines ${from} to ${last} of ${lines.length}; go on with offset ${last + 1})`)
  return { output: shown.join("\n"), last }
}

const shortened = (line: string): string =>
  line.length <= longestLine ? line : `${line.slice(0, longestLine)}… (${line.length} characters)`
