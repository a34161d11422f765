import type { ContextRef, QueuedTurn } from "../events/index.ts"
import type { AgentUiState, QueueEntity, SessionEntity } from "../state.ts"
import { askedOf, withText } from "./asked-of.ts"
import { contextMeter, contextOf, type Meter } from "./meter.ts"
import { aim } from "./offer.ts"
import { activeRun, assemble, inScope, ready, said } from "./standing.ts"
import { type Known, known, type Mark, type Surface, type View, type ViewScope } from "./view.ts"
import { given } from "./who.ts"

export type ContextChip = {
  id: string
  kind?: string
  label?: string
  ref?: string
  tokens?: number
  /** Missing context is never shown as available. */
  state: "ready" | "unknown" | "blocked"
  said?: string
}
export type ComposerView = View & {
  /** What the owner stores of a draft; a draft being typed is the component's own. */
  draft?: string
  mode: Known<string>
  model: Known<string>
  chips: readonly ContextChip[]
  context?: Meter
  warnings: readonly string[]
  activeRunId?: string
  threadId?: string
  /** What waits for its own turn, in order; not yet messages. */
  queued: readonly QueuedTurn[]
  queuePolicy?: string
  queueFacts?: QueueEntity["facts"]
  /** Input given to the run that is active. */
  steered: readonly { clientId?: string; text?: string; state: string; at?: string }[]
}

export const composer: Surface<ComposerView> = {
  reads: ["runs", "queues", "contexts", "permissions", "agents", "synced"],
  // Of all that streams into messages, only the texts that wait are shown here.
  inputs: (state, scope) => waitingIn(queueOf(state, scope)).map((turn) => askedOf(state, turn.turnId)),
  select(state, scope, ports) {
    const session = scope.sessionId === undefined ? undefined : state.sessions.get(scope.sessionId)
    const run = activeRun(state, scope)
    const context = contextOf(state, scope)
    const queue = queueOf(state, scope)
    const queued = waitingIn(queue).map((turn) => withText(state, turn))
    const chips = chipsOf(context.selection ?? [], context.missing ?? [])
    const steered = run?.steered ?? []
    const draft = draftOf(state, scope.sessionId)
    const locked = lockOf(state, scope)
    const may = !session?.closed && locked === undefined
    return assemble(
      "composer",
      { state, scope, ports },
      {
        has: draft !== undefined || chips.length + queued.length + steered.length > 0,
        marks: [locked === undefined ? blockingContext(chips) : locked],
        aims: {
          send: aim(may && !run),
          queue: aim(may && run !== undefined),
          steer: aim(may && run !== undefined),
          interrupt: aim(run !== undefined),
        },
      },
      {
        mode: known(modeOf(state, scope)),
        model: known(modelOf(state, scope)),
        chips,
        warnings: context.warnings ?? [],
        queued,
        steered,
        ...given({ draft, activeRunId: run?.runId, threadId: threadOf(session, run?.origin.threadId) }),
        ...given({ context: contextMeter(state, scope), queuePolicy: queue?.policy }),
        ...(queue && Object.keys(queue.facts).length > 0 && { queueFacts: queue.facts }),
      },
    )
  },
}

const threadOf = (session: SessionEntity | undefined, running?: string) =>
  running ?? session?.threadIds.at(-1)

function queueOf(state: AgentUiState, scope: ViewScope): QueueEntity | undefined {
  return [...state.queues.values()].find(({ origin }) => origin.sessionId === scope.sessionId)
}

const waitingIn = (queue: QueueEntity | undefined) =>
  (queue?.turns ?? []).filter(({ status }) => status !== "started" && status !== "removed")

function chipsOf(
  selection: readonly ContextRef[],
  missing: readonly { id: string; reason?: string; blocking?: boolean }[],
): ContextChip[] {
  const gone = new Map(missing.map((item) => [item.id, item]))
  const chosen = selection.map(({ missing: lacks, ...chip }): ContextChip => {
    const lost = gone.get(chip.id)
    return lost ? missingChip(lost, chip) : { ...chip, state: lacks ? "unknown" : "ready" }
  })
  const others = missing.filter(({ id }) => !selection.some((chip) => chip.id === id))
  return [...chosen, ...others.map((item) => missingChip(item, { id: item.id }))]
}

function missingChip(
  { reason, blocking }: { reason?: string; blocking?: boolean },
  chip: Omit<ContextRef, "missing">,
): ContextChip {
  return { ...chip, state: blocking ? "blocked" : "unknown", ...given({ said: reason }) }
}

function blockingContext(chips: readonly ContextChip[]): Mark {
  const blocking = chips.find(({ state }) => state === "blocked")
  return blocking ? { state: "blocked", reason: "missing_context", ...given({ said: blocking.said }) } : ready
}

/** Policy forbids sending here: the session's own subject is locked. */
function lockOf(state: AgentUiState, scope: ViewScope): Mark | undefined {
  const locked = ownPermissions(state, scope).find(({ locked }) => locked !== undefined)?.locked
  return locked === undefined ? undefined : said("blocked", locked)
}
const modeOf = (state: AgentUiState, scope: ViewScope) =>
  ownPermissions(state, scope).findLast(({ mode }) => mode !== undefined)?.mode

/** Permissions of the session itself, not of one of its teammates. */
function ownPermissions(state: AgentUiState, scope: ViewScope) {
  return inScope(state, state.permissions, scope).filter(
    ({ subject, origin }) => subject?.kind !== "agent" && origin.agentId === undefined,
  )
}

/** The model that the owner says answers here: in what it keeps in step, else of the lead. */
function modelOf(state: AgentUiState, { sessionId }: ViewScope): string | undefined {
  const told = syncedField(state, sessionId, "model")
  if (told !== undefined) return told
  return [...state.agents.values()].find(
    (agent) => agent.childSessionId === sessionId && sessionId !== undefined,
  )?.model
}

const draftOf = (state: AgentUiState, sessionId: string | undefined) => syncedField(state, sessionId, "draft")

function syncedField(state: AgentUiState, sessionId: string | undefined, field: string): string | undefined {
  const told = sessionId === undefined ? undefined : state.synced.get(`session:${sessionId}`)?.state
  if (typeof told !== "object" || told === null || !Object.hasOwn(told, field)) return undefined
  const value: unknown = Reflect.get(told, field)
  return typeof value === "string" && value !== "" ? value : undefined
}
