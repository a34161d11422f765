import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  buildContext,
  decisionPoint,
  declarationArtifact,
  epochAt,
  epochOf,
  type HistoryEntry,
  instruction,
  issue,
  memoryArtifacts,
  type ReplayOptions,
  replay,
  replayModes,
  resolveReference,
  sha256,
} from "../../src/index.ts"
import { action, answer, characters, flat, type Given, graph, ran, run, user } from "./given.ts"
import { found, inspection, inspectionTranscript, toolbar, toolbarSource, userRequest } from "./spec.ts"

const told = (history: readonly HistoryEntry[], options: ReplayOptions = {}): string =>
  buildContext({ history, replay: options, tokenizer: characters }).text
const tellings = (history: readonly HistoryEntry[], options: ReplayOptions = {}) =>
  replay(history, options).map(({ telling, why }) => (why === undefined ? telling : `${telling}: ${why}`))
const prompt = "Locate toolbar-related components, composables, styles, editor integration, and tests."

describe("modes", () => {
  it("[MP-REPLAY-1] full replay holds the declaration as it was written, and the prompt once", () => {
    expect(told([ran(toolbar)], { mode: "full" })).toBe(`<turn index="1">
## Assistant protocol request and runtime observations

run_id: \`run_123\`
Purpose: Toolbar Button Review
Status: completed

### Declaration

\`\`\`\`md
${toolbarSource}
\`\`\`\`

### Call inspect_code

Executor: \`tool:auto\`
Operation: \`inspect_sources\`

### Result for inspect_code

Status: completed
Artifacts: artifact://run_123/inspect_code

\`\`\`md
${found.inspect_code}
\`\`\`

### Call review_toolbar

Executor: \`agent:auto\`
Operation: \`review_code\`
Depends: \`inspect_code\`

### Result for review_toolbar

Status: completed
Artifacts: artifact://run_123/review_toolbar

\`\`\`md
${found.review_toolbar}
\`\`\`

Next: Answer the user, or declare further work.
</turn>

${instruction}`)
    expect(told([ran(toolbar)], { mode: "full" }).split(prompt)).toHaveLength(2)
  })

  it("[MP-REPLAY-1] full replay of a carrier's call is the call with its arguments, not the raw carrier", () => {
    const history = [user(userRequest), ran({ ...inspection, source: '{"kind":"act"}' })]
    expect(told(history, { mode: "full" })).toBe(inspectionTranscript)
  })

  it("[MP-REPLAY-1] an input that the declaration shows already is not shown twice", () => {
    const text = told([ran({ actions: [action("a", { input: { depth: 2 } })] })], { mode: "full" })
    expect(text).toContain("### Call a\n\nExecutor: `auto`\n\n### Result for a")
  })

  it("[MP-REPLAY-2] compressed replay says what each action was to do, without the declaration", () => {
    expect(told([ran(toolbar)], { mode: "compressed" })).toBe(`<turn index="1">
## Assistant protocol request and runtime observations

run_id: \`run_123\`
Purpose: Toolbar Button Review
Status: completed
Declaration: runtime://run_123/declaration

### Call inspect_code

Executor: \`tool:auto\`
Operation: \`inspect_sources\`
Title: Inspect Code
Task: Find toolbar components, editor integration, styles, and tests.
Why: Review needs source locations before judging behavior.

### Result for inspect_code

Status: completed
Artifacts: artifact://run_123/inspect_code

\`\`\`md
${found.inspect_code}
\`\`\`

### Call review_toolbar

Executor: \`agent:auto\`
Operation: \`review_code\`
Depends: \`inspect_code\`
Title: Review Toolbar
Task: Review toolbar button behavior, display layering, focus, undo/redo, and edge cases.
Why: This is the main user-requested review.

### Result for review_toolbar

Status: completed
Artifacts: artifact://run_123/review_toolbar

\`\`\`md
${found.review_toolbar}
\`\`\`

Next: Answer the user, or declare further work.
</turn>

${instruction}`)
  })

  it.each([
    ["its description", { description: "Find it.", reason: "Needed." }, "Task: Find it.\nWhy: Needed."],
    ["its reason", { reason: "Needed." }, "Task: Needed."],
    ["its prompt", { prompt_ref: "md:Find.Prompt" }, "Task: Search everywhere."],
    [
      "its input",
      { input: { path: "a.ts", deep: { x: 1 }, none: null, all: true } },
      "Task: path a.ts, deep (…), none (…), all true",
    ],
    ["a long input in short", { input: { text: "x".repeat(300) } }, `Task: text ${"x".repeat(235)}…`],
  ])("[MP-REPLAY-2] an action is understood by %s", (_, more, task) => {
    const sections = [{ id: "find.prompt", heading: "find.prompt", level: 2, text: "Search\neverywhere." }]
    const entry = ran({ sections, actions: [flat("a", "tool", "read", more)] })
    expect(told([entry], { mode: "compressed" })).toContain(
      `### Call a\n\nTool: \`read\`\n${task}\n\n### Result for a`,
    )
  })

  it("[MP-REPLAY-2] an action of which nothing was said has no task line", () => {
    expect(told([ran({ actions: [action("a")] })], { mode: "compressed" })).toContain(
      "### Call a\n\nExecutor: `auto`\n\n### Result for a",
    )
  })

  it("[MP-NOISE-2] what is told in short holds the summary and where the rest is", () => {
    const entry = ran({
      actions: [action("a")],
      ended: { a: { content: "RAW ".repeat(500), summary: "500 words.", refs: ["artifact://run_1/a"] } },
    })
    const text = told([entry], { mode: "compressed" })
    expect(text).toContain("Status: completed\nArtifacts: artifact://run_1/a\n\n```md\n500 words.\n```")
    expect(text).not.toContain("RAW")
  })

  it("[MP-NOISE-2] raw output and raw steps that no policy asked for are not told", () => {
    const entry = ran({ actions: [action("a")], ended: { a: { content: "Three files." } } })
    if (entry.kind !== "run") throw new Error("a run")
    const attempts = [{ started: 1, outcome: { status: "completed", output: "RAW STEP" } as const }]
    const state = {
      ...entry.run.state,
      actions: { a: { id: "a", status: "completed", attempts, passes: 0 } as const },
    }
    for (const mode of replayModes) {
      const text = told([{ kind: "run", run: { ...entry.run, state } }], { mode })
      expect(text).toContain("Three files.")
      expect(text).not.toContain("RAW")
    }
  })
})

