import { change, type Draft, open, supply, track } from "../draft.ts"
import type { AgentPayload } from "../events/index.ts"
import type { AgentEntity } from "../state.ts"
import type { Reducers } from "./index.ts"
import { openSession } from "./session.ts"

/** The conversation is with the first owner again. */
const back = new Set(["returned", "resumed"])
const over = new Set(["completed", "failed", "killed", "closed", "cancelled", "canceled", "rejected"])

function changeAgent(draft: Draft, payload: AgentPayload): AgentEntity {
  const agentId = draft.event.agentId ?? ""
  const agent = open(draft, "agents", agentId, (base) => ({ ...base, agentId, ended: false }))
  supply(agent, payload)
  track(draft, "agent", agentId)
  linkChild(draft, payload)
  return agent
}

/** The child session of a teammate is known by its lineage before its first own event. */
function linkChild(draft: Draft, payload: AgentPayload): void {
  const { childSessionId } = payload
  if (childSessionId === undefined) return
  const parent = draft.event.parentSessionId ?? draft.event.sessionId
  // What the event says of itself is the parent's: it only opens the child, whose own events say the rest.
  const { type } = draft.event
  openSession({ ...draft, event: { type, sessionId: childSessionId } }, childSessionId)
  const child = change(draft, "sessions", childSessionId)
  if (!child || parent === undefined || parent === childSessionId) return
  child.parentSessionId = parent
  const thread = draft.event.parentThreadId ?? draft.event.threadId
  if (thread !== undefined) child.parentThreadId = thread
}

export const agentReducers: Reducers<
  "agent.changed" | "agent.spawned" | "agent.completed" | "agent.handoff"
> = {
  "agent.spawned": (draft, payload) => {
    changeAgent(draft, payload)
  },
  "agent.changed": (draft, payload) => {
    // Whether somebody is connected makes nobody a teammate.
    const isLink = payload.connection !== undefined && Object.keys(payload).length === 1
    if (isLink && !draft.state.agents.has(draft.event.agentId ?? "")) return
    const agent = changeAgent(draft, payload)
    // It may be woken again: what it says now counts. A tick without status says nothing.
    if (payload.status !== undefined) agent.ended = over.has(payload.status)
  },
  "agent.completed": (draft, payload) => {
    const agent = changeAgent(draft, payload)
    agent.ended = true
    const { phase } = draft.event
    const failed = phase === "failed" || payload.status === "failed" || payload.outcome === "failed"
    const isCancelled = phase === "cancelled" || phase === "canceled"
    const said = isCancelled ? "cancelled" : phase === "completed" ? phase : undefined
    agent.outcome = failed ? "failed" : (payload.outcome ?? payload.status ?? said ?? "unknown")
    agent.status = payload.status ?? (failed ? "failed" : (said ?? "unknown"))
  },
  "agent.handoff": (draft, payload) => {
    const { event } = draft
    const id = payload.handoffId ?? event.taskId ?? `${payload.from ?? ""}>${payload.to ?? event.agentId}`
    const handoff = open(draft, "handoffs", id, (base) => ({ ...base, handoffId: id }))
    const isBack = payload.status !== undefined && back.has(payload.status)
    supply(handoff, payload, isBack ? ["reason"] : [])
    if (isBack && payload.reason !== undefined) handoff.returnReason = payload.reason
    track(draft, "handoff", id)
  },
}
