import { describe, expect, it } from "vitest"
import { sideEffects } from "../../src/action.ts"
import type { Executor } from "../../src/executor.ts"
import { readOutput } from "../../src/parse.ts"
import {
  accepted,
  act,
  actionsOf,
  called,
  executors,
  faults,
  fence,
  glob,
  native,
  refusal,
  said,
  setup,
} from "./given.ts"

const json = '{"name":"glob","arguments":{"a":1}}'
const form = "Make one AgentProtocolOutput call instead of writing a call as text."
const outright = "Make one AgentProtocolOutput call that says it outright."
const later = (name: string) => `$\{${name}}`
const shell = (text: string) => fence(text, "shell")
const tool = (name: string, over: Partial<Executor> = {}): Executor => ({
  name,
  type: "tool",
  description: "",
  capabilities: [],
  side_effects: ["read"],
  ...over,
})
const withTools = (...more: Executor[]) => ({
  ...setup,
  authority: { agent: "a", enabled: true, depth: 0 },
  executors: [...executors, ...more],
})

describe("what a written call may do", () => {
  const call = (name: string) =>
    `You can call it like this:\n\n${fence(`{"name":"${name}","arguments":{}}`, "tool_call")}`
  const changing = sideEffects.filter((effect) => effect !== "read")

  it.each(changing)("[MP-RECOVER-3] one that may %s is not carried out: it may be an example", (effect) => {
    const tools = withTools(tool("t", { side_effects: ["read", effect] }), tool("r"))
    const { issues } = refusal(said(call("t")), tools)
    expect(issues).toEqual([
      { code: "uncertain", path: "calls[0]", message: `t may ${effect}.`, fix: outright },
    ])
    expect(actionsOf(said(call("r")), tools)).toMatchObject([{ executor: { target: "r" } }])
  })
})

describe("where a written call stands", () => {
  it.each([
    ["with line ends of another system", `<tool_call>\r\n${json}\r\n</tool_call>\r\n \r\n`],
    ["with line ends of old", `So.\r<tool_call>${json}</tool_call>\r\t`],
    ["before lines of space", `<tool_call>${json}</tool_call>\n  \n\t\n`],
    ["in a fence before lines of space", `${fence(json, "tool_call")}  \n \n`],
  ])("[MP-RECOVER-2] %s it is recovered", (_, text) => {
    expect(actionsOf(said(text))).toMatchObject([{ id: "call_1", input: { a: 1 }, origin: "recovered_text" }])
  })

  it("[MP-RECOVER-4] its source is kept line by line", () => {
    const text = `<tool_call>\n${json}\n</tool_call>`
    expect(accepted(said(`Now.\n${text}\n\n`)).source).toBe(text)
    const direct = {
      text: "",
      calls: [
        { id: "a", name: "glob", arguments: "{}" },
        { id: "b", name: "glob", arguments: "{}" },
      ],
      complete: true,
    }
    expect(accepted(direct).source).toBe("glob {}\nglob {}")
  })

  it.each([
    [
      "two calls",
      `<tool_call>${json}</tool_call>\n`.repeat(2),
      "uncertain",
      "2 calls are written as text.",
      outright,
    ],
    [
      "an element before a text",
      `<tool_call>${json}</tool_call>\nThis calls it.`,
      "uncertain",
      "A call is written in the middle of a text.",
      outright,
    ],
    [
      "a list of arguments",
      shell("tool glob <<'JSON'\n[]\nJSON"),
      "uncertain",
      "The arguments are not an object.",
      form,
    ],
    [
      "a name that is no text",
      fence('{"name":1,"arguments":{}}', "tool_call"),
      "uncertain",
      "A written call must hold exactly a name and arguments.",
      form,
    ],
    ["an open element", `<tool_call>${json}`, "incomplete", "The written call is not finished.", form],
    [
      "an open element before lines of space",
      "<tool_call>{}\n\n",
      "incomplete",
      "The written call is not finished.",
      form,
    ],
  ])("[MP-RECOVER-3] %s is refused, saying why", (_, text, code, message, fix) => {
    expect(refusal(said(text)).issues).toEqual([{ code, path: "", message, fix }])
  })

  it("[MP-RECOVER-5] broken arguments in the form of a transcript are refused", () => {
    expect(refusal(said(shell("tool glob <<'JSON'\n{\nJSON"))).issues[0]?.code).toBe("not_json")
  })

  it.each([
    ["a fence whose mark is part of a word", fence(json, "my-tool_call")],
    ["a fence whose mark goes on", fence(json, "tool_calls")],
    ["a script that holds the form", shell("echo tool glob <<'JSON'\n{}\nJSON")],
    ["a name that is too long", shell(`tool ${"n".repeat(201)} <<'JSON'\n{}\nJSON`)],
  ])("[MP-RECOVER-2] %s is only text", (_, text) => {
    expect(readOutput(said(text), setup)).toEqual({ kind: "answer", text })
  })

  it("[MP-SAFE-4] a written call and a direct one keep the limits of a declaration", () => {
    const given = { ...setup, limits: { declaration: 60, depth: 3 } }
    const long = { a: "x".repeat(60) }
    const deep = { a: [[[[1]]]] }
    const codes = (message: ReturnType<typeof said>) => refusal(message, given).issues.map(({ code }) => code)
    expect(codes(said(`<tool_call>{"name":"glob","arguments":${JSON.stringify(long)}}</tool_call>`))).toEqual(
      ["too_large"],
    )
    expect(codes(called("glob", long))).toEqual(["too_large"])
    expect(codes(said(shell(`tool glob <<'JSON'\n${JSON.stringify(deep)}\nJSON`)))).toEqual(["too_deep"])
    expect(codes(called("glob", deep))).toEqual(["too_deep"])
  })
})

