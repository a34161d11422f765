import fc from "fast-check"
import { type AssistantMessage, carrierName } from "../../src/message.ts"

type Json = Record<string, unknown>
const ids = ["a", "b", "c", "d", "e"]
type Form = "flat" | "items" | "dsl"

const id = fc.constantFrom("a", "b", "c", "d", "e f", "", "a1")
const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(
    null,
    true,
    0,
    -1,
    1e308,
    "",
    "auto",
    "md:p",
    "action:a.output",
    "1",
    "2",
    "agent.protocol",
  ),
  fc.constantFrom([], {}, [[]], ["a"], { type: "action" }, { kind: "done" }, "x".repeat(200)),
  fc.string({ maxLength: 6 }),
)
const words = [
  "id",
  "type",
  "kind",
  "version",
  "items",
  "calls",
  "payload",
  "actions",
  "depends",
  "depends_on",
  "x_a",
  "result",
]

/** Right values come often enough that many declarations are whole. */
const mostly = <T>(right: fc.Arbitrary<T>, wrong: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: wrong })

const step = fc.record(
  {
    executor: mostly<readonly string[]>(
      fc.constantFrom(["glob", "tool"], ["reviewer", "agent"], ["auto", "agent"]),
      fc.constantFrom(["read", "tool"], ["shell", "tool"], ["nobody", "agent"], ["auto", "tool"]),
    ),
    args: fc.dictionary(fc.constantFrom("filePath", "p", "x_q"), odd, { maxKeys: 2 }),
    depends: mostly<string | string[]>(fc.constant([]), fc.oneof(id, fc.array(id, { maxLength: 2 }))),
    back: fc.boolean(),
    result: mostly(fc.constantFrom("summary", "full"), fc.constant("none")),
    prompt: mostly(
      fc.constant("input:user.goal"),
      fc.constantFrom("md:p", "md:q", "action:a.summary", "x:y"),
    ),
    when: mostly<unknown>(
      fc.constant(undefined),
      fc.constantFrom({ action: "a", status: "completed" }, { action: "b", field: "n", equals: 1 }, "a == b"),
    ),
    repeat: mostly<unknown>(fc.constant({ max: 2 }), fc.constantFrom({ max: 1000 }, {})),
  },
  { requiredKeys: ["executor", "back"] },
)

const work = fc.record({
  form: fc.constantFrom<Form>("flat", "items", "dsl"),
  steps: fc.array(step, { minLength: 1, maxLength: 5 }).map((steps): Step[] =>
    steps.map(({ executor: [name = "", type = ""], back, ...rest }, index) => {
      const before = back && index > 0 ? { depends: ids[index - 1] ?? "" } : {}
      return { ...rest, ...before, name, type }
    }),
  ),
  intent: fc.constantFrom(
    "execute",
    "execute",
    "execute",
    "execute",
    "plan",
    "revise",
    "expand_ref",
    "decide",
    "cancel",
    "report",
  ),
  around: fc.record(
    {
      persist: fc.boolean(),
      title: fc.constantFrom("T", ""),
      execution: fc.constantFrom({ mode: "durable" }, { strategy: "sequential" }, { mode: "ephemeral" }),
      response_policy: fc.constantFrom({ result_granularity: "full" }, {}),
      approval_gates: fc.constantFrom(["a"], [], ["z"]),
      budget_policy: fc.constantFrom({ max_tokens: 5 }, { max_cost: 0.1 }, { max_retries: -1 }),
      x_note: fc.constant({ deep: [1] }),
    },
    { requiredKeys: [] },
  ),
  /** Items beside the work, of every other kind. */
  beside: fc.array(
    fc.constantFrom<Json>(
      { kind: "answer", message: "Hi" },
      { kind: "input", id: "q", message: "Which?" },
      { kind: "confirm", id: "y", message: "Sure?", depends: "a" },
      { kind: "ask", id: "o", message: "What?" },
      { kind: "wait", id: "w", args: { ms: 1 } },
      { kind: "done" },
      { kind: "success", output: 1 },
    ),
    { maxLength: 2 },
  ),
})

const valueEdit = fc.record({
  kind: fc.constantFrom("set", "drop", "rename", "copy"),
  at: fc.nat({ max: 400 }),
  word: fc.constantFrom(...words),
  value: odd,
})
const textEdit = fc.record({
  kind: fc.constantFrom("cut", "insert", "remove", "repeat"),
  at: fc.nat({ max: 4000 }),
  length: fc.nat({ max: 30 }),
  text: fc.constantFrom(
    "`",
    "```",
    "\n",
    "{",
    "}",
    '"',
    ",",
    "\\",
    "> ",
    "    ",
    "\0",
    "\u2028",
    "é",
    "# p\n",
    "\ud800",
    "__proto__",
  ),
})

const none = fc.constant<never[]>([])

