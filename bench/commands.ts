import { Agent, createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { Model } from "@factum/runtime"
import { getRequestListener } from "@hono/node-server"
import { Hono } from "hono"
import { startHost } from "../apps/host/src/host.ts"
import { type Figure, figure, inTemporaryFolder, median, quantile } from "./measure.ts"

const rounds = 7
const perRound = 400

/** A command that writes one fact, over HTTP, beside a bare route that commits one row. */
export function commands(): Promise<Figure[]> {
  return inTemporaryFolder(async (folder) => {
    const [ours, bare] = [await openHost(folder), await openBare(folder)]
    const times: { ours: number[]; bare: number[] }[] = []
    for (let round = 0; round < rounds + 1; round++) {
      const pair = { bare: await timesOf(bare.send), ours: await timesOf(ours.send) }
      // The first round warms up.
      if (round > 0) times.push(pair)
    }
    await ours.close()
    bare.close()
    return [
      { name: "command over HTTP that writes one fact, p50", at: 0.5 },
      { name: "the same, p99", at: 0.99 },
    ].map(({ name, at }) => {
      const pairs = times.map((pair) => ({ ours: quantile(pair.ours, at), bare: quantile(pair.bare, at) }))
      const against = median(pairs.map((pair) => pair.bare))
      const ratio = median(pairs.map((pair) => pair.ours / pair.bare))
      return figure(name, "ms", against * ratio, "a bare hono route that commits one row", against, {
        at_most: 1.5,
      })
    })
  })
}

async function timesOf(send: (n: number) => Promise<void>): Promise<number[]> {
  const times: number[] = []
  for (let i = 0; i < perRound; i++) {
    const start = performance.now()
    await send(i)
    times.push(performance.now() - start)
  }
  return times
}

const agent = new Agent({ keepAlive: true })

function post(url: string, headers: Record<string, string>, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const length = { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) }
    const asked = request(url, { method: "POST", agent, headers: { ...headers, ...length } }, (response) => {
      let text = ""
      response.setEncoding("utf8")
      response.on("data", (part: string) => {
        text += part
      })
      response.on("end", () => (response.statusCode === 200 ? resolve(text) : reject(new Error(text))))
    })
    asked.on("error", reject)
    asked.end(body)
  })
}

async function openHost(folder: string) {
  const model: Model = {
    provider: "bench",
    name: "bench",
    // A turn that never ends, so that others wait in the queue.
    async *stream({ signal }) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve))
    },
  }
  const host = await startHost({ directory: join(folder, "data"), model, port: 0 })
  if (!host.ok) throw new Error(JSON.stringify(host))
  const headers = { authorization: `Bearer ${host.token}` }
  const send = async (name: string, input: object) => {
    const text = await post(`${host.url}v1/commands/${name}`, headers, JSON.stringify({ input }))
    return (JSON.parse(text) as { result: Record<string, string> }).result
  }
  const input = [{ kind: "text", text: "go" }]
  const { session_id, thread_id } = await send("submit_turn", { create: "session", input })
  const queued = [
    await send("submit_turn", { session_id, thread_id, input }),
    await send("submit_turn", { session_id, thread_id, input }),
  ].map(({ queued_turn_id }) => queued_turn_id)
  return {
    // By turns, so that each of them changes the order and writes one fact.
    send: async (n: number) => {
      await send("promote_queued_turn", { session_id, thread_id, queued_turn_id: queued[(n + 1) % 2] })
    },
    close: () => host.close(),
  }
}

async function openBare(folder: string) {
  const db = new DatabaseSync(join(folder, "bare.db"))
  db.exec(
    "pragma journal_mode = wal; pragma synchronous = full; create table rows (id integer primary key, text text)",
  )
  const insert = db.prepare("insert into rows (text) values (?)")
  const app = new Hono()
  app.post("/rows", async (c) => {
    insert.run(JSON.stringify(await c.req.json()))
    return c.json({ ok: true })
  })
  const server = createServer(getRequestListener(app.fetch))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/rows`
  return {
    send: async (n: number) => {
      await post(url, {}, JSON.stringify({ input: { n, filling: "x".repeat(400) } }))
    },
    close() {
      server.closeAllConnections()
      server.close()
      db.close()
    },
  }
}
