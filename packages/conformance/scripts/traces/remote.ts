import { ask } from "./model.ts"
import { record } from "./recording.ts"
import { beginTurn, endTurn, openSession, status, tell } from "./session.ts"
import { createTask } from "./team.ts"

const place = (topology: string, surface: string, scope = "task") => ({
  owner: "task",
  scope,
  phase: "acting",
  surface,
  persistence: "snapshot",
  topology,
})

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
