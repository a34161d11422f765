import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  applyFacts,
  type Envelope,
  emptySession,
  queueSnapshot,
  sessionSnapshot,
  taskSnapshot,
} from "@factum/facts"
import { describe, expect, test } from "vitest"
import { readTrace, traceNames, tracePath } from "../src/traces.ts"
import { main } from "../src/validate.ts"
import { readable, validateTrace } from "../src/validator/index.ts"

type Loose = Record<string, unknown>
const linesOf = (facts: readonly unknown[]) => facts.map((fact) => JSON.stringify(fact))
const judge = (...facts: readonly unknown[]) => validateTrace(linesOf(facts))
const result = (rule: string, facts: readonly unknown[]) => {
  const found = validateTrace(linesOf(facts)).results.find((one) => one.rule === rule)
  if (!found) throw new Error(rule)
  return found
}
const outcome = (rule: string, facts: readonly unknown[]) => result(rule, facts).outcome
const without = (facts: readonly Envelope[], isGone: (fact: Envelope) => boolean) =>
  facts.filter((fact) => !isGone(fact))
/** The trace with one fact replaced. */
function with_(
  facts: readonly Envelope[],
  isMeant: (fact: Envelope) => boolean,
  change: (fact: Envelope) => Loose,
): Loose[] {
  const at = facts.findIndex(isMeant)
  if (at < 0) throw new Error("no such fact")
  return facts.map((fact, index) => (index === at ? change(fact) : fact) as Loose)
}
const typed = (type: string) => (fact: Envelope) => fact.type === type
const payload = (more: Loose) => (fact: Envelope) => ({ ...fact, payload: { ...fact.payload, ...more } })
const stateOf = (facts: readonly Envelope[]) => applyFacts(emptySession, facts).state

const solo = readTrace("solo-run")
const queue = readTrace("queue-and-steer")
const team = readTrace("parallel-workers")
const actions = readTrace("nine-actions")
const fallback = readTrace("model-fallback")
const failed = readTrace("failed-tools")

describe("the recorded traces", () => {
  test.each(traceNames().filter((name) => name !== "stale-switch"))("%s breaks no rule", (name) => {
    expect(
      validateTrace(linesOf(readTrace(name))).results.flatMap(({ findings }) =>
        findings.filter(({ level }) => level !== "SHOULD"),
      ),
    ).toEqual([])
  })
  test("stale-switch has a hole, and the hole is found", () => {
    const report = judge(...readTrace("stale-switch"))
    expect(
      report.results.flatMap(({ findings }) => findings.map(({ rule, line }) => `${rule} ${line}`)),
    ).toEqual(["RT-VAL-1 43", "RT-VAL-11 51"])
  })
})

describe("the logs that the runtime itself wrote", () => {
  const folder = new URL("../scenarios/", import.meta.url)
  // Values that differ from run to run are masked in them, so that these fields do not fit their class.
  const isMasked = (reason: string) => /digest: |^payload\.os: /.test(reason)
  test.each(readdirSync(folder))("%s breaks no rule", (name) => {
    const report = validateTrace(readFileSync(new URL(`${name}/log.jsonl`, folder), "utf8").split("\n"))
    const failures = report.results.flatMap(({ findings }) =>
      findings.filter(({ level, reason }) => level !== "SHOULD" && !isMasked(reason)),
    )
    expect(failures).toEqual([])
    expect(report).toMatchObject({ kind: "runtime", respelled: 0 })
  })
})

