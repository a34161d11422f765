import type { Connection } from "@factum/client"
import {
  type Client,
  isAway,
  Outbox,
  type Problem,
  problemOf,
  type Refusal,
  type SessionRow,
  type Shelf,
} from "@factum/client"
import { Answers, type Said } from "./answers.ts"
import { type FeedPorts, SessionFeed } from "./feed.ts"
import { viewOf, type WorkbenchView } from "./view.ts"

type Place = { queued_turn_id: string; thread_id: string }

export type Intent =
  | { control: "open"; session_id?: string }
  | { control: "send"; text: string }
  | { control: "retry" | "discard"; turn_id: string }
  | { control: "stop"; turn_id: string }
  | { control: "remove" | "promote"; place: Place }
  | ({ control: "respond" } & Said)
  | { control: "earlier" | "reconnect" | "dismiss" }

export type StorePorts = FeedPorts & {
  client: Client
  shelf: Shelf
  /** Called when a session comes into being, so that the page's address follows. */
  onCreated: (session_id: string) => void
  onUnauthorized: () => void
  /** Runs `flush` once, soon; changes until then share it. */
  schedule?: (flush: () => void) => void
}

const stopped = "Stopped by the user."
const queueCommands = { remove: "remove_queued_turn", promote: "promote_queued_turn" } as const

/** The page's state: at most one open session, the list of all, and the messages on their way. */
export class WorkbenchStore {
  #ports: StorePorts
  #outbox: Outbox
  #answers: Answers
  #feed: SessionFeed | undefined
  #sessions: readonly SessionRow[] = []
  #listed: Connection = { state: "connecting" }
  /** Why the list cannot be read; the next one that can be read takes it away. */
  #unlisted: Problem | undefined
  #problem: Problem | undefined
  #view: WorkbenchView
  #listeners = new Set<() => void>()
  #isScheduled = false

  constructor(ports: StorePorts) {
    this.#ports = ports
    this.#outbox = new Outbox({
      ...ports,
      changed: () => this.#changed(),
      accepted: ({ session_id, turn_id }, result) => {
        void this.refresh()
        const isNew = session_id === undefined && this.#feed === undefined
        if (isNew) ports.onCreated(result.session_id)
        else if (this.#feed?.session_id !== result.session_id) this.#outbox.discard(turn_id)
      },
    })
    this.#answers = new Answers(ports.client, {
      changed: () => this.#changed(),
      problemOf: (refusal) => this.#problemOf(refusal),
    })
    this.#view = this.#look()
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  view = (): WorkbenchView => this.#view

  intent = (intent: Intent): void => {
    switch (intent.control) {
      case "open":
        this.#open(intent.session_id)
        break
      case "send":
        this.#send(intent.text)
        break
      case "retry":
        this.#outbox.retry(intent.turn_id)
        break
      case "discard":
        this.#outbox.discard(intent.turn_id)
        break
      case "stop":
      case "remove":
      case "promote":
        void this.#ask(intent)
        break
      case "respond": {
        const { control: _, ...said } = intent
        if (this.#feed !== undefined) void this.#answers.send(this.#feed.session_id, said)
        break
      }
      case "earlier":
        void this.#feed?.loadEarlier()
        break
      case "reconnect":
        void this.refresh()
        void this.#feed?.open()
        break
      case "dismiss":
        this.#problem = undefined
        this.#unlisted = undefined
        this.#changed()
    }
  }

  /** Asks for the list of sessions; an unreachable host leaves the last known one. */
  async refresh(): Promise<void> {
    const reply = await this.#ports.client.sessions()
    if (reply.ok) {
      this.#sessions = reply.result.sessions
      this.#listed = { state: "live" }
      this.#unlisted = undefined
      if (this.#problem !== undefined && isAway(this.#problem)) this.#problem = undefined
    } else if (isAway(reply.refusal)) {
      if (this.#listed.state !== "lost") this.#listed = { state: "lost", since: Date.now() }
    } else this.#unlisted = this.#problemOf(reply.refusal)
    this.#changed()
  }

  #open(session_id: string | undefined): void {
    if (session_id !== undefined && session_id === this.#feed?.session_id) return
    this.#feed?.close()
    this.#problem = undefined
    this.#feed = undefined
    if (session_id !== undefined) {
      const feed = new SessionFeed(session_id, this.#ports, () => this.#followed(feed))
      this.#feed = feed
      void feed.open()
    }
    this.#changed()
  }

  #followed(feed: SessionFeed): void {
    if (feed !== this.#feed) return
    const { connection, refusal } = feed
    if (refusal?.code === "unauthorized") this.#ports.onUnauthorized()
    if (connection.state === "refused" && connection.status === 401) this.#ports.onUnauthorized()
    for (const { turn_id } of this.#outbox.pending) {
      if (feed.ledger.conversation.turns.has(turn_id)) this.#outbox.discard(turn_id)
    }
    this.#changed()
  }

  #send(text: string): void {
    const behind = this.#view.active !== undefined
    const { session_id } = this.#feed ?? {}
    const thread_id = this.#feed?.ledger.conversation.thread_id
    this.#problem = undefined
    this.#outbox.send(text, { behind, ...(session_id && { session_id }), ...(thread_id && { thread_id }) })
  }

  async #ask(intent: Extract<Intent, { control: "stop" | "remove" | "promote" }>): Promise<void> {
    const feed = this.#feed
    if (feed === undefined) return
    const { session_id } = feed
    const { client } = this.#ports
    const reply =
      intent.control === "stop"
        ? await client.command("interrupt_turn", { session_id, turn_id: intent.turn_id, reason: stopped })
        : await client.command(queueCommands[intent.control], { session_id, ...intent.place })
    if (feed !== this.#feed) return
    this.#problem = reply.ok ? undefined : this.#problemOf(reply.refusal)
    this.#changed()
  }

  #problemOf(refusal: Refusal): Problem | undefined {
    if (refusal.code !== "unauthorized") return problemOf(refusal)
    this.#ports.onUnauthorized()
    return undefined
  }

  #changed(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    const { schedule = perFrame } = this.#ports
    schedule(() => {
      this.#isScheduled = false
      this.#view = this.#look()
      for (const listener of this.#listeners) listener()
    })
  }

  #look(): WorkbenchView {
    return viewOf({
      feed: this.#feed,
      sessions: this.#sessions,
      pending: this.#outbox.pending,
      answers: this.#answers.known,
      listed: this.#listed,
      problem: this.#problem ?? this.#unlisted,
    })
  }
}

/** One update a frame; a hidden page has no frames, so a timer stands in. */
function perFrame(flush: () => void): void {
  if (document.hidden) setTimeout(flush, 100)
  else requestAnimationFrame(flush)
}
