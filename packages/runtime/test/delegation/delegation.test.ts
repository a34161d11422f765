import { applyFacts, type Envelope, emptySession, supersededBy } from "@factum/facts"
import { describe, expect, test } from "vitest"
import { childAgent } from "../../src/delegation/child-agent.ts"
import { judgeCall } from "../../src/execution/gate.ts"
import type { Model, Runtime, RuntimeParts } from "../../src/index.ts"
import { createLedger } from "../../src/routing/ledger.ts"
import { offerOf } from "../../src/routing/offer.ts"
import { done, ends, facts, openRuntime, refused, submit, types, until } from "../harness.ts"
import { agentWith, asking, fakeTool, linesModel, of, outputs, reader } from "../loop/given.ts"
import { budget, phase } from "../loop/models.ts"
import { delegating, hand, rolesModel, scout } from "./given.ts"

const childOf = (seen: readonly Envelope[]): string =>
  String(of(seen, "subagent.spawned")[0]?.payload.child_session_id)
const calling = (tool: string, args: object = {}) => ({ calls: [{ id: "x", tool, args }] })

describe("work that is handed to another agent", () => {
  test("[RT-SUB-2] it works in a session of its own with its own author, and its report is the result of the call", async () => {
    const look = reader("look", { does: () => ({ ok: true, output: "under the bed" }) })
    const { runtime, session_id, calls } = await delegating(
      { main: [hand()], scout: [calling("look"), { text: "It is under the bed." }] },
      [look],
    )
    const seen = await until(runtime, session_id, ends("turn.completed"))
    const child = facts(runtime, childOf(seen))
    expect(of(child, "session.created")[0]?.payload.metadata).toMatchObject({
      parent: { session_id, agent: "scout", depth: 1 },
    })
    expect(types(seen).filter((type) => type.startsWith("subagent."))).toEqual([
      "subagent.spawned",
      "subagent.input",
      "subagent.status",
      "subagent.completed",
      "subagent.closed",
    ])
    const last = calls.findLast(({ who }) => who === "main")
    expect(outputs(last?.call)).toEqual(["It is under the bed."])
    // Nothing that the child said or did stands in the parent's session as the parent's own.
    expect(of(seen, "tool.started").map(({ payload }) => payload.tool)).toEqual(["delegate"])
    expect(of(seen, "model.completed")).toHaveLength(2)
    expect(calls.find(({ who }) => who === "scout")?.call.messages).toHaveLength(1)
  })

  test("[MP-EXEC-1] an agent is an executor of declared work, and is given its task and context only", async () => {
    const { model, calls } = linesModel([
      {
        text: `\`\`\`json agent-protocol\n${JSON.stringify({
          type: "agent.protocol",
          version: "1",
          intent: "execute",
          payload: {
            type: "action_graph",
            actions: [
              {
                type: "action",
                id: "s",
                executor: { type: "agent", capabilities: ["search"] },
                description: "Look for the key",
                context_refs: ["md:hints"],
                result_policy: { return_to_model: "full" },
              },
            ],
          },
        })}\n\`\`\`\n\n## hints\n\nIt is small.\n`,
      },
      { text: "Found it in the drawer." },
      { text: "Done." },
    ])
    const agent = agentWith([], { protocol: true, delegates: [scout] })
    const { runtime } = await openRuntime(model, { agent })
    const { session_id } = await submit(runtime, "A secret of the conversation")
    await until(runtime, session_id, ends("turn.completed"))
    const told = JSON.stringify(calls[1]?.messages)
    expect(told).toContain("Look for the key")
    expect(told).toContain("It is small.")
    expect(told).not.toContain("A secret of the conversation")
    expect(String(calls[2]?.messages[0]?.parts)).toContain("Found it in the drawer.")
  })

  test("[MP-POLICY-6] a child that failed is not followed by another that knows nothing of its work", async () => {
    const action = {
      type: "action",
      id: "s",
      executor: { type: "agent", target: "scout" },
      description: "Send the letter",
      failure_policy: { on_failure: "retry", max_retries: 2 },
    }
    const payload = { type: "action_graph", actions: [action] }
    const whole = { type: "agent.protocol", version: "1", intent: "execute", payload }
    const items = { version: "2", items: [{ kind: "failure", message: "no map" }] }
    const { model, calls } = linesModel([
      { text: `\`\`\`json agent-protocol\n${JSON.stringify(whole)}\n\`\`\`` },
      { calls: [{ id: "p", tool: "AgentProtocolOutput", args: items }] },
      { text: "Done." },
    ])
    const delegates = [{ ...scout, protocol: true }]
    const { runtime } = await openRuntime(model, { agent: agentWith([], { protocol: true, delegates }) })
    const { session_id } = await submit(runtime, "Send it")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(of(seen, "subagent.spawned")).toHaveLength(1)
    expect(String(calls.at(-1)?.messages[0]?.parts)).toContain("may have had effects")
  })

  test("[MP-POLICY-4] what a child took counts against the budget of the run", async () => {
    const step = (id: string, depends_on: readonly string[]) => ({
      type: "action",
      id,
      executor: { type: "agent", target: "scout" },
      description: `Look in ${id}`,
      depends_on,
    })
    const whole = {
      type: "agent.protocol",
      version: "1",
      intent: "execute",
      budget_policy: { max_tokens: 2 },
      payload: { type: "action_graph", actions: [step("cellar", []), step("attic", ["cellar"])] },
    }
    const { model, calls } = linesModel([
      { text: `\`\`\`json agent-protocol\n${JSON.stringify(whole)}\n\`\`\`` },
      { text: "Nothing here." },
      { text: "Done." },
    ])
    const { runtime } = await openRuntime(model, {
      agent: agentWith([], { protocol: true, delegates: [scout] }),
    })
    const { session_id } = await submit(runtime, "Where is it?")
    await until(runtime, session_id, ends("turn.completed"))
    expect(calls).toHaveLength(3)
    expect(String(calls[2]?.messages[0]?.parts)).toContain(
      "budget_exceeded: The limit of 2 tokens is reached.",
    )
  })

  test("[MP-ASSIGN-3] a child that declares failure is a failed action", async () => {
    const items = { version: "2", items: [{ kind: "failure", message: "no map" }] }
    const { model, calls } = linesModel([
      hand(),
      { calls: [{ id: "p", tool: "AgentProtocolOutput", args: items }] },
    ])
    const agent = agentWith([], { delegates: [{ ...scout, protocol: true }] })
    const { runtime } = await openRuntime(model, { agent })
    const { session_id } = await submit(runtime, "Find it")
    await until(runtime, session_id, ends("turn.completed"))
    expect(outputs(calls.at(-1))[0]).toContain("The worker failed: no map")
  })

  test("several children work at the same time", async () => {
    const meet = Promise.withResolvers<void>()
    let inside = 0
    const look = reader("look", {
      async does() {
        if (++inside === 2) meet.resolve()
        await meet.promise
        return { ok: true, output: "seen" }
      },
    })
    const both = { calls: [...(hand("one", "d1").calls ?? []), ...(hand("two", "d2").calls ?? [])] }
    const { runtime, session_id } = await delegating({ main: [both], scout: [calling("look")] }, [look])
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(of(seen, "subagent.completed")).toHaveLength(2)
  })

  test("a child cannot hand work on", async () => {
    const { runtime, session_id, calls } = await delegating({ main: [hand()], scout: [hand()] }, [])
    await until(runtime, session_id, ends("turn.completed"))
    const scouts = calls.filter(({ who }) => who === "scout")
    expect(outputs(scouts[1]?.call)[0]).toContain("unknown_tool")
  })

  test("[RT-STAT-17] a child that fails fails its call, and the parent's turn goes on", async () => {
    const { model, calls } = rolesModel({ main: [hand()], scout: [] })
    const broken: typeof model = {
      ...model,
      async *stream(call) {
        if (call.system?.includes("the scout"))
          return yield { kind: "error", category: "provider_error", reason: "No words.", retryable: false }
        yield* model.stream(call)
      },
    }
    const { runtime } = await openRuntime(broken, { agent: agentWith([], { delegates: [scout] }) })
    const { session_id } = await submit(runtime, "Find it")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(of(seen, "subagent.failed")[0]?.payload).toMatchObject({
      status: "failed",
      category: "provider_error",
    })
    expect(outputs(calls.at(-1)?.call)[0]).toContain("scout did not finish (provider_error)")
  })
})

