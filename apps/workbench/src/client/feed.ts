import {
  backoff,
  type Client,
  type Connection,
  type FollowFacts,
  factsOf,
  follow,
  isAway,
  isFact,
  type Refusal,
  type Reply,
  sleep,
} from "@factum/client"
import type { CommandInput, CommandResult, PendingRequest } from "@factum/facts"
import { ended, hasAction } from "./conversation.ts"
import { Ledger } from "./ledger.ts"

export type FeedPorts = {
  client: Client
  token: string
  follow?: (options: FollowFacts, signal: AbortSignal) => Promise<unknown>
  pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/** How long a hole may stay before the host is asked again, in milliseconds. */
const patience = 300
const mostPages = 20

/** One open session: its window of history and the live stream after it. A closed feed says nothing more. */
export class SessionFeed {
  readonly session_id: string
  readonly ledger = new Ledger()
  connection: Connection = { state: "connecting" }
  loading = true
  /** The cursor to what is older than the window. */
  earlier: string | undefined
  refusal: Refusal | undefined
  /** What waits for people by the host's own account, when the window is not the whole log. */
  #pending: readonly PendingRequest[] = []
  #ports: Required<FeedPorts>
  #changed: () => void
  #closing = new AbortController()
  #attempt = new AbortController()
  #watched: string | undefined

  constructor(session_id: string, ports: FeedPorts, changed: () => void) {
    this.session_id = session_id
    this.#ports = { follow: (options, signal) => follow(factsOf(options), signal), pause: sleep, ...ports }
    this.#changed = changed
  }

  /** Reads what is not read yet and follows; called again, it tries at once instead of waiting. */
  async open(): Promise<void> {
    this.#attempt.abort()
    if (this.#closing.signal.aborted) return
    this.#attempt = new AbortController()
    const { signal } = this.#attempt
    this.refusal = undefined
    if (this.loading) await this.#load(signal)
    if (!signal.aborted && this.refusal === undefined) await this.#follow(signal)
  }

  /** Open actions whose facts are before the window. */
  get outside(): readonly PendingRequest[] {
    return this.#pending.filter(({ id }) => !hasAction(this.ledger.conversation, id))
  }

  loadEarlier(): Promise<void> {
    return this.#load(this.#closing.signal)
  }

  close(): void {
    this.#closing.abort()
    this.#attempt.abort()
  }

  /** The newest window, or the one before it, and on until a turn is whole, and what runs or waits is there. */
  async #load(signal: AbortSignal): Promise<void> {
    for (let pages = 0; pages < mostPages && !signal.aborted; pages++) {
      const { session_id, earlier: before } = this
      const input = before === undefined ? { session_id } : { session_id, before }
      const reply = await this.#ask("get_session", input, signal)
      if (reply === undefined || this.earlier !== before) return
      this.loading = false
      if (!reply.ok) {
        this.refusal = reply.refusal
        this.#changed()
        return
      }
      const { history, next_cursor, snapshot } = reply.result
      this.ledger.load(history.filter(isFact), snapshot.sequence)
      this.earlier = next_cursor
      this.#changed()
      if (next_cursor === undefined) return
      if (before === undefined) await this.#readPending(snapshot.threads, signal)
      const turns = [...this.ledger.conversation.turns.values()]
      const isCut = turns.some((turn) => turn.text === undefined && !ended(turn))
      const hasWhole = turns.some((turn) => turn.text !== undefined)
      if (hasWhole && !isCut && this.outside.length === 0) return
    }
  }

  async #readPending(threads: readonly { thread_id: string }[], signal: AbortSignal): Promise<void> {
    const { session_id } = this
    const replies = await Promise.all(
      threads.map(({ thread_id }) => this.#ask("get_thread_read", { session_id, thread_id }, signal)),
    )
    const pending = replies.flatMap((reply) => (reply?.ok ? reply.result.read_model.pending_requests : []))
    this.#pending = pending.filter(({ kind, decided_by }) => kind === "action" && decided_by === "human")
    this.#changed()
  }

  /** Asks until somebody answers; nothing when it was given up before. */
  async #ask<N extends "get_session" | "get_thread_read">(
    name: N,
    input: CommandInput<N>,
    signal: AbortSignal,
  ): Promise<Reply<CommandResult<N>> | undefined> {
    for (let attempt = 0; ; attempt++) {
      const reply = await this.#ports.client.command(name, input)
      if (signal.aborted) return undefined
      if (reply.ok || !isAway(reply.refusal)) return reply
      this.#connected({ state: "lost", since: Date.now() })
      await this.#ports.pause(backoff(attempt), signal)
      if (signal.aborted) return undefined
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { session_id } = this
    const { token, follow } = this.#ports
    const options: FollowFacts = {
      session_id,
      token,
      after: this.ledger.head,
      onFacts: (facts) => {
        if (signal.aborted) return
        this.ledger.take(facts)
        this.#watchGap()
        this.#changed()
      },
      onConnection: (connection) => {
        if (!signal.aborted) this.#connected(connection)
      },
    }
    await follow(options, signal)
  }

  #connected(connection: Connection): void {
    // A new attempt must not hide how long the page has been without the host.
    if (this.connection.state === "lost" && connection.state !== "live" && connection.state !== "refused")
      return
    this.connection = connection
    this.#changed()
  }

  /** A hole may close by itself with the next chunk; then the host is asked again; then it is given up, openly. */
  #watchGap(asked = false): void {
    const { gap } = this.ledger
    const name = gap && `${gap.from}-${gap.to}`
    if (name === undefined || (name === this.#watched && !asked)) return
    this.#watched = name
    void this.#ports.pause(patience, this.#closing.signal).then(() => {
      const now = this.ledger.gap
      if (this.#closing.signal.aborted || now === undefined || `${now.from}-${now.to}` !== name) return
      if (asked) {
        this.ledger.giveUpGap()
        this.#changed()
        return this.#watchGap()
      }
      void this.open()
      this.#watchGap(true)
    })
  }
}
