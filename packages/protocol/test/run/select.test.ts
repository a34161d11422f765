import { describe, expect, it } from "vitest"
import {
  type Action,
  type Authority,
  type Executor,
  executorTypes,
  listExecutors,
  type SelectionPolicy,
  selectExecutor,
} from "../../src/index.ts"
import { act } from "./build.ts"

const main: Authority = { agent: "main", enabled: true, depth: 0 }
const tool = (name: string, over: Partial<Executor> = {}): Executor => ({
  name,
  type: "tool",
  description: "",
  capabilities: [],
  ...over,
})
const wants = (target: string, over: Partial<Action> = {}, capabilities: string[] = []): Action =>
  act("a", { executor: { type: "tool", target, capabilities }, ...over })

function chosen(
  action: Action,
  executors: readonly Executor[],
  authority = main,
  policy: SelectionPolicy = {},
) {
  const found = selectExecutor(action, executors, authority, policy)
  return found.ok ? found.value.chosen.name : found.issues.map(({ code }) => code).join()
}

describe("a named executor", () => {
  it("[MP-EXEC-3] of two with one name, the one of the stated type is meant", () => {
    const twins = [tool("review", { type: "agent" }), tool("review", { cost: 2 })]
    for (const executors of [twins, twins.toReversed()])
      expect(selectExecutor(wants("review"), executors, main)).toMatchObject({
        ok: true,
        value: { chosen: { type: "tool", cost: 2 } },
      })
    expect(chosen(wants("review"), twins.slice(0, 1))).toBe("executor_mismatch")
  })

  const executors = [tool("read"), tool("reviewer", { type: "agent" }), tool("off", { can_execute: false })]

  it("[MP-EXEC-3] registered, of the stated type and executable: it is used", () => {
    expect(selectExecutor(wants("read"), executors, main)).toEqual({
      ok: true,
      value: {
        chosen: executors[0],
        requested: "tool:read",
        reason: "It was asked for by name.",
        considered: [{ name: "read", verdict: "chosen: asked for by name" }],
      },
    })
  })

  it.each([
    [
      "not registered",
      "write",
      "unknown_executor",
      "No executor is named write.",
      "Name a listed executor, or auto.",
    ],
    [
      "of another type",
      "reviewer",
      "executor_mismatch",
      "reviewer is of type agent, not tool.",
      "Use type agent.",
    ],
    [
      "not executable",
      "off",
      "not_executable",
      "off cannot execute actions.",
      "Name another executor, or auto.",
    ],
  ])("[MP-EXEC-3] %s: it is refused", (_, target, code, message, fix) => {
    expect(selectExecutor(wants(target), executors, main)).toEqual({
      ok: false,
      issues: [{ code, path: "executor", message, fix }],
    })
  })

  it("[MP-EXEC-3] outside of the agent's authority: it is refused, whatever may stand in", () => {
    const authority = { ...main, executors: ["reviewer"] }
    expect(selectExecutor(wants("read"), executors, authority, { substitutes: true })).toEqual({
      ok: false,
      issues: [
        {
          code: "not_permitted",
          path: "executor",
          message: "read may not be used by main.",
          fix: "Name another executor, or auto.",
        },
      ],
    })
  })
})

