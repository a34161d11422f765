import { type Chain, chainOf, emptyChain, push } from "./chain.ts"
import type { AgentUiEnvelope } from "./envelope.ts"
import { fieldKinds } from "./fields.ts"
import { given } from "./given.ts"
import { refsOf } from "./refs.ts"
import type {
  AgentUiState,
  Entities,
  Entity,
  Finding,
  FindingCode,
  Origin,
  ProcessEntry,
  Told,
} from "./state.ts"
import { emptyTable, removeFrom, setIn, type Table } from "./table.ts"
import { type Edit, fresh, own } from "./vector.ts"

/** The state of one batch while it is made, and the event that is being applied. */
export type Draft = {
  state: AgentUiState
  edit: Edit
  event: AgentUiEnvelope
  sequence: number | undefined
  stream: string | undefined
  unlisted: readonly string[] | undefined
  /** A frame that waited stood for missing ones, which may still come. */
  overtook?: true
  /** One of those came. */
  late?: true
  /** Missing ones are waited for, whatever stands for them. */
  strict?: true
  /** The event stands for chunks of which some were not seen. */
  partial?: boolean
  /** The position of the snapshot that is being applied; later facts stay as they are. */
  asOf?: number
}

export const mostFindings = 500

/** The entity under this id, ready to be changed and with the event's origin; opened when it is new. */
export function open<K extends keyof Entities>(
  draft: Draft,
  name: K,
  id: string,
  first: (base: Entity) => Entities[K],
): Entities[K] {
  const known = change(draft, name, id)
  if (known) {
    mergeOrigin(draft, known)
    return known
  }
  const base: Entity = { origin: firstOrigin(draft), opened: ++draft.state.opened }
  const made = fresh(first(base), draft.edit)
  setTable(draft, name, id, made)
  if (draft.event.persistence === "ephemeral_live") rememberEphemeral(draft, name, id)
  return made
}

/** The entity under this id, ready to be changed, when there is one. */
export function change<K extends keyof Entities>(draft: Draft, name: K, id: string): Entities[K] | undefined {
  const known = tablesOf<K>(draft)[name].get(id)
  if (known === undefined || draft.edit.has(known)) return known
  // What a snapshot says of a thing that moved on since is read and let go.
  if (isAhead(draft, known)) return { ...known, origin: { ...known.origin } }
  const mine: Entities[K] = own(known, draft.edit)
  setTable(draft, name, id, mine)
  return mine
}

function setTable<K extends keyof Entities>(draft: Draft, name: K, id: string, entity: Entities[K]): void {
  const tables = tablesOf<K>(draft)
  tables[name] = setIn<Entities[K]>(tables[name], id, entity, draft.edit)
}

const isAhead = ({ asOf }: Draft, { origin }: Entity) =>
  asOf !== undefined && origin.sequence !== undefined && origin.sequence > asOf

const tablesOf = <K extends keyof Entities>(draft: Draft): { [N in K]: Table<Entities[N]> } => draft.state

export function remove<K extends keyof Entities>(draft: Draft, name: K, id: string): void {
  const tables = tablesOf<K>(draft)
  tables[name] = removeFrom<Entities[K]>(tables[name], id, draft.edit)
}

const copied = [
  "owner",
  "scope",
  "phase",
  "surface",
  "topology",
  "sessionId",
  "threadId",
  "runId",
  "turnId",
  "taskId",
  "agentId",
  "parentSessionId",
  "parentThreadId",
  "timestamp",
  "rawEventRef",
] as const

export function firstOrigin(draft: Draft): Origin {
  const { event, sequence } = draft
  const { owner = "unknown", scope = "unknown", phase = "unknown", sessionId } = event
  // Fields that are written at once lie in the object itself; those that are added later need a second one.
  const origin: Origin = fresh(
    sessionId === undefined || sequence === undefined
      ? { owner, scope, phase }
      : { owner, scope, phase, sessionId, sequence },
    draft.edit,
  )
  if (draft.event.persistence !== undefined) origin.persistence = draft.event.persistence
  copyOrigin(draft, origin)
  return origin
}

export function mergeOrigin(draft: Draft, entity: Entity): void {
  const origin = own(entity.origin, draft.edit)
  entity.origin = origin
  const { persistence } = draft.event
  // One durable event makes a fact durable; a passing one does not make it pass.
  if (persistence === undefined) {
    if (origin.persistence === "ephemeral_live") delete origin.persistence
  } else if (persistence !== "ephemeral_live") origin.persistence = persistence
  copyOrigin(draft, origin)
}

