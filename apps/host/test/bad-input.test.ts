import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { BLOB_LIMIT } from "../src/blobs.ts"
import { COMMAND_LIMIT } from "../src/commands.ts"
import { type Asked, ask, command, result, saying } from "./asking.ts"
import { factOf, startTestHost, type TestHost, token } from "./hosting.ts"

type Known = { session_id: string; thread_id: string; turn_id: string }

const script = `
{"on":"wait"}
{"text":"I begin."}
{"delay_ms":3600000}
{"on":""}
{"text":"Yes."}`

let host: TestHost
let mine: Known
let foreign: Known & { queued_turn_id: string }
let before: string

beforeAll(async () => {
  host = await startTestHost({ script })
  mine = await newSession("hello")
  await factOf(host, mine.session_id, "turn.completed")
  const other = await newSession("wait")
  await factOf(host, other.session_id, "model.delta")
  const queued = await result(
    command(host.url, "submit_turn", {
      session_id: other.session_id,
      thread_id: other.thread_id,
      input: saying("next"),
    }),
  )
  foreign = { ...other, queued_turn_id: queued.queued_turn_id ?? "" }
})
afterAll(() => host.stop())
beforeEach(() => {
  before = host.heads()
})
// Whatever was wrong, it left no trace.
afterEach(() => expect(host.heads()).toBe(before))

async function newSession(text: string): Promise<Known> {
  const made = await result(command(host.url, "submit_turn", { create: "session", input: saying(text) }))
  const { session_id = "", thread_id = "", turn_id = "" } = made
  return { session_id, thread_id, turn_id }
}

async function refused(path: string, asked: Asked = {}) {
  const { status, json } = await ask(host.url + path, asked)
  const { ok, refusal } = json as { ok: boolean; refusal: { code: string; field?: string; message: string } }
  expect(ok).toBe(false)
  expect(refusal.message).toMatch(/\S/)
  return { status, code: refusal.code, ...("field" in refusal && { field: refusal.field }) }
}

function refusedCommand(name: string, input: unknown) {
  return refused(`/v1/commands/${name}`, { body: JSON.stringify({ input }) })
}

describe("unknown command", () => {
  it.each(["fly_to_the_moon", "constructor", "__proto__", "submit_turn%00", "SUBMIT_TURN"])(
    "[RT-CMD-3] unknown_command: %s",
    async (name) => {
      expect(await refusedCommand(name, {})).toEqual({ status: 404, code: "unknown_command", field: "name" })
    },
  )

  it.each([
    ["GET", "/v1/commands/submit_turn"],
    ["POST", "/v1/sessions"],
    ["DELETE", "/v1/sessions/ses_1/facts"],
    ["GET", "/v1/nothing"],
    ["GET", "/v1/"],
    ["PUT", "/v1/health"],
    ["POST", "/"],
  ])("no route: %s %s", async (method, path) => {
    expect(await refused(path, { method })).toEqual({ status: 404, code: "not_found", field: "path" })
  })
})

