import { describe, expect, it } from "vitest"
import {
  buildContext,
  epochOf,
  expandRefs,
  type HistoryEntry,
  memoryArtifacts,
  observeRun,
  type RunRecord,
} from "../../src/index.ts"
import { o200k } from "../../src/tokens/o200k.ts"
import { action, run, user } from "./given.ts"

const budget = 4000
const words = (count: number) => "word ".repeat(count)
const blocks = (text: string) =>
  [...text.matchAll(/### Result for [^#]*?```md\n([\s\S]*?)\n```/g)].map(([, body = ""]) => body)
const contentTokens = (text: string) => blocks(text).reduce((sum, body) => sum + o200k.count(body), 0)
const artifacts = memoryArtifacts()

/** A run whose actions all gave `size` words and return them whole. */
function large(run_id: string, count: number, size: number): RunRecord {
  const ids = Array.from({ length: count }, (_, at) => `a${at}`)
  const actions = ids.map((id) =>
    action(id, { result_policy: { return_to_model: "full", priority: [], store_full: true } }),
  )
  const ended = Object.fromEntries(ids.map((id) => [id, { content: words(size), observed: false }]))
  const { observations: _, ...rest } = run({ run_id, actions, ended })
  return observeRun(rest, { artifacts, tokenizer: o200k, budget: 40_000 })
}
const entry = (record: RunRecord): HistoryEntry => ({ kind: "run", run: record })

describe("one budget for a request", () => {
  it("[MP-RES-13] ten large results of one run stay in the budget; what has no room is a summary or a reference", () => {
    const history = [user("Read all."), entry(large("run_1", 10, 700))]
    const free = buildContext({ history, tokenizer: o200k })
    expect(contentTokens(free.text)).toBeGreaterThan(7000)
    const { text, record } = buildContext({ history, tokenizer: o200k, budget })
    expect(contentTokens(text)).toBeLessThanOrEqual(budget)
    expect(contentTokens(text)).toBeGreaterThan(budget / 5)
    // The calls, states and references around the results are told in any case.
    expect(o200k.count(text)).toBeLessThanOrEqual(budget + 1200)
    for (let at = 0; at < 10; at++) expect(text).toContain(`Artifacts: artifact://run_1/a${at}`)
    expect(text).toContain("Shortened: a summary had room in this request")
    expect(text).toContain(words(700))
    const cut = record.excluded.filter(({ reason }) => reason === "budget")
    expect(cut.length).toBeGreaterThan(5)
    for (const { ref, tokens } of cut) {
      expect(tokens).toBeGreaterThan(600)
      const [found] = expandRefs(
        [{ ref: ref ?? "" }],
        { run_id: "run_2", sections: [], actions: [], runs: {}, artifacts, owns: () => true },
        { tokenizer: o200k, budget: 40_000 },
      )
      expect(found).toMatchObject({ ok: true, text: words(700) })
    }
  })

  it("[MP-RES-13] results of several turns share the budget, and each new turn still finds room", () => {
    const history: HistoryEntry[] = []
    for (let at = 0; at < 9; at++) {
      history.push(entry(large(`run_${at}`, 2, 500)))
      const epoch = epochOf(history, 3)
      const { text } = buildContext({ history, replay: { mode: "full", epoch }, tokenizer: o200k, budget })
      expect(contentTokens(text)).toBeLessThanOrEqual(budget)
      expect(text.slice(text.lastIndexOf("<turn "))).toMatch(/word |\d+ (?:words|characters|lines)/)
    }
  })

  it("[MP-RES-13] sixteen turns after an epoch each find room, however large the ones before them are", () => {
    const history = Array.from({ length: 15 }, (_, at) => entry(large(`run_${at}`, 2, 500)))
    const before = buildContext({ history, tokenizer: o200k, budget }).text
    history.push(entry(large("run_15", 1, 50)))
    const { text } = buildContext({ history, tokenizer: o200k, budget })
    expect(blocks(text).at(-1)).toBe(words(50))
    expect(contentTokens(text)).toBeLessThanOrEqual(budget)
    const turns = before.slice(0, before.lastIndexOf("</turn>"))
    expect(text.startsWith(turns)).toBe(true)
  })

  it("[MP-RES-13] a failure keeps its text before a success does", () => {
    const ended = {
      fine: { content: words(300), summary: "fine in short" },
      broken: {
        status: "failed",
        content: words(300),
        summary: "broken in short",
        observed: true,
        reason: { code: "executor_failed", message: "No." },
      },
    } as const
    const given = run({ actions: [action("broken"), action("fine")], ended })
    const { text } = buildContext({ history: [entry(given)], tokenizer: o200k, budget: 800 })
    expect(blocks(text)).toEqual([words(300), "fine in short"])
  })

  it.each([0, 1, 5])("[MP-RES-13] a budget of %i tokens holds too", (least) => {
    const history = [entry(large("run_1", 3, 50)), entry(large("run_2", 3, 50))]
    const { text } = buildContext({ history, tokenizer: o200k, budget: least })
    expect(contentTokens(text)).toBeLessThanOrEqual(least)
    expect(text).toContain("Shortened: nothing had room in this request")
  })
})
