import { ask } from "./model.ts"
import { record } from "./recording.ts"
import { member, rosterOf } from "./roster.ts"
import { beginTurn, endTurn, openSession, tell } from "./session.ts"
import { call } from "./tool.ts"

export function specialistHandoff() {
  const rec = record("2026-03-05T10:00:00.000Z")
  const topology = "specialist_handoff"
  const session = openSession(rec, "support", "A refund that did not arrive")
  const turn = beginTurn(session, "1", "My refund of 14 February has not arrived. What now?", {
    tools: ["search", "read_file"],
  })
  tell(turn, "agent.changed", member("front@support", topology), {
    agent_name: "front desk",
    team_name: "support",
    role: "generalist",
    status: "running",
  })
  ask(turn, [
    {
      text: "I see the refund. A specialist for payments can look at the transfer itself; I'll hand you over.",
    },
  ])
  const handoff = {
    handoff_id: "hof_payments",
    from: "front@support",
    to: "payments@support",
    reason: "The transfer left our account; tracing it needs bank access.",
    resume_target: "front@support",
    memory_boundary: "Order, refund and this conversation; no other tickets.",
  }
  const lane = {
    ...rosterOf(topology),
    scope: "agent",
    surface: "handoff_lane",
    agent_id: "payments@support",
  }
  tell(turn, "agent.handoff", { ...lane, phase: "waiting" }, { ...handoff, status: "handoff_requested" })
  rec.wait(1200)
  tell(turn, "agent.changed", member("payments@support", topology), {
    agent_name: "payments",
    team_name: "support",
    role: "specialist",
    status: "running",
    capabilities: ["bank trace"],
  })
  tell(turn, "agent.handoff", lane, { ...handoff, status: "accepted", accepted_at: rec.now() })
  tell(turn, "agent.handoff", lane, { handoff_id: "hof_payments", status: "active" })
  call(turn, {
    tool: "search",
    input: { query: "transfer 2026-02-14 refund 8841" },
    output: "Returned by the receiving bank on 2026-02-17: account closed.",
    ms: 730,
  })
  ask(turn, [
    {
      text: "The transfer came back on 17 February: the account is closed. Which account should we use instead?",
    },
  ])
  endTurn(turn)
  const second = beginTurn(session, "2", "Please use the card I paid with.", { tools: ["search"] })
  ask(second, [{ text: "Done. It takes two to three days." }])
  tell(
    second,
    "agent.handoff",
    { ...lane, agent_id: "front@support" },
    { handoff_id: "hof_payments", status: "returned", reason: "The refund is on its way to the card." },
  )
  tell(second, "agent.changed", member("payments@support", topology), { status: "idle" })
  tell(
    second,
    "agent.handoff",
    { ...lane, phase: "completed", agent_id: "front@support" },
    { handoff_id: "hof_payments", status: "resumed" },
  )
  endTurn(second)
  return rec.facts
}
