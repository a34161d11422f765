import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { InputPart } from "../input.ts"
import { late } from "../late.ts"
import { family } from "../state.ts"

export const TurnSubmitted = defineEvent("turn.submitted", {
  version: 1,
  doc: "Input was received and is durable; nothing has run yet.",
  scope: "turn",
  payload: z.object({
    input: z.array(InputPart).min(1),
    source: z.string(),
    options: z.record(z.string(), z.unknown()).optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
  }),
})

export const TurnStarted = defineEvent("turn.started", {
  version: 1,
  doc: "Execution of the turn began.",
  scope: "turn",
  payload: z.object({ queued_turn_id: z.string().optional() }),
})

export const TurnCompleted = defineEvent("turn.completed", {
  version: 1,
  doc: "The runtime declared the turn done: no call, process, action or stream of it is open.",
  scope: "turn",
  payload: z.object({ outcome: z.enum(["answered", "stopped"]) }),
})

export const TurnFailed = defineEvent("turn.failed", {
  version: 1,
  doc: "The turn ended without completing; status tells a cancellation from a failure.",
  scope: "turn",
  payload: z.object({
    status: z.enum(["failed", "cancelled", "timed_out"]),
    category: z.string(),
    reason: z.string(),
    by: z.enum(["user", "policy", "runtime"]).optional(),
    next: z.string().optional(),
  }),
})

export const turnEvents = [TurnSubmitted, TurnStarted, TurnCompleted, TurnFailed] as const
export type TurnEvent = EventOf<(typeof turnEvents)[number]>

export type Turn = {
  turn_id: string
  thread_id: string
  status: "unknown" | "accepted" | "running" | "completed" | "failed" | "cancelled" | "timed_out"
  input: readonly InputPart[]
  options?: Readonly<Record<string, unknown>> | undefined
  submitted_at?: string
  started_at?: string
  ended_at?: string
  /** Order is by sequence, never by time. */
  ended_sequence?: number
  failure?: { category: string; reason: string; by?: string; next?: string }
  /** A second terminal fact changes nothing and is counted here. */
  late: number
}

const blank: Turn = { turn_id: "", thread_id: "", status: "unknown", input: [], late: 0 }
export const turnEnded = (turn: Turn): boolean =>
  turn.status === "completed" ||
  turn.status === "failed" ||
  turn.status === "cancelled" ||
  turn.status === "timed_out"

function ended(s: Turn, e: TurnEvent) {
  const { turn_id, thread_id, timestamp, sequence } = e
  return { ...s, turn_id, thread_id, ended_at: timestamp, ended_sequence: sequence }
}

export const turn = fold<Turn, TurnEvent>(blank, {
  "turn.submitted": (s, e) =>
    s.status === "unknown"
      ? {
          ...s,
          turn_id: e.turn_id,
          thread_id: e.thread_id,
          status: "accepted",
          input: e.payload.input,
          options: e.payload.options,
          submitted_at: e.timestamp,
        }
      : late(s),
  "turn.started": (s, e) =>
    s.started_at !== undefined || turnEnded(s)
      ? late(s)
      : { ...s, turn_id: e.turn_id, thread_id: e.thread_id, status: "running", started_at: e.timestamp },
  "turn.completed": (s, e) => (turnEnded(s) ? late(s) : { ...ended(s, e), status: "completed" }),
  "turn.failed": (s, e) => {
    if (turnEnded(s)) return late(s)
    const { status, ...failure } = e.payload
    return { ...ended(s, e), status, failure } as Turn
  },
})

export const turns = family(turn, (e) => e.turn_id, { ended: turnEnded, keep: 32 })
