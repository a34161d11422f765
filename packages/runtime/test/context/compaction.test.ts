import { applyFacts, contextBoundarySnapshot, type Envelope, emptySession, supersededBy } from "@factum/facts"
import { describe, expect, test } from "vitest"
import { Carried } from "../../src/context/carried.ts"
import { tokensOf } from "../../src/context/window.ts"
import type { Hook } from "../../src/hooks/index.ts"
import type { FactLog, Model, ModelChunk, Runtime } from "../../src/index.ts"
import { owed } from "../../src/owed.ts"
import type { ModelCall } from "../../src/ports/model.ts"
import { done, ends, facts, openRuntime, refused, submit, types, until } from "../harness.ts"
import { agentWith, asking, fakeTool, type Line, of, reader } from "../loop/given.ts"

const compact = "x-factum.compact_thread"
const isSummary = (call: ModelCall) => call.system?.startsWith("You sum up") === true

/** Answers by what it is asked last; sums up with the words given, or fails to. */
function talker(
  answers: Readonly<Record<string, readonly Line[]>>,
  summary: (nth: number) => string | Error,
) {
  const asked: ModelCall[] = []
  const summed: ModelCall[] = []
  const rounds = new Map<string, number>()
  const model: Model = {
    provider: "talker",
    name: "talker",
    async *stream(call): AsyncIterable<ModelChunk> {
      const usage = { input_tokens: 7, output_tokens: 3 }
      if (isSummary(call)) {
        summed.push(call)
        const made = summary(summed.length)
        if (made instanceof Error)
          yield { kind: "error", category: "provider_error", reason: made.message, retryable: false }
        else yield { kind: "text", part_id: "s", text: made }
        yield { kind: "finish", finish: "stop", usage }
        return
      }
      asked.push(call)
      const at = call.messages.findLastIndex(({ role }) => role === "user")
      const [part] = call.messages[at]?.parts ?? []
      const text = typeof part === "object" && part.kind === "text" ? part.text : ""
      const round = rounds.get(text) ?? 0
      rounds.set(text, round + 1)
      const said = answers[text]?.[round] ?? { text: `Answer to ${text}` }
      if (said.text !== undefined) yield { kind: "text", part_id: "a", text: said.text }
      for (const { id, tool, args = {} } of said.calls ?? [])
        yield { kind: "tool_call", part_id: id, call_id: id, tool, arguments: JSON.stringify(args) }
      yield { kind: "finish", finish: said.calls === undefined ? "stop" : "tool_calls", usage }
    },
  }
  return { model, asked, summed }
}

const long = (word: string) => `${word} `.repeat(300)
const small = { window: { tokens: 2_000, reserve_tokens: 500, keep_tokens: 300 } }
const told = (call: ModelCall | undefined): string => JSON.stringify(call?.messages)
const compactions = (all: readonly Envelope[]) =>
  types(all).filter((type) => type.startsWith("context.compaction"))
const stateOf = (runtime: Runtime, session_id: string) => {
  const all = facts(runtime, session_id)
  return applyFacts(emptySession, all, supersededBy(all)).state
}
async function say(runtime: Runtime, words: string, session_id?: string) {
  const turn = await submit(runtime, words, session_id === undefined ? {} : { session_id })
  await until(runtime, turn.session_id, (all) =>
    all.some((fact) => fact.turn_id === turn.turn_id && /turn.(completed|failed)/.test(fact.type)),
  )
  return turn
}

