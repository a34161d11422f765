import {
  type AgentUiState,
  type AgentUiStore,
  addOlder,
  availablePorts,
  createAgentUiStore,
  createHydrator,
  createIntents,
  createRepairer,
  createViews,
  type IntentNote,
  type Intents,
  markAnswering,
  markUnanswered,
  type OwnerPorts,
  type Schedule,
  type SurfaceName,
  showSent,
  type ViewOf,
  type ViewScope,
  withdrawSent,
} from "@factum/agent-ui"
import { fromRuntime, runtimePorts, type SendCommand } from "@factum/agent-ui/adapters/runtime"
import type { Client, SessionRow } from "./client.ts"
import { type Connection, factsOf } from "./follow.ts"
import { addWindow, hydrationOf } from "./hydration.ts"
import { isAway } from "./reply.ts"

export type BindOptions = {
  client: Client
  store?: AgentUiStore
  /** When to publish; animation frames where there are any. */
  schedule?: Schedule | { everyMs: number }
  /** Ports beside those of the runtime, such as the artifacts'. */
  ports?: OwnerPorts
  onConnection?: (sessionId: string, connection: Connection) => void
}

/** An Agent UI store that follows a host: sessions are opened, filled in and kept current. */
export type Bound = {
  store: AgentUiStore
  intents: Intents
  /** What a surface shows of a state; an unchanged one keeps its reference. */
  view<S extends SurfaceName>(surface: S, scope: ViewScope, state?: AgentUiState): ViewOf<S>
  /** Goes to a session: its read models step by step, its recent facts, then every new one. */
  open(sessionId: string): Promise<void>
  loadEarlier(sessionId: string): Promise<void>
  /** Tells the store of the sessions that the host lists. */
  list(rows: readonly SessionRow[]): void
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
  const ports: OwnerPorts = { ...runtimePorts(sender(client)), ...options.ports }
  const intents = createIntents({ ports, state: store.getSnapshot, note: (note) => noted(store, note) })
  const views = createViews()
  const available = availablePorts(ports)
  const followed = new Map<string, AbortController>()

  const repairer = createRepairer(store, {
    async fetch({ stream, from, to }, signal) {
      const before = String(to + 1)
      const input = { session_id: stream, before, limit: Math.min(1000, Math.max(1, to - from + 1)) }
      const reply = await client.command("get_session", input, { signal })
      if (!reply.ok) throw new Error(reply.refusal.message)
      return reply.result.history.map(fromRuntime).filter(({ sequence }) => sequence >= from)
    },
  })

  async function open(sessionId: string): Promise<void> {
    await hydrator.open(sessionId)
    const read = hydration.window(sessionId)
    if (read !== undefined) store.update((state) => addWindow(state, sessionId, read))
    const session = store.getSnapshot().sessions.get(sessionId)
    if (session === undefined || session.hydrated < 4 || followed.has(sessionId)) return
    void keep(sessionId)
  }

  async function keep(sessionId: string): Promise<void> {
    const ending = new AbortController()
    followed.set(sessionId, ending)
    let lost = false
    const after = store.getSnapshot().streams.get(sessionId)?.applied ?? 0
    const ended = await client.follow(
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
    followed.delete(sessionId)
    if (ended.state === "refused") store.dispatch([freshness(sessionId, true)])
  }

  return {
    store,
    intents,
    view: (surface, scope, state = store.getSnapshot()) => views.of(surface, state, scope, available),
    open,
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
      for (const ending of followed.values()) ending.abort()
      store.close()
    },
  }
}

/** A command's answer as a port gives it. Sent again under its own id until somebody answers. */
const sender =
  (client: Client): SendCommand =>
  async (name, input) => {
    const reply = await client.command(name, input)
    if (reply.ok) return { ok: true, value: reply.result }
    const { code, message } = reply.refusal
    return { ok: false, code: isAway(reply.refusal) ? "unreachable" : code, message }
  }

/** What the client shows of its own doing: the person's own text, and that an answer is on its way. */
function noted(store: AgentUiStore, note: IntentNote): void {
  store.update((state) => {
    switch (note.kind) {
      case "submitted":
        return note.control === "queue" || note.sessionId === undefined
          ? state
          : showSent(state, { clientId: note.clientId, sessionId: note.sessionId, inputs: note.inputs })
      case "not_submitted":
        return withdrawSent(state, note.clientId)
      case "answering":
        return markAnswering(state, note.actionId)
      case "answer_refused":
        return markUnanswered(state, note.actionId, note.error)
    }
  })
}

const service = { owner: "session", scope: "session", persistence: "snapshot" } as const

const freshness = (sessionId: string, stale: boolean) => ({
  ...service,
  type: "session.updated",
  sessionId,
  payload: { stale },
})

const listed = ({ session_id, title, status, updated_at }: SessionRow) => ({
  ...service,
  type: "session.updated",
  sessionId: session_id,
  timestamp: updated_at,
  payload: { title, status },
})
