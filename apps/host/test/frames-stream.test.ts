import { createAgentUiStore, type UiFrame } from "@factum/agent-ui"
import { fromRuntime } from "@factum/agent-ui/adapters/runtime"
import { afterEach, describe, expect, it } from "vitest"
import { ask, command, result, saying } from "./asking.ts"
import { factOf, type Hosting, startTestHost, type TestHost } from "./hosting.ts"
import { openStream, upTo } from "./stream.ts"
import { asking, writer } from "./writer.ts"

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** A turn that asked for leave, got it, wrote and answered. */
async function worked(hosting: Hosting = {}) {
  const host = await startTestHost({ model: writer(), agent: asking, ...hosting })
  ends.push(() => host.stop())
  return { host, session_id: await turnOn(host) }
}

async function turnOn(host: TestHost): Promise<string> {
  const input = { create: "session", input: saying("hello") }
  const { session_id = "" } = await result(command(host.url, "submit_turn", input))
  const { action_id } = await factOf<{ action_id: string }>(host, session_id, "action.required")
  await result(command(host.url, "respond_action", { action_id, decision: "allow" }))
  await factOf(host, session_id, "turn.completed")
  return session_id
}

async function framesOn(host: TestHost, path: string, headers: Record<string, string> = {}) {
  const stream = await openStream(`${host.url}/v1${path}`, headers)
  ends.push(() => stream.cut())
  return { ...stream, frames: () => framesIn(stream.text()) }
}

function framesIn(text: string): UiFrame[] {
  const whole = text.slice(0, text.lastIndexOf("\n\n"))
  return [...whole.matchAll(/^data: (.+)$/gm)].map(([, json = ""]) => JSON.parse(json))
}

/** What a client makes of the facts itself; JSON has no undefined fields. */
const framesOfFacts = (host: TestHost, session_id: string): UiFrame[] =>
  JSON.parse(
    JSON.stringify(
      host.runtime.log.read(session_id, 0, 1000).map(({ text }) => fromRuntime(JSON.parse(text))),
    ),
  )

function stateOf(frames: readonly UiFrame[]) {
  const store = createAgentUiStore({ schedule: () => () => undefined, now: () => 0 })
  store.dispatch(frames)
  store.flush()
  const state = store.getSnapshot()
  store.close()
  return state
}

describe("Agent UI events of a session", () => {
  it("are the frames that a client would make of its facts, past and live", async () => {
    const { host, session_id } = await worked()
    const stream = await framesOn(host, `/sessions/${session_id}/agent-ui`)
    await stream.until(() => stream.ids().length === host.runtime.log.head(session_id))
    await result(command(host.url, "submit_turn", { session_id, input: saying("more") }))
    await factOf(host, session_id, "turn.completed", 2)
    const head = host.runtime.log.head(session_id)
    await stream.until(() => stream.ids().at(-1) === head)
    expect(stream.ids()).toEqual(upTo(head))
    expect(stream.frames()).toEqual(framesOfFacts(host, session_id))
    expect(stream.response.headers["content-type"]).toBe("text/event-stream; charset=utf-8")
  })

  it("[RT-CHAN-2] give a reader that is cut and resumes at every event the state of the facts", async () => {
    const { host, session_id } = await worked()
    const head = host.runtime.log.head(session_id)
    const frames: UiFrame[] = []
    for (let at = 0; at < head; ) {
      const before = frames.length
      const stream = await framesOn(host, `/sessions/${session_id}/agent-ui`, { "last-event-id": String(at) })
      await stream.until(() => stream.ids().length > 0)
      stream.cut()
      // Only the first is taken, as if the rest had been lost on the way.
      frames.push(...stream.frames().slice(0, 1))
      at = stream.ids()[0] ?? head
      expect(frames.length).toBe(before + 1)
    }
    const state = stateOf(frames)
    expect(state.streams.get(session_id)?.applied).toBe(head)
    expect(state).toEqual(stateOf(framesOfFacts(host, session_id)))
  })

  it("are shared by those who want the same, and by nobody else", async () => {
    const { host, session_id } = await worked()
    const head = host.runtime.log.head(session_id)
    const path = `/sessions/${session_id}/agent-ui`
    const streams = await Promise.all(upTo(6).map((i) => framesOn(host, i % 2 ? path : `${path}?types=text`)))
    await result(command(host.url, "submit_turn", { session_id, input: saying("more") }))
    for (const stream of streams) await stream.until(() => (stream.ids().at(-1) ?? 0) > head)
    expect(host.feeds.count).toBe(2)
  })

  it("come of some families and for some surfaces when asked, and the cursor goes on", async () => {
    const { host, session_id } = await worked({ pace: { heartbeatMs: 5 } })
    const head = host.runtime.log.head(session_id)
    const all = framesOfFacts(host, session_id).flatMap(({ events }) => events)
    const told = async (query: string) => {
      const stream = await framesOn(host, `/sessions/${session_id}/agent-ui?${query}`)
      await stream.until(() => stream.text().includes(`: still here\nid: ${head}\n`))
      return stream.frames().flatMap(({ events }) => events)
    }
    const tools = all.filter(({ type }) => type.startsWith("tool."))
    const hitl = all.filter(({ surface }) => surface === "hitl")
    expect([tools.length, hitl.length].every((count) => count > 0 && count < all.length)).toBe(true)
    expect(await told("types=tool")).toEqual(tools)
    expect(await told("surfaces=hitl")).toEqual(hitl)
    expect(await told("types=action&surfaces=hitl,tool_ui")).toEqual(
      hitl.filter(({ type }) => type.startsWith("action.")),
    )
    const [one] = tools
    expect(await told(`types=${one?.type}`)).toEqual(tools.filter(({ type }) => type === one?.type))
  })

  it.each([
    ["types=", "types"],
    ["types=a%20b", "types"],
    ["surfaces=", "surfaces"],
    ["surfaces=hitl,kitchen", "surfaces"],
  ])("%s is refused", async (query, field) => {
    const { host, session_id } = await worked()
    expect(await ask(`${host.url}/v1/sessions/${session_id}/agent-ui?${query}`)).toMatchObject({
      status: 400,
      json: { refusal: { code: "invalid_input", field } },
    })
  })

  it("are nothing of a session that is not there, nor after a cursor beyond its end", async () => {
    const { host, session_id } = await worked()
    expect((await ask(`${host.url}/v1/sessions/ses_no/agent-ui`)).status).toBe(404)
    expect((await ask(`${host.url}/v1/sessions/${host.runtime.runtime_id}/agent-ui`)).status).toBe(404)
    const beyond = await ask(`${host.url}/v1/sessions/${session_id}/agent-ui?after=100000`)
    expect(beyond).toMatchObject({ status: 400, json: { refusal: { code: "bad_cursor" } } })
  })
})

