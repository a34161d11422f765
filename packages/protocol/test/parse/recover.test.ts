import { describe, expect, it } from "vitest"
import type { AssistantMessage } from "../../src/message.ts"
import { type ParseNote, rates } from "../../src/notes.ts"
import { readOutput } from "../../src/parse.ts"
import { mayAskAgain } from "../../src/recover.ts"
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

const logOf = (message: AssistantMessage): readonly ParseNote[] => {
  const read = readOutput(message, setup)
  return "log" in read ? read.log : []
}
const both = (...calls: [string, unknown][]): AssistantMessage => ({
  text: "",
  calls: calls.map(([name, args], index) => ({ id: `c${index}`, name, arguments: JSON.stringify(args) })),
  complete: true,
})
const retry = "Make one AgentProtocolOutput call that says it outright."
const json = '{"name":"read","arguments":{"filePath":"a.ts"}}'

describe("direct calls", () => {
  it("[MP-RECOVER-1] a direct call of a known tool becomes an act with one call", () => {
    const message = called("read", { filePath: "a.ts" })
    expect(accepted(message)).toMatchObject({
      intent: "execute",
      origin: "recovered_call",
      source: 'read {"filePath":"a.ts"}',
    })
    expect(actionsOf(message)).toMatchObject([
      {
        id: "call_a",
        executor: { type: "tool", target: "read" },
        input: { filePath: "a.ts" },
        origin: "recovered_call",
      },
    ])
  })

  it.each([
    ["by the agent's name", called("reviewer", { description: "d" })],
    ["by task", called("task", { agent: "reviewer", description: "d" })],
    ["by delegate", called("delegate", { agent: "reviewer", description: "d" })],
  ])("[MP-RECOVER-1] a clear delegation %s becomes an act with one call", (_, message) => {
    expect(actionsOf(message)).toMatchObject([
      { executor: { type: "agent", target: "reviewer", capabilities: [] }, input: { description: "d" } },
    ])
  })

  it("[MP-RECOVER-1] a tool that is named task is no delegation", () => {
    const task = {
      name: "task",
      type: "tool" as const,
      description: "",
      capabilities: [],
      side_effects: ["read" as const],
    }
    const given = {
      ...setup,
      authority: { agent: "a", enabled: true, depth: 0 },
      executors: [...executors, task],
    }
    expect(actionsOf(called("task", { agent: "reviewer" }), given)[0]).toMatchObject({
      executor: { type: "tool", target: "task" },
      input: { agent: "reviewer" },
    })
  })

  it("[MP-RECOVER-1] an id that is no id is replaced", () => {
    expect(actionsOf(called("glob", {}, "call:1/x"))[0]?.id).toBe("call_1")
    const twice = { ...both(["glob", {}], ["glob", {}]) }
    const message = { ...twice, calls: twice.calls.map((call) => ({ ...call, id: "same" })) }
    expect(actionsOf(message).map(({ id }) => id)).toEqual(["same", "call_2"])
    const given = ["call_2", "no id", "call_3"]
    const three = both(["glob", {}], ["glob", {}], ["glob", {}])
    const mixed = { ...three, calls: three.calls.map((call, at) => ({ ...call, id: given[at] ?? "" })) }
    expect(actionsOf(mixed).map(({ id }) => id)).toEqual(["call_2", "call_3", "call_4"])
  })

  it.each([
    ["executor, when no tool has the name", called("reads", {}), "unknown_executor calls[0].name"],
    [
      "executor, when the agent is unknown",
      called("task", { agent: "nobody" }),
      "unknown_executor calls[0].name",
    ],
    ["executor, when it cannot execute", called("broken", {}), "not_executable calls[0].name"],
    ["arguments, when they are cut", called("glob", '{"pattern":'), "not_json calls[0].args.pattern"],
    ["arguments, when there are none", called("glob", ""), "not_json calls[0].args"],
    ["arguments, when they are no object", called("glob", "[]"), "uncertain calls[0].args"],
    ["arguments, when they do not fit", called("read", {}), "invalid_input calls[0].args.filePath"],
    ["arguments, when a key is repeated", called("glob", '{"a":1,"a":2}'), "duplicate_key calls[0].args.a"],
    ["side effect, when it is not known", called("shell", {}), "uncertain calls[0]"],
    ["side effect, when it cannot be undone", called("drop", {}), "uncertain calls[0]"],
    [
      "dependency, when an argument is a reference",
      called("glob", { p: "action:x.output" }),
      "uncertain calls[0].args.p",
    ],
    ["dependency, when an argument is a section", called("glob", { p: "md:x" }), "uncertain calls[0].args.p"],
    [
      "dependency, when an argument is a placeholder",
      called("glob", { p: " {{x}} " }),
      "uncertain calls[0].args.p",
    ],
    ["dependency, when it is said", called("glob", { depends_on: [] }), "uncertain calls[0].args.depends_on"],
    [
      "dependency, when it is said shortly",
      called("glob", { depends: "a" }),
      "uncertain calls[0].args.depends",
    ],
    [
      "dependency, when an argument names a call",
      both(["glob", {}], ["glob", { p: "c0" }]),
      "uncertain calls[1].args.p",
    ],
    [
      "dependency, under a key that is no word",
      called("glob", { "a b": "md:x" }),
      'uncertain calls[0].args["a b"]',
    ],
    ["permission", called("secret", {}), "not_permitted calls[0].name"],
  ])("[MP-RECOVER-3] doubt about the %s runs nothing", (_, message, fault) => {
    expect(faults(message)).toContain(fault)
    expect(logOf(message)).toMatchObject([{ kind: "read", result: "refused" }])
    expect(refusal(message).retry).toContain('{"kind":"act","calls":[')
  })

  it("[MP-RECOVER-3] a doubt says what is not known", () => {
    const issue = (path: string, message: string) => ({ code: "uncertain", path, message, fix: retry })
    expect(refusal(called("shell", {})).issues).toEqual([
      issue("calls[0]", "What shell changes is not known."),
    ])
    expect(refusal(called("drop", {})).issues).toEqual([issue("calls[0]", "drop may delete.")])
    expect(refusal(called("glob", { p: "md:x" })).issues).toEqual([
      issue("calls[0].args.p", "This argument seems to wait for another call."),
    ])
    expect(refusal(called("glob", "3")).issues).toEqual([
      issue("calls[0].args", "The arguments are not an object."),
    ])
  })

  it("[MP-RECOVER-3] a name that a tool and an agent share is a doubt", () => {
    const agent = {
      name: "glob",
      type: "agent" as const,
      description: "",
      capabilities: [],
      side_effects: [],
    }
    expect(faults(called("glob", {}), { ...setup, executors: [...executors, agent] })).toEqual([
      "uncertain calls[0].name",
    ])
  })

  it("[MP-RECOVER-3] where recovery is switched off nothing is recovered", () => {
    expect(refusal(called("glob", {}), { ...setup, recover: false }).issues).toEqual([
      { code: "uncertain", path: "calls", message: "Direct calls are not recovered here.", fix: retry },
    ])
  })

  it("[MP-RECOVER-3] a model that never complies is asked again up to the limit", () => {
    let refused = 0
    let asked = 0
    do {
      asked++
      if (readOutput(called("shell", {}), setup).kind === "refused") refused++
    } while (mayAskAgain(refused))
    expect(asked).toBe(3)
    expect(mayAskAgain(1, { refusals: 1 })).toBe(false)
    expect(mayAskAgain(0, { refusals: 1 })).toBe(true)
  })

  it("[MP-RECOVER-6] several safe calls become one act", () => {
    expect(
      actionsOf(both(["glob", {}], ["read", { filePath: "x" }])).map(({ id, depends_on }) => [
        id,
        depends_on,
      ]),
    ).toEqual([
      ["c0", []],
      ["c1", []],
    ])
  })

  it("[MP-RECOVER-6] one unsafe call among them runs none", () => {
    expect(faults(both(["glob", {}], ["shell", {}]))).toEqual(["uncertain calls[1]"])
  })
})

