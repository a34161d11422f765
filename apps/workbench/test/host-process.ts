import { type ChildProcess, spawn } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { type Fact, factsOf, follow } from "@factum/client"

const root = fileURLToPath(new URL("../../..", import.meta.url))

/** Without a script, the built-in demo answers. */
type Args = { data: string; script?: string; main?: string }

/** What a start, or a talk, may take on a machine that is busy. */
const longest = 60_000

/** The real host as a child process, on a port that stays the same when it is started again. */
export class HostProcess {
  readonly #args: Args
  #child: ChildProcess | undefined
  port = 0
  token = ""

  constructor(args: Args) {
    this.#args = args
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get page(): string {
    return `${this.origin}/#token=${this.token}`
  }

  async start(): Promise<this> {
    const deadline = AbortSignal.timeout(longest)
    for (;;) {
      const said = await this.#begin(deadline)
      const found = /running at http:\/\/127\.0\.0\.1:(\d+)\/#token=(\S+)/.exec(said)
      if (found !== null) {
        this.port = Number(found[1])
        this.token = found[2] ?? ""
        return this
      }
      // Who was on the port may not have left it yet, or a connection got it that will leave it again.
      if (!said.includes("EADDRINUSE") || deadline.aborted) throw new Error(`The host did not start: ${said}`)
      await setTimeout(100)
    }
  }

  /** What it said until it ran, ended, or took too long. */
  #begin(deadline: AbortSignal): Promise<string> {
    const { data, script, main = join(root, "apps/host/src/main.ts") } = this.#args
    const args = ["--port", String(this.port), "--data", data, "--no-open"]
    if (script !== undefined) args.push("--script", script)
    const child = spawn(process.execPath, [main, ...args], {
      cwd: root,
      stdio: ["pipe", "pipe", "pipe", "ipc"],
    })
    this.#child = child
    return new Promise((resolve) => {
      let said = ""
      const end = (last = "") => {
        deadline.removeEventListener("abort", late)
        resolve(said + last)
      }
      const late = () => {
        child.kill("SIGKILL")
        end(`It took longer than ${longest} ms.`)
      }
      const hear = (chunk: Buffer) => {
        said += chunk
        if (/running at \S+#token=\S+/.test(said)) end()
      }
      child.stdout?.on("data", hear)
      child.stderr?.on("data", hear)
      child.on("error", (error) => end(String(error)))
      child.on("close", (code) => end(`It ended with ${code}.`))
      deadline.addEventListener("abort", late)
    })
  }

  /** Lets a model of lines go on that waits at this name. */
  release(name: string): void {
    this.#child?.send(name)
  }

  /** A session in which all of this has been said and answered, one after another. */
  async talk(messages: readonly string[]): Promise<string> {
    let session_id: string | undefined
    for (const text of messages) {
      const to = session_id === undefined ? { create: "session" } : { session_id }
      const answer = await this.#command("submit_turn", { ...to, input: [{ kind: "text", text }] })
      session_id = String(answer.session_id)
      const turn = answer.turn_id
      await this.#hears(
        session_id,
        (fact) => fact.turn_id === turn && /^turn\.(completed|failed)$/.test(fact.type),
      )
    }
    return session_id ?? ""
  }

  /** Until the log of the session has such a fact, and the thread is at rest after it. */
  async #hears(session_id: string, fits: (fact: Fact) => boolean): Promise<void> {
    const enough = new AbortController()
    const late = AbortSignal.timeout(longest)
    let isThere = false
    const onFacts = (facts: readonly Fact[]) => {
      for (const fact of facts) {
        isThere ||= fits(fact)
        const rests = fact.type === "thread.updated" && fact.payload.status === "idle"
        if (isThere && rests) enough.abort()
      }
    }
    const stream = factsOf({
      url: this.origin,
      session_id,
      token: this.token,
      after: 0,
      onFacts,
      onConnection: () => undefined,
    })
    await follow(stream, AbortSignal.any([enough.signal, late]))
    if (!enough.signal.aborted) throw new Error(`What was said in ${session_id} was not answered in time.`)
  }

  async #command(name: string, input: object): Promise<Record<string, unknown>> {
    const response = await fetch(`${this.origin}/v1/commands/${name}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${this.token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ input }),
    })
    const { result } = (await response.json()) as { result: Record<string, unknown> }
    return result
  }

  /** Without a chance to put anything in order. */
  kill(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
    const gone = new Promise<void>((resolve) => child.on("exit", () => resolve()))
    child.kill("SIGKILL")
    return gone
  }
}

export function findChromium(): string {
  const given = process.env.FACTUM_CHROMIUM
  if (given) return given
  const folders = (process.env.PATH ?? "").split(delimiter)
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    for (const folder of folders) if (isExecutable(join(folder, name))) return join(folder, name)
  }
  throw new Error("No Chromium was found: install it, or name it in FACTUM_CHROMIUM.")
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