describe("Agent UI events of all sessions", () => {
  it("come by position, resume after any of them, and each frame names its session", async () => {
    const { host, session_id } = await worked()
    const other = await turnless(host)
    const last = host.runtime.log.streams({ limit: 1 })[0]?.position ?? 0
    const stream = await framesOn(host, "/agent-ui")
    await stream.until(() => stream.ids().at(-1) === last)
    const of = (id: string) => stream.frames().filter((frame) => frame.stream === id)
    expect(of(session_id)).toEqual(framesOfFacts(host, session_id))
    expect(of(other)).toEqual(framesOfFacts(host, other))
    const middle = stream.ids()[10] ?? 0
    const later = await framesOn(host, `/agent-ui?after=0`, { "last-event-id": String(middle) })
    await later.until(() => later.ids().at(-1) === last)
    expect(later.frames()).toEqual(stream.frames().slice(11))
  })

  it("are those of one workspace when asked, and for a token never more than its scope", async () => {
    const { host, session_id } = await worked({ workspace: "/work/a", pace: { heartbeatMs: 5 } })
    const elsewhere = await turnless(host)
    const head = host.runtime.log.head(session_id)
    const { token } = host.tokens.issue({ name: "s", roles: ["viewer"], scope: { sessions: [session_id] } })
    const scoped = await framesOn(host, "/agent-ui", { authorization: `Bearer ${token}` })
    const inside = await framesOn(host, `/agent-ui?workspace=${encodeURIComponent("/work/a")}`)
    const outside = await framesOn(host, `/agent-ui?workspace=${encodeURIComponent("/work/b")}`)
    await inside.until(() => inside.frames().some(({ stream }) => stream === elsewhere))
    await outside.until(() => outside.text().includes(": still here\nid: "))
    await scoped.until(() => scoped.frames().length === head)
    expect(scoped.frames()).toEqual(framesOfFacts(host, session_id))
    expect(scoped.text()).not.toContain(elsewhere)
    expect(outside.frames()).toEqual([])
    const denied = await ask(`${host.url}/v1/sessions/${elsewhere}/agent-ui`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(denied.status).toBe(403)
  })
})

async function turnless(host: TestHost): Promise<string> {
  const input = { create: "session", input: saying("and") }
  const { session_id = "" } = await result(command(host.url, "submit_turn", input))
  await factOf(host, session_id, "turn.completed")
  return session_id
}
