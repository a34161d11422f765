import { randomBytes } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import type { Refusal, SessionSnapshot } from "@factum/facts"
import type { PlacedFact, Runtime } from "@factum/runtime"
import type { WebSocket } from "ws"
import type { Gate } from "../access/admission.ts"
import type { Audit } from "../access/audit.ts"
import { type Grant, may, reaches } from "../access/grant.ts"
import { lacking, outOfScope } from "../access/reach.ts"
import { parseJson } from "../body.ts"
import type { Feeds, Followed, FollowedSink } from "../streams/follow.ts"
import { sessionSource } from "../streams/source.ts"
import { factMessages, typeOf } from "../streams/view.ts"
import { closeCodes, PeerMessage, type Said } from "./messages.ts"

export type ConnectionParts = {
  runtime: Runtime
  feeds: Feeds
  gate: Gate
  grant: Grant
  audit: Audit
  socket: WebSocket
  /** Takes the channel over from an older connection of it. */
  hold: (channel_id: string, connection: Connection) => void
}

/** `since` is the cursor at which this connection has it. */
type Opened = { channel_id: string; session_id: string; permissions: boolean; since: number }

/** One connection of a peer: it opens or resumes a channel, then facts flow one way and answers the other. */
export class Connection {
  readonly #parts: ConnectionParts
  readonly #gone = new AbortController()
  #opened: Opened | undefined
  #isReplaced = false
  #isBehind = false
  #heard = 0
  #line: Promise<void> = Promise.resolve()

