import type {
  ConversationView,
  InlineProcessView,
  MessageRow,
  ProcessRow,
  RunSummary,
  TextView,
} from "@factum/agent-ui"

/** A piece of a turn, in the order of its facts: lines of its process, or a part of its text. */
export type Piece =
  | { kind: "rows"; key: string; rows: readonly ProcessRow[] }
  | { kind: "text"; key: string; part: TextView; message: MessageRow }
  /** What a person said into the run while it was under way. */
  | { kind: "steer"; key: string; row: ProcessRow }

/** What a person asked and what came of it, as one item of the conversation. */
export type TurnItem = {
  key: string
  runId?: string
  /** When it began, or was asked. */
  at?: string
  asked: readonly MessageRow[]
  answers: readonly MessageRow[]
  pieces: readonly Piece[]
  /** Of a run that ended. */
  summary?: RunSummary
  /** Lines of its process before those that are shown. */
  earlier: number
  live: boolean
}

/** Messages and processes joined by their run: both views keep their order, and nothing is shown twice. */
export function turnsOf(conversation: ConversationView, process: InlineProcessView): TurnItem[] {
  const groups = new Map<string, MessageRow[]>()
  for (const row of conversation.messages) {
    const key = row.runId ?? row.clientId ?? row.messageId
    const group = groups.get(key)
    if (group) group.push(row)
    else groups.set(key, [row])
  }
  // A run that nobody's message began still has its place, at the end.
  if (process.runId !== undefined && !groups.has(process.runId)) groups.set(process.runId, [])
  const summaries = new Map(process.archived.map((summary) => [summary.runId, summary]))
  return [...groups].map(([key, rows]) => {
    const summary = summaries.get(key)
    return process.runId === key
      ? turnOf(key, rows, summary, process)
      : settledTurn(key, rows, summary, process)
  })
}

/** Turns that do not run, by their first message: with the same messages and summary they are the same. */
const settled = new WeakMap<
  MessageRow,
  { rows: readonly MessageRow[]; summary?: RunSummary; turn: TurnItem }
>()

function settledTurn(
  key: string,
  rows: readonly MessageRow[],
  summary: RunSummary | undefined,
  process: InlineProcessView,
): TurnItem {
  const [first] = rows
  const known = first && settled.get(first)
  const same = known?.rows.length === rows.length && rows.every((row, at) => row === known.rows[at])
  if (known !== undefined && same && known.summary === summary) return known.turn
  const turn = turnOf(key, rows, summary, process)
  if (first !== undefined) settled.set(first, { rows, turn, ...(summary && { summary }) })
  return turn
}

function turnOf(
  key: string,
  rows: readonly MessageRow[],
  summary: RunSummary | undefined,
  process: InlineProcessView,
): TurnItem {
  const live = process.runId === key
  const answers = rows.filter(({ role }) => role === "assistant")
  const lines = live ? process.rows : (summary?.rows ?? summary?.spoken)
  const at = (live ? process.startedAt : summary?.startedAt) ?? rows[0]?.at
  return {
    key,
    asked: rows.filter(({ role }) => role === "user"),
    answers,
    pieces: piecesOf(answers, lines ?? []),
    live,
    earlier: (live ? process.earlier : summary?.earlier) ?? 0,
    ...(rows[0]?.runId !== undefined || live ? { runId: key } : {}),
    ...(at !== undefined && { at }),
    ...(summary && { summary }),
  }
}

/** A turn whose end was asked for apart. */
export const endedAs = (turn: TurnItem, summary: RunSummary): TurnItem => ({
  ...turn,
  summary,
  earlier: summary.earlier ?? 0,
  pieces: piecesOf(turn.answers, summary.rows ?? summary.spoken ?? []),
})

/** Text stands where the process says that it came; text that the shown lines do not name comes first. */
function piecesOf(answers: readonly MessageRow[], lines: readonly ProcessRow[]): Piece[] {
  const texts = new Map<string, { part: TextView; message: MessageRow }>(
    answers.flatMap((message) =>
      message.text.map((part) => [`${message.messageId} ${part.partId}`, { part, message }] as const),
    ),
  )
  const placed: Piece[] = []
  let open: ProcessRow[] | undefined
  for (const row of lines) {
    if (row.kind === "status") continue
    if (row.kind === "steer") {
      open = undefined
      placed.push({ kind: "steer", key: row.key, row })
      continue
    }
    if (row.text === undefined) {
      if (open === undefined) {
        open = []
        placed.push({ kind: "rows", key: row.key, rows: open })
      }
      open.push(row)
      continue
    }
    const at = `${row.text.messageId} ${row.text.partId ?? ""}`
    const found = texts.get(at)
    if (found === undefined) continue
    texts.delete(at)
    open = undefined
    placed.push({ kind: "text", key: at, ...found })
  }
  const rest = [...texts].map(([at, found]): Piece => ({ kind: "text", key: at, ...found }))
  return [...rest, ...placed]
}
