import type {
  ContextEvent,
  ModelEvent,
  QueueEvent,
  ReasoningEvent,
  RunEvent,
  SessionEvent,
  ThreadEvent,
  TurnEvent,
} from "@factum/facts"

/** The facts that this page folds. Others pass through and only move the cursor. */
export type Fact =
  | SessionEvent
  | ThreadEvent
  | TurnEvent
  | QueueEvent
  | RunEvent
  | ModelEvent
  | ReasoningEvent
  | ContextEvent

/** The host validated each fact before it was appended; only the frame of the wire is checked here. */
export function isFact(value: unknown): value is Fact {
  if (typeof value !== "object" || value === null) return false
  const { type, sequence, payload } = value as Record<string, unknown>
  return (
    typeof type === "string" && Number.isInteger(sequence) && typeof payload === "object" && payload !== null
  )
}