describe("missing or ill-typed field", () => {
  it.each([
    ["no input parts", {}, "input.input"],
    ["empty input parts", { create: "session", input: [] }, "input.input"],
    ["parts that are text", { create: "session", input: "hello" }, "input.input"],
    ["a part of unknown kind", { create: "session", input: [{ kind: "smell" }] }, "input.input.0.kind"],
    ["a part without text", { create: "session", input: [{ kind: "text" }] }, "input.input.0.text"],
    ["a number for an id", { session_id: 7, input: saying("a") }, "input.session_id"],
    ["an id with a blank", { session_id: "a b", input: saying("a") }, "input.session_id"],
    ["an unknown policy", { create: "world", input: saying("a") }, "input.create"],
    ["a field that does not exist", { create: "session", input: saying("a"), hurry: true }, "input.hurry"],
    ["no session and no policy", { input: saying("a") }, "input.session_id"],
    ["null", null, "input"],
    ["a list", [], "input"],
  ])("[RT-CMD-3] invalid_input: %s", async (_, input, field) => {
    expect(await refusedCommand("submit_turn", input)).toEqual({ status: 400, code: "invalid_input", field })
  })

  it.each([
    ["a list for the body", "[]", "body"],
    ["text for the body", '"hello"', "body"],
    ["no input", "{}", "input"],
    ["a number for command_id", '{"command_id":1,"input":{}}', "command_id"],
    ["a field beside input", '{"input":{},"extra":1}', "extra"],
  ])("[RT-CMD-3] invalid_input: %s", async (_, body, field) => {
    expect(await refused("/v1/commands/submit_turn", { body })).toEqual({
      status: 400,
      code: "invalid_input",
      field,
    })
  })

  it.each([
    ["text/plain", "text/plain"],
    ["a form", "application/x-www-form-urlencoded"],
    ["none", undefined],
    ["another charset", "application/json; charset=latin1"],
  ])("a command that is not sent as JSON: %s", async (_, type) => {
    const body = JSON.stringify({ input: { create: "session", input: saying("a") } })
    const asked = { body, headers: { "content-type": type } }
    expect(await refused("/v1/commands/submit_turn", asked)).toEqual({
      status: 400,
      code: "invalid_input",
      field: "Content-Type",
    })
  })

  it.each(["0", "1001", "abc", "1e2", ""])("a session with limit=%s", async (limit) => {
    const { status, json } = await ask(`${host.url}/v1/sessions/ses_any?limit=${limit}`)
    const message = "limit is a whole number from 1 to 1000."
    expect({ status, json }).toEqual({
      status: 400,
      json: { ok: false, refusal: { code: "invalid_input", message, field: "limit" } },
    })
  })

  it.each(["0", "501", "-1", "1.5", "ten", ""])("a list of sessions with limit=%s", async (limit) => {
    expect(await refused(`/v1/sessions?limit=${limit}`)).toEqual({
      status: 400,
      code: "invalid_input",
      field: "limit",
    })
  })
})

describe("foreign ids", () => {
  it("[RT-CMD-3] not_found: a session that is not known", async () => {
    const input = { session_id: "ses_nobody", thread_id: "thr_nobody" }
    expect(await refusedCommand("get_thread_read", input)).toEqual({
      status: 404,
      code: "not_found",
      field: "input.session_id",
    })
  })

  it("[RT-CMD-3] not_found: a thread that is not known", async () => {
    const input = { session_id: mine.session_id, thread_id: "thr_nobody", input: saying("a") }
    expect(await refusedCommand("submit_turn", input)).toEqual({
      status: 404,
      code: "not_found",
      field: "input.thread_id",
    })
  })

  it("[RT-CMD-3] scope_mismatch: a turn for a thread of another session", async () => {
    const input = { session_id: mine.session_id, thread_id: foreign.thread_id, input: saying("a") }
    expect(await refusedCommand("submit_turn", input)).toEqual({
      status: 422,
      code: "scope_mismatch",
      field: "input.thread_id",
    })
  })

  it("[RT-CMD-3] scope_mismatch: reading a thread of another session", async () => {
    const input = { session_id: mine.session_id, thread_id: foreign.thread_id }
    expect(await refusedCommand("get_thread_read", input)).toEqual({
      status: 422,
      code: "scope_mismatch",
      field: "input.thread_id",
    })
  })

  it("[RT-CMD-3] scope_mismatch: interrupting a turn of another session", async () => {
    const input = { session_id: mine.session_id, turn_id: foreign.turn_id, reason: "enough" }
    expect(await refusedCommand("interrupt_turn", input)).toEqual({
      status: 422,
      code: "scope_mismatch",
      field: "input.turn_id",
    })
  })

  it.each(["remove_queued_turn", "promote_queued_turn"])(
    "[RT-CMD-3] scope_mismatch: %s of another session",
    async (name) => {
      const { session_id, thread_id } = mine
      const input = { session_id, thread_id, queued_turn_id: foreign.queued_turn_id }
      expect(await refusedCommand(name, input)).toEqual({
        status: 422,
        code: "scope_mismatch",
        field: "input.queued_turn_id",
      })
    },
  )

  it("facts of a session that is not known", async () => {
    expect(await refused("/v1/sessions/ses_nobody/facts")).toEqual({
      status: 404,
      code: "not_found",
      field: "session_id",
    })
  })

  it("the runtime's own stream is no session", async () => {
    expect(await refused(`/v1/sessions/${host.runtime.runtime_id}/facts`)).toMatchObject({
      code: "not_found",
    })
  })

  it("a blob that is not known", async () => {
    expect(await refused(`/v1/blobs/sha256:${"0".repeat(64)}`)).toEqual({
      status: 404,
      code: "not_found",
      field: "digest",
    })
  })

  it.each(["sha256:abc", "md5:0", "..%2f..%2ftoken", `sha256:${"G".repeat(64)}`])(
    "a digest that is none: %s",
    async (digest) => {
      expect(await refused(`/v1/blobs/${digest}`)).toEqual({
        status: 400,
        code: "invalid_input",
        field: "digest",
      })
    },
  )
})