describe("what a child may do", () => {
  const rule = (effect: "allow" | "ask" | "deny", tool: string) => ({ effect, layer: "user" as const, tool })

  test.each([
    ["deny", "full", [rule("deny", "send")], [], "deny"],
    ["ask", "full", [rule("ask", "send")], [], "ask"],
    ["deny of its own", "full", [], [rule("deny", "send")], "deny"],
    ["an allow of its own that its parent does not give", "ask", [], [rule("allow", "send")], "ask"],
    ["an allow of its own against a deny", "full", [rule("deny", "send")], [rule("allow", "send")], "deny"],
    ["what its parent allows", "ask", [rule("allow", "send")], [], "allow"],
  ] as const)("[RT-SUB-3] %s", async (_, mode, parent, own, verdict) => {
    const send = fakeTool("send")
    const [host] = [agentWith([send], { policy: { version: "1", mode, rules: parent } })()]
    const child = childAgent(host, { ...scout, rules: own })
    const { explained } = await judgeCall(send, {}, child, (text) => text)
    expect(explained.verdict).toBe(verdict)
  })

  test("[RT-SUB-3] tools that its parent may not use are not its own either", () => {
    const host = agentWith([reader("look"), fakeTool("send"), fakeTool("burn")], { only: ["look", "send"] })()
    const child = childAgent(host, { ...scout, tools: ["send", "burn"] })
    expect(child.tools.map(({ name }) => name)).toEqual(["send"])
    expect(child.delegates).toBeUndefined()
  })

  test("how much a child thinks is its own, and not its parent's", () => {
    const host = agentWith([], { reasoning: "high" })()
    expect(childAgent(host, scout).reasoning).toBeUndefined()
    expect(childAgent(host, { ...scout, reasoning: "low" }).reasoning).toBe("low")
  })

  test("[RT-SUB-3] a child's call that is denied to its parent is not executed", async () => {
    const send = fakeTool("send")
    const policy = { version: "1", mode: "full" as const, rules: [rule("deny", "send")] }
    const own = [{ effect: "allow" as const, layer: "agent" as const, tool: "send" }]
    const { runtime, session_id } = await delegating({ main: [hand()], scout: [calling("send")] }, [send], {
      policy,
      delegates: [{ ...scout, rules: own }],
    })
    await until(runtime, session_id, ends("turn.completed"))
    expect(send.runs).toEqual([])
  })
})

