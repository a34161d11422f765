import { type Chain, chainOf, unshift } from "./chain.ts"
import { change, type Draft, entryKey, remember } from "./draft.ts"
import { entityTables } from "./plain.ts"
import { draftOf } from "./reduce.ts"
import { leave } from "./reducers/leave.ts"
import { openSession } from "./reducers/session.ts"
import type { AgentUiState, Entities, MessageEntity, ProcessEntry, RunEntity, Told } from "./state.ts"
import { setIn, type Table } from "./table.ts"
import { fresh } from "./vector.ts"

/**
 * Adds a window of older history, reduced by itself, in front of what is known. What is known stays as it is: a window
 * only fills in what was not there. `earlier` is the cursor to what is older still.
 */
export function addOlder(
  state: AgentUiState,
  sessionId: string,
  given: AgentUiState,
  earlier?: string,
): AgentUiState {
  const left = state.sessions.get(sessionId)?.left ?? []
  const window = draftOf(given, (draft) => {
    for (const range of left) leave(draft, sessionId, range)
  })
  return joinedTo(state, sessionId, window, earlier)
}

function joinedTo(
  state: AgentUiState,
  sessionId: string,
  older: AgentUiState,
  earlier?: string,
): AgentUiState {
  const before = older.sessions.get(sessionId)
  return draftOf(state, (draft) => {
    draft.event = { type: "session.hydrated", sessionId }
    for (const run of older.runs.values()) joinRun(draft, run)
    for (const { turnId, entries } of older.turns.values()) {
      const turn = change(draft, "turns", turnId)
      if (turn) turn.entries = joined(draft, turn, turn.entries, entries)
    }
    for (const message of older.messages.values()) joinMessage(draft, message)
    // Whatever is older was opened before everything that is known.
    const shift = draft.state.oldest - older.opened - 1
    draft.state.oldest = shift
    for (const name of entityTables) if (name !== "sessions") addMissing(draft, name, older, shift)
    const session = openSession(draft, sessionId)
    session.messageIds = prepended(draft, session.messageIds, before?.messageIds ?? [])
    session.runIds = prepended(draft, session.runIds, before?.runIds ?? [])
    if (before?.left) session.left = [...before.left, ...(session.left ?? [])]
    if (earlier === undefined) delete session.earlier
    else session.earlier = earlier
  })
}

function addMissing<K extends keyof Entities>(
  draft: Draft,
  name: K,
  older: AgentUiState,
  shift: number,
): void {
  const tables: { [N in K]: Table<Entities[N]> } = draft.state
  const from: { [N in K]: Table<Entities[N]> } = older
  for (const [id, entity] of from[name].entries()) {
    if (tables[name].has(id)) continue
    const added: Entities[K] = { ...entity, opened: entity.opened + shift }
    tables[name] = setIn<Entities[K]>(tables[name], id, fresh(added, draft.edit), draft.edit)
  }
}

/** A run that the window cuts: its beginning comes before what is known of it. */
function joinRun(draft: Draft, older: RunEntity): void {
  const run = change(draft, "runs", older.runId)
  if (!run) return
  run.process = joined(draft, run, run.process, older.process)
  run.messageIds = [...new Set([...older.messageIds, ...run.messageIds])]
  const nameOf = ({ clientId, at }: RunEntity["steered"][number]) => clientId ?? at
  const known = run.steered.map(nameOf)
  run.steered = [...older.steered.filter((one) => !known.includes(nameOf(one))), ...run.steered]
  if (older.startedAt !== undefined) run.startedAt = older.startedAt
}

/** Parts that the window has and nobody else stand before the known ones. */
function joinMessage(draft: Draft, older: MessageEntity): void {
  const known = draft.state.messages.get(older.messageId)
  if (!known) return
  const missing = older.parts.filter(({ partId }) => known.parts.every((part) => part.partId !== partId))
  if (missing.length === 0) return
  const message = change(draft, "messages", older.messageId)
  if (message) message.parts = [...missing, ...message.parts]
}

/** Facts know their order and read models do not: what both have stands where the facts put it. */
function joined(
  draft: Draft,
  holder: Told,
  known: Chain<ProcessEntry>,
  older: Chain<ProcessEntry>,
): Chain<ProcessEntry> {
  if (older.length === 0) return known
  for (const entry of older) remember(draft, holder, entryKey(entry))
  const there = new Set([...older].map(entryKey))
  return chainOf([...older, ...[...known].filter((entry) => !there.has(entryKey(entry)))])
}

function prepended(draft: Draft, known: Chain<string>, older: Iterable<string>): Chain<string> {
  const there = new Set(known)
  const missing = [...older].filter((id) => !there.has(id))
  return missing.reduceRight((chain, id) => unshift(chain, id, draft.edit), known)
}
