import { mkdirSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { scenarios } from "./traces/index.ts"

const folder = fileURLToPath(new URL("../traces/", import.meta.url))

for (const [name, { about, topology, facts }] of Object.entries(scenarios)) {
  const told = facts()
  const sessions = [...new Set(told.flatMap(({ session_id }) => session_id ?? []))]
  mkdirSync(`${folder}${name}`, { recursive: true })
  writeFileSync(`${folder}${name}/events.jsonl`, told.map((fact) => `${JSON.stringify(fact)}\n`).join(""))
  writeFileSync(
    `${folder}${name}/trace.json`,
    `${JSON.stringify({ name, about, topology, sessions, facts: told.length }, null, 2)}\n`,
  )
}
console.log(`${Object.keys(scenarios).length} traces are in ${folder}`)
