import { chainOf } from "../chain.ts"
import { change, type Draft, remove } from "../draft.ts"
import type { LeftTurns } from "../events/index.ts"
import type { Origin } from "../state.ts"

/** What is of a turn alone. What it did outside is not undone, and stays. */
const tables = ["runs", "turns", "messages", "plans", "tools", "actions"] as const

/** Turns that left the conversation take with them what was said and asked in them. */
export function leave(draft: Draft, sessionId: string, { threadId, from, to, kept }: LeftTurns): void {
  const session = change(draft, "sessions", sessionId)
  if (!session) return
  const { state } = draft
  const isOf = (origin: Origin) =>
    origin.sessionId === sessionId && (origin.threadId ?? threadId) === threadId
  const gone = new Set<string>()
  const go = (runId: string, origin: Origin) => {
    const { sequence = -1 } = origin
    if (runId !== kept && isOf(origin) && from <= sequence && sequence <= to) gone.add(runId)
  }
  for (const { runId, origin } of state.runs.values()) go(runId, origin)
  // Of a turn that is known by its words alone, its place says on which side it stands.
  const ids = [...session.messageIds]
  const origins = ids.map((id) => state.messages.get(id)?.origin)
  const last = origins.findLastIndex((origin) => kept !== undefined && origin?.runId === kept)
  for (const origin of origins.slice(last + 1))
    if (origin?.runId !== undefined && !state.runs.has(origin.runId)) go(origin.runId, origin)
  for (const name of tables)
    for (const [id, { origin }] of [...state[name].entries()])
      if (gone.has(name === "runs" ? id : (origin.runId ?? ""))) remove(draft, name, id)
  // A summary of what has left is no longer in force.
  for (const { boundaryId, origin, range } of [...state.compactions.values()])
    if (isOf(origin) && range && range.to >= from) remove(draft, "compactions", boundaryId)
  session.messageIds = chainOf(ids.filter((id) => state.messages.has(id)))
  session.runIds = chainOf([...session.runIds].filter((id) => state.runs.has(id)))
}
