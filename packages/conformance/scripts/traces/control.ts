import type { ActionRequest } from "@factum/facts"
import { ask, request, usual } from "./model.ts"
import { blob, record, shown } from "./recording.ts"
import {
  beginTurn,
  endTurn,
  failTurn,
  openSession,
  startTurn,
  status,
  submitTurn,
  type Turn,
} from "./session.ts"
import { call } from "./tool.ts"

export function queueAndSteer() {
  const rec = record("2026-03-03T08:00:00.000Z")
  const session = openSession(rec, "release", "Write the release notes")
  const turn = beginTurn(session, "1", "Write the release notes for 2.4 from the merged changes.")
  ask(turn, [
    { text: "I'll list what was merged since 2.3." },
    { call: "shell", arguments: { command: "git log v2.3..HEAD --oneline" } },
  ])
  const queued = (ids: readonly string[]) =>
    ids.map((id) => ({
      queued_turn_id: `qtn_${id}`,
      turn_id: `trn_release_${id}`,
      source: "user",
      state: "waiting" as const,
    }))
  submitTurn(session, "2", "Then draft the announcement for the forum.")
  rec.add("queue.changed", session.on, {
    change: "enqueued",
    queued_turn_id: "qtn_2",
    order: queued(["2"]),
    policy: "fifo",
  })
  call(turn, {
    tool: "shell",
    input: { command: "git log v2.3..HEAD --oneline" },
    command: ["git", "log", "v2.3..HEAD", "--oneline"],
    output:
      "a1f03c2 Remember the last filter\n77be901 Fix the export of empty tables\n0c4d118 Load large tables by pages\n",
    ms: 120,
    rule: "git log is read only",
  })
  submitTurn(session, "3", "Check that the links work.")
  rec.add("queue.changed", session.on, {
    change: "enqueued",
    queued_turn_id: "qtn_3",
    order: queued(["2", "3"]),
    policy: "fifo",
  })
  rec.wait(2500)
  rec.addOther("queue.changed", turn.on, {
    change: "policy",
    order: queued(["2", "3"]),
    policy: "fifo",
    team_parallel_budget: 2,
    queue_reason: "one turn at a time",
    steer: {
      input: [{ kind: "text", text: "Keep it under ten lines, and thank the contributors." }],
      source: "user",
      metadata: { client_id: "cli_release_steer_1" },
    },
  })
  rec.add("queue.changed", session.on, {
    change: "promoted",
    queued_turn_id: "qtn_3",
    order: queued(["3", "2"]),
    policy: "fifo",
  })
  ask(turn, [
    {
      text: "**2.4**\n\n- Large tables load by pages\n- The last filter is remembered\n- Exporting an empty table no longer fails\n\nThanks to Ines, Bao and Jonas.",
    },
  ])
  endTurn(turn)
  rec.add("queue.changed", session.on, {
    change: "dequeued",
    queued_turn_id: "qtn_3",
    order: queued(["2"]),
    policy: "fifo",
  })
  const third = startTurn(session, "3")
  ask(third, [{ text: "All three links resolve." }])
  endTurn(third)
  rec.add("queue.changed", session.on, {
    change: "removed",
    queued_turn_id: "qtn_2",
    order: [],
    policy: "fifo",
  })
  rec.add(
    "turn.failed",
    { ...session.on, turn_id: "trn_release_2" },
    { status: "cancelled", category: "interrupted", reason: "Removed from the queue.", by: "user" },
  )
  return rec.facts
}

const yesNo = [
  { id: "approve", label: "Approve", effect: "allow" as const },
  { id: "reject", label: "Reject", effect: "deny" as const },
]

