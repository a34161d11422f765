import type { DraftOf, EventOfType, EventType, Operation, Preview, Ref } from "../src/index.ts"

export const onRuntime = { runtime_id: "rtm_1" }
export const onSession = { session_id: "ses_1" }
export const onThread = { ...onSession, thread_id: "thr_1" }
export const onTurn = { ...onThread, turn_id: "trn_1" }
const onStep = { ...onTurn, step_id: "stp_1" }
const onCall = { ...onStep, tool_call_id: "tcl_1" }
const onTask = { ...onSession, task_id: "tsk_1" }
const onAttempt = { ...onTask, run_id: "run_1", attempt_id: "run_1" }
const onAction = { ...onSession, action_id: "act_1" }
const onChild = { ...onTurn, subagent_id: "sub_1" }

export const digest = `sha256:${"a".repeat(64)}`
export const ref: Ref = { uri: "blob:1", kind: "blob" }
export const preview: Preview = { text: "short", whole: true }
export const operation: Operation = { kind: "tool", name: "write_file", digest, summary: preview }
const choice = { provider: "acme", model: "m1" }
const why = { cause: "asked", previous: "running" } as const
const channel = { channel_id: "chn_1", native_peer_id: "peer-1" }
const ended = { process_id: "prc_1", exit_code: 0, duration_ms: 5 } as const
const counts = { total: 2, running: 0, completed: 2, failed: 0, cancelled: 0 }
const item = { job_id: "job_1", item_id: "one", attempt: 1 }
const hook = { hook_run_id: "hrn_1", hook: "guard", failure_policy: "closed" } as const
const request = { request_id: "req_1" }
const routing = { routing_id: "rtg_1" }

export type Sample<T extends EventType> = Omit<DraftOf<EventOfType<T>>, "type">

