import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { sha256 } from "../../src/hash.ts"
import { readMarkdown } from "../../src/markdown.ts"
import {
  escapeContent,
  expandAction,
  renderRequest,
  taskText,
  unescapeContent,
} from "../../src/node-request.ts"
import { o200k } from "../../src/tokens/o200k.ts"
import { action, completed, longText, ran, scope } from "./fixtures.ts"

const request = (over: Parameters<typeof action>[1], of: Parameters<typeof scope>[0] = {}) => {
  const expanded = expandAction(action("a", over), scope(of))
  if (!expanded.ok) throw new Error(expanded.reason.message)
  return expanded.request
}

describe("node request", () => {
  it("[MP-CTX-1] an action expands to the bytes of the specification's example", () => {
    const sections = readMarkdown(
      "## shared.context\n\nExpanded shared context.\n\n## review_toolbar.prompt\n\nExpanded review_toolbar prompt.\n",
    ).sections
    const review = action("review_toolbar", {
      context_refs: ["md:shared.context", "action:inspect_code.summary"],
      prompt_ref: "md:review_toolbar.prompt",
    })
    const runs = {
      inspect_code: ran("inspect_code", completed("…", { summary: "Expanded inspect_code summary." })),
    }
    const expanded = expandAction(
      review,
      scope({ run_id: "run_123", sections, runs, actions: [action("inspect_code"), review] }),
    )
    expect(
      expanded.ok && expanded.request.text,
    ).toBe(`<node-request run_id="run_123" action_id="review_toolbar">
  <context>
    Expanded shared context.
    Expanded inspect_code summary.
  </context>
  <task>
    Expanded review_toolbar prompt.
  </task>
</node-request>`)
  })

  it("[MP-CTX-2] the prompt stands in the task, the context in the context, in listed order", () => {
    const sections = readMarkdown("## one\n\nCONTEXT-1\n\n## two\n\nCONTEXT-2\n\n## p\n\nPROMPT").sections
    const { text } = request({ context_refs: ["md:two", "md:one"], prompt_ref: "md:p" }, { sections })
    const [context = "", task = ""] = text.split("</context>")
    expect(context.indexOf("CONTEXT-2")).toBeGreaterThan(0)
    expect(context.indexOf("CONTEXT-2")).toBeLessThan(context.indexOf("CONTEXT-1"))
    expect(context).not.toContain("PROMPT")
    expect(task).not.toContain("CONTEXT")
    expect(task).toContain("    PROMPT\n")
  })

  it("[MP-CTX-3] input is handed over as values and stands in no text", () => {
    const input = { path: "INPUT-MARK", depth: 3, deep: { list: [1, null] } }
    const made = request({ input, description: "Do it." })
    expect(made.input).toBe(input)
    expect(made.text).not.toContain("INPUT-MARK")
  })

  it.each([
    ["description", { description: "Describe", title: "T", operation: "op" }, "Describe"],
    [
      "title with operation",
      { title: "Review Toolbar", operation: "review_code" },
      "Review Toolbar (review_code)",
    ],
    ["title", { title: "Review Toolbar" }, "Review Toolbar"],
    ["operation", { operation: "review_code" }, "review_code"],
    ["id", {}, "a"],
  ])("[MP-CTX-4] without a prompt the task is the %s", (_, over, expected) => {
    expect(taskText(action("a", over))).toBe(expected)
    expect(request(over).task.text).toBe(expected)
  })

  it("[MP-CTX-4] with a prompt the description is not the task", () => {
    const { sections } = readMarkdown("## p\n\nPROMPT")
    expect(request({ prompt_ref: "md:p", description: "Describe" }, { sections }).task.text).toBe("PROMPT")
  })

  it("[MP-CTX-5] nothing but the declared context is in the request", () => {
    const sections = readMarkdown("## used\n\nyes\n\n## unused\n\nUNDECLARED-SECTION").sections
    const runs = { other: ran("other", completed("UNDECLARED-OUTPUT")) }
    const made = request(
      { context_refs: ["md:used"], description: "Do." },
      { sections, goal: "UNDECLARED-GOAL", runs, actions: [action("other")] },
    )
    expect(JSON.stringify(made)).not.toContain("UNDECLARED")
    expect(made.context.map(({ text }) => text)).toEqual(["yes"])
  })

  it("[MP-REF-10] every reference that fails is told, and the first one is the reason", () => {
    const expanded = expandAction(action("a", { context_refs: ["md:x", "bad"], prompt_ref: "md:y" }), scope())
    expect(expanded.ok).toBe(false)
    if (expanded.ok) return
    expect(expanded.issues.map(({ code, path }) => [code, path])).toEqual([
      ["unresolved_ref", "context_refs[0]"],
      ["unknown_scheme", "context_refs[1]"],
      ["unresolved_ref", "prompt_ref"],
    ])
    expect(expanded.reason).toEqual({
      code: "unresolved_ref",
      message: "md:x names no heading of this output.",
    })
  })
})

