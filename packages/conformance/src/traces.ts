import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Envelope } from "@factum/facts"
import { scenariosFolder } from "./scenario.ts"

const folder = fileURLToPath(new URL("../traces/", import.meta.url))

export const traceNames = (): string[] => readdirSync(folder).sort()
export const tracePath = (name: string, file: "events.jsonl" | "state.json" | "trace.json"): string =>
  `${folder}${name}/${file}`

/** The facts of a recorded trace, in the order in which they happened. */
export const readTrace = (name: string): Envelope[] => factsOf(tracePath(name, "events.jsonl"))

/** The facts of a scenario's sessions, each session's in order. */
export const readLog = (name: string): Envelope[] => factsOf(join(scenariosFolder, name, "log.jsonl"))

function factsOf(path: string): Envelope[] {
  const lines = readFileSync(path, "utf8").split("\n")
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line))
}