describe("stale cursor", () => {
  it.each(["99999", "-1", "1.5", "abc", "", "9".repeat(17), "0x1"])("facts after=%s", async (after) => {
    expect(await refused(`/v1/sessions/${mine.session_id}/facts?after=${after}`)).toEqual({
      status: 400,
      code: "bad_cursor",
      field: "after",
    })
  })

  it.each(["99999", "abc"])("facts with Last-Event-ID %s", async (last) => {
    const asked = { headers: { "last-event-id": last } }
    expect(await refused(`/v1/sessions/${mine.session_id}/facts?after=0`, asked)).toEqual({
      status: 400,
      code: "bad_cursor",
      field: "Last-Event-ID",
    })
  })

  it("history before a cursor of another session", async () => {
    const page = await ask(`${host.url}/v1/commands/get_session`, {
      body: JSON.stringify({ input: { session_id: foreign.session_id, limit: 1 } }),
    })
    const { next_cursor } = (page.json as { result: { next_cursor: string } }).result
    const input = { session_id: mine.session_id, before: next_cursor }
    expect(await refusedCommand("get_session", input)).toEqual({
      status: 400,
      code: "bad_cursor",
      field: "input.before",
    })
  })

  it("sessions before what is no position", async () => {
    expect(await refused("/v1/sessions?before=yesterday")).toEqual({
      status: 400,
      code: "bad_cursor",
      field: "before",
    })
  })
})

describe("oversized body", () => {
  const tooLarge = { status: 413, code: "too_large", field: "body" }

  /** A whole command of exactly so many bytes. */
  function commandOf(bytes: number): Buffer {
    const [head, tail] = JSON.stringify({ input: { hurry: "@" } }).split("@") as [string, string]
    return Buffer.from(head + "a".repeat(bytes - head.length - tail.length) + tail)
  }

  it("a command of one byte more than a mebibyte", async () => {
    expect(await refused("/v1/commands/submit_turn", { body: commandOf(COMMAND_LIMIT + 1) })).toEqual(
      tooLarge,
    )
  })

  it("a command of one byte more than a mebibyte in chunks, its length unsaid", async () => {
    const body = commandOf(COMMAND_LIMIT + 1)
    const chunks = [body.subarray(0, 1000), body.subarray(1000, COMMAND_LIMIT), body.subarray(COMMAND_LIMIT)]
    expect(await refused("/v1/commands/submit_turn", { chunks })).toEqual(tooLarge)
  })

  it("a command of a mebibyte is not too large", async () => {
    expect(await refused("/v1/commands/submit_turn", { body: commandOf(COMMAND_LIMIT) })).toMatchObject({
      code: "invalid_input",
    })
  })

  it("a blob of more than 64 MiB, refused by its announced length", async () => {
    const headers = { "content-length": String(BLOB_LIMIT + 1), connection: "close" }
    expect(await refused("/v1/blobs", { method: "POST", headers })).toEqual(tooLarge)
  })

  it("a blob of more than 64 MiB in chunks, its length unsaid", async () => {
    const chunks = Array.from({ length: 65 }, () => Buffer.alloc(1024 * 1024))
    expect(await refused("/v1/blobs", { chunks })).toEqual(tooLarge)
  })
})

describe("broken text", () => {
  const broken = { status: 400, code: "invalid_input", field: "body" }
  const submission = (text: Buffer) =>
    Buffer.concat([
      Buffer.from('{"input":{"create":"session","input":[{"kind":"text","text":"'),
      text,
      Buffer.from('"}]}}'),
    ])

  it.each([
    ["a lone continuation byte", [0x80]],
    ["an overlong form", [0xc0, 0xaf]],
    ["half a character", [0xe4, 0xbd]],
    ["a surrogate", [0xed, 0xa0, 0x80]],
    ["a byte that is never used", [0xff]],
  ])("broken UTF-8: %s", async (_, bytes) => {
    const body = submission(Buffer.from(bytes))
    expect(await refused("/v1/commands/submit_turn", { body })).toEqual(broken)
  })

  it.each([
    ["nothing", ""],
    ["half of it", '{"input":{"create":"ses'],
    ["a control character", submission(Buffer.from([0x01]))],
    ["a hundred thousand brackets", "[".repeat(100_000) + "]".repeat(100_000)],
    ["deep input", `{"input":${'{"a":'.repeat(5000)}1${"}".repeat(5000)}}`],
  ])("broken JSON: %s", async (_, body) => {
    expect(await refused("/v1/commands/submit_turn", { body })).toEqual(broken)
  })
})

