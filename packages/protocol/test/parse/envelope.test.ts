import { describe, expect, it } from "vitest"
import {
  accepted,
  action,
  actionsOf,
  envelope,
  faults,
  fenced,
  graph,
  graphOf,
  refusal,
  setup,
} from "./given.ts"

const payloads = {
  action_graph: { type: "action_graph", actions: [] },
  expand_ref: { type: "expand_ref", refs: [{ ref: "runtime://r1/x" }] },
  decision: { type: "decision", run_id: "r1", choice: "abort" },
  final_report_spec: { type: "final_report_spec", title: "R", sections: [] },
}
const intents = ["execute", "plan", "expand_ref", "cancel", "revise", "decide"] as const
const fitting: Record<string, string[]> = {
  execute: ["action_graph", "final_report_spec"],
  plan: ["action_graph", "final_report_spec"],
  revise: ["action_graph"],
  expand_ref: ["expand_ref"],
  cancel: ["decision"],
  decide: ["decision"],
}
const pairs = intents.flatMap((intent) =>
  Object.entries(payloads).map(([type, payload]) => {
    const named = intent === "revise" && type === "action_graph" ? { ...payload, run_id: "r1" } : payload
    return { intent, type, payload: named, fits: fitting[intent]?.includes(type) === true }
  }),
)