describe("whom a call means", () => {
  it("[MP-RECOVER-1] only tools and agents are called directly", () => {
    const given = withTools(tool("ask", { type: "human" }), tool("glob", { type: "service" }))
    expect(faults(called("ask", {}), given)).toEqual(["executor_mismatch calls[0].name"])
    expect(actionsOf(called("glob", {}), given)[0]?.executor).toMatchObject({ type: "tool", target: "glob" })
  })

  it("[MP-RECOVER-3] a form that names its type means that type", () => {
    const given = withTools(tool("reviewer", { side_effects: ["delete", "publish"] }))
    expect(actionsOf(said(shell("agent reviewer <<'JSON'\n{}\nJSON")), given)[0]?.executor).toMatchObject({
      type: "agent",
    })
    expect(refusal(said(shell("tool reviewer <<'JSON'\n{}\nJSON")), given).issues).toEqual([
      { code: "uncertain", path: "calls[0]", message: "reviewer may delete, publish.", fix: outright },
    ])
    expect(refusal(called("reviewer", {}), withTools(tool("reviewer"))).issues).toEqual([
      { code: "uncertain", path: "calls[0].name", message: '"reviewer" names two executors.', fix: outright },
    ])
  })

  it("[MP-RECOVER-1] an argument of that name makes no other call a delegation", () => {
    expect(actionsOf(called("glob", { agent: "reviewer" }))[0]).toMatchObject({
      executor: { type: "tool", target: "glob" },
      input: { agent: "reviewer" },
    })
    expect(faults(called("task", { agent: 1 }))).toEqual(["unknown_executor calls[0].name"])
  })

  it.each(["{{x}}", later("x"), `  ${later("step one")}\n`, "{{ a.b }}  ", "{{}}", later("")])(
    "[MP-RECOVER-3] %j stands for something that is not there yet",
    (text) => {
      expect(faults(called("glob", { p: text }))).toEqual(["uncertain calls[0].args.p"])
    },
  )

  it.each([
    "see {{x}}",
    "{{x}} there",
    `cost: ${later("x")} each`,
    later("x").slice(0, -1),
    "{x}",
    "file:a.ts",
    "input:user.goal",
    "c9",
  ])("[MP-RECOVER-1] %j is only text", (text) => {
    expect(actionsOf(called("glob", { p: text }))[0]?.input).toEqual({ p: text })
  })
})

describe("which form a native call has", () => {
  it.each<[string, object]>([
    ["type", { type: "x" }],
    ["payload", { payload: {} }],
    ["intent", { intent: "execute" }],
  ])("[MP-CARRIER-1] with %s it is a full declaration", (_, value) => {
    const paths = faults(native(value))
    expect(paths.some((fault) => fault.endsWith(" payload") || fault.includes(" payload."))).toBe(true)
    expect(paths.some((fault) => fault.endsWith(" kind"))).toBe(false)
  })

  it("[MP-CARRIER-1] without them it is the small form", () => {
    expect(faults(native({}))).toContain("missing_field kind")
    expect(refusal(native("[]")).issues).toEqual([
      {
        code: "not_a_declaration",
        path: "",
        message: "The arguments are not an object.",
        fix: 'Give one JSON object, such as { "kind": "act", "calls": [] } with the calls in it.',
      },
    ])
  })

  it("[MP-SAFE-4] a response that is too long is refused with its length", () => {
    const message = native(act(glob("a")), "x".repeat(11))
    expect(refusal(message, { ...setup, limits: { message: 10 } }).issues).toEqual([
      {
        code: "too_large",
        path: "",
        message: "The response has 11 characters; at most 10 are read.",
        fix: "Say less at once.",
      },
    ])
    expect(
      readOutput(native(act(glob("a")), "x".repeat(10)), { ...setup, limits: { message: 10 } }).kind,
    ).toBe("declaration")
  })
})
