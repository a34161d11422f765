import { type AgentUiState, createViews, emptyState, reduce } from "@factum/agent-ui"
import { fromRuntime } from "@factum/agent-ui/adapters/runtime"
import { bind, type Client, createClient, type Fact, factsOf } from "@factum/client"
import { parseScript, scriptedModel } from "@factum/runtime/scripted"
import { afterEach, describe, expect, test } from "vitest"
import { startHost } from "../src/host.ts"
import { factOf, startTestHost, type TestHost, temporaryDirectory, token } from "./hosting.ts"

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function hosted(): Promise<{ host: TestHost; client: Client }> {
  const host = await startTestHost()
  ends.push(() => host.stop())
  return { host, client: createClient({ url: host.url, token }) }
}

const saying = (text: string) => [{ kind: "text" as const, text }]

async function told(host: TestHost, client: Client, turns = 1): Promise<string> {
  const begun = await client.command("submit_turn", { create: "session", input: saying("hello") })
  if (!begun.ok) throw new Error(begun.refusal.message)
  const { session_id, thread_id } = begun.result
  await factOf(host, session_id, "turn.completed")
  for (let count = 2; count <= turns; count++) {
    await client.command("submit_turn", { session_id, thread_id, input: saying(`turn ${count}`) })
    await factOf(host, session_id, "turn.completed", count)
  }
  return session_id
}

