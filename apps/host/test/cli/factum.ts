import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { spawn as spawnPty } from "@lydell/node-pty"
import { temporaryDirectory } from "../hosting.ts"

const main = new URL("../../src/main.ts", import.meta.url).pathname

const lines = [
  { on: "^write" },
  { text: "I write it." },
  { tool_call: { tool: "write_file", arguments: { path: "note.txt", content: "Hello" } } },
  { finish: "tool_calls" },
  { text: "It is written." },
  { on: "^slow" },
  { text: "One two three four five six seven eight nine ten.", chunk: 1, every_ms: 200 },
  { on: "^fail" },
  { error: "The model is out.", category: "provider_error", retryable: false },
  { on: "^long" },
  { text: "Half of" },
  { finish: "length" },
  { on: "^withheld" },
  { finish: "content_filter" },
  { on: "" },
  { text: "Yes." },
]

export type Ended = { code: number; out: string; err: string }

/** A folder of its own with a project, facts and a script, and the real command in it. */
export function place() {
  const { path, remove } = temporaryDirectory()
  const script = join(path, "script.jsonl")
  writeFileSync(script, lines.map((line) => JSON.stringify(line)).join("\n"))
  const env = {
    PATH: process.env.PATH ?? "",
    FACTUM_DATA: join(path, "data"),
    XDG_CONFIG_HOME: join(path, "config"),
    CI: "1",
  }

  function factum(args: readonly string[], input = "", more: Record<string, string> = {}): Promise<Ended> {
    const child = spawn(process.execPath, [main, ...args], { cwd: path, env: { ...env, ...more } })
    let [out, err] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      err += text
    })
    child.stdin.end(input)
    return new Promise((resolve) => child.on("close", (code) => resolve({ code: code ?? -1, out, err })))
  }

  /** The same at a terminal. */
  function terminal(args: readonly string[]) {
    const pty = spawnPty(process.execPath, [main, ...args], {
      cwd: path,
      env: { ...env, NO_COLOR: "1" },
      cols: 120,
    })
    let seen = ""
    const checks = new Set<() => void>()
    pty.onData((text) => {
      seen += text
      for (const check of checks) check()
    })
    const ended = new Promise<number>((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)))
    const until = (text: string) =>
      new Promise<void>((resolve, reject) => {
        const check = () => {
          if (!seen.includes(text)) return
          checks.delete(check)
          resolve()
        }
        checks.add(check)
        void ended.then(() => reject(new Error(`It ended without ${text}: ${seen}`)))
        check()
      })
    return { type: (text: string) => pty.write(text), until, ended, seen: () => seen }
  }

  return { path, script, env, factum, terminal, remove, own: ["--script", script] }
}
