import { parseArgs } from "node:util"
import fc from "fast-check"
import { setup } from "../test/parse/given.ts"
import { anyOutput } from "../test/parse/outputs.ts"
import { keepsPromises } from "../test/parse/promises.ts"
import { runsAsDeclared } from "../test/run/executed.ts"

const { values } = parseArgs({
  options: { runs: { type: "string", default: "200000" }, seed: { type: "string", default: "1" } },
})
const runs = whole("runs", values.runs)
const seed = whole("seed", values.seed)
const batch = 10_000
const counts: Record<string, number> = {}
let slowest = 0

console.log(`${runs} generated and changed outputs of models, seed ${seed}.`)
const start = performance.now()
for (let done = 0; done < runs; done += batch) {
  const numRuns = Math.min(batch, runs - done)
  const result = fc.check(fc.property(anyOutput, tried), { seed: seed + done, numRuns })
  if (result.failed) {
    console.error(`\nA promise was broken after ${done + result.numRuns} outputs:`)
    console.error(result.errorInstance)
    console.error(`\nThe smallest output that breaks it:\n${JSON.stringify(result.counterexample, null, 2)}`)
    console.error(`\nSee it again: npm run fuzz -- --seed ${result.seed} --runs ${result.numRuns}`)
    process.exit(1)
  }
  console.log(`${String(done + numRuns).padStart(8)} outputs, ${seconds()} s`)
}
/** Running costs more than reading, so a share of the outputs is run. */
const share = Math.ceil(runs / 40)
let ran = 0
const result = await fc.check(
  fc.asyncProperty(anyOutput, async (message) => {
    ran += await runsAsDeclared(message, setup)
  }),
  { seed: seed + runs, numRuns: share },
)
if (result.failed) {
  console.error(`\nSomething ran that was not declared (seed ${result.seed}):`)
  console.error(result.errorInstance)
  console.error(JSON.stringify(result.counterexample, null, 2))
  process.exit(1)
}
console.log(
  `${String(share).padStart(8)} more were run in the harness: ${ran} actions, all of them declared.`,
)
console.log(`\nEvery promise was kept by ${runs} outputs in ${seconds()} s (seed ${seed}):`)
for (const [kind, count] of Object.entries(counts).sort(([, a], [, b]) => b - a))
  console.log(`${kind.padEnd(12)} ${String(count).padStart(8)}  ${((100 * count) / runs).toFixed(1)} %`)
console.log(`The slowest took ${slowest.toFixed(1)} ms.`)

function tried(message: Parameters<typeof keepsPromises>[0]): void {
  const began = performance.now()
  const kind = keepsPromises(message, setup)
  slowest = Math.max(slowest, performance.now() - began)
  counts[kind] = (counts[kind] ?? 0) + 1
}

function seconds(): string {
  return ((performance.now() - start) / 1000).toFixed(1)
}

function whole(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  console.error(`--${name} takes a whole number.`)
  process.exit(2)
}