describe("the client over HTTP", () => {
  test("a command sent twice under its id is carried out once", async () => {
    const { client } = await hosted()
    const send = () =>
      client.command("submit_turn", { create: "session", input: saying("hello") }, { command_id: "cmd_1" })
    expect(await send()).toEqual(await send())
    expect(await client.sessions()).toMatchObject({ ok: true, result: { sessions: [{}] } })
  })

  test("bytes go up and come back, whole and in part", async () => {
    const { client } = await hosted()
    const bytes = new TextEncoder().encode("0123456789")
    const put = await client.upload(bytes)
    if (!put.ok) throw new Error(put.refusal.message)
    expect(await client.blob(put.result.digest)).toEqual({ ok: true, result: bytes })
    const part = await client.blob(put.result.digest, { from: 2, to: 5 })
    expect(part.ok && new TextDecoder().decode(part.result)).toBe("234")
    expect(await client.blob(`sha256:${"0".repeat(64)}`)).toMatchObject({
      ok: false,
      refusal: { code: "not_found" },
    })
  })

  test("an address is taken as the host prints it", async () => {
    const { host } = await hosted()
    const client = createClient({ url: `${host.url}/`, token })
    expect(await client.sessions()).toMatchObject({ ok: true })
  })

  test("nobody there is an answer, not an exception", async () => {
    const client = createClient({ url: "http://127.0.0.1:1", token: "x" })
    expect(await client.sessions()).toMatchObject({ ok: false, refusal: { code: "unreachable" } })
  })

  test("a stream resumes after the host was started again, without gap or repeat", async () => {
    const { path, remove } = temporaryDirectory()
    ends.push(remove)
    const script = parseScript('{"on":""}\n{"text":"Yes."}')
    if (!script.ok) throw new Error(script.message)
    const start = async (port: number) => {
      const host = await startHost({ directory: path, model: scriptedModel(script.scenes), port })
      if (!host.ok) throw new Error(host.code)
      return host
    }
    let host = await start(0)
    ends.push(() => host.close())
    const client = createClient({ url: host.url.replace(/\/$/, ""), token: host.token })
    const begun = await client.command("submit_turn", { create: "session", input: saying("one") })
    if (!begun.ok) throw new Error(begun.refusal.message)
    const { session_id, thread_id } = begun.result
    const seen: Fact[] = []
    const leaving = new AbortController()
    const completed = (count: number) =>
      expect
        .poll(() => seen.filter(({ type }) => type === "turn.completed").length, { timeout: 20_000 })
        .toBe(count)
    const followed = client.follow(
      factsOf({
        session_id,
        token: "",
        after: 0,
        onConnection: () => undefined,
        onFacts: (facts) => seen.push(...facts),
      }),
      leaving.signal,
    )
    await completed(1)
    await host.close()
    host = await start(Number(new URL(host.url).port))
    const again = await client.command("submit_turn", { session_id, thread_id, input: saying("two") })
    expect(again.ok).toBe(true)
    await completed(2)
    leaving.abort()
    await followed
    expect(seen.map(({ sequence }) => sequence)).toEqual(seen.map((_, index) => index + 1))
  })

  test("a store bound in one call shows the conversation that the whole log comes to", async () => {
    const { host, client } = await hosted()
    const sessionId = await told(host, client, 3)
    const bound = bind({ client, schedule: { everyMs: 1 } })
    ends.push(() => bound.close())
    await bound.open(sessionId)
    const facts = host.runtime.log.read(sessionId, 0, 1000).map(({ text }) => JSON.parse(text))
    const whole = reduce(emptyState(), facts.map(fromRuntime))
    const views = createViews()
    const spoken = (state: AgentUiState) =>
      views
        .of("conversation", state, { sessionId }, new Set())
        .messages.map(({ messageId, role, runId, text, inputs }) => ({
          messageId,
          role,
          runId,
          inputs,
          text: text.map(({ blocks }) => blocks.join("")),
        }))
    expect(spoken(whole)).toHaveLength(6)
    expect(spoken(bound.store.getSnapshot())).toEqual(spoken(whole))
    const status = (state: AgentUiState) => views.of("runtime_status", state, { sessionId }, new Set()).status
    expect(status(bound.store.getSnapshot())).toBe(status(whole))
  })

  test.each(["close", "leave"] as const)(
    "a session that is given up while it is opened is not followed: %s",
    async (giveUp) => {
      const { host, client } = await hosted()
      const sessionId = await told(host, client, 1)
      const bound = bind({ client, schedule: { everyMs: 1 } })
      ends.push(() => bound.close())
      const followed: string[] = []
      const follow = client.follow
      client.follow = (asked, signal) => {
        followed.push(asked.path("0"))
        return follow(asked, signal)
      }
      // The last step of the opening is told of before the opening itself is over.
      bound.store.subscribe(() => {
        if (bound.store.getSnapshot().sessions.get(sessionId)?.hydrated === 4) bound[giveUp]()
      })
      expect(await bound.open(sessionId)).toBeUndefined()
      expect(followed).toEqual([])
    },
  )

  test("what a session is opened with is of one moment, and equals each read by itself", async () => {
    const { host, client } = await hosted()
    const session_id = await told(host, client, 2)
    const opening = await client.ask<Record<string, unknown>>(`/v1/sessions/${session_id}/opening?limit=5`)
    if (!opening.ok) throw new Error(opening.refusal.message)
    const { read_models, history, next_cursor } = opening.result
    const read = await client.command("get_session", { session_id, limit: 5 })
    if (!read.ok) throw new Error(read.refusal.message)
    expect({ history, next_cursor }).toEqual({
      history: read.result.history,
      next_cursor: read.result.next_cursor,
    })
    const [thread] = read.result.snapshot.threads
    const alone = async (name: string) => {
      const path = `/v1/sessions/${session_id}/snapshots/${name}?thread_id=${thread?.thread_id}`
      const reply = await client.ask<{ sequence: number }>(path)
      if (!reply.ok) throw new Error(reply.refusal.message)
      expect(reply.result.sequence).toBe(read.result.snapshot.sequence)
      return reply.result
    }
    expect(read_models).toEqual({
      session_snapshot: read.result.snapshot,
      thread_read_models: [await alone("thread_read_model")],
      queue_snapshots: [await alone("queue_snapshot")],
      context_boundary_snapshots: [await alone("context_boundary_snapshot")],
      task_snapshot: await alone("task_snapshot"),
      permission_sandbox_summary: await alone("permission_sandbox_summary"),
      artifact_checkpoint_summary: await alone("artifact_checkpoint_summary"),
      evidence_summary: await alone("evidence_summary"),
      subagent_job_summary: await alone("subagent_job_summary"),
    })
    expect(await client.ask(`/v1/sessions/ses_none/opening`)).toMatchObject({
      refusal: { code: "not_found" },
    })
    expect(await client.ask(`/v1/sessions/${session_id}/opening?limit=0`)).toMatchObject({
      refusal: { code: "invalid_input", field: "limit" },
    })
  })

  test("a thread that is rolled back is so on an open page, after a reload, and once more is said", async () => {
    const { host, client } = await hosted()
    const sessionId = await told(host, client, 2)
    const read = await client.command("get_session", { session_id: sessionId, limit: 500 })
    if (!read.ok) throw new Error(read.refusal.message)
    const [first, second] = read.result.history.filter(({ type }) => type === "turn.completed")
    const thread_id = first?.thread_id ?? ""
    const opened = async () => {
      const bound = bind({ client, schedule: { everyMs: 1 } })
      ends.push(() => bound.close())
      await bound.open(sessionId)
      return () =>
        bound
          .view("conversation", { sessionId })
          .messages.filter(({ role }) => role === "user")
          .map(({ runId }) => runId)
    }
    const before = await opened()
    expect(before()).toEqual([first?.turn_id, second?.turn_id])
    const input = { session_id: sessionId, thread_id, turn_id: first?.turn_id ?? "", reason: "Not this way." }
    const back = await host.runtime.execute("x-factum.roll_back_thread", { input })
    expect(back).toMatchObject({ ok: true })
    await expect.poll(before, { timeout: 20_000 }).toEqual([first?.turn_id])
    expect((await opened())()).toEqual([first?.turn_id])
    const third = await client.command("submit_turn", {
      session_id: sessionId,
      thread_id,
      input: saying("3"),
    })
    await factOf(host, sessionId, "turn.completed", 3)
    const turns = [first?.turn_id, third.ok && third.result.turn_id]
    await expect.poll(before, { timeout: 20_000 }).toEqual(turns)
    expect((await opened())()).toEqual(turns)
  })

  test("loadEarlier brings what lies before the window", async () => {
    const { host, client } = await hosted()
    const sessionId = await told(host, client, 40)
    const bound = bind({ client, schedule: { everyMs: 1 } })
    ends.push(() => bound.close())
    await bound.open(sessionId)
    const count = () =>
      bound.view("conversation", { sessionId, window: { from: 0, to: 1000 } }).messages.length
    const cursor = () => bound.view("conversation", { sessionId }).earlierCursor
    expect(cursor()).toBeDefined()
    while (cursor() !== undefined) await bound.loadEarlier(sessionId)
    expect(count()).toBe(80)
  })
})
