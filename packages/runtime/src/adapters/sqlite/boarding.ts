import type { Append, Appended, NotAppended } from "../../ports/log.ts"
import type { Flight, Pruned } from "./flight.ts"

export type Waiting =
  | { kind: "append"; batch: Append; at: number; done: (outcome: Appended | NotAppended) => void }
  | { kind: "state"; state: Flight["states"][number]; done: (kept: boolean) => void }
  | { kind: "prune"; before: number; after: number; done: (part: Pruned) => void }
  | { kind: "pages"; pages: number; done: () => void }
  | { kind: "drain"; done: () => void }
  | { kind: "close"; done: () => void }

const FACTS_A_FLIGHT = 1024
const CHARACTERS_A_FLIGHT = 4 * 1024 * 1024
const PRUNED_A_FLIGHT = 2000

/** How many of the waiting fit in one flight; pruning and closing each take one of their own. */
export function boarding(waiting: readonly Waiting[]): number {
  let [count, facts, characters] = [0, 0, 0]
  for (const item of waiting) {
    if (item.kind === "prune" || item.kind === "close" || item.kind === "pages")
      return count === 0 ? 1 : count
    if (item.kind === "append") {
      facts += item.batch.facts.length
      for (const fact of item.batch.facts) characters += fact.text.length
    }
    if (count > 0 && (facts > FACTS_A_FLIGHT || characters > CHARACTERS_A_FLIGHT)) return count
    count++
  }
  return count
}

export function load(items: readonly Waiting[]): Flight {
  const flight: Flight = {
    streams: [],
    expected: [],
    at: [],
    counts: [],
    eventIds: [],
    texts: [],
    prunable: [],
    owing: [],
    extras: [],
    states: [],
  }
  for (const item of items) {
    if (item.kind === "append") loadAppend(flight, item.batch, item.at)
    else if (item.kind === "state") flight.states.push(item.state)
    else if (item.kind === "prune") flight.prune = pruning(item)
    else if (item.kind === "pages") flight.pages = item.pages
    else if (item.kind === "close") flight.close = true
  }
  return flight
}

const pruning = ({ before, after }: { before: number; after: number }) => ({
  before,
  after,
  limit: PRUNED_A_FLIGHT,
})

function loadAppend(
  flight: Flight,
  { stream, expected, facts, claims, supersedes, owing }: Append,
  at: number,
) {
  if (claims || supersedes) {
    flight.extras.push({ index: flight.streams.length, claims: claims ?? [], supersedes: supersedes ?? [] })
  }
  flight.streams.push(stream)
  flight.expected.push(expected)
  flight.at.push(at)
  flight.owing.push(owing === undefined ? -1 : Number(owing))
  flight.counts.push(facts.length)
  for (const fact of facts) {
    flight.eventIds.push(fact.event_id)
    flight.texts.push(fact.text)
    flight.prunable.push(fact.prunable === true)
  }
}
