import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import { openSqliteStore } from "@factum/runtime/sqlite"
import { startHost } from "../apps/host/src/host.ts"
import { inTemporaryFolder } from "./measure.ts"

// One side of bench/subscribers.ts in a process of its own: serves, writes for a while, tells what it took.
const seconds = 6
const perSecond = 1000
const gapMs = 20
const stream = "ses_bench"
const text = (n: number) =>
  JSON.stringify({
    type: "model.delta",
    event_id: `evt_${n}`,
    sequence: n,
    payload: { text: "x".repeat(120) },
  })

type Serving = {
  port: number
  token: string
  write(from: number, count: number): void
  close(): Promise<unknown>
}

await inTemporaryFolder(async (folder) => {
  const serving = process.argv[2] === "bare" ? await bare() : await ours(folder)
  const empty = held()
  process.send?.({ port: serving.port, token: serving.token, stream })
  await new Promise((resolve) => process.once("message", resolve))
  const memory = held() - empty
  const before = performance.eventLoopUtilization()
  let written = 0
  const started = performance.now()
  while (written < seconds * perSecond) {
    const due = Math.min(seconds * perSecond, Math.floor(((performance.now() - started) / 1000) * perSecond))
    if (due > written) serving.write(written, due - written)
    written = Math.max(written, due)
    await new Promise((resolve) => setTimeout(resolve, gapMs))
  }
  process.send?.({ bytes: lengthOf(written), memory })
  // Whoever reads says when everything has arrived.
  await new Promise((resolve) => process.once("message", resolve))
  const { active } = performance.eventLoopUtilization(before)
  process.send?.({ written, active })
  await serving.close()
})
process.exit(0)

/** What stays after everything that is not needed has gone. */
function held(): number {
  for (let round = 0; round < 5; round++) globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function frames(from: number, count: number): string {
  return Array.from({ length: count }, (_, i) => `id: ${from + i + 2}\ndata: ${text(from + i + 2)}\n\n`).join(
    "",
  )
}

function lengthOf(count: number): number {
  return frames(0, count).length
}

/** The same bytes to the same number of clients, and nothing else. */
async function bare(): Promise<Serving> {
  const open = new Set<ServerResponse>()
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.flushHeaders()
    open.add(response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as AddressInfo).port,
    token: "none",
    write(from, count) {
      const bytes = Buffer.from(frames(from, count))
      for (const response of open) response.write(bytes)
    },
    close: async () => server.closeAllConnections(),
  }
}

/** A whole host, with facts that go through the log. */
async function ours(folder: string): Promise<Serving> {
  const directory = join(folder, "data")
  const store = await openSqliteStore(directory)
  if (!store.ok) throw new Error(store.message)
  await store.log.append({ stream, expected: 0, facts: [{ event_id: "evt_1", text: text(1) }] })
  await store.log.close()
  const model = { provider: "none", name: "none", async *stream() {} }
  let append: (from: number, count: number) => void = () => undefined
  const host = await startHost({
    directory,
    model,
    port: 0,
    pace: { gapMs, heartbeatMs: 15_000, waitingBytes: 256 * 1024, stallMs: 10_000 },
    onOpen: ({ log }) => {
      append = (from, count) => {
        const facts = Array.from({ length: count }, (_, i) => ({
          event_id: `evt_${from + i + 2}`,
          text: text(from + i + 2),
        }))
        void log.append({ stream, expected: from + 1, facts })
      }
    },
  })
  if (!host.ok) throw new Error(JSON.stringify(host))
  return {
    port: Number(new URL(host.url).port),
    token: host.token,
    write: (from, count) => append(from, count),
    close: () => host.close(),
  }
}
