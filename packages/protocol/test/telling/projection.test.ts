import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { applyEvent, foldRun } from "../../src/fold-run.ts"
import {
  type Action,
  type ActionOutcome,
  type ActionStatus,
  actionMayBecome,
  actionStatuses,
  declarationArtifact,
  expandAction,
  memoryArtifacts,
  projectRun,
  type ReasonCode,
  type RunEvent,
  type RunProjection,
  type RunRecord,
  type RunState,
  type RunStatus,
  readMarkdown,
  resolveReference,
  runMayBecome,
} from "../../src/index.ts"
import { plainText } from "../../src/plain-text.ts"
import { action, flat, type Given, run } from "./given.ts"
import { found, toolbar, toolbarSource } from "./spec.ts"

const none = { pending: 0, running: 0, completed: 0, failed: 0, canceled: 0, blocked: 0, waiting: 0 }

describe("what a person sees", () => {
  it("[MP-UX-1] the projection of a run, with a fixed list of fields", () => {
    const expected: RunProjection = {
      version: "1",
      run_id: "run_123",
      title: "Toolbar Button Review",
      note: "I will inspect the toolbar.",
      status: "completed",
      progress: { total: 2, done: 2, ...none, completed: 2 },
      actions: [
        {
          id: "inspect_code",
          title: "Inspect Code",
          description: "Find toolbar components, editor integration, styles, and tests.",
          status: "completed",
          result_summary: found.inspect_code,
        },
        {
          id: "review_toolbar",
          title: "Review Toolbar",
          description: "Review toolbar button behavior, display layering, focus, undo/redo, and edge cases.",
          status: "completed",
          result_summary: found.review_toolbar,
        },
      ],
      result_summary: `${found.inspect_code}\n${found.review_toolbar}`,
      details_ref: "runtime://run_123/declaration",
    }
    expect(projectRun(run({ ...toolbar, note: "I will inspect the toolbar." }))).toEqual(expected)
  })

  it("[MP-UX-1] every projection has the same fields, whatever the run", () => {
    const bare = projectRun(
      run({ status: "running", actions: [action("a")], ended: { a: { status: "pending" } } }),
    )
    expect(bare).toEqual({
      version: "1",
      run_id: "run_1",
      title: "a",
      note: "",
      status: "pending",
      progress: { total: 1, done: 0, ...none, pending: 1 },
      actions: [{ id: "a", title: "a", description: "", status: "pending", result_summary: "" }],
      result_summary: "",
      details_ref: "runtime://run_1/declaration",
    })
    expect(Object.keys(bare)).toEqual(Object.keys(projectRun(run(toolbar))))
  })

  it.each([
    ["the declaration's title", { title: "Said", graph: { title: "Graph" } }, "Said"],
    ["the graph's title", { graph: { title: "Graph" } }, "Graph"],
    ["the titles of its actions", {}, "First, b, c and 2 more"],
  ])("[MP-UX-1] a run is called by %s", (_, more, title) => {
    const actions = [action("a", { title: "First" }), ...["b", "c", "d", "e"].map((id) => action(id))]
    expect(projectRun(run({ actions, ...more })).title).toBe(title)
  })

  it("[MP-UX-1] the summary of the whole comes when the run is over", () => {
    const given: Given = {
      actions: [action("a"), action("b")],
      ended: { b: { status: "failed", reason: { code: "denied", message: "No." } } },
    }
    expect(projectRun(run({ ...given, status: "failed" })).result_summary).toBe("a done.\nNo.")
    expect(projectRun(run({ ...given, status: "blocked" })).result_summary).toBe("")
    expect(projectRun(run({ ...given, status: "running" })).result_summary).toBe("")
  })

  it.each([
    ["future_runs", "For you."],
    ["model", "For you."],
    ["user", "For you."],
    ["log", ""],
    ["runtime", ""],
  ] as const)("[MP-UX-1] a result that is visible to %s", (visibility, shown) => {
    const record = run({ actions: [action("a", { visibility })], ended: { a: { summary: "For you." } } })
    expect(projectRun(record).actions[0]?.result_summary).toBe(shown)
  })

  it("[MP-UX-1] what is withheld from the model may be shown to the person", () => {
    const outcome: ActionOutcome = { status: "completed", output: "raw", summary: "Your balance is 7." }
    const record = run({
      actions: [action("a", { private: true })],
      ended: { a: { content: "", observation: { withheld: "privacy" } } },
    })
    const shown = (last: ActionOutcome) =>
      projectRun({
        ...record,
        state: {
          ...record.state,
          actions: {
            a: { id: "a", status: "completed", attempts: [{ started: 1, outcome: last }], passes: 0 },
          },
        },
      }).actions[0]?.result_summary
    expect(shown(outcome)).toBe("Your balance is 7.")
    expect(shown({ status: "completed", output: "raw" })).toBe("")
  })
})