describe("hybrid", () => {
  const short: Given = { ...toolbar, source: "s".repeat(100) }
  const long: Given = { ...toolbar, source: "s".repeat(101) }
  const after = Array.from({ length: 3 }, (_, at) => user(`${at}`))
  it.each([
    ["short and new", short, 3, "exact"],
    ["short and stale", short, 4, "summary: stale"],
    ["long and new", long, 3, "summary: long"],
    ["long and stale", long, 4, "summary: long"],
    ["short, of a carrier and new", { ...inspection, source: "s" }, 3, "calls"],
  ])("[MP-REPLAY-3] hybrid is the default; a declaration that is %s", (_, given, epoch, telling) => {
    const options = { long_after: 100, stale_after: 3, epoch }
    expect(tellings([ran(given), ...after], options)[0]).toBe(telling)
    expect(tellings([ran(given), ...after], { ...options, mode: "hybrid" })[0]).toBe(telling)
  })

  it("[MP-REPLAY-3] without settings, 4000 characters are short and nothing is stale", () => {
    const history = [
      ...Array.from({ length: 20 }, (_, at) =>
        ran({ ...toolbar, run_id: `run_${at}`, source: "s".repeat(4000) }),
      ),
    ]
    expect(tellings(history)).toEqual(history.map(() => "exact"))
    expect(tellings([ran({ ...toolbar, source: "s".repeat(4001) })])).toEqual(["summary: long"])
    expect(tellings(history, { epoch: 20 }).indexOf("exact")).toBe(12)
  })

  it("[MP-REPLAY-3] the reference of a summary leads to the exact declaration", () => {
    const given = run({ ...toolbar, source: `${toolbarSource}\n😀` })
    const artifacts = memoryArtifacts()
    artifacts.put(declarationArtifact(given))
    const ref =
      /^Declaration: (.*)$/m.exec(told([{ kind: "run", run: given }], { long_after: 10 }))?.[1] ?? ""
    expect(ref).toBe("runtime://run_123/declaration")
    const scope = { run_id: "run_9", sections: [], actions: [], runs: {}, artifacts, owns: () => true }
    expect(resolveReference(ref, scope)).toEqual({
      ok: true,
      text: given.declaration.source,
      hash: sha256(given.declaration.source),
    })
    expect(declarationArtifact(given)).toEqual({
      ref,
      run_id: "run_123",
      name: "declaration",
      text: given.declaration.source,
      hash: sha256(given.declaration.source),
      private: false,
      visibility: "future_runs",
    })
  })

  it("[MP-REPLAY-3] a further turn changes no byte before it until the epoch moves", () => {
    // So few names that runs go on, are revised, and name runs that are not told yet.
    const runId = fc.constantFrom("run_a", "run_b", "run_c")
    const entry = fc.oneof(
      fc.string().map(user),
      fc.string().map(answer),
      fc
        .record({
          run_id: runId,
          source: fc.string({ maxLength: 60 }),
          status: fc.constantFrom("completed", "waiting", "blocked", "failed", "running"),
          superseded_by: fc.option(runId, { nil: undefined }),
          revises: fc.option(runId, { nil: undefined }),
        })
        .map(({ revises, ...given }) =>
          ran({
            ...toolbar,
            ...given,
            ...(revises !== undefined && {
              asks: { intent: "revise", run_id: revises, graph: graph(toolbar.actions) },
            }),
          }),
        ),
      fc.string().map(
        (source): HistoryEntry => ({
          kind: "refused",
          origin: "dsl",
          source,
          issues: [issue("not_json", "", "Bad.", "Fix.")],
        }),
      ),
    )
    const setting = fc.record({
      mode: fc.constantFrom(...replayModes),
      long_after: fc.nat(60),
      stale_after: fc.nat(5),
      epoch: fc.nat(12),
    })
    const replaced = (entry: HistoryEntry): HistoryEntry =>
      entry.kind === "run" ? { ...entry, run: { ...entry.run, superseded_by: "run_b" } } : entry
    const whys = new Set<string | undefined>()
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 12 }),
        fc.array(entry, { minLength: 1, maxLength: 4 }),
        setting,
        fc.option(fc.nat(2000), { nil: undefined }),
        (history, next, options, budget) => {
          const fixed = { ...options, epoch: Math.min(options.epoch, history.length) }
          const text = (entries: readonly HistoryEntry[]) =>
            buildContext({
              history: entries,
              replay: fixed,
              tokenizer: characters,
              ...(budget !== undefined && { budget }),
            }).text
          const before = text(history).slice(0, -instruction.length)
          expect(text([...history, ...next]).startsWith(before)).toBe(true)
          // What a later turn does to an earlier run is written into that run, and still is not told there.
          const since = history.map((entry, at) => (at < fixed.epoch ? entry : replaced(entry)))
          expect(text([...since, ...next]).startsWith(before)).toBe(true)
          for (const { why } of replay([...history, ...next], fixed)) whys.add(why)
        },
      ),
      { seed: 11, numRuns: 1000 },
    )
    for (const why of ["superseded", "told_later", "repaired", "stale"]) expect(whys).toContain(why)
  })

  it("[MP-REPLAY-3] an epoch moves in steps, and to each revision", () => {
    expect([0, 7, 8, 15, 16, 17].map((entries) => epochAt(entries, 8))).toEqual([0, 0, 8, 8, 16, 16])
    const revision = ran({
      ...toolbar,
      asks: { intent: "revise", run_id: "run_1", graph: graph(toolbar.actions) },
    })
    const entries = [user("1"), ran(toolbar), revision, user("4")]
    expect([1, 2, 3, 4].map((length) => epochOf(entries.slice(0, length), 3))).toEqual([0, 0, 3, 3])
    expect([...entries, user("5"), user("6")].length).toBe(epochOf([...entries, user("5"), user("6")], 3))
  })
})

