import type { AvailablePorts } from "../ports.ts"
import type { AgentUiState, Entity, RunEntity, SessionEntity } from "../state.ts"
import type { SurfaceName } from "../taxonomy.ts"
import type { Reason } from "../words.ts"
import { kept } from "./memo.ts"
import { type Aims, offer, surfaceControls } from "./offer.ts"
import type { Mark, SurfaceState, View, ViewScope } from "./view.ts"

type Standing = { state: SurfaceState; reason?: Reason; said?: string }

/** The step of hydration that brings a surface its facts. */
const hydrationStep: Readonly<Partial<Record<SurfaceName, number>>> = {
  session_tabs: 1,
  conversation: 2,
  composer: 3,
  runtime_status: 3,
  hitl: 3,
  task_capsule: 3,
  team_roster: 3,
  work_board: 3,
}

/** Puts a view together: how its surface stands, its controls, and what it shows. */
export function assemble<T extends object>(
  surface: SurfaceName,
  { state, scope, ports }: { state: AgentUiState; scope: ViewScope; ports: AvailablePorts },
  seen: { has: boolean; marks?: Iterable<Mark>; aims: Aims },
  body: T,
): View & T {
  const standing = stand(surface, state, scope, seen.has, seen.marks ?? [])
  return {
    surface,
    ...standing,
    controls: offer(surfaceControls[surface], ports, seen.aims),
    ...body,
  }
}

function stand(
  surface: SurfaceName,
  state: AgentUiState,
  { sessionId }: ViewScope,
  has: boolean,
  marks: Iterable<Mark>,
): Standing {
  const session = sessionId === undefined ? undefined : state.sessions.get(sessionId)
  const mark = worst(marks)
  if (sessionId !== undefined && !session && !has && !mark)
    return { state: "unknown", reason: "not_reported" }
  if (!has && session?.hydrating && session.hydrated < (hydrationStep[surface] ?? 4))
    return { state: "loading" }
  if (session) {
    const stale = staleness(state, session)
    if (stale) return { state: "stale", reason: stale }
    if (session.blockedReason !== undefined) return said("blocked", session.blockedReason)
  }
  return mark ?? { state: has ? "ready" : "empty" }
}

/** What may be done about a session: nothing is written while its facts may be out of date. */
export function portsNow(
  state: AgentUiState,
  { sessionId }: ViewScope,
  ports: AvailablePorts,
): AvailablePorts {
  const session = sessionId === undefined ? undefined : state.sessions.get(sessionId)
  return session && staleness(state, session) ? heldPorts(ports) : ports
}

/** The same ports, of which none may write as long as what is shown may be out of date. */
const heldPorts = kept(
  (ports: AvailablePorts): AvailablePorts =>
    Object.assign(new Set(ports), { held: "held_while_stale" as const }),
)

/** Why the facts of a session may be out of date: its owner says so, or a part of its stream is missing. */
export function staleness(state: AgentUiState, session: SessionEntity): Reason | undefined {
  if (session.stale) return "session_stale"
  const run = lastRun(state, session)
  const streams = [
    session.sessionId,
    `session:${session.sessionId}`,
    ...session.threadIds.map((thread) => `thread:${thread}`),
    ...(run ? [`run:${run.runId}`] : []),
  ]
  return streams.some((stream) => state.streams.get(stream)?.gap) ? "stream_gap" : undefined
}

const badness = ["blocked", "unavailable", "unknown", "stale"] as const

/** The first of the marks that weigh most. */
export function worst(marks: Iterable<Mark>): Standing | undefined {
  let found: Mark | undefined
  let rank: number = badness.length
  for (const mark of marks) {
    if (mark.state === "ready") continue
    const at = badness.indexOf(mark.state)
    if (at < rank) {
      found = mark
      rank = at
    }
  }
  return found && pickMark(found)
}

export function pickMark({ state, reason, said }: Mark): Mark {
  return { state, ...(reason && { reason }), ...(said !== undefined && { said }) }
}

/** A state in the owner's words; without words the reason is unknown. */
export function said(
  state: "blocked" | "unavailable",
  words?: string,
): { state: typeof state; reason: Reason; said?: string } {
  return words ? { state, reason: "owner_says", said: words } : { state, reason: "unknown" }
}
export const ready: Mark = { state: "ready" }

/** How far back a run may still be active while later turns wait, or were taken from the queue. */
const mostBehind = 64

/** The active run of a session, else its newest; a turn that waits in the queue is neither. */
export function lastRun(state: AgentUiState, session: SessionEntity | undefined): RunEntity | undefined {
  if (session === undefined) return undefined
  const { runIds } = session
  const queued = queuedTurns(state.queues)
  let newest: RunEntity | undefined
  for (let at = runIds.length - 1; at >= Math.max(0, runIds.length - mostBehind); at--) {
    const id = runIds.at(at)
    const run = id === undefined || queued.has(id) ? undefined : state.runs.get(id)
    if (run && !run.ended) return run
    if (run && !wasRemoved(run)) newest ??= run
  }
  return newest
}

/** What waits for its own turn: no message yet, and no run. */
export const queuedTurns = kept((queues: AgentUiState["queues"]): ReadonlySet<string> => {
  const waiting = new Set<string>()
  for (const { turns } of queues.values()) {
    for (const { turnId, status } of turns) {
      if (turnId !== undefined && status !== "started" && status !== "removed") waiting.add(turnId)
    }
  }
  return waiting
})

/** Taken from the queue before it began: nothing of it ever was. */
export const wasRemoved = ({ ended, outcome, startedAt, process }: RunEntity): boolean =>
  ended && outcome === "cancelled" && startedAt === undefined && onlyStatus(process)
const onlyStatus = kept((process: RunEntity["process"]): boolean =>
  [...process].every(({ kind }) => kind === "status" || kind === "text"),
)

/** The run that a scope is about: the one named, else the session's newest. */
export function runOf(state: AgentUiState, { sessionId, runId }: ViewScope): RunEntity | undefined {
  if (runId !== undefined) return state.runs.get(runId)
  return sessionId === undefined ? undefined : lastRun(state, state.sessions.get(sessionId))
}
export function activeRun(state: AgentUiState, scope: ViewScope): RunEntity | undefined {
  const run = runOf(state, scope)
  return run && !run.ended ? run : undefined
}

/** Whether a fact belongs to a session or to one below it. */
export function within(state: AgentUiState, sessionId: string | undefined): (entity: Entity) => boolean {
  if (sessionId === undefined) return () => true
  const judged = new Map<string, boolean>()
  const below = (id: string, depth: number): boolean => {
    if (id === sessionId) return true
    const before = judged.get(id)
    if (before !== undefined) return before
    const parent = state.sessions.get(id)?.parentSessionId
    const answer = parent !== undefined && depth < 32 && below(parent, depth + 1)
    judged.set(id, answer)
    return answer
  }
  return ({ origin }) =>
    (origin.sessionId !== undefined && below(origin.sessionId, 0)) ||
    (origin.parentSessionId !== undefined && below(origin.parentSessionId, 0))
}

/** All of a table that belong to a scope, in the order in which they were opened. */
export function inScope<E extends Entity>(
  state: AgentUiState,
  table: { values(): Iterable<E> },
  scope: ViewScope,
): E[] {
  const belongs = within(state, scope.sessionId)
  return [...table.values()].filter(belongs)
}
