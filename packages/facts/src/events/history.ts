import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { Id } from "../ids.ts"
import { Count, SequenceRange, Text } from "../known.ts"
import { late } from "../late.ts"
import { Ref } from "../refs.ts"
import { family } from "../state.ts"

const onSession = { version: 1, scope: "session" } as const
const onThread = { version: 1, scope: "thread" } as const
/** The last fact that stays in the read model. */
const boundary = z.object({ sequence: z.int().min(0), turn_id: Id.optional() })

export const HistoryWindowLoaded = defineEvent("history.window.loaded", {
  ...onSession,
  doc: "The runtime loaded a window of old facts to continue work.",
  payload: z.object({ window: SequenceRange, facts: z.int().min(0), purpose: Text }),
})

export const HistoryReconstructed = defineEvent("history.reconstructed", {
  ...onSession,
  doc: "State was rebuilt from the log, or from a snapshot and what follows it.",
  payload: z.object({
    source: z.enum(["log", "snapshot_and_log"]),
    snapshot_sequence: Count.optional(),
    through: z.int().min(0),
    facts: z.int().min(0),
    cause: Text,
  }),
})

export const HistoryRollbackStarted = defineEvent("history.rollback.started", {
  ...onThread,
  doc: "A rollback to a named boundary began.",
  payload: z.object({ rollback_id: Id, boundary, reason: Text, by: z.enum(["user", "policy", "runtime"]) }),
})

export const HistoryRollbackCompleted = defineEvent("history.rollback.completed", {
  ...onThread,
  doc: "Facts after the boundary left the read model, not the log; effects outside are listed as not undone.",
  payload: z.object({
    rollback_id: Id,
    boundary,
    left: SequenceRange.optional(),
    not_undone: z.array(
      z.object({ kind: Text, detail: Text, tool_call_id: Id.optional(), ref: Ref.optional() }),
    ),
  }),
})

export const historyEvents = [
  HistoryWindowLoaded,
  HistoryReconstructed,
  HistoryRollbackStarted,
  HistoryRollbackCompleted,
] as const
export type HistoryEvent = EventOf<(typeof historyEvents)[number]>
type Of<T extends HistoryEvent["type"]> = Extract<HistoryEvent, { type: T }>
type RebuildType = "history.window.loaded" | "history.reconstructed"

export type Rebuild = {
  window?: SequenceRange
  windows: number
  reconstructions: number
  through: Count
  cause?: string
}

export const rebuild = fold<Rebuild, Of<RebuildType>>(
  { windows: 0, reconstructions: 0, through: "unknown" },
  {
    "history.window.loaded": (s, e) => ({ ...s, window: e.payload.window, windows: s.windows + 1 }),
    "history.reconstructed": (s, e) => {
      const { through, cause } = e.payload
      return { ...s, reconstructions: s.reconstructions + 1, through, cause }
    },
  },
)

export type Rollback = {
  rollback_id: string
  status: "unknown" | "running" | "completed"
  thread_id: string
  boundary: { sequence: number | "unknown"; turn_id?: string | undefined }
  reason?: string
  left?: SequenceRange | undefined
  not_undone: Of<"history.rollback.completed">["payload"]["not_undone"]
  late: number
}

export const rollback = fold<Rollback, Exclude<HistoryEvent, { type: RebuildType }>>(
  {
    rollback_id: "",
    status: "unknown",
    thread_id: "",
    boundary: { sequence: "unknown" },
    not_undone: [],
    late: 0,
  },
  {
    "history.rollback.started": (s, e) => {
      if (s.status !== "unknown") return late(s)
      const { rollback_id, boundary, reason } = e.payload
      return { ...s, rollback_id, status: "running", thread_id: e.thread_id, boundary, reason }
    },
    "history.rollback.completed": (s, e) => {
      if (s.status === "completed") return late(s)
      const { rollback_id, boundary, left, not_undone } = e.payload
      return { ...s, rollback_id, status: "completed", thread_id: e.thread_id, boundary, left, not_undone }
    },
  },
)

export const rebuilds = family(rebuild, (e) => e.session_id)
export const rollbacks = family(rollback, (e) => e.payload.rollback_id, {
  ended: (s) => s.status === "completed",
})
