import { existsSync, readFileSync, writeFileSync } from "node:fs"
import {
  applyFacts,
  artifactCheckpointSummary,
  contextBoundarySnapshot,
  type Envelope,
  emptySession,
  evidenceSummary,
  permissionSandboxSummary,
  queueSnapshot,
  sessionSnapshot,
  subagentJobSummary,
  taskSnapshot,
  threadReadModel,
} from "@factum/facts"
import { describe, expect, test } from "vitest"
import { fact, stream } from "../../../facts/test/given.ts"
import { fromRuntime, fromSnapshots, type RuntimeSnapshots } from "../../src/adapters/runtime/index.ts"
import { activate, applyStep, emptyState, readText, reduce } from "../../src/index.ts"

const traces = new URL("../../../conformance/traces/", import.meta.url)
const names = [
  "solo-run",
  "coordinator-team",
  "queue-and-steer",
  "nine-actions",
  "artifact-life",
  "compaction",
  "batch-job",
  "failed-tools",
  "review-team",
  "human-agent-board",
  "restart",
]

function factsOf(name: string): Envelope[] {
  const lines = readFileSync(new URL(`${name}/events.jsonl`, traces), "utf8")
    .trim()
    .split("\n")
  const facts: Envelope[] = lines.map((line) => JSON.parse(line))
  return facts.filter(({ session_id }) => session_id === facts[0]?.session_id)
}

function snapshotsOf(facts: readonly Envelope[], cursor: string | null = "cur_9"): RuntimeSnapshots {
  const { state } = applyFacts(emptySession, facts)
  const threads = Object.keys(state.entities.threads)
  return {
    session_snapshot: sessionSnapshot(state, { history_cursor: cursor }),
    thread_read_models: threads.map((id) => threadReadModel(state, id)),
    queue_snapshots: threads.map((id) => queueSnapshot(state, id)),
    task_snapshot: taskSnapshot(state),
    permission_sandbox_summary: permissionSandboxSummary(state),
    context_boundary_snapshots: threads.map((id) => contextBoundarySnapshot(state, id)),
    artifact_checkpoint_summary: artifactCheckpointSummary(state),
    evidence_summary: evidenceSummary(state),
    subagent_job_summary: subagentJobSummary(state),
  }
}

const path = new URL("pages.golden.json", import.meta.url)
const plain = (value: unknown) => JSON.parse(JSON.stringify(value))
const cut = (facts: readonly Envelope[], type: string) =>
  facts.slice(0, facts.findIndex((one) => one.type === type) + 1)
const sources: Readonly<Record<string, RuntimeSnapshots>> = {
  ...Object.fromEntries(names.map((name) => [name, snapshotsOf(factsOf(name))])),
  "in the middle of an answer": snapshotsOf(cut(factsOf("solo-run"), "model.delta"), null),
  "while an approval is open": snapshotsOf(cut(factsOf("solo-run"), "action.required")),
  "a shell alone": { session_snapshot: snapshotsOf(factsOf("solo-run")).session_snapshot },
  "nothing yet": snapshotsOf([]),
  "children, jobs and limits": snapshotsOf(
    stream(
      fact("session.created"),
      fact("thread.started"),
      fact("subagent.spawned", { payload: { parent_subagent_id: "sub_0" } }),
      fact("subagent.status", { payload: { status: "waiting_input", recoverable: false } }),
      fact("subagent.closed", { subagent_id: "sub_2" }),
      fact("job.created"),
      fact("job.started"),
      fact("task.created"),
      fact("task.failed", { payload: { next: "Retry." } }),
      fact("task.created", { task_id: "tsk_2", payload: { parent_task_id: "tsk_1", assignee: "ana" } }),
      fact("task.dependency.updated", {
        task_id: "tsk_2",
        payload: { edge: { kind: "dependency", from: "tsk_2", to: "tsk_1" } },
      }),
      fact("task.progress", {
        task_id: "tsk_2",
        payload: { percent: 10, done: 1, total: "unknown", note: "Begun" },
      }),
      fact("task.blocked", { task_id: "tsk_2" }),
      fact("task.waiting", { task_id: "tsk_3" }),
      fact("task.archived", { task_id: "tsk_4" }),
      fact("artifact.changed", { payload: { change: "removed", title: "Gone" } }),
      fact("artifact.changed", {
        payload: { artifact_id: "art_2", title: "Kept", diff_ref: { uri: "blob:d", kind: "blob" } },
      }),
      fact("evidence.changed", { payload: { kind: "verification", verdict: "passed", note: "Seen" } }),
      fact("evidence.changed", { payload: { evidence_id: "evd_2", kind: "replay" } }),
      fact("permission.requested", { thread_id: "thr_1", action_id: "act_7" }),
      fact("action.required", {
        thread_id: "thr_1",
        payload: { decided_by: "policy", deadline: "2026-01-02T00:00:00.000Z" },
      }),
      fact("sandbox.applied"),
      fact("policy.changed", { session_id: "ses_1", payload: { mode: { old: "ask", new: "auto" } } }),
      fact("turn.submitted"),
      fact("turn.failed", { payload: { status: "timed_out" } }),
    ),
  ),
}
// UPDATE=1 writes what the adapter gives now; the change is then reviewed line by line.
if (process.env.UPDATE === "1") {
  const pages = Object.fromEntries(Object.entries(sources).map(([name, read]) => [name, fromSnapshots(read)]))
  writeFileSync(path, `${JSON.stringify(pages, null, 2)}\n`)
}
const golden = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {}

