import {
  applyFacts,
  contextBoundarySnapshot,
  type Envelope,
  emptySession,
  queueSnapshot,
  type SessionState,
  sessionSnapshot,
  taskSnapshot,
  threadReadModel,
} from "@factum/facts"
import { type FactLine, isObject, type RecordLine, type Trace } from "./read.ts"
import type { Fault, Seen } from "./report.ts"

/** RT-VAL-1: stable ids, rising sequences, and replay into the recorded read models. */
export function replaysTheSame(trace: Trace): Seen {
  if (trace.facts.length === 0 && trace.unread.length === 0) return "not_exercised"
  return [
    ...trace.unread.map(({ line, reason }) => ({ line, reason })),
    ...trace.facts.flatMap(malformed),
    ...ids(trace.facts),
    ...parentsOfSteps(trace.facts),
    ...sequences(trace.facts),
    ...models(trace, ["session_snapshot", "thread_read_model", "context_boundary_snapshot"]),
  ]
}

function malformed({ line, fact, issues }: FactLine): Fault[] {
  return issues.map(({ message, field }) => ({ line, event: fact.type, reason: `${field}: ${message}` }))
}

function ids(facts: readonly FactLine[]): Fault[] {
  const seen = new Map<string, FactLine>()
  return facts.flatMap((one) => {
    const before = seen.get(one.fact.event_id)
    seen.set(one.fact.event_id, one)
    if (before === undefined || same(before.fact, one.fact)) return []
    const reason = `The id ${one.fact.event_id} was used in line ${before.line} for something else.`
    return [{ line: one.line, event: one.fact.type, reason }]
  })
}

/** A step belongs to one turn, task or run. */
function parentsOfSteps(facts: readonly FactLine[]): Fault[] {
  const seen = new Map<string, string>()
  return facts.flatMap(({ line, fact }): Fault[] => {
    const { step_id, type } = fact
    const parent = fact.turn_id ?? fact.task_id ?? fact.run_id
    if (step_id === undefined || parent === undefined) return []
    const before = seen.get(step_id) ?? parent
    seen.set(step_id, before)
    return before === parent
      ? []
      : [{ line, event: type, reason: `The step ${step_id} is of ${before} and of ${parent}.` }]
  })
}

export const streamOf = (fact: Envelope): string => fact.session_id ?? fact.runtime_id ?? "runtime"

function sequences(facts: readonly FactLine[]): Fault[] {
  return [...Map.groupBy(facts, ({ fact }) => streamOf(fact)).values()].flatMap((stream) =>
    stream.slice(1).flatMap((one, index): Fault[] => {
      const before = stream[index]
      if (before === undefined || same(before.fact, one.fact)) return []
      const { line, fact } = one
      const last = before.fact.sequence
      if (fact.sequence <= last) {
        return [
          { line, event: fact.type, reason: `The sequence ${fact.sequence} does not rise after ${last}.` },
        ]
      }
      if (fact.sequence === last + 1 || isCovered(stream, last + 1, fact.sequence - 1)) return []
      const reason = `The sequences ${last + 1} to ${fact.sequence - 1} are missing, and no final fact stands for them.`
      return [{ line, event: fact.type, reason, mild: true }]
    }),
  )
}

function isCovered(stream: readonly FactLine[], from: number, to: number): boolean {
  return stream.some(({ fact }) => {
    const { supersedes } = fact.payload
    if (!isObject(supersedes)) return false
    return Number(supersedes.from) <= from && Number(supersedes.to) >= to
  })
}

/** Compares read models that the trace recorded with what its facts come to. */
export function models(trace: Trace, names: readonly string[]): Fault[] {
  const recorded = trace.records.filter(
    ({ record, body }) => record === "snapshot" && names.includes(String(body.name)),
  )
  return recorded.flatMap((one): Fault[] => {
    const rebuilt = rebuild(trace, one)
    if (rebuilt === undefined)
      return [{ line: one.line, reason: `${one.body.name} names no session of this trace.` }]
    const differing = differs(one.body.snapshot, rebuilt)
    return differing.length === 0
      ? []
      : [
          {
            line: one.line,
            reason: `${one.body.name} differs from the facts before it: ${differing.join(", ")}.`,
          },
        ]
  })
}

export const hasModel = (trace: Trace, name: string): boolean =>
  trace.records.some(({ record, body }) => record === "snapshot" && body.name === name)

function rebuild(trace: Trace, { line, body }: RecordLine): unknown {
  const session_id = String(body.session_id)
  const before = trace.facts.filter((one) => one.line < line && one.fact.session_id === session_id)
  if (before.length === 0) return undefined
  const state = applyFacts(
    emptySession,
    before.map(({ fact }) => fact),
  ).state
  return read(state, String(body.name), isObject(body.snapshot) ? String(body.snapshot.thread_id) : "")
}

function read(state: SessionState, name: string, thread_id: string): unknown {
  switch (name) {
    case "session_snapshot":
      return sessionSnapshot(state)
    case "thread_read_model":
      return threadReadModel(state, thread_id)
    case "queue_snapshot":
      return queueSnapshot(state, thread_id)
    case "task_snapshot":
      return taskSnapshot(state)
    default:
      return contextBoundarySnapshot(state, thread_id)
  }
}

/** The fields in which two read models differ; where a model was cut off is its reader's business. */
function differs(recorded: unknown, rebuilt: unknown): string[] {
  if (!isObject(recorded) || !isObject(rebuilt)) return ["the whole"]
  const apart = new Set(["freshness", "history_cursor"])
  return Object.keys(rebuilt).filter((name) => !apart.has(name) && !same(recorded[name], rebuilt[name]))
}

export const same = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other)

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  )
}
