import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { refusalCodes } from "@factum/facts"
import type { Outcome } from "@factum/runtime"
import { afterEach, describe, expect, it, vi } from "vitest"
import { refusalStatus } from "../src/refusal-status.ts"
import { version } from "../src/version.ts"
import { ask, command, result, saying } from "./asking.ts"
import { factOf, type Hosting, startTestHost, temporaryDirectory } from "./hosting.ts"

const ends: (() => unknown)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function host(hosting?: Hosting) {
  const started = await startTestHost(hosting)
  ends.push(() => started.stop())
  return started
}

const withoutToken = { headers: { authorization: undefined } }

describe("commands", () => {
  it("are carried out and answered with their result", async () => {
    const { url, runtime } = await host()
    const answer = await command(url, "submit_turn", { create: "session", input: saying("hi") }, "cmd_1")
    expect(answer).toMatchObject({ status: 200, json: { ok: true, result: { status: "accepted" } } })
    expect(answer.headers["cache-control"]).toBe("no-store")
    const { session_id } = (answer.json as { result: { session_id: string } }).result
    expect(runtime.log.head(session_id)).toBeGreaterThan(0)
  })

  it("[RT-CMD-4] a repeat under its command_id gives the first result and appends nothing", async () => {
    const running = await host()
    const send = (text: string) =>
      command(running.url, "submit_turn", { create: "session", input: saying(text) }, "cmd_1")
    const first = await result(send("hi"))
    await factOf(running, first.session_id ?? "", "turn.completed")
    const before = running.heads()
    expect(await result(send("hi"))).toEqual(first)
    expect(await send("other")).toMatchObject({ status: 409, json: { refusal: { code: "conflict" } } })
    expect(running.heads()).toBe(before)
  })

  it.each(["remove_queued_turn", "promote_queued_turn"])(
    "[RT-CMD-3] wrong_state: %s of a turn that has started appends nothing and names the state",
    async (name) => {
      const script = '{"on":"wait"}\n{"text":"I begin."}\n{"delay_ms":3600000}\n{"on":""}\n{"text":"Yes."}'
      const running = await host({ script })
      const submit = (input: object) => result(command(running.url, "submit_turn", input))
      const { session_id = "", thread_id } = await submit({ create: "session", input: saying("wait") })
      const { queued_turn_id } = await submit({ session_id, thread_id, input: saying("next") })
      await command(running.url, "interrupt_turn", { session_id, reason: "enough" })
      await factOf(running, session_id, "turn.completed")
      const before = running.heads()
      const late = await command(running.url, name, { session_id, thread_id, queued_turn_id })
      expect(late).toMatchObject({
        status: 409,
        json: { ok: false, refusal: { code: "wrong_state", id: queued_turn_id, state: "started" } },
      })
      expect(running.heads()).toBe(before)
    },
  )

  it.each(Object.entries(refusalStatus))(
    "a refusal %s has the status %i and is passed on",
    async (code, status) => {
      const refusal = {
        code,
        message: "Because.",
        field: "input.a",
        id: "x",
        state: "done",
        fix: "Do it so.",
      }
      const over = { execute: async () => ({ ok: false, refusal }) as Outcome }
      const { url } = await host({ over })
      expect(await command(url, "any", {})).toMatchObject({ status, json: { ok: false, refusal } })
    },
  )

  it("every code of the table has a status of its kind", () => {
    expect(Object.keys(refusalStatus).sort()).toEqual(
      [...refusalCodes, "internal_error", "rate_limited"].sort(),
    )
    for (const status of Object.values(refusalStatus)) expect(status).toBeGreaterThanOrEqual(400)
  })

  it("a defect is answered without its details, which are logged", async () => {
    const said = vi.spyOn(console, "error").mockReturnValue(undefined)
    ends.push(() => said.mockRestore())
    const defect = new Error("a secret of line 42")
    const { url } = await host({ over: { execute: () => Promise.reject(defect) } })
    const { status, json, bytes } = await command(url, "any", {})
    expect(status).toBe(500)
    expect(json).toMatchObject({ ok: false, refusal: { code: "internal_error" } })
    expect(bytes.toString()).not.toMatch(/secret|line 42|\.ts/)
    expect(said).toHaveBeenCalledExactlyOnceWith(defect)
  })
})

describe("sessions", () => {
  it("are listed newest first, in pages", async () => {
    const running = await host()
    const made: string[] = []
    for (const text of ["one", "two", "three"]) {
      const { session_id = "" } = await result(
        command(running.url, "submit_turn", { create: "session", input: saying(text) }),
      )
      await factOf(running, session_id, "turn.completed")
      made.unshift(session_id)
    }
    const list = async (query: string) => {
      const { json } = await ask(`${running.url}/v1/sessions${query}`)
      return (json as { result: { sessions: { session_id: string; position: number }[] } }).result.sessions
    }
    expect((await list("")).map((row) => row.session_id)).toEqual(made)
    const first = await list("?limit=2")
    expect(first.map((row) => row.session_id)).toEqual(made.slice(0, 2))
    const rest = await list(`?limit=2&before=${first[1]?.position}`)
    expect(rest.map((row) => row.session_id)).toEqual(made.slice(2))
  })
})

