import { type SessionState, type Turn, turnEnded } from "@factum/facts"
import type { FactLog, StreamHead } from "./ports/log.ts"
import type { Runtime, SessionRow } from "./runtime.ts"

const rowsKept = 1000

/** Lists sessions by recency. A row is computed once for each sequence of its session. */
export function sessionList(
  log: FactLog,
  stateOf: (session_id: string) => SessionState,
  runtime_id: string,
): Runtime["sessions"] {
  const rows = new Map<string, SessionRow>()

  function row(head: StreamHead): SessionRow {
    const known = rows.get(head.stream)
    if (known?.sequence === head.sequence) return known
    const made = describe(head, stateOf(head.stream))
    if (rows.size >= rowsKept) rows.clear()
    rows.set(head.stream, made)
    return made
  }

  return ({ limit, before }) => {
    // One more, because the runtime's own stream is no session.
    const heads = log.streams({ limit: limit + 1, ...(before === undefined ? {} : { before }) })
    return {
      sessions: heads
        .filter(({ stream }) => stream !== runtime_id)
        .slice(0, limit)
        .map(row),
    }
  }
}

function describe(head: StreamHead, state: SessionState): SessionRow {
  const { sessions, turns, runs, queues } = state.entities
  const waiting = new Set(Object.values(queues).flatMap((queue) => queue.order.map((entry) => entry.turn_id)))
  const active = Object.values(turns).find((turn) => !turnEnded(turn) && !waiting.has(turn.turn_id))
  const last = Object.values(turns).reduce<Turn | undefined>(
    (latest, turn) => ((turn.ended_sequence ?? 0) > (latest?.ended_sequence ?? 0) ? turn : latest),
    undefined,
  )
  const phase = active === undefined ? "idle" : runs[active.turn_id]?.phase
  return {
    session_id: head.stream,
    title: sessions[head.stream]?.title ?? "",
    status: phase === undefined || phase === "unknown" ? (active?.status ?? "idle") : phase,
    ...(last === undefined ? {} : { outcome: last.status }),
    updated_at: new Date(head.updated_at).toISOString(),
    // The state may be a moment behind the file, and the row says what the state says.
    sequence: state.sequence,
    position: head.position,
  }
}
