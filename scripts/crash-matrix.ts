import { spawn } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { printOf, type Remains, remainsOf, violationsIn } from "./crash-matrix-check.ts"
import type { Life, LifeReport } from "./crash-matrix-child.ts"
import { type Scenario, scenarios } from "./crash-matrix-scenarios.ts"

// Kills a runtime at every point of every scenario, and again at the points of each recovery: `--once` leaves these
// out, `--all` also goes on where a recovery only does what an earlier one did, `--every 4` takes each fourth point of
// the first life. Names of scenarios choose some.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    once: { type: "boolean" },
    all: { type: "boolean" },
    keep: { type: "boolean" },
    every: { type: "string", default: "1" },
  },
})
const childScript = new URL("./crash-matrix-child.ts", import.meta.url).pathname
const every = Math.max(1, Number.parseInt(values.every, 10) || 1)
const lifeLimitMs = 30_000
const lanes = 2
/** How many known states in a row say that a recovery has joined the path of an earlier one. */
const joined = 4

type Totals = { kills: number; recoveries: number; checks: number; found: string[] }
const totals: Totals = { kills: 0, recoveries: 0, checks: 0, found: [] }
const started = Date.now()
const chosen = Object.entries(scenarios).filter(
  ([name]) => positionals.length === 0 || positionals.includes(name),
)
if (chosen.length === 0) {
  console.error(`There is no such scenario; the scenarios are ${Object.keys(scenarios).join(", ")}.`)
  process.exit(2)
}
const root = mkdtempSync(join(tmpdir(), "factum-matrix-"))
for (const [name, scenario] of chosen) {
  const { kills, recoveries } = await killEverywhere(name, scenario)
  const found = totals.found.filter((line) => line.startsWith(`${name},`))
  console.log(`${name}: ${kills} kills, ${recoveries} in recovery, ${found.length} violations`)
}
for (const line of totals.found.slice(0, 40)) console.log(`  ${line}`)
console.log(
  `crash matrix: ${totals.kills} kills (${totals.recoveries} of them in a recovery), ${totals.checks} states ` +
    `recovered and checked, ${totals.found.length} violations, ${Math.round((Date.now() - started) / 1000)} s`,
)
if (values.keep === true && totals.found.length > 0) console.log(`  kept ${root}`)
else rmSync(root, { recursive: true, force: true })
process.exitCode = totals.found.length === 0 ? 0 : 1

type Place = { name: string; scenario: Scenario; where: string }

async function killEverywhere(name: string, scenario: Scenario) {
  const seen = new Set<string>()
  const counts = { kills: 0, recoveries: 0 }
  let next = 1
  let over = false
  async function lane(): Promise<void> {
    while (!over) {
      const at = next
      next += every
      await killAt(at)
    }
  }
  async function killAt(at: number): Promise<void> {
    const directory = mkdtempSync(join(root, "life-"))
    const place: Place = { name, scenario, where: `${name}, killed at ${at}` }
    const killed = (await run(place, { directory, scenario: name, life: 1, kill: at })) === "killed"
    // Without a point at that number the life ends by itself, or waits for the next one.
    if (!killed || existsSync(join(directory, "unanswered.jsonl"))) over = true
    const cut = remainsOf(directory)
    const isNew = !seen.has(printOf(cut))
    seen.add(printOf(cut))
    if (killed) counts.kills++
    if (killed && isNew && values.once !== true)
      counts.recoveries += await killRecovery(place, directory, cut, seen)
    await recover(place, directory, killed ? [cut] : [], 2)
    if (values.keep !== true) rmSync(directory, { recursive: true })
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  totals.kills += counts.kills + counts.recoveries
  totals.recoveries += counts.recoveries
  return counts
}

/** Kills the second life at each of its points. A state that was recovered from before need not be again. */
async function killRecovery({ where, ...place }: Place, from: string, cut: Remains, seen: Set<string>) {
  const own = new Set<string>()
  for (let at = 1, known = 0; ; at++) {
    const directory = mkdtempSync(join(root, "again-"))
    cpSync(from, directory, { recursive: true })
    const again = { ...place, where: `${where}, then at ${at}` }
    const killed = (await run(again, { directory, scenario: place.name, life: 2, kill: at })) === "killed"
    const second = remainsOf(directory)
    const print = `2 ${printOf(second)}`
    known = seen.has(print) ? known + 1 : 0
    if (killed && known === 0 && !own.has(print)) await recover(again, directory, [cut, second], 3)
    own.add(print)
    if (values.keep !== true) rmSync(directory, { recursive: true })
    if (killed && (known < joined || values.all === true)) continue
    for (const one of own) seen.add(one)
    return killed ? at : at - 1
  }
}

/** A life that nobody kills: everything must come to its end. */
async function recover(
  place: Place,
  directory: string,
  cuts: readonly Remains[],
  life: number,
): Promise<void> {
  const report = await run(place, { directory, scenario: place.name, life })
  totals.checks++
  if (report === "killed") return complain(place, directory, ["the last life did not come to its end"])
  const { defects, missing_blobs } = report
  complain(place, directory, [
    ...defects.map((defect) => `a defect: ${defect}`),
    ...missing_blobs.map((digest) => `${digest} is missing`),
    ...violationsIn(place.scenario, cuts, remainsOf(directory)),
  ])
}

function complain({ where }: Place, directory: string, found: readonly string[]): void {
  if (found.length === 0) return
  const { facts, effects } = remainsOf(directory)
  const types = facts.map(({ type, payload }) => `${type}${payload.category ? `(${payload.category})` : ""}`)
  totals.found.push(
    `${where}: ${found.join("; ")}\n    ${types.join(" ")}\n    effects: ${effects.map(({ tool, attempt }) => `${tool} ${attempt}`).join(", ")}`,
  )
}

function run(place: Place, life: Life): Promise<LifeReport | "killed"> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, NODE_COMPILE_CACHE: join(root, "compiled") }
    const child = spawn(process.execPath, [childScript, JSON.stringify(life)], { env })
    let [output, errors] = ["", ""]
    child.stdout.on("data", (bytes: Buffer) => {
      output += bytes
    })
    child.stderr.on("data", (bytes: Buffer) => {
      errors += bytes
    })
    const limit = setTimeout(() => {
      complain(place, life.directory, [`life ${life.life} is stuck`])
      child.kill("SIGKILL")
    }, lifeLimitMs)
    child.on("error", reject)
    child.on("close", (code, signal) => {
      clearTimeout(limit)
      // 13: nothing is under way any more, and the life still waits for something.
      if (code === 13) complain(place, life.directory, [`life ${life.life} is stuck`])
      if (code === 13 && life.life === 1) reject(new Error(`${place.where}: stuck without a kill`))
      else if (signal === "SIGKILL" || code === 13) resolve("killed")
      else if (code === 0) resolve(JSON.parse(output) as LifeReport)
      else reject(new Error(`${place.where}: life ${life.life} ended with ${code}: ${errors}`))
    })
  })
}
