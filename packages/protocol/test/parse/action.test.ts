import { describe, expect, it } from "vitest"
import { issue } from "../../src/issues.ts"
import { action, actionsOf, faults, fenced, graph, graphOf, native, refusal, setup } from "./given.ts"

const one = (fields: object, after = "") => fenced(graph([action("a", fields)]), after)
const read = (fields: object) => actionsOf(one(fields))[0]
const at = "payload.actions[0]"

describe("action fields", () => {
  it.each(["workflow", "code_review", "test", "agent_task", "approval", "Action"])(
    "[MP-ACT-1] the type %s is refused",
    (type) => {
      expect(refusal(one({ type })).issues).toEqual([
        issue(
          "invalid_field",
          `${at}.type`,
          `${at}.type is "${type}".`,
          'Give "action"; say what to do in operation.',
        ),
      ])
    },
  )

  it("[MP-ACT-1] a missing type is refused", () => {
    expect(faults(one({ type: undefined }))).toEqual([`missing_field ${at}.type`])
  })

  it.each(["a", "A-1_b", "9", "x".repeat(128)])("[MP-ACT-2] the id %s is kept unchanged", (id) => {
    expect(actionsOf(fenced(graph([action(id)])))[0]?.id).toBe(id)
  })

  it.each([
    "",
    "a b",
    "a.b",
    "a/b",
    "a\n",
    "`a`",
    "</turn>",
    "é",
    "a:b",
    "x".repeat(129),
    "{{a}}",
    "../a",
    "__proto__",
  ])("[MP-ACT-2] the id %j is refused", (id) => {
    expect(faults(fenced(graph([action(id)])))).toEqual([`invalid_field ${at}.id`])
  })

  it("[MP-ACT-2] a missing id is refused, and two missing ones are not taken for one", () => {
    expect(faults(fenced(graph([{ type: "action" }, { type: "action" }])))).toEqual([
      "missing_field payload.actions[0].id",
      "missing_field payload.actions[1].id",
    ])
  })

  it("[MP-ACT-2] an id that is used twice is refused", () => {
    expect(faults(fenced(graph([action("a"), action("a")])))).toEqual(["duplicate_id payload.actions[1].id"])
  })

  it("[MP-ACT-3] everything but type and id may be left out", () => {
    expect(read({})).toEqual({
      id: "a",
      input: {},
      depends_on: [],
      context_refs: [],
      result_policy: { return_to_model: "summary", priority: [], store_full: true },
      failure_policy: { on_failure: "continue", max_retries: 0 },
      persist: false,
      requires_approval: false,
      irreversible: false,
      side_effects: [],
      idempotent: "unknown",
      writes: [],
      visibility: "future_runs",
      private: false,
      extensions: {},
      origin: "dsl",
    })
  })

  it("[MP-ACT-3] what is said is kept", () => {
    const told = {
      title: "T",
      description: "D",
      reason: "R",
      operation: "op",
      input: { n: [1, { x: null }] },
    }
    expect(read(told)).toMatchObject(told)
  })

  it.each([
    "search",
    "read",
    "review_code",
    "run_tests",
    "edit",
    "summarize",
    "ask_user",
    "expand_reference",
    "frobnicate",
    "action",
    "tool",
  ])("[MP-ACT-5] the operation %s is accepted", (operation) => {
    expect(read({ operation })).toMatchObject({ operation })
  })

  it.each([
    ["depends_on", "b", "depends_on"],
    ["depends_on", [1], "depends_on[0]"],
    ["depends_on", {}, "depends_on"],
    ["context_refs", "md:a", "context_refs"],
    ["context_refs", [null], "context_refs[0]"],
    ["context_refs", Array(101).fill("input:user.goal"), "context_refs"],
    ["depends_on", Array(1001).fill("a"), "depends_on"],
    ["prompt_ref", ["md:a"], "prompt_ref"],
    ["prompt_ref", 3, "prompt_ref"],
    ["writes", "file:a", "writes"],
  ])("[MP-ACT-6] %s must not be %j", (field, value, path) => {
    expect(faults(one({ [field]: value }))[0]).toBe(`invalid_field ${at}.${path}`)
  })

  it("[MP-ACT-7] the specification's adaptive policy is read unchanged", () => {
    const result_policy = {
      return_to_model: "adaptive",
      priority: ["errors", "matching_lines", "file_paths", "diff"],
      max_tokens: 6000,
      store_full: true,
      if_truncated: "provide_ref_and_summary",
    }
    expect(read({ result_policy })?.result_policy).toEqual(result_policy)
  })

  it.each(["none", "summary", "structured", "excerpt", "full", "on_failure", "on_demand", "adaptive"])(
    "[MP-ACT-7] return_to_model may be %s, as a bare string too",
    (policy) => {
      const expected = { return_to_model: policy, priority: [], store_full: true }
      expect(read({ result_policy: policy })?.result_policy).toEqual(expected)
      expect(read({ result_policy: { return_to_model: policy } })?.result_policy).toEqual(expected)
    },
  )

  it("[MP-ACT-7] store_full may be false", () => {
    expect(read({ result_policy: { store_full: false } })?.result_policy.store_full).toBe(false)
  })

  it.each([
    ["everything", "result_policy"],
    [3, "result_policy"],
    [{ return_to_model: "all" }, "result_policy.return_to_model"],
    [{ max_tokens: 0 }, "result_policy.max_tokens"],
    [{ max_tokens: -1 }, "result_policy.max_tokens"],
    [{ max_tokens: 1.5 }, "result_policy.max_tokens"],
    [{ max_tokens: "9" }, "result_policy.max_tokens"],
    [{ priority: "errors" }, "result_policy.priority"],
    [{ store_full: "yes" }, "result_policy.store_full"],
    [{ if_truncated: "drop" }, "result_policy.if_truncated"],
  ])("[MP-ACT-7] the policy %j is refused", (result_policy, path) => {
    expect(faults(one({ result_policy }))).toEqual([`invalid_field ${at}.${path}`])
  })

  it("[MP-ACT-7] an unknown field of a policy is refused", () => {
    expect(faults(one({ result_policy: { limit: 1 } }))).toEqual([`unknown_field ${at}.result_policy.limit`])
  })

  it.each([
    ["retry", "retry", 2],
    ["abort", "abort", 0],
    ["continue", "continue", 0],
    ["ask_model", "ask_model", 0],
    ["ask-model", "ask_model", 0],
  ])("[MP-ACT-8] the failure policy %s is read as string and as object", (spelt, on_failure, max_retries) => {
    expect(read({ failure_policy: spelt })?.failure_policy).toEqual({ on_failure, max_retries })
    expect(read({ failure_policy: { on_failure: spelt } })?.failure_policy).toEqual({
      on_failure,
      max_retries,
    })
    expect(read({ failure_policy: { on_failure: spelt, max_retries: 5 } })?.failure_policy).toEqual({
      on_failure,
      max_retries: 5,
    })
  })

  it.each([
    ["ignore", "invalid_field", ""],
    [{ on_failure: "ignore" }, "invalid_field", ".on_failure"],
    [{ max_retries: 1 }, "missing_field", ".on_failure"],
    [{ on_failure: "retry", max_retries: -1 }, "invalid_field", ".max_retries"],
    [{ on_failure: "retry", max_retries: 11 }, "invalid_field", ".max_retries"],
    [{ on_failure: "retry", max_retries: 0.5 }, "invalid_field", ".max_retries"],
    [{ on_failure: "retry", times: 3 }, "unknown_field", ".times"],
  ])("[MP-ACT-8] the failure policy %j is refused", (failure_policy, code, path) => {
    expect(faults(one({ failure_policy }))).toEqual([`${code} ${at}.failure_policy${path}`])
  })

  it("[MP-PERSIST-5] an action's own persist wins over the envelope's", () => {
    const actions = [action("a"), action("b", { persist: false }), action("c", { persist: true })]
    expect(actionsOf(fenced(graph(actions, { persist: true }))).map(({ persist }) => persist)).toEqual([
      true,
      false,
      true,
    ])
    expect(actionsOf(fenced(graph(actions))).map(({ persist }) => persist)).toEqual([false, false, true])
  })

  it("[MP-POLICY-7] policies of an action are kept", () => {
    const fields = {
      requires_approval: true,
      irreversible: true,
      writes: ["file:a"],
      side_effects: ["delete", "read"],
    }
    expect(read({ ...fields, idempotency: true, data_visibility: "log", privacy: true })).toMatchObject({
      ...fields,
      side_effects: ["read", "delete"],
      idempotent: true,
      visibility: "log",
      private: true,
    })
    expect(read({ idempotency: false })?.idempotent).toBe(false)
    expect(read({ idempotency: "unknown" })?.idempotent).toBe("unknown")
  })

  it.each([
    ["side_effects", ["burn"], "side_effects[0]"],
    ["idempotency", "maybe", "idempotency"],
    ["data_visibility", "all", "data_visibility"],
    ["privacy", "yes", "privacy"],
    ["requires_approval", 1, "requires_approval"],
  ])("[MP-POLICY-7] %s must not be %j", (field, value, path) => {
    expect(faults(one({ [field]: value }))).toEqual([`invalid_field ${at}.${path}`])
  })

  it("[MP-POLICY-4] policies of the envelope are kept", () => {
    const budget_policy = { max_tokens: 1, max_time_ms: 2, max_cost: 0.5, max_retries: 0, max_parallel: 3 }
    const message = fenced(
      graph([action("a"), action("b")], {
        budget_policy,
        cancellation_policy: "abort",
        conflict_resolution: "refuse",
        permission_policy: { requires_approval: ["b", "a"] },
        approval_gates: ["a"],
      }),
    )
    expect(graphOf(message)).toMatchObject({
      budget: budget_policy,
      cancellation: "abort",
      conflicts: "refuse",
      approvals: ["b", "a"],
    })
  })

  it.each([
    [{ budget_policy: { max_cost: 0 } }, "invalid_field budget_policy.max_cost"],
    [{ budget_policy: { max_parallel: 0 } }, "invalid_field budget_policy.max_parallel"],
    [{ cancellation_policy: "kill" }, "invalid_field cancellation_policy"],
    [{ conflict_resolution: "merge" }, "invalid_field conflict_resolution"],
    [{ permission_policy: {} }, "missing_field permission_policy.requires_approval"],
    [{ approval_gates: ["zz"] }, "unknown_dependency approval_gates[0]"],
    [
      { permission_policy: { requires_approval: ["zz"] } },
      "unknown_dependency permission_policy.requires_approval[0]",
    ],
  ])("[MP-POLICY-1] the policy %j is refused", (fields, fault) => {
    expect(faults(fenced(graph([], fields)))).toEqual([fault])
  })
})