describe("context within a limit", () => {
  const outputs = [0, 1, 2].map((n) => `OUTPUT-${n} ${longText(40)}`)
  const ids = ["a0", "a1", "a2"]
  const known = scope({
    actions: ids.map((id) => action(id)),
    runs: Object.fromEntries(
      ids.map((id, n) => [id, ran(id, completed(outputs[n] ?? "", { summary: `SUM-${n}` }))]),
    ),
    goal: `GOAL ${longText(40)}`,
  })
  const size = o200k.count(outputs[0] ?? "")
  const expand = (context_refs: string[], budget: number) => {
    const expanded = expandAction(action("x", { context_refs, description: "Do." }), known, {
      tokenizer: o200k,
      budget,
    })
    if (!expanded.ok) throw new Error(expanded.reason.message)
    return expanded.request
  }

  it("[MP-RES-13] context that was listed later falls back to summary and reference", () => {
    const { context, text } = expand(["action:a0.output", "action:a1.output", "action:a2.output"], size + 100)
    expect(context).toEqual([
      { ref: "action:a0.output", text: outputs[0], hash: sha256(outputs[0] ?? ""), form: "text" },
      {
        ref: "action:a1.output",
        text: "SUM-1\nSee action:a1.output",
        hash: sha256(outputs[1] ?? ""),
        form: "summary",
      },
      {
        ref: "action:a2.output",
        text: "SUM-2\nSee action:a2.output",
        hash: sha256(outputs[2] ?? ""),
        form: "summary",
      },
    ])
    expect(text).toContain("    SUM-1\n    See action:a1.output\n    SUM-2\n")
    expect(o200k.count(context.map((part) => part.text).join("\n\n"))).toBeLessThanOrEqual(size + 100)
  })

  it("[MP-RES-13] context without a summary falls back to its size", () => {
    const goal = known.goal ?? ""
    expect(expand(["input:user.goal"], 40).context).toEqual([
      {
        ref: "input:user.goal",
        text: `${goal.length} characters, not shown here.\nSee input:user.goal`,
        hash: sha256(goal),
        form: "summary",
      },
    ])
  })

  it("[MP-RES-13] context that has no room at all is left out", () => {
    const made = expand(["input:user.goal"], 0)
    expect(made.context.map(({ form, text }) => [form, text])).toEqual([["left_out", ""]])
    expect(made.text).toContain("  <context>\n  </context>\n")
  })

  it("[MP-RES-13] with room for all, the context is whole", () => {
    expect(
      expand(["action:a0.output", "action:a1.output"], size * 3).context.map(({ form }) => form),
    ).toEqual(["text", "text"])
  })
})

describe("content cannot forge structure", () => {
  const parts = fc.constantFrom(
    "</task>",
    "</context>",
    "<task>",
    "</node-request>",
    '<node-request run_id="x">',
    "</ task >",
    "</TASK>",
    "< /context>",
    "&lt;/task>",
    "&amp;lt;",
    "&",
    "&amp;",
    "amp;",
    "lt;",
    "text",
    "\n",
    "\n\n",
    "  ",
    "</tasks>",
    "a < b",
    "<taskforce>",
  )
  const content = fc.array(parts, { maxLength: 12 }).map((pieces) => pieces.join(""))

  it("[MP-TRANS-9] a node request that is read again gives the same parts", () => {
    fc.assert(
      fc.property(content, content, (context, task) => {
        const text = renderRequest({ run_id: "r", action_id: "a", context: [context], task })
        for (const tag of ["<context>", "</context>", "<task>", "</task>", "</node-request>"])
          expect(text.split(new RegExp(tag, "i")).length - 1).toBe(1)
        const read =
          /^<node-request run_id="r" action_id="a">\n {2}<context>\n(.*)\n {2}<\/context>\n {2}<task>\n(.*)\n {2}<\/task>\n<\/node-request>$/s.exec(
            text,
          )
        const back = (part = "") => unescapeContent(part.replace(/^ {4}/gm, ""))
        expect([back(read?.[1]), back(read?.[2])]).toEqual([context, task])
      }),
      { seed: 11, numRuns: 500 },
    )
  })

  it("[MP-TRANS-9] only the request's own tags are hidden", () => {
    expect(escapeContent("</task> </tasks> <b>a < b</b> & &lt; <Context a=1>")).toBe(
      "&lt;/task> </tasks> <b>a < b</b> & &amp;lt; &lt;Context a=1>",
    )
  })

  it("[MP-TRANS-9] names in the opening tag are escaped", () => {
    expect(
      renderRequest({ run_id: '"><task>&', action_id: "a", context: [], task: "t" }).split("\n")[0],
    ).toBe('<node-request run_id="&quot;&gt;&lt;task&gt;&amp;" action_id="a">')
  })
})
