import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { type CommandName, commands } from "@factum/facts"
import { ownCommands } from "@factum/runtime"
import { afterEach, describe, expect, it, vi } from "vitest"
import { Gate } from "../src/access/admission.ts"
import { permissionFor, type Role, type Scope } from "../src/access/grant.ts"
import { Leases } from "../src/access/leases.ts"
import { RateLimit } from "../src/access/rate.ts"
import { readSecrets } from "../src/access/secrets.ts"
import { TokenBook } from "../src/access/tokens.ts"
import { startHost } from "../src/host.ts"
import { type Asked, ask, result, saying } from "./asking.ts"
import {
  appendFacts,
  factOf,
  type Hosting,
  startTestHost,
  type TestHost,
  temporaryDirectory,
} from "./hosting.ts"
import { openStream } from "./stream.ts"

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function host(hosting: Hosting = {}): Promise<TestHost> {
  const started = await startTestHost(hosting)
  ends.push(() => started.stop())
  return started
}

function folder(): string {
  const { path, remove } = temporaryDirectory()
  ends.push(remove)
  return path
}

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

async function send(running: TestHost, token: string, name: string, input: unknown) {
  const asked: Asked = { ...bearer(token), body: JSON.stringify({ input }) }
  return ask(`${running.url}/v1/commands/${name}`, asked)
}

async function newSession(running: TestHost): Promise<string> {
  const body = JSON.stringify({ input: { create: "session", input: saying("hi") } })
  const { session_id = "" } = await result(ask(`${running.url}/v1/commands/submit_turn`, { body }))
  await factOf(running, session_id, "turn.completed")
  return session_id
}

const refusedAs = (code: string, status: number) => ({ status, json: { ok: false, refusal: { code } } })

describe("tokens at rest", () => {
  it("are digests in a file that only its owner may read", async () => {
    const directory = folder()
    const book = TokenBook.open(directory)
    if ("problem" in book) throw new Error(book.problem)
    const { token, row } = book.issue({ name: "phone", roles: ["approver"] })
    const path = join(directory, "tokens.json")
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readFileSync(path, "utf8")).not.toContain(token)
    expect(book.find(token)).toEqual({
      ok: true,
      grant: { id: row.id, name: "phone", roles: ["approver"], scope: {} },
    })
  })

  it("that others may read are refused, on opening and while the host runs", () => {
    const directory = folder()
    const book = TokenBook.open(directory)
    if ("problem" in book) throw new Error(book.problem)
    const { token } = book.issue({ name: "phone", roles: ["viewer"] })
    chmodSync(join(directory, "tokens.json"), 0o644)
    expect(TokenBook.open(directory)).toMatchObject({ problem: expect.stringContaining("chmod 600") })
    expect(book.find(token)).toEqual({ ok: false, reason: "unknown" })
  })

  it("that another process issued or revoked count at once", () => {
    const directory = folder()
    const [one, other] = [TokenBook.open(directory), TokenBook.open(directory)]
    if ("problem" in one || "problem" in other) throw new Error("not opened")
    const { token, row } = one.issue({ name: "a", roles: ["viewer"] })
    expect(other.find(token).ok).toBe(true)
    expect(other.revoke(row.id)).toBe(true)
    expect(one.find(token)).toEqual({ ok: false, reason: "unknown" })
  })
})

it("however many streams a token has, it is looked at once each time", () => {
  const gate = new Gate("start", undefined)
  const holds = vi.spyOn(gate, "holds")
  const leases = new Leases(gate)
  const ended = vi.fn()
  const grant = (id: string) => ({ id, name: id, roles: ["viewer"] as const, scope: {} })
  const given = Array.from({ length: 100 }, (_, i) => leases.take(grant(i % 2 ? "owner" : "tok_gone"), ended))
  leases.check()
  for (const back of given) back()
  expect(holds).toHaveBeenCalledTimes(2)
  expect(ended).toHaveBeenCalledTimes(50)
})