describe("status and progress", () => {
  const begun = { a: { status: "running" as const } }
  it.each([
    ["pending", "running", { a: { status: "pending" } }, {}],
    ["pending", "waiting", { a: { status: "pending" } }, {}],
    ["running", "running", begun, {}],
    ["completed", "completed", {}, {}],
    ["failed", "failed", {}, {}],
    ["canceled", "failed", {}, { canceled: { reason: "Stop." } }],
    ["running", "running", begun, { canceled: { reason: "Stop." } }],
    ["blocked", "blocked", {}, {}],
    ["waiting", "waiting", { a: { status: "waiting" } }, {}],
  ] as [ActionStatus, RunStatus, NonNullable<Given["ended"]>, Partial<Given>][])(
    "[MP-UX-2] a run is shown as %s (%s)",
    (shown, status, ended, more) => {
      expect(projectRun(run({ status, actions: [action("a")], ended, ...more })).status).toBe(shown)
    },
  )

  it("[MP-UX-2] a run that waits for its second attempt has begun", () => {
    const record = run({ status: "running", actions: [action("a")], ended: { a: { status: "pending" } } })
    const withAction = (more: object): RunRecord => ({
      ...record,
      state: {
        ...record.state,
        actions: { a: { id: "a", status: "pending", attempts: [], passes: 0, ...more } },
      },
    })
    expect(projectRun(withAction({})).status).toBe("pending")
    expect(projectRun(withAction({ attempts: [{ started: 1 }] })).status).toBe("running")
  })

  it.each(actionStatuses)("[MP-UX-2] progress counts actions that are %s", (status) => {
    const record = run({
      status: "running",
      actions: [action("a"), action("b")],
      ended: { a: { status }, b: { status } },
    })
    const done = ["completed", "failed", "canceled"].includes(status) ? 2 : 0
    expect(projectRun(record).progress).toEqual({ total: 2, done, ...none, [status]: 2 })
  })

  it.each([
    ["pending", ["running", "completed", "failed", "canceled", "blocked", "waiting"]],
    ["running", ["pending", "completed", "failed", "canceled", "blocked", "waiting"]],
    ["completed", []],
    ["failed", ["pending", "running"]],
    ["canceled", []],
    ["blocked", ["pending", "running", "failed", "canceled", "waiting"]],
    ["waiting", ["pending", "running", "completed", "failed", "canceled", "blocked"]],
  ] as [ActionStatus, ActionStatus[]][])("[MP-UX-2] what may follow a run that is %s", (from, to) => {
    expect(actionStatuses.filter((status) => status !== from && runMayBecome(from, status))).toEqual(to)
    expect(runMayBecome(from, from)).toBe(true)
  })

  it.each([
    ["pending", ["running", "failed", "canceled", "blocked", "waiting"]],
    ["running", ["completed", "failed", "canceled", "blocked", "waiting"]],
    ["completed", []],
    ["failed", ["pending"]],
    ["canceled", ["pending"]],
    ["blocked", ["pending", "failed", "canceled"]],
    ["waiting", ["pending", "running", "completed", "failed", "canceled", "blocked"]],
  ] as [ActionStatus, ActionStatus[]][])("[MP-UX-2] what may follow an action that is %s", (from, to) => {
    expect(actionStatuses.filter((status) => status !== from && actionMayBecome(from, status))).toEqual(to)
    expect(actionMayBecome(from, from)).toBe(true)
  })

  const ids = ["a", "b", "c"]
  const id = fc.constantFrom(...ids)
  const codes: readonly ReasonCode[] = [
    "needs_decision",
    "needs_approval",
    "needs_input",
    "outcome_unknown",
    "dependency_failed",
  ]
  const reason = fc.record({ code: fc.constantFrom(...codes), message: fc.constant("Held."), action_id: id })
  const outcome: fc.Arbitrary<ActionOutcome> = fc.oneof(
    fc.constant({ status: "completed", output: "ok" } as const),
    reason.map((why) => ({ status: "failed", reason: why }) as const),
  )
  const attempt = fc.integer({ min: 1, max: 3 })
  const event: fc.Arbitrary<RunEvent> = fc.oneof(
    fc.record({ type: fc.constant("action.started" as const), id, attempt, at: fc.constant(1) }),
    fc.record({ type: fc.constant("action.ended" as const), id, attempt, at: fc.constant(2), outcome }),
    fc.record({ type: fc.constant("action.waiting" as const), id, reason }),
    fc.record({
      type: fc.constant("action.answered" as const),
      id,
      answer: fc.oneof(
        fc.record({ approved: fc.boolean(), input_hash: fc.constant("h") }),
        fc.constant({ output: "42" }),
      ),
    }),
    fc.record({
      type: fc.constant("action.settled" as const),
      id,
      status: fc.constantFrom("blocked" as const, "canceled" as const, "failed" as const),
      reason,
    }),
    fc.record({
      type: fc.constant("run.decided" as const),
      id,
      choice: fc.constantFrom("retry" as const, "continue" as const, "abort" as const),
    }),
    fc.constant({ type: "run.canceled", at: 3, reason: "Stop." } as const),
  )
  const isOver = ({ status }: RunState) => status === "completed" || status === "failed"

  it("[MP-UX-2] over any run, status changes by legal transitions and progress agrees with it", () => {
    const actions = [
      action("a", { failure_policy: { on_failure: "ask_model", max_retries: 0 } }),
      action("b"),
      action("c"),
    ]
    const base = run({ actions })
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        let state = foldRun(base.graph, [{ type: "run.accepted", run_id: "run_1", at: 0 }])
        let before = projectRun({ ...base, observations: {}, state })
        expect(before.status).toBe("pending")
        for (const next of events) {
          // What is over cannot be canceled, and what was canceled is not taken up again.
          if (next.type === "run.canceled" && isOver(state)) continue
          if (next.type === "run.decided" && state.canceled !== undefined) continue
          state = applyEvent(base.graph, state, next)
          const after = projectRun({ ...base, observations: {}, state })
          expect([before.status, after.status, runMayBecome(before.status, after.status)]).toEqual([
            before.status,
            after.status,
            true,
          ])
          for (const [at, { status }] of after.actions.entries()) {
            const was = before.actions[at]?.status ?? "pending"
            expect([was, status, actionMayBecome(was, status)]).toEqual([was, status, true])
          }
          const { total, done, ...counts } = after.progress
          expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(total)
          expect(done).toBe(
            after.actions.filter(({ status }) => ["completed", "failed", "canceled"].includes(status)).length,
          )
          if (after.status === "completed") expect(counts.pending + counts.running + counts.waiting).toBe(0)
          before = after
        }
      }),
      { seed: 12, numRuns: 600 },
    )
  })
})