describe("the pages of hydration", () => {
  test.each(Object.keys(sources))("%s", (name) => {
    const read = sources[name]
    if (read === undefined) throw new Error(name)
    expect(plain(fromSnapshots(read))).toEqual(golden[name])
  })
  test("are four, in order, each at the position of its snapshot", () => {
    const pages = fromSnapshots(snapshotsOf(factsOf("solo-run")))
    expect(pages.map(({ step, position, cursor, earlier }) => ({ step, position, cursor, earlier }))).toEqual(
      [1, 2, 3, 4].map((step) => ({
        step,
        position: { stream: "ses_login", sequence: 93 },
        cursor: "93",
        earlier: "cur_9",
      })),
    )
  })
  test("[UI-HYD-3] no page carries outputs, bodies, payloads or transcripts: they stay behind their refs", () => {
    for (const name of names) {
      const text = JSON.stringify(fromSnapshots(snapshotsOf(factsOf(name))))
      for (const { type, payload } of factsOf(name)) {
        const output = type === "process.output" ? String(payload.text) : undefined
        if (output !== undefined && output.length > 24)
          expect(text).not.toContain(JSON.stringify(output).slice(1, -1))
      }
      expect(text).not.toMatch(/"(body|content|output|raw)":/)
    }
  })
})

describe("a hydrated session", () => {
  test.each(names)("%s has the same messages as a live one", (name) => {
    const facts = factsOf(name)
    const live = reduce(emptyState(), facts.map(fromRuntime))
    const sessionId = facts[0]?.session_id ?? ""
    let state = activate(emptyState(), sessionId)
    const visit = { sessionId, activation: state.local.activation }
    for (const { step, ...page } of fromSnapshots(snapshotsOf(facts)))
      state = applyStep(state, visit, step, page)
    const said = (of: typeof state) =>
      [...(of.sessions.get(sessionId)?.messageIds ?? [])].map((id) => {
        const parts = of.messages.get(id)?.parts ?? []
        return [
          id,
          ...parts.flatMap((part) =>
            part.kind === "text" ? [readText(part.text)] : part.kind === "tool" ? [part.ref] : [],
          ),
        ]
      })
    expect(said(state)).toEqual(said(live))
    // What comes after the snapshot follows without a gap, and what it holds already changes nothing.
    const again = reduce(state, facts.slice(-3).map(fromRuntime))
    expect(again.streams.get(sessionId)?.gap).toBeUndefined()
    expect(said(again)).toEqual(said(live))
  })
  test.each(names)(
    "[UI-HITL-14] a request of %s is whole when nothing but the read models is read",
    (name) => {
      const facts = factsOf(name)
      const sessionId = facts[0]?.session_id ?? ""
      for (const [at, { type }] of facts.entries()) {
        if (type !== "action.required") continue
        const until = facts.slice(0, at + 1)
        const visit = { sessionId, activation: 1 }
        const state = fromSnapshots(snapshotsOf(until)).reduce(
          (known, { step, ...page }) => applyStep(known, visit, step, page),
          activate(emptyState(), sessionId),
        )
        const { actionId = "" } = fromRuntime(facts[at] as Envelope).events[0] ?? {}
        const { origin: _, opened: __, ...card } = state.actions.get(actionId) ?? {}
        const live = reduce(emptyState(), until.map(fromRuntime))
        const { origin: ___, opened: ____, ...whole } = live.actions.get(actionId) ?? {}
        expect(card).toEqual(whole)
      }
    },
  )
})