describe("auto", () => {
  const executors = [
    tool("a", { capabilities: ["search"] }),
    tool("b", { capabilities: ["search", "filesystem"] }),
    tool("agent", { type: "agent", capabilities: ["search", "filesystem", "judge"] }),
  ]

  it.each([
    [["filesystem"], "b"],
    [["search"], "a"],
    [["search", "filesystem"], "b"],
    [[], "a"],
  ])("[MP-EXEC-4] with %j it is one of that type with all of them", (capabilities, name) => {
    expect(chosen(wants("auto", {}, capabilities), executors)).toBe(name)
  })

  it("[MP-EXEC-4] with none that fits the unmet capabilities are listed", () => {
    const found = selectExecutor(wants("auto", {}, ["filesystem", "judge"]), executors, main)
    expect(found).toEqual({
      ok: false,
      issues: [
        {
          code: "no_executor",
          path: "executor",
          message: "No executor fits tool:auto. Unmet: judge. a lacks filesystem, judge. b lacks judge.",
          fix: "Ask for capabilities that a listed executor has.",
        },
      ],
    })
  })

  it("[MP-EXEC-4] with none of the type everything is unmet", () => {
    const action = act("a", { executor: { type: "service", target: "auto", capabilities: ["x", "y"] } })
    expect(selectExecutor(action, executors, main)).toMatchObject({
      ok: false,
      issues: [{ message: "No executor fits service:auto. Unmet: x, y." }],
    })
  })

  it("[MP-EXEC-4] without any executor in the declaration all types are looked at", () => {
    const { executor: _, ...bare } = act("a", { description: "judge this" })
    expect(selectExecutor(bare, executors, main)).toMatchObject({
      ok: true,
      value: { chosen: { name: "agent" }, requested: "auto", reason: "agent matches the task best." },
    })
  })

  it("[MP-EXEC-5] what cannot execute is never looked at", () => {
    expect(chosen(wants("auto"), [tool("a", { can_execute: false }), tool("b", { can_execute: true })])).toBe(
      "b",
    )
  })
})

describe("ranking", () => {
  const two = (a: Partial<Executor>, b: Partial<Executor>) => [tool("a", a), tool("b", b)]

  it("[MP-EXEC-5] unavailable ones are skipped", () => {
    const found = selectExecutor(wants("auto"), two({ available: false }, { available: true }), main)
    expect(found).toMatchObject({
      value: {
        chosen: { name: "b" },
        reason: "b is the only one that fits.",
        considered: [
          { name: "a", verdict: "is unavailable" },
          { name: "b", verdict: "matches 0 words of the task, costs 0" },
        ],
      },
    })
  })

  it("[MP-EXEC-5] barred ones are skipped", () => {
    const barred = { a: "too risky" }
    expect(selectExecutor(wants("auto"), two({}, {}), main, { barred })).toMatchObject({
      value: {
        chosen: { name: "b" },
        considered: [{ name: "a", verdict: "is barred: too risky" }, { name: "b" }],
      },
    })
    expect(chosen(wants("auto"), two({}, {}), { ...main, executors: ["b"] })).toBe("b")
  })

  it("[MP-EXEC-5] when all are skipped it is said of each", () => {
    const found = selectExecutor(wants("auto"), two({ available: false }, {}), { ...main, executors: ["a"] })
    expect(found).toMatchObject({
      issues: [
        {
          code: "no_executor",
          message: "No executor fits tool:auto. a is unavailable. b may not be used by main.",
        },
      ],
    })
  })

  it.each([
    ["description", { description: "Search the source files" }],
    ["title", { title: "Source search" }],
    ["operation", { operation: "search_source" }],
    ["input description", { input: { description: "search source" } }],
  ])("[MP-EXEC-5] the best match with the %s comes before a lower cost", (_, over) => {
    const executors = two(
      { description: "Anything", cost: 1 },
      { description: "Search source code.", cost: 9 },
    )
    expect(selectExecutor(wants("auto", over), executors, main)).toMatchObject({
      value: { chosen: { name: "b" }, reason: "b matches the task best." },
    })
  })

  it.each([
    ["name", tool("search", {})],
    ["capabilities", tool("b", { capabilities: ["search"] })],
  ])("[MP-EXEC-5] the executor's %s is part of the match", (_, executor) => {
    expect(chosen(wants("auto", { description: "SEARCH, please" }), [tool("a"), executor])).toBe(
      executor.name,
    )
  })

  it("[MP-EXEC-5] among equal matches the lower cost wins", () => {
    expect(selectExecutor(wants("auto"), two({ cost: 2 }, { cost: 1 }), main)).toMatchObject({
      value: { chosen: { name: "b" }, reason: "b costs least among equal matches." },
    })
    expect(chosen(wants("auto"), two({ cost: 1 }, {}))).toBe("b")
  })

  it("[MP-EXEC-5] among equal costs the name decides, whatever the order of the registry", () => {
    const executors = two({}, {})
    expect(selectExecutor(wants("auto"), executors, main)).toMatchObject({
      value: { chosen: { name: "a" }, reason: "a comes first by name among equals." },
    })
    expect(selectExecutor(wants("auto"), executors.toReversed(), main)).toMatchObject({
      value: { chosen: { name: "a" } },
    })
    expect(selectExecutor(wants("auto"), executors, main)).toEqual(
      selectExecutor(wants("auto"), executors, main),
    )
  })
})

