import { type SessionState, type Turn, turnEnded } from "@factum/facts"
import { parentOf } from "./delegation/link.ts"
import type { FactLog, StreamHead } from "./ports/log.ts"
import type { Runtime, SessionQuery, SessionRow } from "./runtime.ts"

const rowsKept = 1000
const pageSize = 100
/** At how many sessions one request looks before it answers with what it has found. */
const mostLooked = 2000

type Wanted = Omit<SessionQuery, "limit" | "before">

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

  return ({ limit, before, ...wanted }) => {
    const sessions: SessionRow[] = []
    let at = before
    for (let looked = 0; looked < mostLooked; looked += pageSize) {
      const heads = log.streams({ limit: pageSize, ...(at === undefined ? {} : { before: at }) })
      for (const head of heads) {
        if (sessions.length === limit && at !== undefined) return { sessions, next: at }
        at = head.position
        if (head.stream === runtime_id) continue
        const one = row(head)
        if (matches(one, wanted)) sessions.push(one)
      }
      if (heads.length < pageSize) return { sessions }
    }
    // Who searches for more goes on from there.
    return { sessions, ...(at === undefined ? {} : { next: at }) }
  }
}

function matches(row: SessionRow, { search, status, workspace, top, visible }: Wanted): boolean {
  if (visible !== undefined && !visible(row.session_id)) return false
  if (top === true && row.parent_session_id !== undefined) return false
  if (status !== undefined && row.status !== status) return false
  if (workspace !== undefined && row.workspace !== workspace) return false
  return search === undefined || row.title.toLowerCase().includes(search.toLowerCase())
}

function workspaceIn({ entities }: SessionState, session_id: string): string | undefined {
  const named = entities.sessions[session_id]?.metadata.workspace
  return typeof named === "string" ? named : undefined
}

function describe(head: StreamHead, state: SessionState): SessionRow {
  const { sessions, turns, runs, queues, actions } = state.entities
  const waiting = new Set(Object.values(queues).flatMap((queue) => queue.order.map((entry) => entry.turn_id)))
  const active = Object.values(turns).find((turn) => !turnEnded(turn) && !waiting.has(turn.turn_id))
  const last = Object.values(turns).reduce<Turn | undefined>(
    (latest, turn) => ((turn.ended_sequence ?? 0) > (latest?.ended_sequence ?? 0) ? turn : latest),
    undefined,
  )
  const workspace = workspaceIn(state, head.stream)
  const parent = parentOf(state)
  const phase = active === undefined ? "idle" : runs[active.turn_id]?.phase
  return {
    session_id: head.stream,
    title: sessions[head.stream]?.title ?? "",
    status: phase === undefined || phase === "unknown" ? (active?.status ?? "idle") : phase,
    ...(workspace === undefined ? {} : { workspace }),
    ...(last === undefined ? {} : { outcome: last.status }),
    ...(parent === undefined ? {} : { parent_session_id: parent.session_id }),
    needs_you: Object.values(actions).filter(({ status }) => status === "pending").length,
    updated_at: new Date(head.updated_at).toISOString(),
    // The state may be a moment behind the file, and the row says what the state says.
    sequence: state.sequence,
    position: head.position,
  }
}