describe("the file of tokens", () => {
  it("is not written while it cannot be read, so that no token is lost", async () => {
    const running = await host()
    const path = join(running.directory, "tokens.json")
    const kept = running.tokens.issue({ name: "kept", roles: ["viewer"] })
    const before = readFileSync(path, "utf8")
    chmodSync(path, 0o644)
    const issue = () =>
      ask(`${running.url}/v1/tokens`, { body: JSON.stringify({ name: "new", roles: ["viewer"] }) })
    expect(await issue()).toMatchObject(refusedAs("write_failed", 507))
    expect(() => running.tokens.issue({ name: "new", roles: ["viewer"] })).toThrow("chmod 600")
    expect(running.tokens.revoke(kept.row.id)).toEqual({ problem: expect.stringContaining("chmod 600") })
    expect(readFileSync(path, "utf8")).toBe(before)
    chmodSync(path, 0o600)
    expect(running.tokens.find(kept.token).ok).toBe(true)
    expect((await issue()).status).toBe(200)
    expect(running.tokens.rows().map(({ name }) => name)).toEqual(["kept", "new"])
  })

  it("loses none that several processes issue at once, also when one was killed over it", async () => {
    const directory = folder()
    const source = (name: string) => JSON.stringify(new URL(`../src/access/${name}`, import.meta.url).href)
    const code = (last: string) => `
      import { TokenBook } from ${source("tokens.ts")}
      import { alone } from ${source("private-file.ts")}
      const book = TokenBook.open(${JSON.stringify(directory)})
      for (let i = 0; i < 15; i++) book.issue({ name: "t", roles: ["viewer"] })
      ${last}`
    const issuing = (last = "") =>
      once(
        spawn(process.execPath, ["--input-type=module", "--eval", code(last)], { stdio: "inherit" }),
        "exit",
      )
    const exits = await Promise.all([
      issuing(),
      issuing(),
      issuing(
        `alone(${JSON.stringify(join(directory, "tokens.json"))}, () => process.kill(process.pid, "SIGKILL"))`,
      ),
    ])
    expect(exits.map(([code]) => code)).toEqual([0, 0, null])
    const book = TokenBook.open(directory)
    if ("problem" in book) throw new Error(book.problem)
    expect(book.rows()).toHaveLength(45)
    book.issue({ name: "one more", roles: ["viewer"] })
    expect(book.rows()).toHaveLength(46)
  }, 60_000)
})

describe("roles", () => {
  const may: Record<Role, string[]> = {
    viewer: ["read"],
    operator: ["read", "operate"],
    approver: ["read", "approve"],
    admin: ["read", "operate", "approve"],
  }

  it.each(Object.keys(may) as Role[])("%s may send exactly its commands", async (role) => {
    const running = await host()
    const { token } = running.tokens.issue({ name: role, roles: [role] })
    for (const name of Object.keys(commands) as CommandName[]) {
      const { status, json } = await send(running, token, name, {})
      const { refusal } = json as { refusal: { code: string; field: string } }
      const isLetThrough = may[role].includes(permissionFor(name))
      expect({ name, forbidden: status === 403 && refusal.field === "Authorization" }).toEqual({
        name,
        forbidden: !isLetThrough,
      })
    }
  })

  it.each(Object.keys(ownCommands))("%s is for operators, and within the scope alone", async (name) => {
    const running = await host()
    const session_id = await newSession(running)
    const { token: viewer } = running.tokens.issue({ name: "v", roles: ["viewer"] })
    const scope = { sessions: ["ses_other"] }
    const { token: elsewhere } = running.tokens.issue({ name: "o", roles: ["operator"], scope })
    const before = running.heads()
    for (const token of [viewer, elsewhere])
      expect(await send(running, token, name, { session_id })).toMatchObject(refusedAs("not_permitted", 403))
    expect(running.heads()).toBe(before)
    const { token: operator } = running.tokens.issue({ name: "p", roles: ["operator"] })
    expect(await send(running, operator, name, { session_id })).toMatchObject(refusedAs("invalid_input", 400))
  })

  it("a viewer may not approve, and nothing is written", async () => {
    const running = await host()
    const session_id = await newSession(running)
    const { token } = running.tokens.issue({ name: "v", roles: ["viewer"] })
    const before = running.heads()
    const answer = await send(running, token, "respond_action", {
      session_id,
      action_id: "act_1",
      decision: "allow",
    })
    expect(answer).toMatchObject(refusedAs("not_permitted", 403))
    expect(await ask(`${running.url}/v1/blobs`, { ...bearer(token), body: "x" })).toMatchObject({
      status: 403,
    })
    expect(running.heads()).toBe(before)
  })

  it.each(["viewer", "operator", "approver"] as const)("%s may not issue tokens", async (role) => {
    const running = await host()
    const { token } = running.tokens.issue({ name: "v", roles: [role] })
    const body = JSON.stringify({ name: "more", roles: ["admin"] })
    expect(await ask(`${running.url}/v1/tokens`, { ...bearer(token), body })).toMatchObject(
      refusedAs("not_permitted", 403),
    )
    expect(await ask(`${running.url}/v1/tokens`, bearer(token))).toMatchObject({ status: 403 })
  })

  it("an administrator issues, lists and revokes", async () => {
    const running = await host()
    const body = JSON.stringify({ name: "phone", roles: ["viewer"], scope: { sessions: ["ses_1"] } })
    const issued = await result(ask(`${running.url}/v1/tokens`, { body }))
    expect((await ask(`${running.url}/v1/sessions`, bearer(issued.token ?? ""))).status).toBe(200)
    const list = await ask(`${running.url}/v1/tokens`)
    expect(list.json).toMatchObject({ result: { tokens: [{ id: issued.id, name: "phone" }] } })
    expect(list.bytes.toString()).not.toContain(issued.token)
    await ask(`${running.url}/v1/tokens/${issued.id}`, { method: "DELETE" })
    expect((await ask(`${running.url}/v1/sessions`, bearer(issued.token ?? ""))).status).toBe(401)
    expect(await ask(`${running.url}/v1/tokens/tok_no`, { method: "DELETE" })).toMatchObject({ status: 404 })
  })

  it.each([
    [{ roles: ["viewer"] }, "name"],
    [{ name: "a", roles: [] }, "roles"],
    [{ name: "a", roles: ["king"] }, "roles.0"],
    [{ name: "a", roles: ["viewer"], scope: { sessions: [] } }, "scope.sessions"],
    [{ name: "a", roles: ["viewer"], expires_at: "soon" }, "expires_at"],
  ])("a token that is not well described is refused: %j", async (asked, field) => {
    const running = await host()
    expect(await ask(`${running.url}/v1/tokens`, { body: JSON.stringify(asked) })).toMatchObject({
      status: 400,
      json: { refusal: { code: "invalid_input", field } },
    })
  })
})

