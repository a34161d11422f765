import type { ServerResponse } from "node:http"
import type { FactLog, StoredFact } from "@factum/runtime"

export type Pace = {
  /** The shortest time between two writes to one subscriber. */
  gapMs: number
  heartbeatMs: number
  /** How much may wait in a socket before reading on stops. */
  waitingBytes: number
}

export const usualPace: Pace = { gapMs: 20, heartbeatMs: 15_000, waitingBytes: 1024 * 1024 }

/** Streams the facts of a session after a cursor until the reader leaves or the host closes. */
export async function follow(
  log: FactLog,
  session: string,
  after: number,
  outgoing: ServerResponse,
  closing: AbortSignal,
  pace: Pace,
): Promise<void> {
  const leaving = new AbortController()
  const leave = () => leaving.abort()
  outgoing.on("close", leave)
  // A reader that is gone is no error of the host.
  outgoing.on("error", leave)
  closing.addEventListener("abort", leave)
  if (closing.aborted) leave()
  const socket = new PacedWriter(outgoing, pace, leaving.signal)
  outgoing.flushHeaders()
  try {
    for await (const facts of log.tail(session, after, leaving.signal)) {
      for (const fact of facts) {
        socket.write(frame(fact))
        if (socket.full) await socket.drained()
      }
      if (leaving.signal.aborted) break
    }
  } catch (error) {
    // The reader sees a cut stream and resumes; an end would look like nothing more to come.
    outgoing.destroy(error instanceof Error ? error : undefined)
    console.error(error)
  } finally {
    closing.removeEventListener("abort", leave)
    socket.close()
  }
}

/** JSON text has no line breaks outside its escapes, so one data line holds a fact. */
function frame({ sequence, text }: StoredFact): string {
  return `id: ${sequence}\ndata: ${text}\n\n`
}

/** What comes after a quiet time goes out at once; what follows shortly after shares one write. */
class PacedWriter {
  readonly #outgoing: ServerResponse
  readonly #pace: Pace
  readonly #left: AbortSignal
  readonly #heartbeat: NodeJS.Timeout
  #waiting: string[] = []
  #characters = 0
  #timer: NodeJS.Timeout | undefined
  #lastWrite = Number.NEGATIVE_INFINITY

  constructor(outgoing: ServerResponse, pace: Pace, left: AbortSignal) {
    this.#outgoing = outgoing
    this.#pace = pace
    this.#left = left
    this.#heartbeat = setInterval(() => this.#beat(), pace.heartbeatMs)
  }

  get full(): boolean {
    return this.#characters + this.#outgoing.writableLength > this.#pace.waitingBytes
  }

  write(text: string) {
    this.#waiting.push(text)
    this.#characters += text.length
    if (this.#timer) return
    const wait = this.#lastWrite + this.#pace.gapMs - performance.now()
    // A page of facts comes in one go, so the end of the present task is soon enough to share a write.
    this.#timer = setTimeout(() => this.#flush(), Math.max(0, wait))
  }

  async drained() {
    this.#flush()
    if (this.#left.aborted || this.#outgoing.writableLength <= this.#pace.waitingBytes) return
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#outgoing.off("drain", done)
        this.#left.removeEventListener("abort", done)
        resolve()
      }
      this.#outgoing.on("drain", done)
      this.#left.addEventListener("abort", done)
    })
  }

  close() {
    clearInterval(this.#heartbeat)
    this.#flush()
    this.#outgoing.end()
  }

  #flush() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#waiting.length === 0) return
    const text = this.#waiting.join("")
    this.#waiting = []
    this.#characters = 0
    this.#lastWrite = performance.now()
    if (!this.#outgoing.destroyed) this.#outgoing.write(text)
  }

  #beat() {
    const isQuiet = performance.now() - this.#lastWrite >= this.#pace.heartbeatMs
    if (isQuiet && this.#outgoing.writableLength === 0) this.#outgoing.write(": ping\n\n")
  }
}
