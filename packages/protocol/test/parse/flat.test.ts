import { describe, expect, it } from "vitest"
import { accepted, act, actionsOf, called, faults, glob, native, refusal, setup } from "./given.ts"

const read = (id: string, args: unknown) => ({ id, type: "tool", name: "read", args })

describe("the small form", () => {
  it.each([
    ["act", { ...act(glob("a")) }, "execute"],
    ["answer", { kind: "answer", message: "Hi" }, "answer"],
    ["done", { kind: "done" }, "done"],
  ])("[MP-FLAT-1] kind %s is accepted", (_, value, intent) => {
    expect(accepted(native(value)).intent).toBe(intent)
  })

  it.each([
    ["missing", { calls: [glob("a")] }, "missing_field kind"],
    ["in the wrong case", { kind: "Act", calls: [glob("a")] }, "invalid_field kind"],
    ["unknown", { kind: "run", calls: [glob("a")] }, "invalid_field kind"],
    ["not a string", { kind: ["act"], calls: [glob("a")] }, "invalid_field kind"],
  ])("[MP-FLAT-1] a kind that is %s is refused", (_, value, fault) => {
    expect(faults(native(value))).toEqual([fault])
    expect(refusal(native(value)).issues[0]?.fix).toBe('Give "act", "answer" or "done".')
  })

  it.each([
    ["missing", undefined, "missing_field calls"],
    ["empty", [], "invalid_field calls"],
    ["a single object", glob("a"), "invalid_field calls"],
    ["null", null, "invalid_field calls"],
  ])("[MP-FLAT-2] calls that are %s are refused on act", (_, calls, fault) => {
    expect(faults(native({ kind: "act", calls }))).toEqual([fault])
  })

  it.each(["answer", "done"])("[MP-FLAT-2] calls are refused on %s", (kind) => {
    expect(refusal(native({ kind, message: "x", calls: [glob("a")] })).issues).toEqual([
      {
        code: "invalid_field",
        path: "calls",
        message: "calls is an array.",
        fix: 'Leave calls out, or use kind "act".',
      },
    ])
  })

  it("[MP-FLAT-3] an answer is a message and no work, its text unchanged", () => {
    const message = "  **Yes**\n\n- one "
    const declaration = accepted(native({ kind: "answer", message }))
    expect(declaration).toMatchObject({ intent: "answer", message })
    expect(declaration).not.toHaveProperty("graph")
  })

  it.each([
    ["", "invalid_field message"],
    [" \n\t", "invalid_field message"],
    [undefined, "missing_field message"],
  ])("[MP-FLAT-3] a blank answer is refused: %j", (message, fault) => {
    expect(faults(native({ kind: "answer", message }))).toEqual([fault])
  })

  it("[MP-FLAT-4] done ends the turn, with a message", () => {
    expect(accepted(native({ kind: "done", message: "Bye" }))).toMatchObject({
      intent: "done",
      message: "Bye",
    })
  })

  it("[MP-FLAT-4] done ends the turn, without a message", () => {
    const declaration = accepted(native({ kind: "done" }))
    expect(declaration.intent).toBe("done")
    expect(declaration).not.toHaveProperty("message")
    expect(declaration).not.toHaveProperty("graph")
  })

  it("[MP-FLAT-5] message and title are only shown", () => {
    const plain = actionsOf(native(act(glob("a"))))
    const told = native({ ...act(glob("a", { title: "Look" })), message: "Now" })
    expect(actionsOf(told)).toEqual(plain.map((action) => ({ ...action, title: "Look" })))
    expect(accepted(told).note).toBe("Now")
    expect(plain[0]).not.toHaveProperty("title")
  })

  it.each([
    ["missing", [{ type: "tool", name: "glob" }], ["missing_field calls[0].id"]],
    ["empty", [glob("")], ["invalid_field calls[0].id"]],
    ["unsafe", [glob("a b")], ["invalid_field calls[0].id"]],
    ["used twice", [glob("a"), glob("b"), glob("a")], ["duplicate_id calls[2].id"]],
    ["a number", [{ ...glob("a"), id: 1 }], ["invalid_field calls[0].id"]],
  ])("[MP-FLAT-6] an id that is %s is refused", (_, calls, expected) => {
    expect(faults(native(act(...calls)))).toEqual(expected)
  })

  it.each(["runtime", "human", "auto", "Tool", undefined])("[MP-FLAT-7] the type %s is refused", (type) => {
    const code = type === undefined ? "missing_field" : "invalid_field"
    expect(faults(native(act({ ...glob("a"), type })))).toEqual([`${code} calls[0].type`])
  })

  it.each([
    ["tool", "glob"],
    ["agent", "reviewer"],
    ["agent", "auto"],
  ])("[MP-FLAT-8] type %s takes the name %s", (type, name) => {
    expect(actionsOf(native(act({ id: "a", type, name })))[0]?.executor).toEqual({
      type,
      target: name,
      capabilities: [],
    })
  })

  it.each([
    ["tool", "auto", "unknown_executor"],
    ["tool", "Glob", "unknown_executor"],
    ["tool", "globs", "unknown_executor"],
    ["tool", "reviewer", "executor_mismatch"],
    ["tool", "broken", "not_executable"],
    ["tool", "secret", "not_permitted"],
    ["agent", "glob", "executor_mismatch"],
    ["agent", "nobody", "unknown_executor"],
    ["tool", "", "invalid_field"],
  ])("[MP-FLAT-8] type %s with the name %j is refused as %s", (type, name, code) => {
    expect(faults(native(act({ id: "a", type, name })))).toContain(`${code} calls[0].name`)
  })

  it("[MP-FLAT-8] without a list of its own an agent may name every executor", () => {
    const { executors: _, ...authority } = setup.authority
    expect(
      actionsOf(native(act({ id: "a", type: "tool", name: "secret" })), { ...setup, authority }),
    ).toHaveLength(1)
  })

  it("[MP-FLAT-9] args are an object and default to an empty one", () => {
    expect(
      actionsOf(native(act(glob("a"), glob("b", { args: { x: [1] } })))).map(({ input }) => input),
    ).toEqual([{}, { x: [1] }])
  })

  it.each([[[]], ["x"], [null], [3]])("[MP-FLAT-9] args %j are refused", (args) => {
    expect(faults(native(act(glob("a", { args }))))).toEqual(["invalid_field calls[0].args"])
  })

  it("[MP-FLAT-9] one call with wrong args refuses all, naming call and path", () => {
    const message = native(act(read("one", { filePath: "x" }), read("two", { filePath: 3 })))
    expect(refusal(message).issues).toEqual([
      {
        code: "invalid_input",
        path: "calls[1].args.filePath",
        message: "two: filePath must be a string.",
        fix: "Give what read takes.",
      },
    ])
  })

  it.each([
    ["", "calls[0].args"],
    ["[0].x", "calls[0].args[0].x"],
    ["a.b", "calls[0].args.a.b"],
  ])("[MP-FLAT-9] a checker's path %j is told as %s", (path, expected) => {
    const [tool] = setup.executors
    if (tool === undefined) expect.fail()
    const given = { ...setup, executors: [{ ...tool, check: () => [{ path, message: "Wrong." }] }] }
    expect(faults(native(act(read("one", {}))), given)).toEqual([`invalid_input ${expected}`])
  })

  it("[MP-FLAT-9] a checker that throws refuses the declaration", () => {
    const [tool] = setup.executors
    if (tool === undefined) expect.fail()
    const check = () => {
      throw new Error("broken checker")
    }
    const given = { ...setup, executors: [{ ...tool, check }] }
    expect(refusal(native(act(read("one", {}))), given).issues[0]?.message).toBe(
      "one: The input of read could not be checked.",
    )
  })

  it("[MP-FLAT-10] one id and a list of one id mean the same", () => {
    const one = actionsOf(native(act(glob("a"), glob("b", { depends: "a" }))))
    expect(one).toEqual(actionsOf(native(act(glob("a"), glob("b", { depends: ["a"] })))))
    expect(one[1]?.depends_on).toEqual(["a"])
  })

  it.each([[3], [{}], [[1]]])("[MP-FLAT-10] depends %j is refused", (depends) => {
    expect(faults(native(act(glob("a", { depends }))))[0]).toMatch(/^invalid_field calls\[0\]\.depends/)
  })

  it.each(["summary", "full", "structured", "on_failure", "on_demand", "adaptive"])(
    "[MP-FLAT-11] the result %s is accepted",
    (result) => {
      expect(actionsOf(native(act(glob("a", { result }))))[0]?.result_policy).toEqual({
        return_to_model: result,
        priority: [],
        store_full: true,
      })
    },
  )

  it("[MP-FLAT-11] an omitted result means summary", () => {
    expect(actionsOf(native(act(glob("a"))))[0]?.result_policy.return_to_model).toBe("summary")
  })

  it.each(["none", "excerpt", "Summary", "", null, 1])("[MP-FLAT-11] the result %j is refused", (result) => {
    expect(faults(native(act(glob("a", { result }))))).toEqual(["invalid_field calls[0].result"])
  })

  it("[MP-ENV-7] an unknown field is refused with its path, and one that begins with x_ is kept", () => {
    expect(refusal(native({ ...act(glob("a", { dependsOn: "b" })), extra: 1 })).issues).toEqual([
      {
        code: "unknown_field",
        path: "calls[0].dependsOn",
        message: 'There is no field "dependsOn" here.',
        fix: "The fields here are id, type, name, args, depends, result, title; one whose name begins with x_ is stored and ignored.",
      },
      {
        code: "unknown_field",
        path: "extra",
        message: 'There is no field "extra" here.',
        fix: "The fields here are kind, message, calls; one whose name begins with x_ is stored and ignored.",
      },
    ])
    const message = native({ ...act(glob("a", { x_note: { y: 1 }, args: { x_arg: 1 } })), x_top: [1] })
    expect(accepted(message).extensions).toEqual({ x_top: [1] })
    expect(actionsOf(message)[0]).toMatchObject({ extensions: { x_note: { y: 1 } }, input: { x_arg: 1 } })
  })

  it("[MP-SAFE-4] too many calls are refused before they are looked at", () => {
    const calls = ["a", "b", "c"].map((id) => ({ ...glob(id), wrong: 1 }))
    expect(refusal(native(act(...calls)), { ...setup, limits: { actions: 2 } }).issues).toEqual([
      {
        code: "too_many_actions",
        path: "calls",
        message: "There are 3 calls; at most 2 are allowed.",
        fix: "Declare fewer calls at once.",
      },
    ])
    expect(actionsOf(native(act(glob("a"), glob("b"))), { ...setup, limits: { actions: 2 } })).toHaveLength(2)
  })

  it("[MP-FLAT-4] the note of an act may stand in a section", () => {
    expect(accepted(native(act(glob("a")), "# user.visible\n\nSoon.")).note).toBe("Soon.")
    expect(accepted(native(act(glob("a")), "# user.visible\n")).note).toBe(undefined)
    expect(called("x", {}).calls[0]?.arguments).toBe("{}")
  })

  it("[MP-GRAPH-8] a cycle of calls is told where the calls stand", () => {
    expect(faults(native(act(glob("a", { depends: "b" }), glob("b", { depends: "a" }))))).toEqual([
      "cycle calls",
    ])
  })

  it("[MP-FLAT-8] a tool that the runtime should choose is told to be named", () => {
    expect(refusal(native(act(glob("a", { name: "auto" })))).issues).toEqual([
      {
        code: "unknown_executor",
        path: "calls[0].name",
        message: "auto is not the name of a tool.",
        fix: "Give the exact name of a tool.",
      },
    ])
  })

  it("[MP-ENV-8] what is wrong with calls is told beside a wrong kind", () => {
    expect(faults(native({ kind: "run", calls: [{ id: "a b", type: "tool", name: "glob" }] }))).toEqual([
      "invalid_field kind",
      "invalid_field calls[0].id",
    ])
  })

  it("[MP-FLAT-1] a wrong kind and a missing one are told apart", () => {
    expect(refusal(native({})).issues[0]?.message).toBe("kind is missing.")
    expect(refusal(native({ kind: "x" })).issues[0]?.message).toBe("This kind is not known.")
  })

  it("[MP-FLAT-5] a message that is no string is refused on act", () => {
    expect(refusal(native({ ...act(glob("a")), message: 3 })).issues).toEqual([
      { code: "invalid_field", path: "message", message: "message is 3.", fix: "Give a string." },
    ])
  })
})
