import { Worker } from "node:worker_threads"
import type { Append, Appended, NotAppended } from "../../ports/log.ts"
import type { Flight, Landing, WriterReady, WriterSetup } from "./flight.ts"

export type Pruned = { pruned: number; next?: number }
type Waiting =
  | { kind: "append"; batch: Append; at: number; done: (outcome: Appended | NotAppended) => void }
  | { kind: "state"; state: Flight["states"][number]; done: () => void }
  | { kind: "prune"; before: number; after: number; done: (part: Pruned) => void }
  | { kind: "pages"; pages: number; done: () => void }
  | { kind: "drain"; done: () => void }
  | { kind: "close"; done: () => void }

const FACTS_A_FLIGHT = 1024
const CHARACTERS_A_FLIGHT = 4 * 1024 * 1024
const PRUNED_A_FLIGHT = 2000

/** The main thread's hold on the writer: one flight is out at a time, and what comes meanwhile shares the next. */
export class WriterThread {
  readonly #worker: Worker
  readonly #published: (batch: Append, outcome: Appended) => void
  #waiting: Waiting[] = []
  #out: Waiting[] = []
  #departing = false
  #dead: string | undefined
  /** Settled when the thread has ended, for whatever reason. */
  readonly #ended: Promise<void>

  constructor(worker: Worker, published: (batch: Append, outcome: Appended) => void) {
    this.#worker = worker
    this.#published = published
    worker.on("message", (landing: Landing) => this.#land(landing))
    worker.on("error", (error: unknown) => this.#die(error instanceof Error ? error.message : String(error)))
    this.#ended = new Promise((resolve) => {
      worker.on("exit", () => {
        this.#die("the writer has ended")
        resolve()
      })
    })
    worker.unref()
  }

  add(item: Waiting) {
    this.#waiting.push(item)
    if (this.#out.length > 0 || this.#departing) return
    this.#departing = true
    // One turn of the microtask queue lets callers that were woken together travel together.
    queueMicrotask(() => this.#depart())
  }

  async close() {
    await new Promise<void>((done) => this.add({ kind: "close", done }))
    this.#worker.ref()
    await this.#ended
  }

  #depart() {
    this.#departing = false
    if (this.#dead !== undefined) return this.#fail(this.#waiting.splice(0), this.#dead)
    const count = boarding(this.#waiting)
    if (count === 0) return
    this.#out = count === this.#waiting.length ? this.#waiting : this.#waiting.slice(0, count)
    this.#waiting = count === this.#waiting.length ? [] : this.#waiting.slice(count)
    // Only work under way may keep the process alive.
    this.#worker.ref()
    this.#worker.postMessage(load(this.#out))
  }

  #land(landing: Landing) {
    const landed = this.#out
    this.#out = []
    this.#worker.unref()
    const refusals = new Map(landing.refusals.map(({ index, refusal }) => [index, refusal]))
    let index = 0
    for (const item of landed) {
      if (item.kind === "append") {
        const [sequence, position] = [landing.sequences[index] ?? -1, landing.positions[index] ?? -1]
        const outcome = refusals.get(index) ?? { ok: true, sequence, position }
        if (outcome.ok) this.#published(item.batch, outcome)
        item.done(outcome)
        index++
      } else if (item.kind === "prune") item.done(landing)
      else item.done()
    }
    if (this.#waiting.length === 0 || this.#departing) return
    this.#departing = true
    queueMicrotask(() => this.#depart())
  }

  #die(reason: string) {
    this.#dead ??= reason
    // A commit may have been made whose answer never came.
    this.#fail(this.#out.splice(0), `${reason}; whether this was written is not known`)
    this.#fail(this.#waiting.splice(0), reason)
  }

  #fail(items: Waiting[], reason: string) {
    for (const item of items) {
      if (item.kind === "append") item.done({ ok: false, code: "write_failed", reason })
      else if (item.kind === "prune") item.done({ pruned: 0 })
      else item.done()
    }
  }
}

/** How many of the waiting fit in one flight; pruning and closing each take one of their own. */
function boarding(waiting: readonly Waiting[]): number {
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

function load(items: readonly Waiting[]): Flight {
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

export function startWriter(setup: WriterSetup): Promise<{ worker: Worker; ready: WriterReady }> {
  const worker = new Worker(new URL("./writer.ts", import.meta.url), { workerData: setup })
  return new Promise((resolve) => {
    const failed = (error: unknown) => settle({ ready: false, code: "not_writable", reason: String(error) })
    const ended = () => failed("the writer ended at once")
    // One by one: `removeAllListeners` would also take away those with which Node itself serves the worker.
    function settle(ready: WriterReady) {
      worker.off("message", settle).off("error", failed).off("exit", ended)
      resolve({ worker, ready })
    }
    worker.on("message", settle).on("error", failed).on("exit", ended)
  })
}
