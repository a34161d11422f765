import {
  applyFacts,
  definitions,
  type Envelope,
  type EventOfType,
  type EventType,
  emptySession,
  extendedTypes,
  type SessionState,
  standardTypes,
} from "../src/index.ts"
import { samples } from "./samples.ts"

export const types: readonly EventType[] = [...standardTypes, ...extendedTypes]

export const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()

type Over<T extends EventType> = Partial<Omit<EventOfType<T>, "type" | "payload">> & {
  payload?: Partial<EventOfType<T>["payload"]>
}

/** A stamped fact: the sample of the class, with what a test cares about. */
export function fact<T extends EventType>(type: T, over: Over<T> = {}): EventOfType<T> & Envelope {
  const sequence = over.sequence ?? 1
  const sample = samples[type]
  return {
    type,
    event_id: `evt_${sequence}`,
    timestamp: at(sequence),
    sequence,
    schema_version: definitions.get(type)?.version ?? 0,
    ...sample,
    ...over,
    payload: { ...sample.payload, ...over.payload },
  } as unknown as EventOfType<T> & Envelope
}

/** Numbers facts 1, 2, 3… as one stream, with one second between them. */
export function stream(...facts: readonly Envelope[]): Envelope[] {
  return facts.map((one, index) => {
    const sequence = index + 1
    return { ...one, sequence, event_id: `evt_${sequence}`, timestamp: at(sequence) }
  })
}

export function given(...facts: readonly Envelope[]): SessionState {
  const { state, gap } = applyFacts(emptySession, stream(...facts))
  if (gap) throw new Error(`gap ${gap.from}–${gap.to}`)
  return state
}

/** The one record of a family. */
export function only<S>(records: Readonly<Record<string, S>>): S {
  const [first, ...rest] = Object.values(records)
  if (first === undefined || rest.length > 0) throw new Error(`${rest.length + 1} records`)
  return first
}