describe("executors", () => {
  it("[MP-EXEC-4] an omitted target means auto", () => {
    expect(read({ executor: { type: "tool", capabilities: ["search"] } })?.executor).toEqual({
      type: "tool",
      target: "auto",
      capabilities: ["search"],
    })
  })

  it.each(["auto", "robot", "", undefined])("[MP-EXEC-6] the executor type %j is refused", (type) => {
    const code = type === undefined ? "missing_field" : "invalid_field"
    expect(faults(one({ executor: { type } }))).toEqual([`${code} ${at}.executor.type`])
  })

  it.each([
    ["tool", "nothing", "unknown_executor", '"nothing" is not registered.'],
    ["agent", "glob", "executor_mismatch", '"glob" is of type tool, not agent.'],
    ["tool", "broken", "not_executable", '"broken" cannot be executed.'],
    ["tool", "secret", "not_permitted", '"secret" is not permitted to this agent.'],
  ] as const)("[MP-EXEC-3] the %s %s is refused as %s", (type, target, code, message) => {
    const fix = `Give the exact name of an executor of type ${type} from the list of executors.`
    expect(refusal(one({ executor: { type, target } })).issues).toEqual([
      issue(code, `${at}.executor.target`, message, fix),
    ])
  })

  it.each([
    ["executor", "tool", 'Give { "type", "target", "capabilities" }; only the type is needed.'],
    ["side_effects", "read", "Give an array of read, write, send, delete, purchase, publish, external."],
    ["side_effects", Array(8).fill("read"), "Give each effect once."],
  ])("[MP-ENV-8] where %s is %j the fix says what it looks like", (field, value, fix) => {
    expect(refusal(one({ [field]: value })).issues.map((found) => found.fix)).toEqual([fix])
  })

  it("[MP-EXEC-8] an operation that the runtime does not have is refused", () => {
    expect(faults(one({ executor: { type: "runtime" }, operation: "fly" }))).toEqual([
      `unknown_operation ${at}.operation`,
    ])
    expect(read({ executor: { type: "runtime" }, operation: "merge" })?.operation).toBe("merge")
  })

  it("[MP-FLAT-9] the input of a named executor is checked in the full form too", () => {
    expect(faults(one({ executor: { type: "tool", target: "read" } }))).toEqual([
      `invalid_input ${at}.input.filePath`,
    ])
  })
})

