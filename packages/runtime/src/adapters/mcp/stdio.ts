import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { setImmediate } from "node:timers/promises"
import { ReadBuffer, serializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js"
import { plainEnvironment } from "../../environment.ts"
import type { McpServer } from "./server.ts"

const mostComplaint = 8192
const mostMessage = 64 * 1024 * 1024
const patience = 1000

/**
 * The SDK's own transport hands on more of the environment and ends only the first process; servers that are started
 * by a launcher would live on.
 */
export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #server: Extract<McpServer, { transport: "stdio" }>
  readonly #buffer = new ReadBuffer({ maxBufferSize: mostMessage })
  #child: ChildProcessWithoutNullStreams | undefined
  #gone: Promise<void> = Promise.resolve()
  #complaint = ""
  #reading: Promise<void> | undefined

  constructor(server: Extract<McpServer, { transport: "stdio" }>) {
    this.#server = server
  }

  /** The last of what the server wrote to stderr. */
  get complaint(): string {
    return this.#complaint.trim()
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  start(): Promise<void> {
    const { command, args = [], env, cwd } = this.#server
    return new Promise((resolve, reject) => {
      const child = spawn(command, [...args], {
        env: { ...plainEnvironment(), ...env },
        stdio: ["pipe", "pipe", "pipe"],
        detached: process.platform !== "win32",
        windowsHide: true,
        ...(cwd === undefined ? {} : { cwd }),
      })
      this.#child = child
      this.#gone = new Promise((gone) => child.once("close", () => gone()))
      child.once("spawn", resolve)
      child.once("error", reject)
      child.on("error", (error) => this.onerror?.(error))
      child.stdin.on("error", (error) => this.onerror?.(error))
      child.stderr.on("data", (bytes: Buffer) => {
        this.#complaint = `${this.#complaint}${bytes}`.slice(-mostComplaint)
      })
      child.stdout.on("data", (bytes: Buffer) => this.#take(bytes))
      // What it started would hold its output open.
      child.once("exit", () => this.#signal("SIGKILL"))
      child.once("close", async () => {
        await this.#reading
        this.#child = undefined
        this.onclose?.()
      })
    })
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child
    if (child === undefined || !child.stdin.writable) throw new Error("Not connected")
    if (child.stdin.write(serializeMessage(message))) return
    await new Promise<void>((resolve) => {
      child.stdin.once("drain", resolve)
      child.once("close", () => resolve())
    })
  }

  /** Asks, then demands, then ends it: a server has time to put its things in order. */
  async close(): Promise<void> {
    this.#child?.stdin.end()
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (await this.#within(patience)) return
      this.#signal(signal)
    }
    await this.#within(patience)
  }

  async #within(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), ms)
    })
    const gone = await Promise.race([this.#gone.then(() => true), late])
    clearTimeout(timer)
    return gone
  }

  #signal(signal: NodeJS.Signals): void {
    const child = this.#child
    if (child?.pid === undefined) return
    try {
      process.kill(-child.pid, signal)
    } catch {
      // The whole group is gone already, or the system knows no groups.
      child.kill(signal)
    }
  }

  #take(bytes: Buffer): void {
    try {
      this.#buffer.append(bytes)
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)))
      this.#signal("SIGKILL")
      return
    }
    this.#reading ??= this.#deliver().finally(() => {
      this.#reading = undefined
    })
  }

  async #deliver(): Promise<void> {
    for (;;) {
      try {
        const message = this.#buffer.readMessage()
        if (message === null) return
        this.onmessage?.(message)
        // The client hears notifications a moment later, and would drop a progress whose answer follows at once.
        if (!("id" in message)) await setImmediate()
      } catch (error) {
        // A line that is no message, such as a log written to stdout, is passed over.
        this.onerror?.(error instanceof Error ? error : new Error(String(error)))
      }
    }
  }
}