describe("the runtime's list", () => {
  const session = {
    record: "snapshot",
    name: "session_snapshot",
    session_id: "ses_login",
    snapshot: sessionSnapshot(stateOf(solo)),
  }
  test("[RT-VAL-1] a trace that replays into its recorded read model passes", () => {
    expect(outcome("RT-VAL-1", [...solo, session])).toBe("pass")
  })
  test("[RT-VAL-1] a changed id fails", () => {
    const facts = with_(solo, typed("turn.started"), (fact) => ({ ...fact, event_id: solo[0]?.event_id }))
    expect(result("RT-VAL-1", facts)).toMatchObject({
      outcome: "fail",
      findings: [{ line: 4, event: "turn.started" }],
    })
  })
  test("[RT-VAL-1] a changed read model fails", () => {
    const changed = { ...session, snapshot: { ...session.snapshot, title: "Another" } }
    expect(result("RT-VAL-1", [...solo, changed]).findings).toMatchObject([
      { line: 94, reason: "session_snapshot differs from the facts before it: title." },
    ])
  })
  test("[RT-VAL-1] a sequence that does not rise fails, one that leaves a hole warns", () => {
    expect(
      outcome(
        "RT-VAL-1",
        with_(solo, typed("turn.started"), (fact) => ({ ...fact, sequence: 1 })),
      ),
    ).toBe("fail")
    expect(outcome("RT-VAL-1", without(solo, typed("context.resolved")))).toBe("warning")
    expect(outcome("RT-VAL-1", without(solo, typed("model.delta")))).toBe("pass")
  })
  test("[RT-VAL-1] a read model of a session that is not there fails", () => {
    expect(outcome("RT-VAL-1", [...solo, { ...session, session_id: "ses_other" }])).toBe("fail")
  })

  test("[RT-VAL-2] a mapped stream passes", () => expect(outcome("RT-VAL-2", solo)).toBe("pass"))
  test("[RT-VAL-2] a provider's chunk as the only record fails", () => {
    const bare = without(solo, ({ type }) => /^(model|reasoning)\./.test(type))
    const chunk = {
      ...solo[5],
      type: "x-acme.chunk",
      event_id: "evt_raw",
      payload: { choices: [{ delta: "Hi" }] },
    }
    expect(outcome("RT-VAL-2", [...bare, chunk])).toBe("fail")
    expect(outcome("RT-VAL-2", [...solo, chunk])).toBe("pass")
  })
  test("[RT-VAL-2] output of a request that was never made, or that had ended, fails", () => {
    expect(outcome("RT-VAL-2", without(solo, typed("model.requested")))).toBe("fail")
    const late = solo.find(typed("model.delta"))
    const end = solo.find(typed("model.completed"))
    expect(outcome("RT-VAL-2", [...solo, { ...late, event_id: "evt_late" }])).toBe("fail")
    expect(outcome("RT-VAL-2", [...solo, { ...end, event_id: "evt_twice" }])).toBe("fail")
  })

  test("[RT-VAL-3] calls that keep everything pass", () => {
    expect(outcome("RT-VAL-3", solo)).toBe("pass")
    expect(outcome("RT-VAL-3", failed)).toBe("pass")
  })
  test.each([
    ["its input ref", without(solo, typed("tool.args"))],
    ["its result ref", with_(solo, typed("tool.result"), payload({ output_refs: [] }))],
    ["its error", with_(failed, typed("tool.failed"), payload({ message: "" }))],
    ["the policy's decision", without(solo, typed("permission.evaluated"))],
    ["its opening", without(solo, typed("tool.started"))],
  ])("[RT-VAL-3] a call without %s fails", (_, facts) => expect(outcome("RT-VAL-3", facts)).toBe("fail"))

  test("[RT-VAL-4] work that waits passes", () => {
    expect(outcome("RT-VAL-4", solo)).toBe("pass")
    expect(outcome("RT-VAL-4", actions)).toBe("pass")
  })
  test("[RT-VAL-4] work during the wait fails", () => {
    const asked = solo.findIndex(typed("action.required"))
    const moved = solo.find(
      ({ type, tool_call_id }) => type === "tool.result" && tool_call_id === solo[asked]?.tool_call_id,
    )
    const early = [...solo.slice(0, asked + 1), { ...moved, event_id: "evt_early" }, ...solo.slice(asked + 1)]
    expect(result("RT-VAL-4", early).findings).toMatchObject([{ line: asked + 2, event: "tool.result" }])
    const turn = actions.findIndex(typed("action.required"))
    const asks = { ...actions.find(typed("model.requested")), event_id: "evt_early" }
    expect(outcome("RT-VAL-4", [...actions.slice(0, turn + 1), asks, ...actions.slice(turn + 1)])).toBe(
      "fail",
    )
  })
  test("[RT-VAL-4] a resolution that no command asked for fails", () => {
    const at = solo.findIndex(typed("action.resolved"))
    const id = solo[at]?.action_id
    const command = (action_id: unknown) => ({
      record: "command",
      command: "respond_action",
      input: { action_id },
    })
    const told = (action_id: unknown) => [...solo.slice(0, at), command(action_id), ...solo.slice(at)]
    expect(outcome("RT-VAL-4", told(id))).toBe("pass")
    expect(outcome("RT-VAL-4", told("act_other"))).toBe("fail")
  })
  test("[RT-VAL-4] an answer by somebody else fails", () => {
    expect(
      outcome("RT-VAL-4", with_(solo, typed("action.resolved"), payload({ decider: { kind: "runtime" } }))),
    ).toBe("fail")
  })

  test("[RT-VAL-5] a queue that is told passes, also after a restart", () => {
    const at = queue.findLastIndex(typed("queue.changed"))
    const before = queue.slice(0, at)
    const snapshot = queueSnapshot(stateOf(before), "thr_release")
    const told = { record: "snapshot", name: "queue_snapshot", session_id: "ses_release", snapshot }
    expect(outcome("RT-VAL-5", [...before, { record: "restart" }, told, ...queue.slice(at)])).toBe("pass")
    const lost = { ...told, snapshot: { ...snapshot, queued: [] } }
    expect(outcome("RT-VAL-5", [...before, lost])).toBe("fail")
  })
  test("[RT-VAL-5] a dropped event fails", () => {
    expect(
      outcome(
        "RT-VAL-5",
        without(queue, ({ type, payload }) => type === "queue.changed" && payload.change === "dequeued"),
      ),
    ).toBe("fail")
    expect(outcome("RT-VAL-5", without(queue, typed("queue.changed")))).toBe("fail")
  })
  test("[RT-VAL-5] a lost order fails", () => {
    const isPromotion = ({ type, payload }: Envelope) =>
      type === "queue.changed" && payload.change === "promoted"
    expect(outcome("RT-VAL-5", with_(queue, isPromotion, payload({ change: "enqueued" })))).toBe("fail")
    expect(outcome("RT-VAL-5", with_(queue, isPromotion, payload({ order: [] })))).toBe("fail")
  })
  test("[RT-VAL-5] a turn that starts beside the active one fails", () => {
    const started = queue.filter(typed("turn.started"))[1]
    const at = queue.findIndex(typed("model.requested"))
    expect(
      outcome("RT-VAL-5", [
        ...queue.slice(0, at),
        { ...started, event_id: "evt_beside" },
        ...queue.slice(at),
      ]),
    ).toBe("fail")
  })

  const board = readTrace("human-agent-board")
  test("[RT-VAL-6] tasks with attempts and edges pass, also after a restart", () => {
    const told = {
      record: "snapshot",
      name: "task_snapshot",
      session_id: "ses_board",
      snapshot: taskSnapshot(stateOf(board)),
    }
    expect(outcome("RT-VAL-6", [...board, told])).toBe("pass")
    expect(outcome("RT-VAL-6", [...board, { ...told, snapshot: { ...told.snapshot, graph: [] } }])).toBe(
      "fail",
    )
  })
  test("[RT-VAL-6] a lost attempt fails", () => {
    expect(outcome("RT-VAL-6", without(team, typed("task.attempt.started")))).toBe("fail")
    expect(outcome("RT-VAL-6", with_(team, typed("task.attempt.started"), payload({ number: 2 })))).toBe(
      "fail",
    )
  })
  test("[RT-VAL-6] a lost edge fails", () => {
    const unlinked = with_(board, typed("task.dependency.updated"), payload({ change: "unlinked" }))
    expect(outcome("RT-VAL-6", unlinked)).toBe("fail")
    expect(
      outcome("RT-VAL-6", with_(board, typed("task.created"), payload({ parent_task_id: "tsk_gone" }))),
    ).toBe("fail")
  })

  const window = (from: number, to: number) => ({ record: "window", session_id: "ses_login", from, to })
  test("[RT-VAL-7] windows that join pass", () => {
    expect(outcome("RT-VAL-7", [...solo, window(51, 93), window(1, 50)])).toBe("pass")
    expect(outcome("RT-VAL-7", readTrace("old-session"))).toBe("pass")
  })
  test.each([
    ["overlapping", [window(1, 50), window(50, 93)]],
    ["missing", [window(1, 50), window(60, 93)]],
  ])("[RT-VAL-7] an %s window fails", (_, windows) =>
    expect(outcome("RT-VAL-7", [...solo, ...windows])).toBe("fail"),
  )
  test("[RT-VAL-7] a session rebuilt from what is not there fails", () => {
    expect(
      outcome(
        "RT-VAL-7",
        with_(readTrace("old-session"), typed("history.reconstructed"), payload({ through: 9999 })),
      ),
    ).toBe("fail")
  })

  test("[RT-VAL-8] explained calls and commands pass", () => expect(outcome("RT-VAL-8", solo)).toBe("pass"))
  test.each([
    ["a call without a decision", without(solo, typed("permission.evaluated"))],
    ["a denied call that ran", with_(solo, typed("permission.evaluated"), payload({ verdict: "deny" }))],
    ["an asked call that nobody allowed", without(solo, typed("permission.resolved"))],
    ["a command without a boundary", without(solo, typed("sandbox.applied"))],
  ])("[RT-VAL-8] %s fails", (_, facts) => expect(outcome("RT-VAL-8", facts)).toBe("fail"))
  test("[RT-VAL-8] a call that a hook blocked and that ran fails", () => {
    const call = solo.find(typed("tool.started"))
    const hook = {
      ...call,
      type: "hook.failed",
      event_id: "evt_hook",
      payload: {
        hook_run_id: "hrn_1",
        hook: "guard",
        failure_policy: "closed",
        cause: "threw",
        message: "No.",
        effect: "blocked",
        duration_ms: 1,
      },
    }
    expect(outcome("RT-VAL-8", [...solo, hook])).toBe("fail")
  })

  test("[RT-VAL-9] explained choices pass", () => {
    expect(outcome("RT-VAL-9", solo)).toBe("pass")
    expect(outcome("RT-VAL-9", fallback)).toBe("pass")
  })
  const routing = fallback.find(typed("routing.candidates.resolved"))
  const told = (type: string, more: Loose) => ({
    ...routing,
    type,
    event_id: `evt_${type}`,
    payload: { routing_id: routing?.payload.routing_id, ...more },
  })
  test.each([
    ["selected", without(fallback, typed("routing.decided"))],
    [
      "fallback",
      with_(
        fallback,
        typed("routing.fallback.applied"),
        payload({ to: { provider: "fabrikam", model: "atlas-2" } }),
      ),
    ],
    ["no candidate", [...fallback, told("routing.not_possible", { reason: "none", exclusions: [] })]],
    [
      "single candidate",
      [
        ...fallback,
        told("routing.single_candidate", {
          choice: { provider: "northwind", model: "haiku-small" },
          exclusions: [],
        }),
      ],
    ],
  ])("[RT-VAL-9] a broken outcome fails: %s", (_, facts) => expect(outcome("RT-VAL-9", facts)).toBe("fail"))
  test("[RT-VAL-9] a model that is asked although routing was not possible fails", () => {
    const none = without(fallback, ({ type }) => type.startsWith("routing."))
    const at = none.findIndex(typed("model.requested"))
    const refused = told("routing.not_possible", { reason: "none", exclusions: [] })
    const found = result("RT-VAL-9", [...none.slice(0, at), refused, ...none.slice(at)]).findings
    expect(found.map(({ reason }) => reason)).toContain("A model was asked after routing was not possible.")
  })
  test("[RT-VAL-9] a summary is asked of a model that its thread was routed to, and of no other", () => {
    const url = new URL("../scenarios/compaction/log.jsonl", import.meta.url)
    const facts = readFileSync(url, "utf8")
      .trim()
      .split("\n")
      .map((line): Envelope => JSON.parse(line))
    const isSummary = ({ type, payload }: Envelope) =>
      type === "model.requested" && payload.compaction_id !== undefined
    expect(facts.some(isSummary)).toBe(true)
    expect(outcome("RT-VAL-9", facts)).not.toBe("fail")
    expect(outcome("RT-VAL-9", with_(facts, isSummary, payload({ model: "other" })))).toBe("fail")
    expect(outcome("RT-VAL-9", without(facts, typed("routing.decided")))).toBe("fail")
  })
  test("[RT-VAL-9] an untold cost warns", () =>
    expect(outcome("RT-VAL-9", without(solo, typed("cost.recorded")))).toBe("warning"))

  test("[RT-VAL-10] an export of the same facts passes", () => {
    expect(outcome("RT-VAL-10", [...solo, { record: "export", facts: solo.slice(3, 9) }])).toBe("pass")
  })
  test("[RT-VAL-10] an export with one altered fact fails", () => {
    const altered = with_(solo, typed("turn.submitted"), payload({ source: "nobody" }))
    expect(outcome("RT-VAL-10", [...solo, { record: "export", facts: altered }])).toBe("fail")
    expect(outcome("RT-VAL-10", [...solo, { record: "export", facts: [{ event_id: "evt_other" }] }])).toBe(
      "fail",
    )
    expect(outcome("RT-VAL-10", [...solo, { record: "export" }])).toBe("fail")
  })

  test("[RT-VAL-11] a turn whose outcomes are facts passes", () =>
    expect(outcome("RT-VAL-11", solo)).toBe("pass"))
  test.each(["tool.result", "process.completed", "model.completed"])(
    "[RT-VAL-11] an outcome that only the text states fails: no %s",
    (type) => {
      expect(outcome("RT-VAL-11", without(solo, typed(type)))).toBe("fail")
    },
  )

  test("[RT-VAL-12] nothing is passed by an empty trace", () => {
    for (const lines of [[], ["", "  "]]) {
      const outcomes = new Set(validateTrace(lines).results.map((one) => one.outcome))
      expect([...outcomes].sort()).toEqual(["not_applicable", "not_exercised"])
    }
  })
  test("[RT-VAL-12] what a trace never exercised is not called kept", () => {
    expect(outcome("RT-VAL-5", solo)).toBe("not_exercised")
  })
  test("[RT-VAL-12] rules that are about the report claim nothing of a trace", () => {
    for (const rule of ["RT-VAL-12", "RT-VAL-13"]) {
      expect(result(rule, solo)).toMatchObject({ outcome: "not_applicable", why: expect.any(String) })
    }
  })

  test("[RT-VAL-13] each finding names rule, level, event and reason; failures and warnings are apart", () => {
    const report = judge(
      ...without(solo, ({ type }) => type === "sandbox.applied" || type === "cost.recorded"),
    )
    const findings = report.results.flatMap(({ findings }) => findings)
    for (const { rule, level, line, event, reason } of findings) {
      expect([typeof rule, typeof level, line > 0, typeof event, reason.length > 0]).toEqual([
        "string",
        "string",
        true,
        "string",
        true,
      ])
    }
    expect(report).toMatchObject({ failures: 2, ok: false })
    expect(report.warnings).toBeGreaterThan(0)
  })
  test("[RT-VAL-13] a lawful trace cut in mid-turn is no failure, wherever it is cut", () => {
    for (let at = 1; at <= solo.length; at++)
      expect(judge(...solo.slice(0, at)).failures, `cut at ${at}`).toBe(0)
  })

  const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  const free = new Set(["metadata", "profile", "answer_schema"])
  const respelled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(respelled)
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [camel(name), free.has(name) ? inner : respelled(inner)]),
    )
  }
  test("[RT-VAL-14] the same trace in camelCase has the same verdicts, and the report tells of it", () => {
    const report = judge(...solo.map(respelled))
    const known = judge(...solo)
    expect(report.respelled).toBe(solo.length)
    expect(report.results.filter(({ rule }) => rule !== "RT-VAL-14")).toEqual(
      known.results.filter(({ rule }) => rule !== "RT-VAL-14"),
    )
    expect(report.results.find(({ rule }) => rule === "RT-VAL-14")?.outcome).toBe("pass")
    expect(readable(report)[1]).toBe("93 events came in another spelling and were read through the adapter.")
  })
  test("[RT-VAL-14] both spellings of cancelled are read", () => {
    const one = with_(failed, typed("turn.failed"), payload({ status: "canceled" }))
    expect(judge(...one)).toMatchObject({ failures: 0, respelled: 1 })
  })
  test("[RT-VAL-14] two spellings in one event fail", () => {
    const mixed = with_(solo, typed("turn.started"), ({ thread_id, ...fact }) => ({
      ...fact,
      threadId: thread_id,
    }))
    expect(result("RT-VAL-14", mixed)).toMatchObject({ outcome: "fail", findings: [{ line: 4 }] })
  })
})

