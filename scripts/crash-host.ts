import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import type { Envelope } from "@factum/facts"

const main = join(import.meta.dirname, "..", "apps", "host", "src", "main.ts")

export type Reply<R> = { ok: true; result: R } | { ok: false; refusal: { code: string; message: string } }

/** One life of the host, from its start to its end. */
export class Host {
  readonly #child: ChildProcess
  readonly #exited: Promise<unknown>
  #url = ""
  #token = ""
  #output = ""

  constructor(data: string, script: string) {
    const args = [main, "--no-open", "--port", "0", "--data", data, "--script", script]
    this.#child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] })
    this.#exited = new Promise((resolve) => this.#child.on("exit", resolve).on("error", resolve))
  }

  /** Resolves with false when the host ended before it was ready, or did not get ready at all. */
  async ready(): Promise<boolean> {
    const line = new Promise<boolean>((resolve) => {
      const read = (bytes: Buffer) => {
        this.#output += bytes
        const found = /(http:\/\/127\.0\.0\.1:\d+)\/#token=(\S+)/.exec(this.#output)
        if (found === null) return
        this.#url = found[1] ?? ""
        this.#token = found[2] ?? ""
        resolve(true)
      }
      this.#child.stdout?.on("data", read)
      this.#child.stderr?.on("data", read)
    })
    const deadline = new AbortController()
    const late = setTimeout(60_000, false, { signal: deadline.signal }).catch(() => false)
    const ready = await Promise.race([line, late, this.#exited.then(() => false)])
    deadline.abort()
    return ready
  }

  get output(): string {
    return this.#output
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL")
    await this.#exited
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill()
  }

  /** Throws when the host is gone before it answered. */
  async command<R>(name: string, input: unknown, command_id?: string): Promise<Reply<R>> {
    const response = await fetch(`${this.#url}/v1/commands/${name}`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.#token}`, "content-type": "application/json" },
      body: JSON.stringify({ input, ...(command_id === undefined ? {} : { command_id }) }),
    })
    return (await response.json()) as Reply<R>
  }

  /** Facts after a sequence as they come; ends with the host. */
  async *facts(
    session_id: string,
    after: number,
    signal: AbortSignal,
  ): AsyncIterable<{ text: string; fact: Envelope }> {
    const response = await fetch(`${this.#url}/v1/sessions/${session_id}/facts?after=${after}`, {
      headers: { authorization: `Bearer ${this.#token}` },
      signal,
    })
    const decoder = new TextDecoder()
    let rest = ""
    for await (const bytes of response.body ?? []) {
      rest += decoder.decode(bytes, { stream: true })
      const events = rest.split("\n\n")
      rest = events.pop() ?? ""
      for (const event of events) {
        const text = /^data: (.*)$/m.exec(event)?.[1]
        if (text !== undefined) yield { text, fact: JSON.parse(text) as Envelope }
      }
    }
  }
}