describe("blobs", () => {
  const content = Buffer.from([...Array(256).keys()])

  async function stored() {
    const { url } = await host()
    const put = await ask(`${url}/v1/blobs`, { body: content, headers: { "content-type": undefined } })
    const { digest = "", bytes } = (put.json as { result: { digest: string; bytes: number } }).result
    expect(bytes).toBe(256)
    return { url: `${url}/v1/blobs/${digest}`, digest }
  }

  it("come back byte for byte, as a file that no browser shows", async () => {
    const { url, digest } = await stored()
    expect(digest).toBe("sha256:40aff2e9d2d8922e47afd4648e6967497158785fbd1da870e7110266bf944880")
    const got = await ask(url)
    expect(got.bytes).toEqual(content)
    expect(got.headers).toMatchObject({
      "content-type": "application/octet-stream",
      "content-disposition": "attachment",
      "x-content-type-options": "nosniff",
      "cache-control": "private, max-age=31536000, immutable",
      "content-length": "256",
    })
  })

  it.each([
    ["bytes=0-9", 0, 10, "bytes 0-9/*"],
    ["bytes=250-", 250, 256, "bytes 250-255/*"],
    ["bytes=250-999", 250, 256, "bytes 250-255/*"],
    ["bytes=-6", 250, 256, "bytes 250-255/256"],
    ["bytes=-999", 0, 256, "bytes 0-255/256"],
    ["bytes=255-255", 255, 256, "bytes 255-255/*"],
  ])("Range %s gives a part", async (range, from, to, contentRange) => {
    const { url } = await stored()
    const got = await ask(url, { headers: { range } })
    expect(got).toMatchObject({ status: 206, headers: { "content-range": contentRange } })
    expect(got.bytes).toEqual(content.subarray(from, to))
  })

  it.each(["bytes=5-1", "bytes=0-1,5-6", "lines=0-1", "bytes=-", "bytes=a-b"])(
    "Range %s is ignored",
    async (range) => {
      const { url } = await stored()
      const got = await ask(url, { headers: { range } })
      expect(got.status).toBe(200)
      expect(got.bytes).toEqual(content)
    },
  )

  it.each(["bytes=256-", "bytes=-0"])("Range %s holds no byte", async (range) => {
    const { url } = await stored()
    expect(await ask(url, { headers: { range } })).toMatchObject({
      status: 416,
      json: { refusal: { code: "invalid_input", field: "Range" } },
    })
  })

  it("that cannot be stored are refused", async () => {
    const blobs = {
      put: async () => ({ ok: false as const, reason: "no space" }),
      read: async () => undefined,
      receive: async () => ({ ok: false as const, code: "write_failed" as const, reason: "no space" }),
      get: () => undefined,
    }
    const { url } = await host({ over: { blobs } })
    expect(await ask(`${url}/v1/blobs`, { body: content })).toMatchObject({
      status: 507,
      json: { refusal: { code: "write_failed", message: "The bytes were not stored: no space" } },
    })
  })
})

describe("health", () => {
  it("says the name and the version to whoever asks, and no more", async () => {
    const { url } = await host()
    const { status, json } = await ask(`${url}/v1/health`, withoutToken)
    expect({ status, json }).toEqual({ status: 200, json: { ok: true, name: "factum", version } })
  })
})

describe("capabilities", () => {
  it("are the commands that are carried out here, and none that would be refused as unavailable", async () => {
    const { url } = await host()
    const { status, json } = await ask(`${url}/v1/capabilities`)
    const some = ["submit_turn", "interrupt_turn", "get_session", "terminate_process"]
    expect({ status, json }).toEqual({
      status: 200,
      json: { ok: true, result: { commands: expect.arrayContaining(some), demonstrations: false } },
    })
    expect(json).not.toMatchObject({ result: { commands: expect.arrayContaining(["spawn_subagent"]) } })
    const spawn = { session_id: "ses_1", thread_id: "thr_1", turn_id: "trn_1", agent: "a", objective: "b" }
    expect(
      await ask(`${url}/v1/commands/spawn_subagent`, {
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ input: spawn }),
      }),
    ).toMatchObject({ status: 503, json: { refusal: { code: "unavailable" } } })
    expect((await ask(`${url}/v1/capabilities`, withoutToken)).status).toBe(401)
  })
})

