import { type Agent, type Model, speaker, type Tool } from "@factum/runtime"
import { afterEach, describe, expect, it, vi } from "vitest"
import { ask, command, result, saying } from "./asking.ts"
import { appendFacts, factOf, type Hosting, startTestHost, type TestHost, token } from "./hosting.ts"
import { connected, type Peer } from "./peer.ts"
import { upTo } from "./stream.ts"

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function host(hosting: Hosting = {}): Promise<TestHost> {
  const started = await startTestHost(hosting)
  ends.push(() => started.stop())
  return started
}

async function newSession(running: TestHost, text = "hi"): Promise<string> {
  const made = await result(command(running.url, "submit_turn", { create: "session", input: saying(text) }))
  return made.session_id ?? ""
}

async function peerOf(running: TestHost, options?: Parameters<typeof connected>[1]): Promise<Peer> {
  const peer = await connected(running.url, options)
  ends.push(() => peer.cut())
  return peer
}

async function open(peer: Peer, session_id: string, more: object = {}) {
  peer.say({ type: "open", session_id, native_peer_id: "phone-1", ...more })
  const { channel_id, resume_token, cursor } = await peer.next("opened")
  return { channel_id: String(channel_id), resume_token: String(resume_token), cursor: Number(cursor) }
}

const factTypes = (running: TestHost, session_id: string): string[] =>
  running.runtime.log.read(session_id, 0, 1000).map(({ text }) => JSON.parse(text).type)

describe("a channel", () => {
  it("[RT-EVT-27] over a WebSocket: snapshot first, then every fact; connect, message, drop and resume are facts", async () => {
    const running = await host()
    const session_id = await newSession(running)
    await factOf(running, session_id, "turn.completed")
    const peer = await peerOf(running)
    const { channel_id, resume_token, cursor } = await open(peer, session_id, { peer_name: "Ada's phone" })
    expect(peer.told[0]).toMatchObject({ type: "opened", snapshot: { sequence: cursor } })
    peer.say({ type: "message", native_message_id: "m1", input: saying("From the phone") })
    expect(await peer.next("taken")).toMatchObject({ outcome: "taken", native_message_id: "m1" })
    await peer.until(() => peer.facts().some(({ type }) => type === "turn.completed"))
    const last = peer.facts().at(-1)?.sequence ?? 0
    expect(peer.facts().map(({ sequence }) => sequence)).toEqual(upTo(last, cursor + 1))
    peer.cut()
    await factOf(running, session_id, "channel.disconnected")
    const again = await peerOf(running)
    again.say({ type: "resume", channel_id, resume_token, cursor: last })
    await again.next("resumed")
    await again.until(() => again.facts().some(({ type }) => type === "channel.resumed"))
    const head = running.runtime.log.head(session_id)
    expect(again.facts().map(({ sequence }) => sequence)).toEqual(upTo(head, last + 1))
    const channel = ["channel.connected", "channel.message", "channel.disconnected", "channel.resumed"]
    expect(factTypes(running, session_id).filter((type) => type.startsWith("channel."))).toEqual(channel)
  })

  it("[RT-CMD-47] ack over the channel: without a cursor, it is resumed from what was acknowledged", async () => {
    const running = await host()
    const session_id = await newSession(running)
    await factOf(running, session_id, "turn.completed")
    const peer = await peerOf(running)
    const { channel_id, resume_token } = await open(peer, session_id)
    const head = running.runtime.log.head(session_id)
    peer.say({ type: "ack", cursor: head })
    expect(await peer.next("acked")).toEqual({ type: "acked", outcome: "moved", acknowledged: head })
    peer.say({ type: "ack", cursor: head + 5 })
    expect(await peer.next("refused")).toMatchObject({ re: "ack", refusal: { code: "bad_cursor" } })
    await appendFacts(running, session_id, 0)
    peer.cut()
    await factOf(running, session_id, "channel.disconnected")
    const again = await peerOf(running)
    again.say({ type: "resume", channel_id, resume_token })
    const { events } = await again.next("resumed")
    expect(events).toMatchObject([{ sequence: head + 1, type: "channel.disconnected" }])
  })

  it("[RT-CHAN-4] a message sent again over a new connection takes effect once", async () => {
    const running = await host()
    const session_id = await newSession(running)
    const peer = await peerOf(running)
    const { channel_id, resume_token } = await open(peer, session_id)
    const message = { type: "message", native_message_id: "m1", input: saying("Once") }
    peer.say(message)
    const { turn } = await peer.next("taken")
    peer.cut()
    await factOf(running, session_id, "channel.disconnected")
    const again = await peerOf(running)
    again.say({ type: "resume", channel_id, resume_token, cursor: 0 })
    await again.next("resumed")
    again.say(message)
    expect(await again.next("taken")).toEqual({
      type: "taken",
      native_message_id: "m1",
      outcome: "no_op",
      turn,
    })
    expect(factTypes(running, session_id).filter((type) => type === "turn.submitted")).toHaveLength(2)
  })

  it("[RT-CHAN-1] resumed elsewhere while the old connection still stands: it is replaced, not doubled", async () => {
    const running = await host()
    const session_id = await newSession(running)
    const peer = await peerOf(running)
    const { channel_id, resume_token, cursor } = await open(peer, session_id)
    const again = await peerOf(running)
    again.say({ type: "resume", channel_id, resume_token, cursor })
    await again.next("resumed")
    expect(await peer.closed).toBe(4001)
    again.say({ type: "ack", cursor })
    await again.next("acked")
    expect(factTypes(running, session_id)).not.toContain("channel.disconnected")
  })

  it("[RT-CMD-46] a false token is refused over the channel too", async () => {
    const running = await host()
    const peer = await peerOf(running)
    const { channel_id } = await open(peer, await newSession(running))
    const other = await peerOf(running)
    other.say({ type: "resume", channel_id, resume_token: "guess", cursor: 0 })
    expect(await other.next("refused")).toMatchObject({ re: "resume", refusal: { code: "not_permitted" } })
  })

  it("closing the host ends it and writes down what was acknowledged", async () => {
    const running = await startTestHost()
    const session_id = await newSession(running)
    await factOf(running, session_id, "turn.completed")
    const peer = await connected(running.url)
    await open(peer, session_id)
    running.beginClosing()
    expect(await peer.closed).toBe(1001)
    await factOf(running, session_id, "channel.disconnected")
    await running.stop()
  })
})

