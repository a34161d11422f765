import { agUi, aiSdk, factum, type Happening } from "../packages/agent-ui/scripts/clients.ts"
import { cases, deltas } from "./agent-ui-cases.ts"
import { median } from "./measure.ts"

/** Events a second. */
export type Rate = { rate: number }
/** In MB: what the client keeps after a collection, and the most that the process grew by. */
export type Weight = { kept: number; grown: number }

/** Events between two publications, the same for all: at 60 a second, 60,000 events a second. */
const burst = 1000
/** A client that needs longer is stopped: its rate so far is better than its rate at the end would be. */
const mostSeconds = 6

const [name = "", measure = "", ...args] = process.argv.slice(2)
const found = { factum, agUi, aiSdk }[name]
if (!found) throw new Error(`There is no client ${name}.`)
const make = found
const collect = () => globalThis.gc?.()

// Nobody pays for loading and compiling its code.
await rate(0, deltas(3000))
if (measure === "rate") {
  const { thread, events } = cases[args[0] ?? ""] ?? { thread: 0, events: () => [] }
  console.log(JSON.stringify({ rate: await rate(thread, events()) } satisfies Rate))
} else if (measure === "flat") {
  const [empty, full]: [number[], number[]] = [[], []]
  for (let round = 0; round < 7; round++) {
    empty.push(await rate(0, deltas(100_000)))
    full.push(await rate(5000, deltas(100_000)))
  }
  console.log(JSON.stringify({ empty: median(empty), full: median(full) }))
} else console.log(JSON.stringify((await weigh(Number(args[0]), deltas(Number(args[1])))) satisfies Weight))

async function rate(thread: number, happenings: readonly Happening[]): Promise<number> {
  const client = await make(thread)
  client.prepare(happenings)
  await client.feed(0, 0)
  collect()
  const start = performance.now()
  let done = 0
  let seen = 0
  while (done < happenings.length && performance.now() - start < mostSeconds * 1000) {
    const to = Math.min(done + burst, happenings.length)
    await client.feed(done, to)
    seen += client.read()
    done = to
  }
  const seconds = (performance.now() - start) / 1000
  await client.close()
  if (seen === 0) throw new Error("The client showed nothing: its figure would mean nothing.")
  return done / seconds
}

async function weigh(thread: number, happenings: readonly Happening[]): Promise<Weight> {
  collect()
  const before = process.memoryUsage()
  let most = 0
  const client = await make(thread)
  client.prepare(happenings)
  for (let at = 0; at < happenings.length; at += burst) {
    await client.feed(at, Math.min(at + burst, happenings.length))
    client.read()
    most = Math.max(most, process.memoryUsage().rss)
  }
  await client.close()
  collect()
  const kept = process.memoryUsage().heapUsed - before.heapUsed
  // Read once more, so that nothing was collected before it was weighed.
  if (client.read() === 0) throw new Error("The client showed nothing.")
  return { kept: kept / 1e6, grown: (most - before.rss) / 1e6 }
}