describe("a child that waits for a person", () => {
  const waiting = async (tool = fakeTool("send")) => {
    const given = await delegating({ main: [hand()], scout: [calling("send")] }, [tool], asking)
    const asked = await until(given.runtime, given.session_id, ends("action.required"))
    const [action] = of(asked, "action.required")
    return { ...given, tool, asked, action, action_id: String(action?.action_id), child: childOf(asked) }
  }

  test("[RT-SUB-4] its action shows in the parent's session with who asks, and is answered there once", async () => {
    const { runtime, session_id, tool, action, action_id, child } = await waiting()
    expect(action?.payload).toMatchObject({
      action_type: "delegated_permission",
      tool: "send",
      requester: { kind: "subagent", name: "scout" },
    })
    const read = await done<{ read_model: { pending_requests: unknown[]; status: string } }>(
      runtime,
      "get_thread_read",
      { session_id, thread_id: action?.thread_id },
    )
    expect(read.read_model.pending_requests).toMatchObject([{ id: action_id, type: "delegated_permission" }])
    expect(read.read_model.status).toBe("waiting_permission")
    expect(tool.runs).toEqual([])
    await done(runtime, "respond_action", { session_id, action_id, decision: "allow" })
    const again = await refused(runtime, "respond_action", {
      input: { session_id: child, action_id, decision: "deny" },
    })
    expect(again.code).toBe("already_resolved")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(tool.runs).toHaveLength(1)
    expect(of(seen, "action.resolved")[0]).toMatchObject({ action_id, payload: { decision: "allow" } })
    expect(of(seen, "subagent.status").map(({ payload }) => payload.status)).toEqual([
      "running",
      "waiting_permission",
      "running",
    ])
  })

  test("[RT-CHAN-3] answered over a channel of the parent's session, it is decided in the child, once", async () => {
    const { runtime, session_id, tool, action_id, child } = await waiting()
    const peer = { session_id, kind: "websocket", native_peer_id: "phone", resume_token: "a-resume-token" }
    const opened = await runtime.channels.open(peer)
    if (!opened.ok) throw new Error(opened.refusal.message)
    const { channel_id } = opened.result
    expect(runtime.channels.waiting(channel_id)).toEqual([action_id])
    await runtime.channels.forward(channel_id, action_id)
    const answer = (decision: string) =>
      runtime.channels.answer(channel_id, { action_id, decision }, { id: "tok_ada", name: "Ada" })
    expect(await answer("perhaps")).toMatchObject({ ok: false, refusal: { code: "invalid_input" } })
    expect(await answer("allow")).toEqual({
      ok: true,
      result: { action_id, status: "resolved", decision: "allow" },
    })
    expect(await answer("deny")).toMatchObject({ ok: false, refusal: { code: "already_resolved" } })
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(tool.runs).toHaveLength(1)
    expect(of(facts(runtime, child), "action.resolved")).toMatchObject([
      { action_id, payload: { decision: "allow", decider: { kind: "human", id: "tok_ada", channel_id } } },
    ])
    expect(of(seen, "action.resolved")).toMatchObject([{ action_id, payload: { decision: "allow" } }])
    expect(of(seen, "channel.permission_returned").map(({ payload }) => payload.accepted)).toEqual([
      false,
      true,
      false,
    ])
  })

  test("the list of sessions counts it above and below, and may leave out what was handed out", async () => {
    const { runtime, session_id, child, action_id } = await waiting()
    const listed = (top: boolean) =>
      runtime
        .sessions({ limit: 10, top })
        .sessions.map(({ session_id: id, parent_session_id, needs_you }) => ({
          id,
          needs_you,
          ...(parent_session_id && { parent_session_id }),
        }))
    expect(listed(false)).toContainEqual({ id: child, needs_you: 1, parent_session_id: session_id })
    expect(listed(true)).toEqual([{ id: session_id, needs_you: 1 }])
    await done(runtime, "respond_action", { session_id, action_id, decision: "deny" })
    await until(runtime, session_id, ends("turn.completed"))
    expect(listed(true)).toEqual([{ id: session_id, needs_you: 0 }])
  })

  test("[RT-SUB-4] answered in its own session, the parent's request is settled too", async () => {
    const { runtime, session_id, action_id, child, tool } = await waiting()
    await done(runtime, "respond_action", { session_id: child, action_id, decision: "deny" })
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(of(seen, "action.resolved")[0]?.payload).toMatchObject({ reason: "answered", decision: "deny" })
    expect(tool.runs).toEqual([])
  })

  test("[RT-ACT-6] it survives a restart of the runtime and can be answered at the parent then", async () => {
    const first = await waiting()
    await first.runtime.close()
    const { model } = rolesModel({ main: [hand()], scout: [calling("send")] })
    const { runtime } = await openRuntime(model, { agent: first.agent, directory: first.directory })
    const { session_id, action_id } = first
    await done(runtime, "respond_action", { session_id, action_id, decision: "allow" })
    const seen = await until(runtime, session_id, ends("turn.completed"))
    expect(first.tool.runs).toHaveLength(1)
    expect(of(seen, "subagent.spawned")).toHaveLength(1)
    expect(of(seen, "action.required")).toHaveLength(1)
  })

  test("[RT-SUB-4] interrupting the parent ends the child, and its open action with it", async () => {
    const { runtime, session_id, action_id, child, tool } = await waiting()
    await done(runtime, "interrupt_turn", { session_id, reason: "enough" })
    const seen = await until(runtime, session_id, ends("subagent.closed"))
    expect(of(seen, "action.resolved")[0]?.payload).toMatchObject({ reason: "cancelled" })
    expect(of(seen, "subagent.failed")[0]?.payload).toMatchObject({ status: "cancelled" })
    const ended = facts(runtime, child)
    expect(of(ended, "turn.failed")[0]?.payload).toMatchObject({
      status: "cancelled",
      category: "interrupted",
    })
    expect(of(ended, "action.resolved")[0]?.payload).toMatchObject({ reason: "cancelled" })
    const late = await refused(runtime, "respond_action", {
      input: { session_id, action_id, decision: "allow" },
    })
    expect(late.code).toBe("already_resolved")
    expect(tool.runs).toEqual([])
  })
})

