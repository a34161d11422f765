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
/** A longer word is not held back; the rest of a key of open end is dropped instead. What is known has its own end. */
const longestHeld = 512

type Part = { last: Delta; held: string; insideSecret: boolean }

/**
 * Streamed chunks on their way to the log. A part's first chunk is written at once, the next ones together.
 * The end of a part that may be the beginning of a secret waits until it is decided, and so does an
 * unfinished word: cut in two, a harmless one may look like a key.
 */
export class DeltaBuffer {
  readonly #write: (deltas: readonly Delta[]) => Promise<boolean>
  readonly #redactor: Redactor
  readonly #parts = new Map<string, Part>()
  #ready: Delta[] = []
  #writing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #accepted = true
  #defect: { error: unknown } | undefined

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
    const known = this.#parts.get(keyOf(chunk))
    const part = known ?? { last: chunk, held: "", insideSecret: false }
    this.#parts.set(keyOf(chunk), part)
    const decided = this.#decide(part, chunk.text, known === undefined)
    // A part takes its place in the order even while all of it waits.
    if (known === undefined || decided !== "") this.#append({ ...chunk, text: decided })
    if (known === undefined) this.#start()
    else this.#timer ??= setTimeout(() => this.#start(), gapMs)
  }

  /** Writes what is decided. What is held back of the part named is given up: something else stands for it. */
  async flush(replaced: Pick<Delta, "kind" | "part_id">): Promise<boolean> {
    this.#parts.delete(keyOf(replaced))
    return this.#written()
  }

  /** Writes what waits; true when everything that was added is in the log. */
  async settle(): Promise<boolean> {
    for (const { last, held } of this.#parts.values()) if (held !== "") this.#append({ ...last, text: held })
    this.#parts.clear()
    return this.#written()
  }

  async #written(): Promise<boolean> {
    do {
      this.#start()
      await this.#writing
    } while (this.#ready.length > 0 && this.#accepted)
    if (this.#defect !== undefined) throw this.#defect.error
    return this.#accepted
  }

  /** The text that may go out now; the rest stays with the part. */
  #decide(part: Part, chunk: string, isNew: boolean): string {
    const rest = part.insideSecret ? chunk.replace(/^[A-Za-z0-9_-]+/, "") : chunk
    if (part.insideSecret && rest === "") return ""
    part.insideSecret = false
    const text = part.held + rest
    const { known, form } = this.#redactor.undecided(text)
    if (form > longestHeld) part.insideSecret = this.#redactor.goesOn(text)
    const undecided = Math.max(known, form > longestHeld ? 0 : form)
    const waits = part.insideSecret ? 0 : Math.max(undecided, isNew ? 0 : unfinishedWord(text))
    const end = this.#redactor.cut(text, text.length - waits)
    part.held = text.slice(end)
    return text.slice(0, end)
  }

  #append(delta: Delta): void {
    const last = this.#ready.at(-1)
    if (last !== undefined && keyOf(last) === keyOf(delta)) last.text += delta.text
    else this.#ready.push({ ...delta })
  }

  #start(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#writing !== undefined) return
    const deltas = this.#ready
    if (deltas.length === 0 || !this.#accepted) return
    this.#ready = []
    this.#writing = this.#write(deltas).then(
      (accepted) => this.#done(accepted),
      (error: unknown) => {
        this.#defect = { error }
        this.#done(false)
      },
    )
  }

  #done(accepted: boolean): void {
    this.#writing = undefined
    this.#accepted = accepted
    if (this.#ready.length > 0) this.#timer ??= setTimeout(() => this.#start(), gapMs)
  }
}

const keyOf = ({ kind, part_id }: Pick<Delta, "kind" | "part_id">): string => `${kind} ${part_id}`

function unfinishedWord(text: string): number {
  const word = /[A-Za-z0-9_-]+$/.exec(text.slice(-longestWord))?.[0] ?? ""
  return word.length === longestWord ? 0 : word.length
}
