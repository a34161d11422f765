import type { Ref } from "@factum/facts"
import { blobRef, masked } from "../../outputs/spill.ts"
import { mediaTypeOf, textOf, unfinished } from "../../outputs/text.ts"
import type { BlobStore } from "../../ports/log.ts"
import type { ToolFact } from "../../ports/tool.ts"
import type { Redactor } from "../../redact.ts"
import type { Channel } from "./child.ts"

export type RecordFacts = (facts: readonly ToolFact[]) => Promise<boolean>

export type OutputLimits = {
  /** How long bytes wait for more after the first ones. */
  gap_ms: number
  /** So many are written without waiting. */
  chunk_bytes: number
  /** What a process may put into facts; the rest goes to the blob store. */
  inline_bytes: number
  /** What is kept of a process at all. */
  total_bytes: number
}
export const outputLimits: OutputLimits = {
  gap_ms: 40,
  chunk_bytes: 16_384,
  inline_bytes: 262_144,
  total_bytes: 67_108_864,
}

const largestInline = 65_536
const pauseAt = 1_048_576
/** Of a word that begins like a key. */
const longestHeld = 4_096

type Parts = {
  process_id: string
  record: RecordFacts
  blobs: BlobStore
  limits: OutputLimits
  redactor: Redactor | undefined
  /** Asks the process to wait while its output is written. */
  pause(): void
  resume(): void
}
type Piece = { channel: Channel; bytes: Buffer[]; size: number }

/** Bytes of a process on their way to the log, in the order of their arrival. */
export class OutputRecorder {
  readonly #parts: Parts
  readonly #held = new Map<Channel, Buffer>()
  readonly #offsets = { stdout: 0, stderr: 0, pty: 0 }
  readonly #seen = { stdout: 0, stderr: 0, pty: 0 }
  readonly refs: Ref[] = []
  #queue: Piece[] = []
  #queued = 0
  #kept = 0
  #dropped = 0
  #inline = 0
  #lost = false
  #paused = false
  #begun = false
  #accepted = true
  #defect: { error: unknown } | undefined
  #writing: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Bytes that the process wrote, kept or not. */
  get bytes(): Readonly<Record<Channel, number>> {
    return this.#seen
  }
  get total(): number {
    return this.#kept + this.#dropped
  }
  /** Whether something is being written. */
  get busy(): boolean {
    return this.#writing !== undefined
  }
  get complete(): boolean {
    return this.#dropped === 0 && !this.#lost && this.#accepted
  }

  add(channel: Channel, bytes: Uint8Array): void {
    this.#seen[channel] += bytes.byteLength
    const room = Math.max(0, this.#parts.limits.total_bytes - this.#kept)
    const kept = Buffer.from(bytes.subarray(0, room))
    this.#kept += kept.byteLength
    this.#dropped += bytes.byteLength - kept.byteLength
    if (kept.byteLength === 0) return
    this.#enqueue(channel, kept)
    if (this.#queued >= pauseAt && !this.#paused) {
      this.#paused = true
      this.#parts.pause()
    }
    if (!this.#begun || this.#queued >= this.#parts.limits.chunk_bytes) this.#start()
    else this.#timer ??= setTimeout(() => this.#start(), this.#parts.limits.gap_ms)
    this.#begun = true
  }

  /** Writes all that waits; false when the log no longer takes it. */
  async settle(): Promise<boolean> {
    while (this.#writing !== undefined || this.#queue.length > 0) {
      this.#start()
      await this.#writing
    }
    if (this.#defect !== undefined) throw this.#defect.error
    if (!this.#accepted) return false
    clearTimeout(this.#timer)
    const last: ToolFact[] = []
    for (const channel of [...this.#held.keys()]) {
      last.push(...(await this.#facts(channel, Buffer.alloc(0), true)))
    }
    if (this.#dropped > 0) last.push(this.#truncated())
    if (last.length > 0) this.#accepted = await this.#parts.record(last)
    return this.#accepted
  }

  #enqueue(channel: Channel, bytes: Buffer): void {
    const last = this.#queue.at(-1)
    if (last?.channel === channel) {
      last.bytes.push(bytes)
      last.size += bytes.byteLength
    } else this.#queue.push({ channel, bytes: [bytes], size: bytes.byteLength })
    this.#queued += bytes.byteLength
  }

  #start(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#writing !== undefined || this.#queue.length === 0) return
    const broken = (error: unknown) => {
      this.#defect = { error }
      this.#accepted = false
    }
    this.#writing = this.#write()
      .catch(broken)
      .then(() => {
        this.#writing = undefined
        if (this.#queue.length > 0) this.#timer ??= setTimeout(() => this.#start(), this.#parts.limits.gap_ms)
      })
  }

  async #write(): Promise<void> {
    const pieces = this.#queue
    this.#queue = []
    this.#queued = 0
    if (!this.#accepted) return
    const facts: ToolFact[] = []
    for (const { channel, bytes } of pieces) facts.push(...(await this.#facts(channel, Buffer.concat(bytes))))
    if (facts.length > 0) this.#accepted = await this.#parts.record(facts)
    if (!this.#paused) return
    this.#paused = false
    this.#parts.resume()
  }

  async #facts(channel: Channel, bytes: Buffer, last = false): Promise<readonly ToolFact[]> {
    const all = Buffer.concat([this.#held.get(channel) ?? Buffer.alloc(0), bytes])
    const end = last ? all.byteLength : this.#decided(all)
    if (end === all.byteLength) this.#held.delete(channel)
    else this.#held.set(channel, all.subarray(end))
    return end === 0 ? [] : this.#fact(channel, all.subarray(0, end))
  }

  /** How many bytes may go out: neither a character nor what may become a secret is cut in two. */
  #decided(bytes: Buffer): number {
    const end = bytes.byteLength - unfinished(bytes)
    const text = textOf(bytes.subarray(0, end))
    const { redactor } = this.#parts
    if (redactor === undefined || text === undefined) return end
    const { known, form } = redactor.undecided(text)
    const undecided = Math.max(known, form > longestHeld ? 0 : form)
    return Buffer.byteLength(text.slice(0, redactor.cut(text, text.length - undecided)))
  }

  async #fact(channel: Channel, raw: Buffer): Promise<readonly ToolFact[]> {
    const { process_id, blobs, limits } = this.#parts
    const { bytes, facts } = masked(raw, this.#parts)
    const offset = this.#offsets[channel]
    this.#offsets[channel] += raw.byteLength
    const payload = { process_id, channel, offset, bytes: raw.byteLength }
    const text = textOf(bytes)
    const fits = bytes.byteLength <= largestInline && this.#inline + bytes.byteLength <= limits.inline_bytes
    if (text !== undefined && fits) {
      this.#inline += bytes.byteLength
      return [...facts, { type: "process.output", payload: { ...payload, text } }]
    }
    const stored = await blobs.put(bytes)
    if ("ok" in stored) {
      this.#lost = true
      const cause = `the output store refused it: ${stored.reason}`
      const gap = { kept_bytes: 0, dropped_bytes: raw.byteLength, cause }
      return [...facts, { type: "process.output", payload }, { type: "output.truncated", payload: gap }]
    }
    const ref = blobRef(stored, text === undefined ? mediaTypeOf(bytes) : "text/plain")
    this.refs.push(ref)
    return [...facts, { type: "process.output", payload: { ...payload, ref } }]
  }

  #truncated(): ToolFact {
    const cause = `a process may keep ${this.#parts.limits.total_bytes} bytes of output`
    return {
      type: "output.truncated",
      payload: { kept_bytes: this.#kept, dropped_bytes: this.#dropped, cause },
    }
  }
}
