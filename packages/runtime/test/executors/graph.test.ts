import { describe, expect, it, test } from "vitest"
import type { ToolOutcome } from "../../src/index.ts"
import { done, ends, until } from "../harness.ts"
import { fakeTool, of, reader } from "../loop/given.ts"
import { decide, declare, declared, declaring, execute, full, plan, revise, runIdIn, tool } from "./given.ts"

const fails = (times: number) => {
  let left = times
  return (): ToolOutcome =>
    left-- > 0 ? { ok: false, category: "tool_error", message: "not yet" } : { ok: true, output: "at last" }
}
const never = { does: fails(Number.POSITIVE_INFINITY) }
const order = (seen: Awaited<ReturnType<typeof declared>>["seen"]) =>
  of(seen, "tool.started").map(({ payload }) => (payload.cause as { call_id: string }).call_id)

describe("a declared graph in the real runtime", () => {
  test("[MP-GRAPH-1] an action starts after what it depends on has completed", async () => {
    const ends: string[] = []
    const step = (name: string) => reader(name, { does: () => ({ ok: true, output: `${ends.push(name)}` }) })
    const { seen } = await declared(
      [
        execute([
          { id: "c", executor: tool("c"), depends_on: ["a", "b"] },
          { id: "b", executor: tool("b"), depends_on: ["a"] },
          { id: "a", executor: tool("a") },
        ]),
      ],
      [step("a"), step("b"), step("c")],
    )
    expect(ends).toEqual(["a", "b", "c"])
    expect(order(seen)).toEqual(["a", "b", "c"])
  })

  test("[MP-GRAPH-2] independent actions overlap in time", async () => {
    const running = new Set<string>()
    let together = 0
    const meet = Promise.withResolvers<void>()
    const gate = (name: string) =>
      reader(name, {
        async does() {
          running.add(name)
          together = Math.max(together, running.size)
          if (running.size === 2) meet.resolve()
          await meet.promise
          return { ok: true, output: name }
        },
      })
    await declared(
      [
        execute([
          { id: "a", executor: tool("a") },
          { id: "b", executor: tool("b") },
        ]),
      ],
      [gate("a"), gate("b")],
    )
    expect(together).toBe(2)
  })

  test("[MP-GRAPH-3] direct and transitive dependents of a failure end blocked, naming it", async () => {
    const next = reader("next")
    const { told } = await declared(
      [
        execute([
          { id: "a", executor: tool("bad") },
          { id: "b", executor: tool("next"), depends_on: ["a"] },
          { id: "c", executor: tool("next"), depends_on: ["b"] },
        ]),
      ],
      [reader("bad", never), next],
    )
    expect(next.runs).toEqual([])
    expect(told(1).match(/^Reason: dependency_failed: a did not complete/gm)).toHaveLength(2)
  })

  test("[MP-GRAPH-4] a branch that does not depend on the failure still runs", async () => {
    const other = reader("other")
    const { told } = await declared(
      [
        execute([
          { id: "a", executor: tool("bad") },
          { id: "b", executor: tool("other") },
        ]),
      ],
      [reader("bad", never), other],
    )
    expect(other.runs).toHaveLength(1)
    expect(told(1)).toContain("Status: failed")
  })

  test("[MP-GRAPH-5] after a failure with abort nothing more starts", async () => {
    const other = reader("other")
    const { told } = await declared(
      [
        execute(
          [
            { id: "a", executor: tool("bad"), failure_policy: { on_failure: "abort" } },
            { id: "b", executor: tool("other") },
          ],
          "",
          { execution: { strategy: "sequential" } },
        ),
      ],
      [reader("bad", never), other],
    )
    expect(other.runs).toEqual([])
    expect(told(1)).toContain("aborted")
  })

  test("[MP-GRAPH-6] a retry is a call of its own, up to its limit", async () => {
    const flaky = reader("flaky", { does: fails(2) })
    const retry = { failure_policy: { on_failure: "retry", max_retries: 2 }, result_policy: full }
    const { seen, told } = await declared(
      [execute([{ id: "a", executor: tool("flaky"), ...retry }])],
      [flaky],
    )
    expect(order(seen)).toEqual(["a", "a", "a"])
    expect(new Set(of(seen, "tool.started").map(({ tool_call_id }) => tool_call_id)).size).toBe(3)
    expect(told(1)).toContain("at last")
    expect(told(1)).toContain("Earlier attempts: 2 failed")
  })

  test("[MP-GRAPH-6] a retry that reaches its limit fails", async () => {
    const bad = reader("bad", never)
    const retry = { on_failure: "retry", max_retries: 1 }
    await declared([execute([{ id: "a", executor: tool("bad"), failure_policy: retry }])], [bad])
    expect(bad.runs).toHaveLength(2)
  })

  test("[MP-POLICY-6] what may have had an effect is not retried by itself", async () => {
    const send = fakeTool("send", never)
    const retry = { on_failure: "retry", max_retries: 2 }
    const { told } = await declared(
      [execute([{ id: "a", executor: tool("send"), failure_policy: retry }])],
      [send],
    )
    expect(send.runs).toHaveLength(1)
    expect(told(1)).toContain("may have had effects")
  })

  test("[MP-GRAPH-8] a circle is refused before anything starts", async () => {
    const look = reader("look")
    const { told } = await declared(
      [
        execute([
          { id: "a", executor: tool("look"), depends_on: ["b"] },
          { id: "b", executor: tool("look"), depends_on: ["a"] },
        ]),
      ],
      [look],
    )
    expect(look.runs).toEqual([])
    expect(told(1)).toContain("cycle")
  })

  test.each([
    ["a status", { action: "a", status: "completed" }, { action: "a", status: "failed" }],
    [
      "a field",
      { action: "a", field: "colour", equals: "red" },
      { action: "a", field: "colour", equals: "blue" },
    ],
  ])("[MP-GRAPH-11] a condition on %s decides whether an action starts", async (_, met, unmet) => {
    const a = reader("a", { does: () => ({ ok: true, output: "seen", data: { colour: "red" } }) })
    const yes = reader("yes")
    const no = reader("no")
    const { told } = await declared(
      [
        execute([
          { id: "a", executor: tool("a") },
          { id: "b", executor: tool("yes"), when: met },
          { id: "c", executor: tool("no"), when: unmet },
        ]),
      ],
      [a, yes, no],
    )
    expect([yes.runs.length, no.runs.length]).toEqual([1, 0])
    expect(told(1)).toContain("condition_not_met")
    expect(told(1)).toContain("Status: completed")
  })

  test.each([
    ["its bound", 3, undefined, 3],
    ["what it waits for", 5, { action: "a", field: "left", equals: 0 }, 2],
  ])("[MP-GRAPH-12] a loop stops at %s", async (_, max, until, passes) => {
    let left = 2
    const count = reader("count", { does: () => ({ ok: true, output: "on", data: { left: --left } }) })
    const repeat = { max, ...(until === undefined ? {} : { until }) }
    await declared([execute([{ id: "a", executor: tool("count"), repeat }])], [count])
    expect(count.runs).toHaveLength(passes)
  })

  test("[MP-GRAPH-16] an executor that throws is a failed action, and the run survives", async () => {
    const throws = reader("throws", {
      does: () => {
        throw new Error("a bug")
      },
    })
    const { told } = await declared(
      [
        execute([
          { id: "a", executor: tool("throws") },
          { id: "b", executor: tool("fine") },
        ]),
      ],
      [throws, reader("fine")],
    )
    expect(told(1)).toContain("a bug")
  })

  test("[MP-GRAPH-17] what waits for a person holds back only its own dependents", async () => {
    const other = reader("other")
    const { runtime, session_id } = await declaring(
      [
        execute([
          { id: "q", executor: { type: "human" }, description: "Which one?" },
          { id: "w", executor: tool("held"), depends_on: ["q"] },
          { id: "b", executor: tool("other") },
        ]),
      ],
      [other, reader("held")],
    )
    const seen = await until(
      runtime,
      session_id,
      (facts) => ends("action.required")(facts) && ends("tool.result")(facts),
    )
    expect(of(seen, "tool.result")).toHaveLength(1)
    expect(other.runs).toHaveLength(1)
  })

  test("[MP-POLICY-5] interrupting the turn signals what runs, and its late result changes nothing", async () => {
    let signalled = false
    const slow = reader("slow", {
      does: (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            signalled = true
            resolve({ ok: true, output: "too late" })
          })
        }),
    })
    const { runtime, session_id } = await declaring([execute([{ id: "a", executor: tool("slow") }])], [slow])
    await until(runtime, session_id, ends("tool.progress"))
    await done(runtime, "interrupt_turn", { session_id, reason: "enough" })
    const seen = await until(runtime, session_id, ends("turn.failed"))
    expect(of(seen, "tool.failed")[0]?.payload).toMatchObject({ category: "interrupted" })
    await expect.poll(() => signalled).toBe(true)
  })
})

