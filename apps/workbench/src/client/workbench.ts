import {
  type ArtifactEdit,
  changeLocal,
  type InputPartView,
  type Intent,
  type IntentRefusal,
  type IntentResult,
  type LocalAction,
  markAnswering,
  markUnanswered,
  type SurfaceName,
  type Target,
  type ViewOf,
  type ViewScope,
} from "@factum/agent-ui"
import {
  addWindow,
  type Bound,
  backoff,
  bind,
  type Client,
  type Connection,
  isAway,
  mayPass,
  Outbox,
  type Pending,
  type Problem,
  problemOf,
  type Refusal,
  type Shelf,
} from "@factum/client"
import { type Pane, type Place, placeOf } from "../layout/address.ts"
import { artifactContent } from "./artifact-ports.ts"
import { pagePorts } from "./ports.ts"
import { type Cursor, type Listing, type Marks, nothingListed, SessionListing } from "./session-listing.ts"

/** What the page knows beside facts: where it is, whether the host answers, and what has not reached it yet. */
export type Shell = Listing & {
  place: Place
  connection: Connection
  /** Why the session that is open cannot be read. */
  unreadable?: Problem
  /** Something that a person asked for was refused. */
  problem?: Problem
  /** Messages that the host does not have: on their way, or refused. */
  pending: readonly Pending[]
  /** How many windows of older facts were read for what a person asked for, while it is under way. */
  reading?: number
  /** The request that a person asked to see last. */
  wanted?: { actionId: string }
  /** The host's model is the built-in demo, which has demonstrations to play. */
  demonstrations: boolean
}

export type WorkbenchParts = {
  client: Client
  shelf: Shelf
  /** Goes to a place and makes it the page's address. */
  visit: (place: Place, replace?: boolean) => void
  /** Which sessions a person marked or has not looked into since they changed. */
  marks: Marks
  /** Where edits of artifacts outlive the page until their owner has them. */
  edits: EditShelf
  pause?: (milliseconds: number) => Promise<void>
}

export type EditShelf = {
  load(): readonly (ArtifactEdit & { id: string })[]
  keep(id: string, edit: ArtifactEdit | undefined): void
}

