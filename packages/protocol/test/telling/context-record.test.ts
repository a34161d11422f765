import { describe, expect, it } from "vitest"
import { buildContext, type HistoryEntry, instruction, issue, renderTranscript } from "../../src/index.ts"
import { action, answer, characters, flat, ran, user } from "./given.ts"
import { inspection, toolbar, toolbarSource } from "./spec.ts"

const timedOut = { code: "timed_out", message: "Slow." } as const

describe("what a context holds and what it leaves out", () => {
  const issues = [issue("not_json", "", "Bad.", "Fix.")]
  const history: HistoryEntry[] = [
    user("Review it."),
    { kind: "refused", origin: "native", source: "x", issues, reasoning: "hmm" },
    ran({
      run_id: "run_old",
      superseded_by: "run_123",
      source: "old",
      status: "failed",
      actions: [action("a"), action("b")],
      ended: {
        a: { content: "a kept", refs: ["artifact://run_old/a"] },
        b: { status: "failed", reason: timedOut },
      },
    }),
    ran(toolbar),
    { kind: "answer", text: "Two issues.", reasoning: "so" },
    ran({
      run_id: "run_cut",
      actions: [flat("a", "tool", "read"), flat("b", "tool", "read")],
      ended: {
        a: {
          content: "cut",
          refs: ["artifact://run_cut/a", "more"],
          observation: { omitted: { tokens: 70, characters: 300 } },
          failed_before: [timedOut],
        },
        b: { content: "", observation: { withheld: "privacy" } },
      },
    }),
    ran({ ...inspection, status: "running" }),
  ]
  const build = () =>
    buildContext({
      history,
      closing: "Closing.",
      replay: { epoch: 6, stale_after: 2 },
      tokenizer: characters,
    })

  it("[MP-NOISE-4] the record names every turn that is in it, with its tokens", () => {
    const { text, record } = build()
    const turns = text.split(/(?<=<\/turn>\n\n)/)
    expect(record.included).toEqual([
      { entry: 0, turn: 1, kind: "user", telling: "exact", tokens: turns[0]?.length },
      { entry: 1, turn: 2, kind: "refused", telling: "line", tokens: turns[1]?.length },
      { entry: 2, turn: 3, kind: "run", run_id: "run_old", telling: "summary", tokens: turns[2]?.length },
      { entry: 3, turn: 4, kind: "run", run_id: "run_123", telling: "summary", tokens: turns[3]?.length },
      { entry: 4, turn: 5, kind: "answer", telling: "exact", tokens: turns[4]?.length },
      { entry: 5, turn: 6, kind: "run", run_id: "run_cut", telling: "calls", tokens: turns[5]?.length },
    ])
    expect(record.closing_tokens).toBe(`Closing.\n\n${instruction}`.length)
    expect(record).toMatchObject({ mode: "hybrid", epoch: 6 })
  })

  it("[MP-NOISE-4] the record names what is not in it, why, how much, and where it is", () => {
    const { record } = build()
    const refused = renderTranscript([{ kind: "refused", issues }])
    const running = renderTranscript([ran(inspection)]).replace("Status: completed", "Status: running")
    const body = (turn: string) => turn.slice('<turn index="1">\n'.length, turn.indexOf("\n</turn>"))
    const wait = "\n\nNext: A person must act on this run before it goes on."
    expect(record.excluded).toEqual([
      { entry: 1, what: "reasoning", reason: "private", tokens: 3 },
      { entry: 1, what: "turn", reason: "repaired", tokens: body(refused).length },
      {
        entry: 2,
        run_id: "run_old",
        what: "declaration",
        reason: "superseded",
        ref: "runtime://run_old/declaration",
        tokens: 3,
      },
      { entry: 2, run_id: "run_old", action_id: "b", what: "action", reason: "superseded", tokens: 0 },
      {
        entry: 3,
        run_id: "run_123",
        what: "declaration",
        reason: "stale",
        ref: "runtime://run_123/declaration",
        tokens: toolbarSource.length,
      },
      { entry: 4, what: "reasoning", reason: "private", tokens: 2 },
      {
        entry: 5,
        run_id: "run_cut",
        action_id: "a",
        what: "output",
        reason: "policy",
        ref: "artifact://run_cut/a",
        tokens: 70,
      },
      {
        entry: 5,
        run_id: "run_cut",
        action_id: "a",
        what: "attempts",
        reason: "failed_before",
        tokens: "Slow.\nraw Slow.".length,
      },
      { entry: 5, run_id: "run_cut", action_id: "b", what: "output", reason: "withheld", tokens: 0 },
      {
        entry: 6,
        run_id: "apr_abc123",
        what: "turn",
        reason: "in_progress",
        tokens: body(running).length + wait.length,
      },
    ])
  })

  it("[MP-NOISE-4] the record adds up", () => {
    const { text, record } = build()
    const sum = (parts: readonly { tokens: number }[]) => parts.reduce((all, { tokens }) => all + tokens, 0)
    expect(record.tokens).toBe(text.length)
    expect(record.tokens).toBe(sum(record.included) + record.closing_tokens)
    expect(record.excluded_tokens).toBe(sum(record.excluded))
    const entries = new Set([...record.included, ...record.excluded].map(({ entry }) => entry))
    expect([...entries].sort()).toEqual(history.map((_, at) => at))
  })

  it("[MP-NOISE-4] content that is told by its summary is recorded with its reference", () => {
    const long = ran({
      actions: [action("a"), action("b")],
      ended: { a: { content: "long content", summary: "short", refs: ["artifact://run_1/a"] } },
    })
    const built = buildContext({ history: [long], replay: { mode: "compressed" }, tokenizer: characters })
    expect(built.record.mode).toBe("compressed")
    expect(built.record.excluded).toEqual([
      {
        entry: 0,
        run_id: "run_1",
        what: "declaration",
        reason: "compressed",
        ref: "runtime://run_1/declaration",
        tokens: 2,
      },
      {
        entry: 0,
        run_id: "run_1",
        action_id: "a",
        what: "content",
        reason: "compressed",
        ref: "artifact://run_1/a",
        tokens: 12,
      },
    ])
  })

  it("[MP-NOISE-4] nothing left out is recorded as nothing", () => {
    const built = buildContext({ history: [user("Hi"), answer("Hello")], tokenizer: characters })
    expect(built.text).toBe(renderTranscript([user("Hi"), answer("Hello")]))
    expect(built.record).toMatchObject({
      mode: "hybrid",
      epoch: 0,
      excluded: [],
      excluded_tokens: 0,
      closing_tokens: instruction.length,
    })
  })
})