describe("calls written as text", () => {
  const forms: [string, string][] = [
    ["a marked fence", fence(json, "tool_call")],
    ["a fence marked otherwise", fence(json, "tool-call")],
    ["an element on one line", `<tool_call>${json}</tool_call>`],
    ["an element on lines", `<tool_call>\n${json}\n</tool_call>  \n\n`],
    ["the form of a transcript", fence(`tool read <<'JSON'\n{\n  "filePath": "a.ts"\n}\nJSON`, "shell")],
    ["the form of a transcript, unmarked", fence(`tool read <<'JSON'\n{"filePath": "a.ts"}\nJSON`, "")],
  ]

  it.each(forms)("[MP-RECOVER-2] %s is a violation that is recovered", (_, text) => {
    const message = said(`I read it.\n\n${text}`)
    expect(actionsOf(message)).toMatchObject([
      {
        id: "call_1",
        executor: { type: "tool", target: "read" },
        input: { filePath: "a.ts" },
        origin: "recovered_text",
      },
    ])
    const log = logOf(message)
    expect(log.map((note) => note.kind === "recovered" && [note.origin, note.call])).toEqual([
      ["recovered_text", "read"],
      false,
    ])
    expect(log[1]).toEqual({ kind: "read", result: "recovered", origin: "recovered_text", codes: [] })
  })

  it("[MP-RECOVER-2] a delegation in the form of a transcript is recovered", () => {
    const message = said(fence(`agent reviewer <<'JSON'\n{}\nJSON`, "bash"))
    expect(actionsOf(message)[0]?.executor).toEqual({ type: "agent", target: "reviewer", capabilities: [] })
  })

  it.each([
    ["two of them", fence(json, "tool_call") + fence(json, "tool_call"), "uncertain "],
    ["text after it", `${fence(json, "tool_call")}\nThis is how it is done.`, "uncertain "],
    [
      "a name that no tool has",
      fence('{"name":"Read","arguments":{}}', "tool_call"),
      "unknown_executor calls[0].name",
    ],
    ["no name", fence('{"arguments":{}}', "tool_call"), "uncertain "],
    ["no arguments", fence('{"name":"read"}', "tool_call"), "uncertain "],
    ["arguments that are a string", fence('{"name":"read","arguments":"{}"}', "tool_call"), "uncertain "],
    ["something else beside them", fence('{"name":"read","arguments":{},"id":1}', "tool_call"), "uncertain "],
    ["an open fence", `\`\`\`tool_call\n${json}\n`, "incomplete "],
    ["an open element", `<tool_call>\n${json}\n`, "incomplete "],
    ["an open here-document", fence(`tool read <<'JSON'\n{}`, "shell"), "incomplete "],
    ["arguments that are a list", fence(`tool read <<'JSON'\n[]\nJSON`, "shell"), "uncertain "],
    ["a doubtful effect", fence('{"name":"shell","arguments":{}}', "tool_call"), "uncertain calls[0]"],
  ])("[MP-RECOVER-3] with %s nothing runs", (_, text, fault) => {
    expect(faults(said(text))).toEqual([fault])
  })

  it.each([
    ["a quotation", fence(json, "tool_call").replace(/^/gm, "> ")],
    ["an ordinary fence", fence(json, "json")],
    ["a fence of another language", fence(`tool read <<'JSON'\n{}\nJSON`, "python")],
    ["a shell command", fence("cat <<'JSON'\n{}\nJSON", "shell")],
    ["prose", `Write <tool_call>${json}</tool_call> to call it.`],
    ["a fence around an element", fence(`<tool_call>${json}</tool_call>`, "xml")],
  ])("[MP-RECOVER-2] in %s it is only text", (_, text) => {
    expect(readOutput(said(text), setup)).toEqual({ kind: "answer", text })
  })

  it.each([
    '{"name":"read","arguments":{"filePath":"a.ts"}',
    '{"name":"read","arguments":{"filePath":"a.ts"},}',
    "{'name':'read','arguments':{}}",
    '{"name":"read" "arguments":{}}',
    '{name:"read","arguments":{}}',
    '{"name":"read","arguments":{"filePath":"a.ts}}',
  ])("[MP-RECOVER-5] broken JSON is never repaired: %s", (text) => {
    expect(faults(said(fence(text, "tool_call"))).map((fault) => fault.split(" ")[0])).toEqual(["not_json"])
    expect(faults(native(text))[0]).toMatch(/^not_json/)
    expect(faults(said(fence(text)))[0]).toMatch(/^not_json/)
  })
})

