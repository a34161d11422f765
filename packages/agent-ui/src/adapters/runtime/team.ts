import type { ChannelEvent, Envelope, SubagentEvent } from "@factum/facts"
import type { AgentUiEvent } from "../../envelope.ts"
import type { AgentPayload, NotificationPayload } from "../../events/index.ts"
import { given } from "./given.ts"
import { event, type Place, type Translations } from "./place.ts"
import { diagnostic } from "./process.ts"
import { phaseOf, teammateStatus } from "./words.ts"

/** The scope ids of these facts are the parent's. */
const lineage = (fact: SubagentEvent) => ({
  parentSessionId: fact.session_id,
  parentThreadId: fact.thread_id,
})
const runtimeEntity = "subagent_turn"

export const subagentFrames: Translations<SubagentEvent> = {
  "subagent.spawned": (fact) => {
    const { agent, objective, isolation, policy_version, parent_subagent_id } = fact.payload
    const refs = parent_subagent_id === undefined ? undefined : { parentAgentId: parent_subagent_id }
    return [
      event(
        "agent.spawned",
        fact,
        { ...roster("accepted"), ...lineage(fact), ...given({ refs }) },
        {
          agentName: agent,
          role: agent,
          status: "spawning",
          runtimeStatus: "accepted",
          runtimeEntity,
          spawnReason: objective,
          childSessionId: fact.payload.child_session_id,
          childThreadId: fact.payload.child_thread_id,
          isolation: `${isolation.workspace}, ${isolation.sandbox_profile}`,
          ...given({ policy: policy_version }),
        },
      ),
    ]
  },
  "subagent.status": (fact) => {
    const { status, reason, recoverable } = fact.payload
    return [
      agent(fact, "agent.changed", phaseOf[status], {
        status: teammateStatus[status],
        runtimeStatus: status,
        latestTurnStatus: status,
        ...given({
          recoverable: recoverable === "unknown" ? undefined : recoverable,
          blockedReason: status === "blocked" ? reason : undefined,
          needs:
            status === "waiting_input" ? "input" : status === "waiting_permission" ? "permission" : undefined,
        }),
      }),
    ]
  },
  "subagent.input": { notShown: "The child's own stream shows what it was told, as its turn." },
  "subagent.completed": (fact) => {
    const { round, output_refs, preview } = fact.payload
    const result = given({ summary: preview?.text, resultRef: output_refs[0]?.uri })
    return [
      notified(fact, round, "completed", { kind: "result", status: "completed", ...result }),
      agent(fact, "agent.completed", "completed", {
        status: "completed",
        runtimeStatus: "completed",
        latestTurnStatus: "completed",
        outcome: "completed",
        ...result,
      }),
    ]
  },
  "subagent.failed": (fact) => {
    const { round, status, category, reason, recoverable } = fact.payload
    const phase = phaseOf[status]
    const kind = status === "cancelled" ? "kill" : "failure"
    return [
      notified(fact, round, phase, { kind, status, summary: reason }),
      agent(fact, "agent.completed", phase, {
        status: teammateStatus[status],
        runtimeStatus: status,
        latestTurnStatus: status,
        outcome: status,
        failure: { category, message: reason },
        ...given({ recoverable: recoverable === "unknown" ? undefined : recoverable }),
      }),
    ]
  },
  "subagent.closed": (fact) => [
    agent(fact, "agent.changed", "archived", { status: "closed", runtimeStatus: "closed" }),
  ],
}

export const channelFrames: Translations<ChannelEvent> = {
  "channel.connected": (fact) => {
    const { native_peer_id, kind, peer_name } = fact.payload
    // Only a remote agent is a teammate; an editor or a page at the other end is not.
    if (kind !== "a2a") return [told(fact, "info", `${peer_name ?? native_peer_id} connected by ${kind}.`)]
    return [
      event(
        "agent.changed",
        fact,
        { ...roster("accepted"), surface: "remote_teammate", agentId: native_peer_id },
        {
          runtimeEntity: "external_task",
          source: kind,
          connection: "connected",
          ...given({ agentName: peer_name }),
        },
      ),
    ]
  },
  "channel.disconnected": (fact) => {
    const { native_peer_id, reason } = fact.payload
    return [
      link(fact, native_peer_id, "disconnected"),
      told(fact, "warning", `${native_peer_id} is disconnected: ${reason}`),
    ]
  },
  "channel.resumed": (fact) => {
    const { native_peer_id } = fact.payload
    return [link(fact, native_peer_id, "connected"), told(fact, "info", `${native_peer_id} is back.`)]
  },
  "channel.message": (fact) => {
    const { native_peer_id, native_message_id, direction, native_task_id, preview, ref } = fact.payload
    // What a person sends through a channel is shown as the turn that it becomes.
    if (direction === "outbound" || native_task_id === undefined) return []
    return [
      event(
        "worker.notification",
        fact,
        {
          owner: "agent",
          scope: "agent",
          phase: "acting",
          surface: "worker_notifications",
          persistence: "archive",
          agentId: native_peer_id,
          refs: { remoteTaskId: native_task_id },
        },
        {
          notificationId: native_message_id,
          kind: "message",
          summary: preview.text,
          ...given({ resultRef: ref?.uri }),
        },
      ),
    ]
  },
  "channel.permission_forwarded": (fact) => [
    told(fact, "info", `${fact.payload.native_peer_id} was asked too.`),
  ],
  "channel.permission_returned": (fact) => {
    const { native_peer_id, decision, accepted, refusal } = fact.payload
    const outcome = accepted ? "accepted" : `refused: ${refusal ?? "no reason given"}`
    return [told(fact, accepted ? "info" : "warning", `${native_peer_id} answered ${decision}: ${outcome}`)]
  },
}

function roster(phase: Place["phase"]): Place {
  return { owner: "agent", scope: "agent", phase, surface: "team_roster", persistence: "snapshot" }
}

function agent(
  fact: SubagentEvent,
  type: "agent.changed" | "agent.completed",
  phase: Place["phase"],
  payload: AgentPayload,
): AgentUiEvent {
  return event(type, fact, { ...roster(phase), ...lineage(fact) }, { runtimeEntity, ...payload })
}

function notified(
  fact: SubagentEvent,
  round: number,
  phase: Place["phase"],
  payload: NotificationPayload,
): AgentUiEvent {
  const place = {
    ...roster(phase),
    ...lineage(fact),
    surface: "worker_notifications",
    persistence: "archive",
  } as const
  return event("worker.notification", fact, place, {
    notificationId: `${fact.subagent_id}:${round}`,
    ...payload,
  })
}

const told = (fact: ChannelEvent & Envelope, severity: "info" | "warning", message: string): AgentUiEvent =>
  diagnostic(fact, { code: fact.type, severity, message })

/** Of a teammate that is known; whoever else is at the other end stays none. */
const link = (fact: Envelope, agentId: string, connection: string): AgentUiEvent =>
  event("agent.changed", fact, { ...roster("acting"), surface: "remote_teammate", agentId }, { connection })
