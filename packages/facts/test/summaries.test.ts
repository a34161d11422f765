import { describe, expect, it } from "vitest"
import {
  artifactCheckpointSummary,
  channelSummary,
  contextBoundarySnapshot,
  type Envelope,
  evidenceSummary,
  executionEnvironmentSnapshot,
  permissionSandboxSummary,
  queueSnapshot,
  routingLimitSummary,
  subagentJobSummary,
  taskSnapshot,
  toolInventorySnapshot,
} from "../src/index.ts"
import { at, fact, given } from "./given.ts"
import { operation, preview, ref } from "./samples.ts"

describe("tool_inventory_snapshot and queue_snapshot", () => {
  const tool = { name: "ls", available: true }
  const resolved = (turn_id: string, payload: object, thread_id = "thr_1") =>
    fact("tool.catalog.resolved", { turn_id, thread_id, payload })
  const list = (...facts: Envelope[]) => toolInventorySnapshot(given(...facts), "thr_1")
  it.each([
    ["caller", { caller: "child" }, { caller: "child" }],
    ["policy", { policy_version: "v2" }, { policy: "v2" }],
    ["context", { context: "repo" }, { context: "repo" }],
    ["mode", { mode: "plan" }, { mode: "plan" }],
  ] as const)("[RT-SNAP-3] the list follows the %s, which it names", (_, change, named) => {
    const before = resolved("trn_1", { tools: [tool] })
    const after = resolved("trn_2", { ...change, tools: [{ ...tool, name: "cat" }] })
    expect(list(before)).toEqual({
      sequence: 1,
      freshness: "current",
      caller: "agent",
      policy: "v1",
      context: "unknown",
      mode: "default",
      tools: [tool],
    })
    expect(list(before, after)).toMatchObject({ ...named, tools: [{ name: "cat" }] })
    expect(list(before, resolved("trn_3", { ...change, tools: [] }, "thr_2"))).toMatchObject({
      tools: [tool],
    })
  })
  it("[RT-SNAP-4] three turns from two sources, in order, with policy and resume state", () => {
    const entry = (n: number, source: string) => ({
      queued_turn_id: `qtn_${n}`,
      turn_id: `trn_${n}`,
      source,
      state: "waiting" as const,
    })
    const order = [entry(2, "user"), entry(1, "channel"), entry(3, "user")]
    const read = (policy: "fifo" | "paused") =>
      queueSnapshot(given(fact("queue.changed", { payload: { order, policy } })), "thr_1")
    expect(read("fifo")).toEqual({
      sequence: 1,
      freshness: "current",
      thread_id: "thr_1",
      queued: order,
      policy: "fifo",
      resume_state: "ready",
    })
    expect(read("paused")).toMatchObject({ queued: order, policy: "paused", resume_state: "held" })
  })
})

