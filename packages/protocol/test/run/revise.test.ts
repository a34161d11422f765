import { describe, expect, it } from "vitest"
import {
  createHarness,
  type FakeExecutor,
  manualClock,
  type RunStore,
  type Work,
} from "../../src/harness/index.ts"
import { admissionIssues, readOutput, reviseRun, type Setup } from "../../src/index.ts"
import { act, broken, Drive, graphOf } from "./build.ts"
import { gate } from "./gate.ts"

const authority = { agent: "main", enabled: true, depth: 0 }
const setup: Setup = {
  authority,
  executors: [
    { name: "work", type: "tool", description: "", capabilities: [] },
    { name: "slow", type: "tool", description: "", capabilities: [] },
  ],
}
const tool = (target: string) => ({ type: "tool", target })
const action = (id: string, more: object = {}) => ({ type: "action", id, executor: tool("work"), ...more })

const read = (value: unknown) =>
  readOutput(
    { text: `\`\`\`json agent-protocol\n${JSON.stringify(value)}\n\`\`\``, calls: [], complete: true },
    setup,
  )

function declared(intent: string, payload: object, more: object = {}) {
  const output = read({
    type: "agent.protocol",
    version: "1",
    intent,
    payload: { type: "action_graph", ...payload },
    ...more,
  })
  if (output.kind !== "declaration") throw new Error(JSON.stringify(output))
  return output.declaration
}
const execute = (...actions: object[]) => declared("execute", { actions })
const revise = (actions: object[], more: object = {}) =>
  declared("revise", { run_id: "run_1", actions }, more)

function world(executors: Record<string, FakeExecutor> = {}, store?: RunStore) {
  const calls: string[] = []
  const work: Work = (call) => {
    calls.push(call.request.text.includes("a done") ? `${call.action.id} after a` : call.action.id)
    return call.action.id === "b" ? broken() : `${call.action.id} done`
  }
  const of = createHarness({
    executors: { work, ...executors },
    clock: manualClock(),
    ...(store === undefined ? {} : { store }),
  })
  return { of, calls }
}

describe("a revision as a model writes it", () => {
  it.each([
    ["waits for it", { depends_on: ["a"] }, "d"],
    ["refers to it", { context_refs: ["action:a.output"] }, "d after a"],
    ["has it as a condition", { when: { action: "a", status: "completed" } }, "d"],
    [
      "repeats until it is completed",
      { repeat: { max: 2, until: { action: "a", status: "completed" } } },
      "d",
    ],
  ])(
    "[MP-INTENT-4] of a completed action that is not declared again: new work %s",
    async (_, more, called) => {
      const { of, calls } = world()
      await of.run(execute(action("a"), action("b", { depends_on: ["a"] })))
      const answer = await of.run(revise([action("d", more)]))
      expect(answer).toMatchObject({ ok: true, record: { state: { status: "completed" } } })
      expect(calls.at(-1)).toBe(called)
      expect(calls.filter((id) => id.startsWith("a"))).toEqual(["a"])
    },
  )

  it.each([
    ["depends_on[0]", { depends_on: ["z"] }],
    ["context_refs[0]", { context_refs: ["action:z.summary"] }],
    ["repeat.until.action", { repeat: { max: 2, until: { action: "z", status: "completed" } } }],
  ])("[MP-INTENT-4] what neither run has is refused where the model wrote it: %s", async (path, more) => {
    const { of, calls } = world()
    await of.run(execute(action("a"), action("b")))
    // The completed action stands before the new ones, and must not move their places.
    expect(await of.run(revise([action("a"), action("n"), action("d", more)]))).toMatchObject({
      ok: false,
      issues: [{ code: "unknown_dependency", path: `payload.actions[2].${path}` }],
    })
    expect(calls).toEqual(["a", "b"])
    expect(of.record("run_1")?.superseded_by).toBeUndefined()
  })

  it("[MP-INTENT-4] [MP-POLICY-10] a completed action writes no more, so that it is in no conflict", async () => {
    const { of, calls } = world()
    const writes = { writes: ["x"] }
    await of.run(execute(action("a", writes), action("b", writes)))
    const strict = { conflict_resolution: "refuse" }
    expect(await of.run(revise([action("d", writes)], strict))).toMatchObject({ ok: true })
    expect(calls).toEqual(["a", "b", "d"])
    const run = new Drive(graphOf([act("a"), act("b")])).end("a").end("b", broken())
    const clash = graphOf([act("n", { writes: ["x"] }), act("m", { writes: ["x"] })], { conflicts: "refuse" })
    const owned = { run_id: "run_1", owner: "main", graph: run.graph, state: run.state }
    expect(reviseRun(owned, run.events, clash)).toMatchObject({
      issues: [{ code: "conflicting_writes", path: "payload.actions[1].writes" }],
    })
  })

  it("[MP-INTENT-4] an executor that is gone does not matter to a completed action", () => {
    const graph = graphOf([
      act("a", { executor: { type: "tool", target: "gone", capabilities: [] } }),
      act("b"),
    ])
    const roster = { authority, executors: setup.executors }
    expect(admissionIssues(graph, roster, { kept: ["a"] })).toEqual([])
    expect(admissionIssues(graph, roster)).toMatchObject([{ code: "unknown_executor" }])
  })
})

