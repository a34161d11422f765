import type { SessionRow } from "./api.ts"
import { type Conversation, emptyConversation, type Part, type TurnView } from "./project.ts"
import { type StateWord, stateWord } from "./status.ts"
import type { Connection } from "./stream.ts"
import { ended } from "./turns.ts"

/** A message on its way: shown at once, dropped as soon as the log knows its turn. */
export type Pending = {
  turn_id: string
  command_id: string
  session_id?: string
  text: string
  behind: boolean
  refusal?: string
}

export type TabView = { session_id: string; title: string; state: StateWord }
export type QueueRow = { turn_id: string; text?: string; queued_turn_id?: string; first: boolean }

export type WorkbenchView = {
  session_id?: string
  tabs: readonly TabView[]
  turns: readonly TurnView[]
  queue: readonly QueueRow[]
  /** The turn that has the floor, so that a new message would wait. */
  active?: TurnView
  /** Grows with every message, part and outcome, to count what a reader has not seen. */
  blocks: number
  connection: Connection
  loading: boolean
  creating: boolean
  hasEarlier: boolean
  incomplete: boolean
  problem?: string
}

export type ViewSource = {
  session_id?: string
  sessions: readonly SessionRow[]
  conversation: Conversation
  pending: readonly Pending[]
  connection: Connection
  loading: boolean
  earlier?: string | number
  problem?: string
}

/** Before anything of a session has been read. */
export const closed = (
  sessions: readonly SessionRow[],
  session_id: string | undefined,
  pending: readonly Pending[],
): ViewSource => ({
  ...(session_id === undefined ? {} : { session_id }),
  sessions,
  conversation: emptyConversation(),
  pending,
  connection: session_id === undefined ? { state: "live" } : { state: "connecting" },
  loading: session_id !== undefined,
})

export function viewOf(source: ViewSource): WorkbenchView {
  const { conversation, session_id, problem } = source
  const pending = source.pending.filter(
    (p) => p.session_id === session_id && !conversation.turns.has(p.turn_id),
  )
  const turns = [...shownTurns(conversation), ...pending.filter((p) => !p.behind).map(pendingTurn)]
  const active = turns.findLast((turn) => !ended(turn) && turn.status !== "unsent")
  return {
    ...(session_id === undefined ? {} : { session_id }),
    tabs: tabsOf(source, active),
    turns,
    queue: queueOf(conversation, pending),
    ...(active === undefined ? {} : { active }),
    blocks: turns.reduce((sum, turn) => sum + 1 + partsOf(turn).length + (ended(turn) ? 1 : 0), 0),
    connection: source.connection,
    loading: source.loading,
    creating: session_id === undefined && pending.some((p) => p.refusal === undefined),
    hasEarlier: source.earlier !== undefined,
    incomplete: conversation.lost.length > 0,
    ...(problem === undefined ? {} : { problem }),
  }
}

export const partsOf = (turn: TurnView): Part[] => turn.requests.flatMap((request) => request.parts)

function shownTurns({ turns, order, queue, removed }: Conversation): TurnView[] {
  const elsewhere = new Set([...order, ...removed, ...queue.map((queued) => queued.turn_id)])
  const waiting = [...turns.keys()].filter((turn_id) => !elsewhere.has(turn_id))
  return [...order, ...waiting].flatMap((turn_id) => turns.get(turn_id) ?? [])
}

// Keyed by the pending record, so that a memoised turn keeps its identity from frame to frame.
const pendingTurns = new WeakMap<Pending, TurnView>()

function pendingTurn(p: Pending): TurnView {
  const known = pendingTurns.get(p)
  if (known !== undefined) return known
  const turn: TurnView =
    p.refusal === undefined
      ? { turn_id: p.turn_id, text: p.text, status: "sending", requests: [] }
      : {
          turn_id: p.turn_id,
          text: p.text,
          status: "unsent",
          requests: [],
          outcome: { category: "unsent", reason: p.refusal },
        }
  pendingTurns.set(p, turn)
  return turn
}

function queueOf({ queue, turns }: Conversation, pending: readonly Pending[]): QueueRow[] {
  const known = queue.map(({ queued_turn_id, turn_id }, at) => {
    const text = turns.get(turn_id)?.text
    return { turn_id, queued_turn_id, first: at === 0, ...(text === undefined ? {} : { text }) }
  })
  const sending = pending
    .filter((p) => p.behind)
    .map(({ turn_id, text }) => ({ turn_id, text, first: false }))
  return [...known, ...sending]
}

/** The open session's own facts are fresher than the list, which is only asked now and then. */
function tabsOf({ sessions, session_id, conversation }: ViewSource, active?: TurnView): TabView[] {
  const rows = sessions.map((row) => ({
    session_id: row.session_id,
    title: row.title,
    state: stateWord(row.status),
  }))
  if (session_id === undefined) return rows
  const last = conversation.order.at(-1)
  const turn = active ?? (last === undefined ? undefined : conversation.turns.get(last))
  const listed = rows.find((row) => row.session_id === session_id)
  const open: TabView = {
    session_id,
    title: conversation.title || listed?.title || "",
    state: turn === undefined ? (listed?.state ?? "unknown") : stateWord(turn.status),
  }
  return listed === undefined ? [open, ...rows] : rows.map((row) => (row === listed ? open : row))
}