describe("task_snapshot", () => {
  const made = (task_id: string) => fact("task.created", { task_id })
  it("[RT-SNAP-5] one task per group, the graph, current attempts and delivery state", () => {
    const edge = { kind: "dependency", from: "a", to: "b" } as const
    const state = given(
      ...["a", "b", "c", "d", "e"].map(made),
      fact("task.started", { task_id: "a" }),
      fact("task.attempt.started", { task_id: "a" }),
      fact("task.waiting", { task_id: "b" }),
      fact("task.failed", { task_id: "c" }),
      fact("task.lost", { task_id: "d" }),
      fact("task.completed", { task_id: "e" }),
      fact("task.dependency.updated", { task_id: "a", payload: { edge } }),
    )
    const snapshot = taskSnapshot(state)
    const ids = (tasks: readonly { task_id: string }[]) => tasks.map(({ task_id }) => task_id)
    expect(ids(snapshot.active)).toEqual(["a"])
    expect(ids(snapshot.waiting)).toEqual(["b"])
    expect(ids(snapshot.failed)).toEqual(["c"])
    expect(ids(snapshot.lost)).toEqual(["d"])
    expect(ids(snapshot.recent_terminal)).toEqual(["e"])
    expect(snapshot.graph).toEqual([{ ...edge, outcome: "pending" }])
    expect(snapshot.current_attempts).toEqual([{ task_id: "a", attempt_id: "run_1" }])
    expect(snapshot.delivery.map(({ delivery }) => delivery)).toEqual([
      "not_due",
      "not_due",
      "not_due",
      "not_due",
      "undelivered",
    ])
  })
  it.each([
    ["accepted", "active", fact("task.created")],
    ["preparing", "active", fact("task.started", { payload: { to: "preparing" } })],
    ["running", "active", fact("task.started")],
    ["streaming", "active", fact("task.started", { payload: { to: "streaming" } })],
    ["retrying", "active", fact("task.retrying")],
    ["queued", "waiting", fact("task.queued")],
    ["waiting_input", "waiting", fact("task.waiting")],
    ["waiting_permission", "waiting", fact("task.waiting", { payload: { wait: "waiting_permission" } })],
    ["waiting_resource", "waiting", fact("task.waiting", { payload: { wait: "waiting_resource" } })],
    ["blocked", "waiting", fact("task.blocked")],
    ["paused", "waiting", fact("task.paused")],
    ["failed", "failed", fact("task.failed")],
    ["timed_out", "failed", fact("task.timed_out")],
    ["lost", "lost", fact("task.lost")],
    ["completed", "recent_terminal", fact("task.completed")],
    ["cancelled", "recent_terminal", fact("task.cancelled")],
  ] as const)("[RT-SNAP-5] a task that is %s is among the %s", (status, group, one) => {
    const { active, waiting, failed, lost, recent_terminal } = taskSnapshot(given(one))
    const groups = { active, waiting, failed, lost, recent_terminal }
    const found = Object.entries(groups).flatMap(([name, tasks]) => tasks.map((task) => [name, task.status]))
    expect(found).toEqual([[group, status]])
  })
  it("a task is shown with all its fields", () => {
    const state = given(
      fact("task.created", { payload: { assignee: "w", parent_task_id: "tsk_0" } }),
      fact("task.attempt.started", { thread_id: "thr_1", payload: { worker: "w" } }),
      fact("task.progress", { payload: { percent: 10, output_refs: [ref] } }),
      fact("task.blocked"),
      fact("task.cancel_requested"),
      fact("task.archived"),
    )
    expect(taskSnapshot(state).waiting).toEqual([
      {
        task_id: "tsk_1",
        status: "blocked",
        cause: "asked",
        objective: "Write it",
        owner: "user",
        assignee: "w",
        parent_task_id: "tsk_0",
        missing: [{ kind: "tool", detail: "git" }],
        progress: { percent: 10, output_refs: [ref] },
        attempts: [
          {
            attempt_id: "run_1",
            number: 1,
            status: "running",
            worker: "w",
            thread_id: "thr_1",
            output_refs: [],
            started_at: at(2),
          },
        ],
        current_attempt_id: "run_1",
        output_refs: [ref],
        artifact_ids: [],
        evidence_ids: [],
        delivery: "not_due",
        cancel_requested: true,
        archived: true,
      },
    ])
  })
  it("a completed task is shown with what it left", () => {
    const state = given(fact("task.created"), fact("task.attempt.completed"), fact("task.completed"))
    expect(taskSnapshot(state).recent_terminal).toMatchObject([
      {
        output_refs: [ref],
        artifact_ids: ["art_1"],
        evidence_ids: ["evd_1"],
        delivery: "undelivered",
        attempts: [{ status: "completed", output_refs: [ref], ended_at: at(2) }],
      },
    ])
  })
  it("attempts of other tasks and ended ones are not current", () => {
    const other = fact("task.attempt.started", { task_id: "tsk_2", run_id: "run_2", attempt_id: "run_2" })
    const state = given(made("tsk_1"), fact("task.attempt.completed"), other)
    expect(taskSnapshot(state).current_attempts).toEqual([])
    expect(taskSnapshot(state).active[0]?.attempts).toMatchObject([
      { attempt_id: "run_1", started_at: "unknown" },
    ])
    expect(taskSnapshot(given(made("tsk_1"))).active[0]?.missing).toEqual([])
  })
})

