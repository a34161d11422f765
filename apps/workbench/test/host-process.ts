import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("../../..", import.meta.url))

type Args = { data: string; script: string; main?: string }

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
    const { data, script, main = join(root, "apps/host/src/main.ts") } = this.#args
    const args = ["--port", String(this.port), "--data", data, "--script", script, "--no-open"]
    const child = spawn(process.execPath, [main, ...args], { cwd: root })
    this.#child = child
    let said = ""
    const address = await new Promise<RegExpExecArray>((resolve, reject) => {
      const hear = (chunk: Buffer) => {
        said += chunk
        const found = /running at http:\/\/127\.0\.0\.1:(\d+)\/#token=(\S+)/.exec(said)
        if (found) resolve(found)
      }
      child.stdout.on("data", hear)
      child.stderr.on("data", hear)
      child.on("exit", (code) => reject(new Error(`The host ended with ${code}: ${said}`)))
    })
    this.port = Number(address[1])
    this.token = address[2] ?? ""
    return this
  }

  /** A session in which all of this has been said and answered, one after another. */
  async talk(messages: readonly string[]): Promise<string> {
    let to: Record<string, unknown> = { create: "session" }
    for (const text of messages) {
      const { session_id } = await this.#command("submit_turn", { ...to, input: [{ kind: "text", text }] })
      to = { session_id }
      while (!(await this.#isIdle(to))) await new Promise(setImmediate)
    }
    return String(to.session_id)
  }

  async #isIdle(session: object): Promise<boolean> {
    const { history } = await this.#command("get_session", { ...session, limit: 1 })
    const [last] = history as { type: string; payload: { status?: string } }[]
    return last?.type === "thread.updated" && last.payload.status === "idle"
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

/** Builds the page as the product does, unless it is fresh. */
export function buildPage(): void {
  const script = pathToFileURL(join(root, "scripts/workbench.mjs")).href
  const build = `const { buildWorkbench } = await import(${JSON.stringify(script)})
process.exit(buildWorkbench(process.execPath) ? 0 : 1)`
  const done = spawnSync(process.execPath, ["--input-type=module", "-e", build], { encoding: "utf8" })
  if (done.status !== 0) throw new Error(`The workbench was not built: ${done.stdout}${done.stderr}`)
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