describe("the graph", () => {
  const ring = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      action(`a${index}`, { depends_on: [`a${(index + 1) % count}`] }),
    )

  it.each([1, 2, 5])("[MP-GRAPH-8] a cycle of %d is refused and named", (count) => {
    const { issues } = refusal(fenced(graph([action("free"), ...ring(count)])))
    const ids = Array.from({ length: count + 1 }, (_, index) => `a${index % count}`)
    expect(issues).toEqual([
      issue(
        "cycle",
        "payload.actions",
        `These actions wait for each other: ${ids.join(" → ")}.`,
        "Remove one of these dependencies.",
      ),
    ])
  })

  it("[MP-GRAPH-10] a cycle through a reference is refused", () => {
    const actions = [action("a", { context_refs: ["action:b.summary"] }), action("b", { depends_on: ["a"] })]
    expect(faults(fenced(graph(actions)))).toEqual(["cycle payload.actions"])
  })

  it.each(["none", "", "A", "payload"])("[MP-GRAPH-9] a dependency on %j is refused", (id) => {
    expect(faults(one({ depends_on: [id] }))).toEqual([`unknown_dependency ${at}.depends_on[0]`])
    const call = { id: "a", type: "tool", name: "glob", depends: ["a", id] }
    expect(faults(native({ kind: "act", calls: [call] }))).toContain("unknown_dependency calls[0].depends[1]")
  })

  it.each([
    [{ action: "b", status: "completed" }],
    [{ action: "b", status: "failed" }],
    [{ action: "b", status: "canceled" }],
    [{ action: "b", status: "blocked" }],
    [{ action: "b", field: "count", equals: 3 }],
    [{ action: "b", field: "ok", equals: true }],
    [{ action: "b", field: "name", equals: "x" }],
    [{ action: "b", field: "name", equals: null }],
  ])("[MP-GRAPH-13] the condition %j is accepted", (when) => {
    const actions = [action("a", { when, repeat: { max: 100, until: when } }), action("b")]
    expect(actionsOf(fenced(graph(actions)))[0]).toMatchObject({ when, repeat: { max: 100, until: when } })
  })

  it.each([
    ["b.status == 'completed'"],
    [true],
    [{}],
    [{ action: "b" }],
    [{ action: "b", status: "running" }],
    [{ action: "b", status: "completed", field: "x" }],
    [{ action: "b", field: "a.b", equals: 1 }],
    [{ action: "b", field: "a()", equals: 1 }],
    [{ action: "b", field: "__proto__", equals: 1 }],
    [{ action: "b", field: "toString", equals: 1 }],
    [{ action: "b", field: "a", equals: { $gt: 1 } }],
    [{ action: "b", field: "a", equals: [1] }],
    [{ and: [{ action: "b", status: "failed" }] }],
    [{ action: "b", expression: "1" }],
  ])("[MP-GRAPH-13] the condition %j is refused, in when and in until", (condition) => {
    const given = (fields: object) => refusal(fenced(graph([action("a", fields), action("b")]))).issues
    for (const issues of [given({ when: condition }), given({ repeat: { max: 2, until: condition } })]) {
      expect([...new Set(issues.map(({ code }) => code))]).toEqual(["invalid_condition"])
    }
  })

  it.each([
    [{}, `${at}.repeat.max`],
    [{ max: 0 }, `${at}.repeat.max`],
    [{ max: 2.5 }, `${at}.repeat.max`],
    [{ max: "3" }, `${at}.repeat.max`],
    [{ max: 101 }, `${at}.repeat.max`],
    [3, `${at}.repeat`],
    [{ max: 2, forever: true }, `${at}.repeat.forever`],
  ])("[MP-GRAPH-13] the loop %j is refused", (repeat, path) => {
    expect(faults(one({ repeat }))).toEqual([`unbounded_loop ${path}`])
  })

  it("[MP-GRAPH-13] the ceiling of a loop can be lowered", () => {
    const given = { ...setup, limits: { repeat: 3 } }
    expect(refusal(one({ repeat: { max: 4 } }), given).issues).toEqual([
      issue("unbounded_loop", `${at}.repeat.max`, "4 passes are too many.", "Give at most 3."),
    ])
    expect(actionsOf(one({ repeat: { max: 3 } }), given)[0]?.repeat).toEqual({ max: 3 })
  })

  it("[MP-GRAPH-13] a condition names an action of the graph", () => {
    const nobody = { action: "zz", status: "completed" }
    expect(faults(one({ repeat: { max: 2, until: nobody } }))).toEqual([
      `unknown_dependency ${at}.repeat.until.action`,
    ])
    expect(faults(one({ when: nobody }))).toEqual([`unknown_dependency ${at}.when.action`])
    expect(read({ repeat: { max: 2, until: { action: "a", status: "completed" } } })?.repeat?.max).toBe(2)
  })
})

