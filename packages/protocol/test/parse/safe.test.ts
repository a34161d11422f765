import { describe, expect, it } from "vitest"
import { readOutput } from "../../src/parse.ts"
import {
  accepted,
  act,
  action,
  actionsOf,
  faults,
  fenced,
  glob,
  graph,
  native,
  refusal,
  setup,
} from "./given.ts"

const code = [
  "$" + "{process.exit(1)}",
  "{{constructor}}",
  "$(rm -rf /)",
  "`id`",
  "=1+1",
  "<script>alert(1)</script>",
  "%s",
]

describe("safety", () => {
  it("[MP-SAFE-1] one wrong action refuses the whole declaration", () => {
    const actions = [action("a"), action("b", { persist: "no" }), action("c")]
    expect(faults(fenced(graph(actions)))).toEqual(["invalid_field payload.actions[1].persist"])
  })

  it.each(code)("[MP-SAFE-3] %s stays text in every field that takes text", (text) => {
    const fields = {
      title: text,
      description: text,
      reason: text,
      operation: text,
      writes: [text],
      input: { [text]: [text] },
    }
    const message = fenced(
      graph([action("a", { ...fields, x_note: text, result_policy: { priority: [text] } })], { title: text }),
    )
    const [read] = actionsOf(message)
    expect(read).toMatchObject({
      ...fields,
      extensions: { x_note: text },
      result_policy: { priority: [text] },
    })
    expect(accepted(message).title).toBe(text)
    const flat = native({ ...act(glob("a", { title: text, args: { p: text } })), message: text })
    expect(actionsOf(flat)[0]).toMatchObject({ title: text, input: { p: text } })
    expect(accepted(flat).note).toBe(text)
  })

  it.each(code)("[MP-SAFE-3] %s is no id, executor, reference or condition", (text) => {
    const fields = {
      executor: { type: "tool", target: text },
      prompt_ref: text,
      when: { action: text, status: text },
      repeat: { max: text },
    }
    const found = faults(fenced(graph([action(text, fields)])))
    for (const place of ["id", "executor.target", "prompt_ref", "repeat.max"])
      expect(found.map((fault) => fault.split(" ").at(-1))).toContain(`payload.actions[0].${place}`)
  })

  it.each([
    ["a repeated key", '{"kind":"done","kind":"act"}', "duplicate_key kind"],
    [
      "a key of every object",
      '{"kind":"act","calls":[{"__proto__":{"id":"a"}}]}',
      "forbidden_key calls[0].__proto__",
    ],
    [
      "such a key in arguments",
      '{"kind":"act","calls":[{"id":"a","args":{"constructor":1}}]}',
      "forbidden_key calls[0].args.constructor",
    ],
    [
      "too many levels",
      `${'{"a":'.repeat(33)}1${"}".repeat(33)}`,
      `too_deep ${Array(32).fill("a").join(".")}`,
    ],
    ["too many characters", JSON.stringify({ kind: "done", message: "x".repeat(262_144) }), "too_large "],
  ])("[MP-SAFE-4] %s is refused, in a native call and in a block", (_, json, fault) => {
    expect(faults(native(json))).toEqual([fault])
    expect(faults(fenced(json))).toEqual([fault])
  })

  it("[MP-SAFE-4] a NUL in a block is refused like every control character, and not replaced", () => {
    expect(faults(fenced('{"type":"agent.protocol","version":"1\0"}'))).toEqual(["not_json version"])
  })

  it("[MP-SAFE-4] too many direct calls are refused before they are looked at", () => {
    const calls = Array.from({ length: 201 }, (_, index) => ({ id: `c${index}`, name: "?", arguments: "{" }))
    expect(faults({ text: "", calls, complete: true })).toEqual(["too_many_actions calls"])
    expect(faults({ text: "", calls: calls.slice(1), complete: true })).not.toContain(
      "too_many_actions calls",
    )
  })

  it("[MP-SAFE-4] what the model wrote is not told to it again at any length", () => {
    const long = "x".repeat(50_000)
    const { issues, retry } = refusal(
      fenced(graph([action(long), action(long, { depends_on: [`y${long}`] })])),
    )
    expect(issues.map(({ code }) => code)).toEqual([
      "invalid_field",
      "invalid_field",
      "duplicate_id",
      "unknown_dependency",
    ])
    expect(issues.find(({ code }) => code === "duplicate_id")?.message).toBe(`The id ${"x".repeat(993)}…`)
    expect(retry.length).toBeLessThan(4000)
  })

  it("[MP-SAFE-4] limits hold as they are set", () => {
    expect(faults(native({ kind: "done", message: "x" }), { ...setup, limits: { declaration: 10 } })).toEqual(
      ["too_large "],
    )
    expect(faults(native(act(glob("a", { args: { p: {} } }))), { ...setup, limits: { depth: 4 } })).toEqual([
      "too_deep calls[0].args.p",
    ])
    const many = Array.from({ length: 201 }, (_, index) => action(`a${index}`))
    expect(faults(fenced(graph(many)))).toEqual(["too_many_actions payload.actions"])
    expect(readOutput(fenced(graph(many.slice(1))), setup).kind).toBe("declaration")
  })
})
