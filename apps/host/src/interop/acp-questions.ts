import { type AgentContext, methods } from "@agentclientprotocol/sdk"
import type { AgentUiEvent } from "@factum/agent-ui"
import { backoff, type Client, mayPass, newId, type Refusal, sleep } from "@factum/client"
import { optionsOf } from "./acp-updates.ts"

type Parts = {
  host: Client
  sessionId: string
  client: AgentContext
  /** Told of an answer that the host does not take, however often it is given. */
  fail: (refusal: Refusal) => void
}

/** How often a person is asked again when the host does not take an answer. */
const MOST_ASKED = 3
/** There is nothing left to answer. */
const settled: ReadonlySet<string> = new Set(["already_resolved", "action_expired", "not_found"])

/** Puts open questions to an editor, beside the stream: other calls of the turn go on meanwhile. */
export class AcpQuestions {
  readonly #parts: Parts
  readonly #asking = new Map<string, AbortController>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  ask(event: AgentUiEvent): void {
    const { actionId } = event
    if (actionId === undefined || this.#asking.has(actionId)) return
    const withdrawn = new AbortController()
    this.#asking.set(actionId, withdrawn)
    // An editor that cannot be asked, or is gone, leaves the question open for others.
    this.#put(event, actionId, withdrawn.signal).catch(() => undefined)
  }

  /** Somebody answered it, or nobody needs to any more. */
  withdraw(actionId: string | undefined): void {
    this.#asking.get(actionId ?? "")?.abort()
  }

  close(): void {
    for (const question of this.#asking.values()) question.abort()
  }

  async #put(event: AgentUiEvent, actionId: string, signal: AbortSignal): Promise<void> {
    const { sessionId, client, fail } = this.#parts
    const { toolCallId = actionId } = event
    const title = (event.payload as { title?: string } | undefined)?.title ?? "May it go on?"
    for (let asked = 1; ; asked++) {
      const { outcome } = await client.request(
        methods.client.session.requestPermission,
        { sessionId, toolCall: { toolCallId, title }, options: optionsOf(event) },
        { cancellationSignal: signal },
      )
      // A dismissed question stays open: only an answer is one.
      if (outcome.outcome !== "selected") return
      const refusal = await this.#answer(actionId, outcome.optionId, signal)
      if (refusal === undefined || settled.has(refusal.code) || signal.aborted) return
      if (asked === MOST_ASKED) return fail(refusal)
    }
  }

  /** Sent under one id until something answers: a host that is just starting again must not lose it. */
  async #answer(action_id: string, decision: string, signal: AbortSignal): Promise<Refusal | undefined> {
    const { host, sessionId: session_id } = this.#parts
    const command_id = newId("cmd")
    for (let attempt = 0; !signal.aborted; attempt++) {
      const reply = await host.command("respond_action", { action_id, session_id, decision }, { command_id })
      if (reply.ok) return undefined
      if (!mayPass(reply.refusal)) return reply.refusal
      await sleep(backoff(attempt), signal)
    }
    return undefined
  }
}
