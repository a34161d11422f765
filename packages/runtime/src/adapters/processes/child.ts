import { spawn } from "node:child_process"
import { accessSync, constants as modes, statSync } from "node:fs"
import { constants } from "node:os"
import { delimiter, join, resolve } from "node:path"
import type { Writable } from "node:stream"
import type { IPty } from "@lydell/node-pty"

export type Channel = "stdout" | "stderr" | "pty"
export type Exit = { code: number | "unknown"; signal?: string }

/** A running child, with pipes or a terminal. */
export type Child = {
  pid: number
  write(bytes: Uint8Array): Promise<boolean>
  closeStdin(): void
  pause(): void
  resume(): void
  /** Gives up on output that does not come to its end. */
  abandon(): void
}

export type ChildEvents = {
  output(channel: Channel, bytes: Uint8Array): void
  exited(exit: Exit): void
  /** All output was given. */
  closed(): void
}

export type Launch = {
  command: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
  tty: false | { columns: number; rows: number }
  stdin: "open" | "closed"
}

/** The program's file, looked for as a shell would; so a missing one is told before a driver hides it. */
export function findProgram(name: string, cwd: string, path = ""): string | undefined {
  if (name.includes("/")) return isProgram(resolve(cwd, name)) ? resolve(cwd, name) : undefined
  return path
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, name))
    .find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, modes.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

export function launch(request: Launch, events: ChildEvents): Promise<Child | { failed: string }> {
  return request.tty === false ? withPipes(request, events) : withTerminal(request, request.tty, events)
}

function withPipes(
  { command, cwd, env, stdin }: Launch,
  events: ChildEvents,
): Promise<Child | { failed: string }> {
  const [file = "", ...args] = command
  const child = spawn(file, args, {
    cwd,
    env,
    detached: true,
    stdio: [stdin === "open" ? "pipe" : "ignore", "pipe", "pipe"],
  })
  const { stdin: input, stdout, stderr } = child
  if (stdout === null || stderr === null) throw new Error("a pipe that was asked for is missing")
  stdout.on("data", (bytes: Buffer) => events.output("stdout", bytes))
  stderr.on("data", (bytes: Buffer) => events.output("stderr", bytes))
  // A program that ended without reading its input is no error of ours.
  input?.on("error", () => {})
  child.on("exit", (code, signal) =>
    events.exited(signal === null ? { code: code ?? "unknown" } : { code: "unknown", signal }),
  )
  child.on("close", () => events.closed())
  const both = [stdout, stderr]
  return new Promise((resolve) => {
    child.on("error", ({ message }) => resolve({ failed: message }))
    child.on("spawn", () =>
      resolve({
        pid: child.pid ?? 0,
        write: (bytes) => accepted(input, bytes),
        closeStdin: () => input?.end(),
        pause: () => both.forEach((stream) => void stream.pause()),
        resume: () => both.forEach((stream) => void stream.resume()),
        abandon: () => both.forEach((stream) => void stream.destroy()),
      }),
    )
  })
}

function accepted(input: Writable | null, bytes: Uint8Array): Promise<boolean> {
  if (input === null || !input.writable) return Promise.resolve(false)
  return new Promise((resolve) => {
    input.write(bytes, (error) => resolve(error === null || error === undefined))
  })
}

const endOfInput = "\x04"

/** What the terminal really is when no encoding is set: its declared type knows strings only and hides the stream. */
type RawTerminal = Omit<IPty, "onData"> & {
  onData(listener: (bytes: Buffer) => void): void
  _socket: Writable
}

async function withTerminal(
  { command, cwd, env }: Launch,
  size: { columns: number; rows: number },
  events: ChildEvents,
): Promise<Child | { failed: string }> {
  const [file = "", ...args] = command
  const options = { name: "xterm-256color", cols: size.columns, rows: size.rows, cwd, env, encoding: null }
  try {
    // Loaded when it is wanted: where the system's own part of it is missing, all else still works.
    const { spawn: spawnPty } = await import("@lydell/node-pty")
    const terminal = spawnPty(file, args, options) as unknown as RawTerminal
    terminal.onData((bytes) => events.output("pty", bytes))
    terminal.onExit(({ exitCode, signal }) => {
      events.exited(signal ? { code: "unknown", signal: signalName(signal) } : { code: exitCode })
      events.closed()
    })
    return {
      pid: terminal.pid,
      write: (bytes) => accepted(terminal._socket, bytes),
      closeStdin: () => void accepted(terminal._socket, Buffer.from(endOfInput)),
      // A paused terminal would lose what it still holds when the program ends.
      pause: () => {},
      resume: () => {},
      abandon: () => {},
    }
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) }
  }
}

const signalName = (number: number): string =>
  Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `signal ${number}`
