import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { Id } from "../ids.ts"
import { Details, Text } from "../known.ts"
import { family } from "../state.ts"

const on = { version: 1, scope: "runtime", optional: ["step_id", "tool_call_id", "action_id"] } as const
const condition = {
  code: Text,
  message: Text,
  affected: z.array(z.object({ kind: Text, id: Id })),
  next: z.string().optional(),
  detail: Details.optional(),
}

export const RuntimeWarning = defineEvent("runtime.warning", {
  ...on,
  doc: "Something is wrong that ends no work.",
  payload: z.object(condition),
})

export const RuntimeError = defineEvent("runtime.error", {
  ...on,
  doc: "A fatal condition; only this one may end work.",
  payload: z.object(condition),
})

export const runtimeEvents = [RuntimeWarning, RuntimeError] as const
export type RuntimeConditionEvent = EventOf<(typeof runtimeEvents)[number]>

export type Incident = {
  event_id: string
  level: "unknown" | "warning" | "error"
  code: string
  message: string
  affected: RuntimeConditionEvent["payload"]["affected"]
  next?: string | undefined
  thread_id?: string | undefined
  turn_id?: string | undefined
  at?: string
}

function noted(level: "warning" | "error", e: RuntimeConditionEvent): Incident {
  const { code, message, affected, next } = e.payload
  const { event_id, thread_id, turn_id, timestamp } = e
  return { event_id, level, code, message, affected, next, thread_id, turn_id, at: timestamp }
}

export const incident = fold<Incident, RuntimeConditionEvent>(
  { event_id: "", level: "unknown", code: "unknown", message: "", affected: [] },
  { "runtime.warning": (_, e) => noted("warning", e), "runtime.error": (_, e) => noted("error", e) },
)

export const incidents = family(incident, (e) => e.event_id, { ended: () => true, keep: 64 })
