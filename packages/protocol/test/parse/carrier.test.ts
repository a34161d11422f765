import { describe, expect, it } from "vitest"
import { carrierName } from "../../src/message.ts"
import { readOutput } from "../../src/parse.ts"
import {
  accepted,
  act,
  action,
  actionsOf,
  called,
  disabled,
  faults,
  fence,
  fenced,
  glob,
  graph,
  native,
  refusal,
  said,
  setup,
} from "./given.ts"

const work = graph([action("find", { executor: { type: "tool", target: "glob" } })], { title: "Find" })

describe("carriers", () => {
  it.each(["context_refs", "prompt_ref"])(
    "[MP-UX-3] the note cannot be given to an executor: %s",
    (field) => {
      const ref = "md:User.Visible"
      const given = { [field]: field === "prompt_ref" ? ref : [ref] }
      const message = fenced(graph([action("a", given)]), "\n## user.visible\n\nI look.\n")
      const path = `payload.actions[0].${field}${field === "prompt_ref" ? "" : "[0]"}`
      expect(faults(message)).toEqual([`unresolved_ref ${path}`])
    },
  )

  it("[MP-CARRIER-1] a native call is the declaration", () => {
    const message = native({ ...act(glob("find")), message: "I look." })
    expect(readOutput(message, setup)).toEqual({
      kind: "declaration",
      declaration: expect.objectContaining({
        version: "1",
        origin: "native",
        intent: "execute",
        note: "I look.",
        source: message.calls[0]?.arguments,
        sections: [],
        extensions: {},
      }),
      log: [{ kind: "read", result: "declared", origin: "native", codes: [] }],
    })
    expect(actionsOf(message).map(({ id }) => id)).toEqual(["find"])
  })

  it("[MP-CARRIER-1] a native call may carry the full form, with sections in the text beside it", () => {
    const text = "## p\n\nDo it.\n\n## user.visible\n\nI will do it."
    const declaration = accepted(native(graph([action("a", { prompt_ref: "md:p" })]), text))
    expect(declaration.origin).toBe("native")
    expect(declaration.note).toBe("I will do it.")
    expect(declaration.sections.map(({ id }) => id)).toEqual(["p", "user.visible"])
  })

  it("[MP-CARRIER-1] arguments that are no object are refused", () => {
    expect(refusal(native("[]")).issues).toEqual([
      {
        code: "not_a_declaration",
        path: "",
        message: "The arguments are not an object.",
        fix: 'Give one JSON object, such as { "kind": "act", "calls": [] } with the calls in it.',
      },
    ])
    expect(faults(native(""))).toEqual(["not_json "])
  })

  it.each([
    ["a type beside a kind", { kind: "act", type: "tool", calls: [glob("a")] }, ["unknown_field type"]],
    ["a type for a kind", { type: "act", calls: [glob("a")] }, ["missing_field kind", "unknown_field type"]],
    ["calls in the full form", { ...work, calls: [] }, ["unknown_field calls"]],
    [
      "a type alone",
      { type: "agent.protocol" },
      ["unsupported_version version", "missing_field intent", "missing_field payload"],
    ],
  ])("[MP-ENV-8] with %s the form that was meant is told about", (_, value, expected) => {
    expect(faults(native(value))).toEqual(expected)
  })

  it("[MP-CARRIER-2] a complete marked block of the right type is the declaration", () => {
    const message = fenced(work, "\n## user.visible\n\nI look for files.\n")
    const declaration = accepted(message)
    expect(declaration).toMatchObject({
      version: "1",
      origin: "dsl",
      intent: "execute",
      title: "Find",
      note: "I look for files.",
      source: message.text,
    })
    expect(actionsOf(message)[0]?.origin).toBe("dsl")
  })

  it.each([
    ["json agent-protocol", "agent.protocol", "declaration"],
    ["json agent-protocol", "agent.protocols", "refused"],
    ["json", "agent.protocol", "answer"],
    ["json", "agent.protocols", "answer"],
  ])("[MP-CARRIER-3] a block marked %j of type %j is read as: %s", (info, type, kind) => {
    expect(readOutput(said(fence({ ...work, type }, info)), setup).kind).toBe(kind)
  })

  it.each([["{}"], ["[]"], ["7"], ['{"type":"Agent.Protocol"}']])(
    "[MP-CARRIER-3] a marked block without the type gives a protocol error: %s",
    (json) => {
      expect(refusal(fenced(json)).issues).toEqual([
        {
          code: "not_a_declaration",
          path: "type",
          message: 'The block has no type "agent.protocol".',
          fix: 'Give one JSON object with "type": "agent.protocol" and "version": "1".',
        },
      ])
    },
  )

  it.each([
    ["native call", native(act(glob("a")), "Some *text*.\r\n")],
    ["block", fenced(work, " \n\ttail")],
    ["two blocks", said(fence(work) + fence(work))],
    ["direct call", { ...called("glob", {}), text: "x" }],
    ["written call", said('<tool_call>{"name":"glob","arguments":{}}</tool_call>')],
    ["unclosed block", said("```json agent-protocol\n{")],
  ])(
    "[MP-CARRIER-4] of an agent that is not enabled a %s stays text, character for character",
    (_, message) => {
      expect(readOutput(message, disabled)).toEqual({ kind: "answer", text: message.text })
      expect(readOutput(message, setup).kind).not.toBe("answer")
    },
  )

  it("[MP-CARRIER-5] two blocks in one response run nothing", () => {
    expect(refusal(said(fence(work) + fence(work)))).toMatchObject({
      issues: [
        {
          code: "multiple_blocks",
          path: "",
          message: "The response holds 2 blocks.",
          fix: "Give exactly one declaration in a response.",
        },
      ],
      log: [{ kind: "read", result: "refused", codes: ["multiple_blocks"] }],
    })
  })

  it("[MP-CARRIER-5] two native calls in one response run nothing", () => {
    const [call] = native(act(glob("a"))).calls
    if (call === undefined) expect.fail()
    const message = { text: "", calls: [call, { ...call, id: "b" }], complete: true }
    expect(refusal(message).issues.map(({ code, message: text }) => [code, text])).toEqual([
      ["multiple_blocks", "The response holds 2 native calls."],
    ])
  })

  it("[MP-CARRIER-6] beside a native call a block and a direct call are not executed but logged", () => {
    const base = native(act(glob("mine")), fence(work))
    const message = {
      ...base,
      calls: [...base.calls, { id: "d", name: "read", arguments: '{"filePath":"x"}' }],
    }
    const read = readOutput(message, setup)
    expect(actionsOf(message).map(({ id }) => id)).toEqual(["mine"])
    expect(read.kind === "declaration" && read.log).toEqual([
      { kind: "ignored", carrier: "block", source: `${JSON.stringify(work, null, 2)}\n` },
      { kind: "ignored", carrier: "call", source: 'read {"filePath":"x"}' },
      { kind: "read", result: "declared", origin: "native", codes: [] },
    ])
  })

  it("[MP-CARRIER-6] a wrong native call is not replaced by the block beside it", () => {
    expect(faults(native({ kind: "no" }, fence(work)))).toEqual(["invalid_field kind"])
  })

  it("[MP-CARRIER-6] beside a block a direct call is not executed but logged", () => {
    const message = { ...fenced(work), calls: [{ id: "d", name: "read", arguments: "{}" }] }
    const read = readOutput(message, setup)
    expect(read.kind === "declaration" && read.log.slice(0, 1)).toEqual([
      { kind: "ignored", carrier: "call", source: "read {}" },
    ])
    expect(actionsOf(message).map(({ id }) => id)).toEqual(["find"])
  })

  it("[MP-CARRIER-7] backticks in a JSON string do not end the block", () => {
    const [first] = actionsOf(fenced(graph([action("a", { description: "Use ``` and\n```\nhere" })])))
    expect(first?.description).toBe("Use ``` and\n```\nhere")
  })

  it.each([
    ["a longer fence", `\`\`\`\`md\n${fence(work)}\`\`\`\`\n`],
    ["a quotation", fence(work).replace(/^/gm, "> ")],
    ["indentation", fence(work).replace(/^/gm, "    ")],
    ["a list", fence(work).replace(/^/gm, "  ").replace("  ", "- ")],
    ["a comment", `<!--\n${fence(work)}-->\n`],
  ])("[MP-CARRIER-8] a block in %s is no declaration", (_, text) => {
    expect(readOutput(said(text), setup)).toEqual({ kind: "answer", text })
  })

  it("[MP-CARRIER-9] plain text is the answer, unchanged", () => {
    const text = "# Result\r\n\nIt has `AgentProtocolOutput` in it, and agent-protocol too. \n"
    expect(readOutput(said(text), setup)).toEqual({ kind: "answer", text })
    expect(readOutput(said(""), setup)).toEqual({ kind: "answer", text: "" })
  })

  it("[MP-SAFE-4] a message beyond the limit is searched for nothing", () => {
    const given = { ...setup, limits: { message: 50 } }
    const long = "x".repeat(51)
    expect(readOutput(said(long), given)).toEqual({ kind: "answer", text: long })
    expect(faults(fenced(work), given)).toEqual(["too_large "])
    expect(faults({ ...called("glob", {}), text: long }, given)).toEqual(["too_large "])
    expect(readOutput({ ...called("glob", {}), text: "x".repeat(50) }, given).kind).toBe("declaration")
  })

  it("the name of the native call is fixed", () => {
    expect(carrierName).toBe("AgentProtocolOutput")
  })
})