describe("a conversation that nears the window", () => {
  test("[RT-EVT-13] is summed up before the next request: started, then one completed with range, summary and refs", async () => {
    const { model, asked, summed } = talker({ One: [{ text: long("first") }] }, () => "They spoke of one.")
    const { runtime } = await openRuntime(model, { agent: agentWith([], small) })
    const { session_id } = await say(runtime, "One")
    await say(runtime, long("two"), session_id)
    await say(runtime, long("three"), session_id)
    const all = facts(runtime, session_id)
    expect(compactions(all)).toEqual(["context.compaction.started", "context.compaction.completed"])
    const [started, completed] = all.filter(({ type }) => type.startsWith("context.compaction"))
    const { from, to, compaction_id } = started?.payload ?? {}
    expect(completed?.payload).toMatchObject({ compaction_id, from, to, by: "model" })
    expect(from).toBe(1)
    expect(to).toBeLessThan(started?.sequence ?? 0)
    const last = asked.at(-1)
    expect(told(last)).toContain("They spoke of one.")
    expect(told(last)).not.toContain("first first")
    expect(told(last)).toContain("three three")
    expect(tokensOf([last?.messages])).toBeLessThan(1_500)
    const requests = of(all, "model.requested").filter(
      ({ payload }) => payload.compaction_id === compaction_id,
    )
    const ids = new Set(requests.map(({ payload }) => payload.request_id))
    const costs = of(all, "cost.recorded").filter(({ payload }) => ids.has(payload.request_id))
    const usage = { input_tokens: 7, output_tokens: 3 }
    expect(requests).toHaveLength(summed.length)
    expect(costs.map(({ payload }) => payload.usage)).toEqual(summed.map(() => usage))
    expect(new Set(costs.map(({ turn_id }) => turn_id))).toEqual(
      new Set([of(all, "turn.started").at(-1)?.turn_id]),
    )
    expect(summed.length).toBeGreaterThan(0)
  })

  test("[RT-EVT-13] a summariser that fails leaves the old context in force, with the cause; an extract comes next", async () => {
    const { model, asked } = talker({ One: [{ text: long("first") }] }, () => new Error("no such model"))
    const { runtime } = await openRuntime(model, { agent: agentWith([], small) })
    const { session_id } = await say(runtime, "One")
    await say(runtime, long("two"), session_id)
    await say(runtime, long("three"), session_id)
    const all = facts(runtime, session_id)
    expect(compactions(all)).toEqual([
      "context.compaction.started",
      "context.compaction.failed",
      "context.compaction.started",
      "context.compaction.completed",
    ])
    expect(of(all, "context.compaction.failed")[0]?.payload.cause).toBe("no such model")
    expect(of(all, "context.compaction.completed")[0]?.payload.by).toBe("extract")
    expect(told(asked.at(-1))).toContain("[An extract, made without a model.]")
  })

  test.each([
    ["before_compaction", "not_permitted"],
    ["after_compaction", undefined],
  ] as const)("on demand hooks are asked, too: %s", async (on, refusal) => {
    const { model } = talker({}, () => "They spoke of one.")
    const hooks: Hook[] = [{ kind: "function", name: "guard", on, run: () => refusal && { verdict: "deny" } }]
    const { runtime } = await openRuntime(model, { agent: agentWith([], { hooks }) })
    const { session_id, thread_id } = await say(runtime, "One")
    const input = { session_id, thread_id, by: "extract" }
    const command = { command_id: "cmd_once", input }
    const outcome = await runtime.execute(compact, command)
    if (refusal === undefined) expect(outcome.ok).toBe(true)
    else expect(outcome).toMatchObject({ ok: false, refusal: { code: refusal, fix: expect.any(String) } })
    await until(runtime, session_id, (all) => all.some(({ type }) => type === "hook.completed"))
    const all = facts(runtime, session_id)
    expect(of(all, "hook.started").map(({ payload }) => payload.point)).toEqual([on])
    expect(compactions(all)).toEqual(
      refusal === undefined ? ["context.compaction.started", "context.compaction.completed"] : [],
    )
  })

  test("[RT-CTX-3] on demand a summariser error ends it as failed, and what the model is told stays as it was", async () => {
    const { model, asked } = talker({}, () => new Error("busy"))
    const { runtime } = await openRuntime(model)
    const { session_id, thread_id } = await say(runtime, "One")
    await done(runtime, compact, { session_id, thread_id })
    await until(runtime, session_id, ends("context.compaction.failed"))
    await say(runtime, "Two", session_id)
    expect(asked.at(-1)?.messages).toHaveLength(3)
    expect(contextBoundarySnapshot(stateOf(runtime, session_id), thread_id).compactions).toEqual([])
  })

  test("[RT-CTX-3] a context of twice the limit is summed up in pieces, none larger than the window", async () => {
    const before = talker({}, () => "")
    const first = await openRuntime(before.model)
    const { session_id } = await say(first.runtime, long("zero"))
    for (const word of ["one", "two", "three", "four", "five", "six", "seven"])
      await say(first.runtime, long(word), session_id)
    await first.runtime.close()
    const { model, asked, summed } = talker({}, (nth) => `Summary ${nth}.`)
    const options = { directory: first.directory, agent: agentWith([], small) }
    const { runtime } = await openRuntime(model, options)
    await say(runtime, "And now?", session_id)
    expect(compactions(facts(runtime, session_id)).at(-1)).toBe("context.compaction.completed")
    expect(summed.length).toBeGreaterThan(1)
    for (const call of summed) expect(tokensOf([call.messages, call.system])).toBeLessThan(2_000)
    expect(told(summed[1])).toContain("Summary 1.")
    expect(told(asked.at(-1))).toContain(`Summary ${summed.length}.`)
    expect(tokensOf([asked.at(-1)?.messages])).toBeLessThan(1_500)
  })

  test("[RT-CTX-3] one turn that overruns the window by its calls goes on, and repeats none", async () => {
    const runs = (n: number) =>
      Array.from({ length: n }, (_, at) => ({ calls: [{ id: `c${at}`, tool: "send" }] }))
    const send = fakeTool("send", { does: () => ({ ok: true, output: long("sent") }) })
    let rounds = 0
    const { model: inner, asked } = talker({}, () => "Sent much.")
    const model: Model = {
      ...inner,
      async *stream(call) {
        if (isSummary(call)) return yield* inner.stream(call)
        asked.push(call)
        const line = runs(6)[rounds++]
        for (const { id, tool } of line?.calls ?? [])
          yield { kind: "tool_call", part_id: id, call_id: id, tool, arguments: "{}" }
        if (line === undefined) yield { kind: "text", part_id: "a", text: "Done." }
        yield { kind: "finish", finish: "stop", usage: { input_tokens: 1, output_tokens: 1 } }
      },
    }
    const { runtime } = await openRuntime(model, { agent: agentWith([send], small) })
    const { session_id } = await say(runtime, "Send six")
    const all = facts(runtime, session_id)
    expect(send.runs).toHaveLength(6)
    expect(of(all, "turn.completed")).toHaveLength(1)
    expect(of(all, "context.compaction.completed").length).toBeGreaterThan(0)
    const last = told(asked.at(-1))
    expect(last).toContain("Send six")
    expect(last.match(/send \{\} → done/g)?.length).toBeGreaterThan(2)
    const record = of(all, "context.compaction.completed").at(-1)?.payload.carried as { receipts: number }
    expect(record.receipts).toBeGreaterThan(3)
  })

  test("without a known window nothing is summed up by itself", async () => {
    const { model } = talker({}, () => "x")
    const { runtime } = await openRuntime(model)
    const { session_id } = await say(runtime, long("one").repeat(30))
    await say(runtime, "Two", session_id)
    expect(compactions(facts(runtime, session_id))).toEqual([])
  })

  test("a system prompt that alone overruns the window ends the tries, not the turn", async () => {
    const { model } = talker({}, () => "x")
    const agent = agentWith([], { ...small, instructions: long("rule").repeat(8) })
    const { runtime } = await openRuntime(model, { agent })
    const { session_id } = await say(runtime, "One")
    expect(compactions(facts(runtime, session_id))).toEqual([])
    expect(of(facts(runtime, session_id), "turn.completed")).toHaveLength(1)
  })
})

