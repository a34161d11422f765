import type { Happening } from "../packages/agent-ui/scripts/clients.ts"

export type Case = { thread: number; events: () => Happening[] }

export const deltas = (count: number) =>
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

export const cases: Readonly<Record<string, Case>> = {
  "one message of 100k deltas": { thread: 0, events: () => deltas(100_000) },
  "100k deltas after 1,000 messages": { thread: 1000, events: () => deltas(100_000) },
  "100k deltas after 5,000 messages": { thread: 5000, events: () => deltas(100_000) },
  "500 tools, then 10k deltas": { thread: 0, events: () => [...tools(500), ...deltas(10_000)] },
  "a tool input of 200 kB": { thread: 0, events: longInput },
  "20k updates of 1,000 teammates": { thread: 0, events: team },
}