describe("the envelope", () => {
  it("[MP-ENV-1] version 1 is accepted", () => {
    expect(accepted(fenced(graph([]))).version).toBe("1")
  })

  it.each([[1], ["9"], ["1.0"], [undefined], [null]])("[MP-ENV-1] version %j is refused", (version) => {
    expect(refusal(fenced(graph([], { version }))).issues).toEqual([
      {
        code: "unsupported_version",
        path: "version",
        message: version === undefined ? "version is missing." : `version is ${JSON.stringify(version)}.`,
        fix: 'Give the string "1".',
      },
    ])
  })

  it.each(pairs.filter(({ fits }) => fits))(
    "[MP-ENV-2] the intent $intent is accepted with $type",
    (pair) => {
      expect(accepted(fenced(envelope(pair.payload, { intent: pair.intent }))).intent).toBe(pair.intent)
    },
  )

  it.each([["run"], ["Execute"], [""], [null]])("[MP-ENV-2] the intent %j is refused", (intent) => {
    expect(refusal(fenced(graph([], { intent }))).issues).toEqual([
      {
        code: "invalid_field",
        path: "intent",
        message: `intent is ${JSON.stringify(intent)}.`,
        fix: 'Give "execute", "plan", "expand_ref", "cancel", "revise", "decide".',
      },
    ])
  })

  it("[MP-ENV-2] a missing intent is refused", () => {
    expect(faults(fenced(graph([], { intent: undefined })))).toEqual(["missing_field intent"])
  })

  it.each(pairs.filter(({ fits }) => !fits))(
    "[MP-INTENT-6] the intent $intent does not take the payload $type",
    ({ intent, type, payload }) => {
      expect(refusal(fenced(envelope(payload, { intent }))).issues).toEqual([
        {
          code: "intent_payload_mismatch",
          path: "payload.type",
          message: `The intent ${intent} does not take the payload ${type}.`,
          fix: `Give ${fitting[intent]?.join(" or ")}.`,
        },
      ])
    },
  )

  it.each(pairs.filter(({ fits }) => fits))(
    "[MP-INTENT-6] the intent $intent takes $type",
    ({ intent, payload, type }) => {
      const key = {
        action_graph: "graph",
        expand_ref: "refs",
        decision: "decision",
        final_report_spec: "report",
      }[type]
      expect(Object.keys(accepted(fenced(envelope(payload, { intent }))))).toContain(key)
    },
  )

  it("[MP-ENV-3] persist defaults to false, and title becomes the label", () => {
    expect(graphOf(fenced(graph([])))).toEqual({
      persist: false,
      mode: "ephemeral",
      strategy: "dag",
      actions: [],
      budget: {},
      cancellation: "drain",
      conflicts: "order",
      approvals: [],
    })
    const message = fenced(graph([], { persist: true, title: "Label" }))
    expect(graphOf(message)).toMatchObject({ persist: true, mode: "durable", title: "Label" })
    expect(accepted(message).title).toBe("Label")
  })

  it.each([
    ["persist", "yes", "Give true or false."],
    ["persist", null, "Give true or false."],
    ["title", 3, "Give a string."],
  ])("[MP-ENV-3] %s must not be %j", (field, value, fix) => {
    const { issues } = refusal(fenced(graph([], { [field]: value })))
    expect(issues).toEqual([
      { code: "invalid_field", path: field, message: `${field} is ${JSON.stringify(value)}.`, fix },
    ])
  })

  it.each(["summary", "structured", "excerpt", "full"])(
    "[MP-ENV-4] the granularity %s holds for actions without a policy of their own",
    (result_granularity) => {
      const actions = [
        action("a"),
        action("b", { result_policy: "none" }),
        action("c", { result_policy: {} }),
      ]
      const read = actionsOf(fenced(graph(actions, { response_policy: { result_granularity } })))
      expect(read.map(({ result_policy }) => result_policy.return_to_model)).toEqual([
        result_granularity,
        "none",
        result_granularity,
      ])
    },
  )

  it("[MP-ENV-4] without any policy the default is summary, and other granularities are refused", () => {
    expect(actionsOf(fenced(graph([action("a")])))[0]?.result_policy.return_to_model).toBe("summary")
    expect(faults(fenced(graph([], { response_policy: { result_granularity: "adaptive" } })))).toEqual([
      "invalid_field response_policy.result_granularity",
    ])
  })

  it.each([
    [undefined, "missing_field payload"],
    [null, "invalid_field payload"],
    [[], "invalid_field payload"],
    ["x", "invalid_field payload"],
    [{}, "missing_field payload.type"],
    [{ type: "graph" }, "unsupported_payload payload.type"],
    [{ type: 3 }, "unsupported_payload payload.type"],
  ])("[MP-ENV-5] the payload %j is refused", (payload, fault) => {
    expect(faults(fenced(envelope(payload)))).toEqual([fault])
  })

  it.each([
    [{ mode: "durable" }, undefined, true],
    [{ mode: "durable" }, true, true],
    [{ mode: "ephemeral" }, undefined, false],
    [{ mode: "ephemeral" }, false, false],
    [{}, true, true],
  ])("[MP-ENV-6] execution %j with persist %j is durable: %j", (execution, persist, durable) => {
    expect(graphOf(fenced(graph([], { execution, persist })))).toMatchObject({
      persist: durable,
      mode: durable ? "durable" : "ephemeral",
    })
  })

  it.each([
    ["durable", false],
    ["ephemeral", true],
  ])("[MP-ENV-6] mode %s is refused with persist: %j", (mode, persist) => {
    expect(refusal(fenced(graph([], { execution: { mode }, persist }))).issues).toEqual([
      {
        code: "invalid_field",
        path: "execution.mode",
        message: `${mode} execution contradicts persist: ${persist}.`,
        fix: "Say durable with persist: true, ephemeral with persist: false.",
      },
    ])
  })

  it.each(["dag", "sequential"])("[MP-ENV-6] the strategy %s is accepted", (strategy) => {
    expect(graphOf(fenced(graph([], { execution: { strategy } }))).strategy).toBe(strategy)
  })

  it.each([[{ strategy: "parallel" }], [{ mode: "forever" }], [{ retry: 1 }], ["dag"]])(
    "[MP-ENV-6] execution %j is refused",
    (execution) => {
      expect(faults(fenced(graph([], { execution })))).toHaveLength(1)
    },
  )

  it("[MP-ENV-7] a misspelt field is refused with its path and the names that exist", () => {
    const { issues } = refusal(fenced(graph([action("a"), action("b", { depend_on: ["a"] })])))
    expect(issues.map(({ code, path }) => [code, path])).toEqual([
      ["unknown_field", "payload.actions[1].depend_on"],
    ])
    expect(issues[0]?.fix).toContain(" depends_on, ")
  })

  it("[MP-ENV-7] fields that begin with x_ are kept where they belong, at any depth", () => {
    const message = fenced({
      ...graph([action("a"), action("b", { x_note: 1, executor: { type: "tool", x_why: "w" } })], {
        x_top: { y: 1 },
      }),
      execution: { x_e: true },
    })
    expect(accepted(message).extensions).toEqual({ x_top: { y: 1 }, "execution.x_e": true })
    expect(actionsOf(message).map(({ extensions }) => extensions)).toEqual([
      {},
      { x_note: 1, "executor.x_why": "w" },
    ])
  })

  it("[MP-ENV-8] every violation is told at once, those of the graph and of executors too", () => {
    const message = fenced(
      graph(
        [
          action("a", { title: 3, depends_on: ["zz"], prompt_ref: "md:none" }),
          { id: "a", executor: { type: "tool", target: "nothing" } },
        ],
        { persist: 1, extra: 1 },
      ),
    )
    expect(faults(message)).toEqual([
      "invalid_field persist",
      "unknown_field extra",
      "invalid_field payload.actions[0].title",
      "missing_field payload.actions[1].type",
      "unknown_dependency payload.actions[0].depends_on[0]",
      "duplicate_id payload.actions[1].id",
      "unresolved_ref payload.actions[0].prompt_ref",
      "unknown_executor payload.actions[1].executor.target",
    ])
  })

  it("[MP-ENV-8] the model is told what to correct, and how", () => {
    expect(refusal(fenced(graph([], { persist: 1 }))).retry).toBe(
      [
        "Nothing was executed: the output does not follow the protocol. Correct these points:",
        "- invalid_field at persist: persist is 1. Give true or false.",
        "",
        "Then give one complete declaration. The simplest form is one AgentProtocolOutput call, for example:",
        '{"kind":"act","calls":[{"id":"read_one","type":"tool","name":"read","args":{}}]}',
      ].join("\n"),
    )
  })

  it("[MP-ENV-8] very many violations are cut to the limit, and told in part", () => {
    const actions = Array.from({ length: 150 }, () => ({ type: "action" }))
    const { issues, retry } = refusal(fenced(graph(actions)))
    expect(issues).toHaveLength(100)
    expect(retry.match(/^- missing_field/gm)).toHaveLength(20)
    expect(retry).toContain("\n- And 80 more like these.\n")
    expect(refusal(fenced(graph(actions)), { ...setup, limits: { issues: 20 } }).retry).not.toContain(
      "more like",
    )
  })
})

