import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { returnPolicies, type Visibility } from "../../src/action.ts"
import { memoryArtifacts, outputRef } from "../../src/artifacts.ts"
import { expandRefs } from "../../src/expand.ts"
import { sha256 } from "../../src/hash.ts"
import { resolveReference } from "../../src/resolve.ts"
import { mechanical } from "../../src/summary.ts"
import { o200k } from "../../src/tokens/o200k.ts"
import { reaches, stricter } from "../../src/visibility.ts"
import { action, artifact, completed, failed, longText, observed, policy, ran, scope } from "./fixtures.ts"
import { anyText } from "./text.ts"

const ref = outputRef("run_1", "act")
const long = longText(400)
const output = (text: string, stored = true) => ({ characters: text.length, hash: sha256(text), stored })

describe("each policy", () => {
  it("[MP-RES-1] none gives the status and no content", () => {
    expect(observed({ return_to_model: "none" }, completed("short output"))).toEqual({
      action_id: "act",
      status: "completed",
      policy: "none",
      content: "",
      summary: "",
      summary_level: "mechanical",
      refs: [ref],
      tokens: 0,
      output: output("short output"),
    })
  })

  it("[MP-RES-1] none of a failure adds only its code", () => {
    expect(observed({ return_to_model: "none" }, failed("SECRET WORDS"))).toEqual({
      action_id: "act",
      status: "failed",
      policy: "none",
      content: "",
      summary: "",
      summary_level: "mechanical",
      refs: [],
      tokens: 0,
      reason: "executor_failed",
    })
  })

  it("[MP-RES-2] summary gives the summary and a reference, not the output", () => {
    const text = `Status: completed. Output: 400 lines, ${long.length} characters, not shown here. Artifacts: ${ref}`
    expect(observed({ return_to_model: "summary" }, completed(long))).toEqual({
      action_id: "act",
      status: "completed",
      policy: "summary",
      content: text,
      summary: text,
      summary_level: "mechanical",
      refs: [ref],
      tokens: o200k.count(text),
      output: output(long),
    })
  })

  it("[MP-RES-3] structured gives the fields of the result", () => {
    const data = { exit_code: 0, files: ["a.ts", "b.ts"], deep: { list: [1, null, "x"] } }
    const told = observed({ return_to_model: "structured" }, completed("raw", { data }))
    expect(JSON.parse(told.content)).toEqual(data)
    expect(told).toMatchObject({ summary: "exit_code: 0; files: 2 (a.ts, b.ts)", summary_level: "native" })
    expect("withheld" in told).toBe(false)
  })

  it("[MP-RES-3] an output that is JSON is structured", () => {
    expect(observed({ return_to_model: "structured" }, completed(' {"a": [1, 2]} ')).content).toBe(
      '{"a":[1,2]}',
    )
    expect(observed({ return_to_model: "structured" }, completed("[1, 2]")).content).toBe("[1,2]")
  })

  it.each([
    ["plain text", "three words here", undefined],
    ["broken JSON", '{"a": ', undefined],
    ["a bare number", "12", 12],
    ["a cycle", "text", circular()],
    ["a getter that throws", "text", throwing()],
    ["what JSON leaves out", "text", { toJSON: () => undefined }],
    ["what JSON makes a word", "text", { toJSON: () => "word" }],
    ["what JSON makes null", "text", { toJSON: () => null }],
  ])("[MP-RES-3] without structure (%s) there is the mechanical summary, and it says so", (_, text, data) => {
    const told = observed({ return_to_model: "structured" }, completed(text, { data }))
    const counted = mechanical(ran("act", completed(text)), [ref])
    expect(told).toMatchObject({
      content: counted.text,
      // The record keeps the better one.
      summary: text.trim(),
      summary_level: "final_output",
      withheld: "no structure",
    })
    expect(told.content).toContain(`1 lines, ${text.length} characters`)
  })

  it("[MP-RES-3] structure that is too large keeps whole fields from the first, and says what is missing", () => {
    const data = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`field_${n}`, `value ${n}`]))
    const told = observed({ return_to_model: "structured", max_tokens: 120 }, completed("raw", { data }))
    const [json = "", mark = ""] = told.content.split("\n")
    const kept = Object.keys(JSON.parse(json))
    expect(kept).toEqual(Object.keys(data).slice(0, kept.length))
    expect(kept.length).toBeGreaterThan(5)
    expect(told.tokens).toBeLessThanOrEqual(120)
    const whole = JSON.stringify(data)
    expect(told.omitted).toEqual({
      tokens: o200k.count(whole) - o200k.count(json),
      characters: whole.length - json.length,
    })
    expect(mark).toBe(
      `[${told.omitted?.tokens} tokens, ${told.omitted?.characters} characters left out. Whole output: ${ref}]`,
    )
  })

  it("[MP-RES-3] a list that is too large keeps whole items", () => {
    const data = Array.from({ length: 300 }, (_, n) => n)
    const told = observed({ return_to_model: "structured", max_tokens: 100 }, completed("raw", { data }))
    const kept: unknown = JSON.parse(told.content.split("\n")[0] ?? "")
    expect(kept).toEqual(data.slice(0, Array.isArray(kept) ? kept.length : 0))
    expect(Array.isArray(kept) && kept.length).toBeGreaterThan(20)
  })

  it("[MP-RES-3] structure of which not even the mark fits is declined", () => {
    const told = observed(
      { return_to_model: "structured", max_tokens: 3 },
      completed("raw", { data: { a: "long ".repeat(20) } }),
    )
    expect(told).toMatchObject({ content: "", tokens: 0, withheld: "budget" })
    expect(told.omitted?.characters).toBe(JSON.stringify({ a: "long ".repeat(20) }).length)
  })

  it("[MP-RES-4] excerpt gives passages with their place: what was looked for", () => {
    const text = longText(100).replace("entry 50", "entry 50 NEEDLE")
    const told = observed(
      { return_to_model: "excerpt" },
      completed(text),
      {},
      { input: { pattern: "needle|absent" } },
    )
    const lines = text.split("\n")
    expect(told.content).toBe(`lines 48-52:\n${lines.slice(47, 52).join("\n")}`)
  })

  it("[MP-RES-4] excerpt gives errors when nothing was looked for or found", () => {
    const lines = [...longText(20).split("\n"), "TypeError: x is undefined", ...longText(10).split("\n")]
    const told = observed(
      { return_to_model: "excerpt" },
      completed(lines.join("\n")),
      {},
      { input: { query: "absent" } },
    )
    expect(told.content).toBe(`lines 19-23:\n${lines.slice(18, 23).join("\n")}`)
  })

  it("[MP-RES-4] excerpt gives the beginning and the end of other text", () => {
    const lines = longText(100).split("\n")
    expect(observed({ return_to_model: "excerpt" }, completed(lines.join("\n"))).content).toBe(
      `lines 1-20:\n${lines.slice(0, 20).join("\n")}\n\nlines 91-100:\n${lines.slice(90).join("\n")}`,
    )
    expect(observed({ return_to_model: "excerpt" }, completed(longText(30))).content).toBe(
      `lines 1-30:\n${longText(30)}`,
    )
    expect(observed({ return_to_model: "excerpt" }, completed("one")).content).toBe("line 1:\none")
    expect(observed({ return_to_model: "excerpt" }, completed("")).content).toBe("")
  })

  it("[MP-RES-5] full gives every byte when it fits", () => {
    const text = `${longText(50)}\r\n\t 🙂\u0000 end \n`
    const told = observed({ return_to_model: "full", max_tokens: o200k.count(text) }, completed(text))
    expect(told.content).toBe(text)
    expect(told.tokens).toBe(o200k.count(text))
    expect("omitted" in told).toBe(false)
    expect(told.refs).toEqual([ref])
  })

  it("[MP-RES-5] full above the budget is cut and names the whole", () => {
    const told = observed({ return_to_model: "full" }, completed(long), { budget: 200 })
    expect(told.tokens).toBeLessThanOrEqual(200)
    expect(told.tokens).toBeGreaterThan(190)
    expect(long.startsWith(told.content.slice(0, told.content.lastIndexOf("\n[")))).toBe(true)
    expect(told.content.endsWith(`left out. Whole output: ${ref}]`)).toBe(true)
    expect(told.refs).toEqual([ref])
  })

  it("[MP-RES-5] full is declined, with the reference, where nothing fits", () => {
    expect(observed({ return_to_model: "full", max_tokens: 0 }, completed(long))).toMatchObject({
      content: "",
      tokens: 0,
      refs: [ref],
      withheld: "budget",
      omitted: { tokens: o200k.count(long), characters: long.length },
    })
  })

  it("[MP-RES-6] on_failure gives details of a failure", () => {
    expect(observed({ return_to_model: "on_failure" }, failed("exit 1", "line a\nline b"))).toMatchObject({
      status: "failed",
      content: "executor_failed: exit 1\n\nline a\nline b",
      reason: "executor_failed: exit 1",
      refs: [ref],
    })
    expect(observed({ return_to_model: "on_failure" }, failed("exit 1")).content).toBe(
      "executor_failed: exit 1",
    )
  })

  it("[MP-RES-6] on_failure gives no details of a success", () => {
    expect(
      observed({ return_to_model: "on_failure" }, completed("line a", { summary: "fine" })),
    ).toMatchObject({
      content: "",
      tokens: 0,
      summary: "fine",
      refs: [ref],
    })
  })

  it("[MP-RES-7] on_demand gives summary and reference; the details come after an expansion", () => {
    const artifacts = memoryArtifacts()
    const told = observed({ return_to_model: "on_demand" }, completed(long, { summary: "400 entries" }), {
      artifacts,
    })
    expect(told).toMatchObject({ content: "400 entries", summary: "400 entries", refs: [ref] })
    expect("withheld" in told).toBe(false)
    const [answer] = expandRefs([{ ref: told.refs[0] ?? "" }], scope({ artifacts }), {
      tokenizer: o200k,
      budget: 100_000,
    })
    expect(answer).toEqual({ ref, ok: true, text: long, tokens: o200k.count(long) })
  })

  it("[MP-RES-7] on_demand of what is not stored says that there is nothing to ask for", () => {
    expect(observed({ return_to_model: "on_demand", store_full: false }, completed(long))).toMatchObject({
      refs: [],
      withheld: "not stored",
    })
  })
})

