import { z } from "zod"
import { EvidenceScope } from "../events/evidence.ts"
import { Ref } from "../refs.ts"
import type { SessionState } from "../session-state.ts"
import { defineSnapshot, type Freshness, reflected, reflects } from "./define-snapshot.ts"

const EvidenceRef = z.object({
  evidence_id: z.string(),
  ref: Ref.optional(),
  about: EvidenceScope.optional(),
})

export const EvidenceSummary = defineSnapshot("evidence_summary", {
  version: 1,
  doc: "Trace ids, verification outcomes, replay refs, review refs and audit notes.",
  schema: z.object({
    ...reflected,
    /** "unavailable" when no telemetry was on. */
    trace_ids: z.union([z.array(z.string()).min(1), z.literal("unavailable")]),
    evidence_refs: z.array(EvidenceRef),
    verifications: z.array(
      EvidenceRef.extend({ verdict: z.enum(["passed", "failed", "inconclusive", "unknown"]) }),
    ),
    replay_refs: z.array(EvidenceRef),
    review_refs: z.array(EvidenceRef),
    audit_notes: z.array(z.object({ evidence_id: z.string(), note: z.string() })),
  }),
})
export type EvidenceSummary = z.infer<typeof EvidenceSummary.schema>

export function evidenceSummary(state: SessionState, freshness?: Freshness): EvidenceSummary {
  const all = Object.values(state.entities.evidences)
  const traces = [...new Set(all.flatMap(({ trace_id }) => (trace_id === undefined ? [] : [trace_id])))]
  const of = (...kinds: string[]) =>
    all
      .filter((one) => kinds.includes(one.kind ?? "unknown"))
      .map(({ evidence_id, ref, about, verdict }) => ({ evidence_id, ref, about, verdict }))
  const refs = (kind: string) => of(kind).map(({ verdict, ...rest }) => rest)
  return {
    ...reflects(state, freshness),
    trace_ids: traces.length === 0 ? "unavailable" : traces,
    evidence_refs: [...refs("evidence"), ...refs("trace")],
    verifications: of("verification"),
    replay_refs: refs("replay"),
    review_refs: refs("review"),
    audit_notes: all.flatMap(({ evidence_id, note }) => (note === undefined ? [] : [{ evidence_id, note }])),
  }
}
