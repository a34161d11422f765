import { z } from "zod"
import { defineEvent, type EventOf, fold } from "../define.ts"
import { Id } from "../ids.ts"
import { Count, Text } from "../known.ts"
import { Preview, Ref } from "../refs.ts"
import { family } from "../state.ts"

export const ArtifactChanged = defineEvent("artifact.changed", {
  version: 1,
  doc: "A reference to an artifact was produced or observed; the artifact service keeps the bytes.",
  scope: "session",
  optional: ["step_id", "tool_call_id"],
  payload: z.object({
    artifact_id: Id,
    change: z.enum(["produced", "updated", "observed", "removed"]),
    owner: Text,
    version: Text,
    title: z.string().optional(),
    /** What a person would call it, such as a document, a table or an image. */
    kind: z.string().optional(),
    media_type: z.string().optional(),
    refs: z.array(Ref).min(1),
    preview: Preview.optional(),
    /** "unknown" until the owner reports a count. */
    validation_issues: Count,
    diff_ref: Ref.optional(),
  }),
})

export const artifactEvents = [ArtifactChanged] as const
export type ArtifactEvent = EventOf<(typeof artifactEvents)[number]>

export type Artifact = Omit<ArtifactEvent["payload"], "change"> & {
  status: "unknown" | "present" | "removed"
  thread_id?: string | undefined
  turn_id?: string | undefined
  task_id?: string | undefined
  step_id?: string | undefined
  tool_call_id?: string | undefined
  /** Oldest first: which there were, and where each is read. */
  versions: readonly { version: string; at: string; ref?: Ref | undefined }[]
  changed_at?: string
  /** The sequence of the last change. */
  opened?: number
}

const blank: Artifact = {
  artifact_id: "",
  status: "unknown",
  owner: "unknown",
  version: "unknown",
  refs: [],
  validation_issues: "unknown",
  versions: [],
}

export const artifact = fold<Artifact, ArtifactEvent>(blank, {
  "artifact.changed": (s, e) => {
    const { change, ...stated } = e.payload
    const { thread_id, turn_id, task_id, step_id, tool_call_id } = e
    const seen = s.versions.some(({ version }) => version === stated.version)
    const told = { version: stated.version, at: e.timestamp, ref: stated.refs[0] }
    return {
      // A diff, preview or count of an older version says nothing about this one.
      ...(s.version === stated.version
        ? s
        : { ...blank, title: s.title, kind: s.kind, media_type: s.media_type }),
      ...stated,
      thread_id,
      turn_id,
      task_id,
      step_id,
      tool_call_id,
      status: change === "removed" ? "removed" : "present",
      versions: seen ? s.versions : [...s.versions, told],
      changed_at: e.timestamp,
      opened: e.sequence,
    }
  },
})

export const artifacts = family(artifact, (e) => e.payload.artifact_id, {
  ended: (s) => s.status === "removed",
})