describe("adaptive", () => {
  const text = [
    "compiling src/app/main.ts",
    "src/app/main.ts:12:3 - error TS2304: Cannot find name 'x'.",
    "the button is here",
    "diff --git a/src/a.ts b/src/a.ts",
    "--- a/src/a.ts",
    "+++ b/src/a.ts",
    "@@ -1,2 +1,2 @@",
    "-old",
    "+new",
    "done",
  ].join("\n")
  const parts = {
    errors: "errors:\n2: src/app/main.ts:12:3 - error TS2304: Cannot find name 'x'.",
    matching_lines: "matching_lines:\n3: the button is here",
    file_paths: "file_paths:\nsrc/app/main.ts\na/src/a.ts\nb/src/a.ts",
    diff: `diff:\n${text.split("\n").slice(3, 9).join("\n")}`,
  }
  const seek = { input: { query: "button" } }
  const told = (priority: readonly string[], over = {}) =>
    observed({ return_to_model: "adaptive", priority, ...over }, completed(text), {}, seek)

  it.each(["errors", "matching_lines", "file_paths", "diff"] as const)(
    "[MP-RES-8] %s is a kind of its own",
    (kind) => {
      expect(told([kind]).content).toBe(parts[kind])
    },
  )

  it("[MP-RES-8] the kinds come in the order of the priority", () => {
    expect(told(["diff", "errors", "file_paths"]).content).toBe(
      [parts.diff, parts.errors, parts.file_paths].join("\n\n"),
    )
    expect(told(["errors", "errors"]).content).toBe(parts.errors)
  })

  it("[MP-RES-8] without priority the usual order holds", () => {
    const all = [parts.errors, parts.matching_lines, parts.file_paths, parts.diff].join("\n\n")
    expect(told([]).content).toBe(all)
    expect("withheld" in told([])).toBe(false)
  })

  it("[MP-RES-8] a shrinking budget drops the lowest kind first", () => {
    const kinds = ["errors", "matching_lines", "file_paths", "diff"]
    const whole = told(kinds).tokens
    const seen = new Set<number>()
    for (let max = whole; max >= 0; max--) {
      const { content, tokens } = told(kinds, { max_tokens: max })
      const now = kinds.filter((kind) => content.includes(`${kind}:\n`))
      expect(now).toEqual(kinds.slice(0, now.length))
      expect(tokens).toBeLessThanOrEqual(max)
      seen.add(now.length)
    }
    expect([...seen].toSorted()).toEqual([0, 1, 2, 3, 4])
  })

  it("[MP-RES-8] a kind that is not known is left out and named", () => {
    const seen = told(["colours", "errors", "smells"])
    expect(seen.content).toBe(parts.errors)
    expect(seen.withheld).toBe("unknown priority ignored: colours, smells")
    expect(told(["colours"]).content).toBe(told([]).content)
    expect(told(["x".repeat(900), "y"]).withheld).toBe(`unknown priority ignored: ${"x".repeat(200)}…`)
  })

  it("[MP-RES-8] output with nothing of these kinds is told from its beginning", () => {
    const plain = observed(
      { return_to_model: "adaptive", priority: ["errors", "diff"] },
      completed("a\nb\n--- c\nd"),
    )
    expect(plain.content).toBe("a\nb\n--- c\nd")
  })
})