  constructor(parts: ConnectionParts) {
    this.#parts = parts
    const { socket, feeds } = parts
    socket.on("message", (bytes) => {
      // Nothing more is read from the network while there is something to do: a peer must not fill the memory.
      if (this.#heard++ === 0) socket.pause()
      // One after the other: what a peer says has an order.
      this.#line = this.#line
        .then(() => this.#hear(toBuffer(bytes)))
        .catch((error) => this.#fail(error))
        .finally(() => {
          if (--this.#heard === 0) socket.resume()
        })
    })
    socket.on("ping", (bytes) => {
      if (!feeds.isFull(this.#waits)) socket.pong(bytes)
    })
  }

  get channel_id(): string | undefined {
    return this.#opened?.channel_id
  }

  /** Another connection has the channel now; this one's end is no longer its end. */
  replace(): void {
    this.#isReplaced = true
    this.#gone.abort()
    this.#parts.socket.close(closeCodes.replaced, "resumed elsewhere")
  }

  /** The connection is lost. Resolves when that is a fact. */
  async lost(reason: string): Promise<void> {
    this.#gone.abort()
    await this.#line
    if (this.#opened === undefined || this.#isReplaced) return
    const { channel_id, since } = this.#opened
    await this.#parts.runtime.channels.drop(channel_id, reason, since)
  }

  /** At the pace of the token, and only while the peer takes what it is told. */
  async #hear(bytes: Buffer): Promise<void> {
    const { feeds, gate, grant, socket } = this.#parts
    const gone = this.#gone.signal
    for (let wait = gate.wait(grant); wait > 0; wait = gate.wait(grant)) {
      await pause(wait, undefined, { signal: gone }).catch(() => undefined)
      // What was said too fast and not answered is said again on the next connection.
      if (gone.aborted) return
    }
    if (this.#isBehind) return
    // A token that ended counts no more at once, though its connection may stand for another moment.
    if (!gate.holds(grant)) return socket.close(closeCodes.unauthorized, "the token is not valid")
    if (feeds.isFull(this.#waits) && !(await feeds.taken(this.#waits, gone)) && !gone.aborted) {
      this.#isBehind = true
      this.#gone.abort()
      return socket.close(closeCodes.behind, "too slow")
    }
    await this.#take(bytes)
  }

  async #take(bytes: Buffer): Promise<void> {
    const json = parseJson(bytes)
    if (!json.ok) return this.#refuse("unknown", json.refusal)
    const said = PeerMessage.safeParse(json.value)
    if (!said.success) {
      const [issue] = said.error.issues
      const field = issue?.path.map(String).join(".") || "type"
      return this.#refuse("unknown", {
        code: "invalid_input",
        message: issue?.message ?? "not well formed",
        field,
      })
    }
    const message = said.data
    if (this.#opened === undefined) {
      if (message.type === "open") return this.#open(message)
      if (message.type === "resume") return this.#resume(message)
      return this.#refuse(message.type, { code: "wrong_state", message: "Open or resume a channel first." })
    }
    if (message.type === "ack") return this.#acknowledge(message, this.#opened)
    if (message.type === "message") return this.#message(message, this.#opened)
    if (message.type === "answer") return this.#answer(message, this.#opened)
    this.#refuse(message.type, { code: "wrong_state", message: "The channel is open already." })
  }

  /** The snapshot goes first, so that a peer can show something before it has seen any fact. */
  async #open({ type, session_id, permissions = false, ...peer }: Said<"open">): Promise<void> {
    const { runtime, grant } = this.#parts
    if (!this.#reaches(session_id)) return this.#refuse(type, outOfScope(session_id))
    const resume_token = randomBytes(32).toString("base64url")
    const channel = { session_id, kind: "websocket", resume_token, ...peer }
    const opened = await runtime.channels.open(channel, actor(grant))
    if (!opened.ok) return this.#refuse(type, opened.refusal)
    const { channel_id, cursor } = opened.result
    const snapshot = runtime.snapshot("session_snapshot", { session_id })
    // The snapshot may be ahead of the channel's beginning, but is never behind it.
    const shown = snapshot.ok ? (snapshot.result as SessionSnapshot) : undefined
    const from = Math.max(cursor, shown?.sequence ?? 0)
    this.#say({ type: "opened", channel_id, resume_token, cursor: from, snapshot: shown })
    this.#begin({ channel_id, session_id, permissions, since: cursor }, from)
  }

  async #resume({
    type,
    channel_id,
    resume_token,
    permissions = false,
    ...at
  }: Said<"resume">): Promise<void> {
    const { runtime, grant } = this.#parts
    const [session_id] = runtime.sessionsOf(channel_id)
    if (session_id !== undefined && !this.#reaches(session_id)) {
      return this.#refuse(type, outOfScope(channel_id))
    }
    const cursor = at.cursor ?? runtime.channels.acknowledged(channel_id) ?? 0
    const input = { channel_id, cursor, resume_token }
    const outcome = await runtime.execute("reconnect_channel", { input }, actor(grant))
    if (!outcome.ok || session_id === undefined) {
      return this.#refuse(type, outcome.ok ? outOfScope(channel_id) : outcome.refusal)
    }
    const { outcome: how, ...rest } = outcome.result as { outcome: string; cursor: number }
    this.#say({ type: how, channel_id, ...rest })
    this.#begin({ channel_id, session_id, permissions, since: rest.cursor }, rest.cursor)
  }

  #begin(opened: Opened, cursor: number): void {
    const { feeds, runtime, hold } = this.#parts
    this.#opened = opened
    hold(opened.channel_id, this)
    if (opened.permissions) this.#forwardOpen(opened).catch((error: unknown) => this.#fail(error))
    const source = sessionSource(runtime.log, opened.session_id)
    feeds
      .follow(source, factMessages, cursor, this.#sink(opened), this.#gone.signal)
      .then((followed) => this.#over(followed))
      .catch((error: unknown) => this.#fail(error))
  }

  #over({ why, cursor }: Followed): void {
    if (why === "gone") return
    if (why === "slow") {
      this.#say({ type: "behind", after: cursor })
      this.#parts.socket.close(closeCodes.behind, "too slow")
    } else this.#parts.socket.close(closeCodes.closing, "the host ends")
  }

  async #acknowledge({ cursor }: Said<"ack">, { channel_id }: Opened): Promise<void> {
    const outcome = await this.#parts.runtime.execute("ack_events", { input: { channel_id, cursor } })
    if (!outcome.ok) return this.#refuse("ack", outcome.refusal)
    this.#say({ type: "acked", ...(outcome.result as object) })
  }

  async #message({ type, ...message }: Said<"message">, { channel_id }: Opened): Promise<void> {
    const { runtime, grant } = this.#parts
    const { native_message_id } = message
    if (!may(grant, "operate")) return this.#refuse(type, lacking(grant, "operate", "A message"))
    const taken = await runtime.channels.message(channel_id, message, actor(grant))
    if (!taken.ok) return this.#refuse(type, taken.refusal, { native_message_id })
    this.#say({ type: "taken", native_message_id, ...taken.result })
  }

  async #answer({ type, ...answer }: Said<"answer">, { channel_id }: Opened): Promise<void> {
    const { runtime, grant } = this.#parts
    const refusal = may(grant, "approve") ? undefined : lacking(grant, "approve", "An answer")
    const refused = refusal && { ok: false as const, refusal }
    const outcome = await runtime.channels.answer(channel_id, answer, actor(grant), refused)
    if (!outcome.ok) return this.#refuse(type, outcome.refusal, { action_id: answer.action_id })
    this.#say({ type: "answered", ...outcome.result })
  }

  /** What is open already when the peer comes. */
  async #forwardOpen(opened: Opened): Promise<void> {
    const waiting = this.#parts.runtime.channels.waiting(opened.channel_id)
    for (const action_id of waiting) await this.#forward(action_id, opened)
  }