describe("a child and its parent after a stop", () => {
  test("[RT-REC-4] a child cut off in its answer ends, and the parent is told and goes on", async () => {
    const { model } = rolesModel({ main: [hand()], scout: [] })
    const silent: typeof model = {
      ...model,
      async *stream(call) {
        if (!call.system?.includes("the scout")) return yield* model.stream(call)
        yield { kind: "text", part_id: "a", text: "I" }
        await new Promise((resolve) => call.signal.addEventListener("abort", resolve))
      },
    }
    const agent = agentWith([], { delegates: [scout] })
    const first = await openRuntime(silent, { agent })
    const { session_id } = await submit(first.runtime, "Find it")
    const seen = await until(first.runtime, session_id, ends("subagent.status"))
    await until(first.runtime, childOf(seen), ends("model.delta"))
    await first.runtime.close()
    const second = rolesModel({ main: [hand()], scout: [] })
    const { runtime } = await openRuntime(second.model, { agent, directory: first.directory })
    const after = await until(runtime, session_id, ends("turn.completed"))
    expect(of(after, "subagent.failed")[0]?.payload).toMatchObject({ category: "runtime_restart" })
    expect(outputs(second.calls.at(-1)?.call)[0]).toContain("runtime_restart")
  })

  test("[RT-SUB-1] the child of a turn that was interrupted just before the stop is ended at the next start", async () => {
    const slow = fakeTool("slow", {
      effect: "repeatable",
      does: (_, { signal }) =>
        new Promise((resolve) => signal.addEventListener("abort", () => resolve({ ok: true, output: "" }))),
    })
    const first = await delegating({ main: [hand()], scout: [calling("slow")] }, [slow])
    const seen = await until(first.runtime, first.session_id, ends("subagent.spawned"))
    await until(first.runtime, childOf(seen), ends("tool.progress"))
    const interrupted = done(first.runtime, "interrupt_turn", {
      session_id: first.session_id,
      reason: "enough",
    })
    await interrupted
    await first.runtime.close()
    const { model } = rolesModel({ main: [], scout: [] })
    const { runtime } = await openRuntime(model, { agent: first.agent, directory: first.directory })
    const after = await until(runtime, first.session_id, ends("subagent.closed"))
    expect(of(after, "subagent.closed")).toHaveLength(1)
    expect(of(facts(runtime, childOf(after)), "turn.failed")).toHaveLength(1)
  })
})

