import fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { createHarness, manualClock, memoryStore } from "../../src/harness/index.ts"
import {
  type Executor,
  failureChoices,
  readOutput,
  returnPolicies,
  sideEffects,
  visibilities,
  type Workflow,
  type WorkflowNode,
  workflowAdapter,
  workflowDeclaration,
  workflowRecord,
} from "../../src/index.ts"
import { act, execute, graphOf } from "./build.ts"

const node = (id: string, over: Partial<WorkflowNode> = {}): WorkflowNode => {
  const { depends_on: _, persist: __, origin: ___, ...rest } = act(id)
  return { ...rest, after: [], ...over }
}
const flow = (nodes: readonly WorkflowNode[], over: Partial<Workflow> = {}): Workflow => ({
  nodes,
  budget: {},
  cancellation: "drain",
  conflicts: "order",
  approvals: [],
  ...over,
})

const ids = ["a", "b", "c", "d", "e"] as const
const maybe = <T>(name: string, values: fc.Arbitrary<T>) =>
  fc.option(values, { nil: undefined }).map((value) => (value === undefined ? {} : { [name]: value }))

const nodes: fc.Arbitrary<Omit<WorkflowNode, "id">> = fc
  .tuple(
    fc.record({
      after: fc.subarray([...ids]),
      return_to_model: fc.constantFrom(...returnPolicies),
      on_failure: fc.constantFrom(...failureChoices),
      max_retries: fc.nat(10),
      requires_approval: fc.boolean(),
      irreversible: fc.boolean(),
      side_effects: fc.subarray([...sideEffects]),
      idempotent: fc.constantFrom(true, false, "unknown" as const),
      writes: fc.subarray(["x", "y"]),
      visibility: fc.constantFrom(...visibilities),
      hidden: fc.boolean(),
      store_full: fc.boolean(),
      input: fc.dictionary(fc.constantFrom("p", "q"), fc.oneof(fc.string(), fc.integer())),
    }),
    maybe("title", fc.string()),
    maybe("description", fc.string()),
    maybe("operation", fc.string()),
    maybe("repeat", fc.record({ max: fc.integer({ min: 1, max: 9 }) })),
  )
  .map(([of, ...extra]) => ({
    ...node("", {
      after: of.after,
      input: { ...of.input },
      result_policy: { return_to_model: of.return_to_model, priority: ["errors"], store_full: of.store_full },
      failure_policy: { on_failure: of.on_failure, max_retries: of.max_retries },
      requires_approval: of.requires_approval,
      irreversible: of.irreversible,
      side_effects: of.side_effects,
      idempotent: of.idempotent,
      writes: of.writes,
      visibility: of.visibility,
      private: of.hidden,
      extensions: { x_note: "kept" },
    }),
    ...Object.assign({}, ...extra),
  }))

const workflows: fc.Arbitrary<Workflow> = fc
  .tuple(
    fc.array(nodes, { maxLength: ids.length }),
    fc.record({
      cancellation: fc.constantFrom("drain", "abort") as fc.Arbitrary<"drain" | "abort">,
      conflicts: fc.constantFrom("order", "refuse") as fc.Arbitrary<"order" | "refuse">,
    }),
    maybe("title", fc.string()),
    fc.subarray([...ids]),
    fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  )
  .map(([list, rest, title, approvals, max_parallel]) => {
    const known = new Set<string>(ids.slice(0, list.length))
    const made = list.map((one, at) => ({
      ...one,
      id: ids[at] ?? "",
      after: one.after.filter((id) => ids.indexOf(id as "a") < at),
    }))
    return flow(made, {
      ...rest,
      ...title,
      approvals: approvals.filter((id) => known.has(id)),
      budget: max_parallel === undefined ? {} : { max_parallel },
    })
  })

const work: Executor = { name: "work", type: "tool", description: "", capabilities: [] }
const read = (declaration: unknown) =>
  readOutput(
    {
      text: "",
      calls: [{ id: "1", name: "AgentProtocolOutput", arguments: JSON.stringify(declaration) }],
      complete: true,
    },
    { authority: { agent: "main", enabled: true, depth: 0 }, executors: [work] },
  )