  async #forward(action_id: string, { channel_id }: Opened): Promise<void> {
    const request = await this.#parts.runtime.channels.forward(channel_id, action_id)
    if (request !== undefined) this.#say({ type: "permission", action_id, request })
  }

  /** What the peer has not taken yet. */
  get #waits(): Pick<FollowedSink, "waiting" | "drained"> {
    const { socket } = this.#parts
    return {
      waiting: () => socket.bufferedAmount,
      // A WebSocket tells of no drain, so that it is looked at from time to time.
      drained: (signal) => taken(socket, signal),
    }
  }

  #sink(opened: Opened): FollowedSink {
    const { socket } = this.#parts
    return {
      ...this.#waits,
      write: (batch, facts) => {
        socket.send(batch, { binary: false })
        if (opened.permissions) for (const fact of facts) this.#notice(fact, opened)
      },
      beat: () => socket.ping(),
    }
  }

  #notice(fact: PlacedFact, opened: Opened): void {
    if (typeOf(fact) !== "action.required") return
    const { action_id }: { action_id?: unknown } = JSON.parse(fact.text)
    if (typeof action_id === "string") this.#forward(action_id, opened).catch((error) => this.#fail(error))
  }

  #reaches(session_id: string): boolean {
    return reaches(this.#parts.grant, session_id, this.#parts.runtime.workspaceOf)
  }

  #say(message: object): void {
    this.#parts.socket.send(JSON.stringify(message))
  }

  #refuse(re: string, refusal: Refusal, more: object = {}): void {
    const { audit, grant } = this.#parts
    this.#say({ type: "refused", re, refusal, ...more })
    audit.refused(grant, `channel ${re}`, refusal).catch((error: unknown) => this.#fail(error))
  }

  #fail(error: unknown): void {
    console.error(error)
    this.#parts.socket.close(1011, "the host met an error of its own")
  }
}

const actor = ({ id, name }: Grant) => ({ id, name })

function toBuffer(bytes: Buffer | ArrayBuffer | Buffer[]): Buffer {
  if (Array.isArray(bytes)) return Buffer.concat(bytes)
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes)
}

const LOOK_MS = 20

function taken(socket: WebSocket, signal: AbortSignal): Promise<void> {
  const before = socket.bufferedAmount
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (signal.aborted || socket.bufferedAmount < before) done()
    }, LOOK_MS)
    const done = () => {
      clearInterval(timer)
      resolve()
    }
    signal.addEventListener("abort", done, { once: true })
  })
}