describe("a token that was given by a token", () => {
  async function scoped(scope: Scope, more: { expires_at?: string } = {}) {
    const running = await host({ workspace: "/work/a" })
    const [mine, foreign] = [await newSession(running), await newSession(running)]
    const holds = scope.workspaces === undefined ? { sessions: [mine] } : scope
    const own = running.tokens.issue({ name: "own", roles: ["admin"], scope: holds, ...more })
    const issue = (asked: object) =>
      ask(`${running.url}/v1/tokens`, {
        ...bearer(own.token),
        body: JSON.stringify({ name: "given", roles: ["admin"], ...asked }),
      })
    return { running, mine, foreign, own, issue }
  }

  it("reaches no further than the one that gave it", async () => {
    const { running, mine, foreign, issue } = await scoped({})
    const before = running.tokens.rows()
    for (const asked of [
      {},
      { scope: {} },
      { scope: { sessions: [foreign] } },
      { scope: { sessions: [mine, foreign] } },
      { scope: { sessions: [mine], workspaces: ["/work/a"] } },
      { scope: { workspaces: ["/work/a"] } },
    ]) {
      expect(await issue(asked)).toMatchObject({
        status: 403,
        json: { refusal: { code: "not_permitted", message: expect.stringContaining("wider scope") } },
      })
    }
    expect(running.tokens.rows()).toEqual(before)
    const { token = "" } = await result(issue({ scope: { sessions: [mine] } }))
    expect((await ask(`${running.url}/v1/sessions/${mine}`, bearer(token))).status).toBe(200)
    expect((await ask(`${running.url}/v1/sessions/${foreign}`, bearer(token))).status).toBe(403)
  })

  it("may be for one session of a workspace, and for no other workspace", async () => {
    const { mine, issue } = await scoped({ workspaces: ["/work/a"] })
    expect((await issue({ scope: { sessions: [mine] } })).status).toBe(200)
    expect((await issue({ scope: { workspaces: ["/work/a"] } })).status).toBe(200)
    expect((await issue({ scope: { sessions: ["ses_nowhere"] } })).status).toBe(403)
    expect((await issue({ scope: { workspaces: ["/work/a", "/work/b"] } })).status).toBe(403)
  })

  it("ends no later than the one that gave it", async () => {
    const until = new Date(Date.now() + 3_600_000).toISOString()
    const { mine, issue } = await scoped({}, { expires_at: until })
    const scope = { sessions: [mine] }
    const later = new Date(Date.now() + 7_200_000).toISOString()
    for (const asked of [{ scope }, { scope, expires_at: later }]) {
      expect(await issue(asked)).toMatchObject({
        status: 403,
        json: { refusal: { message: expect.stringContaining("more time") } },
      })
    }
    expect((await issue({ scope, expires_at: until })).status).toBe(200)
  })

  it("is seen and revoked only by who could have given it", async () => {
    const { running, mine, own, issue } = await scoped({})
    const wide = running.tokens.issue({ name: "wide", roles: ["viewer"] })
    const { id } = await result(issue({ scope: { sessions: [mine] } }))
    const { json } = await ask(`${running.url}/v1/tokens`, bearer(own.token))
    const { tokens } = (json as { result: { tokens: { id: string }[] } }).result
    expect(tokens.map((row) => row.id)).toEqual([own.row.id, id])
    const revoke = (which: string) =>
      ask(`${running.url}/v1/tokens/${which}`, { ...bearer(own.token), method: "DELETE" })
    expect(await revoke(wide.row.id)).toMatchObject(refusedAs("not_found", 404))
    expect((await ask(`${running.url}/v1/sessions`, bearer(wide.token))).status).toBe(200)
    expect((await revoke(id ?? "")).status).toBe(200)
  })
})