describe("groups", () => {
  const failed = {
    status: "failed",
    ended: {
      inspect_code: { status: "failed", reason: { code: "timed_out", message: "Too slow." } },
      review_toolbar: {
        status: "blocked",
        reason: { code: "dependency_failed", message: "inspect_code did not complete." },
      },
    },
  } as const
  const blocked = {
    status: "blocked",
    ended: {
      inspect_code: toolbar.ended?.inspect_code ?? {},
      review_toolbar: { status: "blocked", reason: { code: "needs_decision", message: "Which layer?" } },
    },
  } as const
  const waiting = {
    status: "waiting",
    ended: {
      inspect_code: toolbar.ended?.inspect_code ?? {},
      review_toolbar: { status: "waiting", reason: { code: "needs_approval", message: "It deletes." } },
    },
  } as const
  const decide =
    "Next: Decide on this run (retry, continue or abort), revise it, or answer with what there is."
  it.each([
    [
      "completed",
      {},
      [
        "Status: completed",
        "Artifacts: artifact://run_123/inspect_code",
        found.inspect_code,
        "Next: Answer the user, or declare further work.",
      ],
    ],
    [
      "failed",
      failed,
      [
        "Status: failed",
        "Reason: timed_out: Too slow.",
        "Status: blocked",
        "Reason: dependency_failed: inspect_code did not complete.",
        decide,
      ],
    ],
    [
      "blocked",
      blocked,
      [
        "Status: blocked",
        "Status: completed",
        found.inspect_code,
        "Reason: needs_decision: Which layer?",
        decide,
      ],
    ],
    [
      "waiting",
      waiting,
      [
        "Status: blocked",
        "Status: waiting",
        "Reason: needs_approval: It deletes.",
        "Next: A person must act on this run before it goes on.",
      ],
    ],
  ] as const)("[MP-REPLAY-4] the group of a %s run carries all that belongs together", (_, given, lines) => {
    for (const mode of ["full", "compressed", "hybrid"] as const) {
      const text = told([ran({ ...toolbar, ...given })], { mode })
      const always = [
        "run_id: `run_123`",
        "Purpose: Toolbar Button Review",
        "### Call inspect_code",
        "### Result for review_toolbar",
      ]
      const declared =
        mode === "compressed"
          ? ["Declaration: runtime://run_123/declaration", "Title: Inspect Code"]
          : ["### Declaration"]
      for (const line of [...always, ...declared, ...lines]) expect(text.split("\n")).toContain(line)
    }
  })

  it("[MP-REPLAY-4] a call that failed says what can be done next", () => {
    expect(told([ran({ ...inspection, status: "failed" })])).toContain(`\n\n${decide}\n</turn>`)
  })

  it("[MP-REPLAY-5] observations stand with their own declaration, also when ids repeat", () => {
    const of = (run_id: string, content: string) =>
      ran({
        run_id,
        title: `Title ${run_id}`,
        source: `source of ${run_id}`,
        actions: [action("look")],
        ended: { look: { content } },
      })
    const text = told([of("run_a", "seen a"), user("and?"), of("run_b", "seen b")])
    const turns = text.split("</turn>")
    expect(turns).toHaveLength(4)
    for (const part of ["`run_a`", "Title run_a", "source of run_a", "seen a"]) {
      expect(turns[0]).toContain(part)
      expect(turns[2]).not.toContain(part)
    }
    for (const part of ["`run_b`", "Title run_b", "source of run_b", "seen b"]) {
      expect(turns[2]).toContain(part)
      expect(turns[0]).not.toContain(part)
    }
  })

  it.each(replayModes)("[MP-REPLAY-6] private reasoning is not replayed: %s", (mode) => {
    const reasoning = "PRIVATE"
    const issues = [issue("not_json", "", "Bad.", "Fix.")]
    const history: HistoryEntry[] = [
      { kind: "answer", text: "Yes.", reasoning },
      { kind: "refused", origin: "dsl", source: "x", issues, reasoning },
      { kind: "run", run: run(toolbar), reasoning },
    ]
    for (const epoch of [0, 3])
      expect(told(history, { mode, epoch, stale_after: 0 })).not.toContain(reasoning)
  })
})

