import { createHash } from "node:crypto"
import { definitions, type Envelope, type EventOfType, type EventType, type Ref } from "@factum/facts"

/** A trace as it is told: facts of one or more sessions in the order in which they happened. */
export type Recording = {
  facts: readonly Envelope[]
  /** Lets time pass. */
  wait(ms: number): void
  add<T extends EventType>(type: T, ids: Ids, payload: EventOfType<T>["payload"]): Envelope
  /** A class that the runtime does not have. */
  addOther(type: string, ids: Ids, payload: Record<string, unknown>): Envelope
  /** The number that the next fact of a session gets. */
  next(session_id: string): number
  now(): string
}
export type Ids = Partial<
  Pick<
    Envelope,
    | "runtime_id"
    | "session_id"
    | "thread_id"
    | "turn_id"
    | "task_id"
    | "run_id"
    | "attempt_id"
    | "step_id"
    | "tool_call_id"
    | "action_id"
    | "subagent_id"
    | "trace_id"
    | "span_id"
    | "refs"
  >
>

/** The same calls give the same facts, byte for byte: time and ids count up from the start that is given. */
export function record(start: string): Recording {
  const facts: Envelope[] = []
  const sequences = new Map<string, number>()
  let at = Date.parse(start)
  const now = () => new Date(at).toISOString()
  const next = (stream: string) => (sequences.get(stream) ?? 0) + 1
  return { facts, wait, add, addOther, next, now }

  function wait(ms: number) {
    at += ms
  }
  function add<T extends EventType>(type: T, ids: Ids, payload: EventOfType<T>["payload"]): Envelope {
    return addOther(type, ids, payload)
  }
  function addOther(type: string, ids: Ids, payload: Record<string, unknown>): Envelope {
    const stream = ids.session_id ?? ids.runtime_id ?? "runtime"
    const sequence = next(stream)
    sequences.set(stream, sequence)
    at += 3
    const event_id = `evt_${stream.replace(/^ses_/, "")}_${String(sequence).padStart(4, "0")}`
    const fact = {
      type,
      event_id,
      timestamp: now(),
      sequence,
      schema_version: definitions.get(type)?.version ?? 1,
      ...ids,
      payload,
    }
    facts.push(fact)
    return fact
  }
}

export const digestOf = (text: string): string => `sha256:${createHash("sha256").update(text).digest("hex")}`

/** A ref to a text, as a store of blobs would give it. */
export function blob(text: string, more: Partial<Ref> = {}): Ref {
  const digest = digestOf(text)
  return { uri: `blob:${digest.slice(7, 23)}`, kind: "blob", digest, bytes: Buffer.byteLength(text), ...more }
}

const most = 1200
export const shown = (text: string) => ({ text: text.slice(0, most), whole: text.length <= most })

/** Words in groups of about the size in which providers send them. */
export function pieces(text: string, size = 24): string[] {
  const found: string[] = []
  let piece = ""
  for (const word of text.split(/(?<=\s)/)) {
    if (piece.length + word.length > size && piece !== "") {
      found.push(piece)
      piece = ""
    }
    piece += word
  }
  return piece === "" ? found : [...found, piece]
}