const guarded = [
  ["POST", "/v1/commands/submit_turn"],
  ["GET", "/v1/sessions"],
  ["GET", "/v1/sessions/ses_any/facts"],
  ["POST", "/v1/blobs"],
  ["GET", `/v1/blobs/sha256:${"0".repeat(64)}`],
  ["GET", "/v1/nothing"],
] as const
const submission = JSON.stringify({ input: { create: "session", input: saying("a") } })
const bodyOf = (method: string) => (method === "POST" ? { body: submission } : {})

describe("wrong or missing token", () => {
  const unauthorized = { status: 401, code: "unauthorized", field: "Authorization" }

  it.each(guarded)("no token: %s %s", async (method, path) => {
    const asked = { method, headers: { authorization: undefined }, ...bodyOf(method) }
    expect(await refused(path, asked)).toEqual(unauthorized)
    expect((await ask(host.url + path, asked)).headers["www-authenticate"]).toBe("Bearer")
  })

  it.each([
    ["another", "Bearer another"],
    ["longer by a letter", `Bearer ${token}a`],
    ["shorter by a letter", `Bearer ${token.slice(0, -1)}`],
    ["in capitals", `Bearer ${token.toUpperCase()}`],
    ["another scheme", `Basic ${token}`],
    ["no scheme", token],
    ["empty", "Bearer "],
  ])("a token that is %s", async (_, authorization) => {
    const asked = { headers: { authorization }, body: submission }
    expect(await refused("/v1/commands/submit_turn", asked)).toEqual(unauthorized)
  })

  it("a token in the address is not taken", async () => {
    const asked = { headers: { authorization: undefined } }
    expect(await refused(`/v1/sessions?token=${token}`, asked)).toEqual(unauthorized)
  })
})

describe("foreign Origin or Host", () => {
  it.each([
    ["another site", () => "http://evil.example"],
    ["no site", () => "null"],
    ["another port", () => `http://127.0.0.1:${host.port + 1}`],
    ["another scheme", () => `https://127.0.0.1:${host.port}`],
    ["another name of this host", () => `http://localhost:${host.port}`],
    ["a name that begins alike", () => `http://127.0.0.1:${host.port}.evil.example`],
  ])("Origin: %s", async (_, origin) => {
    const asked = { headers: { origin: origin() }, body: submission }
    const foreign = { status: 403, code: "not_permitted", field: "Origin" }
    expect(await refused("/v1/commands/submit_turn", asked)).toEqual(foreign)
  })

  it.each([
    ["another name", () => "evil.example"],
    ["another name with the port", () => `evil.example:${host.port}`],
    ["no port", () => "127.0.0.1"],
    ["another port", () => `127.0.0.1:${host.port + 1}`],
    ["a name that begins alike", () => `localhost.evil.example:${host.port}`],
  ])("Host: %s", async (_, name) => {
    const asked = { headers: { host: name() }, body: submission }
    const foreign = { status: 403, code: "not_permitted", field: "Host" }
    expect(await refused("/v1/commands/submit_turn", asked)).toEqual(foreign)
  })

  it("Host: what cannot be a name", async () => {
    const asked = { headers: { host: "a b@c/d" }, body: submission }
    const invalid = { status: 400, code: "invalid_input", field: "Host" }
    expect(await refused("/v1/commands/submit_turn", asked)).toEqual(invalid)
  })

  it.each(["/", "/v1/health", "/assets/x.js"])("also where no token is needed: %s", async (path) => {
    expect(await refused(path, { headers: { host: "evil.example" } })).toMatchObject({ field: "Host" })
    expect(await refused(path, { headers: { origin: "http://evil.example" } })).toMatchObject({
      field: "Origin",
    })
  })

  it.each(["127.0.0.1", "localhost"])("its own names are taken: %s", async (name) => {
    const headers = { host: `${name}:${host.port}`, origin: `http://${name}:${host.port}` }
    expect((await ask(`${host.url}/v1/sessions`, { headers })).status).toBe(200)
  })
})
