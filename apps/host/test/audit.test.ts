import type { Envelope } from "@factum/facts"
import { afterEach, describe, expect, it } from "vitest"
import { ask, command, result, saying } from "./asking.ts"
import { factOf, type Hosting, startTestHost, type TestHost } from "./hosting.ts"
import { connected } from "./peer.ts"
import { asking, writer } from "./writer.ts"

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const anHour = 3_600_000

async function hosted(hosting: Hosting = {}) {
  const host = await startTestHost({ model: writer(), agent: asking, ...hosting })
  ends.push(() => host.stop())
  const input = { create: "session", input: saying("hello") }
  const { session_id = "" } = await result(command(host.url, "submit_turn", input))
  const { action_id } = await factOf<{ action_id: string }>(host, session_id, "action.required")
  return { host, session_id, action_id }
}

const factsOf = ({ runtime }: TestHost, stream = runtime.runtime_id): Envelope[] =>
  runtime.log.read(stream, 0, 1000).map(({ text }) => JSON.parse(text))
const refusalsIn = (host: TestHost) =>
  factsOf(host).flatMap(({ type, payload, refs }) => (type === "runtime.warning" ? [{ payload, refs }] : []))

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const send = (host: TestHost, token: string, path: string, body: object) =>
  ask(`${host.url}/v1/${path}`, { headers: bearer(token), body: JSON.stringify(body) })
const actor = ({ id, name }: { id: string; name: string }) => ({
  uri: `factum:actor/${id}`,
  kind: "record",
  title: name,
})

describe("who was refused", () => {
  it("a viewer who tries to approve is told of in the log, with what the refusal said", async () => {
    const { host, action_id } = await hosted()
    const { token, row } = host.tokens.issue({ name: "guest", roles: ["viewer"] })
    const input = { action_id, decision: "allow" }
    const { status, json } = await send(host, token, "commands/respond_action", { input })
    expect(status).toBe(403)
    const { message } = (json as { refusal: { message: string } }).refusal
    expect(refusalsIn(host)).toEqual([
      {
        payload: {
          code: "not_permitted",
          message,
          affected: [{ kind: "token", id: row.id }],
          detail: { refused: { respond_action: 1 } },
        },
        refs: [actor(row)],
      },
    ])
  })

  it.each([
    [
      "a command",
      "submit_turn",
      (host: TestHost, token: string, session_id: string) =>
        send(host, token, "commands/submit_turn", { input: { session_id, input: saying("go") } }),
    ],
    [
      "a read",
      "GET /v1/sessions/:id/*",
      (host: TestHost, token: string, session_id: string) =>
        ask(`${host.url}/v1/sessions/${session_id}`, { headers: bearer(token) }),
    ],
    [
      "a stream",
      "GET /v1/sessions/:id/facts",
      (host: TestHost, token: string, session_id: string) =>
        ask(`${host.url}/v1/sessions/${session_id}/facts`, { headers: bearer(token) }),
    ],
    [
      "a token",
      "POST /v1/tokens",
      (host: TestHost, token: string) => send(host, token, "tokens", { name: "wide", roles: ["viewer"] }),
    ],
    [
      "an artifact",
      "POST /v1/artifacts",
      (host: TestHost, token: string, session_id: string) =>
        send(host, token, "artifacts", { session_id, title: "Plan", content: "one" }),
    ],
  ])("%s outside of the scope is told of", async (_, what, attempt) => {
    const { host, session_id } = await hosted()
    const scope = { sessions: ["ses_own"] }
    const { token, row } = host.tokens.issue({ name: "narrow", roles: ["admin"], scope })
    expect((await attempt(host, token, session_id)).status).toBe(403)
    expect(refusalsIn(host)).toMatchObject([
      { payload: { detail: { refused: { [what]: 1 } } }, refs: [actor(row)] },
    ])
  })

  it("so is a peer that answers by a channel without the right to", async () => {
    const { host, session_id, action_id } = await hosted()
    const { token, row } = host.tokens.issue({ name: "peer", roles: ["viewer"] })
    const peer = await connected(host.url, { token })
    ends.push(() => peer.cut())
    peer.say({ type: "open", session_id, native_peer_id: "p" })
    await peer.next("opened")
    peer.say({ type: "answer", action_id, decision: "allow" })
    await peer.next("refused")
    await expect
      .poll(() => refusalsIn(host))
      .toMatchObject([{ payload: { detail: { refused: { "channel answer": 1 } } }, refs: [actor(row)] }])
  })

  it("a flood of refusals makes two facts: the first at once, the others counted", async () => {
    const { host, session_id, action_id } = await hosted({ audit: { firstMs: anHour, longestMs: anHour } })
    const { token, row } = host.tokens.issue({ name: "guest", roles: ["viewer"] })
    for (let i = 0; i < 100; i++) {
      await send(host, token, "commands/respond_action", { input: { action_id, decision: "allow" } })
      await send(host, token, "commands/interrupt_turn", { input: { session_id, reason: "no" } })
    }
    expect(refusalsIn(host)).toMatchObject([{ payload: { detail: { refused: { respond_action: 1 } } } }])
    const other = host.tokens.issue({ name: "other", roles: ["viewer"] })
    await send(host, other.token, "commands/interrupt_turn", { input: { session_id, reason: "no" } })
    expect(refusalsIn(host)).toHaveLength(2)
    await host.endAudit()
    expect(refusalsIn(host).slice(2)).toMatchObject([
      { payload: { detail: { refused: { respond_action: 99, interrupt_turn: 100 } } }, refs: [actor(row)] },
    ])
  })

  it("what was counted is told in time, while the refusals go on", async () => {
    const { host, session_id } = await hosted({ audit: { firstMs: 20, longestMs: 40 } })
    const { token } = host.tokens.issue({ name: "guest", roles: ["viewer"] })
    let sent = 0
    const told = () =>
      refusalsIn(host).reduce((sum, { payload }) => {
        const { refused } = payload.detail as { refused: { interrupt_turn: number } }
        return sum + refused.interrupt_turn
      }, 0)
    while (refusalsIn(host).length < 4) {
      await send(host, token, "commands/interrupt_turn", { input: { session_id, reason: "no" } })
      sent++
    }
    await expect.poll(told).toBe(sent)
  })

  it("a command of a name that is not known, or a token that is none, writes nothing", async () => {
    const { host } = await hosted()
    const { token } = host.tokens.issue({ name: "guest", roles: ["viewer"] })
    expect((await send(host, token, "commands/fly", { input: {} })).status).toBe(404)
    expect((await send(host, "nobody", "commands/submit_turn", { input: {} })).status).toBe(401)
    expect(refusalsIn(host)).toEqual([])
  })
})

