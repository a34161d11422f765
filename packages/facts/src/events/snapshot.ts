import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { Names, SequenceRange } from "../known.ts"
import { Ref } from "../refs.ts"
import { snapshotNames } from "../snapshots/names.ts"
import { family } from "../state.ts"

const on = { version: 1, scope: "session" } as const
const which = {
  snapshot: z.enum(snapshotNames),
  /** The sequence that the read model reflects. */
  reflects: z.int().min(0),
  ref: Ref.optional(),
}

export const SnapshotUpdated = defineEvent("snapshot.updated", {
  ...on,
  doc: "A durable snapshot or read model was brought up to the sequence that it names.",
  payload: z.object(which),
})

export const SnapshotRepaired = defineEvent("snapshot.repaired", {
  ...on,
  doc: "A read model was corrected; what the correction lacked and was kept is listed.",
  payload: z.object({
    ...which,
    cause: z.enum(["gap", "damaged", "outdated", "cursor_out_of_window", "mismatch"]),
    missing: SequenceRange.optional(),
    /** Open actions and failed calls that a repair may not erase. */
    kept: Names,
  }),
})

export const snapshotEvents = [SnapshotUpdated, SnapshotRepaired] as const
export type SnapshotEvent = EventOf<(typeof snapshotEvents)[number]>

export type SnapshotRecord = {
  snapshot: SnapshotEvent["payload"]["snapshot"] | "unknown"
  reflects: number | "unknown"
  ref?: Ref | undefined
  repairs: number
  updated_at?: string
}

/** A snapshot never goes back to an older sequence. */
function newer(s: SnapshotRecord, e: SnapshotEvent): SnapshotRecord {
  const { snapshot, reflects, ref } = e.payload
  if (s.reflects !== "unknown" && reflects < s.reflects) return s
  return { ...s, snapshot, reflects, ref, updated_at: e.timestamp }
}

export const snapshotRecord = fold<SnapshotRecord, SnapshotEvent>(
  { snapshot: "unknown", reflects: "unknown", repairs: 0 },
  {
    "snapshot.updated": newer,
    "snapshot.repaired": (s, e) => ({ ...newer(s, e), repairs: s.repairs + 1 }),
  },
)

export const snapshotRecords = family(snapshotRecord, (e) =>
  e.thread_id === undefined ? e.payload.snapshot : `${e.payload.snapshot}|${e.thread_id}`,
)
