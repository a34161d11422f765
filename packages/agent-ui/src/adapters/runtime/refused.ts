import type { Envelope } from "@factum/facts"
import type { UiFrame } from "../../envelope.ts"
import { type Fields, given, isFields, textIn } from "./given.ts"

/** Enough of a fact to be shown: a class, a place and a payload. */
export function isFact(value: unknown): value is Envelope {
  if (!isFields(value) || !isFields(value.payload) || textIn(value, "type") === undefined) return false
  const names = [value.session_id, value.runtime_id]
  return sequenceOf(value) !== undefined && names.every((id) => id === undefined || typeof id === "string")
}

/** What is no fact is told at its place, if it has one, so that it leaves no gap and is not lost without a word. */
export function refused(value: unknown, reason: string): UiFrame {
  const { sequence = -1, ...place } = placeOf(value)
  const sessionId = place.stream
  const type = place.type === undefined ? "An input" : `A fact of the class ${place.type.slice(0, 80)}`
  return {
    stream: sessionId ?? "runtime",
    sequence,
    events: [
      {
        type: "diagnostic.changed",
        ...given({ sessionId, sequence: sequence < 0 ? undefined : sequence }),
        owner: "diagnostics",
        scope: sessionId === undefined ? "application" : "session",
        phase: "reconciling",
        surface: "diagnostics",
        persistence: "diagnostics_log",
        payload: { code: "unread_fact", severity: "error", message: `${type} is not shown. ${reason}` },
      },
    ],
  }
}

type PlaceOf = { stream?: string; sequence?: number; type?: string }

function placeOf(value: unknown): PlaceOf {
  try {
    if (!isFields(value)) return {}
    const stream = textIn(value, "session_id") ?? textIn(value, "sessionId")
    return given({ stream, sequence: sequenceOf(value), type: textIn(value, "type") })
  } catch {
    return {}
  }
}

function sequenceOf({ sequence }: Fields): number | undefined {
  return typeof sequence === "number" && Number.isSafeInteger(sequence) && sequence >= 0
    ? sequence
    : undefined
}