export function nineActions() {
  const rec = record("2026-03-03T09:00:00.000Z")
  const session = openSession(rec, "actions", "Everything that can be asked of you")
  const turn = beginTurn(session, "1", "Prepare the customer mailing, and ask me whenever you are not sure.")
  ask(turn, [{ text: "I'll ask as I go." }])
  const asked = (id: string, one: Omit<ActionRequest, "parent" | "decided_by">) => {
    status(turn, "waiting_input", "Waiting for you", one.title)
    rec.add(
      "action.required",
      { ...turn.on, action_id: `act_${id}` },
      { ...one, parent: { kind: "turn", id: turn.turn_id }, decided_by: "human" },
    )
    rec.wait(6000)
  }
  const answered = (id: string, decision: string, note?: string) => {
    rec.add(
      "action.resolved",
      { ...turn.on, action_id: `act_${id}` },
      { reason: "answered", decision, decider: { kind: "human", id: "ana" }, ...(note && { note }) },
    )
    status(turn, "running", "Working", "")
    rec.wait(400)
  }
  const lead = { kind: "agent" as const, name: "lead" }
  const writer = { kind: "teammate" as const, id: "sub_actions_writer", name: "writer" }
  asked("tool", {
    action_type: "tool_approval",
    title: "Send a test mail to yourself",
    detail: "One message to ana@example.org.",
    decisions: yesNo,
    requester: lead,
    tool: "send_mail",
    risk: "medium",
    policy_scope: "mail",
    safe_input: shown('{"to":"ana@example.org","subject":"Test"}'),
  })
  answered("tool", "approve")
  asked("plan", {
    action_type: "plan_decision",
    title: "Plan for the mailing",
    decisions: [...yesNo, { id: "edit", label: "Request edits" }],
    requester: lead,
    safe_input: shown(
      "1. Clean the list of recipients\n2. Draft the text\n3. Send to ten people first\n4. Send to all",
    ),
  })
  answered("plan", "edit", "Ask me again before step 4.")
  asked("teammate", {
    action_type: "teammate_plan_decision",
    title: "The writer's outline",
    decisions: yesNo,
    requester: writer,
    safe_input: shown("Opening, three changes, one call to action."),
  })
  answered("teammate", "approve")
  asked("form", {
    action_type: "structured_input",
    title: "Sender and date",
    decisions: [{ id: "submit", label: "Submit" }],
    requester: lead,
    answer_schema: {
      type: "object",
      required: ["sender", "date"],
      properties: {
        sender: { type: "string", title: "Sender", enum: ["news@example.org", "hello@example.org"] },
        date: { type: "string", format: "date", title: "Send on" },
        track: { type: "boolean", title: "Count opens", default: false },
      },
    },
  })
  answered("form", "submit")
  asked("clarify", {
    action_type: "clarification",
    title: "Which customers?",
    detail: "The list has active customers and those who left in the last year.",
    decisions: [
      { id: "active", label: "Active only" },
      { id: "all", label: "Both" },
    ],
    requester: lead,
  })
  answered("clarify", "active")
  asked("grant", {
    action_type: "permission_grant",
    title: "Read the customer list",
    decisions: yesNo,
    requester: lead,
    risk: "high",
    policy_scope: "crm:read",
    grant: { scope: "crm:read, this session", expires_at: "2026-03-03T11:00:00.000Z" },
  })
  answered("grant", "approve")
  asked("delegated", {
    action_type: "delegated_permission",
    title: "The writer wants to open the brand guide",
    decisions: yesNo,
    requester: { kind: "subagent", id: "sub_actions_writer", name: "writer" },
    tool: "fetch",
    risk: "low",
    policy_scope: "network:brand.example",
    safe_input: shown("https://brand.example/guide"),
  })
  answered("delegated", "reject", "It is in the workspace already.")
  asked("credential", {
    action_type: "credential_request",
    title: "Key of the mail service",
    detail: "It is kept in the secret store and never shown.",
    decisions: [
      { id: "provide", label: "Provide" },
      { id: "decline", label: "Decline", effect: "deny" },
    ],
    requester: { kind: "tool", name: "send_mail" },
    policy_scope: "secret:mail",
  })
  answered("credential", "provide")
  asked("review", {
    action_type: "artifact_review",
    title: "Review the mailing, version 2",
    decisions: yesNo,
    requester: lead,
    subject_refs: [
      { uri: "art_mailing", kind: "artifact", title: "mailing.md" },
      blob("-Dear customer,\n+Hello,\n", { media_type: "text/x-diff", title: "Version 1 to 2" }),
    ],
  })
  rec.wait(30_000)
  rec.add(
    "action.required",
    { ...turn.on, action_id: "act_expiring" },
    {
      action_type: "clarification",
      title: "Send today?",
      decisions: yesNo,
      requester: lead,
      parent: { kind: "turn", id: turn.turn_id },
      decided_by: "human",
      deadline: "2026-03-03T09:05:00.000Z",
    },
  )
  rec.wait(180_000)
  rec.add(
    "action.resolved",
    { ...turn.on, action_id: "act_expiring" },
    { reason: "expired", decision: "none", decider: { kind: "runtime" } },
  )
  return rec.facts
}