describe("large things", () => {
  const large = (field: string, size: number) => payload({ [field]: "x".repeat(size) })
  test("[RT-ENV-11] each field of a payload above the limit is a warning with its line", () => {
    const at = solo.findIndex(typed("tool.result"))
    const facts = with_(solo, typed("tool.result"), (fact) => ({
      ...fact,
      payload: {
        ...fact.payload,
        preview: { text: "x".repeat(20_000), whole: true },
        notes: "y".repeat(17_000),
      },
    }))
    const found = result("RT-ENV-11", facts)
    expect(found).toMatchObject({ outcome: "warning", level: "SHOULD" })
    expect(found.findings).toEqual([
      {
        rule: "RT-ENV-11",
        level: "SHOULD",
        line: at + 1,
        event: "tool.result",
        reason: "tool.result carries 20024 bytes in preview; over 16384 bytes belong behind a ref.",
      },
      {
        rule: "RT-ENV-11",
        level: "SHOULD",
        line: at + 1,
        event: "tool.result",
        reason: "tool.result carries 17002 bytes in notes; over 16384 bytes belong behind a ref.",
      },
    ])
  })
  test("[RT-ENV-11] the limit is the caller's, and events of Agent UI are looked at too", () => {
    const lines = linesOf(with_(solo, typed("turn.submitted"), large("source", 200)))
    const found = (inline: number) =>
      validateTrace(lines, { inline }).results.find(({ rule }) => rule === "RT-ENV-11")
    expect(found(202)?.findings.filter(({ event }) => event === "turn.submitted")).toEqual([])
    expect(found(201)?.findings.filter(({ event }) => event === "turn.submitted")).toHaveLength(1)
    const event = { type: "tool.result", toolCallId: "t", payload: { preview: { text: "x".repeat(20_000) } } }
    expect(result("RT-ENV-11", [event])).toMatchObject({ outcome: "warning", findings: [{ line: 1 }] })
  })
  test("[RT-ENV-11] what the runtime wrote passes, an empty trace shows nothing", () => {
    expect(outcome("RT-ENV-11", solo)).toBe("pass")
    expect(outcome("RT-ENV-11", [])).toBe("not_exercised")
  })
})

