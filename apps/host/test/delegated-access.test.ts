import type { Model } from "@factum/runtime"
import { expect, it, onTestFinished } from "vitest"
import { ask, command, result, saying } from "./asking.ts"
import { factOf, startTestHost } from "./hosting.ts"
import { openStream } from "./stream.ts"
import { asking } from "./writer.ts"

/** The main agent hands its task on; the scout calls a tool that a person must allow. */
const roles: Model = {
  provider: "test",
  name: "roles",
  async *stream({ system = "", messages }) {
    const isFirst = !messages.some(({ role }) => role === "assistant")
    const [tool, args] = system.includes("the scout")
      ? ["write", {}]
      : ["delegate", { agent: "scout", task: "Look" }]
    if (isFirst)
      yield { kind: "tool_call", part_id: "c", call_id: "c", tool, arguments: JSON.stringify(args) } as const
    else yield { kind: "text", part_id: "t", text: "Done." } as const
    const usage = { input_tokens: 1, output_tokens: 1 }
    yield { kind: "finish", finish: isFirst ? "tool_calls" : "stop", usage } as const
  },
}

const scout = {
  name: "scout",
  description: "Looks around.",
  instructions: "You are the scout.",
  capabilities: [],
  protocol: false,
  rules: [],
}

/** A child's tool waits for leave. */
async function waiting() {
  const agent = () => ({ ...asking(), delegates: [scout] })
  const running = await startTestHost({ model: roles, agent, workspace: "/work/a" })
  onTestFinished(running.stop)
  const input = { create: "session", input: saying("go") }
  const { session_id = "" } = await result(command(running.url, "submit_turn", input))
  const { action_id } = await factOf<{ action_id: string }>(running, session_id, "action.required")
  const spawned = await factOf<{ payload: { child_session_id: string } }>(
    running,
    session_id,
    "subagent.spawned",
  )
  const bearer = (scope: object) => ({
    authorization: `Bearer ${running.tokens.issue({ name: "a", roles: ["approver"], scope }).token}`,
  })
  const respond = (scope: object, more: object = { session_id }) =>
    ask(`${running.url}/v1/commands/respond_action`, {
      headers: bearer(scope),
      body: JSON.stringify({ input: { action_id, decision: "allow", ...more } }),
    })
  return { running, session_id, action_id, child: spawned.payload.child_session_id, bearer, respond }
}

it("an approver of the parent's session answers what its child asks, and of another session does not", async () => {
  const { running, session_id, respond } = await waiting()
  const before = running.heads()
  expect((await respond({ sessions: ["ses_other"] })).status).toBe(403)
  expect((await respond({ workspaces: ["/work/b"] })).status).toBe(403)
  expect(running.heads()).toBe(before)
  expect((await respond({ sessions: [session_id] })).status).toBe(200)
  await factOf(running, session_id, "turn.completed")
})

it.each(["session", "workspace"])(
  "an approver of the parent's %s answers it without naming a session",
  async (scoped) => {
    const { running, session_id, respond } = await waiting()
    const scope = scoped === "session" ? { sessions: [session_id] } : { workspaces: ["/work/a"] }
    expect((await respond(scope, {})).status).toBe(200)
    await factOf(running, session_id, "turn.completed")
  },
)

it("an approver of the parent's session answers it through AG-UI", async () => {
  const { running, session_id, action_id, bearer } = await waiting()
  const resume = [{ interruptId: action_id, status: "resolved", payload: { approved: true } }]
  const { status } = await ask(`${running.url}/v1/ag-ui`, {
    headers: bearer({ sessions: [session_id] }),
    body: JSON.stringify({ threadId: session_id, runId: "r", messages: [], resume }),
  })
  expect(status).toBe(200)
  await factOf(running, session_id, "turn.completed")
})

it("a child is where its parent is: in lists, in streams, and for tokens of the workspace", async () => {
  const { running, child, bearer } = await waiting()
  const inside = bearer({ workspaces: ["/work/a"] })
  expect((await ask(`${running.url}/v1/sessions/${child}`, { headers: inside })).status).toBe(200)
  for (const headers of [{}, inside]) {
    const { json } = await ask(`${running.url}/v1/sessions?workspace=/work/a`, { headers })
    const { sessions } = (json as { result: { sessions: { session_id: string }[] } }).result
    expect(sessions.map(({ session_id }) => session_id)).toContain(child)
  }
  const ofChild = { facts: `"session_id":"${child}"`, "agent-ui": `"stream":"${child}"` }
  for (const [path, part] of Object.entries(ofChild)) {
    const stream = await openStream(`${running.url}/v1/${path}?workspace=/work/a&after=0`, inside)
    await stream.until(() => stream.text().includes(part))
    stream.cut()
  }
})
