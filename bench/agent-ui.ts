import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { agUi, aiSdk, factum, type Happening, type Make } from "../packages/agent-ui/scripts/clients.ts"
import type { Weight } from "./agent-ui-child.ts"
import { type Figure, figure, median } from "./measure.ts"

/** Events between two publications, the same for all: at 60 a second, 60,000 events a second. */
const burst = 1000
/** 200,000 events a second in 60 publications. */
const fullBurst = Math.ceil(200_000 / 60)
/** A peer that needs longer is stopped: its rate so far is taken, which is better than its rate at the end would be. */
const mostSeconds = 6
const rounds = 3
const clients = { factum, agUi, aiSdk }

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
  "a message with 500 tool parts": { thread: 0, events: () => tools(500) },
  "500 tools, then 10k deltas": {
    thread: 0,
    events: () => [...tools(500), ...deltas(10_000)],
  },
  "a tool input of 200 kB": { thread: 0, events: longInput },
  "20k updates of 1,000 teammates": { thread: 0, events: team },
}
type Rates = Record<keyof typeof clients, number>

/** Each client gets the same happenings in its own words, and is read after every burst, as a screen would. */
export async function agentUi(): Promise<Figure[]> {
  setFlagsFromString("--expose-gc")
  const collect: () => void = runInNewContext("gc")
  const figures: Figure[] = []
  const rates: Rates[] = []
  // Nobody pays for compiling its code in a measured run.
  for (const make of Object.values(clients)) await rate(make, 0, [...tools(20), ...deltas(3000)], collect)
  for (const [name, { thread, events }] of Object.entries(cases)) {
    const of = await byTurns(thread, events(), collect)
    rates.push(of)
    const isGoal = thread === 5000
    figures.push(
      figure(`ui: ${name}`, "events/s", of.factum, "@ag-ui/client", of.agUi, { at_least: isGoal ? 20 : 1 }),
      figure(`ui: ${name}`, "events/s", of.factum, "@ai-sdk/react", of.aiSdk, { at_least: isGoal ? 5 : 1 }),
    )
  }
  const [empty, , full] = rates
  if (empty && full) {
    const [one, other] = [1e6 / full.factum, 1e6 / empty.factum]
    const name = `ui: validated deltas, ${fullBurst} a publication, 5,000 messages`
    const seen: number[] = []
    for (let round = 0; round < rounds; round++)
      seen.push(await rate(factum, 5000, deltas(100_000), collect, fullBurst))
    figures.push(
      figure(name, "events/s", median(seen), "limit", 200_000, { at_least: 1 }),
      figure("ui: a delta after 5,000 messages", "µs", one, "after none", other, { at_most: 1.2 }),
    )
  }
  return [...figures, ...(await memory())]
}

/** By turns, so that a busy moment of the machine meets all; the medians. */
async function byTurns(
  thread: number,
  happenings: readonly Happening[],
  collect: () => void,
): Promise<Rates> {
  const seen: Rates[] = []
  for (let round = 0; round < rounds; round++) {
    seen.push({
      factum: await rate(factum, thread, happenings, collect),
      agUi: await rate(agUi, thread, happenings, collect),
      aiSdk: await rate(aiSdk, thread, happenings, collect),
    })
  }
  const middle = (name: keyof Rates) => median(seen.map((one) => one[name]))
  return { factum: middle("factum"), agUi: middle("agUi"), aiSdk: middle("aiSdk") }
}

async function rate(
  make: Make,
  thread: number,
  happenings: readonly Happening[],
  collect: () => void,
  each = burst,
): Promise<number> {
  const client = await make(thread)
  client.prepare(happenings)
  await client.feed(0, 0)
  // One client's litter is not the next one's cost.
  collect()
  const start = performance.now()
  let done = 0
  let seen = 0
  while (done < happenings.length && performance.now() - start < mostSeconds * 1000) {
    const to = Math.min(done + each, happenings.length)
    await client.feed(done, to)
    seen += client.read()
    done = to
  }
  const seconds = (performance.now() - start) / 1000
  await client.close()
  if (seen === 0) throw new Error("The client showed nothing: its figure would mean nothing.")
  return done / seconds
}

const weighed = {
  "5,000 messages": [5000, 1000],
  "one message of 10k deltas": [0, 10_000],
} as const

/** Each client alone in a process: what its state keeps, and how much the process grew at most. */
async function memory(): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [name, [thread, count]] of Object.entries(weighed)) {
    const ours = await weigh("factum", thread, count)
    for (const [peer, client] of [
      ["@ag-ui/client", "agUi"],
      ["@ai-sdk/react", "aiSdk"],
    ] as const) {
      const theirs = await weigh(client, thread, count)
      const third = { at_most: 1 / 3 }
      figures.push(
        figure(`ui: heap kept, ${name}`, "MB", ours.kept, peer, theirs.kept, third),
        figure(`ui: growth of the process, ${name}`, "MB", ours.grown, peer, theirs.grown, third),
      )
    }
  }
  return figures
}

async function weigh(client: keyof typeof clients, thread: number, count: number): Promise<Weight> {
  const script = new URL("agent-ui-child.ts", import.meta.url).pathname
  const { stdout } = await promisify(execFile)(process.execPath, [
    script,
    client,
    String(thread),
    String(count),
  ])
  return JSON.parse(stdout)
}
