import {
  type AgentUiState,
  type AgentUiStore,
  addOlder,
  applyNote,
  availablePorts,
  createAgentUiStore,
  createHydrator,
  createIntents,
  createRepairer,
  createViews,
  type Intents,
  type OwnerPorts,
  type Schedule,
  type SurfaceName,
  type ViewOf,
  type ViewScope,
} from "@factum/agent-ui"
import { fromRuntime, runtimePorts, type SendCommand } from "@factum/agent-ui/adapters/runtime"
import type { Capabilities, Client, SessionRow } from "./client.ts"
import { type Connection, factsOf } from "./follow.ts"
import { addWindow, factsBetween, hydrationOf } from "./hydration.ts"
import { type Refusal, unreachable } from "./reply.ts"

/** A session as the host lists it, with what only this client knows of it. */
export type ListedSession = SessionRow & { unread?: boolean; pinned?: boolean }

export type BindOptions = {
  client: Client
  store?: AgentUiStore
  /** When to publish; animation frames where there are any. */
  schedule?: Schedule | { everyMs: number }
  /** Ports beside those of the runtime, such as the artifacts'; told which commands the host carries out, once known. */
  ports?: (carriedOut: ReadonlySet<string> | undefined) => OwnerPorts
  onConnection?: (sessionId: string, connection: Connection) => void
  /** What the host does for this token, once it has said it. */
  onCapabilities?: (capabilities: Capabilities) => void
}

/** An Agent UI store that follows a host: sessions are opened, filled in and kept current. */
export type Bound = {
  store: AgentUiStore
  intents: Intents
  /** What a surface shows of a state; an unchanged one keeps its reference. */
  view<S extends SurfaceName>(surface: S, scope: ViewScope, state?: AgentUiState): ViewOf<S>
  /**
   * Goes to a session: its read models step by step, its recent facts, then every new one, while it is the open one.
   * Resolves with the host's refusal when it cannot be read.
   */
  open(sessionId: string): Promise<Refusal | undefined>
  /** Leaves the open session: it is followed no longer. */
  leave(): void
  loadEarlier(sessionId: string): Promise<void>
  /** Tells the store of the sessions that the host lists. */
  list(rows: readonly ListedSession[]): void
  /** Tries again at once instead of waiting. */
  reconnect(): void
  close(): void
}

