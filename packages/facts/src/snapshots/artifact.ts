import { z } from "zod"
import { Count, Text } from "../known.ts"
import { Preview, Ref } from "../refs.ts"
import type { SessionState } from "../session-state.ts"
import { defineSnapshot, type Freshness, reflected, reflects } from "./define-snapshot.ts"

export const ArtifactCheckpointSummary = defineSnapshot("artifact_checkpoint_summary", {
  version: 1,
  doc: "Artifact refs, versions, previews, validation issue counts and diff refs, as their owner reported them.",
  schema: z.object({
    ...reflected,
    artifacts: z.array(
      z.object({
        artifact_id: z.string(),
        status: z.enum(["present", "removed", "unknown"]),
        owner: Text,
        title: z.string().optional(),
        kind: z.string().optional(),
        media_type: z.string().optional(),
        version: Text,
        versions: z.array(z.string()),
        /** Of each version, when it came about and where it is read. */
        history: z.array(z.object({ version: z.string(), at: z.string(), ref: Ref.optional() })).optional(),
        refs: z.array(Ref),
        preview: Preview.optional(),
        validation_issues: Count,
        diff_ref: Ref.optional(),
        turn_id: z.string().optional(),
        task_id: z.string().optional(),
      }),
    ),
  }),
})
export type ArtifactCheckpointSummary = z.infer<typeof ArtifactCheckpointSummary.schema>

export function artifactCheckpointSummary(
  state: SessionState,
  freshness?: Freshness,
): ArtifactCheckpointSummary {
  const artifacts = Object.values(state.entities.artifacts).map((artifact) => {
    const { artifact_id, status, owner, title, version, versions, refs, preview, validation_issues } =
      artifact
    const { kind, media_type, diff_ref, turn_id, task_id } = artifact
    return {
      artifact_id,
      status,
      owner,
      title,
      kind,
      media_type,
      version,
      versions: versions.map(({ version }) => version),
      history: [...versions],
      refs,
      preview,
      validation_issues,
      diff_ref,
      turn_id,
      task_id,
    }
  })
  return { ...reflects(state, freshness), artifacts }
}
