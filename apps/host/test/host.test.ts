import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { scriptedModel } from "@factum/runtime/scripted"
import { openSqliteStore } from "@factum/runtime/sqlite"
import { afterEach, expect, it } from "vitest"
import { startHost } from "../src/host.ts"
import { temporaryDirectory } from "./hosting.ts"
import { openStream } from "./stream.ts"

const model = scriptedModel([])
const ends: (() => unknown)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

function folder(): string {
  const directory = temporaryDirectory()
  ends.push(directory.remove)
  return directory.path
}

async function takenPort(): Promise<number> {
  const other = createServer().listen(0, "127.0.0.1")
  await once(other, "listening")
  ends.push(() => other.close())
  return (other.address() as AddressInfo).port
}

it("takes a free port in place of a usual one that is taken, and says so", async () => {
  const port = await takenPort()
  const host = await startHost({ directory: folder(), model, port, orFree: true })
  if (!host.ok) throw new Error(host.code)
  ends.push(() => host.close())
  const used = Number(new URL(host.url).port)
  expect(used).not.toBe(port)
  expect(host.note).toBe(`Port ${port} is taken, so Factum uses ${used}.`)
  expect((await fetch(`${host.url}v1/health`)).status).toBe(200)
})

it("gives the data folder back when a named port is taken", async () => {
  const directory = folder()
  const port = await takenPort()
  expect(await startHost({ directory, model, port })).toMatchObject({ ok: false, code: "port_taken" })
  const host = await startHost({ directory, model, port: 0 })
  expect(host).toMatchObject({ ok: true })
  if (host.ok) await host.close()
})

it("its access token never reaches a fact", async () => {
  const host = await startHost({ directory: folder(), model, port: 0 })
  if (!host.ok) throw new Error(host.code)
  ends.push(() => host.close())
  const headers = { authorization: `Bearer ${host.token}`, "content-type": "application/json" }
  const body = JSON.stringify({
    input: { create: "session", input: [{ kind: "text", text: `It is ${host.token}, I think.` }] },
  })
  const made = await fetch(`${host.url}v1/commands/submit_turn`, { method: "POST", headers, body })
  const { result } = (await made.json()) as { result: { session_id: string } }
  const stream = await openStream(`${host.url}v1/sessions/${result.session_id}/facts`, headers)
  ends.push(() => stream.cut())
  await stream.until(() => stream.text().includes('"turn.failed"'))
  expect(stream.text()).toContain("It is [redacted:access-token], I think.")
  expect(stream.text()).not.toContain(host.token)
})

it("waits for an owner that is just ending", async () => {
  const directory = folder()
  const store = await openSqliteStore(directory)
  if (!store.ok) throw new Error(store.message)
  const starting = startHost({ directory, model, port: 0 })
  await store.log.close()
  const host = await starting
  expect(host).toMatchObject({ ok: true })
  if (host.ok) await host.close()
})

it("an owner that never answers is told from one that runs", async () => {
  const directory = folder()
  const store = await openSqliteStore(directory)
  if (!store.ok) throw new Error(store.message)
  ends.push(() => store.log.close())
  store.setUrl(`http://127.0.0.1:${await takenPort()}/`)
  const message = expect.stringMatching(new RegExp(`process ${process.pid} .*, which does not answer\\.$`))
  expect(await startHost({ directory, model, port: 0, patienceMs: 0 })).toEqual({
    ok: false,
    code: "not_answering",
    message,
  })
})
