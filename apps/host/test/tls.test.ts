import { writeFileSync } from "node:fs"
import { request as plainRequest } from "node:http"
import { type RequestOptions, request } from "node:https"
import { join } from "node:path"
import { createClient } from "@factum/client"
import { scriptedModel } from "@factum/runtime/scripted"
import { afterEach, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { TokenBook } from "../src/access/tokens.ts"
import { runningHost } from "../src/cli/reach.ts"
import { type Host, startHost } from "../src/host.ts"
import { openHost } from "../src/opening.ts"
import { parseOptions } from "../src/options.ts"
import { ask } from "./asking.ts"
import { selfSigned } from "./certificate.ts"
import { temporaryDirectory } from "./hosting.ts"

const name = "factum.test"
const tls = selfSigned([name, "127.0.0.1"])
const model = scriptedModel([])
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

function folder(): string {
  const { path, remove } = temporaryDirectory()
  ends.push(remove)
  return path
}

function issued(directory: string): string {
  const book = TokenBook.open(directory)
  if ("problem" in book) throw new Error(book.problem)
  return book.issue({ name: "laptop", roles: ["operator"] }).token
}

async function secured(directory: string): Promise<Host & { guest: string; port: number }> {
  const guest = issued(directory)
  const parts = { directory, model, port: 0, address: "0.0.0.0", names: [name], tls }
  const host = await startHost(parts)
  if (!host.ok) throw new Error(JSON.stringify(host))
  ends.push(() => host.close())
  return { ...host, guest, port: Number(new URL(host.url).port) }
}

/** As another machine would: by its name, which stands in its certificate. */
function visit(
  port: number,
  path: string,
  options: RequestOptions = {},
): Promise<{ status: number; body: string }> {
  const headers = { host: `${name}:${port}`, ...options.headers }
  return new Promise((resolve, reject) => {
    const asked = request({
      host: "127.0.0.1",
      port,
      path,
      servername: name,
      agent: false,
      ...options,
      headers,
    })
    asked.on("error", reject)
    asked.on("response", (response) => {
      let body = ""
      response.setEncoding("utf8").on("data", (text: string) => {
        body += text
      })
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }))
    })
    asked.end()
  })
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe("a host with a certificate", () => {
  it("answers by its name to who trusts the certificate, and to nobody without TLS", async () => {
    const { url, port, guest } = await secured(folder())
    expect(url).toBe(`https://${name}:${port}/`)
    const sessions = await visit(port, "/v1/sessions", { ca: tls.cert, headers: bearer(guest) })
    expect(sessions).toEqual({ status: 200, body: JSON.stringify({ ok: true, result: { sessions: [] } }) })
    await expect(visit(port, "/v1/health")).rejects.toMatchObject({ code: "DEPTH_ZERO_SELF_SIGNED_CERT" })
    const unencrypted = new Promise((_, reject) => {
      plainRequest({ host: "127.0.0.1", port, path: "/v1/health" }).on("error", reject).end()
    })
    await expect(unencrypted).rejects.toMatchObject({ code: "ECONNRESET" })
  })

  it("takes its name alone, and no page of another site or scheme", async () => {
    const { port, guest } = await secured(folder())
    const asked = async (headers: Record<string, string>) =>
      (await visit(port, "/v1/sessions", { ca: tls.cert, headers: { ...bearer(guest), ...headers } })).status
    expect(await asked({})).toBe(200)
    expect(await asked({ origin: `https://${name}:${port}` })).toBe(200)
    expect(await asked({ origin: `http://${name}:${port}` })).toBe(403)
    expect(await asked({ origin: "https://evil.test" })).toBe(403)
    expect(await asked({ host: `evil.test:${port}` })).toBe(403)
  })

  it("keeps channels", async () => {
    const { port, guest } = await secured(folder())
    const socket = new WebSocket(`wss://127.0.0.1:${port}/v1/channels`, [], {
      ca: tls.cert,
      headers: { ...bearer(guest), host: `${name}:${port}` },
    })
    ends.push(() => socket.terminate())
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject))
    socket.send(JSON.stringify({ type: "open", session_id: "ses_no", native_peer_id: "p" }))
    const told = await new Promise<string>((resolve) =>
      socket.once("message", (bytes) => resolve(bytes.toString())),
    )
    expect(JSON.parse(told)).toMatchObject({ type: "refused", refusal: { code: "not_found" } })
  })

  it("is reached by the commands of its own user, whatever the certificate says", async () => {
    const directory = folder()
    const host = await secured(directory)
    const found = await runningHost(directory)
    expect(found).toEqual({ url: host.local, token: host.token })
    const client = createClient({ url: host.local.replace(/\/$/, ""), token: host.token })
    const reply = await client.command("submit_turn", {
      create: "session",
      input: [{ kind: "text", text: "hi" }],
    })
    expect(reply).toMatchObject({ ok: true })
    const second = await startHost({ directory, model, port: 0, patienceMs: 0 })
    expect(second).toEqual({
      ok: false,
      code: "running",
      page: `${host.local}#token=${host.token}`,
      pid: process.pid,
    })
  })

  it("is reached so by this machine alone, under this machine's names", async () => {
    const { local, token } = await secured(folder())
    const { hostname, port } = new URL(local)
    expect(hostname).toBe("127.0.0.1")
    const asked = async (headers: Record<string, string>) =>
      (await ask(`${local}v1/sessions`, { headers: { ...bearer(token), ...headers } })).status
    expect(await asked({})).toBe(200)
    expect(await asked({ host: `localhost:${port}` })).toBe(200)
    expect(await asked({ host: `${name}:${port}` })).toBe(403)
    expect(await asked({ origin: `https://${name}:${port}` })).toBe(403)
  })

  it("is started with the options that name its files", async () => {
    const directory = folder()
    issued(join(directory))
    const [cert, key] = [join(directory, "cert.pem"), join(directory, "key.pem")]
    writeFileSync(cert, tls.cert)
    writeFileSync(key, tls.key, { mode: 0o600 })
    const given = ["--host", "0.0.0.0", "--name", name, "--tls-cert", cert, "--tls-key", key]
    const options = parseOptions([...given, "--data", directory, "--project", directory, "--port", "0"])
    if (options.kind !== "start") throw new Error(JSON.stringify(options))
    const opened = await openHost(options)
    if (!opened.ok) throw new Error(JSON.stringify(opened))
    ends.push(() => opened.host.close())
    const port = Number(new URL(opened.host.url).port)
    expect((await visit(port, "/v1/health", { ca: tls.cert })).status).toBe(200)
    expect((await runningHost(directory))?.url).toBe(opened.host.local)
  })

  it.each([
    ["a certificate that is none", { cert: "none", key: tls.key }],
    ["the key of another certificate", { cert: tls.cert, key: selfSigned([name]).key }],
  ])("%s is refused before anything is begun", async (_, wrong) => {
    const host = await startHost({ directory: folder(), model, port: 0, tls: wrong })
    expect(host).toMatchObject({
      ok: false,
      code: "not_safe",
      message: expect.stringMatching(/^The certificate cannot be used: /),
    })
  })
})

describe("a host on an address of this machine", () => {
  it.each(["::1", "localhost"])("%s is told as it is reached", async (address) => {
    const directory = folder()
    const host = await startHost({ directory, model, port: 0, address })
    if (!host.ok) throw new Error(JSON.stringify(host))
    ends.push(() => host.close())
    expect(new URL(host.url).hostname).toBe(address === "::1" ? "[::1]" : address)
    const answer = await ask(`${host.url}v1/sessions`, { headers: bearer(host.token) })
    expect(answer.status).toBe(200)
    expect(await runningHost(directory)).toEqual({ url: host.url, token: host.token })
  })
})
