import { z } from "zod"
import { Text } from "../known.ts"
import { Ref } from "../refs.ts"
import type { SessionState } from "../session-state.ts"
import { defineSnapshot, type Freshness, reflected, reflects } from "./define-snapshot.ts"

export const ContextBoundarySnapshot = defineSnapshot("context_boundary_snapshot", {
  version: 1,
  doc: "Selected refs, compaction summaries, context warnings and what was asked for and not found.",
  schema: z.object({
    ...reflected,
    thread_id: z.string(),
    selected: z.array(z.object({ kind: Text, ref: Ref })),
    compactions: z.array(
      z.object({
        compaction_id: z.string(),
        from: z.int(),
        to: z.int(),
        summary_ref: Ref,
        carried_ref: Ref.optional(),
      }),
    ),
    compacting: z.boolean(),
    warnings: z.array(z.string()),
    missing: z.array(z.object({ name: z.string(), reason: z.string() })),
  }),
})
export type ContextBoundarySnapshot = z.infer<typeof ContextBoundarySnapshot.schema>

export function contextBoundarySnapshot(
  state: SessionState,
  thread_id: string,
  freshness?: Freshness,
): ContextBoundarySnapshot {
  const context = state.entities.contexts[thread_id]
  return {
    ...reflects(state, freshness),
    thread_id,
    selected: [...(context?.selected ?? [])],
    compactions: [...(context?.compactions ?? [])],
    compacting: context?.compacting !== undefined,
    warnings: [...(context?.warnings ?? [])],
    missing: [...(context?.missing ?? [])],
  }
}