describe("a revision while something of the run is under way", () => {
  const asks = { failure_policy: { on_failure: "ask_model" } }
  const slow = (id: string, more: object = {}) => action(id, { executor: tool("slow"), ...more })

  it.each([
    ["the same action", slow("s")],
    ["another one that writes the same", action("t", { writes: ["x"] })],
  ])("[MP-INTENT-4] is refused while it would begin %s beside it", async (_, again) => {
    const held = gate()
    const { of } = world({ slow: held.work })
    const running = of.run(execute(action("b", asks), slow("s", { writes: ["x"] })))
    await held.started("s")
    await expect.poll(() => of.record("run_1")?.state.status).toBe("blocked")
    expect(await of.run(revise([again]))).toMatchObject({
      ok: false,
      issues: [{ code: "wrong_run_state", message: "s still runs, and the new plan would do the same." }],
    })
    expect(held.ids()).toEqual(["s"])
    held.finish("s")
    await running
    expect(await of.run(revise([again]))).toMatchObject({ ok: true })
    expect(held.ids()).toEqual(["s"])
  })

  it("[MP-INTENT-4] the old run has ended before the new one starts anything", async () => {
    const order: string[] = []
    const store: RunStore = {
      create: async ({ run_id }) => void order.push(`create ${run_id}`),
      append: async (run_id, events) => void order.push(...events.map(({ type }) => `${run_id} ${type}`)),
      load: async () => [],
    }
    const { of } = world({}, store)
    const durable = { persist: true, execution: { mode: "durable" } }
    await of.run(declared("execute", { actions: [action("b")] }, durable))
    await of.run(revise([action("d")], durable))
    const revised = order.indexOf("run_1 run.revised")
    expect(revised).toBeGreaterThan(0)
    expect(order.indexOf("run_2 action.started")).toBeGreaterThan(revised)
  })
})

describe("where an issue is", () => {
  const nobody = { ...setup, executors: [] as Setup["executors"] }
  const carried = (args: unknown) =>
    readOutput(
      {
        text: "",
        calls: [{ id: "c", name: "AgentProtocolOutput", arguments: JSON.stringify(args) }],
        complete: true,
      },
      nobody,
    )
  const agent = (more: object) => ({ id: "x", name: "auto", ...more })

  it.each([
    ["flat calls", { kind: "act", calls: [agent({ type: "agent" })] }, "calls[0].name"],
    [
      "items",
      { version: "2", items: [{ kind: "answer", message: "I look." }, agent({ kind: "agent" })] },
      "items[1].name",
    ],
  ])("[MP-ENV-8] is told in the words of %s when a graph is not admitted", (_, args, start) => {
    const output = carried(args)
    if (output.kind !== "declaration" || !("graph" in output.declaration))
      throw new Error(JSON.stringify(output))
    const [found] = admissionIssues(output.declaration.graph, { ...nobody, authority })
    expect(found).toMatchObject({ code: "no_executor", path: start })
  })
})
