import { type Api, unauthorized, unreachable } from "./api.ts"
import type { Fact } from "./facts.ts"
import { perFrame } from "./frame.ts"
import { newPending, renewed, submit } from "./outbox.ts"
import { emptyConversation, gapOf, giveUpGap, project } from "./project.ts"
import { backoff, type Connection, followFacts, type StreamOptions, sleep } from "./stream.ts"
import { closed, type Pending, type ViewSource, viewOf, type WorkbenchView } from "./view.ts"

export type Intent =
  | { control: "open"; session_id?: string }
  | { control: "send"; text: string }
  | { control: "retry" | "discard"; turn_id: string }
  | { control: "stop" }
  | { control: "remove" | "promote"; queued_turn_id: string }
  | { control: "earlier" }

export type StorePorts = {
  api: Api
  token: string
  /** Called when a session comes into being, so that the page's address follows. */
  onCreated: (session_id: string) => void
  onUnauthorized: () => void
  schedule?: (flush: () => void) => void
  follow?: (options: StreamOptions, signal: AbortSignal) => Promise<void>
}

/** How long a hole may stay before the host is asked again, in milliseconds. */
const patience = 300
const queueCommands = { remove: "remove_queued_turn", promote: "promote_queued_turn" } as const

/** Holds one open session. Every result is checked against the session that is open when it comes. */
export class WorkbenchStore {
  #ports: Required<StorePorts>
  #source: ViewSource = closed([], undefined, [])
  #view: WorkbenchView = viewOf(this.#source)
  #listeners = new Set<() => void>()
  #scheduled = false
  #arrived: Fact[] = []
  #window: Fact[] = []
  #open = new AbortController()
  #stream = new AbortController()
  #triedGap = ""

