import type { Envelope } from "@factum/facts"

const session_id = "ses_crowd"
const statuses = ["running", "running", "waiting", "completed", "completed", "failed", "needs_input"]

/** A team of two hundred, for what must stay readable when there is much of it. */
export const crowd = { name: "two-hundred", facts: factsOf() }

function factsOf(): Envelope[] {
  const facts: Envelope[] = []
  const add = (type: string, payload: Record<string, unknown>, more: Record<string, unknown> = {}) => {
    const sequence = facts.length + 1
    facts.push({
      type,
      event_id: `evt_crowd_${sequence}`,
      timestamp: new Date(Date.UTC(2026, 2, 5, 8, 0, sequence)).toISOString(),
      sequence,
      schema_version: 1,
      session_id,
      payload,
      ...more,
    } as Envelope)
  }
  add("session.created", { title: "A team of two hundred" })
  for (let lead = 0; lead < 9; lead++) {
    const leadId = `lead-${lead + 1}`
    worker(add, leadId, `Lead ${lead + 1}`, "running", session_id, `ses_${leadId}`)
    for (let at = 0; at < 21; at++) {
      const status = statuses[(at * 5 + lead) % statuses.length] ?? "running"
      worker(add, `${leadId}-w${at + 1}`, `Worker ${lead + 1}.${at + 1}`, status, `ses_${leadId}`)
    }
  }
  // What the first of them does is told in its own session.
  let told = 0
  const own = (type: string, envelope: Record<string, unknown>, payload: Record<string, unknown>) =>
    add(
      `x-agent-ui.${type}`,
      { envelope, payload },
      { session_id: "ses_lead-1", thread_id: "thr_lead-1", turn_id: "trn_lead-1", sequence: ++told },
    )
  const turns = [{ queuedTurnId: "q1", position: 1, status: "queued", preview: "Then compare the prices" }]
  const text = "All of us are done and closed."
  own("run.started", { owner: "runtime", phase: "accepted" }, {})
  own("tool.started", { owner: "tool", toolCallId: "tcl_lead-1" }, { toolName: "search" })
  own("text.final", { owner: "model", messageId: "msg_lead-1", partId: "p1" }, { text, role: "assistant" })
  own("queue.changed", { owner: "runtime" }, { turns })
  return facts
}

/** As an agent of another system tells of itself: in the words of the interface. */
function worker(
  add: (type: string, payload: Record<string, unknown>) => void,
  agentId: string,
  agentName: string,
  status: string,
  parentSessionId: string,
  childSessionId?: string,
) {
  const envelope = { owner: "agent", scope: "agent", agentId, parentSessionId, phase: "acting" }
  add("x-agent-ui.agent.changed", {
    envelope,
    payload: {
      agentName,
      status,
      role: childSessionId ? "lead" : "worker",
      ...(childSessionId && { childSessionId }),
    },
  })
}
