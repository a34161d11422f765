import type { AgentUiState, CompactionEntity } from "../state.ts"
import { lookUp } from "../table.ts"
import { type MessageRow, messageRowOf } from "./message-row.ts"
import { aim } from "./offer.ts"
import { assemble, lastRun, queuedTurns, ready, wasRemoved } from "./standing.ts"
import type { Mark, Surface, View } from "./view.ts"
import { given } from "./who.ts"

export type ConversationView = View & {
  messages: readonly MessageRow[]
  /** How many are known, and which of them the window holds. */
  total: number
  from: number
  to: number
  /** Whether the owner has older ones: `unloaded` ones can be fetched with the cursor. */
  earlier: "none" | "unloaded" | "unknown"
  earlierCursor?: string
  /** Where earlier messages were summed up for the model, outside any run. They stay as they are. */
  boundaries: readonly Boundary[]
}
export type Boundary = { boundaryId: string; state: CompactionEntity["state"]; at?: string; summary?: string }

/** How many of the newest messages are shown when no window is asked for. */
const usual = 100

export const conversation: Surface<ConversationView> = {
  reads: ["messages", "agents", "queues", "artifacts", "evidence", "runs", "compactions"],
  inputs: (state, { sessionId = "" }) => {
    const session = state.sessions.get(sessionId)
    return [session?.messageIds, session?.earlier, session?.window]
  },
  select(state, scope, ports) {
    const session = lookUp(state.sessions, scope.sessionId)
    const total = session?.messageIds.length ?? 0
    const to = Math.min(scope.window?.to ?? total, total)
    const from = Math.max(0, scope.window?.from ?? to - usual)
    const messages = (session?.messageIds.slice(from, to) ?? []).flatMap((id) => {
      const row = messageRowOf(state, id)
      return row && !isWaiting(state, row) ? [row] : []
    })
    const run = lastRun(state, session)
    const failed = run?.outcome === "failed" && run.failure?.retryable !== false
    const earlier = !session ? "unknown" : session.earlier !== undefined ? "unloaded" : "none"
    return assemble(
      "conversation",
      { state, scope, ports },
      {
        has: messages.length > 0,
        marks: [earlierMark(total, session?.window?.from, earlier)],
        aims: {
          retry: aim(failed, "runtime.retry"),
          rollback: aim(messages.length > 0, "session.rollback"),
          open_detail: aim(session !== undefined, "session.read"),
        },
      },
      {
        messages,
        total,
        from,
        to,
        earlier,
        boundaries: session === undefined ? [] : boundariesOf(state, session.sessionId),
        ...(session?.earlier !== undefined && { earlierCursor: session.earlier }),
      },
    )
  },
}

/** The window begins after the beginning, and nobody said how to read what lies before. */
function earlierMark(total: number, from: number | undefined, earlier: ConversationView["earlier"]): Mark {
  const cut = total > 0 && from !== undefined && from > 1 && earlier === "none"
  return cut ? { state: "unavailable", reason: "history_not_loaded" } : ready
}

function boundariesOf(state: AgentUiState, sessionId: string): Boundary[] {
  return [...state.compactions.values()]
    .filter(({ origin }) => origin.sessionId === sessionId && origin.runId === undefined)
    .map(({ boundaryId, state: at, summary, origin }) => ({
      boundaryId,
      state: at,
      ...given({ at: origin.timestamp, summary }),
    }))
}

/** What waits for its own turn is not a message yet; what was taken from the queue never became one. */
function isWaiting(state: AgentUiState, { role, turnId, runId = turnId }: MessageRow): boolean {
  if (role !== "user" || runId === undefined) return false
  const run = state.runs.get(runId)
  return queuedTurns(state.queues).has(turnId ?? runId) || (run !== undefined && wasRemoved(run))
}
