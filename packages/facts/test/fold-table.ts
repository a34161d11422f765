import type { EventType, SessionEntities } from "../src/index.ts"
import { at } from "./given.ts"
import { digest, onTurn, preview, ref, samples } from "./samples.ts"

const now = at(1)
const counts = { total: 2, running: 0, completed: 2, failed: 0, cancelled: 0 } as const

const sent = { provider: "acme", model: "m1", amount: "unknown", currency: "unknown", sent: true } as const

type Family = keyof SessionEntities
type RecordOf<F extends Family> = SessionEntities[F][string]

/** What a record reads before any fact: nothing is invented. */
export const blanks: { [F in Family]: RecordOf<F> } = {
  sessions: {
    session_id: "",
    title: "",
    archived: false,
    created_at: "unknown",
    updated_at: "unknown",
    metadata: {},
  },
  threads: { thread_id: "", status: "unknown", started_at: "unknown", changes: 0 },
  turns: {
    turn_id: "",
    thread_id: "",
    status: "unknown",
    input: [],
    steered: [],
    wishes: [],
    sources: [],
    late: 0,
  },
  queues: { thread_id: "", order: [], policy: "fifo", left: {} },
  runs: { turn_id: "", phase: "unknown", title: "", detail: "", since: "unknown" },
  modelRequests: {
    request_id: "",
    turn_id: "",
    step_id: "",
    status: "unknown",
    opened: 0,
    provider: "unknown",
    model: "unknown",
    parts: [],
    corrected: [],
    partial: false,
    late: 0,
  },
  contexts: { thread_id: "", selected: [], missing: [], warnings: [], compactions: [] },
  tasks: {
    task_id: "",
    status: "unknown",
    objective: "unknown",
    owner: "unknown",
    assignee_accepted: false,
    cancel_requested: false,
    output_refs: [],
    artifact_ids: [],
    evidence_ids: [],
    delivery: "not_due",
    archived: false,
    late: 0,
  },
  attempts: { attempt_id: "", task_id: "", status: "unknown", number: "unknown", output_refs: [], late: 0 },
  edges: { kind: "dependency", from: "", to: "", linked: false, outcome: "unknown" },
  delegations: { task_id: "", to: "child", to_id: "", objective: "unknown" },
  toolCalls: {
    tool_call_id: "",
    step_id: "",
    turn_id: "",
    thread_id: "",
    status: "unknown",
    opened: 0,
    tool: "unknown",
    owner: "unknown",
    effect: "unknown",
    partial_args: "",
    output_refs: [],
    late: 0,
  },
  catalogs: {
    turn_id: "",
    thread_id: "",
    caller: "unknown",
    policy_version: "unknown",
    mode: "unknown",
    tools: [],
  },
  actions: { action_id: "", status: "unknown", late: 0 },
  artifacts: {
    artifact_id: "",
    status: "unknown",
    owner: "unknown",
    version: "unknown",
    refs: [],
    validation_issues: "unknown",
    versions: [],
  },
  evidences: { evidence_id: "", verdict: "unknown" },
  subagents: {
    subagent_id: "",
    parent: { session_id: "unknown", thread_id: "unknown", turn_id: "unknown" },
    status: "unknown",
    recoverable: "unknown",
    inputs: 0,
    settled: [],
    output_refs: [],
    late: 0,
  },
  limits: { limit: "", kind: "unknown", unit: "unknown", value: "unknown", source: "unknown", raised: [] },
  snapshotRecords: { snapshot: "unknown", reflects: "unknown", repairs: 0 },
  incidents: { event_id: "", level: "unknown", code: "unknown", message: "", affected: [] },
  evaluations: { evaluation_id: "", verdict: "unknown" },
  permissionRequests: { request_id: "", status: "unknown", late: 0 },
  boundaries: { violations: [] },
  hookRuns: {
    hook_run_id: "",
    status: "unknown",
    hook: "unknown",
    failure_policy: "closed",
    duration_ms: "unknown",
    late: 0,
  },
  policies: { version: "unknown", mode: "unknown", source: "unknown" },
  processes: {
    process_id: "",
    status: "unknown",
    thread_id: "",
    stdin: "unknown",
    stdin_bytes: 0,
    output: { stdout: 0, stderr: 0, pty: 0 },
    output_refs: [],
    exit_code: "unknown",
    late: 0,
  },
  routings: {
    routing_id: "",
    status: "unknown",
    thread_id: "",
    candidates: "unknown",
    single_candidate: false,
    request_ids: [],
    fallbacks: [],
  },
  costs: {
    request_id: "",
    status: "unknown",
    estimated: "unknown",
    amount: "unknown",
    currency: "unknown",
    usage: { input_tokens: "unknown", output_tokens: "unknown" },
    outcome: "unknown",
    late: 0,
  },
  costTotals: { currency: "unknown", known: 0, requests: 0, unpriced: 0, counted: [] },
  sessionSpendings: { lines: {}, open: {}, counted: [], calls: 0, through: 0, ended: false },
  turnSpendings: { lines: {}, open: {}, counted: [], calls: 0, through: 0, ended: false },
  childSpendings: { lines: {}, open: {}, counted: [], calls: 0, through: 0, ended: false },
  workTimes: { ms: 0, turns: {} },
  summaryRequests: {
    request_id: "",
    compaction_id: "",
    thread_id: "",
    turn_id: "",
    step_id: "",
    provider: "unknown",
    model: "unknown",
    ended: false,
  },
  quotas: {
    quota: "",
    status: "unknown",
    unit: "unknown",
    limit: "unknown",
    remaining: "unknown",
    resets_at: "unknown",
  },
  rateLimits: { provider: "", limit: "", hits: 0, next_try_at: "unknown" },
  channels: {
    channel_id: "",
    status: "unknown",
    kind: "unknown",
    native_peer_id: "unknown",
    cursor: "unknown",
    acknowledged: "unknown",
    mappings: [],
    messages: 0,
    seen: [],
    forwarded: [],
  },
  jobs: {
    job_id: "",
    status: "unknown",
    title: "unknown",
    items: [],
    counts: {
      total: "unknown",
      running: "unknown",
      completed: "unknown",
      failed: "unknown",
      cancelled: "unknown",
    },
    late: 0,
  },
  jobItems: { job_id: "", item_id: "", status: "unknown", attempts: [], late: 0 },
  outputs: { status: "unknown", bytes: "unknown", digest: "unknown", dropped_bytes: 0, redactions: 0 },
  rebuilds: { windows: 0, reconstructions: 0, through: "unknown" },
  rollbacks: {
    rollback_id: "",
    status: "unknown",
    thread_id: "",
    boundary: { sequence: "unknown" },
    not_undone: [],
    late: 0,
  },
}

