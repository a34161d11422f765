import { type ChildProcess, spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Readable } from "node:stream"
import { text as readAll } from "node:stream/consumers"
import { spawn as spawnPty } from "@lydell/node-pty"
import { vi } from "vitest"
import { temporaryDirectory } from "../hosting.ts"

// Every step is a process of its own, on a machine that may be busy.
vi.setConfig({ testTimeout: 180_000 })

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

  const running = new Set<ChildProcess>()

  /** The command over pipes, in this folder or another one. */
  function spawned(args: readonly string[], { cwd = path, more = {} }: Beginning = {}) {
    const child = spawn(process.execPath, [main, ...args], { cwd, env: { ...env, ...more } })
    running.add(child)
    const exited = new Promise<number>((resolve) => child.on("close", (code) => resolve(code ?? -1)))
    void exited.then(() => running.delete(child))
    return { child, exited }
  }

  /** A host that goes on, and what it takes to end it. */
  async function start(cwd = path) {
    const { child, exited } = spawned(["start", "--no-open", "--port", "0", "--script", script], { cwd })
    await said(child.stdout, "Factum is running")
    const end = () => {
      child.kill("SIGTERM")
      return exited
    }
    return { child, exited, end }
  }

  /** With an open file in the place of a pipe for what it writes. */
  async function factumInto(file: number, args: readonly string[]): Promise<{ code: number; err: string }> {
    const child = spawn(process.execPath, [main, ...args], {
      cwd: path,
      env,
      stdio: ["ignore", file, "pipe"],
    })
    const exited = new Promise<number>((resolve) => child.on("close", (code) => resolve(code ?? -1)))
    return { err: child.stderr === null ? "" : await readAll(child.stderr), code: await exited }
  }

  function factum(
    args: readonly string[],
    input = "",
    more: Record<string, string> = {},
    cwd = path,
  ): Promise<Ended> {
    const { child } = spawned(args, { cwd, more })
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
  function terminal(args: readonly string[], more: Record<string, string> = { NO_COLOR: "1" }) {
    const pty = spawnPty(process.execPath, [main, ...args], {
      cwd: path,
      env: { ...env, ...more },
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

  /** Whoever still runs is ended before the folder goes. */
  async function leave() {
    const gone = [...running].map((child) => new Promise((resolve) => child.once("close", resolve)))
    for (const child of running) child.kill("SIGKILL")
    await Promise.all(gone)
    remove()
  }

  const own = ["--script", script]
  return { path, script, env, factum, factumInto, spawned, start, terminal, remove: leave, own }
}

type Beginning = { cwd?: string; more?: Record<string, string> }

/** Resolves once a stream has said this. */
export function said(stream: Readable, words: string): Promise<string> {
  let text = ""
  return new Promise((resolve, reject) => {
    stream.setEncoding("utf8").on("data", (piece: string) => {
      text += piece
      if (text.includes(words)) resolve(text)
    })
    stream.once("end", () => reject(new Error(`It ended without ${words}: ${text}`)))
  })
}
