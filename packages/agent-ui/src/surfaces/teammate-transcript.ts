import type { QueuedTurn } from "../events/index.ts"
import type { AgentEntity, AgentUiState } from "../state.ts"
import { lookUp } from "../table.ts"
import { type MessageRow, messageRowOf } from "./message-row.ts"
import { aim } from "./offer.ts"
import { assemble, inScope, isQueued, lastRun, ready, said, staleness } from "./standing.ts"
import { type ToolRow, toolRowOf } from "./tool-ui.ts"
import type { Mark, Surface, View, ViewScope } from "./view.ts"
import { given, picked, type Who, whoNamed } from "./who.ts"

export type TeammateTranscriptView = View & {
  who?: Who
  sessionId?: string
  threadId?: string
  taskId?: string
  parentSessionId?: string
  /** Where the whole of it is read. */
  transcriptRef?: string
  status?: string
  messages: readonly MessageRow[]
  tools: readonly ToolRow[]
  pendingInput: readonly QueuedTurn[]
  /** Older ones than those shown. */
  earlier: number
}

/** A bounded zoom: the newest of each. */
const messagesShown = 50
const toolsShown = 50

export const teammateTranscript: Surface<TeammateTranscriptView> = {
  reads: [
    "agents",
    "sessions",
    "messages",
    "tools",
    "queues",
    "runs",
    "actions",
    "artifacts",
    "evidence",
    "local",
  ],
  select(state, scope, ports) {
    const agentId = scope.agentId ?? state.local.selectedAgentId ?? newestIn(state, scope)
    const agent = lookUp(state.agents, agentId)
    const sessionId = agent?.childSessionId
    const session = lookUp(state.sessions, sessionId)
    const total = session?.messageIds.length ?? 0
    const from = Math.max(0, total - messagesShown)
    const messages = (session?.messageIds.slice(from) ?? []).flatMap((id) => messageRowOf(state, id) ?? [])
    const process = lastRun(state, session)?.process
    const tools = (process?.slice(-toolsShown) ?? []).flatMap(({ kind, id }) =>
      kind === "tool" ? (toolRowOf(state, id, ports) ?? []) : [],
    )
    const pendingInput = [...state.queues.values()]
      .filter(({ origin }) => sessionId !== undefined && origin.sessionId === sessionId)
      .flatMap(({ turns }) => turns.filter(isQueued))
    const has = messages.length + tools.length + pendingInput.length > 0
    return assemble(
      "teammate_transcript",
      { state, scope: picked(scope, "sessionId"), ports },
      {
        has: has,
        marks: agent ? [markOf(state, agent, has)] : agentId === undefined ? [] : [unavailable],
        aims: {
          continue_agent: aim(agent !== undefined && agent.status !== "closed" && agent.status !== "killed"),
          stop: aim(agent !== undefined && !agent.ended, "team.stop"),
          open_detail: aim(agent !== undefined, "session.read"),
        },
      },
      {
        messages,
        tools,
        pendingInput,
        earlier: from,
        ...given({ who: whoNamed(state, agentId), sessionId }),
        ...given({ threadId: agent?.childThreadId, taskId: agent?.origin.taskId, status: agent?.status }),
        ...given({ parentSessionId: agent?.origin.parentSessionId, transcriptRef: agent?.transcriptRef }),
      },
    )
  },
}

/** Where nobody was chosen, the teammate that was called last. */
const newestIn = (state: AgentUiState, scope: ViewScope): string | undefined =>
  inScope(state, state.agents, scope)
    .filter(({ childSessionId, transcriptRef }) => (childSessionId ?? transcriptRef) !== undefined)
    .reduce<AgentEntity | undefined>(
      (last, one) => (last && last.opened > one.opened ? last : one),
      undefined,
    )?.agentId

const unavailable: Mark = { state: "unavailable", reason: "transcript_unavailable" }

function markOf(state: AgentUiState, agent: AgentEntity, has: boolean): Mark {
  const session = lookUp(state.sessions, agent.childSessionId)
  if (session?.blockedReason !== undefined) return said("blocked", session.blockedReason)
  const stale = session && staleness(state, session)
  if (stale) return { state: "stale", reason: stale }
  if (has) return ready
  // A ref or a session to read promises a transcript; without either there is none to be had.
  return agent.transcriptRef === undefined && agent.childSessionId === undefined ? unavailable : ready
}