describe("the other summaries", () => {
  it("[RT-SNAP-6] two compactions and one missing source", () => {
    const done = (compaction_id: string, to: number) =>
      fact("context.compaction.completed", { payload: { compaction_id, to } })
    const facts = [
      fact("context.resolved"),
      done("c1", 9),
      done("c2", 20),
      fact("context.compaction.started"),
    ]
    expect(contextBoundarySnapshot(given(...facts), "thr_1")).toEqual({
      sequence: 4,
      freshness: "current",
      thread_id: "thr_1",
      selected: [{ kind: "memory", ref }],
      compactions: [
        { compaction_id: "c1", from: 1, to: 9, summary_ref: ref },
        { compaction_id: "c2", from: 1, to: 20, summary_ref: ref },
      ],
      compacting: true,
      warnings: ["long"],
      missing: [{ name: "notes", reason: "deleted" }],
    })
  })
  it.each([
    ["a count that the owner reported", 3, 3],
    ["a count of zero that the owner reported", 0, 0],
    ["no count from the owner, which is unknown and not 0", "unknown", "unknown"],
  ] as const)(
    "[RT-SNAP-7] artifact refs, versions, previews, diffs, and %s",
    (_, validation_issues, shown) => {
      const changed = fact("artifact.changed", {
        turn_id: "trn_1",
        thread_id: "thr_1",
        task_id: "tsk_1",
        payload: { validation_issues, preview, diff_ref: ref, title: "Plan", kind: "document" },
      })
      expect(artifactCheckpointSummary(given(changed)).artifacts).toEqual([
        {
          artifact_id: "art_1",
          status: "present",
          owner: "artifacts",
          title: "Plan",
          kind: "document",
          version: "1",
          versions: ["1"],
          history: [{ version: "1", at: at(1), ref }],
          refs: [ref],
          preview,
          validation_issues: shown,
          diff_ref: ref,
          turn_id: "trn_1",
          task_id: "tsk_1",
        },
      ])
    },
  )
  it("[RT-SNAP-7] each version of an artifact has its time and its own ref, whatever was told last", () => {
    const told = (version: string) =>
      fact("artifact.changed", {
        payload: { version, refs: [{ uri: `artifact:art_1/${version}`, kind: "artifact" }] },
      })
    const [artifact] = artifactCheckpointSummary(given(told("1"), told("2"), told("1"))).artifacts
    expect(artifact?.history).toEqual([
      { version: "1", at: at(1), ref: { uri: "artifact:art_1/1", kind: "artifact" } },
      { version: "2", at: at(2), ref: { uri: "artifact:art_1/2", kind: "artifact" } },
    ])
  })
  it("[RT-SNAP-9] the mode of a policy that never changed is that of the newest turn's tools", () => {
    const tools = fact("tool.catalog.resolved", { payload: { mode: "ask" } })
    const modeAfter = (...facts: Envelope[]) => permissionSandboxSummary(given(...facts)).permission.mode
    expect(modeAfter(tools)).toBe("ask")
    const changed = fact("policy.changed", {
      session_id: "ses_1",
      payload: { mode: { old: "ask", new: "plan" } },
    })
    expect(modeAfter(tools, changed)).toBe("plan")
  })
  it("[RT-SNAP-12] a closed child keeps how its last round ended and what it gave", () => {
    const ends = (end: Envelope) =>
      subagentJobSummary(given(fact("subagent.spawned"), end, fact("subagent.closed"))).children[0]
    expect(ends(fact("subagent.completed", { payload: { preview } }))).toMatchObject({
      status: "closed",
      outcome: "completed",
      output_refs: [ref],
      preview,
    })
    expect(ends(fact("subagent.failed"))).toMatchObject({
      status: "closed",
      outcome: "failed",
      failure: { category: "tool_error", reason: "broke" },
    })
  })
  it("[RT-SNAP-8] trace ids, verification outcomes, replay refs, review refs and audit notes", () => {
    const about = { kind: "session", id: "ses_1" } as const
    const kinds = ["evidence", "replay", "review", "trace", "verification"] as const
    const facts = kinds.map((kind, n) =>
      fact("evidence.changed", {
        trace_id: n < 2 ? "t1" : "t2",
        payload: {
          evidence_id: kind,
          kind,
          verdict: "passed",
          ...(kind === "review" ? { note: "Looked at." } : {}),
        },
      }),
    )
    const shown = (evidence_id: string) => ({ evidence_id, ref, about })
    expect(evidenceSummary(given(...facts))).toEqual({
      sequence: 5,
      freshness: "current",
      trace_ids: ["t1", "t2"],
      evidence_refs: [shown("evidence"), shown("trace")],
      verifications: [{ ...shown("verification"), verdict: "passed" }],
      replay_refs: [shown("replay")],
      review_refs: [shown("review")],
      audit_notes: [{ evidence_id: "review", note: "Looked at." }],
    })
  })
  it("[RT-SNAP-8] without telemetry the trace ids are unavailable, not empty", () => {
    expect(evidenceSummary(given(fact("evidence.changed"))).trace_ids).toBe("unavailable")
  })
  it("[RT-SNAP-9] one pending approval and one violation", () => {
    const facts = [
      fact("policy.changed", { payload: { mode: { old: "default", new: "plan" } } }),
      fact("permission.evaluated"),
      fact("permission.requested"),
      fact("sandbox.applied"),
      fact("sandbox.violation"),
    ]
    expect(permissionSandboxSummary(given(...facts))).toEqual({
      sequence: 5,
      freshness: "current",
      permission: { policy_version: "v2", mode: "plan", last_verdict: "ask" },
      pending_approvals: [
        { kind: "permission", id: "req_9", type: operation.kind, title: operation.name, decided_by: "human" },
      ],
      sandbox: { profile: "strict", in_force: true, network: "none" },
      violations: [{ event_id: "evt_5", operation: "write", target: "/etc/x", profile: "strict" }],
    })
  })
  it.each([
    ["tool_approval", true],
    ["permission_grant", true],
    ["delegated_permission", true],
    ["structured_input", false],
    ["clarification", false],
  ] as const)("an open %s is an approval: %s", (action_type, shown) => {
    const required = fact("action.required", { payload: { action_type } })
    expect(permissionSandboxSummary(given(required)).pending_approvals.length).toBe(shown ? 1 : 0)
  })
  it("the policy of a verdict is told when no change of policy was seen", () => {
    const { permission } = permissionSandboxSummary(given(fact("permission.evaluated")))
    expect(permission).toEqual({ policy_version: "v1", mode: "unknown", last_verdict: "ask" })
  })
  it("the latest verdict, policy and boundary are told", () => {
    const state = given(
      fact("permission.evaluated"),
      fact("permission.evaluated", { payload: { evaluation_id: "evl_2", verdict: "deny" } }),
      fact("sandbox.applied", { payload: { process_id: "p1", profile: "one" } }),
      fact("sandbox.applied", { payload: { process_id: "p2", profile: "two", in_force: false } }),
      fact("sandbox.violation", { payload: { process_id: "p3" } }),
    )
    const { permission, sandbox, violations } = permissionSandboxSummary(state)
    expect(permission.last_verdict).toBe("deny")
    expect(sandbox).toEqual({ profile: "two", in_force: false, network: "none" })
    expect(violations.length).toBe(1)
  })
  it("[RT-SNAP-10] what the host told, and one running process beside an ended one", () => {
    const host = {
      cwd: "/src",
      workspace_roots: ["/src"],
      env_refs: [{ name: "TOKEN", ref: "secret:1" }],
      process_limits: { max: 4 },
    }
    const two = { process_id: "prc_2" }
    const facts = [
      fact("process.started", { turn_id: "trn_1", payload: { long_lived: true } }),
      fact("process.started", { payload: two }),
      fact("process.completed", { payload: two }),
    ]
    expect(executionEnvironmentSnapshot(given(...facts), host)).toEqual({
      sequence: 3,
      freshness: "current",
      ...host,
      active_processes: [
        {
          process_id: "prc_1",
          command: ["ls"],
          cwd: "/src",
          sandbox_profile: "strict",
          network: "none",
          long_lived: true,
          stdin: "open",
          started_at: at(1),
          thread_id: "thr_1",
          turn_id: "trn_1",
        },
      ],
    })
  })
  it("[RT-SNAP-10] a process of which only output is known reads unknown", () => {
    const { active_processes } = executionEnvironmentSnapshot(given(fact("process.output")))
    expect(active_processes).toEqual([
      {
        process_id: "prc_1",
        command: "unknown",
        cwd: "unknown",
        sandbox_profile: "unknown",
        network: "unknown",
        long_lived: "unknown",
        stdin: "unknown",
        started_at: "unknown",
        thread_id: "thr_1",
      },
    ])
  })
  it.each([0, 1, 3])("[RT-SNAP-11] %i candidates", (count) => {
    const candidates = Array.from({ length: count }, (_, n) =>
      n === 1
        ? { provider: "acme", model: `m${n}`, eligible: false as const, reason: "too small" }
        : { provider: "acme", model: `m${n}`, eligible: true as const },
    )
    const resolved = fact("routing.candidates.resolved", { payload: { candidates } })
    expect(routingLimitSummary(given(fact("task.profile.resolved"), resolved))).toMatchObject({
      task_profile: "coding",
      candidate_count: count,
      eligible_count: Math.min(count, 2) === 2 ? count - 1 : count,
      decision: { status: "resolving" },
    })
  })
  it("[RT-SNAP-11] decision, cost with an unknown price, quota, rate limit and limit", () => {
    const facts = [
      fact("routing.single_candidate"),
      fact("routing.decided"),
      fact("routing.fallback.applied"),
      fact("cost.recorded"),
      fact("cost.recorded", { payload: { request_id: "req_2", amount: "unknown" } }),
      fact("cost.recorded", { payload: { request_id: "req_3", amount: 2, currency: "EUR" } }),
      fact("quota.low"),
      fact("rate_limit.hit"),
      fact("limit.changed"),
    ]
    expect(routingLimitSummary(given(...facts))).toEqual({
      sequence: 9,
      freshness: "current",
      task_profile: "unknown",
      candidate_count: "unknown",
      eligible_count: "unknown",
      decision: {
        status: "decided",
        choice: { provider: "acme", model: "m2" },
        reason: "rate limit",
        single_candidate: true,
        fallbacks: 1,
      },
      cost: [
        { currency: "USD", total: "unknown", known_part: 0.25, requests: 2, unpriced: 1 },
        { currency: "EUR", total: 2, known_part: 2, requests: 1, unpriced: 0 },
      ],
      quotas: [
        { quota: "monthly", status: "low", unit: "USD", remaining: 2, limit: 10, resets_at: "unknown" },
      ],
      rate_limits: [{ provider: "acme", limit: "rpm", hits: 1, next_try_at: "unknown" }],
      limits: [{ limit: "daily", kind: "budget", unit: "USD", value: 2, source: "user" }],
    })
  })
  it("the latest routing is told", () => {
    const facts = [
      fact("routing.decided"),
      fact("routing.not_possible", { payload: { routing_id: "rtg_2" } }),
    ]
    expect(routingLimitSummary(given(...facts)).decision).toEqual({
      status: "not_possible",
      reason: "none fits",
      single_candidate: false,
      fallbacks: 0,
    })
  })
  it("[RT-SNAP-12] two children and one job, with assigned threads and recoverability", () => {
    const facts = [
      fact("subagent.spawned"),
      fact("subagent.status", { payload: { recoverable_reason: "log", waiting_action_id: "act_1" } }),
      fact("subagent.input", { subagent_id: "sub_2" }),
      fact("job.created"),
      fact("job.item.started", { payload: { assigned_thread_id: "thr_5" } }),
      fact("job.item.started", { payload: { item_id: "two" } }),
    ]
    const parent = { session_id: "ses_1", thread_id: "thr_1", turn_id: "trn_1" }
    expect(subagentJobSummary(given(...facts))).toEqual({
      sequence: 6,
      freshness: "current",
      children: [
        {
          subagent_id: "sub_1",
          parent,
          status: "running",
          agent: "helper",
          objective: "Look it up",
          child_session_id: "ses_2",
          child_thread_id: "thr_2",
          depth: 1,
          isolation: { workspace: "shared", sandbox_profile: "strict" },
          recoverable: true,
          recoverable_reason: "log",
          waiting_action_id: "act_1",
        },
        {
          subagent_id: "sub_2",
          parent,
          status: "unknown",
          agent: "unknown",
          objective: "unknown",
          child_session_id: "unknown",
          child_thread_id: "unknown",
          depth: "unknown",
          isolation: "unknown",
          recoverable: "unknown",
        },
      ],
      jobs: [
        {
          job_id: "job_1",
          title: "Batch",
          status: "accepted",
          counts: { total: 2, running: 0, completed: 0, failed: 0, cancelled: 0 },
          items: [
            {
              item_id: "one",
              status: "running",
              attempts: [{ attempt: 1, status: "running", worker: "w1", assigned_thread_id: "thr_5" }],
            },
            {
              item_id: "two",
              status: "running",
              attempts: [{ attempt: 1, status: "running", worker: "w1" }],
            },
          ],
        },
      ],
      assigned_threads: [
        { thread_id: "thr_2", to: "subagent", id: "sub_1" },
        { thread_id: "thr_5", to: "job_item", id: "job_1|one" },
      ],
    })
  })
  it("a job that ended tells why", () => {
    expect(subagentJobSummary(given(fact("job.created"), fact("job.cancelled"))).jobs).toMatchObject([
      { status: "cancelled", reason: "stop" },
    ])
  })
  it("[RT-SNAP-13] two channels, one of them down", () => {
    const other = { channel_id: "chn_2", native_peer_id: "peer-2" }
    const mappings = [{ native_task_id: "n", task_id: "tsk_1" }]
    const facts = [
      fact("channel.connected", { payload: { peer_name: "One", mappings } }),
      fact("channel.permission_forwarded"),
      fact("channel.connected", { payload: other }),
      fact("channel.disconnected", { payload: other }),
      fact("channel.message", { payload: { channel_id: "chn_3" } }),
    ]
    const { channels } = channelSummary(given(...facts), { chn_1: 12 })
    expect(channels).toEqual([
      {
        channel_id: "chn_1",
        kind: "a2a",
        native_peer_id: "peer-1",
        peer_name: "One",
        connection: "connected",
        peer: "current",
        resume_cursor: 4,
        last_acknowledged: 12,
        mappings,
        permission_bridge: { pending_action_ids: ["act_1"] },
      },
      {
        channel_id: "chn_2",
        kind: "a2a",
        native_peer_id: "peer-2",
        connection: "disconnected",
        peer: "stale",
        resume_cursor: 4,
        last_acknowledged: 6,
        mappings: [],
        permission_bridge: { pending_action_ids: [] },
      },
      {
        channel_id: "chn_3",
        kind: "unknown",
        native_peer_id: "peer-1",
        connection: "unknown",
        peer: "unknown",
        resume_cursor: "unknown",
        last_acknowledged: "unknown",
        mappings: [],
        permission_bridge: { pending_action_ids: [] },
      },
    ])
  })
  it.each([
    ["turn", { turn_id: "trn_1", thread_id: "thr_1" }],
    ["task", { task_id: "tsk_1" }],
    ["tool_call", { turn_id: "trn_1", thread_id: "thr_1", tool_call_id: "tcl_1" }],
  ] as const)("[RT-ID-9] an action of a %s is shown with that parent", (kind, parent) => {
    const required = fact("action.required", { ...parent, payload: { parent: { kind, id: "x_1" } } })
    const { thread_id: _, ...shown } = { thread_id: "", ...parent }
    const [pending] = permissionSandboxSummary(given(required)).pending_approvals
    expect(JSON.parse(JSON.stringify(pending))).toEqual({
      kind: "action",
      id: "act_1",
      type: "tool_approval",
      title: "Write a file?",
      decided_by: "human",
      action_id: "act_1",
      ...shown,
    })
    expect(given(required).entities.actions.act_1?.request?.parent).toEqual({ kind, id: "x_1" })
  })
})