describe("the log", () => {
  it("[MP-RECOVER-4] every recovered call is logged with its source and origin", () => {
    expect(logOf(both(["glob", { a: 1 }], ["read", { filePath: "x" }]))).toEqual([
      { kind: "recovered", origin: "recovered_call", call: "glob", source: 'glob {"a":1}' },
      { kind: "recovered", origin: "recovered_call", call: "read", source: 'read {"filePath":"x"}' },
      { kind: "read", result: "recovered", origin: "recovered_call", codes: [] },
    ])
    expect(logOf(said(fence(json, "tool_call")))[0]).toEqual({
      kind: "recovered",
      origin: "recovered_text",
      call: "read",
      source: `${json}\n`,
    })
  })

  it("[MP-RECOVER-4] rates are counted over outputs", () => {
    const log = [
      native(act(glob("a"))),
      native({ kind: "done" }),
      both(["glob", {}], ["glob", {}]),
      said(fence(json, "tool_call")),
      called("shell", {}),
      native("{"),
      said(fence("{}")),
      said("plain"),
    ].flatMap(logOf)
    expect(rates(log)).toEqual({
      outputs: 7,
      declared: 2,
      recovered: 2,
      refused: 3,
      compliance: 2 / 7,
      recovery: 2 / 5,
    })
  })

  it("[MP-RECOVER-4] without outputs nothing was violated", () => {
    expect(rates([])).toEqual({
      outputs: 0,
      declared: 0,
      recovered: 0,
      refused: 0,
      compliance: 1,
      recovery: 1,
    })
    expect(rates(logOf(native({ kind: "done" })))).toMatchObject({ compliance: 1, recovery: 1 })
  })

  it("[MP-RECOVER-4] a refused output is logged with its codes, each once", () => {
    expect(logOf(native(act({ id: "a b" }, { id: "c d" })))).toEqual([
      { kind: "read", result: "refused", codes: ["invalid_field", "missing_field"] },
    ])
  })
})
