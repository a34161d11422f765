import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { z } from "zod"
import {
  artifactCheckpointSummary,
  channelSummary,
  contextBoundarySnapshot,
  type Envelope,
  emptySession,
  evidenceSummary,
  executionEnvironmentSnapshot,
  type Freshness,
  permissionSandboxSummary,
  queueSnapshot,
  routingLimitSummary,
  type SessionState,
  type SnapshotName,
  sessionSnapshot,
  snapshotNames,
  snapshots,
  subagentJobSummary,
  taskSnapshot,
  threadReadModel,
  toolInventorySnapshot,
} from "../src/index.ts"
import { fact, given, types } from "./given.ts"

/** Every projection by the name of its read model. */
const project: {
  [N in SnapshotName]: (
    state: SessionState,
    freshness?: Freshness,
  ) => z.infer<(typeof snapshots)[N]["schema"]>
} = {
  session_snapshot: (state, freshness) => sessionSnapshot(state, freshness ? { freshness } : {}),
  thread_read_model: (state, freshness) => threadReadModel(state, "thr_1", freshness),
  tool_inventory_snapshot: (state, freshness) => toolInventorySnapshot(state, "thr_1", freshness),
  queue_snapshot: (state, freshness) => queueSnapshot(state, "thr_1", freshness),
  task_snapshot: taskSnapshot,
  context_boundary_snapshot: (state, freshness) => contextBoundarySnapshot(state, "thr_1", freshness),
  artifact_checkpoint_summary: artifactCheckpointSummary,
  evidence_summary: evidenceSummary,
  permission_sandbox_summary: permissionSandboxSummary,
  execution_environment_snapshot: (state, freshness) => executionEnvironmentSnapshot(state, {}, freshness),
  routing_limit_summary: routingLimitSummary,
  subagent_job_summary: subagentJobSummary,
  channel_summary: (state, freshness) => channelSummary(state, {}, freshness),
}

/** What each reads when nothing is known: lists are empty, the rest says so. */
const nothing: { [N in SnapshotName]: object } = {
  session_snapshot: {
    shell: { session_id: "unknown", archived: false, metadata: {} },
    title: "",
    timestamps: { created_at: "unknown", updated_at: "unknown" },
    threads: [],
    recent: [],
    history_cursor: null,
  },
  thread_read_model: {
    thread_id: "thr_1",
    status: "unknown",
    active_turn: null,
    pending_requests: [],
    last_outcome: null,
    incidents: [],
    queued_turns: [],
    diagnostics: [],
  },
  tool_inventory_snapshot: {
    caller: "unknown",
    policy: "unknown",
    context: "unknown",
    mode: "unknown",
    tools: [],
  },
  queue_snapshot: { thread_id: "thr_1", queued: [], policy: "unknown", resume_state: "unknown" },
  task_snapshot: {
    active: [],
    waiting: [],
    failed: [],
    lost: [],
    recent_terminal: [],
    graph: [],
    current_attempts: [],
    delivery: [],
  },
  context_boundary_snapshot: {
    thread_id: "thr_1",
    selected: [],
    compactions: [],
    compacting: false,
    warnings: [],
    missing: [],
  },
  artifact_checkpoint_summary: { artifacts: [] },
  evidence_summary: {
    trace_ids: "unavailable",
    evidence_refs: [],
    verifications: [],
    replay_refs: [],
    review_refs: [],
    audit_notes: [],
  },
  permission_sandbox_summary: {
    permission: { policy_version: "unknown", mode: "unknown", last_verdict: "unknown" },
    pending_approvals: [],
    sandbox: { profile: "unknown", in_force: "unknown", network: "unknown" },
    violations: [],
  },
  execution_environment_snapshot: {
    cwd: "unavailable",
    workspace_roots: "unavailable",
    env_refs: "unavailable",
    process_limits: "unavailable",
    active_processes: [],
  },
  routing_limit_summary: {
    task_profile: "unknown",
    candidate_count: "unknown",
    eligible_count: "unknown",
    decision: { status: "unknown", single_candidate: false, fallbacks: 0 },
    cost: [],
    quotas: [],
    rate_limits: [],
    limits: [],
  },
  subagent_job_summary: { children: [], jobs: [], assigned_threads: [] },
  channel_summary: { channels: [] },
}

const everything = given(...types.map((type): Envelope => fact(type)))

describe("every read model", () => {
  it.each(snapshotNames)("[RT-SNAP-14] %s of an empty state invents nothing", (name) => {
    expect(project[name](emptySession)).toEqual({ sequence: 0, freshness: "current", ...nothing[name] })
  })
  it.each(snapshotNames)("[RT-SNAP-15] %s names the sequence that it reflects", (name) => {
    expect(project[name](everything).sequence).toBe(113)
  })
  it.each(snapshotNames)("[RT-STAT-16] a stale %s keeps the last known state beside the mark", (name) => {
    const current = project[name](everything)
    expect(current.freshness).toBe("current")
    expect(project[name](everything, "stale")).toEqual({ ...current, freshness: "stale" })
  })
  it.each(snapshotNames)("%s keeps to its schema, empty and full", (name) => {
    for (const state of [emptySession, everything]) {
      const read = project[name](state)
      expect(snapshots[name].schema.parse(read)).toEqual(JSON.parse(JSON.stringify(read)))
      expect(snapshots[name].name).toBe(name)
    }
  })
  it.each(types)("every read model of a state that knows only %s keeps to its schema", (type) => {
    const state = given(fact(type))
    for (const name of snapshotNames)
      expect(() => snapshots[name].schema.parse(project[name](state))).not.toThrow()
  })
  it("every read model of any log, lawful or not, keeps to its schema", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...types), { maxLength: 60 }), (log) => {
        const state = given(...log.map((type): Envelope => fact(type)))
        for (const name of snapshotNames) snapshots[name].schema.parse(project[name](state))
        expect(JSON.parse(JSON.stringify(state))).toEqual(state)
      }),
      { numRuns: 50 },
    )
  })
  it("[RT-SNAP-14] a model that says that all is done completes and passes nothing", () => {
    const before = [
      fact("session.created"),
      fact("thread.started"),
      fact("turn.submitted"),
      fact("turn.started"),
    ]
    const talk = "Done. All tests pass, the task is completed and approved."
    const says = [
      fact("task.created"),
      fact("evidence.changed", { payload: { kind: "verification" } }),
      fact("model.requested"),
      fact("model.delta", { payload: { text: talk } }),
      fact("model.completed", { payload: { parts: [{ kind: "text", part_id: "p1", text: talk }] } }),
    ]
    const state = given(...before, ...says)
    expect(threadReadModel(state, "thr_1")).toMatchObject({ status: "running", last_outcome: null })
    expect(taskSnapshot(state).active.map(({ status }) => status)).toEqual(["accepted"])
    expect(evidenceSummary(state).verifications.map(({ verdict }) => verdict)).toEqual(["unknown"])
  })
})
