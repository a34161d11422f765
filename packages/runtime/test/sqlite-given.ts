import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"
import { openSqliteStore, type SqliteOptions, type SqliteStore } from "../src/adapters/sqlite/index.ts"

export const temporary = () => mkdtempSync(join(tmpdir(), "factum-sqlite-"))

export async function openStore(directory: string, options: SqliteOptions = {}): Promise<SqliteStore> {
  const store = await openSqliteStore(directory, options)
  if (!store.ok) throw new Error(`${store.code}: ${store.message}`)
  return store
}

type Until = (done: (lines: readonly string[]) => boolean) => Promise<void>
export type Child = { process: ChildProcess; lines: string[]; until: Until }

/** Another process that owns the store; see sqlite-child.ts. */
export function startChild(directory: string, round = "0", batches?: number): Child {
  const script = fileURLToPath(new URL("./sqlite-child.ts", import.meta.url))
  const args = [script, directory, round, ...(batches === undefined ? [] : [`${batches}`])]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  const lines: string[] = []
  const waiting = new Set<() => void>()
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line)
    for (const look of waiting) look()
  })
  onTestFinished(async () => {
    if (child.kill("SIGKILL")) await once(child, "close")
  })
  const until: Until = (done) =>
    new Promise((resolve, reject) => {
      const look = () => done(lines) && resolve()
      waiting.add(look)
      child.once("exit", () => reject(new Error(`the child ended: ${lines.at(-1)}`)))
      look()
    })
  return { process: child, lines, until }
}

/** Ends a child at once and gives everything that it had printed. */
export async function killed({ process: child, lines }: Child): Promise<string[]> {
  child.kill("SIGKILL")
  await once(child, "close")
  return lines
}

/** A directory that is gone after the test. */
export function scratch(): string {
  const directory = temporary()
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}
