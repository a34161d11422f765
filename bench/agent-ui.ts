import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { cases } from "./agent-ui-cases.ts"
import type { Rate, Weight } from "./agent-ui-child.ts"
import { type Figure, figure, median } from "./measure.ts"

const rounds = 3
const peers = { agUi: "@ag-ui/client", aiSdk: "@ai-sdk/react" } as const
/** What was asked on the thread of 5,000 messages; elsewhere, not to be slower. */
const goals = { agUi: 20, aiSdk: 5 } as const

/**
 * Each client gets the same happenings in its own words and is read after every burst, as a screen would; each in a
 * process of its own, since one that litters or deoptimizes would be paid for by the next.
 */
export async function agentUi(): Promise<Figure[]> {
  const figures: Figure[] = []
  const ours = new Map<string, number>()
  for (const [name, { thread }] of Object.entries(cases)) {
    const rates = { factum: [] as number[], agUi: [] as number[], aiSdk: [] as number[] }
    // By turns, so that a busy moment of the machine meets all.
    for (let round = 0; round < rounds; round++) {
      for (const [client, seen] of Object.entries(rates))
        seen.push((await child<Rate>(client, "rate", name)).rate)
    }
    const mine = median(rates.factum)
    ours.set(name, mine)
    for (const peer of ["agUi", "aiSdk"] as const) {
      const target = { at_least: thread === 5000 ? goals[peer] : 1 }
      figures.push(figure(`ui: ${name}`, "events/s", mine, peers[peer], median(rates[peer]), target))
    }
  }
  const full = ours.get("100k deltas after 5,000 messages") ?? Number.NaN
  figures.push(
    figure("ui: validated deltas, 5,000 messages", "events/s", full, "limit", 200_000, { at_least: 1 }),
  )
  return [...figures, await flatness(), ...(await memory())]
}

/** Empty and long threads by turns in one process: what the length alone costs. */
async function flatness(): Promise<Figure> {
  const { empty, full } = await child<{ empty: number; full: number }>("factum", "flat")
  return figure("ui: a delta after 5,000 messages", "µs", 1e6 / full, "after none", 1e6 / empty, {
    at_most: 1.2,
  })
}

const weighed = {
  "5,000 messages": [5000, 1000],
  "one message of 10k deltas": [0, 10_000],
} as const

/** What a client's state keeps, and how much its process grew at most. */
async function memory(): Promise<Figure[]> {
  const figures: Figure[] = []
  const target = { at_most: 1 / 3 }
  for (const [name, size] of Object.entries(weighed)) {
    const ours = await child<Weight>("factum", "weight", ...size.map(String))
    for (const peer of ["agUi", "aiSdk"] as const) {
      const theirs = await child<Weight>(peer, "weight", ...size.map(String))
      figures.push(
        figure(`ui: heap kept, ${name}`, "MB", ours.kept, peers[peer], theirs.kept, target),
        figure(`ui: growth of the process, ${name}`, "MB", ours.grown, peers[peer], theirs.grown, target),
      )
    }
  }
  return figures
}

async function child<T>(client: string, measure: string, ...args: readonly string[]): Promise<T> {
  const script = new URL("agent-ui-child.ts", import.meta.url).pathname
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--expose-gc",
    script,
    client,
    measure,
    ...args,
  ])
  return JSON.parse(stdout)
}