describe("noise", () => {
  const old: Given = {
    run_id: "run_old",
    title: "OLD PLAN",
    source: "OLD SOURCE",
    status: "failed",
    superseded_by: "run_new",
    actions: [
      action("kept", { description: "KEPT" }),
      action("done"),
      action("dropped", { description: "DROPPED" }),
    ],
    ended: {
      done: { content: "done before" },
      dropped: { status: "failed", reason: { code: "aborted", message: "DROPPED" } },
    },
  }
  const plan = graph([action("kept"), action("other")])
  const revised: Given = {
    run_id: "run_new",
    title: "New plan",
    actions: plan.actions,
    asks: { intent: "revise", run_id: "run_old", graph: plan },
  }
  /** As a runtime tells it: the epoch moves with each revision. */
  const next = (history: readonly HistoryEntry[], options: ReplayOptions = {}) =>
    told(history, { epoch: epochOf(history, 100), ...options })

  it.each(replayModes)(
    "[MP-NOISE-1] of a superseded plan only results that still count are told: %s",
    (mode) => {
      const [first = "", second = ""] = next([ran(old), ran(revised)], { mode }).split("</turn>")
      expect(first).toBe(`<turn index="1">
## Assistant protocol request and runtime observations

run_id: \`run_old\`
Purpose: Replaced by run \`run_new\`.
Status: failed
Declaration: runtime://run_old/declaration

### Call done

Executor: \`auto\`

### Result for done

Status: completed

\`\`\`md
done before
\`\`\`
`)
      expect(second).toContain("Revises: run `run_old`, of which only completed results still count.\n")
      expect(second).toContain("### Call kept")
    },
  )

  it("[MP-NOISE-1] a superseded plan without results of its own shrinks to a line, also while the new one runs", () => {
    const none = {
      ...old,
      ended: { ...old.ended, done: { status: "canceled" as const }, kept: { status: "pending" as const } },
    }
    const line =
      '<turn index="1">\n## Assistant protocol request and runtime observations\n\nrun_id: `run_old`\nPurpose: Replaced by run `run_new`.\nStatus: failed\n</turn>\n\n'
    const [first = ""] = next([ran(none), ran(revised)]).split('<turn index="2">')
    expect(first).toBe(line)
    expect(next([ran(none), ran({ ...revised, status: "running" })])).toBe(`${line}${instruction}`)
    expect(told([ran(none)])).toContain("Purpose: OLD PLAN")
  })

  it("[MP-NOISE-1] failed attempts before a success are one line", () => {
    const failed_before = [
      { code: "timed_out", message: "NOISE ONE" },
      { code: "executor_failed", message: "NOISE TWO" },
    ] as const
    const text = told([ran({ actions: [action("a")], ended: { a: { failed_before } } })])
    expect(text).toContain(
      "Status: completed\nEarlier attempts: 2 failed (timed_out, executor_failed)\n\n```md\na done.\n```",
    )
    expect(text).not.toContain("NOISE")
  })

  it("[MP-NOISE-1] until the epoch moves, the later turn alone says what became of a plan", () => {
    const before = told([ran({ ...old, superseded_by: undefined })]).slice(0, -instruction.length)
    const after = told([ran(old), ran(revised)])
    expect(after.startsWith(before)).toBe(true)
    expect(after).toContain("Revises: run `run_old`")
  })

  it("[MP-NOISE-1] an earlier state of a run that went on shrinks to a line at an epoch after it", () => {
    const stuck: Given = {
      ...toolbar,
      status: "blocked",
      ended: { review_toolbar: { status: "blocked", reason: { code: "needs_decision", message: "NOISE" } } },
    }
    const history = [ran(stuck), user("Go on."), ran(toolbar)]
    expect(tellings(history)).toEqual(["exact", "exact", "exact"])
    const before = told(history.slice(0, 2)).slice(0, -instruction.length)
    expect(told(history).startsWith(before)).toBe(true)
    expect(told(history)).toContain(
      "Status: completed\nContinues: the run of this id in an earlier turn, as it stands now.\n",
    )
    expect(tellings(history, { epoch: 2 })).toEqual(["exact", "exact", "exact"])
    expect(tellings(history, { epoch: 3 })).toEqual(["line: told_later", "exact", "exact"])
    expect(told(history, { epoch: 3 })).toContain(
      'run_id: `run_123`\nPurpose: Toolbar Button Review\nStatus: blocked\nContinued in a later turn.\n</turn>\n\n<turn index="2">',
    )
    expect(told(history, { epoch: 3 })).not.toContain("NOISE")
  })

  it("[MP-NOISE-1] an expansion under the same run does not hide the run", () => {
    const expansion = ran({
      run_id: "run_123",
      actions: [],
      asks: { intent: "expand_ref", refs: [{ ref: "artifact:a" }] },
      ended: { expand_1: {} },
    })
    expect(tellings([ran(toolbar), expansion, expansion], { epoch: 3 })).toEqual(["exact", "exact", "exact"])
    expect(tellings([expansion, ran(toolbar)], { epoch: 2 })).toEqual(["exact", "exact"])
    expect(told([expansion, ran(toolbar)])).not.toContain("Continues")
  })

  it("[MP-NOISE-1] refused declarations shrink at an epoch after which a run had been accepted", () => {
    const refused: HistoryEntry = { kind: "refused", issues: [issue("not_json", "", "NOISE", "Fix.")] }
    const history = [refused, ran(toolbar), refused]
    expect(tellings(history, { epoch: 1 })).toEqual(["exact", "exact", "exact"])
    expect(tellings(history, { epoch: 3 })).toEqual(["line: repaired", "exact", "exact"])
    expect(told([refused, ran(toolbar)], { epoch: 2 })).toContain(
      '<turn index="1">\n## Assistant protocol request and runtime observations\n\nrun_id: `none`\nPurpose: A declaration that was refused and later repaired.\nStatus: failed\n</turn>\n\n',
    )
  })

  it("[MP-NOISE-3] building a context leaves the history as it was", () => {
    const history = [ran(old), ran(revised), ran({ ...toolbar, status: "running" })]
    const before = structuredClone(history)
    const freeze = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return
      Object.freeze(value)
      for (const part of Object.values(value)) freeze(part)
    }
    freeze(history)
    for (const mode of replayModes) told(history, { mode, epoch: 3, stale_after: 0 })
    expect(history).toEqual(before)
  })
})