/** The least that each class demands; a class without a sample does not compile. */
export const samples: { [T in EventType]: Sample<T> } = {
  "session.created": { ...onSession, payload: { title: "First" } },
  "session.updated": { ...onSession, payload: { changed: ["title"] } },
  "thread.started": { ...onThread, payload: {} },
  "thread.updated": { ...onThread, payload: { status: "active", previous: "idle", reason: "turn started" } },
  "turn.submitted": { ...onTurn, payload: { input: [{ kind: "text", text: "Hi" }], source: "user" } },
  "turn.started": { ...onTurn, payload: {} },
  "turn.completed": { ...onTurn, payload: { outcome: "answered" } },
  "turn.failed": { ...onTurn, payload: { status: "failed", category: "provider_error", reason: "down" } },
  "task.created": {
    ...onTask,
    payload: { cause: "asked", previous: "none", objective: "Write it", owner: "user" },
  },
  "task.accepted": { ...onTask, payload: { ...why, assignee: "worker-1" } },
  "task.queued": { ...onTask, payload: { ...why, behind: "turn" } },
  "task.started": { ...onTask, payload: { ...why, to: "running" } },
  "task.updated": { ...onTask, payload: { ...why, changes: { objective: { from: "a", to: "b" } } } },
  "task.progress": { ...onTask, payload: why },
  "task.waiting": { ...onTask, payload: { ...why, wait: "waiting_input", waits_for: "act_1" } },
  "task.blocked": { ...onTask, payload: { ...why, missing: [{ kind: "tool", detail: "git" }] } },
  "task.paused": { ...onTask, payload: { ...why, by: "user" } },
  "task.resumed": { ...onTask, payload: { ...why, by: "user", to: "running" } },
  "task.retrying": { ...onTask, payload: { ...why, number: 2 } },
  "task.cancel_requested": { ...onTask, payload: { ...why, by: "user" } },
  "task.cancelled": { ...onTask, payload: { ...why, by: "user" } },
  "task.timed_out": { ...onTask, payload: { ...why, budget: "time", limit_ms: 1000 } },
  "task.failed": { ...onTask, payload: { ...why, category: "tool_error" } },
  "task.lost": { ...onTask, payload: { ...why, last_seen_at: "unknown" } },
  "task.completed": {
    ...onTask,
    payload: {
      ...why,
      declared_by: "user",
      output_refs: [ref],
      artifact_ids: ["art_1"],
      evidence_ids: ["evd_1"],
      delivery: "undelivered",
    },
  },
  "task.archived": { ...onTask, payload: why },
  "run.status": {
    ...onTurn,
    payload: { phase: "preparing", title: "Preparing", detail: "Context", checkpoints: [], metadata: {} },
  },
  "model.requested": { ...onStep, payload: { ...request, ...choice, attempt: 1 } },
  "model.delta": { ...onStep, payload: { ...request, part_id: "p1", kind: "text", text: "Hel" } },
  "model.completed": {
    ...onStep,
    payload: {
      ...request,
      parts: [{ kind: "text", part_id: "p1", text: "Hello" }],
      corrected: [],
      usage: { input_tokens: 1, output_tokens: "unknown" },
      finish: "stop",
    },
  },
  "model.failed": {
    ...onStep,
    payload: { ...request, category: "cut_stream", reason: "cut", retryable: true, parts: [] },
  },
  "reasoning.delta": { ...onStep, payload: { ...request, part_id: "r1", text: "Hm" } },
  "reasoning.summary": { ...onStep, payload: { ...request, part_id: "r1", text: "Thought", by: "provider" } },
  "tool.catalog.resolved": {
    ...onTurn,
    payload: { caller: "agent", policy_version: "v1", mode: "default", tools: [] },
  },
  "tool.started": { ...onCall, payload: { tool: "write_file", owner: "builtin", effect: "once" } },
  "tool.args": { ...onCall, payload: { final: true, input_ref: ref, preview } },
  "tool.progress": { ...onCall, payload: {} },
  "tool.result": { ...onCall, payload: { output_refs: [ref], preview, duration_ms: 5 } },
  "tool.failed": { ...onCall, payload: { category: "tool_error", message: "No such file." } },
  "action.required": {
    ...onAction,
    payload: {
      action_type: "tool_approval",
      title: "Write a file?",
      parent: { kind: "tool_call", id: "tcl_1" },
      decided_by: "human",
      decisions: [{ id: "approve", label: "Approve" }],
      requester: { kind: "agent" },
    },
  },
  "action.resolved": {
    ...onAction,
    payload: { reason: "answered", decision: "approve", decider: { kind: "human" } },
  },
  "queue.changed": {
    ...onThread,
    payload: {
      change: "enqueued",
      order: [{ queued_turn_id: "qtn_1", turn_id: "trn_2", source: "user", state: "waiting" }],
      policy: "fifo",
    },
  },
  "context.resolved": {
    ...onTurn,
    payload: {
      selected: [{ kind: "memory", ref }],
      missing: [{ name: "notes", reason: "deleted" }],
      warnings: ["long"],
      history: { turns: 0, through_sequence: 0 },
    },
  },
  "context.compaction.started": {
    ...onThread,
    payload: { compaction_id: "cmp_1", cause: "full", from: 1, to: 9 },
  },
  "context.compaction.completed": {
    ...onThread,
    payload: { compaction_id: "cmp_1", from: 1, to: 9, summary_ref: ref, kept: [] },
  },
  "context.compaction.failed": { ...onThread, payload: { compaction_id: "cmp_1", cause: "no model" } },
  "artifact.changed": {
    ...onSession,
    payload: {
      artifact_id: "art_1",
      change: "produced",
      owner: "artifacts",
      version: "1",
      refs: [ref],
      validation_issues: "unknown",
    },
  },
  "evidence.changed": {
    ...onSession,
    payload: {
      evidence_id: "evd_1",
      kind: "evidence",
      change: "exported",
      owner: "evidence",
      ref,
      about: { kind: "session", id: "ses_1" },
      verdict: "unknown",
      missing: [],
    },
  },
  "subagent.spawned": {
    ...onChild,
    payload: {
      child_session_id: "ses_2",
      child_thread_id: "thr_2",
      agent: "helper",
      objective: "Look it up",
      depth: 1,
      isolation: { workspace: "shared", sandbox_profile: "strict" },
      on_parent_interrupt: "end",
    },
  },
  "subagent.status": {
    ...onChild,
    payload: { status: "running", previous: "accepted", reason: "started", recoverable: true },
  },
  "subagent.input": { ...onChild, payload: { number: 1, input: [{ kind: "text", text: "More" }] } },
  "subagent.completed": { ...onChild, payload: { round: 1, output_refs: [ref] } },
  "subagent.failed": {
    ...onChild,
    payload: { round: 1, status: "failed", category: "tool_error", reason: "broke", recoverable: false },
  },
  "subagent.closed": { ...onChild, payload: { reason: "done", by: "parent" } },
  "limit.changed": {
    ...onRuntime,
    payload: { limit: "daily", kind: "budget", unit: "USD", old: 1, new: 2, source: "user" },
  },
  "snapshot.updated": { ...onSession, payload: { snapshot: "queue_snapshot", reflects: 7 } },
  "runtime.warning": { ...onRuntime, payload: { code: "torn_tail", message: "Cut.", affected: [] } },
  "runtime.error": { ...onRuntime, payload: { code: "disk_full", message: "Full.", affected: [] } },
  "permission.evaluated": {
    ...onSession,
    payload: {
      evaluation_id: "evl_1",
      operation,
      sources: [{ source: "rule", verdict: "ask", rule: "writes" }],
      winner: { source: "rule", rule: "writes" },
      verdict: "ask",
      policy_version: "v1",
    },
  },
  "permission.requested": {
    ...onSession,
    payload: { request_id: "req_9", evaluation_id: "evl_1", operation, waits_for: "human" },
  },
  "permission.resolved": {
    ...onSession,
    payload: { request_id: "req_9", outcome: "allowed", decider: { kind: "human" }, policy_version: "v1" },
  },
  "sandbox.applied": {
    ...onSession,
    payload: {
      requested: "strict",
      profile: "strict",
      driver: "bubblewrap",
      in_force: true,
      readable: ["/"],
      writable: [],
      network: "none",
    },
  },
  "sandbox.violation": {
    ...onSession,
    payload: {
      operation: "write",
      target: "/etc/x",
      profile: "strict",
      detected_by: "driver",
      prevented: true,
    },
  },
  "hook.started": { ...onSession, payload: { ...hook, point: "before_tool", order: 0, input: preview } },
  "hook.completed": { ...onSession, payload: { ...hook, verdict: "none", output: preview, duration_ms: 3 } },
  "hook.failed": {
    ...onSession,
    payload: { ...hook, cause: "threw", message: "Oops.", effect: "blocked", duration_ms: 3 },
  },
  "policy.changed": {
    ...onRuntime,
    payload: { old_version: "v1", new_version: "v2", changes: ["deny rm"], source: "user" },
  },
  "process.started": {
    ...onThread,
    payload: {
      process_id: "prc_1",
      command: ["ls"],
      cwd: "/src",
      sandbox_profile: "strict",
      network: "none",
      stdin: "open",
      tty: false,
      long_lived: false,
    },
  },
  "process.output": {
    ...onThread,
    payload: { process_id: "prc_1", channel: "stdout", offset: 10, bytes: 4 },
  },
  "process.input": { ...onThread, payload: { process_id: "prc_1", bytes: 3, closes: false } },
  "process.completed": { ...onThread, payload: ended },
  "process.failed": {
    ...onThread,
    payload: { ...ended, exit_code: "unknown", cause: "spawn_error", message: "No such binary." },
  },
  "process.terminated": { ...onThread, payload: { ...ended, reason: "stop", by: "user" } },
  "task.profile.resolved": { ...onThread, payload: { ...routing, profile: "coding", needs: ["tools"] } },
  "routing.candidates.resolved": {
    ...onThread,
    payload: { ...routing, candidates: [{ ...choice, eligible: true }] },
  },
  "routing.decided": { ...onThread, payload: { ...routing, choice, reason: "cheapest", ...request } },
  "routing.fallback.applied": {
    ...onThread,
    payload: {
      ...routing,
      from: choice,
      to: { provider: "acme", model: "m2" },
      cause: "rate limit",
      number: 1,
      ...request,
    },
  },
  "routing.not_possible": { ...onThread, payload: { ...routing, reason: "none fits", exclusions: [] } },
  "routing.single_candidate": { ...onThread, payload: { ...routing, choice, exclusions: [] } },
  "task.delegated": { ...onTask, payload: { to: "child", to_id: "tsk_2", objective: "Part" } },
  "task.dependency.updated": {
    ...onTask,
    payload: {
      edge: { kind: "dependency", from: "tsk_1", to: "tsk_2" },
      change: "linked",
      outcome: "pending",
    },
  },
  "task.attempt.started": { ...onAttempt, payload: { number: 1, cause: "start" } },
  "task.attempt.completed": { ...onAttempt, payload: { output_refs: [ref] } },
  "task.attempt.failed": {
    ...onAttempt,
    payload: { status: "failed", category: "tool_error", reason: "broke" },
  },
  "cost.estimated": { ...onSession, payload: { ...request, amount: 0.5, currency: "USD" } },
  "cost.recorded": {
    ...onSession,
    payload: {
      ...request,
      amount: 0.25,
      currency: "USD",
      usage: { input_tokens: 10, output_tokens: 20 },
      outcome: "completed",
    },
  },
  "rate_limit.hit": { ...onSession, payload: { provider: "acme", limit: "rpm", next_try_at: "unknown" } },
  "quota.low": {
    ...onSession,
    payload: { quota: "monthly", unit: "USD", remaining: 2, limit: 10, threshold: 3 },
  },
  "quota.blocked": {
    ...onSession,
    payload: { quota: "monthly", unit: "USD", used: 12, limit: 10, resets_at: "unknown" },
  },
  "channel.connected": { ...onRuntime, payload: { ...channel, kind: "a2a", cursor: 4 } },
  "channel.disconnected": { ...onRuntime, payload: { ...channel, reason: "dropped", acknowledged: 6 } },
  "channel.resumed": { ...onRuntime, payload: { ...channel, cursor: 8 } },
  "channel.message": {
    ...onRuntime,
    payload: { ...channel, native_message_id: "m1", direction: "inbound", preview },
  },
  "channel.permission_forwarded": { ...onAction, payload: channel },
  "channel.permission_returned": {
    ...onAction,
    payload: { ...channel, decision: "approve", accepted: true },
  },
  "job.created": {
    ...onSession,
    payload: {
      job_id: "job_1",
      title: "Batch",
      items: [{ item_id: "one" }, { item_id: "two" }],
      failure_rule: { kind: "any_failure_fails" },
    },
  },
  "job.started": { ...onSession, payload: { job_id: "job_1" } },
  "job.progress": { ...onSession, payload: { job_id: "job_1", counts } },
  "job.item.started": { ...onSession, payload: { ...item, worker: "w1" } },
  "job.item.completed": { ...onSession, payload: { ...item, output_refs: [ref] } },
  "job.item.failed": {
    ...onSession,
    payload: { ...item, status: "failed", category: "tool_error", reason: "broke" },
  },
  "job.completed": { ...onSession, payload: { job_id: "job_1", counts } },
  "job.failed": {
    ...onSession,
    payload: { job_id: "job_1", counts, category: "rule", reason: "one failed" },
  },
  "job.cancelled": { ...onSession, payload: { job_id: "job_1", counts, by: "user", reason: "stop" } },
  "output.spilled": { ...onSession, payload: { ref, bytes: 9000, digest, preview, cause: "large" } },
  "output.truncated": { ...onSession, payload: { kept_bytes: 10, dropped_bytes: 90, cause: "limit" } },
  "output.redacted": {
    ...onSession,
    payload: { rule: "api_key", count: 2, bytes: 40, where: "output", cause: "secret" },
  },
  "output.expired": {
    ...onSession,
    payload: { ref, bytes: 9000, last_digest: digest, cause: "retention" },
  },
  "history.window.loaded": {
    ...onSession,
    payload: { window: { from: 1, to: 9 }, facts: 9, purpose: "resume" },
  },
  "history.reconstructed": { ...onSession, payload: { source: "log", through: 9, facts: 9, cause: "start" } },
  "history.rollback.started": {
    ...onThread,
    payload: { rollback_id: "rbk_1", boundary: { sequence: 4 }, reason: "wrong way", by: "user" },
  },
  "history.rollback.completed": {
    ...onThread,
    payload: { rollback_id: "rbk_1", boundary: { sequence: 4 }, not_undone: [] },
  },
  "snapshot.repaired": {
    ...onSession,
    payload: { snapshot: "queue_snapshot", reflects: 9, cause: "gap", kept: ["act_1"] },
  },
}
