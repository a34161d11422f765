import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { createHarness, manualClock, type RunStore, type StoredRun } from "../../src/harness/index.ts"
import { act, execute, graphOf } from "./build.ts"

/** A process that runs a durable graph and hangs in its second action, or goes on where another one was killed. */
const [folder = "", mode = "", kind = ""] = process.argv.slice(2)
const log = `${folder}/runs.jsonl`

const store: RunStore = {
  create: async (run) => appendFileSync(log, `${JSON.stringify(run)}\n`),
  append: async (_, events) => appendFileSync(log, `${JSON.stringify(events)}\n`),
  load: async () => {
    if (!existsSync(log)) return []
    const [first = "", ...rest] = readFileSync(log, "utf8").trim().split("\n")
    const run: StoredRun = JSON.parse(first)
    return [{ ...run, events: [...run.events, ...rest.flatMap((line) => JSON.parse(line))] }]
  },
}

const harness = createHarness({
  clock: manualClock(),
  store,
  executors: {
    work: ({ action }) => {
      appendFileSync(`${folder}/calls`, `${action.id}\n`)
      if (action.id !== "b" || mode === "resume") return `${action.id} done`
      process.stdout.write("in flight\n")
      // Keeps the process alive until it is killed.
      setInterval(() => {}, 1000)
      return new Promise(() => {})
    },
  },
})

const effects = { side_effects: ["write"], idempotent: kind === "idempotent", persist: true } as const
const actions = [
  act("a", effects),
  act("b", { ...effects, depends_on: ["a"] }),
  act("c", { ...effects, depends_on: ["b"] }),
]
if (mode === "resume") {
  await harness.resume()
  process.stdout.write(JSON.stringify(harness.record("run_1")?.state))
} else {
  await harness.run(execute(graphOf(actions, { persist: true, mode: "durable" })))
}
