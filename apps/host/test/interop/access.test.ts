import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import type { Role } from "../../src/access/grant.ts"
import { ask } from "../asking.ts"
import { factOf, startTestHost, type TestHost } from "../hosting.ts"
import { model, type Work, workIn } from "./given.ts"

let work: Work
let host: TestHost
beforeEach(async () => {
  work = workIn()
  host = await startTestHost({ model: model(), agent: work.agent, workspace: "here" })
})
afterEach(async () => {
  await host.stop()
  work.remove()
})

const holder = (role: Role, scope = {}) => host.tokens.issue({ name: role, roles: [role], scope }).token
const post = (path: string, token: string, body: object) =>
  ask(`${host.url}/v1${path}`, {
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  })

const agUi = (text: string) => ({
  threadId: "t1",
  runId: "r1",
  messages: [{ id: "m1", role: "user", content: text }],
})
const aiSdk = (text: string) => ({
  id: "t1",
  messages: [{ id: "m1", role: "user", parts: [{ type: "text", text }] }],
})
const peers = [
  { path: "/ag-ui", said: agUi },
  { path: "/ai-sdk/chat", said: aiSdk },
]
const sentBy = (title: string) => ({
  refs: [{ uri: expect.stringMatching(/^factum:actor\/tok_/), title }],
})
const notPermitted = { status: 403, json: { ok: false, refusal: { code: "not_permitted" } } }

/** A session in which a tool waits for leave. */
async function asking() {
  await post("/ag-ui", holder("operator"), agUi("Write a note"))
  const [session] = host.runtime.sessions({ limit: 1 }).sessions
  const session_id = session?.session_id ?? ""
  const { action_id } = await factOf<{ action_id: string }>(host, session_id, "action.required")
  return { session_id, action_id }
}

const answered = (interruptId: string) => ({
  threadId: "t1",
  runId: "r2",
  messages: [],
  resume: [{ interruptId, status: "resolved", payload: { approved: true } }],
})

describe("tokens at the endpoints of other protocols", () => {
  test.each(peers)("a viewer submits nothing through $path", async ({ path, said }) => {
    const before = host.heads()
    expect(await post(path, holder("viewer"), said("Hello"))).toMatchObject(notPermitted)
    expect(host.heads()).toBe(before)
  })

  test.each(["viewer", "operator"] as const)("a %s approves nothing", async (role) => {
    const { action_id } = await asking()
    const before = host.heads()
    expect(await post("/ag-ui", holder(role), answered(action_id))).toMatchObject(notPermitted)
    expect(host.heads()).toBe(before)
  })

  test("an approver approves, and the fact names it", async () => {
    const { session_id, action_id } = await asking()
    const { status } = await post("/ag-ui", holder("approver"), answered(action_id))
    expect(status).toBe(200)
    expect(await factOf(host, session_id, "action.resolved")).toMatchObject(sentBy("approver"))
  })

  test.each(peers)("a turn through $path names who submitted it", async ({ path, said }) => {
    await post(path, holder("operator"), said("Hello"))
    const [session] = host.runtime.sessions({ limit: 1 }).sessions
    const submitted = await factOf(host, session?.session_id ?? "", "turn.submitted")
    expect(submitted).toMatchObject(sentBy("operator"))
  })

  test.each(peers)("a foreign scope opens no session through $path", async ({ path, said }) => {
    const foreign = holder("operator", { workspaces: ["elsewhere"] })
    expect(await post(path, foreign, said("Hello"))).toMatchObject(notPermitted)
    expect((await post(path, holder("operator", { workspaces: ["here"] }), said("Hello"))).status).toBe(200)
  })

  test("a chat is resumed by those alone whose scope holds it", async () => {
    const { session_id } = await asking()
    const read = (scope: object) =>
      ask(`${host.url}/v1/ai-sdk/chat/${session_id}/stream`, {
        method: "GET",
        headers: { authorization: `Bearer ${holder("viewer", scope)}` },
      })
    expect(await read({ sessions: ["ses_other"] })).toMatchObject(notPermitted)
    const own = await read({ sessions: [session_id] })
    expect(own.status).toBe(200)
    expect(own.bytes.toString()).toContain("write_file")
  })
})

describe("what one request may cost", () => {
  const many = (count: number, id: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => ({
      interruptId: id(index),
      status: "resolved",
      payload: { approved: true },
    }))
  const approvals = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      type: "tool-write_file",
      toolCallId: `call${index}`,
      state: "approval-responded",
      approval: { id: `act_${index}`, approved: true },
    }))

  test("more than a hundred answers are refused", async () => {
    const asked = { ...answered("act_0"), resume: many(101, (index) => `act_${index}`) }
    const tooMany = { status: 400, json: { refusal: { code: "invalid_input" } } }
    expect(await post("/ag-ui", holder("approver"), asked)).toMatchObject(tooMany)
    const messages = [{ id: "m1", role: "assistant", parts: approvals(101) }]
    expect(await post("/ai-sdk/chat", holder("approver"), { id: "t1", messages })).toMatchObject(tooMany)
  })

  test("nothing is looked through for who may not answer or submit, nor for an action that does not exist", async () => {
    const { session_id, action_id } = await asking()
    const reads = vi.spyOn(host.runtime.log, "readBefore")
    const resume = many(100, () => action_id)
    expect(await post("/ag-ui", holder("viewer"), { ...answered(action_id), resume })).toMatchObject(
      notPermitted,
    )
    expect(await post("/ag-ui", holder("viewer"), agUi("Write a note"))).toMatchObject(notPermitted)
    const unknown = { ...answered("act_none"), resume: many(100, (index) => `act_none${index}`) }
    expect((await post("/ag-ui", holder("approver"), unknown)).status).toBe(404)
    expect(reads).not.toHaveBeenCalled()
    expect((await post("/ag-ui", holder("approver"), { ...answered(action_id), resume })).status).toBe(200)
    expect(reads.mock.calls.length).toBeLessThan(5)
    await factOf(host, session_id, "action.resolved")
  })
})