describe("what goes over the boundary", () => {
  test("[RT-CTX-1] open actions, queued turns and outcomes are kept as facts; the action is answered afterwards", async () => {
    const write = fakeTool("write")
    const send = reader("send", { effect: "once", does: () => ({ ok: true, output: "sent to Ann" }) })
    const { model, asked } = talker(
      {
        Go: [
          { calls: [{ id: "a", tool: "send", args: { to: "Ann" } }] },
          { calls: [{ id: "b", tool: "write" }] },
        ],
      },
      () => "Ann was written to.",
    )
    const { runtime } = await openRuntime(model, { agent: agentWith([send, write], asking) })
    const { session_id, thread_id } = await say(runtime, "Hello")
    await submit(runtime, "Go", { session_id })
    let seen = await until(runtime, session_id, ends("action.required"))
    const queued = await submit(runtime, "Later", { session_id })
    await done(runtime, compact, { session_id, thread_id })
    seen = await until(runtime, session_id, ends("context.compaction.completed"))
    const { carried, kept } = (seen.at(-1)?.payload ?? {}) as {
      carried: { ref: { digest: string }; goals: number; receipts: number } & Record<string, unknown>
      kept: unknown[]
    }
    const action_id = of(seen, "action.required")[0]?.action_id
    expect(carried).toMatchObject({
      goals: 2,
      receipts: 1,
      open_actions: [action_id],
      queued_turns: [queued.queued_turn_id],
      active_tasks: [],
    })
    expect(kept).toContainEqual(carried.ref)
    const record = Carried.parse(
      JSON.parse(Buffer.from(runtime.blobs.get(carried.ref.digest) ?? []).toString()),
    )
    expect(record.goals.map(({ text }) => text)).toEqual(["Hello", "Go"])
    expect(record.receipts).toMatchObject([
      { tool: "send", status: "done", input: '{"to":"Ann"}', output: "sent to Ann" },
    ])
    await done(runtime, "respond_action", { action_id, decision: "allow" })
    await until(runtime, session_id, ends("turn.completed", 3))
    expect([send.runs.length, write.runs.length]).toEqual([1, 1])
    // The call that the summary came into is told whole, what was before it by its receipt.
    expect(told(asked[3])).toContain('send {\\"to\\":\\"Ann\\"} → done. sent to Ann')
    expect(told(asked[3])).toContain("tool_result")
  })

  test("[RT-CTX-1] a second summary carries on what the first one carried", async () => {
    const look = reader("look", { does: ({ at }) => ({ ok: true, output: `seen ${at}` }) })
    const go = (at: number) => [{ calls: [{ id: "c", tool: "look", args: { at } }] }]
    const { model, asked, summed } = talker({ A: go(1), B: go(2), C: go(3) }, (nth) => `Summary ${nth}.`)
    const { runtime } = await openRuntime(model, { agent: agentWith([look]) })
    const { session_id, thread_id } = await say(runtime, "A")
    await done(runtime, compact, { session_id, thread_id })
    await until(runtime, session_id, ends("context.compaction.completed"))
    await say(runtime, "B", session_id)
    await done(runtime, compact, { session_id, thread_id })
    const seen = await until(runtime, session_id, ends("context.compaction.completed", 2))
    const ranges = of(seen, "context.compaction.completed").map(({ payload }) => [payload.from, payload.to])
    expect(ranges[1]?.[0]).toBe(Number(ranges[0]?.[1]) + 1)
    expect(told(summed[1])).toContain("Summary 1.")
    await say(runtime, "C", session_id)
    const last = told(asked.at(-1))
    expect(last).toContain("seen 1")
    expect(last).toContain("seen 2")
    expect(last.split("Summary ").length - 1).toBe(1)
  })

  test("[RT-CTX-2] nothing is deleted: windows across the boundary give each fact, and replay the same read model", async () => {
    const { model } = talker({}, () => "Short.")
    const { runtime, directory } = await openRuntime(model)
    const { session_id, thread_id } = await say(runtime, "One")
    const before = facts(runtime, session_id)
    await done(runtime, compact, { session_id, thread_id })
    await until(runtime, session_id, ends("context.compaction.completed"))
    await say(runtime, "Two", session_id)
    await until(runtime, session_id, ends("thread.updated", 4))
    const all = facts(runtime, session_id)
    expect(all.slice(0, before.length)).toEqual(before)
    const windows: Envelope[] = []
    for (let cursor: string | undefined; ; ) {
      const page: { history: Envelope[]; next_cursor?: string } = await done(runtime, "get_session", {
        session_id,
        limit: 4,
        ...(cursor === undefined ? {} : { before: cursor }),
      })
      windows.unshift(...page.history)
      cursor = page.next_cursor
      if (cursor === undefined) break
    }
    expect(windows).toEqual(all)
    const read = await done(runtime, "get_thread_read", { session_id, thread_id })
    await runtime.close()
    const again = await openRuntime(model, { directory })
    expect(await done(again.runtime, "get_thread_read", { session_id, thread_id })).toEqual(read)
  })

  test("a summary whose bytes are gone is not used, and that is said", async () => {
    const { model, asked } = talker({}, () => "Short.")
    const { runtime } = await openRuntime(model)
    const { session_id, thread_id } = await say(runtime, "One")
    await done(runtime, compact, { session_id, thread_id })
    await until(runtime, session_id, ends("context.compaction.completed"))
    Object.defineProperty(runtime.blobs, "get", { value: () => undefined })
    await say(runtime, "Two", session_id)
    expect(told(asked.at(-1))).toContain("Answer to One")
    const [, resolved] = of(facts(runtime, session_id), "context.resolved")
    expect(resolved?.payload.warnings).toEqual([expect.stringContaining("cannot be read")])
  })
})

