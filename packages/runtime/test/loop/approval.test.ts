import type { Envelope } from "@factum/facts"
import { describe, expect, it } from "vitest"
import { type Policy, speaker } from "../../src/index.ts"
import { done, ends, facts, openRuntime, refused, submit, types, until } from "../harness.ts"
import { agentWith, asking, fakeTool, linesModel, of, outputs, reader } from "./given.ts"

const writes = { calls: [{ id: "c1", tool: "write", args: { path: "a" } }] }

async function waiting(more: Parameters<typeof fakeTool>[1] = {}, directory?: string) {
  const write = fakeTool("write", more)
  const { model, calls } = linesModel([writes, { text: "Written." }])
  const agent = agentWith([write], asking)
  const opened = await openRuntime(model, { agent, ...(directory === undefined ? {} : { directory }) })
  const submitted = await submit(opened.runtime, "Write")
  const seen = await until(opened.runtime, submitted.session_id, ends("action.required"))
  return { ...opened, ...submitted, write, calls, agent, model, action_id: actionId(seen) }
}

const actionId = (seen: readonly Envelope[], index = 0): string =>
  of(seen, "action.required")[index]?.action_id ?? ""

describe("approval", () => {
  it("the last call that a turn may make is executed once it is allowed, and then the limit ends the turn", async () => {
    const write = fakeTool("write")
    const { model } = linesModel([writes])
    const { runtime } = await openRuntime(model, { agent: agentWith([write], { ...asking, most_calls: 1 }) })
    const { session_id } = await submit(runtime, "Write")
    const asked = await until(runtime, session_id, ends("action.required"))
    await done(runtime, "respond_action", { action_id: actionId(asked), decision: "allow" })
    const seen = await until(runtime, session_id, ends("turn.failed"))
    expect(write.runs).toHaveLength(1)
    expect(of(seen, "turn.failed")[0]?.payload.category).toBe("call_limit")
  })

  it("[RT-ACT-7] three calls that wait are answered in reverse, each as it was said", async () => {
    const names = ["one", "two", "three"]
    const tools = names.map((name) => reader(name, { touches: async () => [{ kind: "other", name }] }))
    const { model, calls } = linesModel([{ calls: names.map((tool) => ({ id: tool, tool })) }])
    const { runtime } = await openRuntime(model, { agent: agentWith(tools, asking) })
    const { session_id } = await submit(runtime, "Go")
    const asked = of(await until(runtime, session_id, ends("action.required", 3)), "action.required")
    const openNow = () =>
      asked
        .map(({ action_id }) => action_id)
        .filter(
          (id) => !of(facts(runtime, session_id), "action.resolved").some((one) => one.action_id === id),
        )
    const decisions = ["allow", "deny", "allow"]
    for (const index of [2, 1, 0]) {
      const { action_id } = asked[index] ?? {}
      await done(runtime, "respond_action", { action_id, decision: decisions[index] })
      expect(openNow()).toEqual(asked.slice(0, index).map((one) => one.action_id))
    }
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(tools.map(({ runs }) => runs.length)).toEqual([1, 0, 1])
    const callOf = new Map(of(seen, "tool.started").map((one) => [one.tool_call_id, one.payload.tool]))
    const resolved = of(seen, "permission.resolved").map((one) => [
      callOf.get(one.tool_call_id),
      one.payload.outcome,
    ])
    expect(resolved).toEqual([
      ["three", "allowed"],
      ["two", "denied"],
      ["one", "allowed"],
    ])
    expect(outputs(calls[1]).map((output) => output.split(" ")[0])).toEqual([
      "one",
      expect.any(String),
      "three",
    ])
  })

  it("[RT-EVT-20] ask then allow: evaluated, requested, resolved, in this order, before the effect", async () => {
    const { runtime, session_id, action_id, write } = await waiting()
    expect(write.runs).toEqual([])
    await done(runtime, "respond_action", { action_id, decision: "allow" })
    const seen = await until(runtime, session_id, ends("turn.completed"))
    const order = types(seen).filter((type) => /^(permission|action|tool)\./.test(type))
    expect(order).toEqual([
      "tool.catalog.resolved",
      "tool.started",
      "tool.args",
      "permission.evaluated",
      "permission.requested",
      "action.required",
      "action.resolved",
      "permission.resolved",
      "tool.progress",
      "tool.result",
    ])
    expect(write.runs).toEqual([{ path: "a" }])
    expect(of(seen, "permission.resolved")[0]?.payload).toMatchObject({ outcome: "allowed" })
  })

  it("[RT-EVT-20] ask then deny: the call fails as permission_denied without an effect, the model is told", async () => {
    const { runtime, session_id, action_id, write, calls } = await waiting()
    await done(runtime, "respond_action", { action_id, decision: "deny", note: "Not this file." })
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(of(seen, "tool.failed")[0]?.payload).toMatchObject({ category: "permission_denied" })
    expect(write.runs).toEqual([])
    expect(outputs(calls[1])[0]).toContain("A person said no. Not this file.")
  })

  it("[RT-EVT-20] deny: judged and failed, nobody is asked", async () => {
    const write = fakeTool("write", { touches: async () => [{ kind: "write", path: "/srv/a" }] })
    const { model } = linesModel([writes])
    const deny = { effect: "deny", layer: "user", tool: "write", match: "/srv/**" } as const
    const policy: Policy = { version: "7", mode: "full", rules: [deny] }
    const { runtime } = await openRuntime(model, { agent: agentWith([write], { policy }) })
    const { session_id } = await submit(runtime, "Write")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(types(seen).filter((type) => /^(permission|action)\./.test(type))).toEqual([
      "permission.evaluated",
    ])
    expect(of(seen, "permission.evaluated")[0]?.payload).toMatchObject({
      verdict: "deny",
      policy_version: "7",
    })
    expect(write.runs).toEqual([])
  })

  it("[RT-STAT-6] the run waits for permission and the read model names the open action", async () => {
    const { runtime, session_id, thread_id, action_id } = await waiting()
    const read = await done<{ read_model: Record<string, unknown> }>(runtime, "get_thread_read", {
      session_id,
      thread_id,
    })
    expect(read.read_model.status).toBe("waiting_permission")
    expect(JSON.stringify(read.read_model.pending_requests)).toContain(action_id)
    const last = of(facts(runtime, session_id), "run.status").at(-1)
    expect(last?.payload.phase).toBe("waiting_permission")
  })

  it("[RT-STAT-6] the run goes on waiting while a reader works beside the open request", async () => {
    const look = reader("look")
    const both = {
      calls: [
        { id: "w", tool: "write" },
        { id: "r", tool: "look" },
      ],
    }
    const { model } = linesModel([both])
    const { runtime } = await openRuntime(model, { agent: agentWith([fakeTool("write"), look], asking) })
    const { session_id } = await submit(runtime, "Go")
    const seen = await until(runtime, session_id, ends("tool.result"))
    expect(of(seen, "action.required")).toHaveLength(1)
    expect(of(seen, "run.status").at(-1)?.payload.phase).toBe("waiting_permission")
  })

  it("[RT-ACT-1] nothing of the work moves while an action is open", async () => {
    const { runtime, session_id, calls } = await waiting()
    const head = runtime.log.head(session_id)
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(runtime.log.head(session_id)).toBe(head)
    expect(calls).toHaveLength(1)
  })

  it("[RT-ACT-2] a new message that reads like consent waits in the queue and allows nothing", async () => {
    const { runtime, session_id, thread_id, write } = await waiting()
    const next = await submit(runtime, "yes, allow", { session_id, thread_id })
    expect(next.status).toBe("queued")
    expect(write.runs).toEqual([])
    expect(of(facts(runtime, session_id), "action.resolved")).toEqual([])
  })

  it("[RT-ACT-3] the second answer is refused and the first stands", async () => {
    const { runtime, session_id, action_id } = await waiting()
    await done(runtime, "respond_action", { action_id, decision: "deny" })
    const refusal = await refused(runtime, "respond_action", { input: { action_id, decision: "allow" } })
    expect(refusal).toMatchObject({ code: "already_resolved", id: action_id })
    await until(runtime, session_id, ends("turn.completed"))
    expect(of(facts(runtime, session_id), "action.resolved")).toHaveLength(1)
  })

  it("[RT-ACT-3] of answers that race exactly one wins", async () => {
    const { runtime, session_id, action_id } = await waiting()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        runtime.execute("respond_action", {
          input: { action_id, decision: index % 2 === 0 ? "allow" : "deny" },
        }),
      ),
    )
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
    await until(runtime, session_id, ends("turn.completed"))
    expect(of(facts(runtime, session_id), "action.resolved")).toHaveLength(1)
  })

  it("[RT-CMD-24] a decision that was not offered is refused with those that were", async () => {
    const { runtime, action_id } = await waiting()
    const refusal = await refused(runtime, "respond_action", { input: { action_id, decision: "maybe" } })
    expect(refusal).toMatchObject({ code: "invalid_input", field: "input.decision" })
    expect(refusal.fix).toContain("allow, deny")
  })

  it("[RT-CMD-24] an unknown action is not found", async () => {
    const { runtime, session_id } = await waiting()
    for (const input of [
      { action_id: "act_x", decision: "allow" },
      { action_id: "act_x", decision: "allow", session_id },
    ])
      expect(await refused(runtime, "respond_action", { input })).toMatchObject({ code: "not_found" })
  })

  it("[RT-ID-3] an action of another session is a scope mismatch", async () => {
    const { runtime, action_id } = await waiting()
    const other = await submit(runtime, "Write")
    const input = { action_id, decision: "allow", session_id: other.session_id }
    expect(await refused(runtime, "respond_action", { input })).toMatchObject({ code: "scope_mismatch" })
  })

  it("[RT-CMD-4] an answer that is sent again under its id gives the first result", async () => {
    const { runtime, session_id, action_id } = await waiting()
    const input = { action_id, decision: "allow" }
    const first = await done(runtime, "respond_action", input, "cmd_1")
    await until(runtime, session_id, ends("turn.completed"))
    expect(await done(runtime, "respond_action", input, "cmd_1")).toEqual(first)
    expect(of(facts(runtime, session_id), "action.resolved")).toHaveLength(1)
  })

  it("[RT-ACT-5] an interrupt beats a pending action: it is cancelled, and a later answer runs nothing", async () => {
    const { runtime, session_id, action_id, write } = await waiting()
    await done(runtime, "interrupt_turn", { session_id, reason: "no" })
    const seen = facts(runtime, session_id)
    expect(of(seen, "action.resolved")[0]?.payload).toMatchObject({ reason: "cancelled", decision: "none" })
    expect(of(seen, "permission.resolved")[0]?.payload).toMatchObject({ outcome: "cancelled" })
    expect(of(seen, "tool.failed")[0]?.payload).toMatchObject({ category: "interrupted" })
    expect(of(seen, "turn.failed")[0]?.payload).toMatchObject({ status: "cancelled" })
    const refusal = await refused(runtime, "respond_action", { input: { action_id, decision: "allow" } })
    expect(refusal.code).toBe("already_resolved")
    expect(write.runs).toEqual([])
  })

  it("[RT-ACT-6] an open action survives a restart under its id; finished steps are not run again", async () => {
    const look = reader("look")
    const write = fakeTool("write")
    const lines = [
      { calls: [{ id: "r", tool: "look" }] },
      { calls: [{ id: "w", tool: "write" }] },
      { text: "Done." },
    ]
    const agent = agentWith([look, write], asking)
    const first = await openRuntime(linesModel(lines).model, { agent })
    const { session_id } = await submit(first.runtime, "Go")
    const before = await until(first.runtime, session_id, ends("action.required"))
    await first.runtime.close()
    const { model, calls } = linesModel([{ text: "After." }])
    const second = await openRuntime(model, { agent, directory: first.directory })
    const action_id = actionId(before)
    await done(second.runtime, "respond_action", { action_id, decision: "allow" })
    const seen = await until(second.runtime, session_id, ends("turn.completed"))
    expect(of(seen, "action.required")).toHaveLength(1)
    expect(look.runs).toHaveLength(1)
    expect(write.runs).toHaveLength(1)
    expect(calls).toHaveLength(1)
    expect(calls[0]?.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "tool",
    ])
  })

  it("[RT-ACT-7] several open actions are independent, and each answer reaches its own call", async () => {
    const write = fakeTool("write", { does: ({ n }) => ({ ok: true, output: `wrote ${n}` }) })
    const look = reader("check", { does: ({ n }) => ({ ok: true, output: `checked ${n}` }) })
    const ask = (id: string, n: number) => ({ id, tool: "send", args: { n } })
    const send = fakeTool("send", {
      side_effects: ["send"],
      does: ({ n }) => ({ ok: true, output: `sent ${n}` }),
    })
    const { model, calls } = linesModel([
      { calls: [ask("a", 1), { id: "b", tool: "check", args: { n: 2 } }] },
    ])
    const { runtime } = await openRuntime(model, { agent: agentWith([write, look, send], asking) })
    const { session_id } = await submit(runtime, "Go")
    await until(runtime, session_id, (seen) => ends("action.required")(seen) && ends("tool.result")(seen))
    const action_id = actionId(facts(runtime, session_id))
    await done(runtime, "respond_action", { action_id, decision: "allow" })
    await until(runtime, session_id, ends("turn.completed"))
    expect(outputs(calls[1])).toEqual(["sent 1", "checked 2"])
  })

  it("[RT-HOOK-3] an approval given under an older policy is judged again before the effect", async () => {
    let policy: Policy = { version: "1", mode: "ask", rules: [] }
    const write = fakeTool("write")
    const { model } = linesModel([writes])
    const agent = () => ({ ...speaker, tools: [write], policy })
    const { runtime } = await openRuntime(model, { agent })
    const { session_id } = await submit(runtime, "Write")
    const asked = await until(runtime, session_id, ends("action.required"))
    policy = { version: "2", mode: "ask", rules: [{ effect: "deny", layer: "host", tool: "write" }] }
    await done(runtime, "respond_action", { action_id: actionId(asked), decision: "allow" })
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(write.runs).toEqual([])
    expect(of(seen, "permission.evaluated").at(-1)?.payload).toMatchObject({
      verdict: "deny",
      policy_version: "2",
    })
    expect(of(seen, "tool.failed")[0]?.payload).toMatchObject({ category: "permission_denied" })
  })
})