describe("payloads", () => {
  it("[MP-PAY-1] an action graph needs actions, and none are enough", () => {
    expect(graphOf(fenced(graph([]))).actions).toEqual([])
    expect(faults(fenced(graph(undefined)))).toEqual(["missing_field payload.actions"])
    expect(faults(fenced(graph({})))).toEqual(["invalid_field payload.actions"])
    expect(faults(fenced(graph([3])))).toEqual(["invalid_field payload.actions[0]"])
  })

  it("[MP-PAY-1] too many actions are refused before they are looked at", () => {
    const actions = [{}, {}, {}]
    expect(refusal(fenced(graph(actions)), { ...setup, limits: { actions: 2 } }).issues).toEqual([
      {
        code: "too_many_actions",
        path: "payload.actions",
        message: "There are 3 actions; at most 2 are allowed.",
        fix: "Declare fewer actions at once.",
      },
    ])
  })

  it("[MP-PAY-2] an expansion reads its references, and its type may be left out", () => {
    const refs = [
      { ref: "runtime://run_123/actions/review_toolbar/output", reason: "Need exact evidence." },
      { ref: "artifact:x", range: { around_matches: true, context_lines: 20, match: "m", from: 1, to: 2 } },
      { ref: "artifact:y", range: {} },
    ]
    const named = accepted(fenced(envelope({ type: "expand_ref", refs }, { intent: "expand_ref" })))
    const bare = accepted(fenced(envelope({ refs }, { intent: "expand_ref" })))
    expect(named).toMatchObject({ intent: "expand_ref", refs })
    expect(bare).toEqual({ ...named, source: bare.source })
  })

  it.each([
    [{}, "missing_field payload.refs"],
    [{ refs: [] }, "invalid_field payload.refs"],
    [{ refs: [{}] }, "missing_field payload.refs[0].ref"],
    [{ refs: [{ ref: "" }] }, "invalid_field payload.refs[0].ref"],
    [{ refs: ["runtime://a"] }, "invalid_field payload.refs[0]"],
    [
      { refs: [{ ref: "a", range: { context_lines: -1 } }] },
      "invalid_field payload.refs[0].range.context_lines",
    ],
    [{ refs: [{ ref: "a", range: { lines: 1 } }] }, "unknown_field payload.refs[0].range.lines"],
  ])("[MP-PAY-2] the expansion %j is refused", (payload, fault) => {
    expect(faults(fenced(envelope(payload, { intent: "expand_ref" })))).toEqual([fault])
  })

  it.each(["cancel", "execute", "decide"])("[MP-PAY-2] the type may not be left out with %s", (intent) => {
    expect(faults(fenced(envelope({ refs: [{ ref: "a" }] }, { intent })))).toEqual([
      "missing_field payload.type",
    ])
  })

  it.each(["retry", "continue", "abort"])("[MP-PAY-3] a decision may be %s", (choice) => {
    const payload = { type: "decision", run_id: "r1", action_id: "a", choice, reason: "why" }
    expect(accepted(fenced(envelope(payload, { intent: "decide" })))).toMatchObject({
      intent: "decide",
      decision: { run_id: "r1", action_id: "a", choice, reason: "why" },
    })
  })

  it("[MP-PAY-3] a cancellation needs no choice and takes no other than abort", () => {
    const payload = { type: "decision", run_id: "r1" }
    expect(accepted(fenced(envelope(payload, { intent: "cancel" })))).toMatchObject({
      decision: { run_id: "r1", choice: "abort" },
    })
    const retry = fenced(envelope({ ...payload, choice: "retry" }, { intent: "cancel" }))
    expect(faults(retry)).toEqual(["invalid_field payload.choice"])
  })

  it.each([
    ["decide", { type: "decision", run_id: "r1" }, "missing_field payload.choice"],
    ["decide", { type: "decision", choice: "abort" }, "missing_field payload.run_id"],
    ["decide", { type: "decision", run_id: "a/b", choice: "abort" }, "invalid_field payload.run_id"],
    ["revise", { type: "action_graph", actions: [] }, "missing_field payload.run_id"],
    ["execute", { type: "action_graph", run_id: "r1", actions: [] }, "unknown_field payload.run_id"],
  ])("[MP-PAY-3] with %s the payload %j is refused", (intent, payload, fault) => {
    expect(faults(fenced(envelope(payload, { intent })))).toEqual([fault])
  })

  it("[MP-PAY-1] a revision names its run", () => {
    const payload = { type: "action_graph", run_id: "r.1-a", actions: [action("a")] }
    expect(accepted(fenced(envelope(payload, { intent: "revise" })))).toMatchObject({
      intent: "revise",
      run_id: "r.1-a",
      graph: { actions: [{ id: "a" }] },
    })
  })

  it("[MP-PAY-4] a report is made of references, which are checked", () => {
    const sections = [
      { heading: "One", refs: ["runtime://r1/actions/a/output"], text: "t" },
      { heading: "Two", refs: ["md:notes"] },
    ]
    const payload = { type: "final_report_spec", title: "R", sections }
    expect(accepted(fenced(envelope(payload), "\n# Notes\n\nn"))).toMatchObject({
      intent: "execute",
      report: { title: "R", sections },
    })
    expect(faults(fenced(envelope(payload)))).toEqual(["unresolved_ref payload.sections[1].refs[0]"])
  })

  it("[MP-PAY-5] other payload types are refused, and workflow is shown the way", () => {
    expect(refusal(fenced(envelope({ type: "workflow", nodes: [] }))).issues).toEqual([
      {
        code: "unsupported_payload",
        path: "payload.type",
        message: "This payload type is not supported.",
        fix: 'Use "action_graph" with persist: true and execution: { mode: "durable", strategy: "dag" }.',
      },
    ])
    expect(refusal(fenced(envelope({ type: "script" }))).issues.map(({ code, fix }) => [code, fix])).toEqual([
      ["unsupported_payload", "Give action_graph, expand_ref, decision, final_report_spec."],
    ])
  })
})
