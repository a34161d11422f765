import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Envelope } from "@factum/facts"

const folder = fileURLToPath(new URL("../traces/", import.meta.url))

export const traceNames = (): string[] => readdirSync(folder).sort()
export const tracePath = (name: string, file: "events.jsonl" | "state.json" | "trace.json"): string =>
  `${folder}${name}/${file}`

/** The facts of a recorded trace, in the order in which they happened. */
export function readTrace(name: string): Envelope[] {
  const lines = readFileSync(tracePath(name, "events.jsonl"), "utf8").split("\n")
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line))
}
