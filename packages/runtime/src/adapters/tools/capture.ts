import { textOf, unfinished } from "../../outputs/text.ts"

/** The first and the last bytes of an output of any length, and how many were left out between them. */
export class Capture {
  readonly #most: number
  #first: Buffer[] = []
  #firstSize = 0
  #last: Buffer[] = []
  #lastSize = 0
  #left = 0

  constructor(mostBytes: number) {
    this.#most = Math.floor(mostBytes / 2)
  }

  add(bytes: Uint8Array): void {
    const room = this.#most - this.#firstSize
    const first = Buffer.from(bytes.subarray(0, room))
    const rest = Buffer.from(bytes.subarray(first.byteLength))
    if (first.byteLength > 0) this.#first.push(first)
    this.#firstSize += first.byteLength
    if (rest.byteLength === 0) return
    this.#last.push(rest)
    this.#lastSize += rest.byteLength
    while (this.#lastSize - (this.#last[0]?.byteLength ?? 0) >= this.#most) {
      const dropped = this.#last.shift()?.byteLength ?? 0
      this.#lastSize -= dropped
      this.#left += dropped
    }
  }

  /** What came since the last time. */
  take(): string | Uint8Array {
    const all = this.#content()
    this.#first = []
    this.#last = []
    this.#firstSize = this.#lastSize = this.#left = 0
    return all
  }

  #content(): string | Uint8Array {
    const first = Buffer.concat(this.#first)
    const last = Buffer.concat(this.#last)
    if (this.#left === 0) {
      const all = Buffer.concat([first, last])
      return textOf(all) ?? all
    }
    const start = textOf(first.subarray(0, first.byteLength - unfinished(first)))
    const end = textOf(fromCharacter(last))
    if (start === undefined || end === undefined) return Buffer.concat([first, last])
    return `${start}\n… (${this.#left} bytes left out here; all of them are with the process) …\n${end}`
  }
}

function fromCharacter(bytes: Buffer): Buffer {
  const at = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80)
  return bytes.subarray(Math.max(0, at))
}
