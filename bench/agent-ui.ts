import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { agUi, aiSdk, factum, type Happening, type Make } from "../packages/agent-ui/scripts/clients.ts"
import { type Figure, figure } from "./measure.ts"

/** Events between two publications, the same for all: at 60 a second, 60,000 events a second. */
const burst = 1000
/** A peer that needs longer is stopped: its rate so far is taken, which is better than its rate at the end would be. */
const mostSeconds = 20

const deltas = (count: number) =>
  Array.from({ length: count }, (_, at): Happening => ({ kind: "text", text: `word${at % 10} ` }))
const tools = (count: number) =>
  Array.from({ length: count }, (_, at): Happening[] => {
    const call = { kind: "tool", id: `t${at}` } as const
    return [
      { ...call, step: "start", text: "" },
      { ...call, step: "input", text: '{"text":"x"}' },
      { ...call, step: "ready", text: "x" },
      { ...call, step: "output", text: "done" },
    ]
  }).flat()
const longInput = (): Happening[] => {
  const call = { kind: "tool", id: "t0" } as const
  const pieces = Array.from(
    { length: 10_000 },
    (_, at): Happening => ({
      ...call,
      step: "input",
      text: at === 0 ? '{"text":"' : "twenty characters ok ",
    }),
  )
  return [{ ...call, step: "start", text: "" }, ...pieces]
}
const team = () =>
  Array.from(
    { length: 20_000 },
    (_, at): Happening => ({ kind: "agent", id: `a${at % 1000}`, status: at % 2 ? "running" : "waiting" }),
  )

const cases = {
  "one message of 100k deltas": { thread: 0, events: () => deltas(100_000) },
  "100k deltas after 1,000 messages": { thread: 1000, events: () => deltas(100_000) },
  "100k deltas after 5,000 messages": { thread: 5000, events: () => deltas(100_000) },
  "500 tools, then 10k deltas": { thread: 0, events: () => [...tools(500), ...deltas(10_000)] },
  "a tool input of 200 kB": { thread: 0, events: longInput },
  "20k updates of 1,000 teammates": { thread: 0, events: team },
}
type Rates = { factum: number; agUi: number; aiSdk: number }

/** Each client gets the same happenings in its own words, and is read after every burst, as a screen would. */
export async function agentUi(): Promise<Figure[]> {
  setFlagsFromString("--expose-gc")
  const collect: () => void = runInNewContext("gc")
  const figures: Figure[] = []
  const rates = new Map<string, Rates>()
  // Nobody pays for compiling its code in a measured run.
  for (const make of [factum, agUi, aiSdk]) await rate(make, 0, [...tools(20), ...deltas(3000)])
  for (const [name, { thread, events }] of Object.entries(cases)) {
    const happenings = events()
    const of = {
      factum: await rate(factum, thread, happenings),
      agUi: await rate(agUi, thread, happenings),
      aiSdk: await rate(aiSdk, thread, happenings),
    }
    rates.set(name, of)
    const isGoal = thread === 5000
    figures.push(
      figure(`ui: ${name}`, "events/s", of.factum, "@ag-ui/client", of.agUi, { at_least: isGoal ? 20 : 1 }),
      figure(`ui: ${name}`, "events/s", of.factum, "@ai-sdk/react", of.aiSdk, { at_least: isGoal ? 5 : 1 }),
    )
  }
  const [empty, , full] = [...rates.values()]
  if (empty && full) {
    figures.push(
      figure("ui: validated deltas, 5,000 messages", "events/s", full.factum, "limit", 200_000, {
        at_least: 1,
      }),
      figure("ui: a delta after 5,000 messages", "µs", 1e6 / full.factum, "after none", 1e6 / empty.factum, {
        at_most: 1.2,
      }),
    )
  }
  return [...figures, ...(await memory(collect))]
}

async function rate(make: Make, thread: number, happenings: readonly Happening[]): Promise<number> {
  const client = await make(thread)
  client.prepare(happenings)
  await client.feed(0, 0)
  const start = performance.now()
  let done = 0
  let seen = 0
  while (done < happenings.length && performance.now() - start < mostSeconds * 1000) {
    const to = Math.min(done + Math.min(burst, happenings.length), happenings.length)
    await client.feed(done, to)
    seen += client.read()
    done = to
  }
  const seconds = (performance.now() - start) / 1000
  await client.close()
  if (seen === 0) throw new Error("The client showed nothing: its figure would mean nothing.")
  return done / seconds
}

/** What stays, and the most that there was between publications, with 5,000 messages and 2,000 deltas. */
async function memory(collect: () => void): Promise<Figure[]> {
  const of = {
    factum: await kept(factum, collect),
    agUi: await kept(agUi, collect),
    aiSdk: await kept(aiSdk, collect),
  }
  const beside = (what: "stays" | "peak", name: string) => [
    figure(`ui: ${name}`, "MB", of.factum[what], "@ag-ui/client", of.agUi[what], { at_most: 1 / 3 }),
    figure(`ui: ${name}`, "MB", of.factum[what], "@ai-sdk/react", of.aiSdk[what], { at_most: 1 / 3 }),
  ]
  return [...beside("peak", "most memory while streaming"), ...beside("stays", "memory that stays")]
}

async function kept(make: Make, collect: () => void): Promise<{ stays: number; peak: number }> {
  const used = () => process.memoryUsage().heapUsed / 1e6
  collect()
  const before = used()
  const client = await make(5000)
  client.prepare(deltas(2000))
  let peak = 0
  for (let at = 0; at < 2000; at += 100) {
    await client.feed(at, at + 100)
    client.read()
    peak = Math.max(peak, used() - before)
  }
  await client.close()
  collect()
  const stays = used() - before
  // Read once more, so that nothing was collected before it was weighed.
  client.read()
  return { stays, peak }
}