describe("what a peer may not say", () => {
  it.each([
    ["nonsense", "{", "invalid_input"],
    ["an unknown type", '{"type":"fly"}', "invalid_input"],
    ["an acknowledgement first", '{"type":"ack","cursor":0}', "wrong_state"],
    ["an unknown session", '{"type":"open","session_id":"ses_no","native_peer_id":"p"}', "not_found"],
    ["an unknown channel", '{"type":"resume","channel_id":"chn_no","resume_token":"t"}', "not_found"],
    ["a field too many", '{"type":"ack","cursor":0,"hurry":1}', "invalid_input"],
  ])("%s", async (_, text, code) => {
    const running = await host()
    const peer = await peerOf(running)
    peer.socket.send(text)
    expect(await peer.next("refused")).toMatchObject({ refusal: { code } })
  })

  it("more than a mebibyte at once", async () => {
    const running = await host()
    const peer = await peerOf(running)
    peer.socket.send("x".repeat(1024 * 1024 + 1))
    expect(await peer.closed).toBe(1009)
  })

  it.each([
    ["no valid token", { token: "guess" }, 401],
    ["a foreign origin", { origin: "http://evil.example" }, 403],
  ])("anything, with %s", async (_, options, status) => {
    const running = await host()
    await expect(connected(running.url, options)).rejects.toThrow(`status ${status}`)
  })

  it("but a browser may offer its token beside the protocol", async () => {
    const running = await host()
    const peer = await peerOf(running, { protocols: ["factum.v1", `bearer.${token}`] })
    expect(peer.socket.protocol).toBe("factum.v1")
    await open(peer, await newSession(running))
  })

  it("anything about a session out of its token's scope, nor messages as a viewer", async () => {
    const running = await host()
    const [mine, foreign] = [await newSession(running), await newSession(running)]
    const scope = { sessions: [mine] }
    const issued = running.tokens.issue({ name: "v", roles: ["viewer"], scope })
    const peer = await peerOf(running, { token: issued.token })
    peer.say({ type: "open", session_id: foreign, native_peer_id: "p" })
    expect(await peer.next("refused")).toMatchObject({ re: "open", refusal: { code: "not_permitted" } })
    await open(peer, mine)
    const before = peer.told.length
    peer.say({ type: "message", native_message_id: "m", input: saying("go") })
    expect(await peer.next("refused", before)).toMatchObject({
      re: "message",
      refusal: { code: "not_permitted" },
    })
  })
})

it("what comes over a channel right after its token was revoked is not taken", async () => {
  const running = await host()
  const session_id = await newSession(running)
  const issued = running.tokens.issue({ name: "o", roles: ["operator"] })
  const peer = await peerOf(running, { token: issued.token })
  await open(peer, session_id)
  running.tokens.revoke(issued.row.id)
  peer.say({ type: "message", native_message_id: "m", input: saying("go") })
  expect(await peer.closed).toBe(4003)
  expect(factTypes(running, session_id)).not.toContain("channel.message")
})

