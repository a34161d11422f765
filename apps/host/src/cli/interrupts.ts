type Steps = { first: () => void; second: () => void }

/** Ctrl-C: the first one asks the turn to stop, the second one leaves it. */
export class Interrupts {
  readonly #steps: Steps
  readonly #listen = () => this.take()
  count = 0

  constructor(steps: Steps) {
    this.#steps = steps
    process.on("SIGINT", this.#listen)
  }

  /** Also called for a Ctrl-C that a line being typed took for itself. */
  take(): void {
    this.count += 1
    if (this.count === 1) this.#steps.first()
    if (this.count === 2) this.#steps.second()
  }

  close(): void {
    process.off("SIGINT", this.#listen)
  }
}