describe("a crash in between", () => {
  /** A log that breaks when the end of a compaction is to be written. */
  const breaking = (log: FactLog): FactLog =>
    new Proxy(log, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target)
        if (key !== "append") return typeof value === "function" ? value.bind(target) : value
        return (batch: Parameters<FactLog["append"]>[0]) =>
          batch.facts.some(({ text }) => /context.compaction.(completed|failed)/.test(text))
            ? Promise.resolve({ ok: false, code: "write_failed", reason: "cut" })
            : target.append(batch)
      },
    })

  test("[RT-EVT-13] a compaction that was cut is owed an end, gets failed at the next start, and may be tried again", async () => {
    const { model, asked } = talker({}, () => "Short.")
    const first = await openRuntime(model)
    const { session_id, thread_id } = await say(first.runtime, "One")
    await first.runtime.close()
    const { openSqliteStore } = await import("../../src/adapters/sqlite/index.ts")
    const store = await openSqliteStore(first.directory)
    if (!store.ok) throw new Error(store.message)
    const cut = await openRuntime(model, { store: { ...store, log: breaking(store.log) } })
    await done(cut.runtime, compact, { session_id, thread_id })
    await until(cut.runtime, session_id, ends("context.compaction.started"))
    expect(owed(stateOf(cut.runtime, session_id)).map(({ kind }) => kind)).toEqual(["compaction"])
    await cut.runtime.close()

    const { runtime } = await openRuntime(model, { directory: first.directory })
    const seen = await until(runtime, session_id, ends("context.compaction.failed"))
    expect(seen.at(-1)?.payload.cause).toBe("The runtime stopped during it.")
    await say(runtime, "Two", session_id)
    expect(told(asked.at(-1))).toContain("Answer to One")
    await done(runtime, compact, { session_id, thread_id })
    await until(runtime, session_id, ends("context.compaction.completed"))
    expect(owed(stateOf(runtime, session_id))).toEqual([])
  })
})

