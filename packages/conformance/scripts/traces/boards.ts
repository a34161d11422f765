import { ask } from "./model.ts"
import { blob, record } from "./recording.ts"
import { beginTurn, endTurn, inSession, openSession, status, tell } from "./session.ts"
import { createTask, finishTask, needs, startTask } from "./team.ts"
import { call } from "./tool.ts"

const place = (topology: string, surface: string, scope = "task") => ({
  owner: "task",
  scope,
  phase: "acting",
  surface,
  persistence: "snapshot",
  topology,
})

export function humanAgentBoard() {
  const rec = record("2026-03-06T08:00:00.000Z")
  const topology = "human_agent_board"
  const session = openSession(rec, "board", "Launch of the shop")
  const human = (id: string, name: string) => ({ kind: "human", id, name })
  const bot = (id: string) => ({ kind: "agent", id, name: id })
  const items = {
    copy: createTask(session, "copy", "Write the product texts", {
      owner: "ana",
      profile: { priority: "high" },
    }),
    photos: createTask(session, "photos", "Choose the photos", { owner: "ana", assignee: "ines" }),
    checkout: createTask(session, "checkout", "Test the checkout", {
      owner: "ana",
      profile: { priority: "high" },
    }),
    legal: createTask(session, "legal", "Check the terms", { owner: "ana", assignee: "bao" }),
    launch: createTask(session, "launch", "Open the shop", {
      owner: "ana",
      assignee: "ana",
      profile: { priority: "urgent" },
    }),
  }
  for (const before of [items.copy, items.photos, items.checkout, items.legal]) needs(items.launch, before)
  tell(inSession(session), "team.changed", place(topology, "work_board", "team"), {
    team_id: "team_shop",
    team_name: "shop",
    status: "active",
    roster: [
      { agent_id: "ana", agent_name: "Ana", role: "owner", human: true },
      { agent_id: "ines", agent_name: "Ines", role: "design", human: true },
      { agent_id: "bao", agent_name: "Bao", role: "legal", human: true },
      { agent_id: "writer", agent_name: "writer", role: "copy" },
      { agent_id: "tester", agent_name: "tester", role: "qa" },
    ],
  })
  const set = (item: (typeof items)["copy"], payload: Record<string, unknown>) =>
    tell(
      { session, on: item.on },
      "task.changed",
      { ...place(topology, "work_board"), task_id: item.task_id },
      { work_item_id: item.task_id, runtime_entity: "work_item", ...payload },
    )
  set(items.copy, { assignee: bot("writer"), status: "assigned" })
  set(items.photos, { assignee: human("ines", "Ines"), status: "claimed" })
  set(items.checkout, { assignee: bot("tester"), status: "assigned" })
  set(items.legal, { assignee: human("bao", "Bao"), status: "assigned" })
  const copying = startTask(items.copy, "writer")
  rec.add("task.progress", items.copy.on, {
    cause: "reported",
    previous: "running",
    done: 9,
    total: 24,
    note: "Kitchen",
  })
  const testing = startTask(items.checkout, "tester")
  set(items.photos, {
    status: "commented",
    comments: [
      {
        author: "Ines",
        text: "The lamp needs a new photo, the old one shows last year's cable.",
        at: rec.now(),
      },
    ],
  })
  rec.add("task.blocked", items.checkout.on, {
    cause: "the payment sandbox is missing",
    previous: "running",
    missing: [{ kind: "credential", id: "pay-sandbox", detail: "Key of the payment sandbox" }],
  })
  set(items.checkout, { status: "blocked", blocker: "Key of the payment sandbox" })
  const turn = beginTurn(session, "1", "How far are we?", { tools: [] })
  ask(turn, [
    {
      text: "Texts: 9 of 24. Photos: Ines waits for one picture. The checkout test is blocked: it needs the key of the payment sandbox. The terms are not begun.",
    },
  ])
  endTurn(turn)
  rec.add("task.progress", items.copy.on, {
    cause: "reported",
    previous: "running",
    done: 24,
    total: 24,
    note: "All texts are written",
  })
  finishTask(items.copy, copying, "24 texts", { artifacts: ["art_texts"] })
  set(items.copy, { status: "done", artifact_refs: ["art_texts"] })
  rec.add(
    "artifact.changed",
    { ...session.on },
    {
      artifact_id: "art_texts",
      change: "produced",
      owner: "writer",
      version: "1",
      title: "product-texts.md",
      media_type: "text/markdown",
      refs: [blob("texts")],
      validation_issues: 2,
    },
  )
  set(items.legal, {
    status: "claimed",
    comments: [{ author: "Bao", text: "On it this afternoon.", at: rec.now() }],
  })
  rec.add("task.started", items.checkout.on, {
    cause: "the key was given",
    previous: "blocked",
    to: "running",
  })
  set(items.checkout, { status: "claimed" })
  finishTask(items.checkout, testing, "checkout works with four cards")
  set(items.checkout, { status: "done" })
  return rec.facts
}

