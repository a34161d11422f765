import { readFileSync, writeFileSync } from "node:fs"
import { cpus, totalmem } from "node:os"
import { agentUi } from "./agent-ui.ts"
import { append } from "./append.ts"
import { commands } from "./commands.ts"
import { idle } from "./idle.ts"
import type { Figure } from "./measure.ts"
import { protocol } from "./protocol.ts"
import { sessions } from "./sessions.ts"
import { start } from "./start.ts"
import { streaming } from "./streaming.ts"
import { delivery } from "./subscribers.ts"
import { turns } from "./turns.ts"
import { workbench } from "./workbench.ts"

// Each figure stands beside its limit or peer from the same run. `npm run bench -- append` runs one part.
const parts = {
  ...{ append, sessions, streaming, idle, start, protocol, turns, commands },
  ...{ subscribers: delivery, agentUi, workbench },
}
const asked = process.argv.slice(2)
const chosen = Object.entries(parts).filter(([name]) => asked.length === 0 || asked.includes(name))
if (chosen.length === 0) {
  console.error(`There is no such part; the parts are ${Object.keys(parts).join(", ")}.`)
  process.exit(2)
}

type Kept = { machine: unknown; parts: Record<string, { date: string; figures: Figure[] }> }

const figures: Figure[] = []
const measured: Kept["parts"] = {}
for (const [name, run] of chosen) {
  console.error(`${name}…`)
  const found = await run()
  figures.push(...found)
  measured[name] = { date: new Date().toISOString(), figures: found }
}

const rows = figures.map(({ name, value, unit, peer, against, ratio, target, ok }) => [
  name,
  `${short(value)} ${unit}`,
  peer === "limit" ? `limit ${short(against)}` : `${peer}: ${short(against)}`,
  ratio.toFixed(2),
  "at_least" in target ? `≥ ${target.at_least}` : `≤ ${target.at_most}`,
  ok ? "met" : "MISSED",
])
const head = ["what", "measured", "beside", "ratio", "target", ""]
const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)))
for (const row of [head, ...rows]) {
  console.log(
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  )
}
const machine = {
  node: process.version,
  platform: process.platform,
  cores: cpus().length,
  memory: totalmem(),
}
const file = new URL("results/latest.json", import.meta.url)
// Each part keeps the figures of its last run, so that one can be measured again alone.
const before: Kept = asked.length === 0 ? { machine, parts: {} } : JSON.parse(readFileSync(file, "utf8"))
const kept: Kept = { machine, parts: { ...before.parts, ...measured } }
writeFileSync(file, `${JSON.stringify(kept, null, 2)}\n`)

function short(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3)
}