function copyOrigin(draft: Draft, origin: Origin): void {
  const { event, sequence, unlisted } = draft
  for (const name of copied) {
    const value = event[name]
    if (value !== undefined && value !== origin[name]) origin[name] = value
  }
  if (sequence === undefined) origin.assigned = true
  else origin.sequence = sequence
  if (event.refs !== undefined) origin.refs = refsOf(event.refs)
  if (unlisted) origin.unlisted = [...new Set([...(origin.unlisted ?? []), ...unlisted])]
}

function rememberEphemeral(draft: Draft, table: keyof Entities, id: string): void {
  const run = draft.event.runId === undefined ? undefined : change(draft, "runs", draft.event.runId)
  if (run && table !== "runs") run.ephemeral = [...run.ephemeral, { table, id }]
}

/** Puts a line into the process of its run and its turn, where it does not stand already. */
export function track(
  draft: Draft,
  kind: ProcessEntry["kind"],
  id: string,
  more?: Partial<ProcessEntry>,
): void {
  const { runId, turnId, timestamp, agentId } = draft.event
  const { runs, turns } = draft.state
  const entry: ProcessEntry = { kind, id, ...more }
  const key = several.includes(kind) ? undefined : entryKey(entry)
  const inRun = runId !== undefined && isLacking(runs.get(runId), key)
  const inTurn = turnId !== undefined && isLacking(turns.get(turnId), key)
  if (!inRun && !inTurn) return
  Object.assign(entry, given({ sequence: draft.sequence, at: timestamp, agentId }))
  const run = inRun ? change(draft, "runs", runId) : undefined
  if (run) {
    run.process = push(run.process, entry, draft.edit)
    remember(draft, run, key)
  }
  if (!inTurn) return
  const turn = open(draft, "turns", turnId, (base) => ({
    ...base,
    turnId,
    runIds: [],
    entries: emptyChain(),
    told: emptyTable(),
  }))
  if (runId !== undefined && !turn.runIds.includes(runId)) turn.runIds = [...turn.runIds, runId]
  turn.entries = push(turn.entries, entry, draft.edit)
  remember(draft, turn, key)
}

/** Of these kinds there is a line each time; any other thing has one line, however often it is told of. */
const several: readonly ProcessEntry["kind"][] = ["status", "context", "error"]
export const entryKey = ({ kind, id, partId, sequence }: ProcessEntry): string =>
  `${kind} ${id} ${(several.includes(kind) ? sequence : partId) ?? ""}`

const isLacking = (holder: Told | undefined, key: string | undefined) =>
  key === undefined || !holder?.told.has(key)

export function remember({ edit }: Draft, holder: Told, key: string | undefined): void {
  if (key !== undefined) holder.told = setIn(holder.told, key, true, edit)
}

/** Copies the known fields that were supplied; ids, origin and the client's own fields are not among them. */
export function supply(entity: object, payload: object, except: readonly string[] = []): void {
  const to = entity as Record<string, unknown>
  for (const [name, value] of Object.entries(payload)) {
    if (value === undefined || !fieldKinds.has(name) || except.includes(name) || name in reserved) continue
    to[name] = value
  }
}
/** What only the envelope may say, and where an entity stands, which its class says. */
const reserved: Readonly<Record<string, true>> = Object.assign(Object.create(null), {
  messageId: true,
  toolCallId: true,
  actionId: true,
  evidenceId: true,
  sessionId: true,
  runId: true,
  turnId: true,
  partId: true,
  taskId: true,
  agentId: true,
  state: true,
})

export function report(draft: Draft, code: FindingCode, message: string, id?: string): void {
  addFinding(draft, { code, message, type: draft.event.type, ...given({ id }) })
}

export const reportLate = (draft: Draft, id: string): void =>
  report(draft, "late_delta", "It came after the end of its part.", id)
export const reportEnded = (draft: Draft, id: string): void =>
  report(draft, "late_terminal", "It had ended before.", id)

export function addFinding(
  draft: Pick<Draft, "state" | "edit" | "stream" | "sequence">,
  finding: Finding,
): void {
  const { state, edit, stream, sequence } = draft
  const placed = { ...finding, ...given({ stream, sequence }) }
  state.findings = bounded(state, push(state.findings, placed, edit), mostFindings)
}

/** Lets the older half go once there are twice as many as wanted. */
export function bounded<V>(state: AgentUiState, chain: Chain<V>, most: number): Chain<V> {
  if (chain.length < most * 2) return chain
  state.dropped += chain.length - most
  return chainOf(chain.slice(-most))
}