export function bind(options: BindOptions): Bound {
  const { client, onConnection } = options
  const { schedule } = options
  const store = options.store ?? createAgentUiStore(schedule === undefined ? {} : { schedule })
  const hydration = hydrationOf(client)
  const hydrator = createHydrator(store, hydration)
  const portsFor = (carriedOut?: ReadonlySet<string>): OwnerPorts => ({
    ...runtimePorts(sender(client), undefined, carriedOut),
    ...options.ports?.(carriedOut),
  })
  let ports = portsFor()
  const intents = createIntents({
    ports: () => ports,
    state: store.getSnapshot,
    note: (note) => store.update((state) => applyNote(state, note)),
  })
  const views = createViews()
  let available = availablePorts(ports)
  let learning: Promise<void> | undefined

  /** What the host does not carry out is offered nowhere. Asked once, before a session shows what could be acted on. */
  function learn(): Promise<void> {
    learning ??= client.capabilities().then((reply) => {
      if (reply.ok) {
        ports = portsFor(new Set(reply.result.commands))
        available = availablePorts(ports)
        options.onCapabilities?.(reply.result)
      } else if (reply.refusal.code === unreachable) learning = undefined
    })
    return learning
  }
  void learn()
  let followed: { sessionId: string; ending: AbortController } | undefined
  /** The opening under way or done; one that was left meanwhile has nothing to follow any more. */
  let visit: symbol | undefined

  const repairer = createRepairer(store, {
    fetch: async ({ stream, from, to }, signal) =>
      (await factsBetween(client, stream, from, to, signal)).map(fromRuntime),
  })

  /** A browser opens few connections to one host, so only the session in front has a stream. */
  function leave(): void {
    visit = undefined
    followed?.ending.abort()
    followed = undefined
  }

  async function open(sessionId: string): Promise<Refusal | undefined> {
    if (followed?.sessionId !== sessionId) leave()
    const mine = Symbol(sessionId)
    visit = mine
    const before = store.getSnapshot().sessions.get(sessionId)
    // What an earlier attempt marked as stale is asked for again.
    if (before?.stale && before.hydrated < 4) {
      store.dispatch([freshness(sessionId, false)])
      store.flush()
    }
    await learn()
    if (visit !== mine) return undefined
    await hydrator.open(sessionId)
    const read = hydration.window(sessionId)
    if (read !== undefined) store.update((state) => addWindow(state, sessionId, read))
    if (visit !== mine) return undefined
    const hydrated = store.getSnapshot().sessions.get(sessionId)?.hydrated ?? 0
    if (hydrated < 4) return hydration.refused(sessionId)
    if (followed?.sessionId !== sessionId) void keep(sessionId)
    return undefined
  }

  async function keep(sessionId: string): Promise<void> {
    const ending = new AbortController()
    followed = { sessionId, ending }
    let lost = store.getSnapshot().sessions.get(sessionId)?.stale ?? false
    const after = store.getSnapshot().streams.get(sessionId)?.applied ?? 0
    const following = client.follow(
      factsOf({
        session_id: sessionId,
        token: "",
        after,
        onFacts: (facts) => store.dispatch(facts.map(fromRuntime)),
        onConnection: (connection) => {
          onConnection?.(sessionId, connection)
          const isLost = connection.state === "lost"
          if (isLost !== lost && connection.state !== "connecting")
            store.dispatch([freshness(sessionId, isLost)])
          lost = isLost
        },
      }),
      ending.signal,
    )
    const left = () => {
      if (followed?.ending === ending) followed = undefined
    }
    const ended = await following.finally(left).catch((error: unknown) => {
      // Nothing of it comes any more, and a page says so; the mistake itself is for whoever made it.
      store.dispatch([freshness(sessionId, true)])
      throw error
    })
    if (ended.state === "refused") store.dispatch([freshness(sessionId, true)])
  }

  return {
    store,
    intents,
    view: (surface, scope, state = store.getSnapshot()) => views.of(surface, state, scope, available),
    open,
    leave,
    async loadEarlier(sessionId) {
      const cursor = store.getSnapshot().sessions.get(sessionId)?.earlier
      if (cursor === undefined) return
      const { older, earlier } = await hydration.older(sessionId, cursor)
      // Asked for twice, the second answer is of a window that is there already.
      store.update((state) =>
        state.sessions.get(sessionId)?.earlier === cursor
          ? addOlder(state, sessionId, older, earlier)
          : state,
      )
    },
    list: (rows) => store.dispatch(rows.map(listed)),
    reconnect: () => repairer.retry(),
    close() {
      repairer.close()
      leave()
      store.close()
    },
  }
}

/** A command's answer as a port gives it: a refusal in the host's own words. */
const sender =
  (client: Client): SendCommand =>
  async (name, input) => {
    const reply = await client.command(name, input)
    if (reply.ok) return { ok: true, value: reply.result }
    const { code, message } = reply.refusal
    return { ok: false, code, message }
  }

const service = { owner: "session", scope: "session", persistence: "snapshot" } as const

const freshness = (sessionId: string, stale: boolean) => ({
  ...service,
  type: "session.updated",
  sessionId,
  payload: { stale },
})

/** A session at rest stands as its last turn ended. */
const listed = (row: ListedSession) => {
  const { session_id, title, status, outcome, updated_at, unread, pinned, parent_session_id, needs_you } = row
  return {
    ...service,
    type: "session.updated",
    sessionId: session_id,
    timestamp: updated_at,
    ...(parent_session_id !== undefined && { parentSessionId: parent_session_id }),
    payload: {
      title,
      status: status === "idle" ? (outcome ?? status) : status,
      ...(needs_you !== undefined && { openActions: needs_you }),
      ...(unread !== undefined && { unread }),
      ...(pinned !== undefined && { pinned }),
    },
  }
}
