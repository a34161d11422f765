import {
  definitions,
  type Envelope,
  emptySession,
  opensStep,
  requestEnded,
  type SessionState,
  sessionState,
  supersededBy,
  validateDraft,
} from "@factum/facts"
import type { Draft } from "./decision.ts"
import { owed } from "./owed.ts"
import type { Clock, Ids } from "./ports/clock.ts"
import type { Append, Claim, FactLog, NewFact, NotAppended } from "./ports/log.ts"
import type { Redactor } from "./redact.ts"

/** Deltas that a final fact may replace; the others stay for good. */
const prunable: ReadonlySet<string> = new Set(["model.delta", "reasoning.delta"])
const pageSize = 256

/** Telemetry's name for the work that a fact tells of; nothing when that work is not traced. */
export type Tracer = (draft: Draft) => { trace_id: string; span_id?: string } | undefined

export type JournalParts = {
  log: FactLog
  clock: Clock
  ids: Ids
  redactor: Redactor
  runtime_id: string
  tracer?: Tracer | undefined
}
export type Recorded = { ok: true; state: SessionState } | NotAppended

/** Turns drafts into facts: masked, validated, stamped, committed, folded. A draft that is not valid is our own bug. */
export async function record(
  parts: JournalParts,
  stream: string,
  state: SessionState,
  drafts: readonly Draft[],
  claims: readonly Claim[] = [],
): Promise<Recorded> {
  const timestamp = new Date(parts.clock.now()).toISOString()
  const facts: Envelope[] = []
  for (const draft of drafts) {
    const masked = parts.redactor.deep(draft.payload)
    facts.push(stamp({ ...draft, payload: masked.value } as Draft))
    for (const [rule, count] of Object.entries(masked.hits)) facts.push(stamp(redaction(draft, rule, count)))
  }

  function stamp(untraced: Draft): Envelope {
    const draft: Draft = { ...untraced, ...parts.tracer?.(untraced) }
    const checked = validateDraft(draft)
    if (!checked.ok) throw new Error(`${draft.type} is not valid: ${JSON.stringify(checked.issues)}`)
    return {
      ...draft,
      ...(opensStep(draft) ? { step_id: parts.ids.next("step") } : {}),
      event_id: parts.ids.next("event"),
      timestamp,
      sequence: state.sequence + facts.length + 1,
      schema_version: definitions.get(draft.type)?.version ?? 1,
    }
  }

  const next = folded(state, facts)
  const batch: Append = {
    stream,
    expected: state.sequence,
    facts: facts.map(toNewFact),
    claims,
    owing: owed(next).length > 0,
  }
  const supersedes = supersededBy(facts).filter((range) => !holdsOpenStream(next, range))
  const done = await parts.log.append(supersedes.length === 0 ? batch : { ...batch, supersedes })
  return done.ok ? { ok: true, state: next } : done
}

/** Another answer of the session may still stream between these deltas; then none of them is given up. */
function holdsOpenStream({ entities }: SessionState, { from, to }: { from: number; to: number }): boolean {
  return Object.values(entities.modelRequests).some(
    (request) =>
      !requestEnded(request) && (request.first_delta ?? to + 1) <= to && (request.last_delta ?? 0) >= from,
  )
}

function toNewFact(fact: Envelope): NewFact {
  return { event_id: fact.event_id, text: JSON.stringify(fact), prunable: prunable.has(fact.type) }
}

function redaction(draft: Draft, rule: string, count: number): Draft {
  const { session_id = "", thread_id, turn_id } = draft as Partial<Envelope>
  const where = draft.type.startsWith("model.") || draft.type.startsWith("reasoning.") ? "model" : "input"
  return {
    type: "output.redacted",
    session_id,
    ...(thread_id === undefined ? {} : { thread_id }),
    ...(turn_id === undefined ? {} : { turn_id }),
    payload: { rule, count, bytes: "unknown", where, cause: `a value in ${draft.type} matched the rule` },
  }
}

export function folded(state: SessionState, facts: readonly Envelope[]): SessionState {
  let { sequence, entities } = state
  for (const fact of facts) {
    entities = sessionState.apply(entities, fact)
    sequence = fact.sequence
  }
  return { sequence, entities }
}

/** Raised when the shape of the folded state changes: a saved one of another shape is rebuilt. */
const stateVersion = 5

export function saved(state: SessionState): string {
  return JSON.stringify({ version: stateVersion, state })
}

/** How a state came about that was not in memory. */
export type Restored = {
  /** The sequence of the saved state that it was begun with; 0 without one. */
  snapshot: number
  through: number
  /** How many facts were read. */
  facts: number
  /** Why a saved state was not used. */
  unusable?: "damaged" | "outdated"
}

/** The newest state: a saved one where it can be used, and the facts after it. */
export function restore(
  log: Pick<FactLog, "read" | "loadState"> & Partial<Pick<FactLog, "incidents">>,
  stream: string,
): { state: SessionState; savedAt: number; restored: Restored } {
  const kept = log.loadState(stream)
  const usual = kept === undefined ? undefined : usable(kept.text)
  const damaged = log.incidents?.some(
    ({ code, detail }) => code === "state_damaged" && detail.includes(` ${stream} `),
  )
  const unusable: Restored["unusable"] =
    kept !== undefined ? "outdated" : damaged === true ? "damaged" : undefined
  let state = usual ?? emptySession
  const savedAt = state.sequence
  for (let facts = 0; ; ) {
    const page = log.read(stream, state.sequence, pageSize)
    facts += page.length
    if (page.length === 0) {
      const restored = { snapshot: savedAt, through: state.sequence, facts }
      const why = usual !== undefined || unusable === undefined ? {} : { unusable }
      return { state, savedAt, restored: { ...restored, ...why } }
    }
    state = folded(
      state,
      page.map((fact) => JSON.parse(fact.text) as Envelope),
    )
  }
}

/** A state in another form than this program writes is not used: the log has everything. */
function usable(text: string): SessionState | undefined {
  const value = parsed(text)
  if (typeof value !== "object" || value === null || !("version" in value) || !("state" in value))
    return undefined
  return value.version === stateVersion ? (value.state as SessionState) : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