describe("the note", () => {
  const note = "NOTE: I will look first."
  it("[MP-UX-3] a note is there as execution begins", () => {
    const record = run({
      ...toolbar,
      note,
      status: "running",
      ended: { inspect_code: { status: "running" }, review_toolbar: { status: "pending" } },
    })
    expect(projectRun(record)).toMatchObject({ note, status: "running", progress: { done: 0 } })
  })

  it("[MP-UX-3] a note takes no part in what an executor is given", () => {
    const record = run({ ...toolbar, note })
    const scope = {
      run_id: "run_123",
      sections: [
        ...record.declaration.sections,
        { id: "user.visible", heading: "user.visible", level: 2, text: note },
      ],
      actions: record.graph.actions,
      runs: record.state.actions,
      artifacts: memoryArtifacts(),
    }
    for (const of of record.graph.actions) {
      const expanded = expandAction(of, scope)
      expect(expanded.ok).toBe(true)
      expect(JSON.stringify(expanded)).not.toContain("NOTE")
    }
  })

  it("[MP-UX-3] a note inside of a section is no part of what the section gives", () => {
    const { sections } = readMarkdown(
      "# task\n\nDo it.\n\n## user.visible\n\nNOTE\n\n### more\n\nNOTE\n\n## rest\n\nWell.\n\n# user.visible\n\nNOTE",
    )
    const texts = sections.map(({ id, text }) => [id, text])
    expect(texts.filter(([id]) => id !== "user.visible")).toEqual([
      ["task", "Do it.\n\n## rest\n\nWell."],
      ["more", ""],
      ["rest", "Well."],
    ])
    expect(texts[1]).toEqual(["user.visible", "NOTE\n\n### more\n\nNOTE"])
  })

  const named = (count: number, more: Partial<Action> = {}) =>
    Array.from({ length: count }, (_, at) => action(`a${at}`, { title: `Step ${at + 1}`, ...more }))
  const agents = ["One", "Two"].map((title) => flat(title, "agent", "auto", { title }))
  it.each([
    ["long", { actions: named(5) }, "Step 1, Step 2, Step 3 and 2 more."],
    ["for several agents", { actions: agents }, "One, Two."],
    ["persistent", { actions: named(1), graph: { persist: true } }, "Step 1."],
    [
      "durable",
      { actions: named(2), graph: { mode: "durable", title: "Nightly" } },
      "Nightly: Step 1, Step 2.",
    ],
    ["in need of approval", { actions: named(1, { requires_approval: true }) }, "Step 1."],
    ["irreversible", { actions: named(1, { irreversible: true }) }, "Step 1."],
    ["writing", { actions: named(1, { side_effects: ["read", "write"] }) }, "Step 1."],
  ] as [string, Given, string][])(
    "[MP-UX-4] work that is %s gets a note built from titles",
    (_, given, built) => {
      expect(projectRun(run(given)).note).toBe(built)
      expect(projectRun(run({ ...given, note })).note).toBe(note)
    },
  )

  it.each([
    ["short", { actions: named(4) }],
    ["for one agent", { actions: agents.slice(1) }],
    ["only reading", { actions: named(1, { side_effects: ["read"] }) }],
    ["empty", { actions: [], graph: { persist: true, title: "Nothing" } }],
  ] as [string, Given][])("[MP-UX-4] work that is %s gets none", (_, given) => {
    expect(projectRun(run(given)).note).toBe("")
  })
})

