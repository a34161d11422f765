import { type SessionState, type Turn, turnEnded } from "@factum/facts"
import { parentOf, workspaceIn } from "./delegation/link.ts"
import type { FactLog, StreamHead } from "./ports/log.ts"
import type { Runtime, SessionQuery, SessionRow } from "./runtime.ts"

const rowsKept = 10_000
const pageSize = 100
/** At how many sessions one request looks before it answers with what it has found. */
const mostLooked = 2000
/** How many sessions one request opens, beyond those that it gives: others wait while a state is read. */
const mostOpened = 100

type Wanted = Omit<SessionQuery, "limit" | "before">

/** Lists sessions by recency. A row is computed once for each sequence of its session. */
export function sessionList(
  log: FactLog,
  stateOf: (session_id: string) => SessionState,
  runtime_id: string,
): Runtime["sessions"] {
  const rows = new Map<string, SessionRow>()

  function known({ stream, sequence }: StreamHead): SessionRow | undefined {
    const row = rows.get(stream)
    return row?.sequence === sequence ? row : undefined
  }

  function open(head: StreamHead): SessionRow {
    const made = describe(head, stateOf(head.stream))
    rows.delete(head.stream)
    if (rows.size >= rowsKept) rows.delete(rows.keys().next().value ?? "")
    rows.set(head.stream, made)
    return made
  }

  return ({ limit, before, ...wanted }) => {
    const sessions: SessionRow[] = []
    let at = before
    let opened = 0
    for (let looked = 0; looked < mostLooked; looked += pageSize) {
      const heads = log.streams({ limit: pageSize, ...(at === undefined ? {} : { before: at }) })
      for (const head of heads) {
        if (sessions.length === limit && at !== undefined) return { sessions, next: at }
        const isHidden = head.stream === runtime_id || wanted.visible?.(head.stream) === false
        const row = isHidden ? undefined : known(head)
        const isNew = !isHidden && row === undefined
        if (isNew && opened++ === limit + mostOpened && at !== undefined) return { sessions, next: at }
        at = head.position
        const shown = isNew ? open(head) : row
        if (shown !== undefined && matches(shown, wanted)) sessions.push(shown)
      }
      if (heads.length < pageSize) return { sessions }
    }
    // Who searches for more goes on from there.
    return { sessions, ...(at === undefined ? {} : { next: at }) }
  }
}

function matches(row: SessionRow, { search, status, workspace, top }: Wanted): boolean {
  if (top === true && row.parent_session_id !== undefined) return false
  if (status !== undefined && row.status !== status) return false
  if (workspace !== undefined && row.workspace !== workspace) return false
  return search === undefined || row.title.toLowerCase().includes(search.toLowerCase())
}

function describe(head: StreamHead, state: SessionState): SessionRow {
  const { sessions, turns, runs, queues, actions } = state.entities
  const waiting = new Set(Object.values(queues).flatMap((queue) => queue.order.map((entry) => entry.turn_id)))
  const active = Object.values(turns).find((turn) => !turnEnded(turn) && !waiting.has(turn.turn_id))
  const last = Object.values(turns).reduce<Turn | undefined>(
    (latest, turn) => ((turn.ended_sequence ?? 0) > (latest?.ended_sequence ?? 0) ? turn : latest),
    undefined,
  )
  const workspace = workspaceIn(state)
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
