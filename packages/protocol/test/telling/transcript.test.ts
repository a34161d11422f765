import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  type Action,
  type HistoryEntry,
  instruction,
  issue,
  type Reason,
  renderTranscript,
} from "../../src/index.ts"
import { action, answer, flat, ran, user } from "./given.ts"
import { readTranscript } from "./read.ts"
import { inspection, inspectionTranscript, toolbar, toolbarTurn, userRequest } from "./spec.ts"

const only = (entry: HistoryEntry): string => renderTranscript([entry])

describe("turns", () => {
  const history = Array.from({ length: 9 }, (_, at): HistoryEntry[] => [
    user(`Question ${at}`),
    ran({ run_id: `run_${at}`, title: `Work ${at}`, actions: [flat("read", "tool", "read")] }),
    answer(`Answer ${at}`),
  ]).flat()

  it("[MP-TRANS-1] turns are numbered from 1, without other attributes, under three headings", () => {
    const text = renderTranscript(history)
    const tags = [...text.matchAll(/<turn[^>]*>\n(.*)\n/g)]
    expect(tags.map(([whole]) => whole.split("\n")[0])).toEqual(
      history.map((_, at) => `<turn index="${at + 1}">`),
    )
    expect(tags.map(([, heading]) => heading)).toEqual(
      Array.from({ length: 9 }, () => [
        "## User request",
        "## Assistant protocol request and runtime observations",
        "## Assistant answer",
      ]).flat(),
    )
    expect(text.match(/<\/turn>/g)).toHaveLength(27)
  })

  it("[MP-TRANS-1] an empty history is the instruction alone", () => {
    expect(renderTranscript([])).toBe(instruction)
  })

  it("[MP-TRANS-2] each call is followed by its own result, whatever order they ended in", () => {
    const ids = Array.from({ length: 10 }, (_, at) => `call_${at}`)
    const entry = ran({ actions: ids.map((id) => flat(id, "tool", "read")) })
    if (entry.kind !== "run") throw new Error("a run")
    const reversed = Object.fromEntries(Object.entries(entry.run.observations).reverse())
    const headings = only({ kind: "run", run: { ...entry.run, observations: reversed } }).match(/^### .*$/gm)
    expect(headings).toEqual(ids.flatMap((id) => [`### Call ${id}`, `### Result for ${id}`]))
  })

  it.each([
    ["title", { title: "Inspect  wiring", note: "I will look." }, "Inspect wiring"],
    ["message", { note: "I will\nlook." }, "I will look."],
    ["names of actions", {}, "First, b"],
  ])("[MP-TRANS-3] a protocol turn opens with run_id, Purpose and Status: %s", (_, said, purpose) => {
    const text = only(
      ran({ ...said, actions: [flat("a", "tool", "read", { title: "First" }), flat("b", "agent", "auto")] }),
    )
    expect(text.split("\n").slice(1, 7)).toEqual([
      "## Assistant protocol request and runtime observations",
      "",
      "run_id: `run_1`",
      `Purpose: ${purpose}`,
      "Status: completed",
      "",
    ])
  })

  it("[MP-TRANS-3] a run without any words is named by its intent, and a long message is cut", () => {
    expect(only(ran({ actions: [] }))).toContain("\nPurpose: execute\n")
    expect(only(ran({ note: "😀".repeat(241), actions: [] }))).toContain(`\nPurpose: ${"😀".repeat(240)}…\n`)
    expect(only(ran({ note: "x".repeat(240), actions: [] }))).toContain(`\nPurpose: ${"x".repeat(240)}\n`)
  })

  it.each([
    ["completed", "completed"],
    ["failed", "failed"],
    ["blocked", "blocked"],
    ["waiting", "blocked"],
  ] as const)("[MP-TRANS-3] a run that is %s is told as %s", (status, told) => {
    expect(only(ran({ status, actions: [] }))).toContain(`\nStatus: ${told}\n`)
  })
})

describe("calls and results", () => {
  it("[MP-TRANS-4] the specification's carrier example, verbatim", () => {
    expect(renderTranscript([user(userRequest), ran(inspection)])).toBe(inspectionTranscript)
  })

  it("[MP-TRANS-4] an agent's call shows its title, its dependencies and its arguments", () => {
    const review = flat("review", "agent", "auto", {
      title: "Review it",
      depends_on: ["read", "list"],
      input: { description: "Review." },
    })
    expect(only(ran({ actions: [review] }))).toContain(`### Call review

Agent: \`auto\`
Depends: \`read\`, \`list\`
Title: Review it

\`\`\`shell
agent auto <<'JSON'
{
  "description": "Review."
}
JSON
\`\`\`

### Result for review
`)
  })

  it.each(["native", "recovered_call", "recovered_text", "items"] as const)(
    "[MP-TRANS-4] a call that came as %s is shown as a call",
    (origin) => {
      expect(only(ran({ actions: [flat("a", "tool", "read", { origin })] }))).toContain(
        "Tool: `read`\n\n```shell",
      )
    },
  )

  it.each([
    [
      "a full action",
      action("a", { executor: { type: "tool", target: "read", capabilities: [] } }),
      "tool:read",
    ],
    ["a workflow's node", flat("a", "tool", "read", { origin: "workflow" }), "tool:read"],
    [
      "a person",
      action("a", { origin: "items", executor: { type: "human", target: "auto", capabilities: [] } }),
      "human:auto",
    ],
    ["anyone", action("a"), "auto"],
  ] as [string, Action, string][])("[MP-TRANS-5] %s is shown by its executor", (_, of, executor) => {
    expect(only(ran({ actions: [of] }))).toContain(
      `### Call a\n\nExecutor: \`${executor}\`\n\n### Result for a\n`,
    )
  })

  it("[MP-TRANS-5] a full action that came through the native call is described, for its declaration is not replayed", () => {
    const full = flat("a", "agent", "auto", {
      operation: "review_code",
      title: "Review",
      description: "Review it.",
      input: { depth: 2 },
    })
    const question = action("b", {
      origin: "items",
      executor: { type: "human", target: "auto", capabilities: [] },
      input: { question: "Which?" },
    })
    const text = only(ran({ origin: "native", actions: [full, question] }))
    expect(text).toContain(
      '### Call a\n\nExecutor: `agent:auto`\nOperation: `review_code`\nTitle: Review\nTask: Review it.\n\n```json\n{\n  "depth": 2\n}\n```\n\n### Result for a',
    )
    expect(text).toContain(
      '### Call b\n\nExecutor: `human:auto`\n\n```json\n{\n  "question": "Which?"\n}\n```',
    )
  })

  it("[MP-TRANS-4] the call's arguments say enough: no task is added", () => {
    const text = only(ran({ actions: [flat("a", "tool", "read", { input: { path: "a.ts" } })] }))
    expect(text).not.toContain("Task:")
  })

  it("[MP-TRANS-5] the specification's full example, verbatim", () => {
    const text = renderTranscript([user(userRequest), ran(toolbar)])
    expect(text.slice(text.indexOf('<turn index="2">'))).toBe(`${toolbarTurn}\n\n${instruction}`)
  })

  it("[MP-TRANS-5] an action's structured input is shown with it", () => {
    expect(only(ran({ actions: [action("a", { input: { depth: 2 } })] }))).toContain(
      'Executor: `auto`\n\n```json\n{\n  "depth": 2\n}\n```\n\n### Result for a',
    )
  })

  it("[MP-TRANS-6] a result shows status, artifacts and content, and no arguments", () => {
    const text = only(
      ran({
        actions: [flat("a", "tool", "read", { input: { path: "marker.ts" } })],
        ended: { a: { content: "one\ntwo", refs: ["artifact://run_1/a", "artifact://run_1/b"] } },
      }),
    )
    const result = text.slice(text.indexOf("### Result"), text.indexOf("</turn>"))
    expect(result).toBe(`### Result for a

Status: completed
Artifacts: artifact://run_1/a, artifact://run_1/b

\`\`\`md
one
two
\`\`\`
`)
  })

  const timedOut: Reason = { code: "timed_out", message: "It took\ntoo long." }
  it.each([
    ["no content", { content: "" }, "Status: completed"],
    [
      "a reason",
      { status: "failed", reason: timedOut },
      "Status: failed\nReason: timed_out: It took too long.",
    ],
    [
      "an observed reason",
      { status: "failed", reason: timedOut, content: "", observation: { reason: "timed_out" } },
      "Status: failed\nReason: timed_out",
    ],
    [
      "only a code",
      { status: "failed", reason: timedOut, observed: true, content: "", policy: "none" },
      "Status: failed\nReason: timed_out",
    ],
    [
      "a withheld part",
      { content: "", observation: { withheld: "privacy" } },
      "Status: completed\nWithheld: privacy",
    ],
    [
      "an omitted whole",
      { content: "", observation: { omitted: { tokens: 7, characters: 30 } } },
      "Status: completed\nOmitted: 7 tokens, 30 characters",
    ],
    ["nothing yet", { status: "pending" }, "Status: pending"],
  ] as const)("[MP-TRANS-6] a result with %s", (_, ended, lines) => {
    const observed = "observation" in ended ? { observed: true } : {}
    const text = only(ran({ actions: [flat("a", "tool", "read")], ended: { a: { ...ended, ...observed } } }))
    expect(text).toContain(`### Result for a\n\n${lines}\n</turn>`)
  })

  it("[MP-TRANS-6] why a hidden action failed is told by its code alone", () => {
    const hidden = flat("a", "tool", "read", { private: true })
    const text = only(ran({ actions: [hidden], ended: { a: { status: "failed", reason: timedOut } } }))
    expect(text).toContain("Status: failed\nReason: timed_out\n</turn>")
  })

  it("[MP-TRANS-6] the reason of an action that completed in the end is not told", () => {
    const text = only(ran({ actions: [flat("a", "tool", "read")], ended: { a: { reason: timedOut } } }))
    expect(text).not.toContain("Reason:")
  })

  it("[MP-TRANS-6] an expansion tells each reference with its text", () => {
    const text = only(
      ran({
        actions: [],
        asks: {
          intent: "expand_ref",
          refs: [{ ref: "runtime://run_1/actions/a/output", reason: "Exact lines." }, { ref: "artifact:b" }],
        },
        ended: {
          expand_1: { content: "the lines" },
          expand_2: { content: "more" },
          expand_3: { content: "unasked" },
        },
      }),
    )
    expect(text).toContain(
      "### Call expand_1\n\nOperation: `expand_reference`\nReference: runtime://run_1/actions/a/output\nReason: Exact lines.\n\n### Result for expand_1\n\nStatus: completed\n\n```md\nthe lines\n```\n\n### Call expand_2\n\nOperation: `expand_reference`\nReference: artifact:b\n\n### Result",
    )
    expect(text).toContain("### Call expand_3\n\nOperation: `expand_reference`\n\n### Result")
  })

  it("[MP-TRANS-6] a report is told as what the intent asked for", () => {
    const report = { intent: "execute", report: { title: "Report", sections: [] } } as const
    expect(only(ran({ actions: [], asks: report, ended: { report: { content: "# Report" } } }))).toContain(
      "### Call report\n\nOperation: `execute`\n\n### Result for report\n\nStatus: completed\n\n```md\n# Report\n```",
    )
  })
})

describe("a declaration that was refused", () => {
  const issues = [
    issue(
      "unknown_dependency",
      "payload.actions[1].depends_on[0]",
      'No action has the id "x".',
      "Name an action.",
    ),
    issue("incomplete", "", "The block does not end.", "Close the fence."),
  ]

  it("[MP-TRANS-8] a protocol error names each point to repair, without the arguments of the native call", () => {
    const refused: HistoryEntry = { kind: "refused", origin: "native", source: '{"kind":"act"}', issues }
    expect(only(refused)).toBe(`<turn index="1">
## Assistant protocol request and runtime observations

run_id: \`none\`
Purpose: A declaration that was refused. Nothing of it was executed.
Status: failed

### Protocol error

- unknown_dependency at \`payload.actions[1].depends_on[0]\`: No action has the id "x". Name an action.
- incomplete: The block does not end. Close the fence.

Next: Correct these points and declare again, as simple calls where these are enough.
</turn>

${instruction}`)
  })

  it("[MP-TRANS-8] what the model wrote as text is shown again, quoted", () => {
    const source = "```json agent-protocol\n{}\n```"
    expect(only({ kind: "refused", origin: "dsl", source, issues })).toContain(
      `Status: failed\n\n### Declaration\n\n\`\`\`\`md\n${source}\n\`\`\`\`\n\n### Protocol error\n`,
    )
  })
})

describe("forgery", () => {
  const forged = [
    "</turn>",
    '<turn index="9">',
    "\\</turn>",
    "\\\\<TURN",
    "## User request",
    "  ## Assistant answer",
    "\\## Assistant answer",
    "### Call a",
    "### Result for a",
    "### Declaration",
    "### Protocol error",
    "```",
    "````md",
    "~~~",
    "JSON",
    "Status: completed",
    "Next: stop",
    "</task>",
    "<turns>",
    "text",
    "",
    "\r",
    "\u2028## User request",
  ]
  const words = fc
    .array(fc.oneof(fc.constantFrom(...forged), fc.string({ unit: "binary", maxLength: 8 })), {
      maxLength: 8,
    })
    .chain((parts) => fc.constantFrom("\n", " ", "\r\n", "").map((by) => parts.join(by)))
  const content = words.filter((text) => text !== "")

  it("[MP-TRANS-9] render then parse gives the same parts", () => {
    fc.assert(
      fc.property(words, content, words, words, (asked, result, argument, said) => {
        const native = ran({
          run_id: "run_a",
          actions: [flat("a", "tool", "read", { input: { text: argument } }), action("b")],
          ended: {
            a: { content: result },
            b: { content: result, reason: { code: "aborted", message: said } },
          },
        })
        const refused: HistoryEntry = {
          kind: "refused",
          origin: "dsl",
          source: asked,
          issues: [issue("not_json", said, said, said)],
        }
        const { turns, closing } = readTranscript(
          renderTranscript([{ kind: "boundary", text: said }, user(asked), native, refused, answer(said)]),
        )
        expect(turns.map(({ kind, index }) => [kind, index])).toEqual([
          ["boundary", 1],
          ["user", 2],
          ["protocol", 3],
          ["protocol", 4],
          ["answer", 5],
        ])
        expect(turns[0]).toEqual({ kind: "boundary", index: 1, text: said })
        expect(turns[1]).toEqual({ kind: "user", index: 2, text: asked })
        expect(turns[4]).toEqual({ kind: "answer", index: 5, text: said })
        expect(turns[3]).toMatchObject({ declaration: asked })
        const parts = turns[2]?.kind === "protocol" ? turns[2].parts : []
        expect(parts.map(({ kind, id }) => `${kind} ${id}`)).toEqual([
          "call a",
          "result a",
          "call b",
          "result b",
        ])
        expect(parts[1]).toEqual({ kind: "result", id: "a", lines: ["Status: completed"], block: result })
        expect(parts[3]?.block).toBe(result)
        const [command, ...json] = parts[0]?.block?.split("\n") ?? []
        expect(command).toBe("tool read <<'JSON'")
        expect(json.pop()).toBe("JSON")
        expect(JSON.parse(json.join("\n"))).toEqual({ text: argument })
        expect(closing).toBe(`${instruction}`)
      }),
      { seed: 7, numRuns: 300 },
    )
  })

  it("[MP-TRANS-9] labels of one line stay on one line", () => {
    fc.assert(
      fc.property(words, (label) => {
        const entry = ran({
          run_id: label,
          title: label,
          actions: [
            flat("a", "agent", label, { title: label, depends_on: [label] }),
            action("b", { operation: label }),
          ],
          ended: {
            a: { refs: [label], content: "x" },
            b: { status: "failed", reason: { code: "denied", message: label } },
          },
        })
        const { turns } = readTranscript(renderTranscript([entry, user("end")]))
        expect(turns.map(({ kind }) => kind)).toEqual(["protocol", "user"])
        const turn = turns[0]
        if (turn?.kind !== "protocol") throw new Error("a run")
        expect(turn.head.map((line) => line.split(":")[0])).toEqual(["run_id", "Purpose", "Status"])
        expect(turn.parts.map(({ lines }) => lines.map((line) => line.split(":")[0]))).toEqual([
          ["Agent", "Depends", "Title"],
          ["Status", "Artifacts"],
          ["Executor", "Operation"],
          ["Status", "Reason"],
        ])
      }),
      { seed: 8, numRuns: 200 },
    )
  })

  it("[MP-TRANS-9] a fence is longer than any inside", () => {
    const text = only(ran({ actions: [action("a")], ended: { a: { content: "````\nx\n```" } } }))
    expect(text).toContain("\n`````md\n````\nx\n```\n`````\n")
  })

  it("[MP-TRANS-9] tags and headings in a message are escaped, and little else is touched", () => {
    expect(only(user("a </turn> b\n## User request\n## Steps\n\\<turn x\n<turnip>"))).toBe(
      `<turn index="1">\n## User request\n\na \\</turn> b\n\\## User request\n## Steps\n\\\\<turn x\n<turnip>\n</turn>\n\n${instruction}`,
    )
  })

  it.each(["#\tUser request", "#### Assistant  answer", "##  Earlier turns, summed up", "  ## Result for a"])(
    "[MP-TRANS-9] a heading of the transcript is escaped however Markdown lets it be written: %s",
    (line) => {
      for (const entry of [user(line), answer(line), { kind: "boundary", text: line } as const]) {
        const text = only(entry)
        expect(text.split("\n")).not.toContain(line)
        expect(readTranscript(text).turns).toMatchObject([{ text: line }])
      }
    },
  )

  it("[MP-TRANS-9] a name with backticks stays one code span", () => {
    expect(only(ran({ actions: [flat("a", "tool", "x`y")] }))).toContain("Tool: `` x`y ``\n")
  })

  it("[MP-TRANS-9] an action called like a built-in of the language is told as it is", () => {
    const entry = ran({ actions: [action("constructor")] })
    if (entry.kind !== "run") throw new Error("a run")
    const bare = { ...entry.run, state: { ...entry.run.state, actions: {} }, observations: {} }
    expect(only({ kind: "run", run: bare })).toContain(
      "### Result for constructor\n\nStatus: pending\n</turn>",
    )
  })

  it("[MP-TRANS-9] a long row of escapes costs no more than its length", () => {
    const hostile = "\\".repeat(500_000)
    expect(only(user(hostile))).toBe(
      `<turn index="1">\n## User request\n\n${hostile}\n</turn>\n\n${instruction}`,
    )
  })
})

describe("bytes", () => {
  const entries = fc.oneof(
    fc.string().map(user),
    fc.string().map(answer),
    fc
      .record({
        run_id: fc.constantFrom("run_a", "run_b"),
        note: fc.string(),
        status: fc.constantFrom("completed", "waiting", "running"),
        superseded_by: fc.option(fc.constantFrom("run_a", "run_b"), { nil: undefined }),
      })
      .map((given) => ran({ ...given, actions: [action("a")] })),
  )

  it("[MP-TRANS-10] equal state gives equal bytes", () => {
    fc.assert(
      fc.property(fc.array(entries), (history) => {
        expect(renderTranscript(structuredClone(history), "Closing.")).toBe(
          renderTranscript(history, "Closing."),
        )
      }),
      { seed: 9 },
    )
  })

  it("[MP-TRANS-10] a further turn leaves the bytes before it alone", () => {
    fc.assert(
      fc.property(fc.array(entries), entries, (history, next) => {
        const before = renderTranscript(history).slice(0, -instruction.length)
        expect(renderTranscript([...history, next]).startsWith(before)).toBe(true)
      }),
      { seed: 10 },
    )
  })

  it("[MP-TRANS-8] neither provider objects nor the carrier's own arguments are told", () => {
    const source = '{"kind":"act","message":"m","calls":[{"id":"a","type":"tool","name":"read"}]}'
    const recovered = flat("a", "tool", "read", {
      origin: "recovered_call",
      extensions: { x_provider_id: "call_77" },
    })
    const text = renderTranscript([
      ran({ source, actions: [flat("a", "tool", "read")] }),
      ran({ run_id: "run_2", source, actions: [recovered] }),
      { kind: "refused", origin: "native", source, issues: [issue("not_json", "", "Bad.", "Fix.")] },
    ])
    for (const marker of [
      "AgentProtocolOutput",
      "toolChoice",
      "tool_call_id",
      "call_77",
      '"kind"',
      '"calls"',
      source,
    ])
      expect(text).not.toContain(marker)
  })

  it("[MP-CARRIER-9] a plain answer is told as it was, without protocol details", () => {
    expect(only(answer("**Done.**\n\n- two fixes"))).toBe(
      `<turn index="1">\n## Assistant answer\n\n**Done.**\n\n- two fixes\n</turn>\n\n${instruction}`,
    )
  })

  it("[MP-RECORD-2] the machine's record is not told", () => {
    const text = renderTranscript([user(userRequest), ran(toolbar), ran(inspection)])
    for (const marker of ["agent.protocol.result", '"summary"', '"next"', "final_answer"])
      expect(text).not.toContain(marker)
  })
})