describe("workflows", () => {
  it("[MP-FLOW-1] a workflow is an action_graph with persist and the dag strategy", () => {
    const declaration = workflowDeclaration(
      flow([node("a"), node("b", { after: ["a"] })], { title: "Release" }),
    )
    expect(declaration).toMatchObject({
      type: "agent.protocol",
      intent: "execute",
      persist: true,
      title: "Release",
      execution: { mode: "durable", strategy: "dag" },
      payload: { type: "action_graph", actions: [{ id: "a" }, { id: "b", depends_on: ["a"] }] },
    })
    const done = read(declaration)
    expect(done).toMatchObject({
      kind: "declaration",
      declaration: { intent: "execute", graph: { persist: true, mode: "durable", strategy: "dag" } },
    })
  })

  it("[MP-FLOW-2] no ordinary declaration starts a workflow, however much it looks like one", async () => {
    const workflows = { toGraph: vi.fn(workflowAdapter.toGraph), fromGraph: vi.fn(workflowAdapter.fromGraph) }
    const of = createHarness({
      clock: manualClock(),
      store: memoryStore(),
      workflows,
      executors: { work: () => "ok" },
    })
    const actions = [act("a", { persist: true, operation: "workflow", origin: "workflow" })]
    await of.run(execute(graphOf(actions, { persist: true, mode: "durable" })))
    await of.run(execute(graphOf([act("a")])))
    expect(workflows.toGraph).not.toHaveBeenCalled()
    expect(workflows.fromGraph).not.toHaveBeenCalled()
    await of.runWorkflow(flow([node("a")]))
    expect(workflows.toGraph).toHaveBeenCalledTimes(1)
    expect(of.record("run_3")?.graph.actions[0]?.origin).toBe("workflow")
  })

  it("[MP-FLOW-3] there and back loses no node, edge or policy", () => {
    fc.assert(
      fc.property(workflows, (workflow) => {
        const graph = workflowAdapter.toGraph(workflow)
        expect(graph).toMatchObject({ persist: true, mode: "durable", strategy: "dag" })
        expect(workflowAdapter.fromGraph(graph)).toEqual({ ok: true, value: workflow })
      }),
      { numRuns: 200, seed: 31 },
    )
  })

  it("[MP-FLOW-3] the same holds through a declaration of the protocol", () => {
    fc.assert(
      fc.property(workflows, (workflow) => {
        const done = read(workflowDeclaration(workflow))
        if (done.kind !== "declaration" || !("graph" in done.declaration))
          throw new Error(JSON.stringify(done))
        expect(workflowAdapter.fromGraph(done.declaration.graph)).toEqual({ ok: true, value: workflow })
      }),
      { numRuns: 200, seed: 32 },
    )
  })

  it.each([
    ["not stored", { persist: false }],
    ["not durable", { mode: "ephemeral" }],
    ["sequential", { strategy: "sequential" }],
  ] as const)("[MP-FLOW-3] a graph that is %s is no workflow", (_, over) => {
    const graph = { ...workflowAdapter.toGraph(flow([node("a")])), ...over }
    expect(workflowAdapter.fromGraph(graph)).toEqual({
      ok: false,
      issues: [
        {
          code: "invalid_field",
          path: "execution",
          message: "A workflow is a durable dag.",
          fix: 'Give persist: true, execution.mode "durable" and execution.strategy "dag".',
        },
      ],
    })
  })

  it("[MP-FLOW-3] an action that is not stored makes it no workflow", () => {
    expect(workflowAdapter.fromGraph(graphOf([act("a")], { persist: true, mode: "durable" })).ok).toBe(false)
  })

  it("[MP-FLOW-3] node state, artifacts and recovery decisions are kept on its side", async () => {
    const workflow = flow([
      node("a"),
      node("b", { after: ["a"], failure_policy: { on_failure: "ask_model", max_retries: 0 } }),
      node("c", { after: ["b"] }),
    ])
    const of = createHarness({
      clock: manualClock(),
      store: memoryStore(),
      executors: {
        work: ({ action }) =>
          action.id === "b"
            ? { status: "failure" }
            : { status: "completed", output: "ok", produced: [{ name: "log", text: "l" }] },
      },
    })
    await of.runWorkflow(workflow)
    const decision = { run_id: "run_1", choice: "continue" } as const
    await of.run({ ...execute(graphOf([])), intent: "decide", decision } as Parameters<typeof of.run>[0])
    const record = of.record("run_1")
    if (record === undefined) throw new Error("There is no record.")
    expect(workflowRecord(workflow, record.state, of.events("run_1"))).toEqual({
      run_id: "run_1",
      nodes: [
        { id: "a", status: "completed", artifacts: ["artifact://run_1/a", "artifact:log"] },
        { id: "b", status: "failed", artifacts: [] },
        { id: "c", status: "blocked", artifacts: [] },
      ],
      recovery: [{ node: "b", choice: "continue" }],
    })
  })
})