/** Outputs of a model: declarations of every form in every carrier, whole, changed a little or changed beyond use. */
export const anyOutput: fc.Arbitrary<AssistantMessage> = fc
  .record({
    work,
    edits: fc.oneof(none, fc.array(valueEdit, { maxLength: 3 })),
    spoiling: fc.oneof({ weight: 3, arbitrary: none }, fc.array(textEdit, { maxLength: 2 })),
    carrier: fc.constantFrom("native", "native", "block", "block", "direct", "written", "both", "text"),
    after: fc.constantFrom("", "\n## p\n\nDo it.\n", "\n# p\n\n## P\n\nx\n", "\n## user.visible\n\nHi.\n"),
    complete: fc.integer({ min: 0, max: 20 }).map((chance) => chance > 0),
  })
  .map(({ work: { form, steps, intent, around, beside }, edits, spoiling, carrier, after, complete }) => {
    let value: unknown = declared(form, steps, intent, around, beside)
    for (const edit of edits) value = edited(value, edit)
    const json = JSON.stringify(value) ?? ""
    const spoilt = (text: string) => {
      let result = text
      for (const edit of spoiling) result = spoil(result, edit)
      return result
    }
    const name = steps[0]?.name ?? ""
    const calls = (which: string, text: string) => [{ id: "c1", name: which, arguments: text }]
    switch (carrier) {
      case "native":
        return { text: after, calls: calls(carrierName, spoilt(json)), complete }
      case "both":
        return {
          text: spoilt(`\`\`\`json agent-protocol\n${json}\n\`\`\`\n${after}`),
          calls: calls(carrierName, json),
          complete,
        }
      case "direct":
        return { text: after, calls: calls(name, spoilt(JSON.stringify(steps[0]?.args ?? {}))), complete }
      case "written":
        return {
          text: spoilt(
            `\`\`\`tool_call\n${JSON.stringify({ name, arguments: steps[0]?.args ?? {} })}\n\`\`\``,
          ),
          calls: [],
          complete,
        }
      case "text":
        return { text: spoilt(json + after), calls: [], complete }
      default:
        return { text: spoilt(`\`\`\`json agent-protocol\n${json}\n\`\`\`\n${after}`), calls: [], complete }
    }
  })

type Step = {
  name: string
  type: string
  args?: Json
  depends?: string | string[]
  result?: string
  prompt?: string
  when?: unknown
  repeat?: unknown
}

function declared(
  form: Form,
  steps: readonly Step[],
  intent: string,
  around: Json,
  beside: readonly Json[],
): Json {
  if (form === "dsl") {
    const actions = steps.map(({ name, type, args, depends, result, prompt, when, repeat }, index) => ({
      type: "action",
      id: ids[index],
      executor: { type, target: name },
      input: args,
      depends_on: depends === undefined ? undefined : [depends].flat(),
      result_policy: result,
      prompt_ref: prompt,
      when,
      repeat,
    }))
    const payloads: Record<string, Json> = {
      expand_ref: { refs: [{ ref: "runtime://r1/x", range: { context_lines: 2 } }] },
      decide: { type: "decision", run_id: "r1", choice: "retry" },
      cancel: { type: "decision", run_id: "r1" },
      report: { type: "final_report_spec", title: "R", sections: [{ heading: "H", refs: ["md:p"] }] },
      revise: { type: "action_graph", run_id: "r1", actions },
    }
    return {
      type: "agent.protocol",
      version: "1",
      intent: intent === "report" ? "execute" : intent,
      ...around,
      payload: payloads[intent] ?? { type: "action_graph", actions },
    }
  }
  const calls = steps.map(({ name, type, args, depends, result }, index) => ({
    id: ids[index],
    [form === "flat" ? "type" : "kind"]: type,
    name,
    args,
    depends,
    result,
  }))
  if (form === "flat") return { kind: "act", calls }
  return { type: "agent.protocol", version: "2", items: [...calls, ...beside] }
}

/** A copy in which the n-th place, counted through the whole tree, is changed. */
function edited(tree: unknown, edit: { kind: string; at: number; word: string; value: unknown }): unknown {
  const places = count(tree)
  let left = edit.at % places
  return walk(tree)

  function walk(node: unknown): unknown {
    if (left-- === 0 && edit.kind === "set") return edit.value
    if (Array.isArray(node)) {
      const list = node.map(walk)
      return left < 0 && edit.kind === "copy" && list.length < 20 ? [...list, ...list.slice(-1)] : list
    }
    if (typeof node !== "object" || node === null) return node
    return Object.fromEntries(
      Object.entries(node).flatMap(([key, value]) => {
        const hit = left === 0
        const next = walk(value)
        if (hit && edit.kind === "drop") return []
        return [[hit && edit.kind === "rename" ? edit.word : key, next]]
      }),
    )
  }
}

function count(node: unknown): number {
  if (typeof node !== "object" || node === null) return 1
  return Object.values(node).reduce((sum: number, value) => sum + count(value), 1)
}

function spoil(text: string, edit: { kind: string; at: number; length: number; text: string }): string {
  const at = text.length === 0 ? 0 : edit.at % text.length
  switch (edit.kind) {
    case "cut":
      return text.slice(0, at)
    case "insert":
      return text.slice(0, at) + edit.text + text.slice(at)
    case "remove":
      return text.slice(0, at) + text.slice(at + edit.length)
    default:
      return text.slice(0, at + edit.length) + text.slice(at)
  }
}