/** What the sample of each class, as the first fact of all, changes: the family, the key, and what differs from blank. */
export const changes: {
  [T in EventType]: { readonly [F in Family]?: readonly [key: string, changed: Partial<RecordOf<F>>] }
} = {
  "session.created": {
    sessions: ["ses_1", { session_id: "ses_1", title: "First", created_at: now, updated_at: now }],
  },
  "session.updated": { sessions: ["ses_1", { session_id: "ses_1", updated_at: now }] },
  "thread.started": { threads: ["thr_1", { thread_id: "thr_1", status: "idle", started_at: now }] },
  "thread.updated": { threads: ["thr_1", { thread_id: "thr_1", status: "active", changes: 1 }] },
  "turn.submitted": {
    turns: [
      "trn_1",
      {
        turn_id: "trn_1",
        thread_id: "thr_1",
        status: "accepted",
        input: [{ kind: "text", text: "Hi" }],
        submitted_at: now,
      },
    ],
  },
  "turn.started": {
    turns: ["trn_1", { turn_id: "trn_1", thread_id: "thr_1", status: "running", started_at: now }],
  },
  "turn.completed": {
    turns: [
      "trn_1",
      { turn_id: "trn_1", thread_id: "thr_1", status: "completed", ended_at: now, ended_sequence: 1 },
    ],
  },
  "turn.failed": {
    turns: [
      "trn_1",
      {
        turn_id: "trn_1",
        thread_id: "thr_1",
        status: "failed",
        ended_at: now,
        ended_sequence: 1,
        failure: { category: "provider_error", reason: "down" },
      },
    ],
  },
  "task.created": {
    tasks: [
      "tsk_1",
      {
        task_id: "tsk_1",
        status: "accepted",
        objective: "Write it",
        owner: "user",
        updated_at: now,
        cause: "asked",
        created_at: now,
      },
    ],
  },
  "task.accepted": {
    tasks: ["tsk_1", { task_id: "tsk_1", assignee_accepted: true, updated_at: now, assignee: "worker-1" }],
  },
  "task.queued": {
    tasks: ["tsk_1", { task_id: "tsk_1", status: "queued", updated_at: now, cause: "asked", missing: [] }],
  },
  "task.started": {
    tasks: ["tsk_1", { task_id: "tsk_1", status: "running", updated_at: now, cause: "asked", missing: [] }],
  },
  "task.updated": { tasks: ["tsk_1", { task_id: "tsk_1", objective: "b", updated_at: now }] },
  "task.progress": { tasks: ["tsk_1", { task_id: "tsk_1", updated_at: now, progress: {} }] },
  "task.waiting": {
    tasks: [
      "tsk_1",
      {
        task_id: "tsk_1",
        status: "waiting_input",
        updated_at: now,
        waits_for: "act_1",
        cause: "asked",
        missing: [],
      },
    ],
  },
  "task.blocked": {
    tasks: [
      "tsk_1",
      {
        task_id: "tsk_1",
        status: "blocked",
        updated_at: now,
        missing: [{ kind: "tool", detail: "git" }],
        cause: "asked",
      },
    ],
  },
  "task.paused": {
    tasks: [
      "tsk_1",
      { task_id: "tsk_1", status: "paused", updated_at: now, held: "unknown", cause: "asked" },
    ],
  },
  "task.resumed": {
    tasks: ["tsk_1", { task_id: "tsk_1", status: "running", updated_at: now, cause: "asked", missing: [] }],
  },
  "task.retrying": {
    tasks: ["tsk_1", { task_id: "tsk_1", status: "retrying", updated_at: now, cause: "asked", missing: [] }],
  },
  "task.cancel_requested": {
    tasks: ["tsk_1", { task_id: "tsk_1", cancel_requested: true, updated_at: now }],
  },
  "task.cancelled": {
    tasks: [
      "tsk_1",
      { task_id: "tsk_1", status: "cancelled", updated_at: now, cause: "asked", missing: [], ended_at: now },
    ],
  },
  "task.timed_out": {
    tasks: [
      "tsk_1",
      { task_id: "tsk_1", status: "timed_out", updated_at: now, cause: "asked", missing: [], ended_at: now },
    ],
  },
  "task.failed": {
    tasks: [
      "tsk_1",
      {
        task_id: "tsk_1",
        status: "failed",
        updated_at: now,
        failure: { category: "tool_error" },
        cause: "asked",
        missing: [],
        ended_at: now,
      },
    ],
  },
  "task.lost": {
    tasks: ["tsk_1", { task_id: "tsk_1", status: "lost", updated_at: now, cause: "asked", missing: [] }],
  },
  "task.completed": {
    tasks: [
      "tsk_1",
      {
        task_id: "tsk_1",
        status: "completed",
        output_refs: [ref],
        artifact_ids: ["art_1"],
        evidence_ids: ["evd_1"],
        delivery: "undelivered",
        updated_at: now,
        cause: "asked",
        missing: [],
        ended_at: now,
      },
    ],
  },
  "task.archived": { tasks: ["tsk_1", { task_id: "tsk_1", archived: true, updated_at: now }] },
  "run.status": {
    runs: [
      "trn_1",
      { turn_id: "trn_1", phase: "preparing", title: "Preparing", detail: "Context", since: now, opened: 1 },
    ],
    workTimes: ["session", { turns: { trn_1: { ms: 0, since: now } } }],
  },
  "model.requested": {
    modelRequests: [
      "req_1",
      {
        request_id: "req_1",
        turn_id: "trn_1",
        step_id: "stp_1",
        status: "requested",
        opened: 1,
        provider: "acme",
        model: "m1",
      },
    ],
    sessionSpendings: ["session", { open: { req_1: sent } }],
    turnSpendings: ["trn_1", { open: { req_1: sent } }],
  },
  "model.delta": {
    modelRequests: [
      "req_1",
      {
        request_id: "req_1",
        turn_id: "trn_1",
        step_id: "stp_1",
        status: "streaming",
        opened: 1,
        parts: [{ kind: "text", part_id: "p1", text: "Hel" }],
        first_delta: 1,
        last_delta: 1,
      },
    ],
  },
  "model.completed": {
    modelRequests: [
      "req_1",
      {
        request_id: "req_1",
        turn_id: "trn_1",
        step_id: "stp_1",
        status: "completed",
        finish: "stop",
        opened: 1,
        parts: [{ kind: "text", part_id: "p1", text: "Hello" }],
      },
    ],
  },
  "model.failed": {
    modelRequests: [
      "req_1",
      {
        request_id: "req_1",
        turn_id: "trn_1",
        step_id: "stp_1",
        status: "failed",
        opened: 1,
        failure: { category: "cut_stream", reason: "cut", retryable: true },
      },
    ],
  },
  "reasoning.delta": {
    modelRequests: [
      "req_1",
      {
        request_id: "req_1",
        turn_id: "trn_1",
        step_id: "stp_1",
        status: "streaming",
        opened: 1,
        parts: [{ kind: "reasoning", part_id: "r1", text: "Hm" }],
        first_delta: 1,
        last_delta: 1,
      },
    ],
  },
  "reasoning.summary": {
    modelRequests: [
      "req_1",
      {
        request_id: "req_1",
        turn_id: "trn_1",
        step_id: "stp_1",
        opened: 1,
        parts: [{ kind: "reasoning", part_id: "r1", text: "Thought" }],
      },
    ],
  },
  "tool.catalog.resolved": {
    catalogs: [
      "trn_1",
      { caller: "agent", policy_version: "v1", mode: "default", turn_id: "trn_1", thread_id: "thr_1" },
    ],
  },
  "tool.started": {
    toolCalls: [
      "tcl_1",
      {
        tool_call_id: "tcl_1",
        step_id: "stp_1",
        turn_id: "trn_1",
        thread_id: "thr_1",
        status: "running",
        opened: 1,
        tool: "write_file",
        owner: "builtin",
        effect: "once",
        started_at: now,
      },
    ],
  },
  "tool.args": {
    toolCalls: [
      "tcl_1",
      {
        tool_call_id: "tcl_1",
        step_id: "stp_1",
        turn_id: "trn_1",
        thread_id: "thr_1",
        opened: 1,
        input_ref: ref,
        input: preview,
      },
    ],
  },
  "tool.progress": {
    toolCalls: [
      "tcl_1",
      {
        tool_call_id: "tcl_1",
        step_id: "stp_1",
        turn_id: "trn_1",
        thread_id: "thr_1",
        opened: 1,
        progress: samples["tool.progress"].payload,
      },
    ],
  },
  "tool.result": {
    toolCalls: [
      "tcl_1",
      {
        tool_call_id: "tcl_1",
        step_id: "stp_1",
        turn_id: "trn_1",
        thread_id: "thr_1",
        status: "done",
        opened: 1,
        output_refs: [ref],
        preview: preview,
        ended_at: now,
      },
    ],
  },
  "tool.failed": {
    toolCalls: [
      "tcl_1",
      {
        tool_call_id: "tcl_1",
        step_id: "stp_1",
        turn_id: "trn_1",
        thread_id: "thr_1",
        status: "failed",
        opened: 1,
        failure: samples["tool.failed"].payload,
        ended_at: now,
      },
    ],
  },
  "action.required": {
    actions: [
      "act_1",
      {
        action_id: "act_1",
        status: "pending",
        request: samples["action.required"].payload,
        required_at: now,
        opened: 1,
      },
    ],
  },
  "action.resolved": {
    actions: [
      "act_1",
      {
        action_id: "act_1",
        status: "resolved",
        resolution: samples["action.resolved"].payload,
        resolved_at: now,
      },
    ],
  },
  "queue.changed": {
    queues: [
      "thr_1",
      {
        thread_id: "thr_1",
        order: [{ queued_turn_id: "qtn_1", turn_id: "trn_2", source: "user", state: "waiting" }],
      },
    ],
  },
  "context.resolved": {
    contexts: [
      "thr_1",
      {
        thread_id: "thr_1",
        selected: [{ kind: "memory", ref: ref }],
        missing: [{ name: "notes", reason: "deleted" }],
        warnings: ["long"],
      },
    ],
  },
  "context.compaction.started": { contexts: ["thr_1", { thread_id: "thr_1", compacting: "cmp_1" }] },
  "context.compaction.completed": {
    contexts: [
      "thr_1",
      { thread_id: "thr_1", compactions: [{ compaction_id: "cmp_1", from: 1, to: 9, summary_ref: ref }] },
    ],
  },
  "context.compaction.failed": {
    contexts: ["thr_1", { thread_id: "thr_1", warnings: ["Compaction failed: no model"] }],
  },
  "artifact.changed": {
    artifacts: [
      "art_1",
      {
        artifact_id: "art_1",
        status: "present",
        owner: "artifacts",
        version: "1",
        refs: [ref],
        versions: [{ version: "1", at: now, ref }],
        changed_at: now,
        opened: 1,
      },
    ],
  },
  "evidence.changed": {
    evidences: [
      "evd_1",
      {
        evidence_id: "evd_1",
        kind: "evidence",
        change: "exported",
        owner: "evidence",
        ref: ref,
        about: { kind: "session", id: "ses_1" },
        missing: [],
        changed_at: now,
      },
    ],
  },
  "subagent.spawned": {
    subagents: [
      "sub_1",
      {
        subagent_id: "sub_1",
        parent: onTurn,
        status: "accepted",
        updated_at: now,
        spawned: samples["subagent.spawned"].payload,
      },
    ],
  },
  "subagent.status": {
    subagents: [
      "sub_1",
      { subagent_id: "sub_1", parent: onTurn, status: "running", recoverable: true, updated_at: now },
    ],
  },
  "subagent.input": {
    subagents: ["sub_1", { subagent_id: "sub_1", parent: onTurn, inputs: 1, updated_at: now }],
  },
  "subagent.completed": {
    subagents: [
      "sub_1",
      {
        subagent_id: "sub_1",
        parent: onTurn,
        status: "completed",
        outcome: "completed",
        settled: [1],
        output_refs: [ref],
        updated_at: now,
      },
    ],
  },
  "subagent.failed": {
    subagents: [
      "sub_1",
      {
        subagent_id: "sub_1",
        parent: onTurn,
        status: "failed",
        outcome: "failed",
        recoverable: false,
        settled: [1],
        updated_at: now,
        failure: { category: "tool_error", reason: "broke" },
      },
    ],
  },
  "subagent.closed": {
    subagents: ["sub_1", { subagent_id: "sub_1", parent: onTurn, status: "closed", updated_at: now }],
  },
  "limit.changed": {
    limits: [
      "daily",
      { limit: "daily", kind: "budget", unit: "USD", source: "user", value: 2, changed_at: now },
    ],
  },
  "snapshot.updated": {
    snapshotRecords: ["queue_snapshot", { snapshot: "queue_snapshot", reflects: 7, updated_at: now }],
  },
  "runtime.warning": {
    incidents: [
      "evt_1",
      { event_id: "evt_1", level: "warning", code: "torn_tail", message: "Cut.", at: now },
    ],
  },
  "runtime.error": {
    incidents: ["evt_1", { event_id: "evt_1", level: "error", code: "disk_full", message: "Full.", at: now }],
  },
  "permission.evaluated": {
    evaluations: [
      "evl_1",
      { evaluation_id: "evl_1", verdict: "ask", explained: samples["permission.evaluated"].payload, at: now },
    ],
  },
  "permission.requested": {
    permissionRequests: [
      "req_9",
      { request_id: "req_9", status: "pending", asked: samples["permission.requested"].payload },
    ],
  },
  "permission.resolved": {
    permissionRequests: [
      "req_9",
      { request_id: "req_9", status: "allowed", decided: samples["permission.resolved"].payload },
    ],
  },
  "sandbox.applied": {
    boundaries: ["ses_1", { boundary: samples["sandbox.applied"].payload, applied_at: now }],
  },
  "sandbox.violation": {
    boundaries: [
      "ses_1",
      { violations: [{ event_id: "evt_1", operation: "write", target: "/etc/x", profile: "strict" }] },
    ],
  },
  "hook.started": {
    hookRuns: ["hrn_1", { hook_run_id: "hrn_1", status: "running", hook: "guard", point: "before_tool" }],
  },
  "hook.completed": {
    hookRuns: [
      "hrn_1",
      { hook_run_id: "hrn_1", status: "completed", hook: "guard", duration_ms: 3, verdict: "none" },
    ],
  },
  "hook.failed": {
    hookRuns: [
      "hrn_1",
      {
        hook_run_id: "hrn_1",
        status: "failed",
        hook: "guard",
        duration_ms: 3,
        failure: { cause: "threw", message: "Oops.", effect: "blocked" },
      },
    ],
  },
  "policy.changed": { policies: ["runtime", { version: "v2", source: "user", changed_at: now }] },
  "process.started": {
    processes: [
      "prc_1",
      {
        process_id: "prc_1",
        status: "running",
        thread_id: "thr_1",
        stdin: "open",
        started: samples["process.started"].payload,
        started_at: now,
      },
    ],
  },
  "process.output": {
    processes: [
      "prc_1",
      { process_id: "prc_1", thread_id: "thr_1", output: { stdout: 14, stderr: 0, pty: 0 } },
    ],
  },
  "process.input": { processes: ["prc_1", { process_id: "prc_1", thread_id: "thr_1", stdin_bytes: 3 }] },
  "process.completed": {
    processes: [
      "prc_1",
      {
        process_id: "prc_1",
        status: "completed",
        thread_id: "thr_1",
        stdin: "closed",
        exit_code: 0,
        ended: samples["process.completed"].payload,
        ended_at: now,
      },
    ],
  },
  "process.failed": {
    processes: [
      "prc_1",
      {
        process_id: "prc_1",
        status: "failed",
        thread_id: "thr_1",
        stdin: "closed",
        ended: samples["process.failed"].payload,
        ended_at: now,
      },
    ],
  },
  "process.terminated": {
    processes: [
      "prc_1",
      {
        process_id: "prc_1",
        status: "terminated",
        thread_id: "thr_1",
        stdin: "closed",
        exit_code: 0,
        ended: samples["process.terminated"].payload,
        ended_at: now,
      },
    ],
  },
  "task.profile.resolved": {
    routings: [
      "rtg_1",
      {
        routing_id: "rtg_1",
        status: "resolving",
        thread_id: "thr_1",
        profile: { profile: "coding", needs: ["tools"] },
      },
    ],
  },
  "routing.candidates.resolved": {
    routings: [
      "rtg_1",
      {
        routing_id: "rtg_1",
        status: "resolving",
        thread_id: "thr_1",
        candidates: [{ provider: "acme", model: "m1", eligible: true }],
      },
    ],
  },
  "routing.decided": {
    routings: [
      "rtg_1",
      {
        routing_id: "rtg_1",
        status: "decided",
        thread_id: "thr_1",
        request_ids: ["req_1"],
        choice: { provider: "acme", model: "m1" },
        reason: "cheapest",
      },
    ],
  },
  "routing.fallback.applied": {
    routings: [
      "rtg_1",
      {
        routing_id: "rtg_1",
        status: "decided",
        thread_id: "thr_1",
        request_ids: ["req_1"],
        fallbacks: [
          {
            from: { provider: "acme", model: "m1" },
            to: { provider: "acme", model: "m2" },
            cause: "rate limit",
            number: 1,
            request_id: "req_1",
          },
        ],
        choice: { provider: "acme", model: "m2" },
        reason: "rate limit",
      },
    ],
  },
  "routing.not_possible": {
    routings: [
      "rtg_1",
      { routing_id: "rtg_1", status: "not_possible", thread_id: "thr_1", reason: "none fits" },
    ],
  },
  "routing.single_candidate": {
    routings: [
      "rtg_1",
      { routing_id: "rtg_1", status: "resolving", thread_id: "thr_1", single_candidate: true },
    ],
  },
  "task.delegated": {
    delegations: ["tsk_1|tsk_2", { to_id: "tsk_2", objective: "Part", task_id: "tsk_1", delegated_at: now }],
  },
  "task.dependency.updated": {
    edges: ["dependency|tsk_1|tsk_2", { from: "tsk_1", to: "tsk_2", linked: true, outcome: "pending" }],
  },
  "task.attempt.started": {
    attempts: [
      "run_1",
      { attempt_id: "run_1", task_id: "tsk_1", status: "running", number: 1, started_at: now },
    ],
  },
  "task.attempt.completed": {
    attempts: [
      "run_1",
      { attempt_id: "run_1", task_id: "tsk_1", status: "completed", output_refs: [ref], ended_at: now },
    ],
  },
  "task.attempt.failed": {
    attempts: [
      "run_1",
      {
        attempt_id: "run_1",
        task_id: "tsk_1",
        status: "failed",
        failure: { category: "tool_error", reason: "broke" },
        ended_at: now,
      },
    ],
  },
  "cost.estimated": {
    costs: ["req_1", { request_id: "req_1", status: "estimated", estimated: 0.5, currency: "USD" }],
    sessionSpendings: [
      "session",
      {
        open: {
          req_1: { provider: "unknown", model: "unknown", amount: 0.5, currency: "USD", sent: false },
        },
      },
    ],
  },
  "cost.recorded": {
    costs: [
      "req_1",
      {
        request_id: "req_1",
        status: "recorded",
        amount: 0.25,
        currency: "USD",
        usage: { input_tokens: 10, output_tokens: 20 },
        outcome: "completed",
      },
    ],
    costTotals: ["USD", { currency: "USD", known: 0.25, requests: 1, counted: ["req_1"] }],
    sessionSpendings: [
      "session",
      {
        counted: ["req_1"],
        lines: {
          "unknown|unknown": {
            provider: "unknown",
            model: "unknown",
            requests: 1,
            tokens: 30,
            uncounted: 0,
            amounts: { USD: { known: 0.25, unpriced: 0 } },
          },
        },
      },
    ],
  },
  "rate_limit.hit": { rateLimits: ["acme|rpm", { provider: "acme", limit: "rpm", hits: 1, at: now }] },
  "quota.low": {
    quotas: ["monthly", { quota: "monthly", status: "low", unit: "USD", limit: 10, remaining: 2, at: now }],
  },
  "quota.blocked": {
    quotas: [
      "monthly",
      { quota: "monthly", status: "blocked", unit: "USD", limit: 10, remaining: 0, at: now },
    ],
  },
  "channel.connected": {
    channels: [
      "chn_1",
      {
        channel_id: "chn_1",
        status: "connected",
        kind: "a2a",
        native_peer_id: "peer-1",
        cursor: 4,
        updated_at: now,
      },
    ],
  },
  "channel.disconnected": {
    channels: [
      "chn_1",
      {
        channel_id: "chn_1",
        status: "disconnected",
        native_peer_id: "peer-1",
        acknowledged: 6,
        updated_at: now,
        reason: "dropped",
      },
    ],
  },
  "channel.resumed": {
    channels: [
      "chn_1",
      {
        channel_id: "chn_1",
        status: "connected",
        native_peer_id: "peer-1",
        cursor: 8,
        acknowledged: 8,
        updated_at: now,
      },
    ],
  },
  "channel.message": {
    channels: [
      "chn_1",
      { channel_id: "chn_1", native_peer_id: "peer-1", messages: 1, seen: ["m1"], updated_at: now },
    ],
  },
  "channel.permission_forwarded": {
    channels: [
      "chn_1",
      { channel_id: "chn_1", native_peer_id: "peer-1", forwarded: ["act_1"], updated_at: now },
    ],
  },
  "channel.permission_returned": {
    channels: ["chn_1", { channel_id: "chn_1", native_peer_id: "peer-1", updated_at: now }],
  },
  "job.created": {
    jobs: [
      "job_1",
      {
        job_id: "job_1",
        status: "accepted",
        title: "Batch",
        items: [{ item_id: "one" }, { item_id: "two" }],
        counts: { total: 2, running: 0, completed: 0, failed: 0, cancelled: 0 },
        failure_rule: { kind: "any_failure_fails" },
        created_at: now,
      },
    ],
  },
  "job.started": { jobs: ["job_1", { job_id: "job_1", status: "running" }] },
  "job.progress": { jobs: ["job_1", { job_id: "job_1", counts: counts }] },
  "job.item.started": {
    jobItems: [
      "job_1|one",
      {
        job_id: "job_1",
        item_id: "one",
        status: "running",
        attempts: [{ attempt: 1, status: "running", worker: "w1", output_refs: [] }],
      },
    ],
  },
  "job.item.completed": {
    jobItems: [
      "job_1|one",
      {
        job_id: "job_1",
        item_id: "one",
        status: "completed",
        attempts: [{ attempt: 1, worker: "unknown", status: "completed", output_refs: [ref] }],
      },
    ],
  },
  "job.item.failed": {
    jobItems: [
      "job_1|one",
      {
        job_id: "job_1",
        item_id: "one",
        status: "failed",
        attempts: [
          {
            attempt: 1,
            worker: "unknown",
            status: "failed",
            failure: { category: "tool_error", reason: "broke" },
            output_refs: [],
          },
        ],
      },
    ],
  },
  "job.completed": {
    jobs: ["job_1", { job_id: "job_1", status: "completed", counts: counts, ended_at: now }],
  },
  "job.failed": {
    jobs: [
      "job_1",
      { job_id: "job_1", status: "failed", counts: counts, ended_at: now, reason: "one failed" },
    ],
  },
  "job.cancelled": {
    jobs: ["job_1", { job_id: "job_1", status: "cancelled", counts: counts, ended_at: now, reason: "stop" }],
  },
  "output.spilled": {
    outputs: [
      "blob:1",
      { status: "available", bytes: 9000, digest: digest, ref: ref, preview: preview, cause: "large" },
    ],
  },
  "output.truncated": { outputs: ["evt_1", { bytes: 10, dropped_bytes: 90, cause: "limit" }] },
  "output.redacted": { outputs: ["evt_1", { redactions: 2 }] },
  "output.expired": {
    outputs: ["blob:1", { status: "unavailable", bytes: 9000, digest: digest, ref: ref, cause: "retention" }],
  },
  "history.window.loaded": { rebuilds: ["ses_1", { windows: 1, window: { from: 1, to: 9 } }] },
  "history.reconstructed": { rebuilds: ["ses_1", { reconstructions: 1, through: 9, cause: "start" }] },
  "history.rollback.started": {
    rollbacks: [
      "rbk_1",
      {
        rollback_id: "rbk_1",
        status: "running",
        thread_id: "thr_1",
        boundary: { sequence: 4 },
        reason: "wrong way",
      },
    ],
  },
  "history.rollback.completed": {
    rollbacks: [
      "rbk_1",
      { rollback_id: "rbk_1", status: "completed", thread_id: "thr_1", boundary: { sequence: 4 } },
    ],
  },
  "snapshot.repaired": {
    snapshotRecords: [
      "queue_snapshot",
      { snapshot: "queue_snapshot", reflects: 9, repairs: 1, updated_at: now },
    ],
  },
}