describe("what a child costs", () => {
  const price = { currency: "USD", version: "2026-01", input: 1, output: 10 }
  const priced = (model: Model): Partial<RuntimeParts> => ({ models: [{ ...offerOf(model), price }] })
  const totals = (runtime: Runtime, session_id: string) => {
    const read = runtime.snapshot("routing_limit_summary", { session_id })
    return read.ok ? (read.result as { cost: unknown }).cost : read.refusal
  }
  /** One request of these models costs so much. */
  const one = 0.00006
  const three = [{ currency: "USD", total: 3 * one, known_part: 3 * one, requests: 3, unpriced: 0 }]

  test("[RT-COST-2] it counts once for the parent's session and turn", async () => {
    const { runtime, session_id } = await delegating({ main: [hand()], scout: [] }, [])
    const seen = await until(runtime, session_id, ends("turn.completed"))
    const uses = createLedger(runtime.log)(session_id)
    expect(uses).toHaveLength(3)
    expect(new Set(uses.map(({ turn_id }) => turn_id)).size).toBe(1)
    expect(createLedger(runtime.log)(childOf(seen))).toHaveLength(1)
  })

  test("[RT-COST-2] it is told in the parent under the same request, once, also when the fact comes twice", async () => {
    const { model } = rolesModel({ main: [hand()], scout: [] })
    const { runtime } = await openRuntime(model, {
      ...priced(model),
      agent: agentWith([], { delegates: [scout] }),
    })
    const { session_id } = await submit(runtime, "Find it")
    const seen = await until(runtime, session_id, ends("turn.completed"))
    const [own] = of(facts(runtime, childOf(seen)), "cost.recorded")
    const told = of(seen, "cost.recorded").filter(({ subagent_id }) => subagent_id !== undefined)
    expect(told.map(({ payload }) => payload)).toEqual([
      { ...own?.payload, from: { session_id: childOf(seen), sequence: own?.sequence } },
    ])
    expect(totals(runtime, session_id)).toEqual(three)
    // Told a second time under another id, as a sender that was cut off might.
    const [again] = told
    const twice = { ...again, event_id: "evt_again", sequence: (seen.at(-1)?.sequence ?? 0) + 1 } as Envelope
    const state = applyFacts(emptySession, [...seen, twice], supersededBy(seen)).state
    expect(state.entities.costTotals.USD).toMatchObject({ known: 3 * one, requests: 3 })
  })

  test("[RT-COST-2] a restart in the middle tells what was not told, and nothing twice", async () => {
    const write = fakeTool("write", { effect: "repeatable" })
    const scripts = { main: [hand()], scout: [calling("write")] }
    const first = rolesModel(scripts)
    const agent = agentWith([write], { ...asking, delegates: [scout] })
    const before = await openRuntime(first.model, { ...priced(first.model), agent })
    const { session_id } = await submit(before.runtime, "Find it")
    const asked = await until(before.runtime, session_id, ends("action.required"))
    expect(of(asked, "cost.recorded")).toHaveLength(2)
    await before.runtime.close()
    const { model } = rolesModel(scripts)
    const { runtime } = await openRuntime(model, { ...priced(model), agent, directory: before.directory })
    const action_id = of(facts(runtime, session_id), "action.required")[0]?.action_id
    await done(runtime, "respond_action", { action_id, decision: "allow" })
    const seen = await until(runtime, session_id, ends("turn.completed"))
    const ids = of(seen, "cost.recorded").map(({ payload }) => payload.request_id)
    expect([ids.length, new Set(ids).size]).toEqual([4, 4])
    expect(totals(runtime, session_id)).toMatchObject([{ total: 4 * one, requests: 4 }])
  })

  test("[RT-COST-2] a child that is cut off with its parent is paid for as well", async () => {
    const { runtime, session_id } = await delegating(
      { main: [hand()], scout: [calling("write")] },
      [fakeTool("write")],
      asking,
    )
    await until(runtime, session_id, ends("action.required"))
    await done(runtime, "interrupt_turn", { session_id, reason: "enough" })
    const seen = await until(runtime, session_id, ends("subagent.closed"))
    expect(of(seen, "cost.recorded")).toHaveLength(2)
  })

  test("[RT-COST-3] a budget of the parent's session holds for the child, and a person's answer in either place lets both go on", async () => {
    const { runtime, session_id } = await delegating(
      { main: [hand()], scout: [] },
      [],
      {},
      {
        limits: () => [budget(1)],
      },
    )
    const asked = await until(runtime, session_id, ends("action.required"))
    const child = facts(runtime, childOf(asked))
    expect(of(child, "model.requested")).toEqual([])
    expect(phase("blocked")(child)).toBe(true)
    const action_id = of(asked, "action.required")[0]?.action_id
    await done(runtime, "respond_action", { action_id, decision: "go_on" })
    // As much again lets the child answer; the parent's own answer is the next one to be asked about.
    const seen = await until(runtime, session_id, phase("blocked"))
    expect(of(facts(runtime, childOf(seen)), "turn.completed")).toHaveLength(1)
    expect(of(seen, "quota.blocked").at(-1)?.payload).toMatchObject({ used: 2, limit: 2 })
    const next = of(seen, "action.required").at(-1)?.action_id
    await done(runtime, "respond_action", { action_id: next, decision: "go_on" })
    await until(runtime, session_id, ends("turn.completed"))
  })

  test("calls of a child count for the budget of the one that it works for", async () => {
    const look = reader("look")
    const { runtime, session_id } = await delegating(
      { main: [hand()], scout: [calling("look"), calling("look")] },
      [look],
      {},
      { limits: () => [budget(2, { unit: "calls", per: "turn" })] },
    )
    await until(runtime, session_id, ends("action.required"))
    // Handing out is a call as well.
    expect(look.runs).toHaveLength(1)
  })
})
