import type { Envelope } from "@factum/facts"
import { fact } from "../../../facts/test/given.ts"
import { digest, onTurn, operation, preview, ref } from "../../../facts/test/samples.ts"

const cut = { text: "only the begin", whole: false }
const titled = { ...ref, title: "Notes", bytes: 12, media_type: "text/plain", digest }
const later = "2026-01-02T00:00:00.000Z"
const onCall = { ...onTurn, step_id: "stp_1", tool_call_id: "tcl_1" }
const supersedes = { from: 3, to: 9 }
const queued = (state: "waiting" | "held") => ({
  queued_turn_id: "qtn_1",
  turn_id: "trn_2",
  source: "user",
  state,
})

/** Beside the least of each class: what its optional fields and other words become. */
export const variants: Readonly<Record<string, Envelope>> = {
  "session of a child": fact("session.created", {
    payload: {
      metadata: {
        parent_session_id: "ses_0",
        parent_thread_id: "thr_0",
        subagent_id: "sub_1",
        pinned: true,
        unread: 2,
      },
    },
  }),
  "session of a runtime's child": fact("session.created", {
    payload: { metadata: { parent: { session_id: "ses_0", thread_id: "thr_0", subagent_id: "sub_1" } } },
  }),
  "turn that a child is given": fact("turn.submitted", { payload: { source: "subagent" } }),
  "session archived and unread": fact("session.updated", {
    payload: {
      changed: ["archived", "title"],
      archived: true,
      title: "Second",
      metadata: { unread: true, pinned: "no" },
    },
  }),
  "session taken out of the archive": fact("session.updated", {
    payload: { changed: ["archived"], archived: false },
  }),
  "thread blocked": fact("thread.updated", { payload: { status: "blocked", reason: "no key" } }),
  "turn with a client's id": fact("turn.submitted", {
    payload: {
      metadata: { client_id: "cli_7" },
      input: [
        { kind: "text", text: "One" },
        { kind: "text", text: "Two" },
      ],
    },
  }),
  "turn with pictures": fact("turn.submitted", {
    payload: {
      input: [
        { kind: "text", text: "Look" },
        { kind: "image", ref: titled },
        { kind: "business", ref: titled },
      ],
    },
  }),
  "turn with a picture alone": fact("turn.submitted", { payload: { input: [{ kind: "audio", ref }] } }),
  "turn that an agent instructs": fact("turn.submitted", {
    subagent_id: "sub_1",
    payload: { source: "parent" },
  }),
  "turn that an agent by name instructs": fact("turn.submitted", { payload: { source: "coordinator:lead" } }),
  "turn that a worker reports": fact("turn.submitted", { payload: { source: "worker:sub_4" } }),
  "turn that reports in full": fact("turn.submitted", {
    payload: {
      source: "user",
      metadata: {
        notification: {
          notification_id: "ntf_1",
          kind: "failure",
          status: "failed",
          summary: "It broke",
          result_ref: "blob:9",
          agent_id: "sub_3",
          task_id: "tsk_3",
          duration_ms: 1200,
          tool_count: 4,
        },
      },
    },
  }),
  "turn started in a child": fact("turn.started", { subagent_id: "sub_1" }),
  "turn stopped": fact("turn.completed", { payload: { outcome: "stopped" } }),
  "turn cancelled by the user": fact("turn.failed", {
    payload: { status: "cancelled", category: "interrupted", by: "user" },
  }),
  "turn cancelled by nobody named": fact("turn.failed", { payload: { status: "cancelled" } }),
  "turn timed out": fact("turn.failed", { payload: { status: "timed_out", next: "Ask for less." } }),
  ...Object.fromEntries(
    (
      [
        "accepted",
        "queued",
        "running",
        "waiting_input",
        "waiting_permission",
        "waiting_resource",
        "blocked",
        "streaming",
        "retrying",
        "lost",
        "timed_out",
        "completed",
        "failed",
        "cancelled",
        "paused",
      ] as const
    ).map((phase) => [`run ${phase}`, fact("run.status", { payload: { phase } })]),
  ),
  "run with metadata": fact("run.status", {
    subagent_id: "sub_1",
    payload: {
      checkpoints: [
        { name: "read", done: true },
        { name: "write", done: false },
      ],
      metadata: { next_try_at: later, team_phase: "merging", queued_turn_count: 2 },
    },
  }),
  "model structured": fact("model.delta", { payload: { kind: "structured", text: "{" } }),
  "model proposes a call": fact("model.delta", {
    payload: { kind: "tool_call", tool: "write_file", call_id: "c1", text: "{" },
  }),
  "model done with every kind": fact("model.completed", {
    payload: {
      finish: "tool_calls",
      supersedes,
      parts: [
        { kind: "reasoning", part_id: "p1", text: "Hm, well" },
        { kind: "text", part_id: "p1", text: "Hello" },
        { kind: "structured", part_id: "p2", text: "{}" },
        { kind: "tool_call", part_id: "p3", call_id: "c1", tool: "write_file", arguments: "{}" },
      ],
    },
  }),
  "model failed for good": fact("model.failed", {
    payload: {
      retryable: false,
      category: "malformed",
      parts: [{ kind: "text", part_id: "p1", text: "Hel" }],
    },
  }),
  "tool started with its input": fact("tool.started", { payload: { input: cut, input_ref: ref } }),
  "tool input piece": fact("tool.args", { payload: { final: false, chunk: '{"pa' } as never }),
  "tool progress": fact("tool.progress", {
    payload: { attempt: 2, note: "Half", done: 1, total: 2, output: preview, output_ref: ref },
  }),
  "tool progress of unknown length": fact("tool.progress", {
    payload: { done: "unknown", total: "unknown" },
  }),
  "tool result of unknown duration": fact("tool.result", {
    payload: { duration_ms: "unknown", preview: cut, output_refs: [ref, titled], supersedes },
  }),
  ...Object.fromEntries(
    (
      [
        "invalid_args",
        "unknown_tool",
        "permission_denied",
        "sandbox_violation",
        "hook_blocked",
        "time_limit",
        "interrupted",
        "runtime_restart",
        "outcome_unknown",
      ] as const
    ).map((category) => [`tool failed: ${category}`, fact("tool.failed", { payload: { category } })]),
  ),
  "tool failed with output": fact("tool.failed", {
    payload: { next: "Make the folder.", output_refs: [ref], preview: cut, duration_ms: 7 },
  }),
  "process of a call": fact("process.started", { ...onCall, payload: { command: ["npm", "test"] } }),
  "process output of a call": fact("process.output", {
    ...onCall,
    payload: { text: "ok\n", channel: "stderr" },
  }),
  "process output of a call by ref": fact("process.output", { ...onCall, payload: { ref } }),
  "process input of a call": fact("process.input", { ...onCall, payload: { preview, ref } }),
  "process input without a preview": fact("process.input", { ...onCall }),
  "process of a call done": fact("process.completed", { ...onCall, payload: { exit_code: 2, supersedes } }),
  "process of a call failed": fact("process.failed", { ...onCall }),
  "process of a call terminated": fact("process.terminated", { ...onCall }),
  "output of a call spilled": fact("output.spilled", { ...onCall, payload: { preview: cut } }),
  "output truncated with a ref": fact("output.truncated", { payload: { ref } }),
  "output redacted with a ref": fact("output.redacted", { payload: { ref } }),
  "output with a title expired": fact("output.expired", { payload: { ref: titled } }),
  "action asked in full": fact("action.required", {
    ...onCall,
    payload: {
      detail: "It writes one file.",
      decisions: [
        { id: "approve", label: "Approve", effect: "allow" },
        { id: "reject", label: "Reject" },
      ],
      answer_schema: { type: "object" },
      deadline: later,
      requester: { kind: "tool" },
      tool: "write_file",
      risk: "high",
      policy_scope: "workspace",
      safe_input: cut,
      subject_refs: [
        { uri: "art_1", kind: "artifact" },
        { uri: "blob:diff", kind: "blob" },
      ],
      grant: { scope: "session", expires_at: later },
    },
  }),
  "action of a child": fact("action.required", {
    subagent_id: "sub_1",
    payload: { requester: { kind: "subagent", id: "sub_9", name: "tester" } },
  }),
  "action of a child without a name": fact("action.required", {
    subagent_id: "sub_1",
    payload: { requester: { kind: "teammate" } },
  }),
  "action of an agent": fact("action.required", {
    subagent_id: "sub_1",
    payload: { requester: { kind: "agent", id: "main" } },
  }),
  "action for a plan": fact("action.required", {
    payload: { action_type: "plan_decision", safe_input: preview, requester: { kind: "host", name: "CI" } },
  }),
  "action for a teammate's plan": fact("action.required", {
    payload: { action_type: "teammate_plan_decision", safe_input: preview },
  }),
  "action for a plan without one": fact("action.required", { payload: { action_type: "plan_decision" } }),
  "action that a policy decides": fact("action.required", {
    payload: { decided_by: "policy", subject_refs: [{ uri: "out:1", kind: "output" }] },
  }),
  "action answered with a note": fact("action.resolved", {
    payload: { note: "Fine", decider: { kind: "human", id: "ana" } } as never,
  }),
  "action cancelled": fact("action.resolved", {
    payload: { reason: "cancelled", decision: "none", decider: { kind: "runtime" } } as never,
  }),
  "action expired": fact("action.resolved", {
    payload: { reason: "expired", decision: "none", decider: { kind: "runtime" } } as never,
  }),
  "queue promoted": fact("queue.changed", {
    payload: { change: "promoted", queued_turn_id: "qtn_1", order: [queued("waiting")], policy: "paused" },
  }),
  "queue held": fact("queue.changed", { payload: { queued_turn_id: "qtn_1", order: [queued("held")] } }),
  "queue steered": fact("queue.changed", {
    ...onTurn,
    payload: {
      order: [],
      steer: { input: [{ kind: "text", text: "Faster" }], source: "user", metadata: { client_id: "cli_8" } },
    } as never,
  }),
  "compaction that carries": fact("context.compaction.completed", {
    payload: { summary_ref: titled, kept: [ref], carried: { open_actions: ["act_1"], goals: 2 } } as never,
  }),
  "context with a title": fact("context.resolved", {
    payload: { selected: [{ kind: "memory", ref: titled }] },
  }),
  "artifact in full": fact("artifact.changed", {
    ...onCall,
    payload: { title: "Report", media_type: "text/markdown", preview, diff_ref: ref, validation_issues: 2 },
  }),
  "artifact updated": fact("artifact.changed", { payload: { change: "updated", version: "2" } }),
  "artifact observed": fact("artifact.changed", {
    payload: { change: "observed", preview: cut, diff_ref: ref },
  }),
  "artifact removed": fact("artifact.changed", { payload: { change: "removed", title: "Report" } }),
  "evidence in full": fact("evidence.changed", {
    payload: {
      ref: titled,
      reflects: 4,
      note: "Seen",
      verdict: "passed",
      kind: "verification",
      missing: ["logs"],
    },
  }),
  "task in full": fact("task.created", {
    payload: {
      parent_task_id: "tsk_0",
      assignee: "ana",
      profile: {
        title: "Write",
        kind: "doc",
        priority: "high",
        schedule: "daily",
        wake_reason: "timer",
        runtime_entity: "external_task",
        team_active_count: 3,
      },
    },
  }),
  "task behind a task": fact("task.queued", {
    payload: { behind: "task", behind_id: "tsk_2", queue_reason: "full" } as never,
  }),
  "task streaming": fact("task.started", { payload: { to: "streaming" } }),
  "task changed everywhere": fact("task.updated", {
    payload: {
      changes: {
        assignee: { from: "a", to: "ben" },
        parent_task_id: { from: "", to: "tsk_0" },
        delivery: { from: "undelivered", to: "delivered" },
        profile: { from: {}, to: { title: "New", priority: "low" } },
      },
    },
  }),
  "task changed in ways not shown": fact("task.updated", {
    payload: {
      changes: {
        objective: { from: "a", to: 4 },
        profile: { from: {}, to: "none" },
        "x-own": { from: 1, to: 2 },
      },
    },
  }),
  "task progress in full": fact("task.progress", {
    payload: { percent: 50, done: 2, total: 4, note: "Half" },
  }),
  "task progress unknown": fact("task.progress", { payload: { done: "unknown", total: "unknown" } }),
  "task waits for permission": fact("task.waiting", { payload: { wait: "waiting_permission" } }),
  "task waits for a resource": fact("task.waiting", {
    payload: { wait: "waiting_resource", next_try_at: later },
  }),
  "task blocked twice": fact("task.blocked", {
    payload: {
      missing: [
        { kind: "tool", detail: "git" },
        { kind: "quota", detail: "money" },
      ],
    },
  }),
  "task resumed to waiting": fact("task.resumed", { payload: { to: "queued" } }),
  "task failed with a way on": fact("task.failed", { payload: { next: "Retry." } }),
  "task lost with its worker": fact("task.lost", { payload: { worker: "w1" } }),
  "task done without output": fact("task.completed", { payload: { output_refs: [] } }),
  "task delegated to a child agent": fact("task.delegated", { payload: { to: "subagent", to_id: "sub_1" } }),
  "task delegated to a peer": fact("task.delegated", {
    payload: { to: "peer", to_id: "peer-1", native_task_id: "n1" },
  }),
  "task delegated to a silent peer": fact("task.delegated", { payload: { to: "peer", to_id: "peer-1" } }),
  ...Object.fromEntries(
    (["parent", "child", "dependency", "source", "artifact", "evidence", "subagent"] as const).flatMap(
      (kind) =>
        (["linked", "unlinked", "outcome"] as const).map((change) => [
          `edge ${kind} ${change}`,
          fact("task.dependency.updated", { payload: { change, edge: { kind, from: "tsk_1", to: "x_2" } } }),
        ]),
    ),
  ),
  "attempt of a worker": fact("task.attempt.started", { payload: { worker: "w1", number: 3 } }),
  "attempt without output": fact("task.attempt.completed", { payload: { output_refs: [] } }),
  "attempt failed with output": fact("task.attempt.failed", {
    payload: { output_refs: [ref], status: "timed_out" },
  }),
  "child of a child": fact("subagent.spawned", {
    payload: {
      parent_subagent_id: "sub_0",
      policy_version: "v3",
      depth: 2,
      isolation: { workspace: "worktree", sandbox_profile: "strict" },
    },
  }),
  ...Object.fromEntries(
    (
      [
        "accepted",
        "queued",
        "preparing",
        "waiting_input",
        "waiting_permission",
        "waiting_resource",
        "blocked",
        "streaming",
        "retrying",
        "lost",
        "timed_out",
        "completed",
        "failed",
        "cancelled",
      ] as const
    ).map((status) => [
      `child ${status}`,
      fact("subagent.status", { payload: { status, recoverable: "unknown" } }),
    ]),
  ),
  "child result in words": fact("subagent.completed", { payload: { round: 2, preview, output_refs: [] } }),
  "child cancelled": fact("subagent.failed", { payload: { status: "cancelled", recoverable: "unknown" } }),
  "child timed out": fact("subagent.failed", { payload: { status: "timed_out", recoverable: true } }),
  "remote agent with a name": fact("channel.connected", { payload: { peer_name: "Legal" } }),
  "an editor connects": fact("channel.connected", { payload: { kind: "acp", peer_name: "Editor" } }),
  "an editor without a name": fact("channel.connected", { payload: { kind: "acp" } }),
  "message of a remote task": fact("channel.message", { payload: { native_task_id: "n1", ref } }),
  "message of a remote task without a ref": fact("channel.message", { payload: { native_task_id: "n1" } }),
  "message to a remote task": fact("channel.message", {
    payload: { native_task_id: "n1", direction: "outbound" },
  }),
  "answer of a peer refused": fact("channel.permission_returned", {
    payload: { accepted: false, refusal: "already_resolved" },
  }),
  "answer of a peer refused in silence": fact("channel.permission_returned", {
    payload: { accepted: false },
  }),
  "job with titles": fact("job.created", {
    payload: { items: [{ item_id: "one", title: "First" }], provider_parallel_budget: 4 } as never,
  }),
  "job of unknown counts": fact("job.progress", {
    payload: { counts: { total: "unknown", running: 0, completed: "unknown", failed: 0, cancelled: 0 } },
  }),
  "job of mixed counts": fact("job.progress", {
    payload: { counts: { total: 9, running: 1, completed: 4, failed: 2, cancelled: 1 } },
  }),
  "job item without output": fact("job.item.completed", { payload: { output_refs: [] } }),
  "job item cancelled": fact("job.item.failed", { payload: { status: "cancelled" } }),
  "permission about a call": fact("permission.evaluated", { ...onCall }),
  "permission about a process": fact("permission.evaluated", {
    payload: { operation: { ...operation, kind: "process", process_id: "prc_1" } },
  }),
  "permission asked by an action": fact("permission.requested", { ...onCall, action_id: "act_1" }),
  "permission granted for a while": fact("permission.resolved", {
    payload: { reason: "Once", grant: { scope: "session", expires_at: later } },
  }),
  "permission granted for good": fact("permission.resolved", { payload: { grant: { scope: "session" } } }),
  "sandbox of a call": fact("sandbox.applied", {
    ...onCall,
    payload: { in_force: false, reason: "no bubblewrap" },
  }),
  "sandbox of a process": fact("sandbox.applied", { payload: { process_id: "prc_1" } }),
  "violation not prevented": fact("sandbox.violation", { ...onCall, payload: { prevented: false } }),
  "violation of unknown effect": fact("sandbox.violation", {
    payload: { prevented: "unknown", process_id: "prc_1" },
  }),
  "hook that denies": fact("hook.completed", { payload: { verdict: "deny" } }),
  "hook that rewrites": fact("hook.completed", { payload: { rewrite: { original_ref: ref, new_ref: ref } } }),
  "hook failed open": fact("hook.failed", { payload: { effect: "continued" } }),
  "policy of a session": fact("policy.changed", {
    session_id: "ses_1",
    payload: { mode: { old: "ask", new: "auto" } },
  }),
  "profile in a turn": fact("task.profile.resolved", onTurn),
  "candidates in a turn": fact("routing.candidates.resolved", {
    ...onTurn,
    payload: {
      candidates: [
        { provider: "acme", model: "m1", eligible: true },
        { provider: "acme", model: "m2", eligible: true },
        { provider: "acme", model: "m3", eligible: false, reason: "no tools" },
      ],
    },
  }),
  "choice in a turn": fact("routing.decided", onTurn),
  "fallback in a turn": fact("routing.fallback.applied", onTurn),
  "no route in a turn": fact("routing.not_possible", {
    ...onTurn,
    payload: {
      exclusions: [
        { provider: "acme", model: "m1", reason: "no tools" },
        { provider: "b", model: "m", reason: "price" },
      ],
    },
  }),
  "one candidate in a turn": fact("routing.single_candidate", onTurn),
  "estimate unknown": fact("cost.estimated", { payload: { amount: "unknown" } }),
  "cost of a turn": fact("cost.recorded", {
    ...onTurn,
    payload: { amount: "unknown", usage: { input_tokens: 0, output_tokens: "unknown" } },
  }),
  "rate limit in a turn": fact("rate_limit.hit", { ...onTurn, payload: { next_try_at: later } }),
  "rate limit in a turn of unknown length": fact("rate_limit.hit", onTurn),
  "quota low of unknown size": fact("quota.low", { payload: { limit: "unknown" } }),
  "quota low of unknown rest": fact("quota.low", { payload: { remaining: "unknown" } }),
  "quota spent in a turn": fact("quota.blocked", {
    ...onTurn,
    payload: { resets_at: later, used: "unknown" },
  }),
  "limit lifted": fact("limit.changed", { payload: { new: "unlimited" } }),
  "rollback with rests": fact("history.rollback.completed", {
    payload: {
      not_undone: [
        { kind: "file", detail: "a.txt" },
        { kind: "mail", detail: "sent" },
      ],
    },
  }),
  "warning in a turn": fact("runtime.warning", {
    ...onTurn,
    payload: { affected: [{ kind: "turn", id: "trn_1" }] },
  }),
  "error in a turn": fact("runtime.error", onTurn),
}