describe("replacement", () => {
  const executors = [
    tool("fast", { available: false, capabilities: ["search"] }),
    tool("slow", { capabilities: ["search", "index"] }),
    tool("other"),
  ]

  it("[MP-EXEC-7] an unavailable choice is replaced where policy allows, saying what, by what and why", () => {
    expect(selectExecutor(wants("fast"), executors, main, { substitutes: true })).toEqual({
      ok: true,
      value: {
        chosen: executors[1],
        requested: "tool:fast",
        reason: "fast is unavailable. slow is the only one that fits.",
        considered: [
          { name: "fast", verdict: "is unavailable" },
          { name: "other", verdict: "lacks search" },
          { name: "slow", verdict: "matches 0 words of the task, costs 0" },
        ],
      },
    })
  })

  it("[MP-EXEC-7] the capabilities that were asked for bind the replacement too", () => {
    expect(chosen(wants("fast", {}, ["index"]), executors, main, { substitutes: true })).toBe("slow")
    const none = selectExecutor(wants("fast", {}, ["fly"]), executors, main, { substitutes: true })
    expect(none).toMatchObject({
      issues: [
        {
          message: expect.stringMatching(/^fast is unavailable\. No executor fits tool:fast\. Unmet: fly\./),
        },
      ],
    })
  })

  it("[MP-EXEC-7] an unsafe choice is rejected where policy does not allow a replacement", () => {
    expect(selectExecutor(wants("slow"), executors, main, { barred: { slow: "unsafe" } })).toEqual({
      ok: false,
      issues: [
        {
          code: "no_executor",
          path: "executor",
          message: "slow is barred: unsafe.",
          fix: "Name another executor, or auto.",
        },
      ],
    })
  })
})

describe("the registry as shown", () => {
  const executors: Executor[] = [
    {
      name: "read_file",
      type: "tool",
      description: "Read a file from the current workspace.",
      capabilities: ["filesystem", "read"],
      cost: 3,
    },
    {
      name: "code-reviewer",
      type: "agent",
      description: "Reviews code changes and reports correctness, regression, and test risks.",
      capabilities: ["code_review", "testing", "risk_analysis"],
      can_execute: true,
    },
    {
      name: "ask_user",
      type: "human",
      description: "Request clarification, approval, or a decision from the user.",
      capabilities: ["clarification", "approval"],
    },
  ]

  it("[MP-EXEC-2] shows name, type, description, capabilities and any can_execute", () => {
    expect(JSON.stringify(listExecutors(executors, main))).toBe(
      '[{"name":"read_file","type":"tool","description":"Read a file from the current workspace.","capabilities":["filesystem","read"]},{"name":"code-reviewer","type":"agent","description":"Reviews code changes and reports correctness, regression, and test risks.","capabilities":["code_review","testing","risk_analysis"],"can_execute":true},{"name":"ask_user","type":"human","description":"Request clarification, approval, or a decision from the user.","capabilities":["clarification","approval"]}]',
    )
  })

  it("[MP-EXEC-2] shows each agent only what it may use", () => {
    const names = (authority: Authority) => listExecutors(executors, authority).map(({ name }) => name)
    expect(names({ ...main, executors: ["ask_user", "read_file"] })).toEqual(["read_file", "ask_user"])
    expect(names({ ...main, executors: [] })).toEqual([])
    expect(names({ ...main, enabled: false })).toEqual([])
  })

  it.each(executorTypes)("[MP-EXEC-1] %s is selected by the same grammar", (type) => {
    const executor = tool("one", { type })
    expect(chosen(act("a", { executor: { type, target: "one", capabilities: [] } }), [executor])).toBe("one")
  })
})
