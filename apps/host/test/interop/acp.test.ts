import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { PassThrough } from "node:stream"
import { methods, type RequestPermissionResponse } from "@agentclientprotocol/sdk"
import { createClient, isFact } from "@factum/client"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { serveAcp } from "../../src/acp.ts"
import { type Answering, choose, editor, open, prompt, said } from "./editor.ts"
import { startInterop } from "./given.ts"

describe("ACP", () => {
  let host: Awaited<ReturnType<typeof startInterop>>
  const ending: (() => Promise<void>)[] = []
  beforeEach(async () => {
    host = await startInterop()
    answers.length = 0
  })
  afterEach(async () => {
    for (const end of ending.splice(0)) await end()
    await host.close()
    host.work.remove()
  })

  const answers: string[] = []
  const peer = () =>
    createClient({
      url: host.url,
      token: host.token,
      fetcher(url, init) {
        if (String(url).endsWith("/respond_action")) answers.push(String(init?.body))
        return fetch(url, init)
      },
    })

  /** Both ends in one process, over byte streams. */
  function connect(answer: Answering = choose("allow")) {
    const up = new PassThrough()
    const down = new PassThrough()
    const served = serveAcp({ input: up, output: down }, async (cwd) =>
      cwd === "/" ? peer() : { problem: `Nobody works in ${cwd}.` },
    )
    const side = editor({ input: down, output: up }, answer)
    const close = async () => {
      side.connection.close()
      up.end()
      await served
    }
    ending.push(close)
    return { ...side, close }
  }

  test("an editor completes a turn", async () => {
    const { agent, updates } = connect()
    const { begun, sessionId } = await open(agent)
    expect(begun).toMatchObject({ protocolVersion: 1, agentCapabilities: { loadSession: true } })
    expect(await prompt(agent, sessionId, "Hello")).toEqual({ stopReason: "end_turn" })
    expect(said(updates)).toBe("Yes.")
  })

  test("an approval goes through request_permission, and the tool runs once it is given", async () => {
    const { agent, updates, asked } = connect(choose("allow"))
    const { sessionId } = await open(agent)
    expect(await prompt(agent, sessionId, "Write a note")).toEqual({ stopReason: "end_turn" })
    expect(asked).toMatchObject([
      {
        sessionId,
        options: [
          { optionId: "allow", kind: "allow_once" },
          { optionId: "deny", kind: "reject_once" },
        ],
      },
    ])
    expect(said(updates)).toBe("I write it.It is written.")
    expect(said(updates, "agent_thought_chunk")).toBe("A file is asked for.")
    const call = updates.filter((update) => update.sessionUpdate === "tool_call")
    expect(call).toMatchObject([{ title: "write_file", status: "pending" }])
    expect(updates.findLast((update) => update.sessionUpdate === "tool_call_update")).toMatchObject({
      status: "completed",
    })
    expect(readFileSync(join(host.folder, "note.txt"), "utf8")).toBe("Hello")
  })

  test("a refusal is heard", async () => {
    const { agent, updates } = connect(choose("deny"))
    const { sessionId } = await open(agent)
    expect(await prompt(agent, sessionId, "Write a note")).toEqual({ stopReason: "end_turn" })
    expect(updates.findLast((update) => update.sessionUpdate === "tool_call_update")).toMatchObject({
      status: "failed",
    })
    expect(existsSync(join(host.folder, "note.txt"))).toBe(false)
  })

  test("cancel ends the turn while it waits for a person", async () => {
    const asked = Promise.withResolvers<void>()
    const never = new Promise<RequestPermissionResponse>(() => undefined)
    const { agent } = connect(() => {
      asked.resolve()
      return never
    })
    const { sessionId } = await open(agent)
    const prompted = prompt(agent, sessionId, "Write a note")
    await asked.promise
    await agent.notify(methods.agent.session.cancel, { sessionId })
    expect(await prompted).toEqual({ stopReason: "cancelled" })
  })

  test("an answer that is given while the host starts again is not lost", async () => {
    const asked = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    const { agent, updates } = connect(async (request) => {
      asked.resolve()
      await gone.promise
      return choose("allow")(request)
    })
    const { sessionId } = await open(agent)
    const prompted = prompt(agent, sessionId, "Write a note")
    await asked.promise
    const { port } = new URL(host.url)
    await host.close()
    gone.resolve()
    await expect.poll(() => answers.length, { timeout: 15_000 }).toBeGreaterThan(0)
    host = await startInterop(host.work, Number(port))
    expect(await prompted).toEqual({ stopReason: "end_turn" })
    expect(said(updates)).toBe("I write it.It is written.")
    // Under one id, so that it is one answer however often it arrives.
    expect(new Set(answers.map((body) => JSON.parse(body).command_id)).size).toBe(1)
  })

  test("an answer that the host refuses is asked for again, and told when it stays refused", async () => {
    let asked = 0
    const { agent } = connect((request) => choose(++asked === 1 ? "maybe" : "allow")(request))
    const { sessionId } = await open(agent)
    expect(await prompt(agent, sessionId, "Write a note")).toEqual({ stopReason: "end_turn" })
    expect(asked).toBe(2)
    const stubborn = connect(choose("maybe"))
    const other = await open(stubborn.agent)
    await expect(prompt(stubborn.agent, other.sessionId, "Write a note")).rejects.toThrow(/maybe/)
    expect(stubborn.asked).toHaveLength(3)
  })

  const never = new Promise<RequestPermissionResponse>(() => undefined)

  /** A session whose turn waits for an answer, and whose editor is gone. */
  async function waiting() {
    const asked = Promise.withResolvers<void>()
    const first = connect(() => {
      asked.resolve()
      return never
    })
    const { sessionId } = await open(first.agent)
    const prompted = prompt(first.agent, sessionId, "Write a note").catch(() => undefined)
    await asked.promise
    await first.close()
    await prompted
    return sessionId
  }

  async function load(agent: ReturnType<typeof connect>["agent"], sessionId: string) {
    await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} })
    await agent.request(methods.agent.session.load, { sessionId, cwd: "/", mcpServers: [] })
  }

  test("a question that is open is asked again by loading, and what comes of it is told", async () => {
    const sessionId = await waiting()
    const { agent, updates, asked } = connect(choose("allow"))
    await load(agent, sessionId)
    await expect.poll(() => said(updates), { timeout: 15_000 }).toBe("I write it.It is written.")
    expect(asked).toMatchObject([{ sessionId, options: [{ optionId: "allow" }, { optionId: "deny" }] }])
    expect(await prompt(agent, sessionId, "Hello")).toEqual({ stopReason: "end_turn" })
    expect(said(updates)).toBe("I write it.It is written.Yes.")
  })

  test("a prompt behind a turn that waits asks for its answer, and then has its own turn", async () => {
    const sessionId = await waiting()
    let times = 0
    const { agent, updates } = connect((request) => (++times === 1 ? never : choose("allow")(request)))
    await load(agent, sessionId)
    await expect.poll(() => times, { timeout: 15_000 }).toBe(1)
    expect(await prompt(agent, sessionId, "Hello")).toEqual({ stopReason: "end_turn" })
    expect(times).toBe(2)
    expect(said(updates)).toBe("I write it.It is written.Yes.")
  })

  test("cancel ends what waits for a person, and what is queued behind it", async () => {
    const sessionId = await waiting()
    const { agent, asked } = connect(() => never)
    await load(agent, sessionId)
    const prompted = prompt(agent, sessionId, "Hello")
    await expect.poll(() => asked.length, { timeout: 15_000 }).toBe(2)
    await agent.notify(methods.agent.session.cancel, { sessionId })
    expect(await prompted).toEqual({ stopReason: "cancelled" })
  })

  test("a session is loaded again with both voices, by another editor", async () => {
    const first = connect()
    const { sessionId } = await open(first.agent)
    await prompt(first.agent, sessionId, "Write a note")
    await first.close()
    const second = connect()
    await second.agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} })
    await second.agent.request(methods.agent.session.load, { sessionId, cwd: "/", mcpServers: [] })
    expect(said(second.updates, "user_message_chunk")).toBe("Write a note")
    expect(said(second.updates)).toBe("I write it.It is written.")
    expect(await prompt(second.agent, sessionId, "Hello")).toEqual({ stopReason: "end_turn" })
  })

  test("an editor that leaves does not stop its turn", async () => {
    const first = connect()
    const { sessionId } = await open(first.agent)
    const prompted = prompt(first.agent, sessionId, "Slow please").catch(() => undefined)
    await expect.poll(() => said(first.updates), { timeout: 10_000 }).toMatch(/^O/)
    await first.close()
    await prompted
    const types = async () => {
      const read = await peer().command("get_session", { session_id: sessionId, limit: 1000 })
      return read.ok ? read.result.history.filter(isFact).map(({ type }) => type) : []
    }
    await expect.poll(types, { timeout: 10_000 }).toContain("turn.completed")
  })

  test("a folder in which no host works is refused in words", async () => {
    const { agent } = connect()
    await expect(open(agent, "/elsewhere")).rejects.toThrow("Nobody works in /elsewhere.")
  })

  test("what cannot be done is said", async () => {
    const { agent } = connect()
    const { sessionId } = await open(agent)
    await expect(prompt(agent, "ses_unknown", "Hello")).rejects.toThrow(/no session ses_unknown/)
    const load = agent.request(methods.agent.session.load, {
      sessionId: "ses_unknown",
      cwd: "/",
      mcpServers: [],
    })
    await expect(load).rejects.toThrow(/no session ses_unknown/)
    await expect(prompt(agent, sessionId, "Fail")).rejects.toThrow(/The model is out/)
    const image = [{ type: "image" as const, data: "AA", mimeType: "image/png" }]
    await expect(agent.request(methods.agent.session.prompt, { sessionId, prompt: image })).rejects.toThrow(
      /no image/,
    )
  })
})
