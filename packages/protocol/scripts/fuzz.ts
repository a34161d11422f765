import { parseArgs } from "node:util"
import fc from "fast-check"
import { setup } from "../test/parse/given.ts"
import { anyOutput } from "../test/parse/outputs.ts"
import { keepsPromises } from "../test/parse/promises.ts"

const { values } = parseArgs({
  options: { runs: { type: "string", default: "200000" }, seed: { type: "string", default: "1" } },
})
const runs = Number(values.runs)
const seed = Number(values.seed)
const batch = 10_000
const counts: Record<string, number> = {}

const start = performance.now()
for (let done = 0; done < runs; done += batch) {
  const numRuns = Math.min(batch, runs - done)
  const property = fc.property(anyOutput, (message) => {
    const kind = keepsPromises(message, setup)
    counts[kind] = (counts[kind] ?? 0) + 1
  })
  fc.assert(property, { seed: seed + done, numRuns })
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`${done + numRuns} outputs in ${seconds} s: ${JSON.stringify(counts)}`)
}
console.log(`${runs} outputs, seed ${seed}: every promise was kept.`)