const wait = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/** The page's one object: a store that follows a host, and where the page is in it. */
export class Workbench {
  readonly client: Client
  readonly bound: Bound
  readonly sessions: SessionListing
  readonly #parts: WorkbenchParts
  readonly #outbox: Outbox
  readonly #listeners = new Set<() => void>()
  #shell: Shell = {
    place: {},
    connection: { state: "connecting" },
    pending: [],
    ...nothingListed,
    demonstrations: false,
  }

  constructor(parts: WorkbenchParts) {
    this.#parts = parts
    this.client = parts.client
    const { client, shelf } = parts
    this.#outbox = new Outbox({
      client,
      shelf,
      changed: () => this.#show({ pending: this.#outbox.pending }),
      accepted: (pending, { session_id }) => this.#accepted(pending, session_id),
    })
    this.bound = bind({
      client,
      ports: (carriedOut) =>
        pagePorts({
          client,
          outbox: this.#outbox,
          state: () => this.bound.store.getSnapshot(),
          carriedOut,
        }),
      onCapabilities: ({ demonstrations = false }) => this.#show({ demonstrations }),
      onConnection: (session, connection) => {
        if (session !== this.#shell.place.session) return
        // What was not known while nobody answered is told by the facts again.
        if (connection.state === "live" && this.#shell.problem?.code === "unreachable") this.dismiss()
        this.#show({ connection })
      },
    })
    this.sessions = new SessionListing({
      client,
      bound: this.bound,
      marks: parts.marks,
      open: () => this.#shell.place.session,
      changed: (change) => this.#show(change),
      refused: (refusal) => this.#show({ problem: problemOf(refusal) }),
    })
    this.#shell = { ...this.#shell, pending: this.#outbox.pending }
    this.local({ kind: "show_reasoning", shown: true })
    for (const edit of parts.edits.load()) this.local({ kind: "edit_artifact", ...edit })
  }

  readonly shell = (): Shell => this.#shell
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  view<S extends SurfaceName>(surface: S, scope: ViewScope): ViewOf<S> {
    return this.bound.view(surface, scope)
  }

  /** Follows the page's address. */
  readonly follow = (hash: string): void => {
    const place = placeOf(hash)
    const before = this.#shell.place.session
    if (place.session === before && this.#shell.unreadable === undefined) {
      this.#show({ place })
      return
    }
    const { unreadable: _, problem: __, ...rest } = this.#shell
    this.#shell = { ...rest, place, connection: { state: "connecting" } }
    this.#tell()
    if (place.session === undefined) {
      this.bound.leave()
      this.local({ kind: "select_session" })
    } else {
      this.sessions.opened(place.session)
      void this.#open(place.session)
    }
  }

  /** Takes a session's tab away, and nothing else of it. */
  readonly closeTab = (sessionId: string, next: string | undefined): void => {
    this.sessions.close(sessionId)
    if (sessionId === this.#shell.place.session) this.go(next === undefined ? {} : { session: next })
  }

  readonly go = (place: Place, replace = false): void => this.#parts.visit(place, replace)

  /** To another pane of the same session. */
  readonly openPane = (pane: Pane | undefined, item?: string): void => {
    const { session } = this.#shell.place
    if (session === undefined) return
    this.go({ session, ...(pane !== undefined && { pane }), ...(item !== undefined && { item }) })
  }

  readonly intent = async (intent: Intent): Promise<IntentResult> => {
    if (intent.control === "open_detail") {
      if (intent.target.kind === "transcript") return this.#readBeside(intent.target.id)
      const place = placeOfTarget(intent.target, this.#shell.place.session)
      if (place !== undefined) this.go(place)
      return { status: "sent" }
    }
    const result = await this.bound.intents.send(intent)
    // What was refused before is settled, or given up, once something else was done.
    if (result.status === "sent" && this.#shell.problem !== undefined) this.dismiss()
    if (result.status === "refused" && result.code !== "in_flight") this.#refused(intent, result)
    return result
  }

  /** A message stands in the conversation until the host has it, or the person gives it up. */
  readonly keeps = (turnId: string): boolean => this.#outbox.pending.some(({ turn_id }) => turn_id === turnId)

  /** An answer's refusal stands on its card, and a kept message's in the conversation; anything else above them. */
  #refused(intent: Intent, { code, message, problems }: IntentRefusal): void {
    if ((intent.control === "send" || intent.control === "queue") && this.keeps(intent.clientId)) return
    const actionId = "actionId" in intent ? intent.actionId : ""
    const [wrong] = problems ?? []
    if (wrong !== undefined) {
      const why = `input.payload.${wrong.path.replace(/^[./]/, "")}: misfit ${wrong.keyword}`
      this.bound.store.update((state) => markUnanswered(markAnswering(state, actionId), actionId, why))
    } else if (this.bound.store.getSnapshot().actions.get(actionId)?.error === undefined)
      this.#show({ problem: { code, message: message ?? code } })
  }

  readonly local = (action: LocalAction): void => {
    const { store } = this.bound
    store.update((state) => changeLocal(state, action))
    if (action.kind === "edit_artifact" || action.kind === "edit_saved")
      this.#parts.edits.keep(action.id, store.getSnapshot().local.edits.get(action.id))
  }

  /** The bytes that a ref names: those of an artifact are asked of its owner. */
  readonly read = (ref: string) => {
    const digest = /sha256:[0-9a-f]{64}/.exec(ref)?.[0]
    if (digest !== undefined) return this.client.blob(digest)
    const [, id, version] = /^artifact:([^/]+)\/(\d+)$/.exec(ref) ?? []
    return id === undefined
      ? Promise.resolve(notKept(ref))
      : this.client.bytes(artifactContent({ id, version }))
  }

  readonly toRequest = (actionId: string): void => this.#show({ wanted: { actionId } })

  /** The host gives the page to one frame, without any right. */
  readonly preview = (html: string) =>
    this.client.ask<{ path: string }>("/v1/previews", { method: "POST", body: JSON.stringify({ html }) })

  readonly pin = (sessionId: string, pinned: boolean): void => this.sessions.pin(sessionId, pinned)

  /** What a person said in a turn, as it would be said again. */
  readonly inputsOf = (turnId: string): readonly InputPartView[] | undefined => {
    const { runs, messages } = this.bound.store.getSnapshot()
    const ids = runs.get(turnId)?.messageIds ?? []
    const message = ids.map((id) => messages.get(id)).find((one) => one?.role === "user")
    if (message === undefined) return undefined
    const text = message.parts.flatMap((part) => (part.kind === "text" ? part.text.blocks : [])).join("")
    const others = message.inputs.filter(({ kind }) => kind !== "text")
    return [...(text === "" ? [] : [{ kind: "text" as const, text }]), ...others]
  }

  readonly promote = async (queuedTurnId: string, threadId: string): Promise<void> => {
    const session_id = this.#shell.place.session
    if (session_id === undefined) return
    const input = { queued_turn_id: queuedTurnId, session_id, thread_id: threadId }
    const reply = await this.client.command("promote_queued_turn", input)
    if (!reply.ok) this.#show({ problem: problemOf(reply.refusal) })
    else if (this.#shell.problem !== undefined) this.dismiss()
  }

  readonly resend = (turnId: string): void => void this.#outbox.retry(turnId)
  readonly discard = (turnId: string): void => this.#outbox.discard(turnId)

  /** Whether it could be read. */
  readonly loadEarlier = async (): Promise<boolean> => {
    const { session } = this.#shell.place
    try {
      if (session !== undefined) await this.bound.loadEarlier(session)
      return true
    } catch (error) {
      this.#show({ problem: { code: "unreachable", message: String(error) } })
      return false
    }
  }

  /** Whether all facts of the session are here then; it ends early when they are too many, or cannot be read. */
  readonly readToBeginning = async (session: string, most: number): Promise<boolean> => {
    const isThere = () => this.bound.store.getSnapshot().sessions.get(session)?.earlier === undefined
    const isWanted = () => this.#shell.place.session === session
    for (let windows = 0; !isThere() && isWanted() && windows < most; windows++) {
      this.#show({ reading: windows })
      if (!(await this.loadEarlier())) break
    }
    const { reading: _, ...rest } = this.#shell
    this.#shell = rest
    this.#tell()
    return isThere()
  }

  /** Tries again at once instead of waiting. */
  readonly reconnect = (): void => {
    this.bound.reconnect()
    globalThis.dispatchEvent?.(new Event("online"))
  }

  /** Something that a person asked for did not come about. */
  readonly tell = (problem: Problem): void => this.#show({ problem })

  readonly dismiss = (): void => {
    const { problem: _, ...rest } = this.#shell
    this.#shell = rest
    this.#tell()
  }

  /** The next ones of the list go on where it ended. */
  readonly findSessions = (search: string, before?: Cursor) =>
    this.sessions.find(search, before ?? (search === "" ? this.#shell.more : undefined))

  readonly refresh = (): Promise<void> => this.sessions.refresh()

  close(): void {
    this.bound.close()
  }

  async #open(session: string): Promise<void> {
    const { pause = wait } = this.#parts
    for (let attempt = 0; ; attempt++) {
      const refusal = await this.bound.open(session)
      if (refusal === undefined || this.#shell.place.session !== session) return
      if (!mayPass(refusal)) return this.#unreadable(refusal)
      const { connection } = this.#shell
      if (isAway(refusal) && connection.state !== "lost")
        this.#show({ connection: { state: "lost", since: Date.now() } })
      await pause(backoff(attempt))
      if (this.#shell.place.session !== session) return
    }
  }

  /** The recent facts of a session that is looked at from another one. */
  async #readBeside(session_id: string): Promise<IntentResult> {
    const reply = await this.client.command("get_session", { session_id })
    if (!reply.ok) return { status: "refused", ...problemOf(reply.refusal) }
    this.bound.store.update((state) => addWindow(state, session_id, reply.result))
    return { status: "sent" }
  }

  #unreadable(refusal: Refusal): void {
    this.#show({ unreadable: problemOf(refusal), connection: { state: "live" } })
  }

  /** The first message of a session brings the page to it, unless the person went elsewhere. */
  #accepted({ input }: Pending, session: string): void {
    if (input.create === "session" && this.#shell.place.session === undefined) this.go({ session }, true)
    void this.refresh()
  }

  #show(change: Partial<Shell>): void {
    this.#shell = { ...this.#shell, ...change }
    this.#tell()
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}

const notKept = (ref: string): { ok: false; refusal: Refusal } => ({
  ok: false,
  refusal: { code: "not_found", message: `The host keeps no bytes under ${ref}.` },
})

const panesOf: Readonly<Partial<Record<Target["kind"], Pane>>> = {
  artifact: "artifact",
  evidence: "timeline",
  tool: "timeline",
  run: "timeline",
  message: "timeline",
  process: "timeline",
  agent: "transcript",
  task: "board",
  job: "background",
  diagnostic: "diagnostics",
}

/** Where the detail of something is shown. */
export function placeOfTarget({ kind, id }: Target, session: string | undefined): Place | undefined {
  if (kind === "session") return { session: id }
  const pane = panesOf[kind]
  return session === undefined || pane === undefined ? undefined : { session, pane, item: id }
}
