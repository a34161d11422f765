import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { agUi, aiSdk, factum } from "../packages/agent-ui/scripts/clients.ts"

/** In MB: what the client keeps after a collection, and the most that the process grew by. */
export type Weight = { kept: number; grown: number }

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")
const [name = "factum", thread = "0", count = "0"] = process.argv.slice(2)
const make = { factum, agUi, aiSdk }[name]
if (!make) throw new Error(`There is no client ${name}.`)

const happenings = Array.from({ length: Number(count) }, (_, at) => ({
  kind: "text" as const,
  text: `word${at % 10} `,
}))
// Code that is loaded and compiled is no state.
const first = await make(10)
first.prepare(happenings.slice(0, 200))
await first.feed(0, 200)
first.read()
await first.close()
collect()

const before = process.memoryUsage()
let most = 0
const client = await make(Number(thread))
client.prepare(happenings)
for (let at = 0; at < happenings.length; at += 1000) {
  await client.feed(at, Math.min(at + 1000, happenings.length))
  client.read()
  most = Math.max(most, process.memoryUsage().rss)
}
await client.close()
collect()
const kept = process.memoryUsage().heapUsed - before.heapUsed
// Read once more, so that nothing was collected before it was weighed.
if (client.read() === 0) throw new Error("The client showed nothing.")
console.log(JSON.stringify({ kept: kept / 1e6, grown: (most - before.rss) / 1e6 } satisfies Weight))
