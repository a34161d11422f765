import type { Envelope } from "@factum/facts"
import { type Fields, isFields } from "./given.ts"

/** A fact in the runtime's spelling, and what had to be respelled for that. */
export type Spelled =
  | { ok: true; fact: Fields; respelled: readonly string[] }
  | { ok: false; reason: string; fields: readonly string[] }

const envelopeFields: Readonly<Record<keyof Envelope, true>> = {
  type: true,
  event_id: true,
  timestamp: true,
  sequence: true,
  schema_version: true,
  runtime_id: true,
  session_id: true,
  thread_id: true,
  turn_id: true,
  task_id: true,
  run_id: true,
  attempt_id: true,
  step_id: true,
  tool_call_id: true,
  action_id: true,
  subagent_id: true,
  trace_id: true,
  span_id: true,
  payload: true,
  refs: true,
}

/** Records whose keys are somebody's own words, not ours. */
const free: ReadonlySet<string> = new Set([
  "metadata",
  "options",
  "profile",
  "constraints",
  "answer",
  "answer_schema",
  "input_schema",
  "detail",
])
/** Where a word of state stands. */
const stateFields: ReadonlySet<string> = new Set([
  "status",
  "phase",
  "outcome",
  "reason",
  "state",
  "previous",
])

/**
 * Reads an event of another implementation: fields in camelCase, and `canceled` with one l. Names map one to one. An
 * event that mixes both spellings is refused, since nobody can tell which of two names is meant.
 */
export function readSpelling(event: unknown): Spelled {
  if (!isFields(event)) return { ok: false, reason: "It is not an object.", fields: [] }
  const spellings = envelopeSpellings(event)
  if (spellings.camel.length > 0 && spellings.snake.length > 0) {
    const fields = [...spellings.camel, ...spellings.snake]
    return { ok: false, reason: `The event mixes two spellings: ${fields.join(", ")}.`, fields }
  }
  const respelled: string[] = []
  const inCamel = spellings.camel.length > 0
  const named = inCamel
    ? Object.fromEntries(Object.entries(event).map(([name, value]) => [snake(name), value]))
    : event
  respelled.push(...spellings.camel)
  const payload =
    inCamel || isCanceled(named.payload)
      ? respell(named.payload, inCamel, "payload", respelled)
      : named.payload
  const type =
    typeof named.type === "string" ? named.type.replace(/(^|[._])canceled\b/g, "$1cancelled") : named.type
  if (type !== named.type) respelled.push("type")
  if (respelled.length === 0) return { ok: true, fact: event, respelled }
  const fact: Fields = { ...named, type, ...(payload === undefined ? {} : { payload }) }
  return { ok: true, fact, respelled }
}

function envelopeSpellings(event: Fields) {
  const names = Object.keys(event)
  return {
    camel: names.filter((name) => name !== snake(name) && Object.hasOwn(envelopeFields, snake(name))),
    snake: names.filter((name) => name.includes("_") && Object.hasOwn(envelopeFields, name)),
  }
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Whether a word of state in it has one l; most facts need no copy. */
function isCanceled(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isCanceled)
  if (!isFields(value)) return false
  for (const name in value) {
    const inner = value[name]
    if (inner === "canceled" ? stateFields.has(name) : typeof inner === "object" && isCanceled(inner))
      return true
  }
  return false
}

function respell(value: unknown, inCamel: boolean, path: string, notes: string[]): unknown {
  if (Array.isArray(value)) return value.map((inner) => respell(inner, inCamel, path, notes))
  if (!isFields(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const known = inCamel ? snake(name) : name
      if (known !== name) notes.push(`${path}.${name}`)
      if (stateFields.has(known) && inner === "canceled") {
        notes.push(`${path}.${name}`)
        return [known, "cancelled"]
      }
      return [known, free.has(known) ? inner : respell(inner, inCamel, `${path}.${name}`, notes)]
    }),
  )
}