export function backgroundTeammate() {
  const rec = record("2026-03-06T02:00:00.000Z")
  const topology = "background_teammate"
  const session = openSession(rec, "nightly", "Nightly dependency audit")
  const night = createTask(session, "audit", "Audit the dependencies", {
    owner: "ana",
    profile: { runtime_entity: "automation_job", schedule: "every night at 02:00", wake_reason: "schedule" },
  })
  const agent = {
    owner: "agent",
    scope: "agent",
    phase: "acting",
    surface: "background_teammate",
    persistence: "snapshot",
    topology,
    agent_id: "auditor",
    task_id: night.task_id,
  }
  const runtime_entity = "automation_job"
  tell(
    inSession(session),
    "agent.changed",
    { ...agent, phase: "waiting" },
    {
      agent_name: "auditor",
      role: "background",
      runtime_entity,
      status: "idle",
      runtime_status: "scheduled",
      schedule: "every night at 02:00",
      next_wake_at: "2026-03-06T02:00:00.000Z",
    },
  )
  tell(
    inSession(session),
    "task.changed",
    { ...place(topology, "background_teammate"), task_id: night.task_id },
    { runtime_entity, status: "waking", wake_reason: "schedule" },
  )
  tell(inSession(session), "agent.changed", agent, {
    status: "running",
    runtime_status: "running",
    wake_reason: "schedule",
    current_run_id: "trn_nightly_1",
  })
  const attempt = startTask(night, "auditor")
  const turn = beginTurn(session, "1", "Audit the dependencies", { source: "automation:auditor" })
  ask(turn, [{ call: "shell", arguments: { command: "npm audit --json" } }])
  call(turn, {
    tool: "shell",
    input: { command: "npm audit --json" },
    command: ["npm", "audit", "--json"],
    output: '{"vulnerabilities":{"moderate":1,"high":0,"critical":0},"affected":["markdown-reader@2.1.0"]}',
    ms: 4100,
    network: "limited",
    rule: "audits may run",
  })
  ask(turn, [{ text: "One moderate finding: markdown-reader 2.1.0. Version 2.1.3 mends it." }])
  rec.add("evidence.changed", turn.on, {
    evidence_id: "evd_audit_0306",
    kind: "verification",
    change: "observed",
    owner: "auditor",
    ref: blob("audit 2026-03-06", { title: "Audit of 6 March" }),
    about: { kind: "task", id: night.task_id },
    verdict: "failed",
    missing: [],
  })
  endTurn(turn)
  finishTask(night, attempt, "1 moderate", { evidence: ["evd_audit_0306"] })
  tell(
    inSession(session),
    "agent.changed",
    { ...agent, phase: "waiting" },
    {
      status: "idle",
      runtime_status: "sleeping",
      last_run_ref: "trn_nightly_1",
      next_wake_at: "2026-03-07T02:00:00.000Z",
    },
  )
  tell(
    inSession(session),
    "task.changed",
    { ...place(topology, "background_teammate"), task_id: night.task_id, phase: "waiting" },
    {
      runtime_entity,
      status: "sleeping",
      last_run_ref: "trn_nightly_1",
      next_wake_at: "2026-03-07T02:00:00.000Z",
    },
  )
  tell(
    inSession(session),
    "worker.notification",
    { ...agent, surface: "worker_notifications" },
    {
      notification_id: "ntf_audit",
      kind: "summary",
      status: "completed",
      summary: "One moderate finding in markdown-reader 2.1.0.",
      result_ref: "evd_audit_0306",
      duration_ms: 9400,
      tool_count: 1,
    },
  )
  tell(
    inSession(session),
    "agent.changed",
    { ...agent, phase: "waiting", agent_id: "janitor" },
    {
      agent_name: "janitor",
      role: "background",
      runtime_entity,
      status: "idle",
      runtime_status: "paused",
      paused: true,
      schedule: "Sundays at 04:00",
      last_run_ref: "trn_janitor_88",
    },
  )
  return rec.facts
}

