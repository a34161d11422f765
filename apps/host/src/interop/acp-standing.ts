import { RequestError } from "@agentclientprotocol/sdk"
import type { AgentUiEvent } from "@factum/agent-ui"
import { readRuntime } from "@factum/agent-ui/adapters/runtime"
import { type Client, isFact, type Refusal } from "@factum/client"
import type { SessionReadModels } from "@factum/facts"

/** Where a session stands. */
export type Standing = {
  /** Its newest fact; zero when there is no such session. */
  head: number
  /** Its turns that have not ended, in the order in which they go on. */
  turns: readonly string[]
  /** The questions that wait for somebody. */
  open: readonly AgentUiEvent[]
}

/** How many facts are read at once. */
const PAGE = 1000

export async function standingOf(host: Client, session_id: string): Promise<Standing> {
  const path = `/v1/sessions/${encodeURIComponent(session_id)}/opening?limit=1`
  const read = await host.ask<{ read_models: SessionReadModels }>(path)
  if (!read.ok && read.refusal.code === "not_found") return { head: 0, turns: [], open: [] }
  if (!read.ok) throw internal(read.refusal)
  const { session_snapshot, thread_read_models } = read.result.read_models
  const turns = thread_read_models.flatMap(({ active_turn, queued_turns }) => [
    ...(active_turn === null ? [] : [active_turn.turn_id]),
    ...queued_turns.map(({ turn_id }) => turn_id),
  ])
  const pending = thread_read_models.flatMap(({ pending_requests }) => pending_requests)
  const wanted = pending.flatMap(({ kind, id, action_id }) => action_id ?? (kind === "action" ? [id] : []))
  return { head: session_snapshot.sequence, turns, open: await asked(host, session_id, new Set(wanted)) }
}

/** A read model names a question; what it offers is in the fact, mostly one of the newest. */
async function asked(host: Client, session_id: string, wanted: Set<string>): Promise<AgentUiEvent[]> {
  const found: AgentUiEvent[] = []
  for (let before: string | undefined; wanted.size > 0; ) {
    const page = { session_id, limit: PAGE, ...(before !== undefined && { before }) }
    const read = await host.command("get_session", page)
    if (!read.ok) throw internal(read.refusal)
    const events = read.result.history.filter(isFact).flatMap((fact) => readRuntime(fact).events)
    for (const event of events)
      if (event.type === "action.required" && wanted.delete(event.actionId ?? "")) found.push(event)
    before = read.result.next_cursor
    if (before === undefined) break
  }
  return found
}

const internal = ({ code, message }: Refusal) => RequestError.internalError({ code }, message)