describe("limits", () => {
  it.each(returnPolicies)("[MP-RES-9] max_tokens bounds what %s returns", (return_to_model) => {
    fc.assert(
      fc.property(anyText, fc.nat(60), fc.boolean(), fc.boolean(), (text, max_tokens, ask, fails) => {
        const told = observed(
          { return_to_model, max_tokens, ...(ask ? { if_truncated: "provide_ref_and_summary" } : {}) },
          fails ? failed("it broke", text) : completed(text),
        )
        expect(o200k.count(told.content)).toBeLessThanOrEqual(max_tokens)
        expect(told.tokens).toBe(o200k.count(told.content))
        expect(told.content.isWellFormed()).toBe(true)
      }),
      { seed: 17, numRuns: 60 },
    )
  })

  it("[MP-RES-9] the runtime's budget holds also where the policy asks for more", () => {
    expect(
      observed({ return_to_model: "full", max_tokens: 5000 }, completed(long), { budget: 50 }).tokens,
    ).toBeLessThanOrEqual(50)
  })

  it.each(returnPolicies)(
    "[MP-RES-10] store_full keeps the exact output and cites it under %s",
    (return_to_model) => {
      const artifacts = memoryArtifacts()
      const text = `${long}\r\n🙂 `
      const told = observed({ return_to_model, store_full: true }, completed(text), { artifacts })
      expect(artifacts.get(ref)).toEqual({
        ref,
        run_id: "run_1",
        action_id: "act",
        name: "act",
        text,
        hash: sha256(text),
        private: false,
        visibility: "future_runs",
      })
      expect(told.refs).toEqual([ref])
      expect(told.output).toEqual({ characters: text.length - 1, hash: sha256(text), stored: true })
    },
  )

  it.each(returnPolicies)(
    "[MP-RES-10] without store_full only summary, size and hash are kept under %s",
    (return_to_model) => {
      const artifacts = memoryArtifacts()
      const told = observed({ return_to_model, store_full: false }, completed(long), { artifacts })
      expect(artifacts.get(ref)).toBeUndefined()
      expect(told.refs).toEqual([])
      expect(told.output).toEqual(output(long, false))
    },
  )

  it("[MP-RES-10] artifacts of the executor are cited when they exist and may be seen", () => {
    const artifacts = memoryArtifacts()
    artifacts.put(artifact("artifact:report", "r"))
    artifacts.put(artifact("artifact:hidden", "h", { private: true }))
    const outcome = completed("x", { artifacts: ["artifact:report", "artifact:hidden", "artifact:missing"] })
    const refs = [ref, "runtime://runs/run_1/artifacts/report"]
    expect(observed({}, outcome, { artifacts }).refs).toEqual(refs)
    // In a later run `artifact:report` would be that run's own, so it is not what is told.
    const later = scope({ run_id: "run_2", artifacts })
    expect(resolveReference(refs[1] ?? "", later)).toMatchObject({ ok: true })
  })

  it("[MP-RES-11] a cut gives reference and summary when asked, and the amounts add up", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1500 }), (max_tokens) => {
        const text = longText(60)
        const told = observed(
          { return_to_model: "full", max_tokens, if_truncated: "provide_ref_and_summary" },
          completed(text, { summary: "SIXTY ENTRIES" }),
        )
        const total = o200k.count(text)
        expect("omitted" in told).toBe(max_tokens < total)
        if (told.omitted === undefined) {
          expect(told.content).toBe(text)
          return
        }
        const at = told.content.lastIndexOf("\n[")
        const kept = told.content.slice(0, Math.max(0, at))
        expect(text.startsWith(kept)).toBe(true)
        expect(kept.length + told.omitted.characters).toBe(text.length)
        expect(o200k.count(kept) + told.omitted.tokens).toBe(total)
        if (max_tokens >= 100)
          expect(told.content.slice(at)).toBe(
            `\n[${told.omitted.tokens} tokens, ${told.omitted.characters} characters left out. Whole output: ${ref}]\nSummary: SIXTY ENTRIES`,
          )
        expect([told.summary, told.refs]).toEqual(["SIXTY ENTRIES", [ref]])
      }),
      { seed: 19, numRuns: 150 },
    )
  })

  it("[MP-RES-11] a cut that was not asked to sum up only names the whole", () => {
    const told = observed({ return_to_model: "full", max_tokens: 100 }, completed(long, { summary: "SUM" }))
    expect(told.content).not.toContain("SUM")
    expect(told.content.endsWith(`. Whole output: ${ref}]`)).toBe(true)
  })

  it("[MP-RES-11] a cut of what is not stored says so", () => {
    const told = observed({ return_to_model: "full", max_tokens: 100, store_full: false }, completed(long))
    expect(told.content.endsWith("characters left out. The rest is not stored.]")).toBe(true)
  })

  it("[MP-RES-11] where there is little room the mark is bare", () => {
    const told = observed(
      { return_to_model: "full", max_tokens: 20, if_truncated: "provide_ref_and_summary" },
      completed(long),
    )
    expect(told.content).toMatch(/^entry.*\n\[\d+ tokens, \d+ characters left out\]$/s)
  })
})

