import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { InputPart } from "../input.ts"
import { late } from "../late.ts"
import { Ref } from "../refs.ts"
import { family } from "../state.ts"
import type { ContextEvent } from "./context.ts"
import type { QueueEvent } from "./queue.ts"

/** What a submission asks to be read for it: a file of the workspace, or what a ref stands for. */
export const ContextWish = z.union([
  z.strictObject({ path: z.string().min(1).max(1024) }),
  z.strictObject({ ref: Ref }),
])
export type ContextWish = z.infer<typeof ContextWish>

export const TurnSubmitted = defineEvent("turn.submitted", {
  version: 1,
  doc: "Input was received and is durable; nothing has run yet.",
  scope: "turn",
  optional: ["step_id"],
  payload: z.object({
    input: z.array(InputPart).min(1),
    source: z.string(),
    context: z.array(ContextWish).optional(),
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

export type Steered = {
  sequence: number
  step_id?: string | undefined
  input: readonly InputPart[]
  source: string
  at: string
}

export type Turn = {
  turn_id: string
  thread_id: string
  step_id?: string | undefined
  status: "unknown" | "accepted" | "running" | "completed" | "failed" | "cancelled" | "timed_out"
  input: readonly InputPart[]
  options?: Readonly<Record<string, unknown>> | undefined
  /** Input that came while the turn was under way, by the sequence at which it was attached. */
  steered: readonly Steered[]
  wishes: readonly ContextWish[]
  /** What was read for the turn, and is told to the model with its input. */
  sources: readonly Ref[]
  submitted_at?: string
  started_at?: string
  ended_at?: string
  /** Order is by sequence, never by time. */
  ended_sequence?: number
  failure?: { category: string; reason: string; by?: string; next?: string }
  /** A second terminal fact changes nothing and is counted here. */
  late: number
}

const none = { steered: [], wishes: [], sources: [] }
const blank: Turn = { turn_id: "", thread_id: "", status: "unknown", input: [], ...none, late: 0 }
export const turnEnded = (turn: Turn): boolean =>
  turn.status === "completed" ||
  turn.status === "failed" ||
  turn.status === "cancelled" ||
  turn.status === "timed_out"

function ended(s: Turn, e: TurnEvent) {
  const { turn_id, thread_id, timestamp, sequence } = e
  return { ...s, turn_id, thread_id, ended_at: timestamp, ended_sequence: sequence }
}

type Beside = QueueEvent | Extract<ContextEvent, { type: "context.resolved" }>

export const turn = fold<Turn, TurnEvent | Beside>(blank, {
  "turn.submitted": (s, e) =>
    s.status === "unknown"
      ? {
          ...s,
          turn_id: e.turn_id,
          thread_id: e.thread_id,
          step_id: e.step_id,
          status: "accepted",
          input: e.payload.input,
          options: e.payload.options,
          wishes: e.payload.context ?? [],
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
  "queue.changed": (s, e) => {
    const { steer } = e.payload
    if (steer === undefined || s.status === "unknown") return s
    if (turnEnded(s)) return late(s)
    const { input, source } = steer
    const { sequence, step_id, timestamp: at } = e
    return { ...s, steered: [...s.steered, { sequence, step_id, input, source, at }] }
  },
  "context.resolved": (s, e) => {
    const sources = e.payload.selected.filter(({ kind }) => kind === "source").map(({ ref }) => ref)
    return s.status === "unknown" || sources.length === 0 ? s : { ...s, sources }
  },
})

/** How many ended turns a session keeps in memory; the log has all of them. */
export const turnsRemembered = 32

/** A turn is opened by its own facts alone: what stands beside it never makes one up. */
const keyOf = (e: TurnEvent | Beside): string | undefined =>
  e.type === "queue.changed" && e.payload.change !== "steered" ? undefined : e.turn_id

export const turns = family(turn, keyOf, { ended: turnEnded, keep: turnsRemembered })
