import { Worker } from "node:worker_threads"
import type { Append, Appended } from "../../ports/log.ts"
import { boarding, load, type Waiting } from "./boarding.ts"
import type { Landing, WriterReady, WriterSetup } from "./flight.ts"

const ACKS_A_TURN = 32
const QUICK_MS = 5

/** The main thread's hold on the writer: one flight is out at a time, and what comes meanwhile shares the next. */
export class WriterThread {
  readonly #worker: Worker
  readonly #bell: Int32Array
  readonly #published: (batch: Append, outcome: Appended) => void
  /** Told when the thread ends without having been asked to. */
  readonly #died: (reason: string) => void
  #waiting: Waiting[] = []
  #out: Waiting[] = []
  #departing = false
  #departed = 0
  /** Commits are quick, so that it pays to write while callers are still being told of the last one. */
  #quick = true
  #acks: (() => void)[] = []
  #telling = false
  #dead: string | undefined
  #closing = false
  /** Settled when the thread has ended, for whatever reason. */
  readonly #ended: Promise<void>

  constructor(
    { worker, bell }: Writer,
    published: (batch: Append, outcome: Appended) => void,
    died: (reason: string) => void,
  ) {
    this.#died = died
    this.#worker = worker
    this.#bell = bell
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
    this.#prepare()
  }

  async close() {
    this.#closing = true
    await new Promise<void>((done) => this.add({ kind: "close", done }))
    this.#worker.ref()
    await this.#ended
  }

  /** One turn of the microtask queue lets callers that were woken together travel together. */
  #prepare() {
    if (this.#waiting.length === 0 || this.#departing || this.#out.length > 0) return
    // Who waits for a slow disk should not leave before those who are about to be told of the last commit.
    if (this.#acks.length > 0 && !this.#quick) return
    this.#departing = true
    queueMicrotask(() => this.#depart())
  }

  #depart() {
    this.#departing = false
    if (this.#dead !== undefined) return this.#fail(this.#waiting.splice(0), this.#dead)
    const count = boarding(this.#waiting)
    if (count === 0) return
    this.#out = count === this.#waiting.length ? this.#waiting : this.#waiting.slice(0, count)
    this.#waiting = count === this.#waiting.length ? [] : this.#waiting.slice(count)
    this.#departed = performance.now()
    // Only work under way may keep the process alive.
    this.#worker.ref()
    this.#worker.postMessage(load(this.#out))
    Atomics.add(this.#bell, 0, 1)
    Atomics.notify(this.#bell, 0)
  }

  #land(landing: Landing) {
    const landed = this.#out
    this.#out = []
    this.#quick = performance.now() - this.#departed < QUICK_MS
    this.#worker.unref()
    const refusals = new Map(landing.refusals?.map(({ index, refusal }) => [index, refusal]))
    let index = 0
    for (const item of landed) {
      if (item.kind === "append") {
        const [sequence, position] = [landing.sequences[index] ?? -1, landing.positions[index] ?? -1]
        const outcome = refusals.get(index++) ?? { ok: true, sequence, position }
        this.#acks.push(() => {
          if (outcome.ok) this.#published(item.batch, outcome)
          item.done(outcome)
        })
      } else if (item.kind === "prune") this.#acks.push(() => item.done(landing.pruned ?? { pruned: 0 }))
      else if (item.kind === "state") this.#acks.push(() => item.done(landing.unsaved !== true))
      else this.#acks.push(item.done)
    }
    if (!this.#telling) this.#tell()
  }

  /** In the order of the log, a few in one turn: what callers do when they are told must not block the loop. */
  #tell() {
    for (const ack of this.#acks.splice(0, ACKS_A_TURN)) ack()
    this.#telling = this.#acks.length > 0
    if (this.#telling) setImmediate(() => this.#tell())
    this.#prepare()
  }

  #die(reason: string) {
    const isFirst = this.#dead === undefined
    this.#dead ??= reason
    // A commit may have been made whose answer never came.
    this.#fail(this.#out.splice(0), reason, "unknown")
    this.#fail(this.#waiting.splice(0), reason)
    if (isFirst && !this.#closing) this.#died(reason)
  }

  #fail(items: Waiting[], reason: string, code: "write_failed" | "unknown" = "write_failed") {
    for (const item of items) {
      if (item.kind === "append") item.done({ ok: false, code, reason })
      else if (item.kind === "prune") item.done({ pruned: 0 })
      else if (item.kind === "state") item.done(false)
      else item.done()
    }
  }
}

export type Writer = { worker: Worker; bell: Int32Array }

export function startWriter(
  file: Omit<WriterSetup, "bell">,
): Promise<{ writer: Writer; ready: WriterReady }> {
  const setup: WriterSetup = { ...file, bell: new Int32Array(new SharedArrayBuffer(4)) }
  const worker = new Worker(new URL("./writer.ts", import.meta.url), { workerData: setup })
  return new Promise((resolve) => {
    const failed = (error: unknown) => settle({ ready: false, code: "not_writable", reason: String(error) })
    const ended = () => failed("the writer ended at once")
    // One by one: `removeAllListeners` would also take away those with which Node itself serves the worker.
    function settle(ready: WriterReady) {
      worker.off("message", settle).off("error", failed).off("exit", ended)
      resolve({ writer: { worker, bell: setup.bell }, ready })
    }
    worker.on("message", settle).on("error", failed).on("exit", ended)
  })
}
