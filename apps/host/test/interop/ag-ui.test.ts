import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { buildResumeArray, HttpAgent } from "@ag-ui/client"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { startInterop } from "./given.ts"

let host: Awaited<ReturnType<typeof startInterop>>
beforeEach(async () => {
  host = await startInterop()
})
afterEach(async () => {
  await host.close()
  host.work.remove()
})

const talking = (threadId: string) =>
  new HttpAgent({ url: `${host.url}/v1/ag-ui`, headers: host.headers, threadId })

function say(agent: HttpAgent, id: string, content: string) {
  agent.addMessage({ id, role: "user", content })
}

const spoken = (agent: HttpAgent) =>
  agent.messages.flatMap((message) =>
    message.role === "assistant" && message.content ? [message.content] : [],
  )

describe("AG-UI at the host", () => {
  test("the published HttpAgent completes a turn", async () => {
    const agent = talking("chat-1")
    say(agent, "m1", "Hello")
    await agent.runAgent({ runId: "r1" })
    expect(spoken(agent)).toEqual(["Yes."])
    expect(agent.messages.filter(({ role }) => role === "user")).toHaveLength(1)
  })

  test("[UI-INTEROP-5] an approval goes through AG-UI's own interrupt and resume", async () => {
    const agent = talking("chat-2")
    say(agent, "m1", "Write a note")
    await agent.runAgent({ runId: "r1" })
    expect(agent.pendingInterrupts).toMatchObject([{ reason: "tool_approval" }])
    expect(existsSync(join(host.folder, "note.txt"))).toBe(false)
    const [interrupt] = agent.pendingInterrupts
    const resume = buildResumeArray(agent.pendingInterrupts, {
      [interrupt?.id ?? ""]: { status: "resolved", payload: { approved: true } },
    })
    await agent.runAgent({ runId: "r2", resume })
    expect(spoken(agent)).toEqual(["I write it.", "It is written."])
    expect(agent.messages.filter(({ role }) => role === "tool")).toHaveLength(1)
    expect(readFileSync(join(host.folder, "note.txt"), "utf8")).toBe("Hello")
  })

  test("[UI-INTEROP-5] two approvals of one run are answered in one batch, each with its own word", async () => {
    const agent = talking("chat-3")
    say(agent, "m1", "Write two files")
    await agent.runAgent({ runId: "r1" })
    const answers = async () => {
      const responses = Object.fromEntries(
        agent.pendingInterrupts.map(({ id }) => [id, { status: "resolved", payload: "allow" } as const]),
      )
      await agent.runAgent({ resume: buildResumeArray(agent.pendingInterrupts, responses) })
    }
    for (let runs = 0; runs < 3 && agent.pendingInterrupts.length > 0; runs += 1) await answers()
    expect(spoken(agent)).toEqual(["Both written."])
    expect(["a.txt", "b.txt"].map((name) => readFileSync(join(host.folder, name), "utf8"))).toEqual([
      "A",
      "B",
    ])
  })

  test("a refusal is heard, and the run goes on without the effect", async () => {
    const agent = talking("chat-4")
    say(agent, "m1", "Write a note")
    await agent.runAgent({ runId: "r1" })
    const resume = agent.pendingInterrupts.map(({ id }) => ({
      interruptId: id,
      status: "cancelled" as const,
    }))
    await agent.runAgent({ runId: "r2", resume })
    expect(existsSync(join(host.folder, "note.txt"))).toBe(false)
    expect(spoken(agent).at(-1)).toBe("It is written.")
  })

  test("an approval survives the host: the same thread goes on after a restart", async () => {
    const agent = talking("chat-5")
    say(agent, "m1", "Write a note")
    await agent.runAgent({ runId: "r1" })
    await host.close()
    host = await startInterop(host.work)
    agent.url = `${host.url}/v1/ag-ui`
    agent.headers = host.headers
    const resume = agent.pendingInterrupts.map(({ id }) => ({
      interruptId: id,
      status: "resolved" as const,
      payload: true,
    }))
    await agent.runAgent({ runId: "r2", resume })
    expect(spoken(agent)).toEqual(["I write it.", "It is written."])
  })

  test("a message that is sent twice is one turn", async () => {
    const first = talking("chat-6")
    say(first, "m1", "Hello")
    await first.runAgent()
    const second = talking("chat-6")
    say(second, "m1", "Hello")
    await second.runAgent()
    expect(spoken(second)).toEqual(["Yes."])
    const listed = await fetch(`${host.url}/v1/sessions`, { headers: host.headers })
    const { result } = (await listed.json()) as { result: { sessions: { session_id: string }[] } }
    expect(result.sessions).toHaveLength(1)
  })

  test("a run that fails says so", async () => {
    const agent = talking("chat-7")
    say(agent, "m1", "Fail")
    const errors: string[] = []
    await agent
      .runAgent({}, { onRunErrorEvent: ({ event }) => void errors.push(event.message) })
      .catch(() => undefined)
    expect(errors).toHaveLength(1)
  })

  test.each([
    ["no object", "[]", 400, "body"],
    ["no thread", JSON.stringify({ runId: "r", messages: [] }), 400, "threadId"],
    ["nothing said", JSON.stringify({ threadId: "t", runId: "r", messages: [] }), 400, "messages"],
    [
      "an answer to nothing",
      JSON.stringify({
        threadId: "t",
        runId: "r",
        messages: [],
        resume: [{ interruptId: "a", status: "cancelled" }],
      }),
      404,
      "action_id",
    ],
  ])("refuses %s", async (_, body, status, field) => {
    const headers = { ...host.headers, "content-type": "application/json" }
    const answer = await fetch(`${host.url}/v1/ag-ui`, { method: "POST", headers, body })
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ ok: false, refusal: { field } })
  })

  test("refuses without a token", async () => {
    const answer = await fetch(`${host.url}/v1/ag-ui`, { method: "POST", body: "{}" })
    expect(answer.status).toBe(401)
  })
})
