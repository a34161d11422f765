import type { AssistantMessage } from "./message.ts"

type Chunk = string | Uint8Array

/** Gathers a streamed message. Nothing of it is read before `end`, so that how it was cut up cannot matter. */
export class MessageCollector {
  readonly #text = new Gathered()
  readonly #calls = new Map<string, { name: string; arguments: Gathered }>()
  #complete = false

  addText(chunk: Chunk): void {
    this.#text.add(chunk)
  }

  addCall(id: string, name: string, chunk: Chunk = ""): void {
    const call = this.#calls.get(id) ?? { name, arguments: new Gathered() }
    call.arguments.add(chunk)
    this.#calls.set(id, call)
  }

  /** Only when the provider ended the message by itself; never after an abort or at a token limit. */
  end(): void {
    this.#text.end()
    for (const call of this.#calls.values()) call.arguments.end()
    this.#complete = true
  }

  message(): AssistantMessage {
    const calls = [...this.#calls].map(([id, call]) => ({
      id,
      name: call.name,
      arguments: call.arguments.all(),
    }))
    return { text: this.#text.all(), calls, complete: this.#complete }
  }
}

class Gathered {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  #text = ""

  /** Bytes may be cut inside a character; the decoder keeps the first part until the rest has come. */
  add(chunk: Chunk): void {
    this.#text += typeof chunk === "string" ? chunk : this.#decoder.decode(chunk, { stream: true })
  }

  /** Half a character at the end becomes a mark that something is missing. */
  end(): void {
    this.#text += this.#decoder.decode()
  }

  all(): string {
    return this.#text
  }
}
