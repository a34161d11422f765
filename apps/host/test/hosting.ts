import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  type Clock,
  createRuntime,
  type Ids,
  type Model,
  type NewFact,
  type Runtime,
  type RuntimeParts,
} from "@factum/runtime"
import { openArtifacts } from "@factum/runtime/artifacts"
import { parseScript, scriptedModel } from "@factum/runtime/scripted"
import { openSqliteStore } from "@factum/runtime/sqlite"
import { type Limits, usualLimits } from "../src/access/admission.ts"
import type { AuditPace } from "../src/access/audit.ts"
import { TokenBook } from "../src/access/tokens.ts"
import { type App, createApp } from "../src/app.ts"
import { loopback } from "../src/security.ts"
import { bind, type Times } from "../src/server.ts"
import type { Feeds } from "../src/streams/follow.ts"
import { type Pace, usualPace } from "../src/streams/pace.ts"

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
  limits?: Partial<Limits>
  audit?: AuditPace
  times?: Times
  workspace?: string
  /** Other sites whose pages may ask. */
  origins?: readonly string[]
  model?: Model
  agent?: RuntimeParts["agent"]
  sandbox?: RuntimeParts["sandbox"]
  /** What the time of day is for tokens. */
  now?: () => number
}

export type TestHost = {
  url: string
  port: number
  runtime: Runtime
  tokens: TokenBook
  feeds: Feeds
  leases: App["leases"]
  routes: App["http"]["routes"]
  directory: string
  /** Every session with its head: equal before and after when nothing was appended to one. */
  heads(): string
  /** Tells at once what was only counted. */
  endAudit(): Promise<void>
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
  const tokens = TokenBook.open(directory.path, hosting.now)
  if ("problem" in tokens) throw new Error(tokens.problem)
  const script = parseScript(hosting.script ?? '{"on":""}\n{"text":"Yes."}')
  if (!script.ok) throw new Error(script.message)
  const { workspace, agent, sandbox } = hosting
  const opened = openArtifacts(join(directory.path, "artifacts.db"), { blobs: store.blobs, ...times })
  if (!opened.ok) throw new Error(opened.message)
  const runtime = await createRuntime({
    store,
    artifacts: opened.artifacts,
    model: hosting.model ?? scriptedModel(script.scenes),
    ...times,
    ...(workspace !== undefined && { workspace }),
    ...(agent && { agent }),
    ...(sandbox && { sandbox }),
  })
  const server = await bind({ port: 0, ...(hosting.times && { times: hosting.times }) })
  if ("taken" in server) throw new Error(server.taken)
  const closing = new AbortController()
  const app = createApp({
    runtime: { ...runtime, ...hosting.over },
    token,
    tokens,
    limits: { ...usualLimits, ...hosting.limits },
    ...(workspace !== undefined && { workspace }),
    ...(hosting.origins && { site: { ...loopback, origins: hosting.origins } }),
    workbench: hosting.workbench ?? join(directory.path, "no-workbench"),
    closing: closing.signal,
    pace: { ...usualPace, ...hosting.pace },
    ...(hosting.audit && { audit: hosting.audit }),
  })
  server.serve(app)
  return {
    url: `http://127.0.0.1:${server.port}`,
    port: server.port,
    runtime,
    tokens,
    feeds: app.feeds,
    leases: app.leases,
    routes: app.http.routes,
    directory: directory.path,
    heads: () =>
      JSON.stringify(
        runtime.log.streams({ limit: 1000 }).filter(({ stream }) => stream !== runtime.runtime_id),
      ),
    endAudit: () => app.audit.close(),
    beginClosing: () => closing.abort(),
    async stop() {
      closing.abort()
      await app.channels.close()
      await server.close()
      await app.audit.close()
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

/** Waits until so many facts of this type are in the log and gives the last of them. */
export async function factOf<F = { turn_id: string }>(
  host: TestHost,
  session_id: string,
  type: string,
  count = 1,
): Promise<F> {
  const leaving = new AbortController()
  let left = count
  for await (const facts of host.runtime.log.tail(session_id, 0, leaving.signal)) {
    for (const { text } of facts) {
      const fact = JSON.parse(text)
      if (fact.type === type && --left === 0) return fact
    }
  }
  throw new Error(`The log ended without ${type}.`)
}
