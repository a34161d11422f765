import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { Id } from "../ids.ts"
import { Names, Text } from "../known.ts"
import { Ref } from "../refs.ts"
import { family } from "../state.ts"

export const EvidenceScope = z.object({ kind: z.enum(["session", "thread", "turn", "task"]), id: Id })

export const EvidenceChanged = defineEvent("evidence.changed", {
  version: 1,
  doc: "A reference to evidence, a replay or a review was exported or observed; verdicts are copied, never set.",
  scope: "session",
  optional: ["step_id", "tool_call_id"],
  payload: z.object({
    evidence_id: Id,
    kind: z.enum(["evidence", "replay", "review", "trace", "verification"]),
    change: z.enum(["exported", "observed"]),
    owner: Text,
    ref: Ref,
    about: EvidenceScope,
    verdict: z.enum(["passed", "failed", "inconclusive", "unknown"]),
    /** The sequence that the export reflects. */
    reflects: z.int().min(0).optional(),
    /** Whether work of the scope was still going on. */
    unfinished: z.boolean().optional(),
    missing: Names,
    note: z.string().optional(),
  }),
})

export const evidenceEvents = [EvidenceChanged] as const
export type EvidenceEvent = EventOf<(typeof evidenceEvents)[number]>

export type Evidence = Partial<EvidenceEvent["payload"]> & {
  evidence_id: string
  verdict: EvidenceEvent["payload"]["verdict"]
  trace_id?: string | undefined
  changed_at?: string
}

export const evidence = fold<Evidence, EvidenceEvent>(
  { evidence_id: "", verdict: "unknown" },
  { "evidence.changed": (_, e) => ({ ...e.payload, trace_id: e.trace_id, changed_at: e.timestamp }) },
)

export const evidences = family(evidence, (e) => e.payload.evidence_id, { ended: () => true, keep: 256 })