describe("tokens", () => {
  it("are issued and revoked by facts that name the token, what it may, and who did it", async () => {
    const { host, session_id } = await hosted()
    const admin = host.tokens.issue({ name: "boss", roles: ["admin"] })
    const asked = { name: "phone", roles: ["approver"], scope: { sessions: [session_id] } }
    const { token = "", ...row } = await result(send(host, admin.token, "tokens", asked))
    const revoke = { method: "DELETE", headers: bearer(admin.token) }
    expect(await result(ask(`${host.url}/v1/tokens/${row.id}`, revoke))).toMatchObject({ recorded: true })
    const { id, ...told } = row
    expect(factsOf(host).map(({ type, payload, refs }) => ({ type, payload, refs }))).toEqual([
      { type: "x-factum.token_issued", payload: { token_id: id, ...told }, refs: [actor(admin.row)] },
      {
        type: "x-factum.token_revoked",
        payload: { token_id: id, name: "phone" },
        refs: [actor(admin.row)],
      },
    ])
    expect(JSON.stringify(factsOf(host))).not.toContain(token)
  })

  it("none is valid that could not be told", async () => {
    const { host } = await hosted({ over: { report: async () => false } })
    const body = JSON.stringify({ name: "phone", roles: ["viewer"] })
    const answer = await ask(`${host.url}/v1/tokens`, { body })
    expect(answer).toMatchObject({ status: 507, json: { refusal: { code: "write_failed" } } })
    expect(host.tokens.rows()).toEqual([])
  })
})

describe("artifacts", () => {
  it("tell with each change and each version which person made it", async () => {
    const { host, session_id } = await hosted()
    const [ann, bo] = ["ann", "bo"].map((name) => host.tokens.issue({ name, roles: ["operator"] }))
    if (ann === undefined || bo === undefined) throw new Error("no tokens")
    const made = { session_id, title: "Plan", content: "one" }
    const { artifact_id } = await result(send(host, ann.token, "artifacts", made))
    const edited = await ask(`${host.url}/v1/artifacts/${artifact_id}`, {
      method: "PUT",
      headers: bearer(bo.token),
      body: JSON.stringify({ base_version: "1", content: "two" }),
    })
    expect(edited.status).toBe(200)
    await result(send(host, ann.token, `artifacts/${artifact_id}/rollback`, { to_version: "1" }))
    const changes = factsOf(host, session_id).filter(({ type }) => type === "artifact.changed")
    expect(changes.map(({ refs }) => refs)).toEqual([[actor(ann.row)], [actor(bo.row)], [actor(ann.row)]])
    const { json } = await ask(`${host.url}/v1/artifacts/${artifact_id}/versions`)
    const { versions } = (json as { result: { versions: unknown[] } }).result
    const by = ({ id, name }: { id: string; name: string }) => ({ author: "person", by: { id, name } })
    expect(versions).toMatchObject([by(ann.row), by(bo.row), by(ann.row)])
  })
})