describe("expiry", () => {
  it("an expired token is refused, and says so", async () => {
    let now = Date.parse("2026-01-01T00:00:00Z")
    const running = await host({ now: () => now })
    const { token } = running.tokens.issue({
      name: "t",
      roles: ["viewer"],
      expires_at: "2026-01-01T01:00:00Z",
    })
    expect((await ask(`${running.url}/v1/sessions`, bearer(token))).status).toBe(200)
    now += 3_600_000
    expect(await ask(`${running.url}/v1/sessions`, bearer(token))).toMatchObject({
      status: 401,
      json: { refusal: { code: "unauthorized", message: "The access token has expired." } },
    })
  })

  it.each(["expired", "revoked"])("a stream ends when its token is %s", async (how) => {
    let now = Date.parse("2026-01-01T00:00:00Z")
    const running = await host({ now: () => now })
    await appendFacts(running, "ses_a", 1)
    const { token, row } = running.tokens.issue({
      name: "t",
      roles: ["viewer"],
      expires_at: "2026-01-01T01:00:00Z",
    })
    const stream = await openStream(`${running.url}/v1/sessions/ses_a/facts`, {
      authorization: `Bearer ${token}`,
    })
    await stream.until(() => stream.ids().length === 1)
    if (how === "expired") now += 3_600_000
    else running.tokens.revoke(row.id)
    running.leases.check()
    await stream.ended
  })
})

describe("scope", () => {
  async function two() {
    const running = await host({ workspace: "/work/a" })
    const [mine, foreign] = [await newSession(running), await newSession(running)]
    const { token } = running.tokens.issue({ name: "s", roles: ["admin"], scope: { sessions: [mine] } })
    return { running, mine, foreign, token }
  }

  it("its own session may be read and worked in", async () => {
    const { running, mine, token } = await two()
    for (const path of ["", "/facts", "/snapshots/session_snapshot"]) {
      const answer = await ask(`${running.url}/v1/sessions/${mine}${path}`, {
        ...bearer(token),
        ...(path === "/facts" && { method: "HEAD" }),
      })
      expect(answer.status).toBe(200)
    }
    expect(
      await send(running, token, "submit_turn", { session_id: mine, input: saying("go") }),
    ).toMatchObject({
      status: 200,
    })
  })

  it.each(["", "/facts", "/snapshots/session_snapshot", "/threads/thr_1"])(
    "a foreign session may not be read: %s",
    async (path) => {
      const { running, foreign, token } = await two()
      expect(await ask(`${running.url}/v1/sessions/${foreign}${path}`, bearer(token))).toMatchObject(
        refusedAs("not_permitted", 403),
      )
    },
  )

  it("a foreign session may not be worked in, however it is named", async () => {
    const { running, mine, foreign, token } = await two()
    const thread = JSON.parse(running.runtime.log.read(foreign, 1, 1)[0]?.text ?? "{}").thread_id
    const before = running.heads()
    for (const [name, input] of [
      ["get_session", { session_id: foreign }],
      ["submit_turn", { session_id: foreign, input: saying("go") }],
      ["submit_turn", { session_id: mine, thread_id: thread, input: saying("go") }],
      ["interrupt_turn", { session_id: foreign, reason: "no" }],
      ["submit_turn", { create: "session", input: saying("go") }],
      ["respond_action", { action_id: "act_unknown", decision: "allow" }],
    ] as const) {
      expect(await send(running, token, name, input)).toMatchObject(refusedAs("not_permitted", 403))
    }
    expect(running.heads()).toBe(before)
  })

  it("lists and the stream of all show only what is in it", async () => {
    const { running, mine, foreign, token } = await two()
    const { json } = await ask(`${running.url}/v1/sessions`, bearer(token))
    expect(json).toMatchObject({ result: { sessions: [{ session_id: mine }] } })
    const stream = await openStream(`${running.url}/v1/facts`, { authorization: `Bearer ${token}` })
    ends.push(() => stream.cut())
    await stream.until(() => stream.text().includes("turn.completed"))
    await appendFacts(running, mine, 1)
    await stream.until(() => stream.text().includes("filling"))
    expect(stream.text()).not.toContain(foreign)
  })

  it("a workspace holds the sessions that were created in it, also new ones", async () => {
    const { running, mine } = await two()
    const inside = running.tokens.issue({
      name: "w",
      roles: ["operator"],
      scope: { workspaces: ["/work/a"] },
    })
    const outside = running.tokens.issue({
      name: "w",
      roles: ["operator"],
      scope: { workspaces: ["/work/b"] },
    })
    const input = { create: "session", input: saying("go") }
    expect((await send(running, inside.token, "get_session", { session_id: mine })).status).toBe(200)
    expect((await send(running, inside.token, "submit_turn", input)).status).toBe(200)
    expect((await send(running, outside.token, "get_session", { session_id: mine })).status).toBe(403)
    expect((await send(running, outside.token, "submit_turn", input)).status).toBe(403)
  })
})