describe("what a summary costs", () => {
  const requested = (all: readonly Envelope[]) =>
    of(all, "model.requested").filter(({ payload }) => payload.compaction_id !== undefined)
  const recorded = (all: readonly Envelope[]) => {
    const ids = new Set(requested(all).map(({ payload }) => payload.request_id))
    return of(all, "cost.recorded").filter(({ payload }) => ids.has(payload.request_id))
  }
  /** A conversation that is summed up in several pieces. */
  async function crowded() {
    const before = await openRuntime(talker({}, () => "").model)
    const { session_id, thread_id } = await say(before.runtime, long("zero"))
    for (const word of ["one", "two", "three", "four", "five", "six", "seven"])
      await say(before.runtime, long(word), session_id)
    await before.runtime.close()
    return { directory: before.directory, session_id, thread_id }
  }

  test("[RT-COST-3] a budget that is used up lets no summary be asked for: an extract takes its place, then the turn is blocked", async () => {
    const { model, asked, summed } = talker({ One: [{ text: long("first") }] }, () => "They spoke.")
    const limits = () => [
      { limit: "steps of the session", kind: "budget", unit: "requests", max: 2, per: "session" } as const,
    ]
    const { runtime } = await openRuntime(model, { agent: agentWith([], small), limits })
    const { session_id } = await say(runtime, "One")
    await say(runtime, long("two"), session_id)
    await submit(runtime, long("three"), { session_id })
    const all = await until(runtime, session_id, (seen) =>
      seen.some(({ type, payload }) => type === "run.status" && payload.phase === "blocked"),
    )
    expect([asked.length, summed.length]).toEqual([2, 0])
    expect(of(all, "context.compaction.completed").map(({ payload }) => payload.by)).toEqual(["extract"])
    expect(of(all, "context.compaction.failed")).toEqual([])
    const [stop] = of(all, "quota.blocked")
    expect(stop).toMatchObject({ payload: { quota: "steps of the session", used: 2, limit: 2 } })
    // The turn itself was not stopped by it.
    expect(stop?.turn_id).toBeUndefined()
  })

  test("[RT-COST-3] a budget that is used up between two pieces ends the asking, not the summing up", async () => {
    const { directory, session_id } = await crowded()
    const { model, summed } = talker({}, (nth) => `Summary ${nth}.`)
    const limits = () => [{ limit: "steps", kind: "budget", unit: "requests", max: 1, per: "turn" } as const]
    const { runtime } = await openRuntime(model, { directory, agent: agentWith([], small), limits })
    await submit(runtime, "And now?", { session_id })
    const all = await until(runtime, session_id, (seen) =>
      seen.some(({ type, payload }) => type === "run.status" && payload.phase === "blocked"),
    )
    expect(summed).toHaveLength(1)
    expect(of(all, "context.compaction.completed").map(({ payload }) => payload.by)).toEqual(["extract"])
    expect(recorded(all)).toHaveLength(1)
  })

  test("[RT-EVT-6] each piece is requested before it is asked for and paid for before the next", async () => {
    const { directory, session_id } = await crowded()
    const { model, summed } = talker({}, (nth) => `Summary ${nth}.`)
    const { runtime } = await openRuntime(model, { directory, agent: agentWith([], small) })
    const { turn_id } = await say(runtime, "And now?", session_id)
    const all = facts(runtime, session_id)
    expect(summed.length).toBeGreaterThan(1)
    const ids = requested(all).map(({ payload }) => payload.request_id)
    const order = all.flatMap(({ type, payload }) =>
      ids.includes(payload.request_id) ? [`${type} ${ids.indexOf(payload.request_id)}`] : [],
    )
    expect(order).toEqual(
      summed.flatMap((_, nth) => [
        `model.requested ${nth}`,
        `model.completed ${nth}`,
        `cost.recorded ${nth}`,
      ]),
    )
    expect(recorded(all).map(({ turn_id }) => turn_id)).toEqual(summed.map(() => turn_id))
  })

  test("[RT-CTX-3] killed between two pieces, what was paid is in the log, the open one is of unknown cost, and the turn goes on", async () => {
    const { directory, session_id } = await crowded()
    let arrived = () => {}
    const second = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const stuck = talker({}, (nth) => `Summary ${nth}.`)
    const model: Model = {
      ...stuck.model,
      async *stream(call) {
        if (!isSummary(call) || stuck.summed.length === 0) return yield* stuck.model.stream(call)
        arrived()
        await new Promise(() => {})
      },
    }
    const { openSqliteStore } = await import("../../src/adapters/sqlite/index.ts")
    const store = await openSqliteStore(directory)
    if (!store.ok) throw new Error(store.message)
    const killed = { now: false }
    // Nothing that a dying process would still say reaches the log.
    const log = new Proxy(store.log, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target)
        if (key === "append" && killed.now)
          return () => Promise.resolve({ ok: false, code: "write_failed", reason: "killed" })
        return typeof value === "function" ? value.bind(target) : value
      },
    })
    const first = await openRuntime(model, { store: { ...store, log }, agent: agentWith([], small) })
    await submit(first.runtime, "And now?", { session_id })
    await second
    killed.now = true
    await first.runtime.close()

    const { model: next } = talker({}, (nth) => `Again ${nth}.`)
    const { runtime } = await openRuntime(next, { directory, agent: agentWith([], small) })
    const all = await until(runtime, session_id, ends("turn.completed", 9))
    const [paid, open] = recorded(all)
    expect(paid?.payload).toMatchObject({
      outcome: "completed",
      usage: { input_tokens: 7, output_tokens: 3 },
    })
    expect(open?.payload).toMatchObject({ outcome: "unknown", amount: "unknown" })
    expect(of(all, "context.compaction.failed")).toHaveLength(1)
    expect(of(all, "context.compaction.completed")).toHaveLength(1)
    expect(of(all, "turn.failed")).toEqual([])
    expect(requested(all)).toHaveLength(recorded(all).length)
  })

  test("asked for while no turn runs, it counts for the session and for no turn's budget", async () => {
    const { model, summed } = talker({}, () => "Short.")
    const limits = () => [{ limit: "steps", kind: "budget", unit: "requests", max: 1, per: "turn" } as const]
    const { runtime } = await openRuntime(model, { limits })
    const { session_id, thread_id } = await say(runtime, "One")
    await done(runtime, compact, { session_id, thread_id })
    const all = await until(runtime, session_id, ends("context.compaction.completed"))
    expect(summed).toHaveLength(1)
    expect(recorded(all)).toHaveLength(1)
    expect(stateOf(runtime, session_id).entities.costTotals.unknown).toMatchObject({ requests: 2 })
  })
})