describe("a peer that takes more than its share", () => {
  it("of requests: what it says counts as they do, and is taken at the pace of its token", async () => {
    const running = await host({ limits: { requests: { perSecond: 40, burst: 10 } } })
    const session_id = await newSession(running)
    await factOf(running, session_id, "turn.completed")
    const peer = await peerOf(running)
    const { cursor } = await open(peer, session_id)
    const began = performance.now()
    for (let i = 0; i < 50; i++) peer.say({ type: "ack", cursor })
    await peer.until((told) => told.filter(({ type }) => type === "acked").length === 50)
    expect(performance.now() - began).toBeGreaterThan(900)
  })

  it("of memory: nothing more is read from it while the host is busy with what it said", async () => {
    const busy = Promise.withResolvers<void>()
    const seen: number[] = []
    const running = await host()
    const { runtime } = running
    const message: typeof runtime.channels.message = async (...args) => {
      seen.push(args.length)
      await busy.promise
      return runtime.channels.message(...args)
    }
    const slow = await host({ over: { channels: { ...runtime.channels, message } } })
    const peer = await peerOf(slow)
    await open(peer, await newSession(running))
    const text = "x".repeat(900 * 1024)
    for (let i = 0; i < 40; i++)
      peer.say({ type: "message", native_message_id: `m${i}`, input: saying(text) })
    await vi.waitFor(() => expect(seen).toHaveLength(1), 10_000)
    for (let i = 0; i < 20; i++) await ask(`${slow.url}/v1/health`)
    expect(peer.socket.bufferedAmount).toBeGreaterThan(0)
    busy.resolve()
    await vi.waitFor(() => expect(peer.socket.bufferedAmount).toBe(0), 20_000)
  })

  it("of patience: one that speaks and takes none of the answers is sent away", async () => {
    const running = await host({ pace: { stallMs: 300 } })
    const session_id = await newSession(running)
    const peer = await peerOf(running)
    await open(peer, session_id)
    peer.socket.pause()
    // What is refused is told with the name of the unknown field.
    const long = "x".repeat(900 * 1024)
    for (let i = 0; i < 40; i++) peer.say({ type: "ack", cursor: 0, [long]: i })
    // Once it is given up, what it says is read and thrown away.
    await vi.waitFor(() => expect(peer.socket.bufferedAmount).toBe(0), 20_000)
    peer.socket.resume()
    expect(await peer.closed).toBe(4002)
  })
})

describe("approvals", () => {
  const write: Tool = {
    name: "write",
    description: "Writes.",
    owner: "builtin",
    input_schema: { type: "object" },
    effect: "once",
    side_effects: ["write"],
    capabilities: [],
    check: () => [],
    touches: async () => [],
    run: async () => ({ ok: true, output: "written" }),
  }
  const agent = (): Agent => ({
    ...speaker,
    tools: [write],
    policy: { version: "1", mode: "ask", rules: [] },
  })
  /** Calls the tool once, then talks. */
  function writer(): Model {
    let asked = 0
    return {
      provider: "test",
      name: "writer",
      async *stream() {
        const isFirst = asked++ === 0
        if (isFirst) yield { kind: "tool_call", part_id: "c", call_id: "c", tool: "write", arguments: "{}" }
        else yield { kind: "text", part_id: "t", text: "Done." }
        const usage = { input_tokens: 1, output_tokens: 1 }
        yield { kind: "finish", finish: isFirst ? "tool_calls" : "stop", usage }
      },
    }
  }

  async function waiting() {
    const running = await host({ agent, model: writer() })
    const session_id = await newSession(running, "Write")
    return { running, session_id }
  }

  it("[RT-CHAN-3] are forwarded under their action id, answered once, and the second answer is refused", async () => {
    const { running, session_id } = await waiting()
    const peer = await peerOf(running)
    await open(peer, session_id, { permissions: true })
    const { action_id, request } = await peer.next("permission")
    expect(request).toMatchObject({ decided_by: "human", tool: "write" })
    peer.say({ type: "answer", action_id, decision: "allow" })
    expect(await peer.next("answered")).toEqual({
      type: "answered",
      action_id,
      status: "resolved",
      decision: "allow",
    })
    peer.say({ type: "answer", action_id, decision: "deny" })
    expect(await peer.next("refused")).toMatchObject({ re: "answer", refusal: { code: "already_resolved" } })
    peer.say({ type: "answer", action_id: "act_none", decision: "deny" })
    await peer.until((told) => told.filter(({ type }) => type === "refused").length === 2)
    await factOf(running, session_id, "turn.completed")
    const bridge = factTypes(running, session_id).filter((type) => type.startsWith("channel.permission"))
    expect(bridge).toEqual([
      "channel.permission_forwarded",
      "channel.permission_returned",
      "channel.permission_returned",
    ])
    const summary = await ask(`${running.url}/v1/sessions/${session_id}/snapshots/channel_summary`)
    expect(summary.json).toMatchObject({
      result: { channels: [{ peer: "current", permission_bridge: { pending_action_ids: [] } }] },
    })
  })

  it("[RT-CHAN-3] of an operator without the role of an approver do not count, which is recorded", async () => {
    const { running, session_id } = await waiting()
    const issued = running.tokens.issue({ name: "o", roles: ["operator"] })
    const peer = await peerOf(running, { token: issued.token })
    await open(peer, session_id, { permissions: true })
    const { action_id } = await peer.next("permission")
    peer.say({ type: "answer", action_id, decision: "allow" })
    expect(await peer.next("refused")).toMatchObject({ refusal: { code: "not_permitted" } })
    const types = factTypes(running, session_id)
    expect(types).toContain("channel.permission_returned")
    expect(types).not.toContain("action.resolved")
  })
})
