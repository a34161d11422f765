import { z } from "zod"
import { textOf } from "../../outputs/text.ts"
import { defineTool, failed } from "./define.ts"
import { touching, toWrite } from "./paths.ts"
import { linesOf, readBytes } from "./read-file.ts"
import { replaceFile } from "./write-file.ts"

const mostPlaces = 10
const mostCompared = 2_000_000

export const editFile = defineTool({
  name: "edit_file",
  description:
    "Replaces a piece of text in a file. old_text must be in the file exactly once, with its spaces and line breaks, " +
    "unless replace_all is set. Give enough lines around it to make it unique.",
  input: z.strictObject({
    path: z.string().min(1).describe("Relative to the working folder, or absolute."),
    old_text: z.string().min(1).describe("What is there now, without line numbers."),
    new_text: z.string().describe("What stands there afterwards."),
    replace_all: z.boolean().optional(),
  }),
  effect: "once",
  side_effects: ["read", "write"],
  capabilities: ["files.write"],
  touches: touching("write"),
  async run({ path, old_text, new_text, replace_all = false }, run) {
    if (old_text === new_text) return failed("tool_error", "old_text and new_text are the same.")
    const place = await toWrite(path, run)
    if (!place.ok) return place.failure
    const bytes = await readBytes(place.path)
    if (typeof bytes === "string") return failed("tool_error", `${place.path}: ${bytes}`)
    const text = textOf(bytes)
    if (text === undefined) return failed("tool_error", `${place.path} is no text.`)
    const [from, to] = inTheFilesLineBreaks(text, old_text, new_text)
    const places = placesOf(text, from)
    if (places.length === 0) return notThere(text, old_text)
    if (places.length > 1 && !replace_all) return several(text, places)
    const written = await replaceFile(place.path, text.split(from).join(to))
    if (!written.ok) return failed("tool_error", `${place.path}: ${written.reason}`)
    const lines = places.map((at) => lineAt(text, at))
    const count = places.length === 1 ? "1 place" : `${places.length} places`
    const { bytes: size, digest } = written
    const data = { path: place.path, replaced: places.length, lines, bytes: size, digest }
    return { ok: true, output: `Changed ${count} in ${place.path}, line ${lines.join(", ")}.`, data }
  },
})

/** Models write line feeds only; a file with carriage returns keeps its own. */
function inTheFilesLineBreaks(text: string, from: string, to: string): readonly [string, string] {
  if (text.includes(from) || from.includes("\r") || !text.includes("\r\n")) return [from, to]
  return [from.replaceAll("\n", "\r\n"), to.replace(/\r?\n/g, "\r\n")]
}

function placesOf(text: string, piece: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + piece.length)) places.push(at)
  return places
}

const lineAt = (text: string, at: number): number => text.slice(0, at).split("\n").length

function several(text: string, places: readonly number[]) {
  const lines = places.slice(0, mostPlaces).map((at) => lineAt(text, at))
  const message = `old_text is in the file ${places.length} times, at lines ${lines.join(", ")}.`
  return failed("tool_error", message, "Add lines around it until it is unique, or set replace_all.")
}

function notThere(text: string, wanted: string) {
  const near = nearest(linesOf(text), linesOf(wanted))
  const next = "Read the file again and copy the text exactly, without line numbers."
  if (near === undefined) return failed("tool_error", "old_text is not in the file.", next)
  const message = `old_text is not in the file. The nearest is at line ${near.line}:\n${near.text}`
  return failed("tool_error", message, next)
}

/** The lines that agree most with the wanted ones, when spaces do not count. */
function nearest(lines: readonly string[], wanted: readonly string[]) {
  if (lines.length * wanted.length > mostCompared) return undefined
  const bare = lines.map(bareLine)
  const sought = wanted.map(bareLine)
  let best = { at: -1, score: 0 }
  for (let at = 0; at < bare.length; at++) {
    let score = 0
    for (const [i, line] of sought.entries()) score += likeness(line, bare[at + i])
    if (score > best.score) best = { at, score }
  }
  if (best.at < 0 || best.score < sought.length / 3) return undefined
  return {
    line: best.at + 1,
    text: lines
      .slice(best.at, best.at + wanted.length)
      .join("\n")
      .slice(0, 2_000),
  }
}

const bareLine = (line: string): string => line.replace(/\s+/g, "")

/** 1 for equal lines, less for those that begin and end alike. */
function likeness(a: string, b: string | undefined): number {
  if (b === undefined || a === "" || b === "") return 0
  if (a === b) return 1
  const longest = Math.max(a.length, b.length)
  let start = 0
  while (start < longest && a[start] !== undefined && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++
  return (start + end) / longest
}
