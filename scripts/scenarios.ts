import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { isDeepStrictEqual, parseArgs } from "node:util"
import { readScenario, scenarioNames } from "../packages/conformance/src/index.ts"
import { play } from "../packages/runtime/test/scenarios/play.ts"

// Plays the golden scenarios; `--update` rewrites what is kept of them. Names of scenarios choose some.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { update: { type: "boolean" } },
})
let different = 0
for (const name of positionals.length > 0 ? positionals : scenarioNames()) {
  const kept = readScenario(name)
  const { log, snapshot, defects } = await play(kept)
  if (defects.length > 0) throw defects[0]
  const same = isDeepStrictEqual(JSON.parse(JSON.stringify({ log, snapshot })), kept.golden)
  if (!same) different++
  console.log(
    `${name}: ${log.length} facts, ${same ? "as kept" : values.update === true ? "rewritten" : "DIFFERENT"}`,
  )
  if (same || values.update !== true) continue
  writeFileSync(join(kept.folder, "log.jsonl"), `${log.map((fact) => JSON.stringify(fact)).join("\n")}\n`)
  writeFileSync(join(kept.folder, "snapshot.json"), `${JSON.stringify(snapshot, undefined, 2)}\n`)
}
process.exitCode = different > 0 && values.update !== true ? 1 : 0
