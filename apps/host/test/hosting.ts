import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Clock, createRuntime, type Ids, type NewFact, type Runtime } from "@factum/runtime"
import { parseScript, scriptedModel } from "@factum/runtime/scripted"
import { openSqliteStore } from "@factum/runtime/sqlite"
import { createApp } from "../src/app.ts"
import type { Pace } from "../src/paced-writer.ts"
import { bind } from "../src/server.ts"

export const token = "a-token-for-tests"

export function temporaryDirectory() {
  const path = mkdtempSync(join(tmpdir(), "factum-host-"))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

export type Hosting = {
  pace?: Partial<Pace>
  script?: string
  workbench?: string
  clock?: Clock
  ids?: Ids
  /** Puts something else in the place of the runtime's own methods. */
  over?: Partial<Runtime>
}

export type TestHost = {
  url: string
  port: number
  runtime: Runtime
  /** Every stream with its head: equal before and after when nothing was appended. */
  heads(): string
  /** Ends streams and refuses what is new, as closing does first. */
  beginClosing(): void
  stop(): Promise<void>
}

/** A host in this process: real store, real kernel, real HTTP. */
export async function startTestHost(hosting: Hosting = {}): Promise<TestHost> {
  const directory = temporaryDirectory()
  const { clock, ids } = hosting
  const times = { ...(clock && { clock }), ...(ids && { ids }) }
  const store = await openSqliteStore(directory.path, times)
  if (!store.ok) throw new Error(store.message)
  const script = parseScript(hosting.script ?? '{"on":""}\n{"text":"Yes."}')
  if (!script.ok) throw new Error(script.message)
  const runtime = await createRuntime({ store, model: scriptedModel(script.scenes), ...times })
  const server = await bind(0)
  if ("taken" in server) throw new Error(server.taken)
  const closing = new AbortController()
  const app = createApp({
    runtime: { ...runtime, ...hosting.over },
    token,
    workbench: hosting.workbench ?? join(directory.path, "no-workbench"),
    closing: closing.signal,
    pace: { gapMs: 20, heartbeatMs: 15_000, waitingBytes: 1024 * 1024, ...hosting.pace },
  })
  server.serve(app)
  return {
    url: `http://127.0.0.1:${server.port}`,
    port: server.port,
    runtime,
    heads: () => JSON.stringify(runtime.log.streams({ limit: 1000 })),
    beginClosing: () => closing.abort(),
    async stop() {
      closing.abort()
      await server.close()
      await runtime.close()
      directory.remove()
    },
  }
}

let made = 0

/** Facts of no meaning, for tests of the way that facts travel. */
export function someFacts(count: number, size = 10): NewFact[] {
  return Array.from({ length: count }, () => {
    const event_id = `evt_test${made++}`
    return { event_id, text: JSON.stringify({ event_id, filling: "é".repeat(size) }) }
  })
}

export async function appendFacts(host: TestHost, stream: string, count: number, size?: number) {
  const expected = host.runtime.log.head(stream)
  const done = await host.runtime.log.append({ stream, expected, facts: someFacts(count, size) })
  if (!done.ok) throw new Error(done.code)
}

/** Waits until a fact of this type is in the log and gives it. */
export async function factOf(host: TestHost, session_id: string, type: string): Promise<{ turn_id: string }> {
  const leaving = new AbortController()
  for await (const facts of host.runtime.log.tail(session_id, 0, leaving.signal)) {
    const found = facts.map(({ text }) => JSON.parse(text)).find((fact) => fact.type === type)
    if (found) return found
  }
  throw new Error(`The log ended without ${type}.`)
}
