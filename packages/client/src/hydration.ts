import {
  type AgentUiState,
  addOlder,
  declareStream,
  emptyState,
  type HydrationPage,
  type HydrationPort,
  reduce,
} from "@factum/agent-ui"
import { fromRuntime, fromSnapshots } from "@factum/agent-ui/adapters/runtime"
import type { Envelope, SessionReadModels } from "@factum/facts"
import type { Client } from "./client.ts"
import { isFact } from "./facts.ts"
import type { Refusal, Reply } from "./reply.ts"

/** A window of facts. */
type Read = { history: readonly Envelope[]; next_cursor?: string | undefined }
type SessionOpening = Read & { read_models: SessionReadModels }
type Opened = { pages: readonly HydrationPage[]; read: Read }

/** How many facts a window of history has. */
const windowSize = 500

/** A reading that the host refused, or that nobody answered. */
export class NotRead extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

/** The steps of opening a session, from one answer of the host: read models and window are of one position in the log. */
export function hydrationOf(client: Client): HydrationPort & {
  /** The window of facts that came with the last opening, to fill in what read models leave out. */
  window(sessionId: string): Read | undefined
  /** Why the last opening failed, when it did. */
  refused(sessionId: string): Refusal | undefined
  older(sessionId: string, cursor: string): Promise<{ older: AgentUiState; earlier?: string }>
} {
  const refusals = new Map<string, Refusal>()
  const opened = new Map<string, Promise<Opened>>()
  const done = new Map<string, Read>()
  return {
    async step(sessionId, step, signal) {
      if (step === 1) opened.set(sessionId, openSession(client, sessionId, signal))
      const { pages, read } = await (opened.get(sessionId) ?? openSession(client, sessionId, signal)).catch(
        (error: unknown) => {
          if (error instanceof NotRead) refusals.set(sessionId, error.refusal)
          throw error
        },
      )
      refusals.delete(sessionId)
      if (step === 4) {
        opened.delete(sessionId)
        done.set(sessionId, read)
      }
      return pages[step - 1] ?? { events: [] }
    },
    window(sessionId) {
      const read = done.get(sessionId)
      done.delete(sessionId)
      return read
    },
    refused: (sessionId) => refusals.get(sessionId),
    async older(sessionId, cursor) {
      const input = { session_id: sessionId, before: cursor, limit: windowSize }
      const read = resultOf(await client.command("get_session", input))
      return windowOf(read)
    },
  }
}

/** What a window of facts comes to by itself, and the cursor to what is before it. */
export function windowOf({ history, next_cursor }: Read): { older: AgentUiState; earlier?: string } {
  const facts = history.filter(isFact)
  const stream = facts[0]?.session_id ?? ""
  // It begins where it begins, and what was pruned inside of it is no gap.
  const empty = declareStream(emptyState(), stream, { kind: "sparse" })
  const older = reduce(empty, facts.map(fromRuntime))
  return next_cursor === undefined ? { older } : { older, earlier: next_cursor }
}

export function addWindow(state: AgentUiState, sessionId: string, read: Read): AgentUiState {
  const { older, earlier } = windowOf(read)
  return addOlder(state, sessionId, older, earlier)
}

/** The most that a host gives at once. */
const pageSize = 1000

/** The facts of a range that the log has, however many: what is left out is not there. */
export async function factsBetween(
  client: Client,
  session_id: string,
  from: number,
  to: number,
  signal: AbortSignal,
): Promise<Envelope[]> {
  const pages: Envelope[][] = []
  for (let before = to + 1; before > from; ) {
    const input = { session_id, before: String(before), limit: Math.min(pageSize, before - from) }
    const { history } = resultOf(await client.command("get_session", input, { signal }))
    const first = history[0]?.sequence
    if (first === undefined || first >= before) break
    pages.push(history)
    before = first
  }
  return pages.reverse().flatMap((page) => page.filter(({ sequence }) => sequence >= from))
}

async function openSession(client: Client, session_id: string, signal: AbortSignal): Promise<Opened> {
  const path = `/v1/sessions/${encodeURIComponent(session_id)}/opening?limit=${windowSize}`
  const read = resultOf(await client.ask<SessionOpening>(path, { signal }))
  return { pages: fromSnapshots(read.read_models).map(({ cursor: _, earlier: __, ...page }) => page), read }
}

function resultOf<R>(reply: Reply<R>): R {
  if (reply.ok) return reply.result
  throw new NotRead(reply.refusal)
}