describe("references", () => {
  it("[MP-REF-3] sections that exist once are accepted, whatever their spelling", () => {
    const message = one(
      { prompt_ref: "md:A.Prompt", context_refs: ["md: shared  context"] },
      "\n## a.prompt\n\n# Shared Context ##\n",
    )
    expect(actionsOf(message)[0]).toMatchObject({ prompt_ref: "md:A.Prompt" })
  })

  it.each([
    [
      "missing",
      "md:other",
      "unresolved_ref",
      "md:other names no heading.",
      "Add a section with the heading other.",
    ],
    [
      "ambiguous",
      "md:twice",
      "ambiguous_ref",
      "md:twice names 2 headings.",
      "Give each section its own heading.",
    ],
  ] as const)("[MP-REF-3] a section that is %s refuses the declaration", (_, ref, code, message, fix) => {
    const after = "\n## twice\n\n1\n\n### Twice\n\n2\n"
    expect(refusal(one({ prompt_ref: ref }, after)).issues).toEqual([
      issue(code, `${at}.prompt_ref`, message, fix),
    ])
    expect(refusal(one({ context_refs: ["input:user.goal", ref] }, after)).issues).toEqual([
      issue(code, `${at}.context_refs[1]`, message, fix),
    ])
  })

  it.each(["md:12", "md:", "md: "])("[MP-REF-3] %j names no section by its words", (ref) => {
    expect(faults(one({ prompt_ref: ref }, "\n# 12\n"))).toEqual([`unresolved_ref ${at}.prompt_ref`])
  })

  it.each(["http://x", "javascript:1", "x", ""])("[MP-REF-11] the scheme of %j is refused", (ref) => {
    expect(faults(one({ context_refs: [ref] }))).toEqual([`unknown_scheme ${at}.context_refs[0]`])
  })

  it("[MP-REF-6] a reference to an unknown action is refused", () => {
    expect(faults(one({ context_refs: ["action:b.output"] }))).toEqual([
      `unknown_dependency ${at}.context_refs[0]`,
    ])
    expect(faults(one({ context_refs: ["action:a.log"] }))).toEqual([`unresolved_ref ${at}.context_refs[0]`])
    expect(faults(one({ prompt_ref: "action:b.summary" }))).toEqual([`unknown_dependency ${at}.prompt_ref`])
  })
})
