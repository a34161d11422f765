import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ask, command, result, saying } from "./asking.ts"
import { factOf, startTestHost, type TestHost, token } from "./hosting.ts"
import { connected } from "./peer.ts"
import { openStream } from "./stream.ts"

const guest = "https://chat.example.com"
const strangers = [
  "https://evil.example",
  "null",
  `${guest}.evil.example`,
  `${guest}:444`,
  "http://chat.example.com",
]
let host: TestHost
beforeAll(async () => {
  host = await startTestHost({ origins: [guest] })
})
afterAll(() => host.stop())

const from = (origin: string, headers: Record<string, string | undefined> = {}) => ({
  headers: { origin, ...headers },
})
const preflight = (origin: string, path = "/v1/ai-sdk/chat") =>
  ask(`${host.url}${path}`, {
    method: "OPTIONS",
    headers: {
      origin,
      authorization: undefined,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type",
      "access-control-request-private-network": "true",
    },
  })
const refusedFor = (status: number) => expect.objectContaining({ status })
const hasLeave = ({ headers }: { headers: object }) =>
  Object.keys(headers).some((name) => name.startsWith("access-control-"))

describe("a page of a site that was allowed", () => {
  it("is told before its request that it may send it, with its token", async () => {
    const { status, headers } = await preflight(guest)
    expect(status).toBe(204)
    expect(headers).toMatchObject({
      "access-control-allow-origin": guest,
      "access-control-allow-methods": expect.stringContaining("POST"),
      "access-control-allow-headers": expect.stringContaining("authorization"),
      "access-control-allow-private-network": "true",
      vary: "Origin",
    })
    expect(headers).not.toHaveProperty("access-control-allow-credentials")
  })

  it("reads answers, refusals and streams", async () => {
    const seen = await ask(`${host.url}/v1/sessions`, from(guest))
    expect(seen).toMatchObject({ status: 200, headers: { "access-control-allow-origin": guest } })
    const missing = await ask(`${host.url}/v1/sessions/ses_no`, from(guest))
    expect(missing).toMatchObject({ status: 404, headers: { "access-control-allow-origin": guest } })
    const input = { create: "session", input: saying("hi") }
    const { session_id = "" } = await result(command(host.url, "submit_turn", input))
    await factOf(host, session_id, "turn.completed")
    const stream = await openStream(`${host.url}/v1/sessions/${session_id}/facts`, { origin: guest })
    expect(stream.response.headers).toMatchObject({ "access-control-allow-origin": guest })
    stream.cut()
    const peer = await connected(host.url, { origin: guest })
    peer.cut()
  })

  it("completes a turn as the documented example of useChat does", async () => {
    const messages = [{ id: "m1", role: "user", parts: [{ type: "text", text: "Hello" }] }]
    const { status, headers, bytes } = await ask(`${host.url}/v1/ai-sdk/chat`, {
      ...from(guest),
      body: JSON.stringify({ id: "c1", messages }),
    })
    expect({ status, origin: headers["access-control-allow-origin"] }).toEqual({ status: 200, origin: guest })
    expect(bytes.toString()).toContain("Yes.")
  })

  it("has nothing without a token, or with a false one", async () => {
    for (const authorization of [undefined, "Bearer guess"]) {
      expect(await ask(`${host.url}/v1/sessions`, from(guest, { authorization }))).toEqual(refusedFor(401))
    }
    await expect(connected(host.url, { origin: guest, token: "guess" })).rejects.toThrow("status 401")
  })

  it("is let to the interface alone, and by no other name of the host", async () => {
    for (const path of ["/", "/reference", "/v1"]) {
      const refused = await ask(`${host.url}${path}`, from(guest))
      expect(refused).toEqual(refusedFor(403))
      expect(hasLeave(refused)).toBe(false)
    }
    const rebound = await ask(`${host.url}/v1/sessions`, from(guest, { host: "chat.example.com" }))
    expect(rebound).toEqual(refusedFor(403))
  })
})

describe("a page of any other site", () => {
  it.each(strangers)("is refused and told of no leave: %s", async (origin) => {
    for (const answer of [
      await preflight(origin),
      await ask(`${host.url}/v1/sessions`, from(origin)),
      await ask(`${host.url}/v1/health`, from(origin)),
    ]) {
      expect(answer).toEqual(refusedFor(403))
      expect(hasLeave(answer)).toBe(false)
    }
    await expect(connected(host.url, { origin })).rejects.toThrow("status 403")
  })

  it("is refused where no site was allowed, as before", async () => {
    const usual = await startTestHost()
    const answer = await ask(`${usual.url}/v1/sessions`, from(guest))
    const own = await ask(`${usual.url}/v1/sessions`, from(usual.url))
    await usual.stop()
    expect(answer).toEqual(refusedFor(403))
    expect(own.status).toBe(200)
    expect(hasLeave(own)).toBe(false)
  })

  it("gains nothing by a valid token", async () => {
    const headers = { authorization: `Bearer ${token}` }
    expect(await ask(`${host.url}/v1/sessions`, from("https://evil.example", headers))).toEqual(
      refusedFor(403),
    )
  })
})