  constructor(ports: StorePorts) {
    this.#ports = { schedule: perFrame, follow: followFacts, ...ports }
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  view = (): WorkbenchView => this.#view

  intent = (intent: Intent): void => {
    switch (intent.control) {
      case "open":
        return void this.#openSession(intent.session_id)
      case "send": {
        const behind = this.#view.active !== undefined
        const pending = newPending(intent.text, this.#source.session_id, behind)
        this.#set({ pending: [...this.#source.pending, pending] })
        return void this.#send(pending)
      }
      case "retry":
        return void this.#retry(intent.turn_id)
      case "discard":
        return this.#set({ pending: this.#source.pending.filter((p) => p.turn_id !== intent.turn_id) })
      case "stop":
      case "remove":
      case "promote":
        return void this.#ask(intent)
      case "earlier":
        return void this.#loadEarlier(this.#open.signal)
    }
  }

  /** Asks for the list of sessions; an unreachable host leaves the last known one. */
  async refresh(): Promise<void> {
    const reply = await this.#ports.api.sessions()
    if (reply.ok) this.#set({ sessions: reply.result })
    else if (reply.refusal.code === unauthorized) this.#ports.onUnauthorized()
  }

  async #openSession(session_id: string | undefined): Promise<void> {
    if (session_id !== undefined && session_id === this.#source.session_id) return
    this.#open.abort()
    this.#stream.abort()
    this.#open = new AbortController()
    this.#arrived = []
    this.#window = []
    this.#source = closed(this.#source.sessions, session_id, this.#source.pending)
    this.#changed()
    if (session_id === undefined) return
    const { signal } = this.#open
    await this.#loadEarlier(signal)
    if (!signal.aborted && this.#source.problem === undefined) this.#follow()
  }

  /** Loads the newest window, or the one before it, and goes on until every turn in sight has its beginning. */
  async #loadEarlier(signal: AbortSignal): Promise<void> {
    const { session_id } = this.#source
    if (session_id === undefined) return
    for (let attempt = 0, pages = 0; pages < 20; ) {
      const before = this.#source.earlier
      const input = { session_id, ...(before === undefined ? {} : { before }) }
      const reply = await this.#ports.api.command("get_session", input)
      if (signal.aborted) return
      if (!reply.ok) {
        if (reply.refusal.code !== unreachable) return this.#refused(reply.refusal)
        this.#lost()
        await sleep(backoff(attempt++), signal)
        continue
      }
      pages++
      const { history, next_cursor, snapshot } = reply.result
      this.#window = [...history, ...this.#window]
      const first = this.#window[0]
      const start = first === undefined ? snapshot.sequence : first.sequence - 1
      const conversation = project(emptyConversation(start), this.#window)
      const { earlier: _, ...rest } = this.#source
      this.#source = { ...rest, conversation, loading: false }
      if (next_cursor !== undefined && history.length > 0) this.#source.earlier = next_cursor
      this.#changed()
      const cut = [...conversation.turns.values()].some((turn) => turn.text === undefined)
      if (!cut || this.#source.earlier === undefined) return
    }
  }

  #follow(): void {
    this.#stream.abort()
    this.#stream = new AbortController()
    const { signal } = this.#stream
    const { session_id, conversation } = this.#source
    if (session_id === undefined) return
    const options: StreamOptions = {
      session_id,
      token: this.#ports.token,
      after: conversation.head,
      onFacts: (facts) => {
        if (signal.aborted) return
        this.#arrived.push(...facts)
        this.#changed()
      },
      onConnection: (connection) => {
        if (signal.aborted) return
        if (connection.state === "refused" && connection.status === 401) this.#ports.onUnauthorized()
        this.#connected(connection)
      },
    }
    void this.#ports.follow(options, signal)
  }

  #connected(connection: Connection): void {
    // The first "connecting" of a resumed stream must not hide how long the page has been without the host.
    if (connection.state === "connecting" && this.#source.connection.state === "lost") return
    this.#set({ connection })
  }

  #lost(): void {
    if (this.#source.connection.state === "lost") return
    this.#set({ connection: { state: "lost", since: Date.now() } })
  }

  /** A hole may close by itself with the next chunk; then the host is asked again; then it is given up, openly. */
  #watchGap(): void {
    const gap = gapOf(this.#source.conversation)
    if (gap === undefined) return
    const { signal } = this.#open
    const name = `${gap.from}-${gap.to}`
    setTimeout(() => {
      const now = gapOf(this.#source.conversation)
      if (signal.aborted || now === undefined || `${now.from}-${now.to}` !== name) return
      if (this.#triedGap === name) {
        this.#set({ conversation: giveUpGap(this.#source.conversation) })
        return this.#watchGap()
      }
      this.#triedGap = name
      this.#follow()
      this.#watchGap()
    }, patience)
  }

  async #send(pending: Pending): Promise<void> {
    const { signal } = this.#open
    const reply = await submit(this.#ports.api, pending, this.#source.conversation.thread_id)
    if (!reply.ok) {
      const refusal = [reply.refusal.message, reply.refusal.fix].filter(Boolean).join(" ")
      return this.#amend(pending.turn_id, { refusal, behind: false })
    }
    void this.refresh()
    if (pending.session_id !== undefined) return
    this.#amend(pending.turn_id, { session_id: reply.result.session_id })
    if (!signal.aborted) this.#ports.onCreated(reply.result.session_id)
  }

  #retry(turn_id: string): void {
    const found = this.#source.pending.find((p) => p.turn_id === turn_id)
    if (found === undefined) return
    const again = renewed(found)
    this.#set({ pending: this.#source.pending.map((p) => (p === found ? again : p)) })
    void this.#send(again)
  }

  #amend(turn_id: string, change: Partial<Pending>): void {
    const pending = this.#source.pending.map((p) => (p.turn_id === turn_id ? { ...p, ...change } : p))
    this.#set({ pending })
  }

  /** A command on the open session; a refusal is shown unless another session was opened meanwhile. */
  async #ask(intent: Extract<Intent, { control: "stop" | "remove" | "promote" }>): Promise<void> {
    const { session_id, conversation } = this.#source
    const { thread_id } = conversation
    if (session_id === undefined || thread_id === undefined) return
    const { api } = this.#ports
    const { signal } = this.#open
    const reply =
      intent.control === "stop"
        ? await api.command("interrupt_turn", { session_id, reason: "Stopped by the user." })
        : await api.command(queueCommands[intent.control], {
            queued_turn_id: intent.queued_turn_id,
            session_id,
            thread_id,
          })
    if (!reply.ok && !signal.aborted) this.#refused(reply.refusal)
  }

  #refused({ code, message, fix }: { code: string; message: string; fix?: string }): void {
    if (code === unauthorized) this.#ports.onUnauthorized()
    else this.#set({ problem: fix === undefined ? message : `${message} ${fix}`, loading: false })
  }

  #set(change: Partial<ViewSource>): void {
    this.#source = { ...this.#source, ...change }
    this.#changed()
  }

  #changed(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    this.#ports.schedule(() => {
      this.#scheduled = false
      this.#flush()
    })
  }

  #flush(): void {
    const facts = this.#arrived
    this.#arrived = []
    if (facts.length > 0) {
      for (const fact of facts) this.#window.push(fact)
      const conversation = project(this.#source.conversation, facts)
      const pending = this.#source.pending.filter(
        (p) => p.session_id !== this.#source.session_id || !conversation.turns.has(p.turn_id),
      )
      this.#source = { ...this.#source, conversation, pending }
      if (facts.some((fact) => fact.type.startsWith("turn."))) void this.refresh()
      this.#watchGap()
    }
    this.#view = viewOf(this.#source)
    for (const listener of this.#listeners) listener()
  }
}