export function budgetAndQuota() {
  const rec = record("2026-03-03T10:00:00.000Z")
  const session = openSession(rec, "budget", "Translate the handbook")
  rec.add(
    "limit.changed",
    { session_id: session.on.session_id, runtime_id: "rtm_demo" },
    { limit: "session budget", kind: "budget", unit: "EUR", old: "unlimited", new: 5, source: "user" },
  )
  const turn = beginTurn(session, "1", "Translate the handbook into Portuguese, chapter by chapter.")
  for (const chapter of [1, 2, 3]) {
    ask(turn, [{ text: `Chapter ${chapter} of 4 is translated.\n\n` }], { context: 42_000 * chapter })
    const used = 1.35 * chapter
    if (chapter === 3)
      rec.add("quota.low", turn.on, {
        quota: "session budget",
        unit: "EUR",
        remaining: Number((5 - used).toFixed(2)),
        limit: 5,
        threshold: 1,
      })
  }
  const { request_id } = request(turn, usual)
  rec.add("rate_limit.hit", turn.on, {
    request_id,
    provider: usual.provider,
    limit: "tokens per minute",
    next_try_at: "2026-03-03T10:03:00.000Z",
  })
  status(turn, "waiting_resource", "Waiting to try again", "tokens per minute", {
    resource: "rate_limit",
    next_try_at: "2026-03-03T10:03:00.000Z",
  })
  rec.add(
    "model.failed",
    { ...turn.on, step_id: `stp_${turn.turn_id.slice(4)}_4` },
    {
      request_id,
      category: "rate_limited",
      reason: "Too many tokens per minute.",
      retryable: true,
      parts: [],
    },
  )
  rec.wait(61_000)
  rec.add("quota.blocked", turn.on, {
    quota: "session budget",
    unit: "EUR",
    used: 5.02,
    limit: 5,
    resets_at: "unknown",
    request_id,
  })
  status(turn, "blocked", "The budget is spent", "5.02 of 5.00 EUR")
  rec.wait(4000)
  failTurn(turn, {
    status: "failed",
    category: "quota",
    reason: "The budget of this session is spent: 5.02 of 5.00 EUR.",
    next: "Raise the budget, then send the message again.",
  })
  return rec.facts
}

export function modelFallback() {
  const rec = record("2026-03-03T11:00:00.000Z")
  const session = openSession(rec, "fallback", "Summarise the incident")
  const turn = beginTurn(session, "1", "Summarise the incident of last night in five sentences.", {
    tools: [],
  })
  const first = request(turn, usual)
  rec.wait(800)
  status(turn, "streaming", "Answering", "")
  const on = { ...turn.on, step_id: first.step_id }
  const text = "Last night at 02:14 the queue"
  rec.add("model.delta", on, { request_id: first.request_id, part_id: "p1", kind: "text", text })
  rec.add("model.failed", on, {
    request_id: first.request_id,
    category: "cut_stream",
    reason: "The connection was cut after 1.2 s.",
    retryable: true,
    parts: [{ kind: "text", part_id: "p1", text }],
  })
  rec.add("cost.recorded", on, {
    request_id: first.request_id,
    amount: "unknown",
    currency: "EUR",
    usage: { input_tokens: 3200, output_tokens: "unknown" },
    outcome: "failed",
    ...usual,
  })
  fallBack(turn)
  ask(
    turn,
    [
      {
        text: "Last night at 02:14 the queue of the importer filled up. Retries made it worse. At 02:31 the on-call engineer paused it. The backlog was gone by 03:05. No record was lost.",
      },
    ],
    { model: { provider: "northwind", model: "haiku-small" } },
  )
  endTurn(turn)
  return rec.facts
}

function fallBack(turn: Turn) {
  turn.session.rec.add("routing.fallback.applied", turn.on, {
    routing_id: `rou_${turn.turn_id.slice(4)}`,
    from: usual,
    to: { provider: "northwind", model: "haiku-small" },
    cause: "The connection was cut after 1.2 s.",
    number: 1,
    request_id: `req_${turn.turn_id.slice(4)}_2`,
  })
}
