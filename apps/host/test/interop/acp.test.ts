import { spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { PassThrough, Readable, Writable } from "node:stream"
import { fileURLToPath } from "node:url"
import {
  type ClientContext,
  client,
  methods,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { serveAcp } from "../../src/acp.ts"
import { openRuntime, workIn } from "./given.ts"

type Answering = (
  request: RequestPermissionRequest,
) => RequestPermissionResponse | Promise<RequestPermissionResponse>
const choose =
  (optionId: string): Answering =>
  () => ({ outcome: { outcome: "selected", optionId } })

/** The published client, as an editor uses it. */
function editor(streams: { input: Readable; output: Writable }, answer: Answering) {
  const updates: SessionUpdate[] = []
  const asked: RequestPermissionRequest[] = []
  const app = client({ name: "editor" })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params)
      return answer(params)
    })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push(params.update)
    })
  const connection = app.connect(
    ndJsonStream(Writable.toWeb(streams.output), Readable.toWeb(streams.input) as ReadableStream<Uint8Array>),
  )
  return { updates, asked, connection, agent: connection.agent }
}

async function open(agent: ClientContext) {
  const begun = await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} })
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd: "/", mcpServers: [] })
  return { begun, sessionId }
}

const prompt = (agent: ClientContext, sessionId: string, text: string) =>
  agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] })

const said = (
  updates: readonly SessionUpdate[],
  kind: SessionUpdate["sessionUpdate"] = "agent_message_chunk",
) =>
  updates
    .map((update) =>
      update.sessionUpdate === kind &&
      "content" in update &&
      update.content &&
      "type" in update.content &&
      update.content.type === "text"
        ? update.content.text
        : "",
    )
    .join("")

describe("ACP", () => {
  let world: Awaited<ReturnType<typeof openRuntime>>
  const ending: (() => Promise<void>)[] = []
  beforeEach(async () => {
    world = await openRuntime()
  })
  afterEach(async () => {
    for (const end of ending.splice(0)) await end()
    await world.runtime.close()
    world.work.remove()
  })

  /** Both ends in one process, over byte streams. */
  function connect(answer: Answering = choose("allow")) {
    const up = new PassThrough()
    const down = new PassThrough()
    const served = serveAcp({ input: up, output: down }, world.runtime)
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
    expect(readFileSync(join(world.work.folder, "note.txt"), "utf8")).toBe("Hello")
  })

  test("a refusal is heard", async () => {
    const { agent, updates } = connect(choose("deny"))
    const { sessionId } = await open(agent)
    expect(await prompt(agent, sessionId, "Write a note")).toEqual({ stopReason: "end_turn" })
    expect(updates.findLast((update) => update.sessionUpdate === "tool_call_update")).toMatchObject({
      status: "failed",
    })
    expect(existsSync(join(world.work.folder, "note.txt"))).toBe(false)
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
    const types = () =>
      world.runtime.log
        .read(sessionId, 0, 1000)
        .map(({ text }) => (JSON.parse(text) as { type: string }).type)
    await expect.poll(types, { timeout: 10_000 }).toContain("turn.completed")
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

test("ACP over the standard streams of a child process, with an approval", async () => {
  const work = workIn()
  const run = fileURLToPath(new URL("./acp-child.ts", import.meta.url))
  const child = spawn(process.execPath, [run, work.directory, work.folder], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  const exited = new Promise<number | null>((resolve) => child.on("exit", resolve))
  try {
    const { agent, updates, connection } = editor(
      { input: child.stdout, output: child.stdin },
      choose("allow"),
    )
    const { sessionId } = await open(agent)
    expect(await prompt(agent, sessionId, "Write a note")).toEqual({ stopReason: "end_turn" })
    expect(said(updates)).toBe("I write it.It is written.")
    expect(readFileSync(join(work.folder, "note.txt"), "utf8")).toBe("Hello")
    connection.close()
    child.stdin.end()
    expect(await exited).toBe(0)
  } finally {
    child.kill()
    await exited
    work.remove()
  }
})
