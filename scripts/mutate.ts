import { spawn } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { areas, sample } from "./mutate-areas.ts"
import { generator } from "./random.ts"

// Changes the code in many small ways and looks whether a test notices, area by area.
// `npm run mutate -- facts policy` takes some areas; `--blocks 40` takes a random sample of 20-line blocks of each.
const root = join(import.meta.dirname, "..")
const enough = 80
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { blocks: { type: "string" }, seed: { type: "string" }, list: { type: "boolean" } },
})
const unknown = positionals.filter((name) => areas[name] === undefined)
if (unknown.length > 0) {
  console.error(`There is no area ${unknown.join(", ")}; the areas are ${Object.keys(areas).join(", ")}.`)
  process.exit(2)
}

type Score = { killed: number; survived: number; uncovered: number; broken: number; alive: string[] }
type Report = {
  files: Record<string, { mutants: { status: string; mutatorName: string; location: Location }[] }>
}
type Location = { start: { line: number; column: number } }

const chosen = Object.entries(areas).filter(
  ([name]) => positionals.length === 0 || positionals.includes(name),
)
const seed = Number(values.seed ?? 1)
mkdirSync(join(root, "reports"), { recursive: true })
const rows: [string, Score][] = []
for (const [name, area] of chosen) {
  const blocks = values.blocks === undefined ? undefined : Number(values.blocks)
  const mutate =
    blocks === undefined
      ? area.files.map((path) => (path.endsWith(".ts") ? path : `${path}/**/*.{ts,tsx}`))
      : sample(root, area, blocks, generator(seed))
  const report = join("reports", `mutation-${name}.json`)
  if (!(await stryker(name, mutate, report, blocks === undefined))) process.exitCode = 1
  else rows.push([name, scoreOf(JSON.parse(readFileSync(join(root, report), "utf8")))])
}

for (const [name, { killed, survived, uncovered, broken, alive }] of rows) {
  const judged = killed + survived + uncovered
  const score = judged === 0 ? 100 : (100 * killed) / judged
  if (score < enough) process.exitCode = 1
  if (values.list === true) for (const line of alive) console.log(line)
  console.log(
    `${name.padEnd(12)} ${score.toFixed(1).padStart(5)} % of ${judged} changes noticed ` +
      `(${survived} survived, ${uncovered} in code that no test reaches, ${broken} that do not run)` +
      (score < enough ? `, less than ${enough} %` : ""),
  )
}

function stryker(area: string, mutate: readonly string[], report: string, whole: boolean): Promise<boolean> {
  const usual = JSON.parse(readFileSync(join(root, "stryker.config.json"), "utf8"))
  const config = {
    ...usual,
    mutate,
    jsonReporter: { fileName: report },
    htmlReporter: { fileName: report.replace(/json$/, "html") },
    incremental: whole,
    incrementalFile: `reports/stryker-${area}.json`,
    tempDirName: `.stryker-tmp-${area}`,
  }
  const file = join("reports", `stryker-${area}.config.json`)
  writeFileSync(join(root, file), JSON.stringify(config, null, 1))
  const args = [join("node_modules", "@stryker-mutator", "core", "bin", "stryker.js"), "run", file]
  return new Promise((resolve) => {
    const env = { ...process.env, FACTUM_MUTATE: area }
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: "inherit" })
    child.on("exit", (code) => resolve(code === 0))
  })
}

function scoreOf({ files }: Report): Score {
  const score: Score = { killed: 0, survived: 0, uncovered: 0, broken: 0, alive: [] }
  for (const [file, { mutants }] of Object.entries(files)) {
    for (const { status, mutatorName, location } of mutants) {
      if (status === "Killed" || status === "Timeout") score.killed++
      else if (status === "Survived") score.survived++
      else if (status === "NoCoverage") score.uncovered++
      else if (status !== "Ignored") score.broken++
      if (status === "Survived" || status === "NoCoverage")
        score.alive.push(`${file}:${location.start.line}:${location.start.column} ${mutatorName} ${status}`)
    }
  }
  return score
}
