import {
  type AgentUiState,
  addOlder,
  declareStream,
  emptyState,
  type HydrationPage,
  type HydrationPort,
  reduce,
} from "@factum/agent-ui"
import { fromRuntime, fromSnapshots, type RuntimeSnapshots } from "@factum/agent-ui/adapters/runtime"
import type { CommandResult } from "@factum/facts"
import type { Client } from "./client.ts"
import { isFact } from "./facts.ts"
import type { Refusal, Reply } from "./reply.ts"

type Read = CommandResult<"get_session">
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

/** The steps of opening a session, from the read models of the host: all of one position in the log. */
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

async function openSession(client: Client, session_id: string, signal: AbortSignal): Promise<Opened> {
  const read = resultOf(await client.command("get_session", { session_id, limit: windowSize }, { signal }))
  const threads = read.snapshot.threads.map(({ thread_id }) => thread_id)
  const of = <R>(name: string, thread_id?: string) =>
    readModel<R>(client, session_id, name, signal, thread_id)
  const each = <R>(name: string) => Promise.all(threads.map((thread) => of<R>(name, thread)))
  const [reads, queues, contexts, tasks, permission, artifacts, evidence, team] = await Promise.all([
    each<One<"thread_read_models">>("thread_read_model"),
    each<One<"queue_snapshots">>("queue_snapshot"),
    each<One<"context_boundary_snapshots">>("context_boundary_snapshot"),
    of<Required<RuntimeSnapshots>["task_snapshot"]>("task_snapshot"),
    of<Required<RuntimeSnapshots>["permission_sandbox_summary"]>("permission_sandbox_summary"),
    of<Required<RuntimeSnapshots>["artifact_checkpoint_summary"]>("artifact_checkpoint_summary"),
    of<Required<RuntimeSnapshots>["evidence_summary"]>("evidence_summary"),
    of<Required<RuntimeSnapshots>["subagent_job_summary"]>("subagent_job_summary"),
  ])
  const position = { stream: session_id, sequence: read.snapshot.sequence }
  const pages = fromSnapshots({
    session_snapshot: read.snapshot,
    thread_read_models: present(reads),
    queue_snapshots: present(queues),
    context_boundary_snapshots: present(contexts),
    ...(tasks && { task_snapshot: tasks }),
    ...(permission && { permission_sandbox_summary: permission }),
    ...(artifacts && { artifact_checkpoint_summary: artifacts }),
    ...(evidence && { evidence_summary: evidence }),
    ...(team && { subagent_job_summary: team }),
  }).map(({ events }) => ({ events, position }))
  return { pages, read }
}

type One<K extends keyof RuntimeSnapshots> = Required<RuntimeSnapshots>[K] extends readonly (infer T)[]
  ? T
  : never

/** A read model that the host does not have is simply not applied; one that nobody answered for is an error. */
async function readModel<R>(
  client: Client,
  session_id: string,
  name: string,
  signal: AbortSignal,
  thread_id?: string,
): Promise<R | undefined> {
  const query = thread_id === undefined ? "" : `?thread_id=${encodeURIComponent(thread_id)}`
  const reply = await client.ask<R>(`/v1/sessions/${session_id}/snapshots/${name}${query}`, { signal })
  if (reply.ok) return reply.result
  if (reply.refusal.code === "unreachable") throw new NotRead(reply.refusal)
  return undefined
}

const present = <T>(values: readonly (T | undefined)[]): T[] => values.flatMap((value) => value ?? [])

function resultOf<R>(reply: Reply<R>): R {
  if (reply.ok) return reply.result
  throw new NotRead(reply.refusal)
}