describe("limits", () => {
  it("a token that asks too often is told to wait", async () => {
    const running = await host({ limits: { requests: { perSecond: 0.001, burst: 3 } } })
    for (let i = 0; i < 3; i++) expect((await ask(`${running.url}/v1/sessions`)).status).toBe(200)
    const late = await ask(`${running.url}/v1/sessions`)
    expect(late).toMatchObject(refusedAs("rate_limited", 429))
    expect(Number(late.headers["retry-after"])).toBeGreaterThan(0)
  })

  it("an address that guesses is told to wait, and a valid token still comes through", async () => {
    const running = await host({ limits: { failures: { perSecond: 0.001, burst: 2 } } })
    const guess = () => ask(`${running.url}/v1/sessions`, bearer("guess"))
    expect([(await guess()).status, (await guess()).status, (await guess()).status]).toEqual([401, 401, 429])
    expect((await ask(`${running.url}/v1/sessions`)).status).toBe(200)
  })

  it("a bucket fills again with time", () => {
    let now = 0
    const limit = new RateLimit({ perSecond: 2, burst: 2 }, () => now)
    expect([limit.take("a"), limit.take("a"), limit.take("a")]).toEqual([0, 0, 500])
    expect(limit.take("b")).toBe(0)
    now = 500
    expect([limit.take("a"), limit.take("a")]).toEqual([0, 500])
  })

  it.each(["headers", "a body"])("%s that come too slowly are cut off", async (what) => {
    const running = await host({ times: { headersMs: 100, requestMs: 200, checkEveryMs: 20 } })
    const socket = connect(running.port, "127.0.0.1")
    const start = "POST /v1/commands/submit_turn HTTP/1.1\r\n"
    socket.write(
      what === "headers"
        ? start
        : `${start}host: 127.0.0.1:${running.port}\r\nauthorization: Bearer a-token-for-tests\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"in`,
    )
    let said = ""
    socket.on("data", (bytes) => {
      said += bytes
    })
    await new Promise((resolve) => socket.on("close", resolve))
    expect(said).toMatch(/^HTTP\/1\.1 4(08|00)/)
  })
})

