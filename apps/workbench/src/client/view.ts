import type { Connection, Pending } from "@factum/client"
import { type Problem, problemOf, type SessionRow } from "@factum/client"
import type { PendingRequest } from "@factum/facts"
import { type StateWord, stateWord } from "../ui/status.ts"
import type { Answer } from "./answers.ts"
import {
  type ActionView,
  type Conversation,
  emptyConversation,
  ended,
  isWaiting,
  newTurn,
  partsOf,
  type TurnView,
  waitingActions,
} from "./conversation.ts"
import type { SessionFeed } from "./feed.ts"

export type TabView = { session_id: string; title: string; state: StateWord; updated_at?: string }
export type QueueRow = {
  turn_id: string
  text?: string
  first: boolean
  /** Absent while the message is on its way. */
  place?: { queued_turn_id: string; thread_id: string }
}

export type WorkbenchView = {
  session_id?: string
  tabs: readonly TabView[]
  turns: readonly TurnView[]
  queue: readonly QueueRow[]
  /** Questions that belong to no turn. */
  actions: readonly ActionView[]
  /** Questions that are open, but asked before the loaded part of the log. */
  outside: readonly PendingRequest[]
  /** How many questions wait for a person. */
  waiting: number
  /** What the person said, by action, until the log has it. */
  answers: ReadonlyMap<string, Answer>
  /** The turn that has the floor, so that a new message would wait. */
  active?: TurnView
  /** Grows with every message, part and outcome, to count what a reader has not seen. */
  blocks: number
  connection: Connection
  loading: boolean
  creating: boolean
  hasEarlier: boolean
  incomplete: boolean
  /** Why the open session cannot be read. */
  unreadable?: Problem
  problem?: Problem
}

export type ViewSource = {
  feed: SessionFeed | undefined
  sessions: readonly SessionRow[]
  pending: readonly Pending[]
  answers: ReadonlyMap<string, Answer>
  /** How the list of sessions is doing, for a page without an open session. */
  listed: Connection
  problem: Problem | undefined
}

export function viewOf(source: ViewSource): WorkbenchView {
  const { feed, sessions, pending: all, answers, listed, problem } = source
  const conversation = feed?.ledger.conversation ?? emptyConversation
  const session_id = feed?.session_id
  const pending = all.filter((p) => p.session_id === session_id && !conversation.turns.has(p.turn_id))
  const hasEarlier = feed?.earlier !== undefined
  // A turn that the window cuts is shown with the window before it, unless somebody has to answer in it.
  const whole = shownTurns(conversation).filter(
    (turn) => turn.text !== undefined || !hasEarlier || waitingActions(turn).length > 0,
  )
  const turns = withPending(
    whole,
    pending.filter((p) => !p.behind),
  )
  const active = turns.findLast((turn) => !ended(turn) && turn.status !== "unsent")
  const connection = feed?.connection ?? listed
  const { actions } = conversation
  const outside = feed?.outside ?? []
  const asking = [...actions, ...turns.flatMap((turn) => turn.actions)].filter(isWaiting)
  const waiting = asking.length + outside.length
  const tabs = tabsOf(sessions, feed, waiting > 0 ? "needsYou" : active && stateWord(active.status))
  return {
    ...(session_id === undefined ? {} : { session_id }),
    tabs: connection.state === "lost" ? tabs.map(lastKnown) : tabs,
    turns,
    queue: queueOf(conversation, pending),
    actions,
    outside,
    waiting,
    answers,
    ...(active === undefined ? {} : { active }),
    blocks: turns.reduce((sum, turn) => sum + blocksIn(turn), 0),
    connection,
    loading: feed?.loading ?? false,
    creating: session_id === undefined && pending.some((p) => p.refusal === undefined),
    hasEarlier,
    incomplete: feed?.ledger.incomplete ?? false,
    ...(feed?.refusal && { unreadable: problemOf(feed.refusal) }),
    ...(problem && { problem }),
  }
}

const blocksIn = (turn: TurnView): number =>
  1 + partsOf(turn).length + turn.calls.length + turn.actions.length + (ended(turn) ? 1 : 0)

function shownTurns({ turns, order, queue, removed }: Conversation): TurnView[] {
  const elsewhere = new Set([...order, ...removed, ...queue.map((queued) => queued.turn_id)])
  const waiting = [...turns.keys()].filter((turn_id) => !elsewhere.has(turn_id))
  return [...order, ...waiting].flatMap((turn_id) => turns.get(turn_id) ?? [])
}

/** A refused message stays where it was sent, so that it does not stand in the way of later ones. */
function withPending(turns: readonly TurnView[], pending: readonly Pending[]): TurnView[] {
  const all = [...turns]
  for (const p of pending) {
    const later = p.refusal && all.findIndex((turn) => (turn.submitted_at ?? "") > p.sent_at)
    all.splice(later === undefined || later < 0 ? all.length : later, 0, pendingTurn(p))
  }
  return all
}

// Keyed by the pending record, so that a memoised turn keeps its identity from frame to frame.
const pendingTurns = new WeakMap<Pending, TurnView>()

function pendingTurn(p: Pending): TurnView {
  const known = pendingTurns.get(p)
  if (known !== undefined) return known
  const { turn_id, text, refusal } = p
  const turn: TurnView =
    refusal === undefined
      ? { ...newTurn(turn_id, "sending"), text }
      : { ...newTurn(turn_id, "unsent"), text, outcome: unsent(refusal) }
  pendingTurns.set(p, turn)
  return turn
}

const unsent = ({ code, message }: Problem) => ({ category: code, reason: message })

function queueOf({ queue, turns }: Conversation, pending: readonly Pending[]): QueueRow[] {
  const known = queue.map(({ queued_turn_id, thread_id, turn_id }, at): QueueRow => {
    const text = turns.get(turn_id)?.text
    const row = { turn_id, place: { queued_turn_id, thread_id }, first: at === 0 }
    return text === undefined ? row : { ...row, text }
  })
  const sending = pending
    .filter((p) => p.behind)
    .map(({ turn_id, text }) => ({ turn_id, text, first: false }))
  return [...known, ...sending]
}

/** In the order in which sessions began, which never shifts under the pointer. */
function tabsOf(
  sessions: readonly SessionRow[],
  feed: SessionFeed | undefined,
  now: StateWord | undefined,
): TabView[] {
  const rows = sessions.map((row): TabView => {
    const { session_id, title, status, outcome, updated_at } = row
    const isOver = status === "idle" && outcome !== undefined
    return { session_id, title, state: stateWord(isOver ? outcome : status), updated_at }
  })
  const open = feed === undefined || feed.refusal !== undefined ? undefined : openTab(feed, rows, now)
  const tabs = open === undefined ? rows : [open, ...rows.filter((row) => row.session_id !== open.session_id)]
  return tabs.sort((a, b) => (a.session_id < b.session_id ? 1 : -1))
}

/** The open session's own facts are fresher than the list, which is only asked now and then. */
function openTab(
  { session_id, ledger }: SessionFeed,
  rows: readonly TabView[],
  now: StateWord | undefined,
): TabView {
  const { title, order, turns } = ledger.conversation
  const listed = rows.find((row) => row.session_id === session_id)
  const last = turns.get(order.at(-1) ?? "")
  return {
    ...listed,
    session_id,
    title: title || listed?.title || "",
    state: now ?? (last === undefined ? (listed?.state ?? "unknown") : stateWord(last.status)),
  }
}

/** Without the host nobody knows whether it still runs. */
const lastKnown = (tab: TabView): TabView =>
  ["running", "waiting", "needsYou"].includes(tab.state) ? { ...tab, state: "stale" } : tab