describe("no raw JSON", () => {
  it.each([
    ["an object", ' {"files": 3, "errors": []}\n', "A result with files, errors."],
    ["a list", '[1, {"a": 2}]', "A list of 2."],
    ["an empty object", "{}", "An empty result."],
    ["a block", 'Found:\n```json\n{"a": 1}\n```\nDone.', "Found:\nA result with a.\nDone."],
    ["a block of tildes, longer", "~~~~\n[\n1]\n~~~~~\n", "A list of 1.\n"],
    ["two blocks", '```\n{"a":1}\n```\n```\n{"b":1}\n```', "A result with a.\nA result with b."],
    ["a block of other text", "```\nnpm test\n```", "```\nnpm test\n```"],
    ["a block that does not end", '```json\n{"a": 1}', '```json\n{"a": 1}'],
    ["a shorter fence inside", '````\n{"a": "\\n"}\n```\n````', '````\n{"a": "\\n"}\n```\n````'],
    ["a fence with words inside", '```\n{"a": 1}\n``` no\n```', '```\n{"a": 1}\n``` no\n```'],
    ["broken JSON", '{"a": 1', '{"a": 1'],
    ["prose", "Use {braces}.", "Use {braces}."],
  ])("[MP-UX-5] %s", (_, text, shown) => {
    expect(plainText(text)).toBe(shown)
  })

  it("[MP-UX-5] what is shown holds no JSON, and the declaration is reached by the reference", () => {
    const json = '{"secret_field": true}'
    const record = run({
      run_id: "run_123",
      title: json,
      note: `Look:\n\`\`\`json\n${json}\n\`\`\``,
      source: toolbarSource,
      actions: [action("a", { title: json, description: json })],
      ended: { a: { content: json } },
    })
    const projection = projectRun(record)
    const shown = JSON.stringify([
      projection.title,
      projection.note,
      projection.result_summary,
      ...projection.actions,
    ])
    expect(shown).not.toContain("{\\")
    expect(shown).toContain("A result with secret_field.")
    const artifacts = memoryArtifacts()
    artifacts.put(declarationArtifact(record))
    const scope = { run_id: "run_123", sections: [], actions: [], runs: {}, artifacts, owns: () => true }
    expect(resolveReference(projection.details_ref, scope)).toMatchObject({ ok: true, text: toolbarSource })
  })
})
