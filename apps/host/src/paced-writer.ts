import type { ServerResponse } from "node:http"

export type Pace = {
  /** The shortest time between two writes to one subscriber. */
  gapMs: number
  heartbeatMs: number
  /** How much may wait for a reader before the log is read no further. */
  waitingBytes: number
}

export const usualPace: Pace = { gapMs: 20, heartbeatMs: 15_000, waitingBytes: 1024 * 1024 }

/** What comes after a quiet time goes out at once; what follows shortly after shares one write. */
export class PacedWriter {
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

  get isFull(): boolean {
    return this.#characters + this.#outgoing.writableLength > this.#pace.waitingBytes
  }

  add(text: string) {
    this.#waiting.push(text)
    this.#characters += text.length
  }

  send() {
    if (this.#timer) return
    const wait = this.#lastWrite + this.#pace.gapMs - performance.now()
    if (wait <= 0) this.#write()
    else this.#timer = setTimeout(() => this.#write(), wait)
  }

  /** Resolves when the reader has taken what waits, or has left. */
  async drained() {
    this.#write()
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

  end() {
    this.#write()
    this.#outgoing.end()
  }

  stop() {
    clearInterval(this.#heartbeat)
    clearTimeout(this.#timer)
  }

  #write() {
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
    if (isQuiet && this.#outgoing.writableLength === 0) this.#outgoing.write(": still here\n\n")
  }
}
