import { setTimeout as delay } from "node:timers/promises"
import type { Clock } from "../../ports/clock.ts"
import type { Boundary, Workspace } from "../../ports/tool.ts"
import { sandboxViolation } from "../../sandbox/sandbox.ts"
import { findViolations } from "../../sandbox/violations.ts"
import type { Channel, Child, Exit } from "./child.ts"
import { type Ending, endOf, type ProcessEnd } from "./ended.ts"
import { descendants, findOrphan, type OsIdentity, sent, signalGroup, startTime, sweep } from "./identity.ts"
import type { OutputRecorder, RecordFacts } from "./recorder.ts"

const errorsKept = 65_536
/** How long output may stay open after the process has gone. */
const drainMs = 5_000
const proofMs = 5_000

type Parts = {
  process_id: string
  record: RecordFacts
  clock: Clock
  grace_ms: number
  boundary: Boundary
  where: Workspace
  /** Whether a driver stands between the runtime and the command. */
  wrapped: boolean
  observe: ((channel: Channel, bytes: Uint8Array) => void) | undefined
}

/** One process from its spawn to its proven end. */
export class RunningProcess {
  readonly #parts: Parts
  readonly #started: number
  readonly #exited = Promise.withResolvers<Exit>()
  readonly #closed = Promise.withResolvers<void>()
  readonly #ended = Promise.withResolvers<ProcessEnd>()
  #child: Child | undefined
  #recorder: OutputRecorder | undefined
  #ending: Ending | undefined
  #terminating: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #errors = ""
  #stdin: "open" | "closed" = "closed"
  #isOver = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.#started = parts.clock.now()
  }

  get over(): boolean {
    return this.#isOver
  }
  get ended(): Promise<ProcessEnd> {
    return this.#ended.promise
  }
  get stdin(): "open" | "closed" {
    return this.#isOver ? "closed" : this.#stdin
  }

  readonly events = {
    output: (channel: Channel, bytes: Uint8Array) => {
      this.#recorder?.add(channel, bytes)
      this.#parts.observe?.(channel, bytes)
      if (channel === "stdout") return
      this.#errors = (this.#errors + Buffer.from(bytes).toString()).slice(-errorsKept)
    },
    exited: (exit: Exit) => {
      this.#isOver = true
      clearTimeout(this.#timer)
      // A background child would keep the pipes open for ever; it was not declared to outlive this one.
      if (this.#child !== undefined && !this.#parts.wrapped) sweep(this.#child.pid, this.#parts.process_id)
      this.#exited.resolve(exit)
    },
    closed: () => this.#closed.resolve(),
  }

  /** From here on output is recorded, and the end is waited for. */
  run(child: Child, recorder: OutputRecorder, stdin: "open" | "closed", timeLimitMs?: number): void {
    this.#child = child
    this.#recorder = recorder
    this.#stdin = stdin
    if (timeLimitMs !== undefined) {
      const ending: Ending = {
        reason: `Its time of ${timeLimitMs} ms was over.`,
        by: "runtime",
        time_limit: true,
      }
      this.#timer = setTimeout(() => void this.terminate(ending), timeLimitMs)
    }
    this.#finish(child, recorder).then(this.#ended.resolve, this.#ended.reject)
    // Whoever asks for the end hears of a defect; nobody need ask.
    this.#ended.promise.catch(() => {})
  }

  async write(bytes: Uint8Array, close: boolean): Promise<boolean> {
    if (this.#child === undefined || this.stdin === "closed") return false
    if (close) this.#stdin = "closed"
    const taken = bytes.byteLength === 0 || this.#child.write(bytes)
    // It ends behind what was written, however long that takes.
    if (close) this.#child.closeStdin()
    return taken
  }

  /** Asks the process to end, then makes it; the end is proven when `ended` resolves. */
  async terminate(ending: Ending): Promise<ProcessEnd> {
    if (!this.#isOver && this.#child !== undefined) {
      this.#ending ??= ending
      this.#terminating ??= this.#kill(this.#child.pid)
      await this.#terminating
    }
    return this.#ended.promise
  }

  async #kill(pid: number): Promise<void> {
    const family = [pid, ...descendants(pid)]
    // The driver would die of the first signal and take the command with it, without any grace.
    const inner = this.#parts.wrapped ? family.slice(2) : []
    const all = family.flatMap((member) => identityOf(member) ?? [])
    if (inner.length === 0) signalGroup(pid, "SIGTERM")
    else for (const member of inner) sent(member, "SIGTERM")
    const grace = new AbortController()
    const patience = delay(this.#parts.grace_ms, undefined, { signal: grace.signal }).catch(() => {})
    await Promise.race([this.#exited.promise, patience])
    grace.abort()
    signalGroup(pid, "SIGKILL")
    await gone([...all, ...descendants(pid).flatMap((member) => identityOf(member) ?? [])])
  }

  async #finish(child: Child, recorder: OutputRecorder): Promise<ProcessEnd> {
    const exit = await this.#exited.promise
    await this.#terminating
    const drained = await this.#drained(child, recorder)
    const accepted = await recorder.settle()
    const { process_id, boundary, where, wrapped, record, clock } = this.#parts
    const violations = wrapped ? findViolations(this.#errors, boundary, where) : []
    const { fact, end } = endOf({
      process_id,
      exit,
      ending: this.#ending,
      driver: wrapped && exit.code === 1 ? driverError(this.#errors) : undefined,
      duration_ms: Math.max(0, clock.now() - this.#started),
      output: recorder,
      drained: drained && accepted,
      violations,
    })
    await record([...violations.map((violation) => sandboxViolation(violation, process_id)), fact])
    return end
  }

  /** Whether the output came to its end; one that only goes on slowly is waited for. */
  async #drained(child: Child, recorder: OutputRecorder): Promise<boolean> {
    const closed = this.#closed.promise.then(() => true)
    for (;;) {
      const before = recorder.total
      const limit = new AbortController()
      const late = delay(drainMs, false, { signal: limit.signal }).catch(() => false)
      const drained = await Promise.race([closed, late])
      limit.abort()
      if (drained) return true
      if (recorder.total > before || recorder.busy) continue
      child.abandon()
      return false
    }
  }
}

const driverError = (errors: string): string | undefined =>
  /^bwrap: .+$/.exec(errors.trim()) === null ? undefined : errors.trim()

function identityOf(pid: number): OsIdentity | undefined {
  const started_at = startTime(pid)
  return started_at === undefined ? undefined : { pid, started_at }
}

async function gone(family: readonly OsIdentity[]): Promise<void> {
  for (let waited = 0; waited < proofMs; waited += 10) {
    if (family.every((member) => findOrphan(member) === undefined)) return
    await delay(10)
  }
}