describe("points of decision", () => {
  const at = (
    status: "running" | "waiting" | "blocked" | "completed" | "failed",
    code?: "needs_decision" | "needs_approval" | "needs_input" | "outcome_unknown" | "dependency_failed",
  ) =>
    run({
      ...toolbar,
      status,
      ended: {
        review_toolbar:
          code === undefined
            ? {}
            : {
                status: code === "needs_approval" || code === "needs_input" ? "waiting" : "blocked",
                reason: { code, message: "Held." },
              },
      },
    })
  it.each([
    ["completed", at("completed"), "completed"],
    ["failed", at("failed"), "failed"],
    ["blocked", at("blocked"), "blocked"],
    ["permission needed", at("waiting", "needs_approval"), "permission_needed"],
    ["user input needed", at("waiting", "needs_input"), "user_input_needed"],
    ["model decision needed", at("blocked", "needs_decision"), "model_decision_needed"],
    ["model decision needed after a crash", at("blocked", "outcome_unknown"), "model_decision_needed"],
    ["failed by propagation", at("failed", "dependency_failed"), "failed"],
  ] as const)("[MP-STREAM-5] the model is told of a run that is %s", (_, record, point) => {
    expect(decisionPoint(record)).toBe(point)
    expect(told([{ kind: "run", run: record }])).toContain("run_id: `run_123`")
  })

  it.each([
    ["ordinary progress", at("running")],
    ["progress beside a wait", at("running", "needs_approval")],
  ])("[MP-STREAM-5] the model is not told of %s", (_, record) => {
    expect(decisionPoint(record)).toBeUndefined()
    expect(told([{ kind: "run", run: record }])).toBe(instruction)
  })

  it("[MP-STREAM-4] progress is not told, and takes no number", () => {
    const marker = ran({
      ...toolbar,
      note: "PROGRESS",
      status: "running",
      ended: { inspect_code: { content: "PROGRESS" } },
    })
    const text = told([user("one"), marker, user("two")])
    expect(text).not.toContain("PROGRESS")
    expect(text).toContain('<turn index="2">\n## User request\n\ntwo\n</turn>')
  })
})
