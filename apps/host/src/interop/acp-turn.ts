import { type AgentContext, methods, RequestError, type StopReason } from "@agentclientprotocol/sdk"
import type { AgentUiEvent } from "@factum/agent-ui"
import { readRuntime } from "@factum/agent-ui/adapters/runtime"
import type { Client, Refusal } from "@factum/client"
import { factsAfter, HostGone } from "./acp-facts.ts"
import { AcpQuestions } from "./acp-questions.ts"
import type { AcpUpdates } from "./acp-updates.ts"

/** What an editor is told of: turns of a session up to the end of one of them. */
export type Followed = {
  sessionId: string
  /** Its end is the end. */
  turn: string
  /** The turns that are told of: this one, and those that it waits for. */
  runs: ReadonlySet<string>
  /** Questions that were asked before. */
  open: readonly AgentUiEvent[]
  /** The newest fact that was told. */
  after: number
  updates: AcpUpdates
  leaving: AbortController
}

/** Tells the editor what happens, and asks it for leave, until the turn has ended or was left. */
export async function follow(host: Client, followed: Followed, client: AgentContext): Promise<StopReason> {
  const { sessionId, turn, runs, open, updates, leaving } = followed
  let refused: Refusal | undefined
  const fail = (refusal: Refusal) => {
    refused = refusal
    leaving.abort()
  }
  const questions = new AcpQuestions({ host, sessionId, client, fail })
  for (const event of open) questions.ask(event)
  try {
    for await (const fact of factsAfter(host, sessionId, followed.after, leaving.signal)) {
      if (leaving.signal.aborted) break
      followed.after = fact.sequence
      for (const event of readRuntime(fact).events) {
        if (event.runId !== undefined && !runs.has(event.runId)) continue
        await tell(client, sessionId, event, updates)
        if (event.type === "action.required") questions.ask(event)
        if (event.type === "action.resolved") questions.withdraw(event.actionId)
        if (event.runId !== turn) continue
        if (event.type === "run.finished") return event.phase === "cancelled" ? "cancelled" : "end_turn"
        if (event.type === "run.failed") throw failed(event)
      }
    }
    if (refused !== undefined) throw RequestError.internalError({ code: refused.code }, refused.message)
    return "cancelled"
  } catch (error) {
    throw told(error)
  } finally {
    questions.close()
    leaving.abort()
  }
}

async function tell(
  client: AgentContext,
  sessionId: string,
  event: AgentUiEvent,
  updates: AcpUpdates,
): Promise<void> {
  const isOwnWord = (event.payload as { role?: string } | undefined)?.role === "user"
  if (isOwnWord) return
  for (const update of updates.of(event))
    await client.notify(methods.client.session.update, { sessionId, update })
}

/** A session that is loaded is told again from its beginning, with both voices. */
export async function retell(
  host: Client,
  sessionId: string,
  head: number,
  client: AgentContext,
  updates: AcpUpdates,
): Promise<void> {
  const leaving = new AbortController()
  try {
    for await (const fact of factsAfter(host, sessionId, 0, leaving.signal)) {
      for (const update of readRuntime(fact).events.flatMap((event) => updates.of(event)))
        await client.notify(methods.client.session.update, { sessionId, update })
      if (fact.sequence >= head) return
    }
  } catch (error) {
    throw told(error)
  } finally {
    leaving.abort()
  }
}

const told = (error: unknown): unknown =>
  error instanceof HostGone ? RequestError.internalError({}, error.message) : error

function failed(event: AgentUiEvent): RequestError {
  const {
    message = "The turn failed.",
    category,
    next,
  } = (event.payload ?? {}) as Record<string, string | undefined>
  return RequestError.internalError({ category, next }, message)
}