describe("what may not be seen", () => {
  const marked = completed("PRIVATE output", { summary: "PRIVATE summary", data: { field: "PRIVATE data" } })

  it.each(returnPolicies)("[MP-RES-12] %s reveals nothing of a private output", (return_to_model) => {
    const artifacts = memoryArtifacts()
    const told = observed({ return_to_model }, marked, { artifacts }, { private: true })
    expect(told).toEqual({
      action_id: "act",
      status: "completed",
      policy: return_to_model,
      content: "",
      summary: "",
      summary_level: "mechanical",
      refs: [],
      tokens: 0,
      withheld: "privacy",
    })
    expect(artifacts.get(ref)).toMatchObject({ text: "PRIVATE output", private: true })
  })

  it.each(returnPolicies)(
    "[MP-RES-12] %s reveals nothing of a private failure but its code",
    (return_to_model) => {
      const told = observed(
        { return_to_model },
        failed("PRIVATE words", "PRIVATE output"),
        {},
        { private: true },
      )
      expect(JSON.stringify(told)).not.toContain("PRIVATE")
      expect(told).toMatchObject({ status: "failed", reason: "executor_failed", withheld: "privacy" })
    },
  )

  it.each([
    ["future_runs", true],
    ["model", true],
    ["user", false],
    ["log", false],
    ["runtime", false],
  ] as const)("[MP-POLICY-8] a result limited to %s reaches the model: %s", (visibility, seen) => {
    const told = observed({ return_to_model: "full" }, marked, {}, { visibility })
    expect(told.content).toBe(seen ? "PRIVATE output" : "")
    expect(told.withheld).toBe(seen ? undefined : "visibility")
    expect(told.refs).toEqual(seen ? [ref] : [])
  })

  it("[MP-POLICY-8] a declaration may lower the executor's setting and never raise it", () => {
    const see = (declared: Visibility, visibility: Visibility) => {
      const artifacts = memoryArtifacts()
      const told = observed(
        { return_to_model: "full" },
        marked,
        { artifacts, visibility },
        { visibility: declared },
      )
      return [told.content, artifacts.get(ref)?.visibility]
    }
    expect(see("future_runs", "log")).toEqual(["", "log"])
    expect(see("log", "future_runs")).toEqual(["", "log"])
    expect(see("model", "future_runs")).toEqual(["PRIVATE output", "model"])
  })

  it.each([
    ["future_runs", ["future_runs", "model", "user", "log", "runtime"]],
    ["model", ["model", "user", "log", "runtime"]],
    ["user", ["user", "log", "runtime"]],
    ["log", ["log", "runtime"]],
    ["runtime", ["runtime"]],
  ] as const)("[MP-POLICY-8] %s reaches exactly its audiences", (visibility, audiences) => {
    const all = ["future_runs", "model", "user", "log", "runtime"] as const
    expect(all.filter((audience) => reaches(visibility, audience))).toEqual(audiences)
    for (const other of all)
      expect(stricter(visibility, other)).toBe(all[Math.max(all.indexOf(visibility), all.indexOf(other))])
  })

  it("[MP-POLICY-9] a private output reaches no model by reference, summary, request or expansion", () => {
    const artifacts = memoryArtifacts()
    observed({ return_to_model: "full" }, marked, { artifacts }, { private: true })
    const known = scope({
      artifacts,
      actions: [action("act", { private: true })],
      runs: { act: ran("act", marked) },
    })
    const refs = [
      ref,
      "runtime://run_1/actions/act/output",
      "action:act.summary",
      "action:act.output",
      `${ref}#from=0`,
    ]
    const answers = expandRefs(
      refs.map((one) => ({ ref: one })),
      known,
      { tokenizer: o200k, budget: 1000 },
    )
    expect(answers.map(({ ok }) => ok)).toEqual([false, false, false, false, false])
    expect(JSON.stringify(answers)).not.toContain("PRIVATE")
  })
})