describe("bad input", () => {
  test.each([
    "not json",
    "[1,2]",
    "null",
    '{"type":7}',
    '{"__proto__":{"polluted":true},"type":"x"}',
    '{"type":"turn.submitted","event_id":"e1","sequence":1,"payload":{}}',
    '{"type":"queue.changed","event_id":"e1","sequence":-4,"payload":{"order":7}}',
    `{"type":"text.delta","messageId":"m","payload":{"delta":"${"x".repeat(100_000)}"}}`,
    '{"record":"export","facts":[null]}',
    '{"record":"snapshot","name":"task_snapshot","session_id":"__proto__"}',
  ])("%.60s is told and never thrown", (line) => {
    const report = validateTrace([line])
    expect(report.lines).toBe(1)
    expect(readable(report).length).toBeGreaterThan(30)
    expect(({} as Loose).polluted).toBeUndefined()
  })
})

describe("the checklist of Agent UI", () => {
  const at = { sessionId: "s", runId: "r" }
  const said = (text: string, more: Loose = {}) => ({
    ...at,
    type: "text.final",
    messageId: "m",
    partId: "p1",
    payload: { text, role: "assistant" },
    ...more,
  })
  const started = { ...at, type: "run.status", phase: "preparing", payload: {} }
  const long = "A passage that is long enough to be told from chance."
  const broken: Readonly<Record<string, readonly unknown[]>> = {
    "UI-CHECK-2": [said("Hi")],
    "UI-CHECK-3": [started, said("Hi", { partId: undefined })],
    "UI-CHECK-5": [started, said(long), said(long, { partId: "p2" })],
    "UI-CHECK-6": [
      started,
      { ...at, type: "tool.result", toolCallId: "t", payload: { preview: { text: long } } },
      said(`It says: ${long}`),
    ],
    "UI-CHECK-7": [{ ...at, type: "action.resolved", actionId: "a", payload: { decision: "approve" } }],
    "UI-CHECK-8": [
      {
        ...at,
        type: "queue.changed",
        payload: { steer: { state: "steered", text: long }, turns: [{ queuedTurnId: "q", preview: long }] },
      },
    ],
    "UI-CHECK-9": [
      started,
      { ...at, type: "artifact.created", artifactId: "x", payload: { preview: { text: long } } },
      said(long),
    ],
    "UI-CHECK-10": [{ ...at, type: "review.completed", payload: { reviewId: "v", evidenceRefs: ["e"] } }],
    "UI-CHECK-11": [
      { ...at, type: "task.changed", taskId: "t", owner: "model", payload: { status: "done" } },
    ],
    "UI-CHECK-12": [{ ...at, type: "agent.changed", agentId: "a", payload: { status: "running" } }],
    "UI-CHECK-13": [
      { ...at, type: "worker.notification", agentId: "a", payload: { summary: long } },
      said(long, { payload: { text: long, role: "user" } }),
    ],
    "UI-CHECK-14": [{ ...at, type: "agent.spawned", agentId: "a", payload: {} }],
    "UI-CHECK-15": [
      { ...at, type: "action.required", actionId: "a", payload: { actionType: "delegated_permission" } },
    ],
    "UI-CHECK-16": [{ ...at, type: "context.compaction.completed", payload: { boundaryId: "b" } }],
    "UI-CHECK-17": [{ ...at, type: "tool.started", payload: {} }],
    "UI-CHECK-18": [{ ...at, type: "session.hydrated", payload: { step: 3 } }],
    "UI-CHECK-19": [started, { ...at, type: "diagnostic.changed", payload: { message: long } }, said(long)],
  }
  test.each(Object.entries(broken))("%s warns and is no failure", (rule, events) => {
    expect(outcome(rule, events)).toBe("warning")
    expect(judge(...events)).toMatchObject({ kind: "agent_ui", failures: 0, ok: true })
  })
  test.each(["UI-CHECK-1", "UI-CHECK-4"])("%s shows on a screen only, and says so", (rule) =>
    expect(result(rule, solo)).toMatchObject({
      outcome: "not_applicable",
      why: "only a screen shows it",
    }),
  )
  test("a team without a topology is found where it begins", () => {
    const changed = { ...at, type: "agent.changed", agentId: "a", payload: { status: "running" } }
    expect(result("UI-CHECK-12", [started, said("Hi"), changed, changed]).findings).toMatchObject([
      { line: 3, event: "agent.changed" },
    ])
    expect(outcome("UI-CHECK-12", [changed, { ...changed, topology: "coordinator_team" }])).toBe("pass")
  })
  test("an event without the id that it needs is found in its line", () => {
    const withheld = { ...at, type: "tool.started", payload: {} }
    const wrong = { ...at, type: "agent.changed", agentId: 7, payload: {} }
    expect(result("UI-CHECK-17", [started, withheld, said("Hi"), wrong]).findings).toMatchObject([
      { line: 2, event: "tool.started", reason: expect.stringContaining("toolCallId") },
      { line: 4, event: "agent.changed", reason: expect.stringContaining("agentId") },
    ])
  })
  describe("what teammates and tasks do follows facts", () => {
    const changed = (status: string, more: Loose = {}) => ({
      ...at,
      type: "agent.changed",
      agentId: "a",
      owner: "agent",
      payload: { status },
      ...more,
    })
    const reported = (kind: string, more: Loose = {}) => ({
      ...at,
      type: "worker.notification",
      agentId: "a",
      owner: "agent",
      payload: { kind, summary: "It is over." },
      ...more,
    })
    const found = (...events: unknown[]) => result("UI-CHECK-11", events).findings.map(({ line }) => line)
    test("a status that a model says is none", () =>
      expect(found(changed("running"), changed("completed", { owner: "model" }))).toEqual([2]))
    test("a report of somebody of whom no fact tells", () => {
      expect(found(changed("running"), reported("result", { agentId: "b" }))).toEqual([2])
      expect(found(changed("running"), reported("result", { agentId: undefined, taskId: "a" }))).toEqual([2])
    })
    test("a report that says the opposite of the facts", () => {
      expect(found(changed("failed"), reported("result"))).toEqual([2])
      expect(found(changed("completed"), reported("failure"))).toEqual([2])
      expect(found(changed("failed"), reported("result"), changed("completed"))).toEqual([])
      expect(found(changed("running"), reported("result"))).toEqual([])
      expect(found(reported("failure"), changed("failed"))).toEqual([])
    })
    test("a word of no end is no report of one", () =>
      expect(found(changed("failed"), reported("message"))).toEqual([]))
    test("a trace without anybody shows nothing", () =>
      expect(outcome("UI-CHECK-11", solo)).toBe("not_exercised"))
  })
  test("a good trace is in order", () => {
    const checks = judge(...readTrace("coordinator-team")).results.filter(({ rule }) =>
      rule.startsWith("UI-CHECK"),
    )
    expect(checks).toHaveLength(19)
    expect(checks.filter((one) => one.outcome === "warning")).toEqual([])
    const passed = checks.filter((one) => one.outcome === "pass").map(({ rule }) => Number(rule.slice(9)))
    expect(passed).toEqual([2, 3, 5, 6, 10, 11, 12, 13, 14, 17])
  })
})

describe("the command", () => {
  const run = (...args: string[]) => {
    const said: string[] = []
    return { code: main(args, (text) => said.push(text)), said: said.join("\n") }
  }
  const bad = join(tmpdir(), `factum-bad-${process.pid}.jsonl`)
  test("0 for a good trace, 1 for a bad one, 2 for none", () => {
    writeFileSync(bad, linesOf(without(solo, typed("sandbox.applied"))).join("\n"))
    const good = tracePath("solo-run", "events.jsonl")
    expect(run(good).code).toBe(0)
    expect(run(bad).code).toBe(1)
    expect(run(bad).said).toMatch(
      /FAIL RT-VAL-8 +Each call and command is explained\n +line \d+ process.started: The process prc_login_1_2 ran/,
    )
    expect(JSON.parse(run(good, "--json").said)).toMatchObject({ ok: true, kind: "runtime", failures: 0 })
    for (const args of [
      [],
      ["/no/such/file"],
      [good, bad],
      ["--nonsense"],
      [tracePath("solo-run", "trace.json").replace("trace.json", "none")],
    ]) {
      expect(run(...args).code).toBe(2)
    }
  })
})
