import type { Redactor } from "../redact.ts"

export type Delta = {
  kind: "text" | "structured" | "reasoning" | "tool_call"
  part_id: string
  text: string
  tool?: string
  call_id?: string
}

/** How long chunks of a part wait for each other after the first one. */
const gapMs = 40
const longestWord = 65

/**
 * Streamed chunks on their way to the log. A part's first chunk is written at once, the next ones together.
 * The end of a part that may be the beginning of a secret waits until it is decided, and so does an
 * unfinished word: cut in two, a harmless one may look like a key.
 */
export class DeltaBuffer {
  readonly #write: (deltas: readonly Delta[]) => Promise<boolean>
  readonly #redactor: Redactor
  readonly #held = new Map<string, Delta>()
  #ready: Delta[] = []
  #writing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #accepted = true

  /** `write` answers false when the stream may not go on. */
  constructor(write: (deltas: readonly Delta[]) => Promise<boolean>, redactor: Redactor) {
    this.#write = write
    this.#redactor = redactor
  }

  /** False once a write was refused: what comes now goes nowhere. */
  get open(): boolean {
    return this.#accepted
  }

  add(chunk: Delta): void {
    const isNew = !this.#held.has(chunk.part_id)
    const text = (this.#held.get(chunk.part_id)?.text ?? "") + chunk.text
    const kept = Math.max(this.#redactor.undecided(text), isNew ? 0 : unfinishedWord(text))
    this.#held.set(chunk.part_id, { ...chunk, text: text.slice(text.length - kept) })
    // A part takes its place in the order even while all of it waits.
    if (isNew || kept < text.length) this.#append({ ...chunk, text: text.slice(0, text.length - kept) })
    if (isNew) this.#start()
    else this.#timer ??= setTimeout(() => this.#start(), gapMs)
  }

  /** Writes what waits; true when everything that was added is in the log. */
  async settle(): Promise<boolean> {
    for (const delta of this.#held.values()) if (delta.text !== "") this.#append(delta)
    this.#held.clear()
    do {
      this.#start()
      await this.#writing
    } while (this.#ready.length > 0 && this.#accepted)
    return this.#accepted
  }

  #append(delta: Delta): void {
    const last = this.#ready.at(-1)
    if (last?.part_id === delta.part_id) last.text += delta.text
    else this.#ready.push({ ...delta })
  }

  #start(): void {
    if (this.#writing !== undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    const deltas = this.#ready
    if (deltas.length === 0 || !this.#accepted) return
    this.#ready = []
    this.#writing = this.#write(deltas).then(
      (accepted) => this.#done(accepted),
      () => this.#done(false),
    )
  }

  #done(accepted: boolean): void {
    this.#writing = undefined
    this.#accepted = accepted
    if (this.#ready.length > 0) this.#timer ??= setTimeout(() => this.#start(), gapMs)
  }
}

function unfinishedWord(text: string): number {
  const word = /[A-Za-z0-9_-]+$/.exec(text.slice(-longestWord))?.[0] ?? ""
  return word.length === longestWord ? 0 : word.length
}
