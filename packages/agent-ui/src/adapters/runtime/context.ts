import type { ContextEvent } from "@factum/facts"
import { camelised, type Fields, given, isFields } from "./given.ts"
import { event, type Place, type Translations, uris } from "./place.ts"

const boundary = {
  owner: "context",
  scope: "thread",
  surface: "inline_process",
  persistence: "snapshot",
} as const satisfies Partial<Place>

export const contextFrames: Translations<ContextEvent> = {
  "context.resolved": (fact) => {
    const { selected, missing, warnings } = fact.payload
    return [
      event(
        "context.changed",
        fact,
        { ...boundary, scope: "run", phase: "preparing" },
        {
          selection: selected.map(({ kind, ref }) => ({
            id: ref.uri,
            kind,
            ref: ref.uri,
            ...given({ label: ref.title }),
          })),
          missing: missing.map(({ name, reason }) => ({ id: name, reason })),
          warnings,
        },
      ),
    ]
  },
  "context.compaction.started": (fact) => {
    const { compaction_id, cause, from, to } = fact.payload
    return [
      event(
        "context.compaction.started",
        fact,
        { ...boundary, phase: "reconciling" },
        { boundaryId: compaction_id, range: { from, to }, reason: cause },
      ),
    ]
  },
  "context.compaction.completed": (fact) => {
    const payload: typeof fact.payload & { carried?: unknown } = fact.payload
    const { compaction_id, from, to, summary_ref, kept, carried } = payload
    return [
      event(
        "context.compaction.completed",
        fact,
        { ...boundary, phase: "completed" },
        {
          boundaryId: compaction_id,
          range: { from, to },
          summaryRef: summary_ref.uri,
          keptRefs: uris(kept),
          ...given({ summary: summary_ref.title, resume: resumeOf(carried) }),
        },
      ),
    ]
  },
  "context.compaction.failed": (fact) => {
    const { compaction_id, cause } = fact.payload
    return [
      event(
        "context.compaction.completed",
        fact,
        { ...boundary, phase: "failed" },
        { boundaryId: compaction_id, failed: true, reason: cause },
      ),
    ]
  },
}

/** What goes over the boundary as facts, where the runtime lists it. */
function resumeOf(carried: unknown): Fields | undefined {
  const resume = camelised(carried)
  return isFields(resume) ? resume : undefined
}