describe("asked for", () => {
  test("it is refused where nothing can be summed up, or for a foreign thread, and leaves no trace", async () => {
    const { model } = talker({}, () => "Short.")
    const { runtime } = await openRuntime(model)
    const { session_id, thread_id } = await say(runtime, "One")
    const other = await say(runtime, "Elsewhere")
    await done(runtime, compact, { session_id, thread_id })
    await until(runtime, session_id, ends("context.compaction.completed"))
    const head = runtime.log.head(session_id)
    const code = async (input: object) => (await refused(runtime, compact, { input })).code
    expect(await code({ session_id, thread_id })).toBe("wrong_state")
    expect(await code({ session_id, thread_id: other.thread_id })).toBe("scope_mismatch")
    expect(await code({ session_id: "ses_none", thread_id: "thr_none" })).toBe("not_found")
    expect(await code({ session_id })).toBe("invalid_input")
    expect(runtime.log.head(session_id)).toBe(head)
  })

  test("the same command id gives the same answer and one summary; by extract no model is asked", async () => {
    const { model, summed } = talker({}, () => "Short.")
    const { runtime } = await openRuntime(model)
    const { session_id, thread_id } = await say(runtime, "One")
    const input = { session_id, thread_id, by: "extract" }
    const first = await done(runtime, compact, input, "cmd_1")
    await until(runtime, session_id, ends("context.compaction.completed"))
    expect(await done(runtime, compact, input, "cmd_1")).toEqual(first)
    expect(summed).toEqual([])
    const other = await refused(runtime, compact, { command_id: "cmd_1", input: { ...input, by: "model" } })
    expect(other.code).toBe("conflict")
  })
})