describe("what is said twice", () => {
  /** The raw text, because no client would say this. */
  async function raw(running: TestHost, lines: readonly string[], body = ""): Promise<string> {
    const socket = connect(running.port, "127.0.0.1")
    socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`)
    let said = ""
    for await (const bytes of socket) said += bytes
    return said
  }
  const own = (running: TestHost) => [
    `host: 127.0.0.1:${running.port}`,
    "authorization: Bearer a-token-for-tests",
  ]

  it.each([
    ["host", "host: evil.example"],
    ["authorization", "authorization: Bearer another"],
    ["last-event-id", "last-event-id: 1\r\nlast-event-id: 2"],
  ])("a second header %s is refused", async (name, line) => {
    const running = await host()
    const said = await raw(running, ["GET /v1/sessions HTTP/1.1", ...own(running), line, "connection: close"])
    expect(said).toMatch(/^HTTP\/1\.1 400/)
    expect(said).toContain(name)
  })

  it("both lengths of a body are refused", async () => {
    const running = await host()
    const lines = [
      "POST /v1/blobs HTTP/1.1",
      ...own(running),
      "content-length: 5",
      "transfer-encoding: chunked",
    ]
    expect(await raw(running, lines, "0\r\n\r\nGET /v1/sessions HTTP/1.1\r\n\r\n")).toMatch(/^HTTP\/1\.1 400/)
  })

  it.each(["limit=1&limit=2", "before=1&limit=1&before=2"])(
    "a repeated parameter is refused: %s",
    async (query) => {
      const running = await host()
      expect(await ask(`${running.url}/v1/sessions?${query}`)).toMatchObject(refusedAs("invalid_input", 400))
    },
  )
})

describe("paths that lead out", () => {
  it.each([
    "/v1/blobs/../../token",
    "/v1/blobs/..%2f..%2ftoken",
    "/v1/blobs/sha256:..%2f..%2f..%2ftoken",
    "/../token",
    "/..%2ftoken",
    "/assets/..%2f..%2ftokens.json",
    "/assets/%2e%2e/tokens.json",
    "/.git/config",
    "/tokens.json",
    "//etc/passwd",
    "/assets/\\..\\tokens.json",
  ])("%s reaches nothing", async (path) => {
    const running = await host()
    running.tokens.issue({ name: "t", roles: ["admin"] })
    const socket = connect(running.port, "127.0.0.1")
    const lines = [`GET ${path} HTTP/1.1`, `host: 127.0.0.1:${running.port}`, "connection: close"]
    socket.write(`${lines.join("\r\n")}\r\nauthorization: Bearer a-token-for-tests\r\n\r\n`)
    let said = ""
    for await (const bytes of socket) said += bytes
    expect(said).toMatch(/^HTTP\/1\.1 (400|404)/)
    expect(said).not.toContain('digest":')
  })
})

describe("secrets", () => {
  it("are read by name from a file that only its owner may read", () => {
    const path = join(folder(), "secrets")
    expect(readSecrets(path)).toEqual({ ok: true, values: {} })
    writeFileSync(path, '# keys\nOPENAI_API_KEY=sk-1\n\n OTHER = "two words" \n', { mode: 0o600 })
    expect(readSecrets(path)).toEqual({ ok: true, values: { OPENAI_API_KEY: "sk-1", OTHER: "two words" } })
  })

  it.each([0o640, 0o604, 0o644])("a file of mode %o is refused", (mode) => {
    const path = join(folder(), "secrets")
    writeFileSync(path, "A=1\n")
    chmodSync(path, mode)
    expect(readSecrets(path)).toMatchObject({ ok: false, message: expect.stringContaining("chmod 600") })
  })

  it("a line that is none is named without being shown", () => {
    const path = join(folder(), "secrets")
    writeFileSync(path, "A=1\nsk-secret\n", { mode: 0o600 })
    const read = readSecrets(path)
    expect(read).toMatchObject({ ok: false, message: expect.stringContaining("line 2") })
    expect(JSON.stringify(read)).not.toContain("sk-secret")
  })
})

describe("where others could reach it", () => {
  const model = { provider: "none", name: "none", async *stream() {} }
  const start = (directory: string, more: object) => startHost({ directory, model, port: 0, ...more })

  it("is refused without TLS, without a token, and without a name", async () => {
    const directory = folder()
    const tls = { cert: "", key: "" }
    const refusal = async (more: object) => {
      const started = await start(directory, { address: "0.0.0.0", ...more })
      if (started.ok) throw new Error("it was started")
      return "message" in started ? `${started.code}: ${started.message}` : started.code
    }
    expect(await refusal({})).toMatch(/not_safe: .*--tls-cert/)
    expect(await refusal({ tls })).toMatch(/not_safe: .*issue a token/)
    const book = TokenBook.open(directory)
    if ("problem" in book) throw new Error(book.problem)
    book.issue({ name: "t", roles: ["viewer"] })
    expect(await refusal({ tls })).toMatch(/not_safe: .*--name/)
  })
})