describe("other states", () => {
  it.each(["blocked", "canceled", "waiting", "pending", "running"] as const)(
    "an action that is %s has no content",
    (status) => {
      const run = {
        ...ran("act"),
        status,
        reason: { code: "dependency_failed", message: "a failed" } as const,
      }
      const told = observed({ return_to_model: "full" }, completed("x"), { run })
      expect(told).toEqual({
        action_id: "act",
        status,
        policy: "full",
        content: "",
        summary: `Status: ${status}. Reason: dependency_failed: a failed`,
        summary_level: "mechanical",
        refs: [],
        tokens: 0,
        reason: "dependency_failed: a failed",
      })
    },
  )

  it.each(returnPolicies)(
    "a late result of a canceled action is kept but not shown by %s",
    (return_to_model) => {
      const artifacts = memoryArtifacts()
      const run = {
        ...ran("act", completed("LATE words", { data: { a: "LATE" } })),
        status: "canceled",
      } as const
      const told = observed({ return_to_model }, completed(""), { run, artifacts })
      expect(told.status).toBe("canceled")
      expect(JSON.stringify(told)).not.toContain("LATE")
      expect(artifacts.get(ref)?.text).toBe("LATE words")
    },
  )

  it("a reason is bounded, whatever an executor says", () => {
    const told = observed({ return_to_model: "summary" }, failed("x".repeat(100_000)))
    expect(told.reason).toBe(`executor_failed: ${"x".repeat(299)}…`)
    expect(told.summary.length).toBeLessThanOrEqual(600)
  })

  it("equal input gives equal bytes", () => {
    const once = () =>
      JSON.stringify(observed({ return_to_model: "adaptive", max_tokens: 50 }, completed(long)))
    expect(once()).toBe(once())
    expect(policy({}).store_full).toBe(true)
  })
})

function circular(): object {
  const self: { self?: object } = {}
  self.self = self
  return self
}

function throwing(): object {
  return {
    get files(): never {
      throw new Error("no")
    },
  }
}
