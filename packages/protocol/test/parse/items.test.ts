import { describe, expect, it } from "vitest"
import { readOutput } from "../../src/parse.ts"
import {
  accepted,
  act,
  action,
  actionsOf,
  faults,
  fenced,
  graph,
  graphOf,
  native,
  refusal,
  setup,
} from "./given.ts"

const items = (...list: unknown[]) => ({ version: "2", items: list })
const tool = (id: string, fields: object = {}) => ({ kind: "tool", id, name: "glob", ...fields })
const assigned = { ...setup, assignment: { action_id: "review" } }

describe("version 2 items", () => {
  it("[MP-V2-1] tool and agent items become actions as calls do", () => {
    const message = native({
      ...items(tool("a", { title: "Look", args: { p: 1 }, result: "full" }), {
        kind: "agent",
        id: "b",
        name: "auto",
        depends: "a",
      }),
      title: "Both",
      strategy: "sequential",
    })
    const declaration = accepted(message)
    expect(declaration).toMatchObject({ version: "2", origin: "items", intent: "execute", title: "Both" })
    expect(graphOf(message)).toMatchObject({ title: "Both", strategy: "sequential", persist: false })
    const calls = act(
      { id: "a", type: "tool", name: "glob", title: "Look", args: { p: 1 }, result: "full" },
      { id: "b", type: "agent", name: "auto", depends: ["a"] },
    )
    expect(actionsOf(message)).toEqual(actionsOf(native(calls)).map((each) => ({ ...each, origin: "items" })))
  })

  it("[MP-V2-1] items are read from a marked block too", () => {
    const message = fenced({ type: "agent.protocol", ...items(tool("a")) })
    expect(accepted(message)).toMatchObject({ version: "2", origin: "items", source: message.text })
  })

  it.each([
    ["no items", { version: "2" }, ["missing_field items"]],
    ["empty items", items(), ["invalid_field items"]],
    ["an item that is no object", items(3), ["invalid_field items[0]", "missing_field items[0].kind"]],
    ["another version", { ...items(tool("a")), version: "3" }, ["unsupported_version version"]],
    ["an unknown field", { ...items(tool("a")), persist: true }, ["unknown_field persist"]],
    ["a wrong strategy", { ...items(tool("a")), strategy: "all" }, ["invalid_field strategy"]],
    ["a misspelt field", items(tool("a", { dep: 1 })), ["unknown_field items[0].dep"]],
    ["a missing name", items({ kind: "agent", id: "a" }), ["missing_field items[0].name"]],
    ["an automatic tool", items(tool("a", { name: "auto" })), ["unknown_executor items[0].name"]],
    ["an unknown tool", items(tool("a", { name: "x" })), ["unknown_executor items[0].name"]],
    ["a wrong argument", items(tool("a", { name: "read" })), ["invalid_input items[0].args.filePath"]],
    [
      "a repeated id",
      items(tool("a"), { kind: "answer", message: "x" }, tool("a")),
      ["duplicate_id items[2].id"],
    ],
    [
      "an unknown id",
      items({ kind: "answer", message: "x" }, tool("a", { depends: "b" })),
      ["unknown_dependency items[1].depends"],
    ],
  ])("[MP-V2-1] %s is refused", (_, value, expected) => {
    expect(faults(native(value))).toEqual(expected)
  })

  it("[MP-V2-1] extensions are kept where they belong", () => {
    const message = native({ ...items({ kind: "answer", message: "n" }, tool("a", { x_a: 1 })), x_top: 2 })
    expect(accepted(message).extensions).toEqual({ x_top: 2 })
    expect(actionsOf(message)[0]?.extensions).toEqual({ x_a: 1 })
  })

  it.each([
    ["input", "ask_user", "clarification"],
    ["confirm", "approve", "approval"],
  ])("[MP-V2-2] kind %s becomes a human action", (kind, operation, capability) => {
    const message = native(
      items({ kind, id: "q", message: "Which one?", title: "Ask" }, tool("a", { depends: "q" })),
    )
    expect(actionsOf(message)[0]).toMatchObject({
      id: "q",
      title: "Ask",
      description: "Which one?",
      operation,
      executor: { type: "human", target: "auto", capabilities: [capability] },
      input: {},
    })
  })

  it.each(["input", "confirm"])("[MP-V2-2] kind %s needs an id and a question", (kind) => {
    expect(faults(native(items({ kind, message: " " })))).toEqual([
      "missing_field items[0].id",
      "invalid_field items[0].message",
    ])
  })

  it("[MP-V2-3] an answer alone is the response", () => {
    expect(accepted(native(items({ kind: "answer", message: "Hi" })))).toMatchObject({
      intent: "answer",
      message: "Hi",
    })
    expect(faults(native(items({ kind: "answer", message: "" })))).toEqual(["invalid_field items[0].message"])
  })

  it("[MP-V2-3] an answer beside work is a note", () => {
    const message = native(
      items({ kind: "answer", message: "One" }, tool("a"), { kind: "answer", message: "Two" }),
    )
    expect(accepted(message).note).toBe("One\n\nTwo")
    expect(actionsOf(message).map(({ id }) => id)).toEqual(["a"])
  })

  it("[MP-V2-3] done stops the turn", () => {
    expect(accepted(native(items({ kind: "done" })))).not.toHaveProperty("message")
    expect(
      accepted(native(items({ kind: "answer", message: "A" }, { kind: "done", message: "B" }))),
    ).toMatchObject({
      intent: "done",
      message: "A\n\nB",
    })
  })

  it("[MP-V2-3] done beside work is refused", () => {
    expect(refusal(native(items(tool("a"), { kind: "done" }))).issues).toEqual([
      {
        code: "invalid_field",
        path: "items[1].kind",
        message: "done stands beside work to do.",
        fix: "Leave done out until the work has ended.",
      },
    ])
  })

  it.each(["answer", "done"])("[MP-V2-3] depending on %s is refused", (kind) => {
    expect(faults(native(items({ kind, id: "x", message: "m" }, tool("a", { depends: ["x"] }))))).toContain(
      "unknown_dependency items[1].depends[0]",
    )
  })

  it.each(["success", "failure", "error", "reply"])(
    "[MP-V2-4] %s is the outcome of an assignment",
    (kind) => {
      const value = items({ kind, message: "m", output: { n: 1 } })
      expect(accepted(native(value), assigned)).toMatchObject({
        intent: "outcome",
        outcome: { action_id: "review", status: kind, message: "m", output: { n: 1 } },
      })
      expect(refusal(native(value)).issues).toEqual([
        {
          code: "not_permitted",
          path: "items[0].kind",
          message: "An outcome can be given only for an assignment.",
          fix: 'Use "answer" or "done".',
        },
      ])
    },
  )

  it("[MP-V2-4] an outcome belongs to its own assignment and stands alone", () => {
    expect(accepted(native(items({ kind: "success", action_id: "review" })), assigned).intent).toBe("outcome")
    expect(faults(native(items({ kind: "success", action_id: "other" })), assigned)).toEqual([
      "not_permitted items[0].action_id",
    ])
    expect(faults(native(items({ kind: "success" }, tool("a"))), assigned)).toEqual([
      "invalid_field items[0]",
    ])
  })

  it.each([
    [
      "ask",
      { message: "Which?" },
      { operation: "ask_user", executor: { type: "human", target: "auto", capabilities: ["clarification"] } },
    ],
    [
      "wait",
      { args: { ms: 5 } },
      {
        operation: "wait",
        input: { ms: 5 },
        executor: { type: "runtime", target: "auto", capabilities: [] },
      },
    ],
  ])("[MP-V2-5] the older kind %s is read and logged", (kind, fields, expected) => {
    const message = native(items({ kind, id: "q", ...fields }))
    expect(actionsOf(message)[0]).toMatchObject(expected)
    const read = readOutput(message, setup)
    expect(read.kind === "declaration" && read.log).toEqual([
      { kind: "legacy", item: kind },
      { kind: "read", result: "declared", origin: "items", codes: [] },
    ])
  })

  it.each(["script", "Tool", "toString", "skipped", "", 3])("[MP-V2-5] the kind %j is refused", (kind) => {
    const { issues } = refusal(native(items({ kind, id: "a" })))
    expect(issues).toEqual([
      {
        code: "invalid_field",
        path: "items[0].kind",
        message: "This kind is not known.",
        fix: 'Give "tool", "agent", "input", "confirm", "answer" or "done".',
      },
    ])
  })

  it("[MP-V2-6] three spellings of one graph give equal actions apart from their origin", () => {
    const args = { pattern: "*.json" }
    const flat = act(
      { id: "find", type: "tool", name: "glob", args, title: "Find" },
      {
        id: "look",
        type: "agent",
        name: "reviewer",
        args: { description: "Review." },
        depends: "find",
        result: "structured",
      },
    )
    const second = items(
      { kind: "tool", id: "find", name: "glob", args, title: "Find" },
      {
        kind: "agent",
        id: "look",
        name: "reviewer",
        args: { description: "Review." },
        depends: ["find"],
        result: "structured",
      },
    )
    const full = graph([
      action("find", { title: "Find", executor: { type: "tool", target: "glob" }, input: args }),
      action("look", {
        executor: { type: "agent", target: "reviewer" },
        input: { description: "Review." },
        depends_on: ["find"],
        result_policy: "structured",
      }),
    ])
    const plain = [native(flat), native(second), fenced(full)].map((message) =>
      actionsOf(message).map(({ origin: _, ...rest }) => rest),
    )
    expect(plain[1]).toEqual(plain[0])
    expect(plain[2]).toEqual(plain[0])
    expect(
      [native(flat), native(second), fenced(full)].map((message) => actionsOf(message)[1]?.origin),
    ).toEqual(["native", "items", "dsl"])
  })

  it("[MP-SAFE-4] too many items are refused", () => {
    const given = { ...setup, limits: { actions: 1 } }
    expect(faults(native(items(tool("a"), tool("b"))), given)).toEqual(["too_many_actions items"])
    expect(actionsOf(native(items(tool("a"))), given)).toHaveLength(1)
  })

  it("[MP-V2-1] items of today leave no note but that they were read", () => {
    const read = readOutput(native(items(tool("a"))), setup)
    expect(read.kind === "declaration" && read.log).toEqual([
      { kind: "read", result: "declared", origin: "items", codes: [] },
    ])
    const [first] = actionsOf(native(items(tool("a"))))
    expect(first).not.toHaveProperty("operation")
    expect(first).not.toHaveProperty("description")
  })

  it("[MP-GRAPH-8] a cycle of items is told where the items stand", () => {
    expect(faults(native(items(tool("a", { depends: "a" }))))).toEqual(["cycle items"])
  })

  it("[MP-V2-5] a missing kind is told to be missing", () => {
    expect(refusal(native(items({ id: "a" }))).issues).toEqual([
      {
        code: "missing_field",
        path: "items[0].kind",
        message: "items[0].kind is missing.",
        fix: 'Give "tool", "agent", "input", "confirm", "answer" or "done".',
      },
    ])
  })

  it("[MP-V2-4] what is wrong with an outcome is said", () => {
    const two = native(items({ kind: "success", action_id: "other" }, tool("a")))
    expect(refusal(two, assigned).issues).toEqual([
      {
        code: "not_permitted",
        path: "items[0].action_id",
        message: "This is not the assigned action.",
        fix: "Give review, or leave it out.",
      },
      {
        code: "invalid_field",
        path: "items[0]",
        message: "An outcome stands alone.",
        fix: "Give the outcome as the only item.",
      },
    ])
    expect(accepted(native(items({ kind: "reply" })), assigned)).toMatchObject({
      outcome: { action_id: "review", status: "reply" },
    })
  })

  it("[MP-SAFE-4] too many items are told with their number", () => {
    expect(refusal(native(items(tool("a"), tool("b"))), { ...setup, limits: { actions: 1 } }).issues).toEqual(
      [
        {
          code: "too_many_actions",
          path: "items",
          message: "There are 2 items; at most 1 are allowed.",
          fix: "Declare fewer items at once.",
        },
      ],
    )
  })
})