describe("pages", () => {
  function workbench() {
    const directory = temporaryDirectory()
    ends.push(directory.remove)
    mkdirSync(join(directory.path, "dist", "assets"), { recursive: true })
    writeFileSync(join(directory.path, "dist", "index.html"), "<title>Factum</title>")
    writeFileSync(join(directory.path, "dist", "assets", "index-abc123.js"), "export {}")
    writeFileSync(join(directory.path, "dist", ".built"), "hidden")
    writeFileSync(join(directory.path, "outside"), "secret")
    return join(directory.path, "dist")
  }

  it("the page is asked for anew each time, its assets are kept for good", async () => {
    const { url } = await host({ workbench: workbench() })
    expect(await ask(`${url}/`, withoutToken)).toMatchObject({
      status: 200,
      bytes: Buffer.from("<title>Factum</title>"),
      headers: { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" },
    })
    expect(await ask(`${url}/assets/index-abc123.js`, withoutToken)).toMatchObject({
      status: 200,
      bytes: Buffer.from("export {}"),
      headers: {
        "content-type": "text/javascript; charset=utf-8",
        "cache-control": "public, max-age=31536000, immutable",
      },
    })
  })

  it.each([
    "/../outside",
    "/%2e%2e/outside",
    "/assets/..%2f..%2foutside",
    "/.built",
    "/%2ebuilt",
    "/nothing.js",
  ])("nothing else is given: %s", async (path) => {
    const { url } = await host({ workbench: workbench() })
    const { status, bytes } = await ask(url + path, withoutToken)
    expect(status).toBe(404)
    expect(bytes.toString()).not.toMatch(/secret|hidden/)
  })

  it("a workbench that is not built is said so, with the way to build it", async () => {
    const { url } = await host()
    const { status, bytes } = await ask(`${url}/`, withoutToken)
    expect({ status, text: bytes.toString() }).toEqual({
      status: 503,
      text: "The workbench is not built: stop Factum and start it with `npm start`.\n",
    })
  })

  it.each(["/", "/v1/sessions", "/v1/nothing", "/nothing"])(
    "%s carries the headers that keep other sites and scripts out",
    async (path) => {
      const { url } = await host({ workbench: workbench() })
      const { headers } = await ask(url + path)
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
      })
      const policy = headers["content-security-policy"]
      expect(policy).toContain("script-src 'self';")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain("unsafe")
      expect(headers["access-control-allow-origin"]).toBeUndefined()
    },
  )
})

describe("previews", () => {
  it("[UI-SAFE-3] gives a page once, without any right, and under a policy that draws its styles", async () => {
    const { url } = await host()
    const html = "<style>h1 { color: red }</style><h1>汉字</h1>"
    const kept = await ask(`${url}/v1/previews`, { method: "POST", body: JSON.stringify({ html }) })
    const { path } = (kept.json as { result: { path: string } }).result
    expect(path).toMatch(/^\/previews\/[\w-]{32}$/)
    const first = await ask(url + path, withoutToken)
    expect(first).toMatchObject({
      status: 200,
      bytes: Buffer.from(html),
      headers: {
        "content-type": "text/html; charset=utf-8",
        "x-frame-options": "SAMEORIGIN",
        "x-content-type-options": "nosniff",
        "cache-control": "no-store",
      },
    })
    const policy = first.headers["content-security-policy"]
    for (const part of [
      "sandbox;",
      "default-src 'none';",
      "style-src 'unsafe-inline';",
      "form-action 'none'",
    ])
      expect(policy).toContain(part)
    expect(await ask(url + path, withoutToken)).toMatchObject({ status: 404 })
  })

  it("[UI-SAFE-3] are taken from nobody without a token, and keep no more than wait to be shown", async () => {
    const { url } = await host()
    const keep = async (html: string) =>
      ask(`${url}/v1/previews`, { method: "POST", body: JSON.stringify({ html }) })
    expect(await ask(`${url}/v1/previews`, { method: "POST", body: "{}", ...withoutToken })).toMatchObject({
      status: 401,
    })
    const paths: string[] = []
    for (let n = 0; n < 20; n++)
      paths.push(((await keep(`page ${n}`)).json as { result: { path: string } }).result.path)
    expect(await ask(url + paths[0], withoutToken)).toMatchObject({ status: 404 })
    expect(await ask(url + paths[19], withoutToken)).toMatchObject({
      status: 200,
      bytes: Buffer.from("page 19"),
    })
  })
})

describe("closing", () => {
  it("takes no more commands", async () => {
    const running = await host()
    running.beginClosing()
    const before = running.heads()
    expect(
      await command(running.url, "submit_turn", { create: "session", input: saying("a") }),
    ).toMatchObject({
      status: 503,
      json: { refusal: { code: "unavailable" } },
    })
    expect(running.heads()).toBe(before)
  })
})