export function remoteTeammate() {
  const rec = record("2026-03-06T09:00:00.000Z")
  const topology = "remote_teammate"
  const session = openSession(rec, "contract", "Check the supplier contract")
  const peer = { channel_id: "chn_legal", native_peer_id: "legal.partner.example" }
  rec.add(
    "channel.connected",
    { session_id: session.on.session_id, runtime_id: "rtm_demo" },
    { ...peer, kind: "a2a", peer_name: "Partner Legal", cursor: 0 },
  )
  const turn = beginTurn(session, "1", "Have the partner's legal agent check the supplier contract.")
  ask(turn, [{ text: "I'll ask Partner Legal." }])
  const task = createTask(session, "check", "Check the supplier contract", {
    profile: { runtime_entity: "external_task" },
  })
  const agent = {
    owner: "agent",
    scope: "agent",
    phase: "acting",
    surface: "remote_teammate",
    persistence: "snapshot",
    topology,
    agent_id: peer.native_peer_id,
    task_id: task.task_id,
  }
  rec.add("task.delegated", task.on, {
    to: "peer",
    to_id: peer.native_peer_id,
    objective: "Check the supplier contract",
    channel_id: peer.channel_id,
    native_task_id: "lt-5512",
  })
  const remote = (remote_status: string, payload: Record<string, unknown> = {}) => {
    tell(turn, "agent.changed", agent, {
      runtime_entity: "external_task",
      agent_name: "Partner Legal",
      remote_task_id: "lt-5512",
      remote_status,
      card_ref: "https://legal.partner.example/.well-known/agent-card.json",
      connection: "connected",
      capabilities: ["contract review", "clause comparison"],
      ...payload,
    })
    tell(
      turn,
      "task.changed",
      { ...place(topology, "remote_teammate"), task_id: task.task_id },
      { runtime_entity: "external_task", remote_task_id: "lt-5512", remote_status, ...payload },
    )
    rec.wait(2000)
  }
  remote("submitted")
  remote("working")
  tell(turn, "agent.changed", agent, { idle_tick: true })
  remote("auth_required", { needs: "auth" })
  rec.add(
    "action.required",
    { ...turn.on, task_id: task.task_id, action_id: "act_legal_auth" },
    {
      action_type: "credential_request",
      title: "Partner Legal needs you to sign in",
      detail: "It asks for access to the contract folder.",
      parent: { kind: "task", id: task.task_id },
      decided_by: "human",
      decisions: [
        { id: "sign_in", label: "Sign in" },
        { id: "decline", label: "Decline", effect: "deny" },
      ],
      requester: { kind: "teammate", id: peer.native_peer_id, name: "Partner Legal" },
      policy_scope: "secret:legal-partner",
    },
  )
  status(turn, "waiting_input", "Waiting for you", "Partner Legal needs you to sign in")
  rec.wait(22_000)
  rec.add(
    "action.resolved",
    { ...turn.on, task_id: task.task_id, action_id: "act_legal_auth" },
    { reason: "answered", decision: "sign_in", decider: { kind: "human", id: "ana" } },
  )
  status(turn, "running", "Working", "Partner Legal goes on")
  remote("working", { needs: "none" })
  rec.add(
    "channel.disconnected",
    { session_id: session.on.session_id, runtime_id: "rtm_demo" },
    { ...peer, reason: "The connection timed out.", acknowledged: 4 },
  )
  tell(turn, "agent.changed", agent, { connection: "disconnected" })
  rec.wait(8000)
  rec.add(
    "channel.resumed",
    { session_id: session.on.session_id, runtime_id: "rtm_demo" },
    { ...peer, cursor: 4, mappings: [{ native_task_id: "lt-5512", task_id: task.task_id }] },
  )
  tell(turn, "agent.changed", agent, { connection: "connected" })
  rec.add(
    "channel.message",
    { session_id: session.on.session_id, runtime_id: "rtm_demo" },
    {
      ...peer,
      native_message_id: "lm-9",
      direction: "inbound",
      native_task_id: "lt-5512",
      preview: { text: "Clause 9.2 limits liability to one month of fees. The rest is usual.", whole: true },
    },
  )
  rec.add(
    "artifact.changed",
    { ...turn.on, task_id: task.task_id },
    {
      artifact_id: "art_opinion",
      change: "observed",
      owner: "legal.partner.example",
      version: "1",
      title: "opinion.pdf",
      media_type: "application/pdf",
      refs: [{ uri: "https://legal.partner.example/tasks/lt-5512/opinion.pdf", kind: "artifact" }],
      validation_issues: "unknown",
    },
  )
  remote("completed")
  ask(turn, [
    {
      text: "Partner Legal finds clause 9.2 unusual: it limits liability to one month of fees. The rest is usual. The opinion is in the workspace.",
    },
  ])
  endTurn(turn)
  return rec.facts
}
