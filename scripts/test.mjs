import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { runBounded } from "./bounded.mjs"
import { prepare, root, Unprepared } from "./prepare.mjs"
import { systemPrograms } from "./system.mjs"
import { buildWorkbench } from "./workbench.mjs"

/** A step that takes longer hangs: it is ended and counts as failed. */
const LONGEST_MS = 45 * 60_000
const titles = join(root, "reports", "titles.json")
const failures = []
let passed = 0
let failed = 0

try {
  const node = prepare({ dev: true })
  process.env.FACTUM_CHROMIUM = systemPrograms()
  await testAll(node)
} catch (error) {
  failed += 1
  failures.push("preparation")
  console.error(error instanceof Unprepared ? error.message : error)
}
if (failures.length > 0) console.log(`\nFailed: ${failures.join(", ")}`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0

async function testAll(node) {
  mkdirSync(join(root, "reports"), { recursive: true })
  await step("check", () => run(node, ["scripts/check.ts"]))
  await step("workbench", () => buildWorkbench(node, { force: true }))
  await step("tests", () => vitest(node))
  if (existsSync(join(root, "scripts", "crash.ts"))) {
    await step("crash", () => run(node, ["scripts/crash.ts"]))
  }
  // Some scenarios, killed once at every fourth point; `npm run crash:matrix` runs them all, at each point.
  const some = ["allowed", "pipeline allowed", "delegation allowed", "protocol decision"]
  await step("crash matrix", () => run(node, ["scripts/crash-matrix.ts", "--once", "--every", "4", ...some]))
  await step("storm", () => run(node, ["scripts/storm.ts"]))
  await step("rules", () => run(node, ["packages/conformance/src/report.ts", "--check"]))
}

/** A step answers with true or false, or with counts of its own. */
async function step(name, perform) {
  console.log(`\n== ${name}`)
  const started = Date.now()
  const result = await Promise.resolve().then(perform).catch(crashed)
  const counts = typeof result === "object" ? result : { passed: result ? 1 : 0, failed: result ? 0 : 1 }
  passed += counts.passed
  failed += counts.failed
  if (counts.failed > 0) failures.push(name)
  console.log(
    `== ${name}: ${counts.failed > 0 ? "FAILED" : "ok"} in ${((Date.now() - started) / 1000).toFixed(1)} s`,
  )
}

function crashed(error) {
  console.error(error)
  return false
}

async function vitest(node) {
  // What an earlier run wrote must never be counted for this one.
  rmSync(titles, { force: true })
  const ok = await run(node, ["node_modules/vitest/vitest.mjs", "run"], { FACTUM_FULL: "1" })
  if (!existsSync(titles)) return { passed: 0, failed: 1 }
  const { totals } = JSON.parse(readFileSync(titles, "utf8"))
  return { passed: totals.passed, failed: ok ? totals.failed : Math.max(totals.failed, 1) }
}

function run(node, args, env = {}) {
  return runBounded(node, args, { limitMs: LONGEST_MS, cwd: root, env: { ...process.env, ...env } })
}