describe("the model decides about a run", () => {
  const flaky = () => reader("flaky", { does: fails(1) })
  const asks = { failure_policy: { on_failure: "ask_model" }, result_policy: full }
  const two = (next: object = {}) =>
    execute([
      { id: "a", executor: tool("flaky"), ...asks },
      { id: "b", executor: tool("next"), depends_on: ["a"], ...next },
    ])

  test("[MP-GRAPH-7] with ask_model the run is blocked for a decision and dependents wait", async () => {
    const next = reader("next")
    const { told } = await declared([two()], [flaky(), next])
    expect(told(1)).toContain("Status: blocked")
    expect(told(1)).toContain("Next: Decide on this run")
    expect(next.runs).toEqual([])
  })

  test.each([
    ["retry", 2, 1, "at last"],
    ["continue", 1, 0, "dependency_failed"],
    ["abort", 1, 0, "Status: failed"],
  ])("[MP-INTENT-5] %s", async (choice, tries, after, shown) => {
    const first = flaky()
    const next = reader("next")
    const { told, seen } = await declared(
      [two(), (call) => decide(runIdIn(call.messages[0]?.parts), choice, "a")],
      [first, next],
    )
    expect([first.runs.length, next.runs.length]).toEqual([tries, after])
    expect(told(2)).toContain(shown)
    // The run goes on under the request that declared it.
    const [request] = of(seen, "model.requested")
    for (const { payload } of of(seen, "tool.started"))
      expect(payload.cause).toMatchObject({ request_id: request?.payload.request_id })
  })

  test("[MP-INTENT-5] a decision in a later turn goes on with the run in that turn", async () => {
    const first = flaky()
    const next = reader("next")
    const { runtime, session_id, turn_id, calls } = await declaring(
      [two(), { text: "It failed. Shall I?" }, (call) => decide(runIdIn(call.messages[0]?.parts), "retry")],
      [first, next],
    )
    await until(runtime, session_id, ends("turn.completed"))
    await done(runtime, "submit_turn", { session_id, input: [{ kind: "text", text: "Yes" }] })
    const seen = await until(runtime, session_id, ends("turn.completed", 2))
    const turns = of(seen, "tool.started").map((fact) => fact.turn_id === turn_id)
    expect(turns).toEqual([true, false, false])
    expect(String(calls[3]?.messages[0]?.parts)).toContain("at last")
  })

  test("[MP-INTENT-3] cancel ends the named run", async () => {
    const next = reader("next")
    const cancel = (run_id: string) => ({
      text: `\`\`\`json agent-protocol\n${JSON.stringify({
        type: "agent.protocol",
        version: "1",
        intent: "cancel",
        payload: { type: "decision", run_id, choice: "abort", reason: "not needed" },
      })}\n\`\`\``,
    })
    const { told } = await declared(
      [two(), (call) => cancel(runIdIn(call.messages[0]?.parts))],
      [flaky(), next],
    )
    expect(next.runs).toEqual([])
    expect(told(2)).toContain("not needed")
  })

  test("[MP-INTENT-4] revise keeps what is completed and does not execute it again", async () => {
    const good = reader("good", { does: () => ({ ok: true, output: "kept words" }) })
    const { told } = await declared(
      [
        execute([
          { id: "a", executor: tool("good"), result_policy: full },
          { id: "b", executor: tool("bad"), depends_on: ["a"] },
        ]),
        (call) =>
          revise(runIdIn(call.messages[0]?.parts), [
            { id: "c", executor: tool("other"), depends_on: ["a"], result_policy: full },
          ]),
      ],
      [good, reader("bad", never), reader("other")],
    )
    expect(good.runs).toHaveLength(1)
    expect(told(2)).toContain("other done")
    expect(told(2)).toContain("Replaced by run")
  })

  test("[MP-REPLAY-3] what is told in short names its declaration, which can be expanded and given on", async () => {
    const words = "the exact words of the declaration"
    const merge = { executor: { type: "runtime" }, operation: "merge" }
    const named = (text: unknown) => /Declaration: (runtime:\S+)/.exec(String(text))?.[1] ?? ""
    const { told } = await declared(
      [
        execute([{ id: "a", executor: tool("good"), description: words }], "x".repeat(4001)),
        (call) => declare("expand_ref", { refs: [{ ref: named(call.messages[0]?.parts) }] }),
        (call) =>
          execute([
            { id: "m", ...merge, context_refs: [named(call.messages[0]?.parts)], result_policy: full },
          ]),
      ],
      [reader("good")],
    )
    expect(named(told(1))).toMatch(/^runtime:/)
    expect(told(2)).toContain(`"description":"${words}"`)
    expect(told(3).split(`"description":"${words}"`)).toHaveLength(3)
  })

  test("[MP-INTENT-4] a revision that is refused replaces nothing, so that it can be repaired", async () => {
    const other = reader("other")
    const nobody = { type: "tool", capabilities: ["flying"] }
    const { told } = await declared(
      [
        execute([
          { id: "a", executor: tool("good") },
          { id: "b", executor: tool("bad") },
        ]),
        (call) => revise(runIdIn(call.messages[0]?.parts), [{ id: "c", executor: nobody }]),
        (call) =>
          revise(runIdIn(call.messages[0]?.parts), [{ id: "c", executor: tool("other"), depends_on: ["a"] }]),
      ],
      [reader("good"), reader("bad", never), other],
    )
    expect(told(2)).toContain("no_executor at `payload.actions[0].executor`")
    expect(other.runs).toHaveLength(1)
  })

  it.each([
    ["unknown", () => "req_nobody"],
    ["finished", (text: unknown) => runIdIn(text)],
  ])("[MP-INTENT-7] deciding about a run that is %s changes nothing", async (_, named) => {
    const look = reader("look")
    const { told } = await declared(
      [
        execute([{ id: "a", executor: tool("look") }]),
        (call) => decide(named(call.messages[0]?.parts), "retry"),
      ],
      [look],
    )
    expect(look.runs).toHaveLength(1)
    expect(told(2)).toMatch(/unknown_run|wrong_run_state/)
  })

  test.each(["approve", "reject"])(
    "[MP-INTENT-2] a plan executes nothing; a person may %s it",
    async (decision) => {
      const look = reader("look")
      const { runtime, session_id, calls } = await declaring(
        [plan([{ id: "a", title: "Look around", executor: tool("look") }]), { text: "I see." }],
        [look],
      )
      const asked = await until(runtime, session_id, ends("action.required"))
      const [action] = of(asked, "action.required")
      expect(action?.payload).toMatchObject({ action_type: "plan_decision", detail: "1. Look around" })
      await done(runtime, "respond_action", { action_id: action?.action_id, decision })
      await until(runtime, session_id, ends("turn.completed"))
      expect(look.runs).toEqual([])
      expect(String(calls[1]?.messages[0]?.parts)).toContain(decision)
    },
  )
})
